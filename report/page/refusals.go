package page

import (
	"cmp"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/lists"
	"github.com/smux-cuda/smux/report"
)

// reason is something against a kernel's rewrite.
type reason struct {
	diag.Message
	Line    string // of the source, "" where it is not at hand
	Against string // the rewrites that it is against, "" where it decided
}

// newReasons returns why a kernel was left alone, then what is against single rewrites, each once.
func newReasons(s report.Kernel, t texts) (deciding, partly []reason) {
	ways := map[diag.Message][]string{}
	decided := map[diag.Message]bool{}
	var order []diag.Message
	see := func(m diag.Message) {
		if ways[m] == nil && !decided[m] {
			order = append(order, m)
		}
	}
	if s.Result != nil {
		for _, m := range s.Result.Refused {
			m.Help = ""
			see(m)
			decided[m] = true
		}
	}
	for _, o := range s.Offers {
		for _, m := range o.Refused {
			m.Help = ""
			see(m)
			if name := o.Variant.String(); !slices.Contains(ways[m], name) {
				ways[m] = append(ways[m], name)
			}
		}
	}
	for _, m := range order {
		r := reason{Message: m, Line: t.line(m.Pos)}
		r.Help = diag.Help(m.Code)
		if decided[m] {
			deciding = append(deciding, r)
			continue
		}
		r.Against = strings.Join(ways[m], ", ")
		partly = append(partly, r)
	}
	return deciding, partly
}

// codeGroup holds the kernels that a code concerns.
type codeGroup struct {
	diag.Doc
	Decided []place // kernels that are left alone for it
	Partly  []place // kernels for which it is against some rewrites only
}

// place is a place where a kernel has it.
type place struct {
	*kernel
	At diag.Position
}

// groupByCode lists the codes of all reasons, the one that keeps most kernels from being rewritten first.
func groupByCode(kernels []*kernel) []*codeGroup {
	var out []*codeGroup
	groups := map[diag.Code]*codeGroup{}
	for _, k := range kernels {
		seen := map[diag.Code]bool{}
		for _, r := range slices.Concat(k.Decided, k.Partly) {
			if seen[r.Code] {
				continue
			}
			seen[r.Code] = true
			g := groups[r.Code]
			if g == nil {
				g = &codeGroup{Doc: diag.Doc{Code: r.Code}}
				if d, ok := diag.Lookup(r.Code); ok {
					g.Doc = d
				}
				groups[r.Code] = g
				out = append(out, g)
			}
			if r.Against == "" {
				g.Decided = append(g.Decided, place{k, r.Pos})
			} else {
				g.Partly = append(g.Partly, place{k, r.Pos})
			}
		}
	}
	slices.SortStableFunc(out, func(a, b *codeGroup) int {
		return cmp.Or(cmp.Compare(len(b.Decided), len(a.Decided)), cmp.Compare(len(b.Partly), len(a.Partly)), strings.Compare(string(a.Code), string(b.Code)))
	})
	return out
}

// Paragraphs returns those of the documentation.
func (g *codeGroup) Paragraphs() []string {
	return lists.Filter(strings.Split(strings.TrimSpace(g.Text), "\n\n"), func(p string) bool { return p != "" })
}
