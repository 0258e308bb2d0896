package tune

import (
	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/pipeline"
	"github.com/smux-cuda/smux/tune/judge"
	"github.com/smux-cuda/smux/tune/space"
	"github.com/smux-cuda/smux/verify"
)

// verified runs a program and what was chosen for a kernel on the CPU, and says whether
// they do the same.
func (s *Session) verified(prog *parser.Program, v judge.Verdict) (bool, error) {
	run, err := s.Bench.Attach(prog)
	if err != nil {
		return false, err
	}
	in, ok := s.inputOf(analysis.NewProgram(run, s.job.Options.Block), v.Subject.Kernel)
	if !ok {
		return false, nil
	}
	result, err := space.Emit(in, v.Rows[v.Chosen].Candidate)
	if err != nil {
		return false, diag.Failed("rewriting", err)
	}
	program := verify.NewProgram(run, s.job.Parse)
	program.Sources, program.Libraries = s.further, s.Libraries
	name := v.Rows[v.Chosen].Name
	request := verify.Request{
		Original: program, Variants: []verify.Variant{pipeline.NewVariant(name, program, result)},
		Dir: s.Dir, Timeout: s.Timeout, Tolerance: s.tolerance(),
	}
	if s.Arguments != nil {
		request.Args = [][]string{s.Arguments}
	}
	same, err := s.Same(request)
	if err == nil && !same {
		s.Remark("kernel %q: %s is not written: it did not pass verification", v.Subject.Kernel, name)
	}
	return same, err
}
