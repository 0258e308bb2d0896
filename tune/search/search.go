// Package search decides which form of a kernel to measure next. It knows
// forms by what a model expects of them, by a few words on what they are and by the
// constants that they set, and nothing else. Everything here is computed from its input: the same measurements
// lead to the same next step, so that a run that was stopped goes on as if it
// hadn't been.
package search

import (
	"slices"
	"strings"

	"github.com/smux-cuda/smux/tune/record"
)

// Variant is a form that can be measured.
type Variant struct {
	// Predicted is the time of the original over that of the form, as the model
	// expects it; 0 where it says nothing.
	Predicted float64
	// Form says that it is an original form, which merges no thread blocks.
	Form bool
	// Traits are what it shares with others, such as "vtb", "named", "N=2".
	Traits []string
	// Constants are what it gives to constants of the program: forms whose values lie
	// near each other are alike, too.
	Constants []record.Constant
}

// Of returns a variant as a search knows it.
func Of(v *record.MeasuredVariant, traits []string) Variant {
	constants, _ := v.Configuration().Constants() // none where it is no configuration
	return Variant{Predicted: v.Predicted, Form: v.Candidate.IsForm(), Traits: traits, Constants: constants}
}

// words are those on a variant, for people.
func (v *Variant) words() string {
	out := slices.Clone(v.Traits)
	for _, c := range v.Constants {
		out = append(out, c.Name+"="+c.Value)
	}
	return strings.Join(out, " ")
}

// Seen is what was measured of an item.
type Seen struct {
	Item      int     // its index
	Ratio     float64 // the time of the original over its own; 0 where it failed
	Low, High float64 // the interval of Ratio
	// Cost is the part of a full measurement that was made of it, from 0 to 1: less than
	// 1 where a Sparing strategy asked for a look. 0 is a full one.
	Cost float64
}

func (s Seen) cost() float64 {
	if s.Cost > 0 && s.Cost < 1 {
		return s.Cost
	}
	return 1
}

// Strategy chooses what to measure next.
type Strategy interface {
	// Next returns the indices of at most n items that are to be measured now, none of
	// them seen in full; none ends the search, for a reason in words.
	Next(items []Variant, seen []Seen, n int) (next []int, why string)
}

// Sparing is a strategy that first has a look at some items, and measures in full
// what looks good. Next of such a strategy returns an item a second time for
// that. Whoever measures everything in full from the beginning may use it, too.
type Sparing interface {
	Strategy
	// Pairs is how many pairs are to be measured of an item that Next has returned for
	// the same seen; 0 for as many as a full measurement takes.
	Pairs(seen []Seen, item int) int
}
