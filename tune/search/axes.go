package search

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"maps"
	"math"
	"math/bits"
	"slices"
	"strconv"
)

// axis is a constant with all values that items give it, in their order.
type axis struct {
	at   []int     // of each item, the index of its value; -1 for an item without the constant
	kind int       // how many values there are
	from []float64 // where each value lies
	near []float64 // how much of an effect two values share, 0 to 1, by kind*a + b
}

// axes are those of the constants that items have different values of, in the order of their names.
func axes(items []Variant) []*axis {
	values := map[string]map[string]int{}
	for _, item := range items {
		for _, c := range item.Constants {
			if values[c.Name] == nil {
				values[c.Name] = map[string]int{}
			}
			values[c.Name][c.Value] = 0
		}
	}
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(values)), func(name string) bool { return len(values[name]) < 2 })
	out := make([]*axis, len(names))
	index := map[string]int{}
	for d, name := range names {
		out[d] = newAxis(len(items), values[name])
		index[name] = d
	}
	for i, item := range items {
		for _, c := range item.Constants {
			if d, varies := index[c.Name]; varies {
				out[d].at[i] = values[c.Name][c.Value]
			}
		}
	}
	for d := range names {
		if x := out[d].even(values[names[d]]); x != nil {
			out = append(out, x)
		}
	}
	return out
}

// even returns the axis of the powers of two that divide another's values, nil if useless: hardware serves 32 and 96 alike, not 48.
func (a *axis) even(places map[string]int) *axis {
	of := make([]int, a.kind)
	powers := true
	for text, at := range places {
		n, err := strconv.ParseUint(text, 10, 32)
		if err != nil {
			return nil
		}
		of[at] = min(bits.TrailingZeros64(n), mostEven)
		powers = powers && n&(n-1) == 0
	}
	levels := slices.Compact(slices.Sorted(slices.Values(of)))
	if powers || len(levels) < 2 {
		return nil
	}
	x := &axis{at: slices.Clone(a.at), kind: len(levels)}
	for _, level := range levels {
		x.from = append(x.from, float64(level))
	}
	for i, v := range a.at {
		if v >= 0 {
			x.at[i] = slices.Index(levels, of[v])
		}
	}
	x.scale()
	return x
}

// mostEven is the power of two above which none matters.
const mostEven = 6

// newAxis puts values into order, and their places into places: numbers by their logarithm, words equally far from each other.
func newAxis(items int, places map[string]int) *axis {
	a := &axis{at: make([]int, items), kind: len(places)}
	for i := range a.at {
		a.at[i] = -1
	}
	type value struct {
		text   string
		number float64
	}
	var all []value
	words := false
	for text := range places {
		n, err := strconv.ParseFloat(text, 64)
		words = words || err != nil || math.IsNaN(n) || math.IsInf(n, 0)
		all = append(all, value{text, n})
	}
	slices.SortFunc(all, func(a, b value) int {
		if words {
			return cmp.Compare(a.text, b.text)
		}
		return cmp.Or(cmp.Compare(a.number, b.number), cmp.Compare(a.text, b.text))
	})
	least := all[0].number
	for i, v := range all {
		places[v.text] = i
		if !words {
			a.from = append(a.from, math.Log1p(v.number-min(least, 1)))
		}
	}
	a.scale()
	return a
}

func (a *axis) scale() {
	if n := len(a.from); n > 0 {
		first, length := a.from[0], a.from[n-1]-a.from[0]
		for i := range a.from {
			a.from[i] = (a.from[i] - first) / max(length, 1e-9)
		}
	}
	a.near = make([]float64, a.kind*a.kind)
}

// reach sets over what part of the axis an effect reaches.
func (a *axis) reach(part float64) {
	for i := range a.kind {
		for j := range a.kind {
			far := 1.0
			switch {
			case i == j:
				far = 0
			case a.from != nil:
				far = math.Abs(a.from[i] - a.from[j])
			}
			a.near[a.kind*i+j] = math.Exp(-far / part)
		}
	}
}

// hash is a number of an item that does not depend on where it stands.
func (v *Variant) hash(seed uint64) uint64 {
	h := fnv.New64a()
	fmt.Fprintf(h, "%x\x00", seed)
	for _, c := range v.Constants {
		fmt.Fprintf(h, "%s\x00%s\x00", c.Name, c.Value)
	}
	for _, t := range v.Traits {
		fmt.Fprintf(h, "%s\x00", t)
	}
	return mix(h.Sum64())
}

// mix spreads the bits of a number: neighbours have nothing in common then (the finaliser of splitmix64).
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
