// Package search decides which form of a kernel to measure next. It knows
// forms by what a model expects of them and by a few words on what they are, and
// nothing else. Everything here is computed from its input: the same measurements
// lead to the same next step, so that a run that was stopped goes on as if it
// hadn't been.
package search

// Item is a form that can be measured.
type Item struct {
	// Predicted is the time of the original over that of the form, as the model
	// expects it; 0 where it says nothing.
	Predicted float64
	// Form says that it is an original form, which merges no thread blocks.
	Form bool
	// Traits are what it shares with others, such as "vtb", "named", "N=2".
	Traits []string
}

// Seen is what was measured of an item.
type Seen struct {
	Item      int     // its index
	Ratio     float64 // the time of the original over its own; 0 where it failed
	Low, High float64 // the interval of Ratio
}

// Strategy says what to measure next.
type Strategy interface {
	// Next returns the indices of at most n items that are to be measured now, none of
	// them seen; none ends the search, for a reason in words.
	Next(items []Item, seen []Seen, n int) (next []int, why string)
}
