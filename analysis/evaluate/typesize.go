package evaluate

import (
	"bytes"
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/parser"
)

// SizeOf returns the size of a type in bytes as CUDA lays it out, or 0 if it is not known. Beyond built-in types it follows macros,
// typedefs, the type arguments of the instance's launch, and structs of plain members.
func (f *Facts) SizeOf(fn *ir.Func, t ir.Type) int {
	n, _ := f.SizeAndAlignment(fn, t)
	return n
}

// typeLayout is the size of a type and what it is aligned to, in bytes.
type typeLayout struct{ size, align int }

// Alignment returns what a type is aligned to, in bytes, or 0 if it is not known.
func (f *Facts) Alignment(fn *ir.Func, t ir.Type) int {
	_, align := f.SizeAndAlignment(fn, t)
	return align
}

// SizeAndAlignment is SizeOf, and what the type is aligned to, in bytes.
func (f *Facts) SizeAndAlignment(fn *ir.Func, t ir.Type) (size, align int) {
	if t.Ptr > 0 {
		return 8, 8
	}
	return f.layout(fn, t.Base, 0)
}

// layout returns the size and the alignment of a type by name.
func (f *Facts) layout(fn *ir.Func, name string, depth int) (size, align int) {
	name = strings.TrimSpace(strings.TrimPrefix(strings.TrimPrefix(name, "const "), "struct "))
	if n := f.k.Prog.SizeOf(fn, ir.Type{Base: name}); n > 0 {
		return n, alignment(name, n)
	}
	if depth > analysis.MaxTypeDepth || name == "" {
		return 0, 0
	}
	if strings.HasSuffix(name, "*") {
		return 8, 8
	}
	if arg := f.TypeArgument(fn, name); arg != "" {
		return f.layout(fn, arg, depth+1)
	}
	if m, ok := fn.File.Macros.Lookup(name, int(fn.View.Start)); ok && !m.FunctionLike && !m.Ambiguous {
		return f.layout(fn, m.Body, depth+1)
	}
	if l, ok := f.types[name]; ok {
		return l.size, l.align
	}
	f.types[name] = typeLayout{}
	for _, file := range f.k.Prog.Unit(fn.File).Files {
		for _, n := range declaredTypes(&f.k.Prog.Memo, file)[name] {
			if size, align = f.typeNode(fn, file, n, depth); size > 0 {
				f.types[name] = typeLayout{size, align}
				return size, align
			}
		}
	}
	return 0, 0
}

// alignment is that of a type whose size is known. CUDA's vectors of three are
// aligned as their elements are; other sizes are taken for powers of two.
func alignment(name string, size int) int {
	if strings.HasSuffix(name, "3") && size%3 == 0 {
		return size / 3
	}
	a := size & -size
	return min(max(a, 1), 16)
}

// TypeArgument returns what the launch gives for a type parameter of the kernel.
func (f *Facts) TypeArgument(fn *ir.Func, name string) string {
	if fn == f.k.Func && f.in.Types[name] != "" {
		return f.in.Types[name]
	}
	if fn != f.k.Func || f.in.Launch == nil || f.k.Prog.Cache.HidesType(name) {
		return ""
	}
	for i, tp := range fn.TParams {
		if tp.Pack {
			return ""
		}
		if tp.Name == name && tp.Kind == ir.VarTemplateType {
			if _, typ, _ := TemplateArgument(f.k, f.in, i); typ != name {
				return typ
			}
		}
	}
	return ""
}

// declaredTypes returns the typedefs, aliases and structs at the namespace scopes of a file, by name, in
// their order: what a type is read from. The file is walked once for all names.
func declaredTypes(m *analysis.Memo, file *parser.File) map[string][]*parser.Node {
	type key struct{ file *parser.File }
	return analysis.Once(m, key{file}, func() map[string][]*parser.Node {
		found := map[string][]*parser.Node{}
		add := func(plain, name, means *parser.Node) {
			if name != nil && means != nil && (plain == nil || isPlain(file, plain)) {
				found[file.Text(name)] = append(found[file.Text(name)], means)
			}
		}
		var walk func(n *parser.Node)
		walk = func(n *parser.Node) {
			for k := n.First; k != nil; k = k.Next {
				switch k.Kind {
				case parser.KindTypeDefinition:
					add(k, k.Child(parser.FieldDeclarator), k.Child(parser.FieldType))
				case parser.KindAliasDeclaration:
					add(nil, k.Child(parser.FieldName), k.Child(parser.FieldType))
				case parser.KindStructSpecifier:
					add(k, k.Child(parser.FieldName), k)
				case parser.KindDeclaration:
					if t := k.Child(parser.FieldType); t != nil && t.Kind == parser.KindStructSpecifier {
						add(k, t.Child(parser.FieldName), t)
					}
				case parser.KindNamespaceDefinition, parser.KindLinkageSpecification:
					if b := k.Child(parser.FieldBody); b != nil {
						walk(b)
					}
				case parser.KindDeclarationList, parser.KindPreprocIfdef, parser.KindPreprocIf, parser.KindPreprocElse:
					walk(k)
				}
			}
		}
		walk(file.Root)
		return found
	})
}

// isPlain reports whether a declaration says nothing by which a type, or a member, is larger, smaller or
// aligned otherwise than what it is made of: alignas, __align__, attributes, the bits of a field.
func isPlain(file *parser.File, n *parser.Node) bool {
	after, _, _ := bytes.Cut(file.Src[n.End:], []byte{';'})
	for _, s := range []string{"alignas", "__align", "__attribute__", "__declspec", "[[", "__packed"} {
		if strings.Contains(file.Text(n), s) || bytes.Contains(after, []byte(s)) {
			return false
		}
	}
	plain := true
	n.Walk(func(k *parser.Node) bool { plain = plain && k.Kind != parser.KindBitfieldClause; return plain })
	return plain
}

// typeNode is the layout of a type that is written out: a struct's body, or a name.
func (f *Facts) typeNode(fn *ir.Func, file *parser.File, n *parser.Node, depth int) (size, align int) {
	if n == nil {
		return 0, 0
	}
	body := n.Child(parser.FieldBody)
	if n.Kind != parser.KindStructSpecifier || body == nil {
		return f.layout(fn, file.Text(n), depth+1)
	}
	if hasBases(n) {
		return 0, 0
	}
	size, align = 0, 1
	for k := body.FirstNamed(); k != nil; k = k.NextNamed() {
		if strings.HasPrefix(file.Text(k), "virtual ") {
			return 0, 0
		}
		if k.Kind == parser.KindComment || k.Kind == parser.KindFunctionDefinition || strings.HasPrefix(file.Text(k), "static ") {
			continue
		}
		t := k.Child(parser.FieldType)
		if k.Kind != parser.KindFieldDeclaration || t == nil || !isPlain(file, k) {
			return 0, 0
		}
		each, a := f.layout(fn, file.Text(t), depth+1)
		for d := k.First; d != nil; d = d.Next {
			if d.Field != parser.FieldDeclarator || d.Kind == parser.KindFunctionDeclarator && !pointsAt(d) {
				continue
			}
			b, ba := f.declaratorLayout(fn, file, d, each, a)
			if b == 0 {
				return 0, 0
			}
			size = (size+ba-1)/ba*ba + b
			align = max(align, ba)
		}
	}
	return (size + align - 1) / align * align, align
}

// hasBases reports whether a class has base classes.
func hasBases(n *parser.Node) bool {
	for k := n.FirstNamed(); k != nil; k = k.NextNamed() {
		if k.Kind == parser.KindBaseClassClause {
			return true
		}
	}
	return false
}

// pointsAt reports whether a function's declarator is that of a pointer, void (*f)(int).
func pointsAt(d *parser.Node) bool {
	inner := d.Child(parser.FieldDeclarator)
	return inner != nil && inner.Kind == parser.KindParenthesizedDeclarator
}

// declaratorLayout is the layout of what a declarator makes of a type: pointers to it, arrays of these.
func (f *Facts) declaratorLayout(fn *ir.Func, file *parser.File, d *parser.Node, size, align int) (int, int) {
	for d != nil {
		switch d.Kind {
		case parser.KindFieldIdentifier:
			return size, align
		case parser.KindPointerDeclarator, parser.KindReferenceDeclarator, parser.KindFunctionDeclarator:
			size, align = 8, 8
		case parser.KindArrayDeclarator:
			size *= f.arrayLength(file, d)
		case parser.KindParenthesizedDeclarator:
		default:
			return 0, 0
		}
		inner := d.Child(parser.FieldDeclarator)
		for k := d.FirstNamed(); inner == nil && k != nil; k = k.NextNamed() {
			if k.NextNamed() == nil { // of parentheses and references the last part
				inner = k
			}
		}
		d = inner
	}
	return 0, 0
}

// arrayLength folds the length of an array member, 0 if it is not known.
func (f *Facts) arrayLength(file *parser.File, d *parser.Node) int {
	s := d.Child(parser.FieldSize)
	if s == nil {
		return 0
	}
	text, err := file.Macros.Expand(file.Text(s), int(s.Start))
	if err != nil {
		return 0
	}
	frag, err := parser.ParseFragment(text, parser.FragmentExpression)
	if err != nil || len(frag.Nodes) != 1 || frag.Nodes[0].Kind != parser.KindNumberLiteral {
		return 0
	}
	n := 0
	for _, c := range strings.TrimSpace(text) {
		if c < '0' || c > '9' || n > 1<<20 {
			return 0
		}
		n = n*10 + int(c-'0')
	}
	return n
}
