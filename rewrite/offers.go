package rewrite

import (
	"sort"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/parser"
)

// ProgramOffers says, for each kernel, what every rewriter and sync mode would
// make of it, with all that Run looks at: launches, declarations and namesakes
// too. kernels must be all kernels of the program; opt.Sync is not looked at.
func ProgramOffers(prog *analysis.Program, kernels []*analysis.Kernel, opt Options) map[*analysis.Kernel][]Offer {
	opt = opt.withDefaults()
	r := &run{
		prog: prog, opt: opt,
		editable: map[*parser.File]bool{}, words: map[*parser.File]map[string][]*parser.Macro{},
	}
	for _, f := range prog.Parsed.Files {
		r.editable[f] = true
	}
	for _, h := range prog.Parsed.Headers {
		r.headers = append(r.headers, h)
	}
	sort.Slice(r.headers, func(i, j int) bool { return r.headers[i].Name < r.headers[j].Name })
	r.findMentions(kernels)
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
