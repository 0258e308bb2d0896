package modelcheck

import (
	"slices"

	"github.com/smux-cuda/smux/tune/record"
)

// subject is a kernel on a device, with its configurations in the order of the record.
type subject struct {
	subject record.Subject
	points  []point
}

// collect returns what other tuners measured.
func collect(lines []record.Line) []*subject {
	type place struct {
		of *subject
		at int
	}
	var out []*subject
	bySubject, byVariant := map[string]*subject{}, map[string]place{}
	times := map[*record.MeasuredVariant][]float64{}
	for _, l := range lines {
		if v := l.Variant; v != nil && v.Subject.Tuner != "" {
			if _, known := byVariant[l.Key]; known {
				continue
			}
			key := v.Subject.Key()
			s := bySubject[key]
			if s == nil {
				s = &subject{subject: v.Subject}
				bySubject[key] = s
				out = append(out, s)
			}
			constants, _ := v.Configuration().Constants()
			byVariant[l.Key] = place{s, len(s.points)}
			s.points = append(s.points, point{variant: v, constants: constants})
			continue
		}
		w, known := byVariant[l.Key]
		if !known {
			continue
		}
		p := &w.of.points[w.at]
		switch {
		case l.Failure != nil:
			p.failure = l.Failure
		case l.Pair != nil:
			times[p.variant] = append(times[p.variant], l.Pair.Variant...)
			p.measured = median(times[p.variant])
			if l.Pair.Counters != nil {
				p.counters = l.Pair.Counters
			}
		}
	}
	return out
}

// median is that of a list with something in it.
func median(of []float64) float64 {
	s := slices.Sorted(slices.Values(of))
	n := len(s)
	return (s[(n-1)/2] + s[n/2]) / 2
}
