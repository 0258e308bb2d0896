package search

import (
	"math"
	"slices"
)

// parts are over what part of an axis an effect may reach, and anyPart is what is
// supposed before it is known.
var parts = []float64{0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4}

const (
	anyPart    = 0.8
	partSpread = 1.0 // of the logarithm of the part
	rounds     = 3   // of looking at every axis, at most
)

// trusts are the parts of a prediction that may count in a space.
var trusts = []float64{0, 0.25, 0.5, 1}

// learn chooses over what part of each axis effects reach, and so which constants
// matter, and how far the model is to be trusted, by how well that explains what was
// measured: one after the other, as long as that gains something. It is automatic relevance determination (Rasmussen and Williams,
// Gaussian Processes for Machine Learning, §5.1) over a grid.
func (p *prior) learn(seen []measured) {
	if len(p.axes) == 0 || len(seen) < 3 {
		return
	}
	now := slices.Repeat([]float64{anyPart}, len(p.axes))
	size := p.sizes[len(p.sizes)/2]
	score := func() float64 {
		p.reach(now)
		s := p.explain(seen, p.between(seen), size).evidence
		for _, part := range now {
			far := math.Log(part/anyPart) / partSpread
			s -= 0.5 * far * far
		}
		return s
	}
	best := score()
	better := func(into *float64, among []float64) (changed bool) {
		was := *into
		for _, v := range among {
			before := *into
			if v == was || v == before {
				continue
			}
			*into = v
			if s := score(); s > best+1e-6 {
				best, changed = s, true
			} else {
				*into = before
			}
		}
		return changed
	}
	for range rounds {
		changed := better(&size, p.sizes)
		if p.predicts {
			changed = better(&p.trust, trusts) || changed
		}
		for d := range now {
			changed = better(&now[d], parts) || changed
		}
		if !changed {
			break
		}
	}
	p.reach(now)
}
