// Package combine tries rewriters with all values of their knobs on a program:
// every rewriter that package rewrite lists, with each value of each knob that
// it has. What is added there is tried without an edit here. It is used by tests
// only, which then hold what was emitted to its word.
//
// What it leaves out: kernels of one program that are rewritten in different
// ways, which a Decision asks for.
package combine

import (
	"slices"

	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/rewrite/variant"
)

// Values are the values of the knobs, apart from the sync modes, of which a
// rewriter lists its own.
type Values struct {
	Factors []int             // N; nil for those that a rewriter compares
	Slots   []int             // M
	Private []int             // P, 0 for the rewriter's choice
	Stage   []int             // K, 0 for all
	Assume  []bool            // whether the compiler is told the block shape
	Merge   []string          // the dimension of the grid, "" for x
	On      []string          // other knobs that are on or off, tried all together with the first N; with Product each by itself, too
	Before  []rewrite.Variant // what makes shared arrays smaller before blocks are merged; with the first N
	// Product asks for every combination of all values. Without it, the values of
	// P, K, the block shape and the dimension after the first are tried one at a
	// time and with the first N: they are proved and emitted by parts of their own.
	Product bool
}

// Usual are two values of each knob: all of N, M and the sync modes, the others
// one at a time.
var Usual = Values{
	Factors: []int{2, 4}, Slots: []int{1, 2}, Private: []int{0, 1}, Stage: []int{0, 4},
	Assume: []bool{false, true}, Merge: []string{"", "y"}, On: ofTurns,
	Before: []rewrite.Variant{{Rewriter: variant.Overlay}, {Rewriter: variant.Slice, By: variant.ByComponent}},
}

// Full are all values that make a difference to the emitted text.
var Full = Values{
	Slots: []int{1, 2, 3}, Private: []int{0, 1, 2, 3}, Stage: []int{0, 1, 4, variant.NoStage},
	Assume: []bool{false, true}, Merge: []string{"", "y", "z"}, On: ofTurns, Product: true,
	Before: []rewrite.Variant{{Rewriter: variant.Overlay}, {Rewriter: variant.Slice, By: variant.ByComponent}, {Rewriter: variant.Slice, By: variant.ByWindow, Rounds: 2}},
}

var ofTurns = append(variant.OfTurns(), variant.KnobPersistent)

// AlongX returns the values without those that merge along another dimension:
// they say little of a grid that is one block deep there.
func (v Values) AlongX() Values {
	v.Merge = []string{""}
	return v
}

// Variants are all rewriters with the values of the knobs that they have. A knob
// that a rewriter does not have keeps its zero value.
func (v Values) Ways() []rewrite.Variant {
	var out []rewrite.Variant
	for _, r := range rewrite.Rewriters {
		if r.Searched {
			continue // it needs a recipe
		}
		ways := []rewrite.Variant{{Rewriter: r.Name}}
		factors := v.Factors
		if factors == nil {
			factors = r.Factors
		}
		ways = each(ways, r.Has(variant.KnobFactor), factors, func(w *rewrite.Variant, n int) { w.Factor = n })
		// A rewriter with one sync mode need not have the knob.
		ways = each(ways, len(r.Syncs) > 0, r.Syncs, func(w *rewrite.Variant, s string) { w.Sync = s })
		ways = each(ways, r.Has(variant.KnobSharedSets), v.Slots, func(w *rewrite.Variant, m int) { w.SharedSets = m })
		ways = each(ways, r.Cuts != nil, r.Cuts, func(w *rewrite.Variant, c variant.Cut) { w.By, w.Rounds = c.By, c.Rounds })
		first := slices.DeleteFunc(slices.Clone(ways), func(w rewrite.Variant) bool { return w.Factor != ways[0].Factor })
		for _, vary := range []func([]rewrite.Variant) []rewrite.Variant{
			func(ways []rewrite.Variant) []rewrite.Variant {
				return each(ways, r.Has(variant.KnobPrivateRows), v.Private, func(w *rewrite.Variant, p int) { w.PrivateRows = p })
			},
			func(ways []rewrite.Variant) []rewrite.Variant {
				return each(ways, r.Has(variant.KnobStage), v.Stage, func(w *rewrite.Variant, k int) { w.Stage = k })
			},
			func(ways []rewrite.Variant) []rewrite.Variant {
				return each(ways, r.Has(variant.KnobGridAxis), v.Merge, func(w *rewrite.Variant, d string) { w.GridAxis = d })
			},
			func(ways []rewrite.Variant) []rewrite.Variant {
				return each(ways, r.Has(variant.KnobOf), []string{"", variant.Threads}, func(w *rewrite.Variant, of string) { w.Of = of })
			},
			func(ways []rewrite.Variant) []rewrite.Variant {
				return each(ways, r.Has(variant.KnobAssume), v.Assume, func(w *rewrite.Variant, a bool) { w.Assume = a })
			},
		} {
			if v.Product {
				ways = vary(ways)
				continue
			}
			for _, w := range vary(first) {
				if !slices.Contains(ways, w) {
					ways = append(ways, w)
				}
			}
		}
		for _, on := range v.switched() {
			for _, w := range first {
				for _, knob := range on {
					*w.Switch(knob) = r.Has(knob)
				}
				if !slices.Contains(ways, w) {
					ways = append(ways, w)
				}
			}
		}
		for _, before := range v.Before {
			for _, w := range first {
				if w = w.After(before); r.Has(variant.KnobOverlay) && !slices.Contains(ways, w) {
					ways = append(ways, w)
				}
			}
		}
		out = append(out, ways...)
	}
	return out
}

// switched are the sets of knobs that are on together.
func (v Values) switched() (out [][]string) {
	if v.Product {
		for _, knob := range v.On {
			out = append(out, []string{knob})
		}
	}
	if len(v.On) > 0 {
		out = append(out, v.On)
	}
	return out
}

// each multiplies ways by the values of a knob, if the rewriter has it.
func each[T comparable](ways []rewrite.Variant, has bool, values []T, set func(*rewrite.Variant, T)) []rewrite.Variant {
	if !has || len(values) == 0 {
		return ways
	}
	var out []rewrite.Variant
	for _, w := range ways {
		for _, value := range values {
			set(&w, value)
			if !slices.Contains(out, w) {
				out = append(out, w)
			}
		}
	}
	return out
}
