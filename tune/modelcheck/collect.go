package modelcheck

import (
	"github.com/smux-cuda/smux/tune/judge"
	"github.com/smux-cuda/smux/tune/record"
)

// collect returns the configurations of a kernel on a device, in the order of the record.
func collect(of *record.Series) (out []point) {
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
		out = append(out, p)
	}
	return out
}
