package kit

import "github.com/smux-cuda/smux/analysis"

// UnsafeShrink makes every multiplexed region shorter than the analysis proved it must be: as if the liveness
// analysis were wrong. What comes out is a wrong program, which verify must tell from the original. Regions that
// would be left empty stay as they are.
type UnsafeShrink struct {
	Start, End int // how many statements are taken off each end
}

// Shrink returns the regions, cut.
func (u UnsafeShrink) Shrink(regions []*analysis.Region) []*analysis.Region {
	if u.Start+u.End == 0 {
		return regions
	}
	var out []*analysis.Region
	for _, r := range regions {
		short := *r
		if len(r.Stmts) > u.Start+u.End {
			short.Stmts = r.Stmts[u.Start : len(r.Stmts)-u.End]
		}
		out = append(out, &short)
	}
	return out
}
