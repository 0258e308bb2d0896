package analysis

import (
	"strings"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/parser"
)

// Alone reports whether no other kernel of the program reaches a function in
// reach of k, as far as names tell: what changes in it then concerns k alone.
// Members and operators count as reached by others, since they are called without
// their name.
func (k *Kernel) Alone(fn *ir.Func) bool {
	if fn == k.Func {
		return true
	}
	if fn.View.Class != "" || strings.HasPrefix(fn.View.Name, "operator") {
		return false
	}
	return !k.Prog.namedByOthers(k.View)[fn.View.Name]
}

// namedByOthers are the names that kernels other than one mention, in their own
// text or in that of what they mention.
func (p *Program) namedByOthers(kernel *parser.Function) map[string]bool {
	if p.others[kernel] != nil {
		return p.others[kernel]
	}
	if p.mentioned == nil {
		p.mentioned = map[string]map[string]bool{}
		p.indexMentions()
	}
	seen := map[string]bool{}
	var visit func(names map[string]bool)
	visit = func(names map[string]bool) {
		for name := range names {
			if !seen[name] {
				seen[name] = true
				visit(p.mentioned[name])
			}
		}
	}
	for _, f := range p.allFiles() {
		for _, fn := range f.Functions {
			if fn.IsKernel() && fn.Body != nil && fn != kernel {
				visit(namesIn(f, fn.Node))
			}
		}
	}
	if p.others == nil {
		p.others = map[*parser.Function]map[string]bool{}
	}
	p.others[kernel] = seen
	return seen
}

// indexMentions notes which names the functions and macros of a name mention.
func (p *Program) indexMentions() {
	add := func(name, mentioned string) {
		if p.mentioned[name] == nil {
			p.mentioned[name] = map[string]bool{}
		}
		p.mentioned[name][mentioned] = true
	}
	for _, f := range p.allFiles() {
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
}

func (p *Program) allFiles() []*parser.File {
	files := append([]*parser.File{}, p.Parsed.Files...)
	for _, h := range p.Parsed.Headers {
		files = append(files, h)
	}
	return files
}

// namesIn are all names in a stretch of the tree.
func namesIn(f *parser.File, n *parser.Node) map[string]bool {
	names := map[string]bool{}
	n.Walk(func(c *parser.Node) bool {
		switch c.Kind {
		case parser.KindIdentifier, parser.KindFieldIdentifier, parser.KindTypeIdentifier:
			names[f.Text(c)] = true
		}
		return true
	})
	return names
}
