package harness

import (
	"regexp"
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
	for n := range fn.Body.All() {
		if n.Kind == parser.KindDeclaration || n.Kind == parser.KindParameterDeclaration {
			for d := n.First; d != nil; d = d.Next {
				if d.Field == parser.FieldDeclarator {
					note(n, d)
				}
			}
		}
	}
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

// namesOf returns the names under which a kernel is to be run: with the template arguments of its visible instances.
func NamesOf(prog *parser.Program, f *parser.File, fn *parser.Function, kernels []string) (out []string) {
	qualified := (&Definition{f, fn}).qualified()
	if len(kernels) > 0 {
		for _, k := range kernels {
			plain, arguments, _ := strings.Cut(k, "<")
			if strings.TrimSpace(plain) != fn.Name && strings.TrimSpace(plain) != qualified {
				continue
			}
			if arguments != "" || !fn.IsTemplate {
				out = append(out, k)
			}
		}
		if len(out) > 0 || !slices.Contains(PlainNames(kernels), fn.Name) {
			return out
		}
	}
	if !fn.IsTemplate {
		return []string{qualified}
	}
	add := func(arguments string) {
		if name := qualified + arguments; arguments != "" && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	files := slices.Concat(prog.Files, HeadersOf(prog))
	for _, file := range files {
		for _, l := range file.Launches {
			if l.Kernel == fn.Name && l.TemplateArgs == nil {
				add(deducedArguments(file, l, f, fn))
			}
		}
	}
	for _, list := range instancesOf(files, fn.Name, 0) {
		add("<" + strings.Join(list, ", ") + ">")
	}
	return out
}

// mostAround is the number of templates around each other whose instances are looked for.
const mostAround = 3

// instancesOf returns the lists of template arguments with which expressions name a function. What such a list has of the template around it is
// replaced by that one's arguments; one that names a variable of the function around it is left out.
func instancesOf(files []*parser.File, name string, around int) (out [][]string) {
	for _, file := range files {
		for n := range file.Root.All() {
			if args := n.Child(parser.FieldArguments); args != nil && (n.Kind == parser.KindTemplateFunction || n.Kind == parser.KindTemplateType) && file.Text(n.Child(parser.FieldName)) == name {
				var list []string
				for a := args.FirstNamed(); a != nil; a = a.NextNamed() {
					list = append(list, strings.Join(strings.Fields(file.Text(a)), " "))
				}
				out = append(out, concrete(files, file, args, list, around)...)
			}
		}
	}
	return out
}

// concrete returns what a list of template arguments is in an instance of the functions around it.
func concrete(files []*parser.File, file *parser.File, at *parser.Node, list []string, around int) [][]string {
	has := func(name string) bool {
		return slices.ContainsFunc(list, func(a string) bool { return HasWord(a, name) })
	}
	for _, fn := range file.Functions {
		if fn.Body == nil || int(at.Start) < fn.Start || at.End > fn.Body.End {
			continue
		}
		local := false
		for n := range at.All() {
			if n.Kind == parser.KindIdentifier || n.Kind == parser.KindTypeIdentifier {
				_, variable := variableOf(file, fn, file.Text(n))
				local = local || variable
			}
		}
		switch {
		case local:
			return nil
		case !slices.ContainsFunc(fn.Template, func(t parser.TemplateParam) bool { return has(t.Name) }):
		case around < mostAround:
			outer := instancesOf(files, fn.Name, around+1)
			if len(outer) == 0 {
				return nil
			}
			for i, t := range fn.Template[:min(len(outer[0]), len(fn.Template))] { // one of them is enough
				for k := range list {
					list[k] = regexp.MustCompile(`\b`+t.Name+`\b`).ReplaceAllLiteralString(list[k], outer[0][i])
				}
			}
			return [][]string{list}
		default:
			return nil
		}
	}
	return [][]string{list}
}
