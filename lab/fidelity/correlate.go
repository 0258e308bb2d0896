package fidelity

import (
	"sort"

	"gonum.org/v1/gonum/stat"
)

// Correlation says how well the order of simulated speed-ups follows that of the
// measured ones, from -1 to 1.
type Correlation struct {
	Kendall, Spearman float64
	// Within is Kendall's over pairs of variants of the same kernel only: whether
	// the right variant is chosen, whatever the kernel.
	Within float64
	Cells  int
}

// Correlate compares the order of cells; ties count half.
func Correlate(cells []Cell) Correlation {
	x, y := make([]float64, len(cells)), make([]float64, len(cells))
	for i, c := range cells {
		x[i], y[i] = c.Measured, c.Simulated
	}
	return Correlation{
		Kendall:  stat.Kendall(x, y, nil),
		Spearman: stat.Correlation(ranks(x), ranks(y), nil),
		Within:   within(cells),
		Cells:    len(cells),
	}
}

// within returns the pairs in the same order less those in the other, over all pairs.
// Pairs that were measured equal say nothing and do not count.
func within(cells []Cell) float64 {
	sum, pairs := 0.0, 0.0
	for i, a := range cells {
		for _, b := range cells[:i] {
			d := (a.Measured - b.Measured) * (a.Simulated - b.Simulated)
			if a.Kernel != b.Kernel || a.Measured == b.Measured {
				continue
			}
			pairs++
			switch {
			case d > 0:
				sum++
			case d < 0:
				sum--
			}
		}
	}
	if pairs == 0 {
		return 0
	}
	return sum / pairs
}

// ranks gives each value its place from 1; equal values share the mean place.
func ranks(x []float64) []float64 {
	order := make([]int, len(x))
	for i := range order {
		order[i] = i
	}
	sort.Slice(order, func(i, j int) bool { return x[order[i]] < x[order[j]] })
	out := make([]float64, len(x))
	for i := 0; i < len(order); {
		j := i
		for j < len(order) && x[order[j]] == x[order[i]] {
			j++
		}
		for _, at := range order[i:j] {
			out[at] = float64(i+j+1) / 2
		}
		i = j
	}
	return out
}
