package report

import (
	"slices"
	"strings"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/report/finding"
	"github.com/smux-cuda/smux/rewrite"
)

// refusals returns why a kernel with shared memory can't be rewritten at all. Where some
// rewrite is available there is no reason to tell why another isn't.
func (p speaker) refusals(k Kernel) []finding.Finding {
	if len(k.Shared) == 0 || rewrite.CanGain(k.Offers) {
		return nil
	}
	var out []finding.Finding
	for _, r := range reasonsOf(k) {
		m := r.Message
		if len(r.against) > 0 {
			m.Text += " (stands against " + strings.Join(r.against, ", ") + ")"
		}
		out = append(out, p.about(k, m, finding.Note))
	}
	return capped(out)
}

// reason is one thing against a kernel, with the rewriters that it stops.
type reason struct {
	diag.Message
	against []string
}

// reasonsOf returns what the preferred rewriter has against a kernel, each once, with
// what else it stops; what only others have against it would not help to know. A kernel
// that is rewritten already has none.
func reasonsOf(k Kernel) []reason {
	var out []reason
	find := func(m diag.Message) *reason {
		for i := range out {
			if out[i].Code == m.Code && out[i].Pos == m.Pos {
				return &out[i]
			}
		}
		return nil
	}
	for _, m := range k.Hazards {
		if find(m) == nil {
			out = append(out, reason{Message: m})
		}
	}
	for _, o := range k.Offers {
		if !o.Merges() {
			continue
		}
		for _, m := range o.Refused {
			if m.Code == rewrite.CodeAlready {
				return nil
			}
			r := find(m)
			if r == nil {
				if o.Rewriter != rewrite.Rewriters[0].Name {
					continue
				}
				out = append(out, reason{Message: m})
				r = &out[len(out)-1]
			}
			if !slices.Contains(r.against, o.Rewriter) {
				r.against = append(r.against, o.Rewriter)
			}
		}
	}
	return out
}
