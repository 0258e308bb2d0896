package cmd

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unicode"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/printable"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/report"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/tune"
	"github.com/smux-cuda/smux/tune/judge"
	"github.com/smux-cuda/smux/tune/record"
	"github.com/smux-cuda/smux/tune/space"
	"github.com/smux-cuda/smux/tune/t4"
)

// deliver prints the verdicts, and the result where it is asked for. lines are
// those of the record.
func (t *tuning) deliver(verdicts []judge.Verdict, lines []record.Line) error {
	if err := t.writeT4(verdicts, lines); err != nil {
		return err
	}
	t.measured = dates(lines)
	s := t.session
	asked := t.out.diff || t.out.list || t.out.write || t.out.file != ""
	switch {
	case t.flags.asJSON && !asked:
		text, err := tuneJSON(verdicts)
		if err != nil {
			return diag.Failed("writing the verdicts", err)
		}
		_, err = s.Stdout.Write(text)
		return err
	case !asked:
		_, err := s.Stdout.Write(tuneText(verdicts))
		return err
	case !t.flags.quiet:
		if _, err := s.Stderr.Write(tuneText(verdicts)); err != nil {
			return diag.Failed("writing the table", err)
		}
	}
	result, err := t.winners(verdicts)
	if err != nil {
		return err
	}
	if err := s.output(t.prog, result, t.out); err != nil {
		return err
	}
	if t.opt.Runtime == rewrite.RuntimeIncluded {
		s.remarkOnRuntime([]report.Program{{Changed: result.Files}}, t.out)
	}
	return nil
}

// winners is the program with the chosen form of each kernel, and above each what
// was measured.
func (t *tuning) winners(verdicts []judge.Verdict) (*rewrite.Result, error) {
	chain := rewrite.NewChain(analysis.NewProgram(t.prog, t.opt.Block))
	for _, v := range verdicts {
		if v.Chosen < 0 {
			continue
		}
		now, err := chain.Now()
		if err != nil {
			return nil, &diag.Failure{Exit: diag.ExitInternal, Err: err}
		}
		if t.flags.verify {
			ok, err := t.verified(now.Parsed, v)
			if err != nil {
				return nil, err
			}
			if !ok {
				continue
			}
		}
		next, err := t.winner(now.Parsed, v)
		if err != nil {
			return nil, err
		}
		if err := chain.Add(next); err != nil {
			return nil, diag.Failed("rewriting", err)
		}
	}
	return chain.Result(), nil
}

// winner is a program with one kernel in the form that was chosen.
func (t *tuning) winner(prog *parser.Program, v judge.Verdict) (*rewrite.Result, error) {
	row := v.Rows[v.Chosen]
	in, ok := t.inputOf(prog, v.Subject.Kernel)
	if !ok {
		return nil, diag.Usagef("name the files that hold it", "there is no kernel %q in these files", v.Subject.Kernel)
	}
	in.Options.Runtime = t.opt.Runtime
	result, err := space.Emit(in, row.Candidate)
	var failed *record.Failure
	if errors.As(err, &failed) {
		return nil, diag.Usagef("the files are not what was measured", "kernel %q can't be had as %s: %w", v.Subject.Kernel, row.Name, failed)
	}
	if err != nil {
		return nil, diag.Failed("rewriting", err)
	}
	if row.Candidate.Registers > 0 {
		t.session.Remark("kernel %q: what was chosen needs -maxrregcount=%d where it is compiled", v.Subject.Kernel, row.Candidate.Registers)
	}
	out, skipped, err := space.Annotate(in, result, []string{evidenceText(v, t.measured[v.Subject.Key()])})
	if err != nil {
		return nil, diag.Failed("writing what was measured above the kernel", err)
	}
	for _, at := range skipped {
		t.session.Remark("%s: no comment on what was measured: it would change what the compiler reads", at)
	}
	return out, nil
}

// dates are when the last measurement of each subject was made, by its key.
func dates(lines []record.Line) map[string]time.Time {
	out, subjects := map[string]time.Time{}, map[string]string{}
	for _, l := range lines {
		if l.Variant != nil {
			subjects[l.Key] = l.Variant.Subject.Key()
		}
		if s := subjects[l.Key]; l.Pair != nil && l.Time.After(out[s]) {
			out[s] = l.Time
		}
	}
	return out
}

// inputOf is the input of the kernels of a name, as a program has them by now.
func (t *tuning) inputOf(prog *parser.Program, kernel string) (space.Input, bool) {
	in := space.Input{}
	analysed := analysis.NewProgram(prog, t.opt.Block)
	for _, g := range rewrite.Groups(analysed, analysed.Kernels(), t.opt) {
		if g.Kernels[0].Name == kernel {
			return t.input(prog, analysed, g, nil), true
		}
	}
	return in, false
}

// evidenceText is what the comment above a kernel says.
func evidenceText(v judge.Verdict, at time.Time) string {
	row := v.Rows[v.Chosen]
	if !v.Subject.Machine.Runs() {
		return fmt.Sprintf("%s: chosen by times that the model of %s made up; nothing was measured", row.Name, v.Subject.Machine.GPU)
	}
	r := row.Gain()
	text := fmt.Sprintf("%s: %.2fx (%.2f to %.2f) over the original", row.Name, r.Median, r.Low, r.High)
	if row.OverForm.Pairs > 0 && v.Form >= 0 && v.Form != v.Chosen && !v.Rows[v.Form].Candidate.IsOriginal() {
		text += fmt.Sprintf(", %.2fx over %s", row.OverForm.Median, v.Rows[v.Form].Name)
	}
	m := v.Subject.Machine
	for _, part := range []struct{ before, text string }{{", on ", m.Device}, {", driver ", m.Driver}, {", ", m.Toolkit}} {
		if part.text != "" {
			text += part.before + printable.Text(part.text)
		}
	}
	if !at.IsZero() {
		text += ", " + at.Format(time.DateOnly)
	}
	return text
}

// writeT4 writes the file of --t4: one for each kernel, with its name and the GPU's
// before the ending where there are several.
func (t *tuning) writeT4(verdicts []judge.Verdict, lines []record.Line) error {
	name := t.flags.t4
	if name == "" {
		return nil
	}
	for _, v := range verdicts {
		for _, d := range t4.Export(tune.Of(lines, v.Subject)) {
			text, err := d.Encode()
			if err != nil {
				return diag.Failed("writing "+name, err)
			}
			file := name
			if len(verdicts) > 1 {
				file = strings.TrimSuffix(name, filepath.Ext(name)) + "-" + plainName(v.Subject.Kernel+"-"+v.Subject.Machine.GPU) + filepath.Ext(name)
			}
			if err := t.session.WriteOutput(file, text); err != nil {
				return err
			}
		}
	}
	return nil
}

// plainName is a name as a part of a file's.
func plainName(name string) string {
	return strings.Map(func(r rune) rune {
		if r == '/' || r == os.PathSeparator || !unicode.IsPrint(r) {
			return '_'
		}
		return r
	}, name)
}
