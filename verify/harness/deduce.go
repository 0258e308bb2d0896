package harness

import (
	"slices"
	"strings"

	"github.com/smux-cuda/smux/parser"
)

// deducedArguments returns the template arguments that a launch leaves to its arguments, as "<float>";
// "" where they don't follow from variables that the launching function declares, each once, with a
// type that is written out. All parameters of the template must be types.
func deducedArguments(file *parser.File, l *parser.Launch, kernelFile *parser.File, kernel *parser.Function) string {
	if l.Function == nil || l.Function.Body == nil || l.Args == nil || l.Error != nil || l.Call != "" {
		return ""
	}
	var given []*parser.Node
	for n := l.Args.FirstNamed(); n != nil; n = n.NextNamed() {
		if n.Kind != parser.KindComment {
			given = append(given, n)
		}
	}
	var out []string
	for _, tp := range kernel.Template {
		if !tp.IsType || tp.Pack {
			return ""
		}
		found := ""
		for i, p := range kernel.Params {
			of, ok := declared(kernelFile, p.Node, p.Node.Child(parser.FieldDeclarator))
			if !ok || of.name != tp.Name || i >= len(given) || given[i].Kind != parser.KindIdentifier {
				continue
			}
			is, ok := variableOf(file, l.Function, file.Text(given[i]))
			if !ok || is.stars != of.stars || is.stars > 0 && is.constant && !of.constant || found != "" && found != is.name || slices.ContainsFunc(l.Function.Template, func(t parser.TemplateParam) bool { return t.Name == is.name }) {
				return ""
			}
			found = is.name
		}
		if found == "" {
			return ""
		}
		out = append(out, found)
	}
	return "<" + strings.Join(out, ", ") + ">"
}

// declaredType is the type of a variable: stars pointers to name.
type declaredType struct {
	name     string
	stars    int
	constant bool // what stands before the first star
}

// variableOf finds the only parameter or variable of a name that a function declares.
func variableOf(file *parser.File, fn *parser.Function, name string) (out declaredType, ok bool) {
	times := 0
	note := func(declaration, declarator *parser.Node) {
		if declaredIn(file, declarator) != name {
			return
		}
		times++
		out, ok = declared(file, declaration, declarator)
	}
	for _, p := range fn.Params {
		note(p.Node, p.Node.Child(parser.FieldDeclarator))
	}
	fn.Body.Walk(func(n *parser.Node) bool {
		if n.Kind == parser.KindDeclaration || n.Kind == parser.KindParameterDeclaration {
			for d := n.First; d != nil; d = d.Next {
				if d.Field == parser.FieldDeclarator {
					note(n, d)
				}
			}
		}
		return true
	})
	return out, ok && times == 1
}

// declaredIn returns the name that a declarator declares, "" for one of another kind.
func declaredIn(file *parser.File, d *parser.Node) string {
	for d != nil && d.Kind != parser.KindIdentifier {
		d = d.Child(parser.FieldDeclarator)
	}
	if d == nil {
		return ""
	}
	return file.Text(d)
}

// declared reads the type of a declaration; ok is false for more than a name with stars, for a type
// that is deduced and for a reference.
func declared(file *parser.File, declaration, d *parser.Node) (out declaredType, ok bool) {
	typ := declaration.Child(parser.FieldType)
	if typ == nil || d == nil {
		return out, false
	}
	out.name = strings.Join(strings.Fields(file.Text(typ)), " ")
	for n := declaration.First; n != nil && n != d; n = n.Next {
		out.constant = out.constant || n.Kind == parser.KindTypeQualifier && file.Text(n) == "const"
	}
	for ; d != nil && d.Kind != parser.KindIdentifier; d = d.Child(parser.FieldDeclarator) {
		switch d.Kind {
		case parser.KindPointerDeclarator, parser.KindArrayDeclarator:
			out.stars++
		case parser.KindInitDeclarator:
		default:
			return out, false
		}
	}
	return out, d != nil && out.name != "auto" && !strings.ContainsAny(out.name, "{(")
}
