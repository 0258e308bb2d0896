// Package search decides which form of a kernel to measure next, by what a model expects of forms, a few words on them and the
// constants that they set. The same measurements lead to the same next step, so a stopped run goes on as if it hadn't been.
package search

import (
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/tune/record"
)

type Variant struct {
	// Predicted is the time of the original over that of the form, as the model expects it; 0 where it says nothing.
	Predicted float64
	// Form says that it is an original form, which merges no thread blocks.
	Form bool
	// Traits names what it shares with others, such as "vtb", "named", "N=2".
	Traits []string
	// Constants are the values that it gives to constants of the program: forms with near values are alike, too.
	Constants []record.Constant
}

func Of(v *record.MeasuredVariant, traits []string) Variant {
	constants, _ := v.Configuration().Constants() // none where it is no configuration
	return Variant{Predicted: v.Predicted, Form: v.Candidate.IsForm(), Traits: traits, Constants: constants}
}

func (v *Variant) words() string {
	out := slices.Clone(v.Traits)
	for _, c := range v.Constants {
		out = append(out, c.Name+"="+c.Value)
	}
	return strings.Join(out, " ")
}

type Seen struct {
	Item      int     // its index
	Ratio     float64 // the time of the original over its own; 0 where it failed
	Low, High float64 // the interval of Ratio
	// Cost is the part of a full measurement that was made of it, from 0 to 1: of a look less than 1. 0 is a full one.
	Cost float64
}

func (s Seen) cost() float64 {
	if s.Cost > 0 && s.Cost < 1 {
		return s.Cost
	}
	return 1
}

type Strategy interface {
	// Next returns at most n items to measure now, none of them seen in full; none ends the search, for a reason in words.
	// An item of which a look was good is returned a second time.
	Next(items []Variant, seen []Seen, n int) (next []int, why string)
	// Pairs returns the number of pairs to measure of an item that Next returned for the same seen; 0 for a full measurement.
	Pairs(seen []Seen, item int) int
}

// inFull is of strategies that have no look first.
type inFull struct{}

func (inFull) Pairs([]Seen, int) int { return 0 }

type Exhaustive struct{ inFull }

func (Exhaustive) Next(items []Variant, seen []Seen, n int) (next []int, why string) {
	for i, open := range unseen(len(items), seen) {
		if open && len(next) < n {
			next = append(next, i)
		}
	}
	return next, all
}

// Random measures everything in an order that the seed decides, the original first.
type Random struct {
	inFull
	Seed uint64
}

func (r Random) Next(items []Variant, seen []Seen, n int) (next []int, why string) {
	if len(items) == 0 {
		return nil, all
	}
	open := unseen(len(items), seen)
	for _, i := range append([]int{-1}, rand.New(rand.NewPCG(r.Seed, 0)).Perm(len(items)-1)...) {
		if len(next) < n && open[i+1] {
			next = append(next, i+1)
		}
	}
	return next, all
}

// all is why a search ends that leaves nothing.
const all = "everything has been looked at"

// unseen returns of each of n items whether it has not been seen.
func unseen(n int, seen []Seen) []bool {
	out := make([]bool, n)
	for i := range out {
		out[i] = true
	}
	for _, s := range seen {
		if s.Item >= 0 && s.Item < n {
			out[s.Item] = false
		}
	}
	return out
}
