package analysis

import (
	"github.com/smux-cuda/smux/parser"
)

// MacroWords returns, for the macros in view of a file, which of them hold
// which identifier in their body.
func (p *Program) MacroWords(f *parser.File) map[string][]*parser.Macro {
	if w := p.words[f]; w != nil {
		return w
	}
	w := map[string][]*parser.Macro{}
	for _, m := range f.Macros.All() {
		seen := map[string]bool{}
		for _, word := range parser.Words(m.Body) {
			if !seen[word] {
				seen[word] = true
				w[word] = append(w[word], m)
			}
		}
	}
	p.words[f] = w
	return w
}
