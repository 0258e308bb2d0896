package rewrite

import (
	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/diag"
)

// ProgramOffers says, for each kernel, what every rewriter and sync mode would
// make of it, with all that Run looks at: launches, declarations and namesakes
// too. kernels must be all kernels of the program; opt.Sync is not looked at.
func ProgramOffers(prog *analysis.Program, kernels []*analysis.Kernel, opt Options) map[*analysis.Kernel][]Offer {
	opt = opt.withDefaults()
	r := newRun(prog, kernels, opt)
	byName := map[string][]*analysis.Kernel{}
	for _, k := range kernels {
		byName[k.Name] = append(byName[k.Name], k)
	}
	out := map[*analysis.Kernel][]Offer{}
	for _, namesakes := range byName {
		for _, group := range r.related(namesakes) {
			for _, sync := range Syncs {
				_, reasons, ok := r.try(group, sync)
				for i, k := range group {
					o := Offer{Variant: opt.Variant, Sync: sync, Factor: opt.Factor, Can: ok}
					if !ok {
						o.Refused = append([]diag.Message{}, reasons[i]...)
					}
					out[k] = append(out[k], o)
				}
			}
		}
	}
	return out
}
