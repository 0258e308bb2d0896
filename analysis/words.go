package analysis

import (
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis/ir"
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
		for _, word := range strings.FieldsFunc(m.Body, notInName) {
			if !seen[word] {
				seen[word] = true
				w[word] = append(w[word], m)
			}
		}
	}
	p.words[f] = w
	return w
}

// LaunchMacros returns the macros that the configurations of a host function's
// launches depend on: words that a macro in view of its file defines somewhere.
func (p *Program) LaunchMacros(f *parser.File, host *parser.Function) []string {
	if known, ok := p.settings[host]; ok {
		return known
	}
	var out []string
	for name := range ir.LaunchNames(f, host) {
		if len(p.macrosNamed(f, name)) > 0 {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	if p.settings == nil {
		p.settings = map[*parser.Function][]string{}
	}
	p.settings[host] = out
	return out
}

func notInName(c rune) bool {
	return c != '_' && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9')
}
