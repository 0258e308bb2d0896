// Package judge makes decisions of the lines of a record: what each variant gains by a few
// noisy times, whether it has been measured often enough, which ones have to be confirmed,
// and which one is chosen; and it shows them as a document and as tables. It computes all of that from its input, so that a record
// can be judged again where there is no GPU.
//
// The best of many noisy measurements is too good to be true: of thirty variants
// that are all as fast as the original, one looks faster by luck. So the search
// only ranks variants. The best ones are then measured anew, one after the other,
// and these fresh pairs alone say whether a variant is chosen. Each further one
// that is tried has to be surer, so that all tries together err no more often
// than Rules.Sure allows.
package judge

import "github.com/smux-cuda/smux/tune/record"

// Verdict is the decision on a kernel.
type Verdict struct {
	Subject record.Subject `json:"subject"`
	Rows    []Row          `json:"rows"` // in the order in which they were measured
	// Chosen and Form are the indices of the chosen row and of the best original form,
	// the original as it is written included; -1 for none. Where nothing is chosen
	// the original is kept.
	Chosen int    `json:"chosen"`
	Form   int    `json:"form"`
	Why    string `json:"why"` // in words
	// Floor is the gain in percent below which the machine can't be trusted, since it
	// told two runs of the original apart by so much; 0 where it didn't.
	Floor float64 `json:"floor,omitempty"`
	// Waits is the measurement that the decision waits for; nil for none. The verdict
	// is then only how things stand.
	Waits *Task `json:"waits,omitempty"`
	// Missing names the variants that the search did not measure, or not often enough.
	Missing []string `json:"missing,omitempty"`
	// Remarks say what makes the measurements doubtful: drift, throttling, noise.
	Remarks []string `json:"remarks,omitempty"`
}

// Task is a measurement that a decision waits for.
type Task struct {
	Key     string `json:"key"`               // of the variant
	Against string `json:"against,omitempty"` // Pair.Against
	// Pairs is the number of pairs of the phase Confirm that are still needed, at most: where
	// the first of them settle it Waits asks for no more.
	Pairs int `json:"pairs"`
}

// Of judges all subjects of a record, in the order in which they begin.
func Of(lines []record.Line, r Rules) []Verdict {
	var out []Verdict
	for _, of := range record.BySubject(lines) {
		d := decide(collect(of), r)
		if of.Subject.Tuner == "" {
			d.remark()
		}
		out = append(out, d.verdict)
	}
	return out
}

// Waits returns the measurement that the decision on the first subject of some lines waits for, nil for none. It makes no
// remarks, which take most of the time.
func Waits(lines []record.Line, r Rules) *Task {
	for _, of := range record.BySubject(lines) {
		return decide(collect(of), r).verdict.Waits
	}
	return nil
}

// Rules say what it takes to be chosen.
type Rules struct {
	MinGain    float64 // percent by which a variant must beat the original
	Confidence float64 // of intervals, 0.95
	Precision  float64 // part of the ratio to which intervals are narrowed
	MinPairs   int     // measured of each variant
	MaxPairs   int     // after which a variant is left as it is
	Confirm    int     // pairs that confirm a choice
	// Sure is the confidence of the decision: of all decisions on kernels none of
	// whose variants is faster, at most 1-Sure choose one.
	Sure float64
	// Finalists is the number of variants that are tried to be confirmed before the original is
	// kept.
	Finalists int
}

// DefaultRules returns the rules if nothing else is said.
//
// A gain of less than 2 % is not worth a changed kernel. Six pairs are the fewest of
// which there is an interval of 95 % for any noise; twenty narrow one of 2 % noise
// to about 3 %. With 24 pairs a gain of 5 % is confirmed through 2 % noise in more than
// 95 of 100 runs, while four of them may be slower than the original.
func DefaultRules() Rules {
	return Rules{MinGain: 2, Confidence: 0.95, Precision: 0.02, MinPairs: 6, MaxPairs: 20, Confirm: 24, Sure: 0.99, Finalists: 3}
}

// Enough reports whether a variant has been measured often enough in the search:
// MinPairs at least, and then until its interval is narrow enough, or MaxPairs.
// Pairs of other phases don't count, and those without a ratio only towards MaxPairs.
func (r Rules) Enough(pairs []record.Pair) bool {
	var samples []Sample
	for _, p := range pairs {
		if p.Phase == record.Search && p.Against == "" {
			samples = append(samples, sample(&p))
		}
	}
	return r.enough(samples)
}

func (r Rules) enough(samples []Sample) bool {
	switch n := len(samples); {
	case n < r.MinPairs:
		return false
	case n >= r.MaxPairs:
		return true
	}
	e := Estimate(samples, r.Confidence)
	return e.Pairs >= r.MinPairs && e.Width() < r.Precision
}

// try returns how sure the j-th try to confirm something has to be, from 1, and
// how many pairs it takes: the error is split into parts of 1/2, 1/6, 1/12 and so on, which
// sum up to no more than the whole, however often a run is taken up again.
func (r Rules) try(j int) (confidence float64, pairs int) {
	confidence = 1 - (1-r.Sure)/float64(j*(j+1))
	return confidence, max(r.Confirm, Needs(confidence))
}

func sample(p *record.Pair) Sample { return Sample{Base: p.Base, Variant: p.Variant} }
