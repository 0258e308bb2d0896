package cmd

import (
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/pipeline"
	"github.com/smux-cuda/smux/tune/judge"
	"github.com/smux-cuda/smux/tune/space"
	"github.com/smux-cuda/smux/verify"
)

// verified runs a program and what was chosen for a kernel on the CPU, and says
// whether they do the same. What differs is told.
func (t *tuning) verified(prog *parser.Program, v judge.Verdict) (bool, error) {
	s := t.session
	run, err := s.attach(prog, t.flags.bench.of(t.bench))
	if err != nil {
		return false, err
	}
	in, ok := t.inputOf(run, v.Subject.Kernel)
	if !ok {
		return false, nil
	}
	result, err := space.Emit(in, v.Rows[v.Chosen].Candidate)
	if err != nil {
		return false, diag.Failed("rewriting", err)
	}
	program := verify.Program{IncludeDirs: t.parse.IncludeDirs, Defines: t.parse.Defines, Sources: t.further, Libraries: t.flags.libraries}
	for _, f := range run.Files {
		program.Files = append(program.Files, verify.NewFile(f.Name, f.Src))
	}
	name := v.Rows[v.Chosen].Name
	request := verify.Request{
		Original: program, Variants: []verify.Variant{{Name: name, Program: program.Replace(result.Changed()), Rewritten: pipeline.RewrittenKernels(result.Kernels)}},
		Dir: t.flags.dir, Timeout: t.flags.timeout, Tolerance: verify.Tolerance{Abs: t.flags.abs, Rel: t.flags.rel},
		Preparing: s.preparing,
	}
	if t.after != nil {
		request.Args = [][]string{t.after}
	}
	verdict, err := s.judge(request)
	if err != nil {
		return false, err
	}
	if verdict.Outcome != verify.Equal {
		s.Note(verdictCode(verdict))
		s.verdictMessages(verdict, true)
		s.Remark("kernel %q: %s is not written: it did not pass verification", v.Subject.Kernel, name)
		return false, nil
	}
	return true, nil
}
