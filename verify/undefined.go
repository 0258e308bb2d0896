package verify

import (
	"cmp"
	"context"
	"slices"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/verify/build"
	"github.com/smux-cuda/smux/verify/execute"
)

// undefined is a kind of values that nobody has made.
type undefined struct {
	fill string // the variable that says what they are
	what string
	note bool       // a use that nothing depends on is a note
	copy bool       // the use is a copy to the host, which shows nothing by itself
	mode build.Mode // of a build that makes others of them, "" where fill does
}

var (
	unwrittenShared = undefined{fill: "SMUX_SHARED_FILL", what: "shared memory that nobody wrote"}
	unwrittenDevice = undefined{fill: "SMUX_DEVICE_FILL", what: "device memory that nobody wrote"}
	copiedUnwritten = undefined{fill: "SMUX_DEVICE_FILL", what: "device memory that nobody wrote", note: true, copy: true}
	readPadding     = undefined{fill: "SMUX_DEVICE_FILL", what: "padding of rows that nobody wrote", note: true}
	unsetLocals     = undefined{mode: build.Filled, what: "variables that nobody set"}
	absentLanes     = undefined{fill: "SMUX_LANE_FILL", what: "lanes that take no part", note: true}
)

// otherFills are bytes that such values are made of in more runs: as numbers, large ones of either sign.
var otherFills = []string{"0x7e", "0xfe"}

// use is the use of such values in one kernel, with some arguments.
type use struct {
	undefined
	kernel string
	args   int
}

// useIn returns the use that a finding is, the zero value if it is none.
func useIn(f *execute.Finding, args int) use {
	switch {
	case f.Code == CodeUninitialised && f.Text == "padding of a row":
		return use{readPadding, f.Kernel, args}
	case f.Code == CodeUninitialised && f.Space == "global":
		return use{unwrittenDevice, f.Kernel, args}
	case f.Code == CodeUninitialised:
		return use{unwrittenShared, f.Kernel, args}
	case f.Code == CodeUnwritten && f.Variable == "":
		return use{copiedUnwritten, "", args}
	case f.Code == CodeWarpDivergence && len(f.Waiters) == 0:
		return use{absentLanes, f.Kernel, args}
	}
	return use{}
}

// findUndefined runs an original that uses values which nobody has made once more, with others.
// Where a variant differs from it, an output that changes with them is nothing that a variant could be compared with;
// a program by itself may use them without an effect.
func (s *session) findUndefined(ctx context.Context) {
	s.idle = map[use]bool{}
	for args := range s.Args {
		reference := s.original.find(build.Plain, args, s.Schedules[0])
		if reference == nil || reference.result == nil || len(s.Variants) > 0 && !s.differs(args) {
			continue
		}
		for _, r := range s.original.runs {
			if r.args != args || r.result == nil {
				continue
			}
			for i := range r.result.Report {
				f := &r.result.Report[i]
				u := useIn(f, args)
				if _, known := s.idle[u]; known || u == (use{}) || len(s.Variants) == 0 && !u.note {
					continue
				}
				d := s.otherwise(ctx, u, reference)
				s.idle[u] = d == nil && !s.showsNothing()
				if d != nil && len(s.Variants) > 0 {
					dependsOn(s, u, f, d)
				}
			}
		}
		if r := s.original.find(build.Checked, args, s.Schedules[0]); r != nil && r.unlike || len(s.Variants) > 0 {
			findUnset(ctx, s, reference)
		}
	}
}

// dependsOn fails the original, whose output depends on values that nobody has made: nothing can be compared with it.
func dependsOn(s *session, u use, f *execute.Finding, d *Difference) {
	s.anyOutput = true
	s.original.fail(diag.Message{Pos: shown(frames(f), s.original.places), Code: CodeUninitialised,
		Text: "the output of the original depends on " + u.what + ": with something else in it, " + d.String()}, nil)
}

// findUnset finds that the output of an original depends on variables of functions that are read before they are set. The sign is another
// output of the checked build, in which they hold what was there, or of a variant. A third build tells whether that is why.
func findUnset(ctx context.Context, s *session, reference *run) {
	program := s.build(ctx, s.original, build.Filled)
	if program == nil {
		return
	}
	u := use{undefined: unsetLocals, args: reference.args}
	d := s.otherwise(ctx, u, reference)
	if d == nil {
		return
	}
	f := execute.Finding{Code: CodeUninitialised, Space: "local", Text: d.in("another run"), Frames: execute.Places(program, d.pc)}
	if len(s.Variants) > 0 {
		dependsOn(s, u, &f, d)
	} else {
		reference.result.Report = append(reference.result.Report, f)
	}
}

// otherwise returns how the original's output differs from that of a run if the values that are used are others.
func (s *session) otherwise(ctx context.Context, u use, of *run) *Difference {
	if of.isFatal() {
		return &anotherEnd
	}
	mode, fills, log := cmp.Or(u.mode, of.mode), otherFills, of.log+"-filled"
	program := s.build(ctx, s.original, mode)
	if u.mode != "" {
		fills = []string{""} // the build has them
	}
	if u.copy {
		without := *of
		of, without.log, log = &without, "", ""
	}
	for _, fill := range fills {
		again := &run{mode: mode, args: of.args, order: of.order, log: log}
		// They may keep it from ending, or from being judged. That is a difference, no failure.
		sub := &subject{program: &s.Original}
		s.execute(ctx, sub, program, again, u.fill+"="+fill, "SMUX_FILL_KERNEL="+u.kernel)
		if !again.judged || again.isFatal() || s.badEnd(sub, again) != nil {
			again.difference = &anotherEnd
		} else {
			s.compare(sub, again, of, s.Tolerance)
		}
		s.dropLog(again)
		if again.difference != nil {
			return again.difference
		}
	}
	return nil
}

// anotherEnd is the difference of a run that does not end as the original does.
var anotherEnd = Difference{what: "the program's end", Got: "another one", Want: "the usual one"}

// differs reports whether the output of a variant is another one.
func (s *session) differs(args int) bool {
	return slices.ContainsFunc(s.subjects, func(sub *subject) bool {
		return sub != s.original && slices.ContainsFunc(sub.runs, func(r *run) bool {
			return r.args == args && r.difference != nil
		})
	})
}
