package hazards

import (
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/parser"
)

// wordReach are the names that a kernel's text leads to: its own words, those of the functions, classes, typedefs and
// variables that these name, and so on. An object of a class can only get into a kernel by a declaration that is
// reached so; all is set if unknown.
type wordReach struct {
	words map[string]bool
	all   bool
}

// declarationTexts indexes the declarations of a unit by the names that they declare;
// what a class holds counts as declared by it.
func declarationTexts(u *analysis.Unit) map[string][]string {
	if u.Texts != nil {
		return u.Texts
	}
	u.Texts = map[string][]string{}
	for _, f := range u.Files {
		for _, fn := range f.Functions {
			text := f.Text(fn.Outer)
			u.Texts[fn.Name] = append(u.Texts[fn.Name], text)
			if fn.Class != "" {
				u.Texts[fn.Class] = append(u.Texts[fn.Class], text)
			}
		}
		for _, c := range f.Classes {
			n := c.Node
			if n.Parent != nil && n.Parent.Kind == parser.KindTemplateDeclaration {
				n = n.Parent
			}
			u.Texts[c.Name] = append(u.Texts[c.Name], f.Text(n))
		}
		f.Root.Walk(func(n *parser.Node) bool {
			switch n.Kind {
			case parser.KindCompoundStatement:
				return false
			case parser.KindTypeDefinition, parser.KindAliasDeclaration, parser.KindDeclaration, parser.KindEnumSpecifier:
				addDeclared(u, f, n)
			}
			return true
		})
	}
	return u.Texts
}

// addDeclared indexes a declaration by the names of its declarators.
func addDeclared(u *analysis.Unit, f *parser.File, n *parser.Node) {
	text := f.Text(n)
	for d := n.First; d != nil; d = d.Next {
		if d.Field != parser.FieldDeclarator && d.Field != parser.FieldName {
			continue
		}
		for name := range d.All() {
			if name.Kind == parser.KindIdentifier || name.Kind == parser.KindTypeIdentifier {
				u.Texts[f.Text(name)] = append(u.Texts[f.Text(name)], text)
			}
		}
	}
}

// reach follows the words of a text.
func reach(k *analysis.Kernel, text string) *wordReach {
	u := k.Prog.Unit(k.File)
	r := &wordReach{words: map[string]bool{}}
	todo := []string{text}
	for len(todo) > 0 {
		text, todo = todo[len(todo)-1], todo[:len(todo)-1]
		for _, word := range parser.Words(text) {
			if r.words[word] {
				continue
			}
			r.words[word] = true
			todo = append(todo, declarationTexts(u)[word]...)
			for _, f := range u.Files {
				for _, m := range f.Macros.Named(word) {
					r.all = r.all || strings.Contains(m.Body, "##")
					todo = append(todo, m.Body)
				}
			}
		}
	}
	return r
}

// kernelReach returns what the kernel reaches, with the type arguments of its launches.
func kernelReach(k *analysis.Kernel) *wordReach {
	u := k.Prog.Unit(k.File)
	if !runsImplicitly(u) {
		return &wordReach{}
	}
	text, types := k.File.Text(k.View.Outer), 0
	for _, p := range k.View.Template {
		if p.IsType {
			types++
		}
	}
	given := types == 0
	for _, l := range k.Launches {
		a := l.View.TemplateArgs
		if types == 0 {
			break
		}
		host := l.View.Function
		given = a != nil && host != nil && !host.IsTemplate && namedChildren(a) >= len(k.View.Template)
		if !given {
			break
		}
		text += " " + l.File.Text(host.Outer) // its typedefs count
	}
	r := reach(k, text)
	if types > 0 && (!given || len(k.Launches) == 0) {
		r.all = true // the objects that a launch passes have types that are not followed
	}
	// An object turns into one of another class by that class's constructor.
	for changed := true; changed && !r.all; {
		changed = false
		for _, list := range u.ByName {
			for _, c := range list {
				if c.Fn.Class == "" || c.Fn.Name != c.Fn.Class || r.words[c.Fn.Class] || !c.Fn.IsTemplate && !takesReached(k, r, c) {
					continue
				}
				more := reach(k, c.Fn.Class)
				for word := range more.words {
					r.words[word] = true
				}
				r.all, changed = r.all || more.all, true
			}
		}
	}
	return r
}

// runsImplicitly reports whether a unit has any device code that can run without a call.
func runsImplicitly(u *analysis.Unit) bool {
	if len(u.Members) > 0 {
		return true
	}
	return slices.ContainsFunc(u.Files, func(f *parser.File) bool { return len(f.Classes) > 0 })
}

func namedChildren(n *parser.Node) (count int) {
	for c := n.FirstNamed(); c != nil; c = c.NextNamed() {
		count++
	}
	return count
}

// takesReached reports whether a parameter of a function may be of a class that is reached.
func takesReached(k *analysis.Kernel, r *wordReach, c analysis.FuncIn) bool {
	for _, q := range c.Fn.Params {
		for class := range parameterClasses(k, c, q) {
			if r.words[class] {
				return true
			}
		}
	}
	return false
}

// parameterClasses are the classes in view that a parameter's type names.
func parameterClasses(k *analysis.Kernel, c analysis.FuncIn, q parser.Param) map[string]bool {
	if q.Node == nil {
		return nil
	}
	type key struct {
		u    *analysis.Unit
		text string
	}
	u, text := k.Prog.Unit(k.File), c.File.Text(q.Node)
	return analysis.Once(&k.Prog.Memo, key{u, text}, func() map[string]bool { return classesNamed(u, text) })
}

// classesNamed follows the words of a text to classes in view.
func classesNamed(u *analysis.Unit, text string) map[string]bool {
	out, seen := map[string]bool{}, map[string]bool{}
	todo := []string{text}
	for len(todo) > 0 {
		text, todo = todo[len(todo)-1], todo[:len(todo)-1]
		for _, word := range parser.Words(text) {
			switch {
			case seen[word]:
			case u.ClassNames()[word]:
				out[word] = true
			default:
				todo = append(todo, declarationTexts(u)[word]...)
			}
			seen[word] = true
		}
	}
	return out
}

// mayRun reports whether a function that no call names can run in the kernel: a
// member of a class that is reached, or an operator all of whose classes are.
func mayRun(k *analysis.Kernel, r *wordReach, c analysis.FuncIn) bool {
	if r.all {
		return true
	}
	if c.Fn.Class != "" {
		return r.words[c.Fn.Class]
	}
	if c.Fn.IsTemplate || c.Fn.Node.Ancestor(parser.KindFieldDeclarationList) != nil {
		return true
	}
	for _, q := range c.Fn.Params {
		classes, reached := parameterClasses(k, c, q), false
		for class := range classes {
			reached = reached || r.words[class]
		}
		if len(classes) > 0 && !reached {
			return false
		}
	}
	return true
}

func findImplicitFunctions(k *analysis.Kernel, r *wordReach) {
	seen := map[*ir.Func]bool{}
	for _, fn := range slices.Concat(k.Functions, k.Implicit) {
		seen[fn] = true
	}
	var visit func(fn *ir.Func)
	visit = func(fn *ir.Func) {
		if seen[fn] {
			return
		}
		seen[fn] = true
		k.Implicit = append(k.Implicit, fn)
		for e := range fn.Body.AllExprs() {
			for _, c := range k.Callees(fn, e) {
				visit(c)
			}
		}
	}
	for _, c := range k.Prog.Unit(k.File).Members {
		if c.Fn.Error == nil && mayRun(k, r, c) {
			visit(k.Prog.Lower(c.File, c.Fn))
		}
	}
}
