package judge

import (
	"fmt"
)

// state says how far a confirmation is.
type state int

const (
	pending   state = iota // more pairs are needed
	confirmed              // it holds
	refused                // it doesn't
)

// confirmation holds what the fresh pairs say of a gain.
type confirmation struct {
	state state
	ratio Ratio  // zero as long as there are no pairs
	left  int    // pairs, while it is pending
	why   string // it is refused, in words
}

// confirm looks at the first n pairs and at no more, so that it doesn't matter how
// many there are. The gain holds where the interval is above 1 and the ratio at
// least the least one that counts. A pair without a ratio counts as not faster.
//
// Where so many pairs are no faster that the interval can't be above 1
// whatever the rest says, the rest need not be measured: that only saves time.
func confirm(samples []Sample, confidence float64, n int, least float64) confirmation {
	if len(samples) == 0 {
		return confirmation{left: n}
	}
	samples = samples[:min(n, len(samples))]
	c := confirmation{ratio: Estimate(samples, confidence), left: n - len(samples)}
	if c.left > 0 {
		slower := 0
		for _, s := range samples {
			if s.Ratio() <= 1 {
				slower++
			}
		}
		if slower >= Rank(n, confidence) {
			c.state, c.left = refused, 0
			c.why = fmt.Sprintf("%d of %d fresh pairs are no faster", slower, len(samples))
		}
		return c
	}
	c.state = refused
	switch {
	case c.ratio.Pairs < Needs(confidence):
		c.why = fmt.Sprintf("only %d of %d fresh pairs have times that can be compared", c.ratio.Pairs, n)
	case c.ratio.Low <= 1:
		c.why = fmt.Sprintf("%d fresh pairs give %s, which holds 1", c.ratio.Pairs, spoken(c.ratio))
	case c.ratio.Median < least:
		c.why = fmt.Sprintf("%d fresh pairs give %s, a gain under %s", c.ratio.Pairs, spoken(c.ratio), percent(least-1))
	default:
		c.state = confirmed
		if first, behind, ok := FirstRepetition(samples, confidence); ok && (behind.Low <= 1 || behind.Median < least) {
			c.state = refused
			c.why = fmt.Sprintf("only the first repetition of its runs is faster: %s, and after it %s", spoken(first), spoken(behind))
		}
	}
	return c
}

// spoken returns a ratio with its interval.
func spoken(r Ratio) string {
	if !r.Known() {
		return fmt.Sprintf("%.3f", r.Median)
	}
	return fmt.Sprintf("%.3f (%.3f to %.3f)", r.Median, r.Low, r.High)
}

// percent returns a part in percent.
func percent(part float64) string { return fmt.Sprintf("%.3g %%", 100*part) }
