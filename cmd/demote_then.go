package cmd

import (
	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite"
)

// thenDemote looks for recipes for the kernels of a program as opt rewrites it: opt
// follows them from here on, first as before, then the registers.
func (s *session) thenDemote(prog *parser.Program, parse parser.Options, opt *rewrite.Options, wants *policy, flags choiceFlags, l ladderFlags, say verbosity) error {
	result, err := s.rewrite(prog, *opt)
	if err != nil {
		return diag.Failed("rewriting", err)
	}
	chain := rewrite.NewChain(analysis.NewProgram(prog, opt.Block))
	if err := chain.Add(result); err != nil {
		return diag.Failed("rewriting", err)
	}
	middle, err := chain.Now()
	if err != nil {
		return &diag.Failure{Exit: diag.ExitInternal, Err: err}
	}
	decisions, err := s.climb(middle.Parsed, parse, rewrite.Options{Kernels: opt.Kernels, Runtime: opt.Runtime}, flags, l, say)
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
