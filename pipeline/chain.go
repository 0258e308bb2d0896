package pipeline

import (
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/rewrite"
)

// thenReduce looks for recipes for the kernels of the program as opt rewrites it: opt
// follows them from here on, first as before, then the registers.
func (j *Job) thenReduce(opt *rewrite.Options, wants *Preferences, r Reduction) error {
	result, err := j.Apply(*opt)
	if err != nil {
		return err
	}
	chain := rewrite.NewChain(j.Analysed())
	if err := chain.Add(result); err != nil {
		return diag.Failed("rewriting", err)
	}
	now, err := chain.Now()
	if err != nil {
		return &diag.Failure{Exit: diag.ExitInternal, Err: err}
	}
	middle := *j
	middle.Program, middle.analysed, middle.place = now.Parsed, now, chain.Place
	middle.Options = rewrite.Options{Kernels: opt.Kernels, Runtime: opt.Runtime}
	decisions, err := middle.reduce(r)
	if err != nil {
		return err
	}
	opt.Then = map[diag.Position]rewrite.Decision{}
	for at, d := range decisions {
		for i := range d.Why {
			d.Why[i].Pos = chain.Place(d.Why[i].Pos)
		}
		opt.Then[chain.Place(at)] = d
	}
	wants.leaveOut(opt.Then, opt.Rewriter != "")
	return nil
}

// Apply rewrites the program as opt asks.
func (j *Job) Apply(opt rewrite.Options) (*rewrite.Result, error) {
	result, err := j.Rewrite(j.Analysed(), opt)
	if err != nil {
		return nil, diag.Failed("rewriting", err)
	}
	return result, nil
}
