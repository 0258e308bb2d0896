package stage

import (
	"slices"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/lists"
	"github.com/smux-cuda/smux/rewrite/kit"
	"github.com/smux-cuda/smux/rewrite/variant"
)

// schemeCheck proves schemes.
type schemeCheck struct {
	schemes []string
	check   func(*analysis.Kernel, kit.Options) (kit.Proof, []diag.Message)
	named   bool // only where it is asked for
}

// lacks says which knob a scheme does not have that a variant sets, "" for none.
func (c schemeCheck) lacks(w kit.Variant) (why string) {
	switch tiles := slices.Contains(c.schemes, variant.SchemeLoop); {
	case w.Async && !tiles:
		return "nothing of this scheme is copied while a tile is used"
	case w.Vector > 1 && !tiles:
		return "nothing of this scheme is copied several elements at a time"
	case w.Pad != 0 && !tiles && !slices.Contains(c.schemes, variant.SchemePlanes) && !slices.Contains(c.schemes, variant.SchemeTranspose):
		return "the rows of this scheme's arrays have one length"
	}
	return ""
}

// schemeChecks prove the forms of stage, by the scheme that asks for each, in the order in which they are tried where
// nobody names one. Tiles of a loop and neighbourhoods are one proof, which takes what fits for each array.
var schemeChecks = []schemeCheck{
	{[]string{variant.SchemeLoop, variant.SchemeNeighbourhood}, checkStaging, false},
	{[]string{variant.SchemePlanes}, checkPlanes, false},
	{[]string{variant.SchemeTranspose}, checkTranspose, false},
	{[]string{variant.SchemeTable}, checkTable, false},
	{[]string{variant.SchemeResize}, checkResize, true},
}

// Check proves that arrays of global memory can be staged in shared memory, in the
// form that the options name or in the first that fits.
func Check(k *analysis.Kernel, opt kit.Options) (kit.Proof, []diag.Message) {
	p := &kit.Findings{Kernel: k, Variant: opt.Variant}
	if kit.AlreadyMultiplexed(k) || p.Says(mark) { // its own copies may be asynchronous, which is a hazard
		p.Refuse(k.File, k.View.Start, kit.CodeAlready, "smux has rewritten this kernel before")
		return nil, p.Reasons
	}
	if len(k.Hazards) > 0 {
		return nil, k.Hazards
	}
	even, why := checkEvened(k, opt, checkForms)
	if even != nil {
		return even, nil
	}
	proof, reasons := checkForms(k, opt)
	if proof == nil && why != nil {
		reasons = why // of the loops as they can be
	}
	return proof, reasons
}

// checkForms is Check of a kernel's text as it is.
func checkForms(k *analysis.Kernel, opt kit.Options) (kit.Proof, []diag.Message) {
	p := &kit.Findings{Kernel: k, Variant: opt.Variant}
	var reasons []diag.Message
	for _, c := range schemeChecks {
		if opt.Scheme == "" && c.named || opt.Scheme != "" && !slices.Contains(c.schemes, opt.Scheme) {
			continue
		}
		if why := c.lacks(opt.Variant); why != "" {
			if opt.Scheme != "" {
				p.Refuse(k.File, k.View.Start, CodeNoReuse, "%s", why)
				return nil, p.Reasons
			}
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
			reasons = lists.Add(reasons, why...)
		}
	}
	return nil, reasons
}
