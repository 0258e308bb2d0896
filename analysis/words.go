package analysis

import (
	"slices"
	"strings"

	"github.com/smux-cuda/smux/parser"
)

// MacroWords returns, for the macros in view of a file, which of them hold which identifier in their body.
// Those that make names have the word ##.
func (p *Program) MacroWords(f *parser.File) map[string][]*parser.Macro {
	type key struct{ f *parser.File }
	return Once(&p.Memo, key{f}, func() map[string][]*parser.Macro {
		w := map[string][]*parser.Macro{}
		for _, m := range f.Macros.All() {
			words := parser.Words(m.Body)
			if strings.Contains(m.Body, "##") {
				words = append(words, "##")
			}
			slices.Sort(words)
			for _, word := range slices.Compact(words) {
				w[word] = append(w[word], m)
			}
		}
		return w
	})
}
