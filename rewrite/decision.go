package rewrite

import (
	"fmt"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/lists"
	"github.com/smux-cuda/smux/rewrite/kit"
)

// decided returns the options for a group of kernels. aside is not nil for a group that is to be left alone, and says
// so of each kernel. Kernels of one group with different decisions are an error of the caller.
func (r *run) decided(group []*analysis.Kernel) (opt Options, aside []KernelResult, err error) {
	opt = r.opt
	first, ok := r.opt.Decisions[kit.Position(group[0])]
	for _, k := range group[1:] {
		d, also := r.opt.Decisions[kit.Position(k)]
		if also != ok || d.Variant != first.Variant {
			return opt, nil, fmt.Errorf("kernels named %s are rewritten together, but were decided on differently", k.Name)
		}
	}
	if !ok {
		return opt, nil, nil
	}
	if first.Rewriter != "" && rewriter(first.Rewriter) == nil {
		return opt, nil, fmt.Errorf("decision on %s: %w", group[0].Name, noRewriter(first.Rewriter))
	}
	if first.Rewriter != "" {
		opt.Variant = first.Variant
		return opt, nil, nil
	}
	aside = lists.Map(group, func(k *analysis.Kernel) KernelResult {
		return KernelResult{Name: k.Name, Pos: kit.Position(k), Refused: r.why(k)}
	})
	return opt, aside, nil
}

// why returns the messages on the decision on a kernel.
func (r *run) why(k *analysis.Kernel) []diag.Message {
	return append([]diag.Message(nil), r.opt.Decisions[kit.Position(k)].Why...)
}
