package datasets

import (
	"slices"

	"github.com/smux-cuda/smux/tune/judge"
	"github.com/smux-cuda/smux/tune/search"
)

// Outcome is the result that a search would have on a record in which everything was
// measured.
type Outcome struct {
	// Forms and Pairs are what was measured, and AllForms and AllPairs what the record
	// holds. Share is Pairs over AllPairs.
	Forms    int     `json:"forms"`
	Pairs    int     `json:"pairs"`
	AllForms int     `json:"allForms"`
	AllPairs int     `json:"allPairs"`
	Share    float64 `json:"share"`
	// Found and Best are the indices of the best form that was found, and of the best
	// there is; -1 for none. Loss is by how many percent the ratio of the one is below the
	// other's, by all pairs of both.
	Found int     `json:"found"`
	Best  int     `json:"best"`
	Loss  float64 `json:"loss"`
	Why   string  `json:"why"` // it ended
}

// Replay has a strategy search a record. measured holds the ratios of the pairs
// of each item, in their order, none where it failed.
func Replay(s search.Strategy, items []search.Variant, measured [][]float64) Outcome {
	r := replay{measured: measured, known: make([][]float64, len(items))}
	out := Outcome{AllForms: len(items), Found: -1, Best: -1}
	for _, pairs := range measured {
		out.AllPairs += len(pairs)
	}
	for {
		next, why := s.Next(items, r.seen, 1)
		if len(next) == 0 {
			out.Why = why
			break
		}
		r.measure(next[0], s.Pairs(r.seen, next[0]))
	}
	out.Forms = len(r.seen)
	for _, pairs := range r.known {
		out.Pairs += len(pairs)
	}
	if out.AllPairs > 0 {
		out.Share = float64(out.Pairs) / float64(out.AllPairs)
	}
	out.Found, out.Best = r.found(), best(measured)
	if out.Found >= 0 {
		out.Loss = 100 * (1 - ratio(measured[out.Found])/ratio(measured[out.Best]))
	}
	return out
}

// replay is a search in a record.
type replay struct {
	measured [][]float64
	seen     []search.Seen
	known    [][]float64 // ratios of the pairs that were measured
}

// measure measures an item in so many pairs, 0 for all.
func (r *replay) measure(item, pairs int) {
	all := r.measured[item]
	if pairs == 0 || pairs > len(all) {
		pairs = len(all)
	}
	r.known[item] = all[:pairs]
	e := estimate(all[:pairs])
	now := search.Seen{Item: item, Ratio: e.Median, Low: e.Low, High: e.High}
	if pairs < len(all) {
		now.Cost = float64(pairs) / float64(len(all))
	}
	at := slices.IndexFunc(r.seen, func(s search.Seen) bool { return s.Item == item })
	if at < 0 {
		r.seen = append(r.seen, now)
	} else {
		r.seen[at] = now
	}
}

// found returns the best of what was measured in full.
func (r *replay) found() int {
	full := make([][]float64, len(r.known))
	for i, pairs := range r.known {
		if len(pairs) == len(r.measured[i]) {
			full[i] = pairs
		}
	}
	return best(full)
}

// best returns the index of the largest ratio, the first of equals; -1 for none.
func best(measured [][]float64) int {
	at := -1
	for i, pairs := range measured {
		if len(pairs) > 0 && (at < 0 || ratio(pairs) > ratio(measured[at])) {
			at = i
		}
	}
	return at
}

func ratio(pairs []float64) float64 { return estimate(pairs).Median }

func estimate(pairs []float64) judge.Ratio {
	var samples []judge.Sample
	for _, r := range pairs {
		samples = append(samples, judge.Sample{Base: []float64{r}, Variant: []float64{1}})
	}
	return judge.Estimate(samples, 0.95)
}
