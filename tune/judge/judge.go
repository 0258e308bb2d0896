// Package judge makes decisions of the lines of a record: what each variant gains,
// whether it has been measured often enough, which ones have to be confirmed, and
// which one is chosen. It computes all of that from its input, so that a record
// can be judged again where there is no GPU.
package judge

import (
	"github.com/smux-cuda/smux/tune/record"
	"github.com/smux-cuda/smux/tune/stats"
)

// Rules say what it takes to be chosen.
type Rules struct {
	MinGain    float64 // percent by which a variant must beat the original
	Confidence float64 // of intervals, 0.95
	Precision  float64 // part of the ratio to which intervals are narrowed
	MinPairs   int     // measured of each variant
	MaxPairs   int     // after which a variant is left as it is
	Confirm    int     // pairs that confirm a choice
}

// Row is what is known of one variant.
type Row struct {
	Key string `json:"key"`
	record.Variant
	Base    float64     `json:"base"` // median times in milliseconds
	Time    float64     `json:"time"`
	Search  stats.Ratio `json:"search"`  // over the original, as it was searched
	Confirm stats.Ratio `json:"confirm"` // as it was confirmed, independent of Search
	// OverForm is the gain over the best original form.
	OverForm stats.Ratio     `json:"overForm"`
	Checked  record.Evidence `json:"checked"`
	Failure  *record.Failure `json:"failure,omitempty"`
}

// Verdict is what is decided on a kernel.
type Verdict struct {
	Subject record.Subject `json:"subject"`
	Rows    []Row          `json:"rows"` // in the order in which they were measured
	// Chosen and Form are the indices of the chosen row and of the best original form;
	// -1 for none. Where nothing is chosen the original is kept.
	Chosen int    `json:"chosen"`
	Form   int    `json:"form"`
	Why    string `json:"why"` // in words
	// Remarks say what makes the measurements doubtful: drift, throttling, noise.
	Remarks []string `json:"remarks,omitempty"`
}

// Task is a measurement that a decision waits for.
type Task struct {
	Key     string // of the variant
	Against string // Pair.Against
}

// Of judges all subjects of a record, in the order in which they begin.
func Of(lines []record.Line, r Rules) []Verdict { return nil }

// Enough says whether a variant has been measured often enough in the search.
func (r Rules) Enough(pairs []record.Pair) bool { return len(pairs) >= r.MinPairs }

// Waits says what has still to be confirmed of one subject before it can be judged; ok is false
// where nothing is.
func Waits(v Verdict, lines []record.Line, r Rules) (t Task, ok bool) { return Task{}, false }
