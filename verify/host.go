package verify

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"time"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/verify/build"
	"github.com/smux-cuda/smux/verify/execute"
)

// A program of the host alone, such as C with directives that the compiler ignores, is
// an original whose copies from a device nobody can compare: there are none. What it
// prints and its exit status must then be the variant's, and the variant's output must
// show what its kernels computed.

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

// compareStderr returns the first line of standard error that differs, or nil. It counts
// beside a program of the host alone: many benchmarks print their results there. Two CUDA
// programs may print there what they like.
func (s *session) compareStderr(got, want *execute.Result, tolerance Tolerance) *Difference {
	if !s.Original.isHost() {
		return nil
	}
	return compareLines(got.Stderr, want.Stderr, "error output", tolerance)
}

// otherCopies gives the host other values than the device has.
const otherCopies = "SMUX_OTHER_COPIES=1"

// findNotShown looks for variants of a program of the host alone that launch no kernel,
// or whose output stays the same whatever the host gets from the device: that such
// outputs are equal proves nothing.
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
			why = "what the program prints shows nothing of what its kernels compute: with other values copied from the device it stays the same"
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

// shows reports whether a program ends or prints otherwise where the host gets other
// values than in a run of it.
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

// followDirectives runs a C program once more for each argument list without what its directives say of values, where these are
// followed, and as GCC makes it of its directives, on the host. That it prints something else is reported, for
// the program's author to look at.
func (s *session) followDirectives(ctx context.Context) {
	if !s.Original.isHost() || !s.Original.hasDirectives() {
		return
	}
	program := s.Original
	program.Followed = nil
	forms := []*subject{s.original}
	if s.Original.Followed != nil {
		if sub := s.hostRuns(ctx, program, "without directives"); sub != nil {
			s.remarkDifference(sub, "without its directives, the C program does something else: ", "the program that follows what they say of values", s.original)
			forms = append(forms, sub)
		}
	}
	if ctx.Err() != nil || !s.toolchain.Compiler.HasOpenACC(ctx) {
		return
	}
	program.OpenACC = true
	switch sub := s.hostRuns(ctx, program, "with -fopenacc"); {
	case sub != nil:
		slices.Reverse(forms)
		s.remarkDifference(sub, "with its directives followed, on the host, the C program does something else: ", "the program without them", forms...)
	case s.Original.Followed == nil:
		s.remarkDirectives(diag.Message{Text: s.toolchain.Compiler.Kind + " does not take the directives of the C program", Help: "smux compares with the program without them"})
	}
}

// hostRuns runs a form of the C program; nil where it can't be built.
func (s *session) hostRuns(ctx context.Context, program Program, name string) *subject {
	sub := &subject{name: name, program: &program, dir: filepath.Join(s.scratch, name)}
	if s.prepare(sub) != nil {
		return nil
	}
	built := s.build(ctx, sub, build.Plain)
	for args := 0; built != nil && args < len(s.Args); args++ {
		r := &run{mode: build.Plain, args: args, order: s.Schedules[0]}
		s.execute(ctx, sub, built, r, build.OpenACCVariable+"="+build.OpenACCOnHost)
		sub.add(r)
	}
	if built == nil {
		return nil
	}
	return sub
}

// remarkDifference reports where a form of the C program does something else than each of others.
func (s *session) remarkDifference(sub *subject, differs, other string, than ...*subject) {
	for args, r := range sub.runs {
		if r.result == nil || !r.judged {
			s.remarkDirectives(diag.Message{Text: "the C program " + sub.name + ", on the host, does not end well", Help: "look at it, compiled so"})
			return
		}
		var first *Difference
		for _, o := range than {
			r.difference = nil
			if s.compare(sub, r, o.find(build.Plain, args, s.Schedules[0]), s.Tolerance); r.difference == nil {
				first = nil
				break
			}
			first = cmp.Or(first, r.difference)
		}
		if first != nil {
			s.remarkDirectives(diag.Message{Text: differs + first.in(other)})
			return
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

// hasDirectives reports whether a source has directives of OpenACC.
func (p *Program) hasDirectives() bool {
	return slices.ContainsFunc(p.Sources, func(name string) bool {
		text, err := os.ReadFile(name)
		return err == nil && accPragma.Match(text)
	})
}

var accPragma = regexp.MustCompile(`(?m)^[ \t]*#[ \t]*pragma[ \t]+acc\b`)
