package verify

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/prose"
	"github.com/smux-cuda/smux/verify/build"
	"github.com/smux-cuda/smux/verify/execute"
)

// runPlain runs the plain build in some orders and compares each run with the reference: the original's run in the
// first order with the same arguments. It reports false if a run neither returns nor is ended by a finding. Only runs
// with other arguments come after it, if there is no variant and time is left.
func (s *session) runPlain(ctx context.Context, sub *subject, orders []execute.Schedule) bool {
	program := s.build(ctx, sub, build.Plain)
	if program == nil {
		return false
	}
	well := true
	for r := range planned(s, build.Plain, orders) {
		r.log = s.logName(sub, r)
		s.execute(ctx, sub, program, r)
		if sub == s.original && r.order == s.Schedules[0] {
			s.askRegisters(ctx, r)
		} else {
			if r.judged {
				s.compare(sub, r, s.original.find(build.Plain, r.args, s.Schedules[0]), s.Tolerance)
			}
			s.dropLog(r)
		}
		sub.add(r)
		well = well && r.result != nil && s.badEnd(sub, r) == nil
		if !well && (len(s.Variants) > 0 || r.result == nil || r.result.TimedOut) {
			break
		}
	}
	return well
}

// runBuild runs another build for its findings, and compares its output where the plain build is not run.
func (s *session) runBuild(ctx context.Context, sub *subject, mode build.Mode, orders []execute.Schedule) {
	program := s.build(ctx, sub, mode)
	if program == nil {
		return
	}
	for r := range planned(s, mode, orders) {
		alone := mode == build.Checked && sub == s.original && len(s.Variants) == 0 && r.order == s.Schedules[0]
		if sub.checked || alone {
			r.log = s.logName(sub, r) + "-" + string(mode)
		}
		s.execute(ctx, sub, program, r)
		if r.log != "" && r.judged {
			s.compare(sub, r, s.original.find(build.Plain, r.args, s.Schedules[0]), s.Tolerance)
		}
		if alone {
			r.unlike, r.difference = r.difference != nil, nil
		}
		s.dropLog(r)
		sub.add(r)
	}
}

// planned yields the runs of a build, but for arguments with which the original could not be judged and launched no kernel.
func planned(s *session, mode build.Mode, orders []execute.Schedule) iter.Seq[*run] {
	return func(yield func(*run) bool) {
		for args := range s.Args {
			first := s.original.find(build.Plain, args, s.Schedules[0])
			for _, order := range orders {
				idle := first != nil && first.result != nil && !first.judged && !launched(first.result)
				if !idle && !yield(&run{mode: mode, args: args, order: order}) {
					return
				}
			}
		}
	}
}

// runAgain runs the reference a second time: a program whose equal runs differ can't be compared with anything.
func (s *session) runAgain(ctx context.Context, first *run) {
	again := &run{mode: first.mode, args: first.args, order: first.order}
	again.log = first.log + "-again"
	s.execute(ctx, s.original, s.build(ctx, s.original, build.Plain), again)
	defer s.dropLog(again)
	if !again.judged || first.result == nil {
		return
	}
	s.compare(s.original, again, first, Tolerance{})
	if d := again.difference; d != nil {
		text := "two equal runs of the program differ: " + d.in("the first one")
		s.original.fail(diag.Message{Pos: s.copyPlace(s.original, d.pc), Code: CodeNotDeterministic, Text: text}, nil)
		s.restless = true
	}
}

// execute runs a build and keeps the result in r.
func (s *session) execute(ctx context.Context, sub *subject, program *build.Program, r *run, env ...string) {
	opt := execute.Options{
		Schedule: r.order,
		Args:     s.Args[r.args],
		Stdin:    s.Stdin,
		Dir:      s.Dir,
		Timeout:  s.Timeout,
		Watchdog: s.Watchdog,
		CopyLog:  r.log,
		Traced:   r.explored,
		Env:      env,
	}
	if first := s.original.find(build.Plain, r.args, s.Schedules[0]); sub != s.original && first != nil && first.result != nil {
		opt.Timeout = max(opt.Timeout, variantSlowdown*first.result.Wall)
	}
	if r.mode != build.Plain && !tooLong(s, sub) {
		opt.Timeout *= checkedSlowdown
	}
	spin := func(f execute.Finding) bool { return f.Code == reportSpin }
	if sub.anyRun(func(r *run) bool { return r.result != nil && slices.ContainsFunc(r.result.Report, spin) }) {
		opt.Watchdog /= 10 // no progress was made before, in another order
	}
	if b := s.Board; b != nil {
		opt.Env = append(slices.Clone(env), fmt.Sprintf("SMUX_GPU=%d %s", b.Shared, b.Name))
	}
	result, err := execute.Run(ctx, program, opt)
	switch {
	case ctx.Err() != nil:
	case err != nil:
		sub.broken(fmt.Errorf("running %s: %w", sub.name, err))
	default:
		r.result = result
		r.judged = s.canJudge(sub, r)
	}
}

// canJudge notes why a run can't be judged, and reports whether it can.
func (s *session) canJudge(sub *subject, r *run) bool {
	res := r.result
	for i := range res.Report {
		f := &res.Report[i]
		switch f.Code {
		case reportNotSupported, CodeNeedsLibrary:
			m := messageOf(f, sub.places)
			if f.Code == CodeNeedsLibrary {
				m.Help = build.HelpOf(m.Text)
			}
			sub.fail(m, nil)
			return false
		}
	}
	if r.isFatal() {
		if sub != s.original || len(s.Variants) == 0 {
			return true
		}
		// It proves nothing of the variants, which have nothing to be compared with.
		m := messageOf(&res.Report[len(res.Report)-1], sub.places)
		m.Text += "; this is the original itself"
		sub.fail(m, words(res))
		return false
	}
	// The original must run to its end. A variant that does not is different,
	// but only if it could have: a slow build proves nothing.
	if m := s.badEnd(sub, r); m != nil {
		switch {
		case sub == s.original:
			sub.fail(*m, words(res))
			return false
		case r.mode != build.Plain:
			r.unjudged = m
			return false
		}
	}
	if sub == s.original && r.mode == build.Plain && res.Exit != 0 && (len(s.Variants) > 0 || !launched(res)) {
		sub.fail(exitMessage(sub, res), words(res))
		return false
	}
	return true
}

// launched reports whether a run came to a kernel. One that did not, for want of
// a file or an argument, shows nothing of any.
func launched(res *execute.Result) bool { return res.End == nil || res.End.Launches > 0 }

// failUnjudged notes why slow builds of a variant can't be judged, unless its plain build ends badly, too: that is a
// finding, and whether a slow build came as far before it was stopped must not matter.
func (s *session) failUnjudged(sub *subject) {
	if sub.anyRun(func(r *run) bool { return r.mode == build.Plain && r.result != nil && s.badEnd(sub, r) != nil }) {
		return
	}
	for _, r := range sub.runs {
		if r.unjudged != nil {
			sub.fail(*r.unjudged, tail(r.result.Stderr))
		}
	}
}

// badEnd reports how a run ended that neither returned nor was ended by a finding, nil if it was not so.
func (s *session) badEnd(sub *subject, r *run) *diag.Message {
	for i := range r.result.Report {
		if f := &r.result.Report[i]; f.Code == reportCrash {
			m := messageOf(f, sub.places)
			m.Code, m.Help = CodeCrashes, diag.Help(CodeCrashes)
			return &m
		}
	}
	pos := diag.Position{File: sub.program.name()}
	switch {
	case r.result.TimedOut:
		return &diag.Message{Pos: pos, Code: CodeHangs, Text: fmt.Sprintf("the program has not ended within %s", r.result.Limit.Round(time.Second/10)), Help: diag.Help(CodeHangs)}
	case r.result.Signal != "":
		return &diag.Message{Pos: pos, Code: CodeCrashes, Text: "the program ends with " + r.result.Signal, Help: diag.Help(CodeCrashes)}
	}
	return nil
}

// exitMessage reports that a program does not end well.
func exitMessage(sub *subject, res *execute.Result) diag.Message {
	text := fmt.Sprintf("the program ends with exit status %d", res.Exit)
	if !launched(res) {
		text += " and has launched no kernel"
	}
	return diag.Message{Pos: diag.Position{File: sub.program.name()}, Code: CodeExitsNonzero, Help: diag.Help(CodeExitsNonzero), Text: text}
}

// words returns what a program printed at its end: on standard error, or else on standard output.
func words(res *execute.Result) []byte {
	if len(bytes.TrimSpace(res.Stderr)) > 0 {
		return tail(res.Stderr)
	}
	return tail(res.Stdout)
}

// tail returns the end of what a program printed, as far as a message quotes it.
func tail(text []byte) []byte {
	return text[max(0, len(text)-2000):]
}

// compare sets the difference of a run from the reference.
func (s *session) compare(sub *subject, r, reference *run, tolerance Tolerance) {
	if got := r.result; s.restless || reference == nil || reference.result == nil || r.isFatal() || reference.isFatal() || got.TimedOut || got.Signal != "" {
		return // it shows nothing, or the finding or badEnd says it all
	}
	got, want := r.result, reference.result
	if got.Exit != want.Exit {
		r.difference = &Difference{Want: fmt.Sprint(want.Exit), Got: fmt.Sprint(got.Exit), what: "the exit status"}
	}
	if d := compareStdout(got.Stdout, want.Stdout, tolerance); d != nil {
		r.difference = d
	} else if d := s.compareStderr(got, want, tolerance); d != nil {
		r.difference = d
	} else if got.StdoutBytes != want.StdoutBytes && tolerance == (Tolerance{}) {
		r.difference = &Difference{what: "the length of the output", Line: bytes.Count(want.Stdout, []byte("\n")) + 1,
			Want: prose.Count(int(want.StdoutBytes), "byte"), Got: prose.Count(int(got.StdoutBytes), "byte")}
	}
	compareThem := compareLogs
	if s.Original.isHost() && sub != s.original {
		if r.log == "" || r.difference != nil || r.order.Kind != "ascending" {
			return // it copies nothing from a device, what it prints says it all, or iterations may leave something else in another order
		}
		compareThem = r.compareResults
	}
	d, err := compareThem(r.log, reference.log, tolerance)
	if err != nil {
		sub.broken(fmt.Errorf("comparing the copies of %s: %w", sub.name, err))
	}
	if d != nil {
		d.passes = d.passes && r.difference == nil
		r.difference = d // the copies come first: they say where
	}
}

// openLogs opens two logs of copies by name; no file is an empty log.
func openLogs(got, want string) (g, w *os.File, err error) {
	open := func(name string) (*os.File, error) {
		f, err := os.Open(name)
		if errors.Is(err, fs.ErrNotExist) {
			return os.Open(os.DevNull)
		}
		return f, err
	}
	if g, err = open(got); err != nil {
		return nil, nil, err
	}
	if w, err = open(want); err != nil {
		g.Close()
	}
	return g, w, err
}

// compareLogs compares two logs of copies.
func compareLogs(got, want string, tolerance Tolerance) (*Difference, error) {
	g, w, err := openLogs(got, want)
	if err != nil {
		return nil, err
	}
	defer g.Close()
	defer w.Close()
	d, _, err := CompareCopies(g, w, tolerance)
	if d == nil || err != nil {
		return d, err
	}
	for _, f := range []*os.File{g, w} {
		if _, err := f.Seek(0, io.SeekStart); err != nil {
			return nil, err
		}
	}
	anyOrder, atLast, err := alikeCopies(g, w)
	if d.passes = atLast; anyOrder {
		return nil, err
	}
	return d, err
}

// logName returns the file of a run's log of copies.
func (s *session) logName(sub *subject, r *run) string {
	if i := slices.Index(s.subjects, sub); i >= 0 {
		return filepath.Join(s.scratch, fmt.Sprintf("copies-%d-%d-%s", i, r.args, folderName(0, r.order.String())))
	}
	return ""
}

// dropLog removes a log that was compared: it may be large.
func (s *session) dropLog(r *run) {
	if r.log != "" {
		_ = os.Remove(r.log) // the scratch folder goes in any case
		r.log = ""
	}
}
