package fidelity

import (
	"cmp"
	"math"
	"slices"
)

// Kendall returns Kendall's τ-b of two lists; ok is false where one has no order. (gonum has τ-a, to which a tie is an order.)
func Kendall(x, y []float64) (tau float64, ok bool) {
	same, tiesX, tiesY, pairs := 0, 0, 0, 0
	for i := range x {
		for j := range i {
			a, b := cmp.Compare(x[i], x[j]), cmp.Compare(y[i], y[j])
			pairs++
			same += a * b
			if a == 0 {
				tiesX++
			}
			if b == 0 {
				tiesY++
			}
		}
	}
	if tiesX == pairs || tiesY == pairs {
		return 0, false
	}
	return float64(same) / math.Sqrt(float64(pairs-tiesX)*float64(pairs-tiesY)), true
}

// Spearman returns Spearman's ρ, equal values sharing their place; ok is false where one of the lists has no order.
func Spearman(x, y []float64) (rho float64, ok bool) {
	a, b := places(x), places(y)
	middle := float64(len(x)+1) / 2
	var ab, aa, bb float64
	for i := range a {
		ab += (a[i] - middle) * (b[i] - middle)
		aa += (a[i] - middle) * (a[i] - middle)
		bb += (b[i] - middle) * (b[i] - middle)
	}
	if aa == 0 || bb == 0 {
		return 0, false
	}
	return ab / math.Sqrt(aa*bb), true
}

// places returns the places of values in their order, from 1.
func places(x []float64) []float64 {
	sorted := slices.Sorted(slices.Values(x))
	out := make([]float64, len(x))
	for i, v := range x {
		first, _ := slices.BinarySearch(sorted, v)
		last := first
		for last+1 < len(sorted) && sorted[last+1] == v {
			last++
		}
		out[i] = float64(first+last)/2 + 1
	}
	return out
}
