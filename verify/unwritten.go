package verify

import (
	"context"
	"slices"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/verify/build"
)

// otherFill sets what shared memory holds, in one more run, before anybody writes it.
const otherFill = "SMUX_SHARED_FILL=0x3d"

// findUnwritten runs an original that reads shared memory which nobody wrote once
// more, where a variant differs from it: with something else in that memory. An
// output that changes with it is nothing that a variant could be compared with.
func (s *session) findUnwritten(ctx context.Context) {
	for args := range s.Args {
		read := s.readsUnwritten(args)
		if read == nil || !s.differs(args) {
			continue
		}
		reference := s.original.find(build.Plain, args, s.Schedules[0])
		if reference == nil || reference.result == nil {
			continue
		}
		again := &run{mode: build.Plain, args: args, order: s.Schedules[0], log: reference.log + "-filled"}
		s.execute(ctx, s.original, s.build(ctx, s.original, build.Plain), again, otherFill)
		if again.judged {
			s.compare(s.original, again, reference, s.Tolerance)
		}
		if d := again.difference; d != nil {
			s.anyOutput = true
			s.original.fail(diag.Message{Pos: read.Pos, Code: CodeUninitialised,
				Text: "the output of the original depends on shared memory that nobody wrote: with something else in it, " + d.String()}, nil)
		}
		s.dropLog(again)
	}
}

// readsUnwritten returns the message of the first read of shared memory that nobody
// wrote, nil where the original makes none.
func (s *session) readsUnwritten(args int) *diag.Message {
	for _, r := range s.original.runs {
		if r.args != args || r.result == nil {
			continue
		}
		for i := range r.result.Report {
			if f := &r.result.Report[i]; f.Code == CodeUninitialised {
				m := messageOf(f, s.original.places)
				return &m
			}
		}
	}
	return nil
}

// differs reports whether the output of a variant is another one.
func (s *session) differs(args int) bool {
	return slices.ContainsFunc(s.subjects, func(sub *subject) bool {
		return sub != s.original && slices.ContainsFunc(sub.runs, func(r *run) bool {
			return r.args == args && r.difference != nil
		})
	})
}
