package rewrite

import "github.com/smux-cuda/smux/analysis"

// UnsafeShrink makes every multiplexed region shorter than the analysis proved
// it must be: as if the liveness analysis were wrong. What comes out is a wrong
// program, which verify must tell from the original. Regions that would be left
// empty stay as they are.
type UnsafeShrink struct {
	Start, End int // how many statements are taken off each end
}

// shrink cuts the regions of all kernels.
func (u UnsafeShrink) shrink(kernels []*analysis.Kernel) {
	for _, k := range kernels {
		for _, r := range k.Regions {
			if len(r.Stmts) > u.Start+u.End {
				r.Stmts = r.Stmts[u.Start : len(r.Stmts)-u.End]
			}
		}
	}
}
