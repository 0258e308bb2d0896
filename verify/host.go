package verify

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/verify/build"
	"github.com/smux-cuda/smux/verify/execute"
)

// A program of the host alone, such as C with directives that the compiler ignores, is an original whose copies from
// a device nobody can compare: there are none. What it prints and its exit status must then be the variant's, and the
// variant's output must show what its kernels computed.

// isHost reports whether nothing of the program runs on a device.
func (p *Program) isHost() bool { return len(p.Files) == 0 && len(p.Sources) > 0 }

// ordersOf returns the orders in which a program runs: one of the host alone has a single
// one, which the first stands for.
func (s *session) ordersOf(sub *subject) []execute.Schedule {
	if sub.program.isHost() {
		return s.Schedules[:1]
	}
	out := s.allOrders()
	if s.AllSchedules > 0 {
		out = append(out, everyOrder)
	}
	return out
}

// compareStderr returns the first line of standard error that differs, or nil. It counts beside a program of the host
// alone: many benchmarks print their results there. Two CUDA programs may print there what they like.
func (s *session) compareStderr(got, want *execute.Result, tolerance Tolerance) *Difference {
	if !s.Original.isHost() {
		return nil
	}
	return compareLines(got.Stderr, want.Stderr, "error output", tolerance)
}

// otherCopies gives the host other values than the device has.
const otherCopies = "SMUX_OTHER_COPIES=1"

// findNotShown looks for variants of a program of the host alone that launch no kernel, or whose output stays the
// same whatever the host gets from the device: that such outputs are equal proves nothing.
func (s *session) findNotShown(ctx context.Context) {
	if !s.Original.isHost() {
		return
	}
	for _, sub := range s.subjects[1:] {
		if len(sub.failures) > 0 || s.differsAnywhere(sub) {
			continue
		}
		why := "no run has launched a kernel"
		for args := range s.Args {
			r := sub.find(build.Plain, args, s.Schedules[0])
			if r == nil || r.result == nil || r.isFatal() || ctx.Err() != nil {
				why = ""
				break
			}
			if !launched(r.result) {
				continue
			}
			if r.results > 0 || s.shows(ctx, sub, r) {
				why = ""
				break
			}
			why = "the program's output does not depend on its kernels' results: with other values copied from the device it stays the same"
		}
		if why != "" {
			sub.fail(diag.Message{Pos: diag.Position{File: sub.program.name()}, Code: CodeNotExercised, Text: why}, nil)
		}
	}
}

// differsAnywhere reports whether any run of a variant has another output.
func (s *session) differsAnywhere(sub *subject) bool {
	return slices.ContainsFunc(sub.runs, func(r *run) bool { return r.difference != nil })
}

// shows reports whether a program ends or prints otherwise where the host gets other values than in a run of it.
func (s *session) shows(ctx context.Context, sub *subject, of *run) bool {
	again := &run{mode: of.mode, args: of.args, order: of.order, log: s.logName(sub, of)}
	defer s.dropLog(again)
	// Other values may keep it from ending; then it shows them.
	limited, cancel := context.WithTimeout(ctx, 2*of.result.Wall+5*time.Second)
	defer cancel()
	s.execute(limited, sub, s.build(ctx, sub, of.mode), again, otherCopies)
	got, want := again.result, of.result
	return got == nil || got.Exit != want.Exit || got.Signal != want.Signal || got.TimedOut ||
		compareStdout(got.Stdout, want.Stdout, Tolerance{}) != nil || compareLines(got.Stderr, want.Stderr, "", Tolerance{}) != nil
}

// compareForms runs a C program once more for each argument list without what its directives say of values, where the original follows
// that, and with what it has for compilers that follow directives. That it prints something else then is reported, for the
// program's author to look at.
func (s *session) compareForms(ctx context.Context) {
	if !s.Original.isHost() {
		return
	}
	plain := s.Original
	plain.Followed = nil
	than := s.original
	for _, form := range []struct{ name, define, other string }{{"without its directives", "", "the program that follows what they say of values"}, {"with _OPENACC", "_OPENACC=202211", "the program without it"}} {
		program := plain
		if form.define != "" {
			program.Defines = append(slices.Clip(program.Defines), form.define)
		}
		sub := &subject{name: form.name, program: &program, dir: filepath.Join(s.scratch, form.name)}
		if form.define == "" && s.Original.Followed == nil || form.define != "" && !plain.mentions("_OPENACC") || s.prepare(sub) != nil {
			continue
		}
		built := s.build(ctx, sub, build.Plain)
		for args := 0; built != nil && args < len(s.Args); args++ {
			r := &run{mode: build.Plain, args: args, order: s.Schedules[0]}
			s.execute(ctx, sub, built, r)
			if sub.add(r); r.result == nil || !r.judged {
				break
			}
			s.compare(sub, r, than.find(build.Plain, args, s.Schedules[0]), s.Tolerance)
			if d := r.difference; d != nil {
				s.remarkDirectives(diag.Message{Text: form.name + ", the C program does something else: " + d.in(form.other)})
				break
			}
		}
		if built != nil {
			than = sub
		}
	}
}

func (s *session) remarkDirectives(m diag.Message) {
	m.Pos, m.Code = diag.Position{File: s.Original.name()}, CodeDirectivesDiffer
	if m.Help == "" {
		m.Help = diag.Help(m.Code)
	}
	s.remarks = append(s.remarks, m)
}

// mentions reports whether a source has a word.
func (p *Program) mentions(word string) bool {
	return slices.ContainsFunc(p.Sources, func(name string) bool {
		text, err := os.ReadFile(name)
		return err == nil && bytes.Contains(text, []byte(word))
	})
}
