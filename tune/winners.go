package tune

import (
	"errors"
	"fmt"
	"time"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/passes"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/prose"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/pipeline"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/tune/judge"
	"github.com/smux-cuda/smux/tune/record"
	"github.com/smux-cuda/smux/tune/space"
	"github.com/smux-cuda/smux/verify"
)

// Winners rewrites the program to the chosen form of each kernel, and puts above each what was measured on a GPU.
func (s *Session) Winners(of Outcome) (*rewrite.Result, error) {
	chain := rewrite.NewChain(s.job.Analysed())
	for _, v := range of.Verdicts {
		if v.Chosen < 0 {
			continue
		}
		now, err := chain.Now()
		if err != nil {
			return nil, &diag.Failure{Exit: diag.ExitInternal, Err: err}
		}
		if s.Verify || v.Rows[v.Chosen].Candidate.Tested() {
			ok, err := s.verified(now.Parsed, v)
			if err != nil {
				return nil, err
			}
			if !ok {
				continue
			}
		}
		if now.Parsed != s.job.Program {
			// A block shape that a person gave counts for the kernels that are yet to come.
			now = s.job.Analysed().On(now.Parsed)
		}
		var at time.Time // of the last measurement
		for _, l := range Of(of.Lines, v.Subject) {
			if l.Pair != nil && l.Time.After(at) {
				at = l.Time
			}
		}
		next, err := s.winner(now, v, at)
		if err != nil {
			return nil, err
		}
		if err := chain.Add(next); err != nil {
			return nil, diag.Failed("rewriting", err)
		}
	}
	return chain.Result(), nil
}

// winner returns a program with one kernel in the form that was chosen.
func (s *Session) winner(prog *analysis.Program, v judge.Verdict, at time.Time) (*rewrite.Result, error) {
	row := v.Rows[v.Chosen]
	in, ok := s.inputOf(prog, v.Subject.Kernel)
	if !ok {
		return nil, diag.Usagef("name the files that hold it", "there is no kernel %q in these files", v.Subject.Kernel)
	}
	in.Options.Runtime = s.job.Options.Runtime
	result, err := space.Emit(in, row.Candidate)
	var failed *record.Failure
	if errors.As(err, &failed) {
		return nil, diag.Usagef("the files are not what was measured", "kernel %q is unavailable as %s: %w", v.Subject.Kernel, row.Name, failed)
	}
	if err != nil {
		return nil, diag.Failed("rewriting", err)
	}
	if row.Candidate.Registers > 0 {
		s.Remark("kernel %q: the chosen form needs -maxrregcount=%d to compile", v.Subject.Kernel, row.Candidate.Registers)
	}
	if !v.Subject.Machine.Measures() {
		s.tell("kernel %q: no comment says why %s was chosen, since its times were not measured on a GPU", v.Subject.Kernel, row.Name)
		return result, nil
	}
	out, skipped, err := space.Annotate(in, result, evidenceText(v, at))
	if err != nil {
		return nil, diag.Failed("writing what was measured above the kernel", err)
	}
	for _, at := range skipped {
		s.Remark("%s: no comment on the measurements: it would change the compiler's input", at)
	}
	return out, nil
}

// inputOf returns the input of the kernels of a name, as a program has them by now.
func (s *Session) inputOf(prog *analysis.Program, kernel string) (space.Input, bool) {
	for _, g := range rewrite.Groups(prog, prog.Kernels(), s.job.Options) {
		if g.Kernels[0].Name == kernel {
			return s.input(prog, g, nil), true
		}
	}
	return space.Input{}, false
}

func evidenceText(v judge.Verdict, at time.Time) string {
	row := v.Rows[v.Chosen]
	r := row.Gain()
	text := fmt.Sprintf("%s: %.2fx (%.2f to %.2f) over the original", row.Name, r.Median, r.Low, r.High)
	if row.OverForm.Pairs > 0 && v.Form >= 0 && v.Form != v.Chosen && !v.Rows[v.Form].Candidate.IsOriginal() {
		text += fmt.Sprintf(", %.2fx over %s", row.OverForm.Median, v.Rows[v.Form].Name)
	}
	if row.Candidate.Tested() {
		text += ", " + judge.TestedOnly
	}
	m := v.Subject.Machine
	for _, part := range []struct{ before, text string }{{", on ", m.Device}, {", driver ", m.Driver}, {", ", m.Toolkit}} {
		if part.text != "" {
			text += part.before + prose.Printable(part.text)
		}
	}
	if !at.IsZero() {
		text += ", " + at.Format(time.DateOnly)
	}
	return text
}

// verified runs a program and what was chosen for a kernel on the CPU, and reports whether they do the same.
func (s *Session) verified(prog *parser.Program, v judge.Verdict) (bool, error) {
	run, err := s.Bench.Attach(prog)
	if err != nil {
		return false, err
	}
	in, ok := s.inputOf(passes.NewProgram(run, s.job.Options.Block), v.Subject.Kernel)
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
		Dir: s.Dir, Timeout: s.Timeout, Tolerance: s.Tolerance,
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
