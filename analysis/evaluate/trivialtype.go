package evaluate

import (
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/parser"
)

// withConstructors are the types of CUDA whose objects a constructor makes.
var withConstructors = map[string]bool{"dim3": true}

// Trivial reports whether objects of a type need no constructor, in every instance that the facts are of: numbers, CUDA's vectors, and
// classes at namespace scope of nothing but such members, which can be assigned. Those can be members of a union.
func (f *Facts) Trivial(fn *ir.Func, t ir.Type) bool {
	return t.Ptr == 0 && t.Record == nil && f.trivial(fn, t.Base, 0)
}

func (f *Facts) trivial(fn *ir.Func, name string, depth int) bool {
	name = strings.TrimSpace(strings.TrimPrefix(strings.TrimPrefix(name, "const "), "struct "))
	switch {
	case withConstructors[name] || depth > analysis.MaxTypeDepth:
		return false
	case f.k.Prog.SizeOf(fn, ir.Type{Base: name}) > 0:
		return true
	}
	if arg := f.TypeArgument(fn, name); arg != "" {
		return f.trivial(fn, arg, depth+1)
	}
	if m, ok := fn.File.Macros.Lookup(name, int(fn.View.Start)); ok && !m.FunctionLike && !m.Ambiguous {
		return f.trivial(fn, m.Body, depth+1)
	}
	if types := f.k.Prog.TypeNames(fn.File); types != nil {
		if means, ok := types.Lookup("", name); ok && means != name {
			return f.trivial(fn, means, depth+1)
		}
	}
	found, fine := 0, true
	for _, file := range f.k.Prog.Unit(fn.File).Files {
		for _, c := range file.Classes {
			if c.Name == name && c.Body != nil {
				found++
				fine = fine && f.trivialMembers(fn, file, c, depth)
			}
		}
	}
	return found == 1 && fine
}

// trivialMembers reports whether a class has data members alone, which need no constructor and have no initialiser.
func (f *Facts) trivialMembers(fn *ir.Func, file *parser.File, c *parser.Class, depth int) bool {
	if c.Node.Kind != parser.KindStructSpecifier || c.Node.Parent == nil || c.Node.Ancestor(parser.KindTemplateDeclaration) != nil {
		return false
	}
	for n := c.Node.First; n != nil; n = n.Next {
		if n.Kind == parser.KindBaseClassClause {
			return false
		}
	}
	for n := c.Body.FirstNamed(); n != nil; n = n.NextNamed() {
		if n.Kind == parser.KindComment {
			continue
		}
		t := n.Child(parser.FieldType)
		if n.Kind != parser.KindFieldDeclaration || t == nil || n.Child(parser.FieldDefaultValue) != nil {
			return false
		}
		for d := n.First; d != nil; d = d.Next {
			if d.Kind == parser.KindTypeQualifier || d.Field == parser.FieldDeclarator && d.Kind != parser.KindFieldIdentifier && d.Kind != parser.KindArrayDeclarator {
				return false
			}
		}
		if !f.trivial(fn, file.Text(t), depth+1) {
			return false
		}
	}
	return true
}
