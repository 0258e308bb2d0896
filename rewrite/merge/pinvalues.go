package merge

import (
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/motion"
	"github.com/smux-cuda/smux/internal/lists"
	"github.com/smux-cuda/smux/rewrite/kit"
)

// pinnedInputs are the variables of which a turn reads values that are computed before it. A compiler moves
// arithmetic to where its result is used, into the turn; an empty asm that reads the values keeps it in front:
//
//	const float v = 2 * x + y;              const float v = 2 * x + y;
//	s[t] = v;                       -->     smux::pin(v);
//	                                        vtb.acquire();  // guards s
//	                                        s[t] = v;
//
// The asm has no instruction and changes nothing. It names no shared variable and no reference,
// so that nothing but the thread's own registers is looked at.
func (p *mergeProof) pinnedInputs(r *analysis.Region) (out []*ir.Var) {
	if !p.Pin {
		return nil
	}
	for _, v := range motion.Inputs(p.Kernel, r) {
		if _, macro := p.Kernel.File.Macros.Lookup(v.Name, p.acquiredAt(r)); !macro {
			out = append(out, v)
		}
	}
	return out
}

// acquiredAt is the offset in front of which a turn begins.
func (p *mergeProof) acquiredAt(r *analysis.Region) int {
	if b := p.before[r]; b != nil {
		return b.Outer.Start
	}
	return r.Start()
}

// pins reports whether anything is pinned in front of a turn where that is asked for.
func (t turn) pins() bool {
	return len(t.inputs) > 0 || t.first.Last != nil || slices.ContainsFunc(t.moves, kit.LoadMove.Computes)
}

// pinValues is the line that pins the inputs of a turn, what is computed from loads that were
// taken out of it, and what else is computed first; none where there is nothing to pin.
func (p *merger) pinValues(t turn, taken []kit.EarlyLoad, computed []string) []string {
	if !p.Pin {
		return nil
	}
	names := lists.Map(t.inputs, func(v *ir.Var) string { return v.Name })
	for _, s := range taken {
		if s.Computes {
			names = append(names, s.Name)
		}
	}
	names = append(names, computed...)
	if len(names) == 0 {
		return nil
	}
	return []string{"smux::pin(" + strings.Join(names, ", ") + ");"}
}
