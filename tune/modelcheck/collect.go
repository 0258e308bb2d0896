package modelcheck

import (
	"github.com/smux-cuda/smux/tune/judge"
	"github.com/smux-cuda/smux/tune/record"
)

// subject is a kernel on a device, with its configurations in the order of the record.
type subject struct {
	subject record.Subject
	points  []point
}

func collect(lines []record.Line) (out []*subject) {
	for _, of := range record.BySubject(lines) {
		if of.Subject.Tuner == "" {
			continue
		}
		s := &subject{subject: of.Subject}
		for _, m := range of.Variants {
			p, times := point{variant: m.MeasuredVariant}, []float64(nil)
			p.constants, _ = m.Configuration().Constants()
			for _, l := range m.Lines {
				if l.Failure != nil {
					p.failure = l.Failure
					continue
				}
				times = append(times, l.Pair.Variant...)
				if l.Pair.Counters != nil {
					p.counters = l.Pair.Counters
				}
			}
			p.measured = judge.Median(times)
			s.points = append(s.points, p)
		}
		out = append(out, s)
	}
	return out
}
