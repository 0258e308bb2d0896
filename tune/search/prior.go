package search

import (
	"math"
	"slices"
)

// prior is what is supposed of items before they are measured.
type prior struct {
	log    []float64   // of the ratio
	own    []float64   // variance besides the model's error, where it says nothing
	alike  [][]float64 // part of their traits that two items share, from 0 to 1
	merged []bool
}

func newPrior(items []Variant) *prior {
	p := &prior{log: make([]float64, len(items)), own: make([]float64, len(items)), merged: make([]bool, len(items))}
	sorted := make([][]string, len(items))
	for i, item := range items {
		p.merged[i] = !item.Form
		sorted[i] = slices.Compact(slices.Sorted(slices.Values(item.Traits)))
	}
	p.alike = make([][]float64, len(items))
	for i := range items {
		p.alike[i] = make([]float64, len(items))
		for j := range i + 1 {
			p.alike[i][j] = alike(sorted[i], sorted[j])
			p.alike[j][i] = p.alike[i][j]
		}
	}
	var known []measured
	for i, item := range items {
		if item.Predicted > 0 {
			p.log[i] = math.Log(item.Predicted)
			if p.merged[i] {
				known = append(known, measured{item: i, log: p.log[i]})
			}
		}
	}
	p.guess(items, known)
	return p
}

// guess gives items of which the model says nothing a ratio: original forms that of
// the original; others what it says of those like them, with a wide error.
func (p *prior) guess(items []Variant, known []measured) {
	var like belief
	if len(known) > 0 {
		even := *p
		even.log, even.own = make([]float64, len(items)), make([]float64, len(items))
		like = believe(&even, known)
	}
	for i, item := range items {
		switch {
		case item.Predicted > 0:
		case item.Form || len(known) == 0:
			p.own[i] = formError * formError
		default:
			mean, sd := like.expected(i)
			p.log[i], p.own[i] = mean, sd*sd
		}
	}
}

// alike returns the part of their traits that two items have in common.
func alike(a, b []string) float64 {
	if len(a) == 0 || len(b) == 0 {
		return 0
	}
	common := 0
	for _, t := range a {
		if _, ok := slices.BinarySearch(b, t); ok {
			common++
		}
	}
	return float64(common) / math.Sqrt(float64(len(a)*len(b)))
}

// covariance is that of the logarithms of two items' ratios, if the model's error
// within the kernel is of a size.
func (p *prior) covariance(i, j int, size float64) float64 {
	a := p.alike[i][j]
	v := size * size * (byTraits*a + byManyAlike*a*a)
	v += math.Sqrt(p.own[i]*p.own[j]) * (byTraits*a + byManyAlike*a*a)
	if p.merged[i] && p.merged[j] {
		v += kernelError*kernelError + gainError*gainError*p.log[i]*p.log[j]
	}
	if i == j {
		v += size*size*alone + p.own[i]*alone
	}
	return v
}
