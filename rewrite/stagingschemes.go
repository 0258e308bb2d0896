package rewrite

import (
	"slices"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/rewrite/variant"
)

// stagingChecks prove the forms of stage, by the scheme that asks for each, in the order in
// which they are tried where nobody names one. Tiles of a loop and neighbourhoods are one
// proof, which takes what fits for each array.
var stagingChecks = []struct {
	schemes []string
	check   func(*analysis.Kernel, Options) (Proof, []diag.Message)
	named   bool // only where it is asked for
}{
	{[]string{variant.SchemeLoop, variant.SchemeNeighbourhood}, checkStaging, false},
	{[]string{variant.SchemeTranspose}, checkTranspose, false},
	{[]string{variant.SchemeTable}, checkTable, false},
	{[]string{variant.SchemeResize}, checkResize, true},
}

// checkSchemes proves that arrays of global memory can be staged in shared memory, in the
// form that the options name or in the first that fits.
func checkSchemes(k *analysis.Kernel, opt Options) (Proof, []diag.Message) {
	p := &findings{Kernel: k, Variant: opt.Variant}
	if len(k.Hazards) > 0 {
		return nil, k.Hazards
	}
	if alreadyMultiplexed(k) || p.says(stagingMark) {
		p.refuse(k.File, k.View.Start, CodeAlready, "smux has rewritten this kernel before")
		return nil, p.reasons
	}
	var reasons []diag.Message
	for _, c := range stagingChecks {
		if opt.Scheme == "" && c.named || opt.Scheme != "" && !slices.Contains(c.schemes, opt.Scheme) || opt.Async && !slices.Contains(c.schemes, variant.SchemeLoop) {
			continue
		}
		proof, why := c.check(k, opt)
		if proof != nil {
			return proof, nil
		}
		// That an array has no use of another form is no news where it has one of this.
		nothing := !slices.ContainsFunc(why, func(m diag.Message) bool { return m.Code != CodeNoReuse })
		switch {
		case reasons == nil:
			reasons = why
		case nothing:
		case !slices.ContainsFunc(reasons, func(m diag.Message) bool { return m.Code != CodeNoReuse }):
			reasons = why
		default:
			for _, m := range why {
				if !slices.Contains(reasons, m) {
					reasons = append(reasons, m)
				}
			}
		}
	}
	return nil, reasons
}
