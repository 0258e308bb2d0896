package named

import (
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/parser"
)

// Member is a data member of a vector or a struct.
type Member struct {
	Name string
	Type string // "float", "unsigned int"
}

// complexTypes are the vectors that cuComplex.h gives names to.
var complexTypes = map[string]string{"cuComplex": "float2", "cuFloatComplex": "float2", "cuDoubleComplex": "double2"}

// Members returns the data members of a type that a function of the kernel names, in their order: of a vector of
// CUDA's, or of a struct of nothing but numbers, also through other names for it. It is nil for any other type.
func Members(k *analysis.Kernel, fn *ir.Func, name string) []Member {
	names := k.Prog.TypeNames(fn.File)
	for range analysis.MaxTypeDepth {
		name = strings.TrimPrefix(name, "struct ")
		if own, found := plainMembers(k, fn.File, name); found {
			return own
		}
		if v := vectorMembers(name); v != nil {
			return v
		}
		means, ok := names.Lookup(fn.View.Class, name)
		if !ok || means == "" {
			return nil
		}
		name = means
	}
	return nil
}

// vectorMembers are those of a vector of two to four elements.
func vectorMembers(name string) (out []Member) {
	if means, ok := complexTypes[name]; ok {
		name = means
	}
	of, n, _ := ir.VectorOf(name)
	if n < 2 {
		return nil
	}
	for i := range n {
		out = append(out, Member{"xyzw"[i : i+1], of.Name})
	}
	return out
}

// plainMembers are the members of a struct that the files of a unit define; found is set where they define one of
// that name, nil members where it holds anything else than numbers or is defined more than once.
func plainMembers(k *analysis.Kernel, f *parser.File, name string) (out []Member, found bool) {
	for _, file := range k.Prog.Unit(f).Files {
		for _, c := range file.Classes {
			if c.Body == nil || c.Name != name {
				continue
			}
			if found {
				return nil, true
			}
			out, found = numbersOf(file, c), true
		}
	}
	return out, found
}

// numbersOf are the members of a struct, nil where not all are numbers.
func numbersOf(f *parser.File, c *parser.Class) (out []Member) {
	for n := c.Node.FirstNamed(); n != nil; n = n.NextNamed() {
		if n.Kind == parser.KindBaseClassClause {
			return nil
		}
	}
	for n := c.Body.FirstNamed(); n != nil; n = n.NextNamed() {
		if n.Kind == parser.KindComment {
			continue
		}
		t := n.Child(parser.FieldType)
		if n.Kind != parser.KindFieldDeclaration || t == nil || !analysis.IsArithmetic(f.Text(t)) || n.Child(parser.FieldDefaultValue) != nil {
			return nil
		}
		for d := n.First; d != nil; d = d.Next {
			switch {
			case d.Field == parser.FieldDeclarator && d.Kind == parser.KindFieldIdentifier:
				out = append(out, Member{f.Text(d), f.Text(t)})
			case d.Field == parser.FieldDeclarator, d.Kind == parser.KindBitfieldClause, d.Kind == parser.KindTypeQualifier, d.Kind == parser.KindStorageClassSpecifier:
				return nil
			}
		}
	}
	return out
}
