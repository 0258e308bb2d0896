package rewrite

import (
	"fmt"
	"maps"
	"slices"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/summary"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/lists"
	"github.com/smux-cuda/smux/rewrite/kit"
)

// runSteps rewrites a program in which some kernel gets a variant of several steps, those that the
// rewriters are named for all at once. A kernel that refuses one of its steps is left alone. It returns nil where each variant is of one step.
func runSteps(prog *analysis.Program, opt Options) (*Chain, error) {
	opt = opt.WithDefaults()
	several := len(opt.Variant.Steps()) > 1
	for _, d := range opt.Decisions {
		several = several || len(d.Variant.Steps()) > 1
	}
	if !several {
		return nil, nil
	}
	wanted := map[diag.Position]Decision{}
	for _, k := range prog.Kernels() {
		d, decided := opt.Decisions[summary.Position(k)]
		switch {
		case !Matches(opt.Kernels, k.Name):
			continue
		case !decided:
			d = Decision{Variant: opt.Variant}
		}
		wanted[summary.Position(k)] = d
	}
	refused := map[diag.Position][]diag.Message{}
	for {
		c, late, err := allSteps(prog, opt, wanted, refused)
		if err != nil || len(late) == 0 {
			return c, err
		}
		maps.Copy(refused, late)
	}
}

// allSteps makes each step of all kernels but those that were refused before. late are the
// kernels that refuse a step after one was made, and why.
func allSteps(prog *analysis.Program, opt Options, wanted map[diag.Position]Decision, refused map[diag.Position][]diag.Message) (c *Chain, late map[diag.Position][]diag.Message, err error) {
	c = NewChain(prog)
	late = map[diag.Position][]diag.Message{}
	stopped := map[diag.Position]bool{}
	begun := map[diag.Position]bool{}
	first, last := 0, 0 // steps before and after the main one
	for _, d := range wanted {
		first, last = min(first, -d.Variant.Main()), max(last, len(d.Variant.Steps())-1-d.Variant.Main())
	}
	for step := first; step <= last; step++ {
		opt.Decisions = map[diag.Position]Decision{}
		for at, d := range wanted {
			steps := d.Variant.Steps()
			if why, out := refused[at]; out {
				d, steps = Decision{Why: slices.Concat(d.Why, why)}, []Variant{{}}
			}
			i := step + d.Variant.Main()
			if i < 0 || i >= len(steps) || stopped[at] {
				continue
			}
			next := Decision{Variant: steps[i]}
			if !begun[at] {
				next.Why = d.Why
			}
			opt.Decisions[at] = next
		}
		if len(opt.Decisions) == 0 {
			continue
		}
		results, err := RewriteIn(c, opt)
		if err != nil {
			return nil, nil, err
		}
		for _, k := range results {
			d, asked := opt.Decisions[k.Pos]
			switch {
			case !asked || d.Rewriter == "":
			case k.Rewriter != "":
				begun[k.Pos] = true
			case begun[k.Pos]:
				late[k.Pos] = k.Refused
			default:
				stopped[k.Pos] = true
			}
		}
	}
	return c, late, nil
}

// afterStep is a program in which a step was made for a group of kernels.
type afterStep struct {
	chain   *Chain
	run     *run
	kernels []*analysis.Kernel
	reasons [][]diag.Message // against the step; then there is no more than these
	err     error
}

// trySteps is try for a variant of several steps.
func (r *run) trySteps(group []*analysis.Kernel, opt Options, steps []Variant) ([][]diag.Message, bool) {
	first := opt
	first.Variant, first.WrittenOut = steps[0], true
	a := r.after(group, first)
	switch {
	case a.err != nil:
		reasons := lists.Map(group, func(k *analysis.Kernel) []diag.Message {
			return []diag.Message{{Pos: kit.Position(k), Code: analysis.CodeInternal, Text: a.err.Error()}}
		})
		return reasons, false
	case a.reasons != nil:
		return a.reasons, false
	}
	var reasons [][]diag.Message
	var ok bool
	if len(steps) > 2 {
		reasons, ok = a.run.trySteps(a.kernels, opt, steps[1:])
	} else {
		rest := opt
		rest.Variant = steps[1]
		_, reasons, ok = a.run.try(a.kernels, rest)
	}
	for i := range reasons {
		reasons[i] = a.chain.Messages(reasons[i])
	}
	return reasons, ok
}

// after makes a step for a group of kernels, once.
func (r *run) after(group []*analysis.Kernel, opt Options) *afterStep {
	key := stepOf{group[0], opt.Variant}
	if a := r.steps[key]; a != nil {
		return a
	}
	a := &afterStep{chain: NewChain(r.Prog)}
	if r.steps == nil {
		r.steps = map[stepOf]*afterStep{}
	}
	r.steps[key] = a
	if _, reasons, ok := r.try(group, opt); !ok {
		a.reasons = reasons
		return a
	}
	opt.Decisions = map[diag.Position]Decision{}
	for _, k := range group {
		opt.Decisions[kit.Position(k)] = Decision{Variant: opt.Variant}
	}
	results, err := RewriteIn(a.chain, opt)
	for _, k := range results {
		if _, asked := opt.Decisions[k.Pos]; asked && k.Rewriter == "" && err == nil {
			err = fmt.Errorf("%s of %s can be proved, and was not made", opt.Variant, k.Name)
		}
	}
	if err == nil {
		a.kernels, err = a.chain.KernelsNow(group)
	}
	if a.err = err; err == nil {
		a.run = newRun(a.kernels[0].Prog, r.opt)
	}
	return a
}

// stepOf is the first step of the variants of a group of kernels.
type stepOf struct {
	first *analysis.Kernel
	Variant
}

// Offers says which variants a group of kernels of the program at the start allows, as the steps have left them.
func Offers(c *Chain, g Group, ways []Variant) ([]CheckedVariant, error) {
	kernels, err := c.KernelsNow(g.Kernels)
	if err != nil {
		return nil, err
	}
	prog := kernels[0].Prog
	r := newRun(prog, Options{}.WithDefaults())
	var out []CheckedVariant
	for _, w := range ways {
		_, reasons, ok := r.try(kernels, Options{Variant: w}.WithDefaults())
		o := CheckedVariant{Variant: w, Can: ok}
		for _, why := range reasons {
			o.Refused = mergeReasons(o.Refused, c.Messages(why))
		}
		out = append(out, o)
	}
	return out, nil
}

// RewriteIn makes a step of a chain: the kernels that opt.Decisions name are rewritten, by their places at the start,
// and all others left alone; opt.Variant says nothing. A variant of several rewrites (Variant.Steps) says nothing
// here either, see RunAnalysed. It returns what became of the kernels in this step.
func RewriteIn(c *Chain, opt Options) ([]KernelResult, error) {
	now, err := c.Now()
	if err != nil {
		return nil, err
	}
	decisions := map[diag.Position]Decision{}
	for _, f := range now.Parsed.Files {
		for _, fn := range kit.KernelsOf(f) {
			at := f.Position(kit.NameOffset(fn))
			decisions[at] = Decision{Variant: opt.Decisions[c.Place(at)].Variant}
		}
	}
	why := opt.Decisions
	opt.Decisions, opt.Then = decisions, nil
	step, err := runOnce(now, opt)
	if err != nil {
		return nil, err
	}
	kernels := c.Located(step.Kernels)
	for i := range kernels {
		k := &kernels[i]
		switch d := why[k.Pos]; {
		case d.Rewriter == "":
			k.Refused = slices.Concat(d.Why, k.Refused)
		case k.Rewriter != "":
			k.Notes = slices.Concat(d.Why, k.Notes)
		}
	}
	return kernels, c.Take(step.Files, kernels)
}

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
