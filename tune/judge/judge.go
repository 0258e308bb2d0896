// Package judge makes decisions of the lines of a record: what each variant gains, whether it has been measured often enough,
// which ones have to be confirmed, and which one is chosen; and it shows them. It needs no GPU.
//
// The best of many noisy measurements is too good to be true. So the search only ranks variants, and the best ones are
// measured anew, one after the other: these fresh pairs alone count. Each further try has to be surer, so that all
// together err no more often than Rules.Sure allows.
package judge

import "github.com/smux-cuda/smux/tune/record"

type Verdict struct {
	Subject record.Subject `json:"subject"`
	Rows    []Row          `json:"rows"` // in the order in which they were measured
	// Chosen is the row that was chosen, -1 to keep the original; Form that of the best original form, the original included.
	Chosen int    `json:"chosen"`
	Form   int    `json:"form"`
	Why    string `json:"why"` // in words
	// Floor is the gain in percent below which the machine can't be trusted: by so much two runs of the original differed.
	Floor float64 `json:"floor,omitempty"`
	// Waits is the measurement that the decision waits for; nil for none. The verdict is then only how things stand.
	Waits   *Task    `json:"waits,omitempty"`
	Missing []string `json:"missing,omitempty"`
	// Remarks say what makes the measurements doubtful: drift, throttling, noise.
	Remarks []string `json:"remarks,omitempty"`
}

type Task struct {
	Key     string `json:"key"`               // of the variant
	Against string `json:"against,omitempty"` // Pair.Against
	// Pairs is the number of pairs of the phase Confirm that are still needed, at most.
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

// Waits returns what the decision on the first subject waits for, nil for nothing. It makes no remarks, which take most time.
func Waits(lines []record.Line, r Rules) *Task {
	for _, of := range record.BySubject(lines) {
		return decide(collect(of), r).verdict.Waits
	}
	return nil
}

type Rules struct {
	MinGain    float64 // percent by which a variant must beat the original
	Confidence float64 // of intervals, 0.95
	Precision  float64 // part of the ratio to which intervals are narrowed
	MinPairs   int     // measured of each variant
	MaxPairs   int     // after which a variant is left as it is
	Confirm    int     // pairs that confirm a choice
	// Sure is the confidence of all decisions on kernels none of whose variants is faster: at most 1-Sure choose one.
	Sure float64
	// Finalists is the number of variants that are tried to be confirmed before the original is kept.
	Finalists int
}

// DefaultRules returns the usual rules. A gain of less than 2 % is not worth a changed kernel. Six pairs are the fewest of
// which there is an interval of 95 % for any noise; twenty narrow one of 2 % noise to about 3 %. With 24 pairs a gain of
// 5 % is confirmed through 2 % noise in more than 95 of 100 runs, while four of them may be slower than the original.
func DefaultRules() Rules {
	return Rules{MinGain: 2, Confidence: 0.95, Precision: 0.02, MinPairs: 6, MaxPairs: 20, Confirm: 24, Sure: 0.99, Finalists: 3}
}

// Enough reports whether a variant has been measured often enough in the search: MinPairs at least, and then until its interval
// is narrow enough, or MaxPairs. Pairs without a ratio count only towards MaxPairs.
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

// try returns how sure the j-th try to confirm something has to be, from 1, and its pairs. The parts of the error, 1/2, 1/6, 1/12
// and so on, sum up to no more than the whole, however often a run is taken up again.
func (r Rules) try(j int) (confidence float64, pairs int) {
	confidence = 1 - (1-r.Sure)/float64(j*(j+1))
	return confidence, max(r.Confirm, Needs(confidence))
}

func sample(p *record.Pair) Sample { return Sample{Base: p.Base, Variant: p.Variant} }
