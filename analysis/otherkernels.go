package analysis

import (
	"maps"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/parser"
)

// Alone reports whether no other kernel of the program reaches a function in reach of k, as far as names tell: what
// changes in it then concerns k alone. Members and operators count as reached by others, since they are called
// without their name.
func (k *Kernel) Alone(fn *ir.Func) bool {
	if fn == k.Func {
		return true
	}
	if fn.View.Class != "" || strings.HasPrefix(fn.View.Name, "operator") {
		return false
	}
	return !k.Prog.namedByOthers(k.View)[fn.View.Name]
}

// namedByOthers are the names that kernels other than one mention, in their own text or in that of what they mention.
func (p *Program) namedByOthers(kernel *parser.Function) map[string]bool {
	type key struct{ kernel *parser.Function }
	return Once(&p.Memo, key{kernel}, func() map[string]bool { return p.findNamedByOthers(kernel) })
}

func (p *Program) findNamedByOthers(kernel *parser.Function) map[string]bool {
	type key struct{}
	mentioned := Once(&p.Memo, key{}, func() map[string]map[string]bool { return mentionedBy(p) })
	seen := map[string]bool{}
	var visit func(names map[string]bool)
	visit = func(names map[string]bool) {
		for name := range names {
			if !seen[name] {
				seen[name] = true
				visit(mentioned[name])
			}
		}
	}
	for _, f := range p.AllFiles() {
		for _, fn := range f.Functions {
			if fn.IsKernel() && fn.Body != nil && fn != kernel {
				visit(namesIn(f, fn.Node))
			}
		}
	}
	return seen
}

// mentionedBy are the names that the functions and macros of a name mention.
func mentionedBy(p *Program) map[string]map[string]bool {
	out := map[string]map[string]bool{}
	add := func(name, mentioned string) {
		if out[name] == nil {
			out[name] = map[string]bool{}
		}
		out[name][mentioned] = true
	}
	for _, f := range p.AllFiles() {
		for _, fn := range f.Functions {
			if fn.Body == nil || fn.IsKernel() {
				continue
			}
			for name := range namesIn(f, fn.Node) {
				add(fn.Name, name)
				if fn.Class != "" {
					add(fn.Class, name) // its constructors and operators run without a name
				}
			}
		}
		for word, macros := range p.MacroWords(f) {
			for _, m := range macros {
				add(m.Name, word)
			}
		}
	}
	return out
}

// AllFiles are the program's files in their order, then the headers by name.
func (p *Program) AllFiles() []*parser.File {
	files := slices.Clone(p.Parsed.Files)
	for _, name := range slices.Sorted(maps.Keys(p.Parsed.Headers)) {
		files = append(files, p.Parsed.Headers[name])
	}
	return files
}

// namesIn are all names in a stretch of the tree.
func namesIn(f *parser.File, n *parser.Node) map[string]bool {
	names := map[string]bool{}
	for c := range n.All() {
		switch c.Kind {
		case parser.KindIdentifier, parser.KindFieldIdentifier, parser.KindTypeIdentifier:
			names[f.Text(c)] = true
		}
	}
	return names
}
