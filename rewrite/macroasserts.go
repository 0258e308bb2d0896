package rewrite

import (
	"fmt"
	"sort"
	"strconv"
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/parser"
)

// assumptions are static assertions for the macros that a build may override
// with -D (they stand under an #ifndef of their own name) and whose value the
// proof used: with another value the code must be rewritten anew, not run.
func assumptions(k *analysis.Kernel) []string {
	values := map[string]int64{}
	seen := map[string]bool{}
	var visit func(f *parser.File, word string, at int)
	visit = func(f *parser.File, word string, at int) {
		if seen[word] {
			return
		}
		seen[word] = true
		m, ok := f.Macros.Lookup(word, at)
		if !ok {
			return
		}
		if m.Overridable && !m.FunctionLike {
			if text, err := f.Macros.Expand(word, at); err == nil {
				if n, err := strconv.ParseInt(strings.Trim(text, "() "), 0, 64); err == nil {
					values[word] = n
				}
			}
		}
		for _, inner := range strings.FieldsFunc(m.Body, func(c rune) bool { return !isWordRune(c) }) {
			visit(f, inner, at)
		}
	}
	words := func(f *parser.File, n *parser.Node) {
		n.Walk(func(c *parser.Node) bool {
			if c.Kind == parser.KindIdentifier || c.Kind == parser.KindTypeIdentifier {
				visit(f, f.Text(c), int(c.Start))
			}
			return true
		})
	}
	for _, fn := range k.Functions {
		words(fn.File, fn.View.Node)
	}
	for _, l := range k.Launches {
		if l.View.Function == nil {
			continue
		}
		for _, name := range k.Prog.LaunchMacros(l.File, l.View.Function) {
			visit(l.File, name, l.View.Open)
		}
	}
	var out []string
	for name, n := range values {
		out = append(out, fmt.Sprintf("static_assert(%s == %d, \"smux rewrote this kernel for %s = %d\");", name, n, name, n))
	}
	sort.Strings(out)
	return out
}

func isWordRune(c rune) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}
