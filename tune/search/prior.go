package search

import (
	"math"
	"slices"
)

// prior holds what is supposed of items before they are measured.
type prior struct {
	log    []float64 // of the ratio
	trust  float64   // in it, in a space: the part of log that counts
	own    []float64 // variance besides the model's error, where it says nothing
	merged []bool
	traits [][]string // sorted, each once
	axes   []*axis
	weight []float64 // of each axis among what two items have in common; 1 on average
	// space says that the items are one form with other constants, and predicts that the model says something of them.
	space, predicts bool
	sizes           []float64 // standard deviations of the model's error that are thought of
}

func newPrior(items []Variant) *prior {
	n := len(items)
	p := &prior{log: make([]float64, n), own: make([]float64, n), merged: make([]bool, n), traits: make([][]string, n), axes: axes(items), sizes: sizes, trust: 1}
	p.space = len(p.axes) > 0
	for i, item := range items {
		p.merged[i] = !item.Form
		p.traits[i] = slices.Compact(slices.Sorted(slices.Values(item.Traits)))
		p.space = p.space && (i == 0 || len(item.Constants) > 0)
	}
	if p.space {
		p.sizes = spaceSizes
	}
	p.reach(slices.Repeat([]float64{anyPart}, len(p.axes)))
	var known []measured
	var silent []int
	for i, item := range items {
		switch {
		case item.Predicted > 0:
			p.log[i] = math.Log(item.Predicted)
			p.predicts = p.predicts || i > 0
			if p.merged[i] {
				known = append(known, measured{item: i, log: p.log[i]})
			}
		case p.space:
		case len(item.Constants) > 0:
			p.own[i] = constantError * constantError
		case item.Form:
			p.own[i] = formError * formError
		default:
			silent = append(silent, i)
		}
	}
	p.guess(silent, known)
	if p.space {
		p.center()
	}
	return p
}

// guess gives merged forms of which the model says nothing what it says of those like them, with a wide error.
func (p *prior) guess(silent []int, known []measured) {
	if len(known) == 0 {
		for _, i := range silent {
			p.own[i] = formError * formError
		}
		return
	}
	even := *p
	even.log, even.own = make([]float64, len(p.log)), make([]float64, len(p.log))
	like := believe(&even, known, silent)
	for n, i := range silent {
		mean, sd := like.expected(n)
		p.log[i], p.own[i] = mean, sd*sd
	}
}

// center has predictions of a space say nothing on its original: how fast that one is beside all others is not known yet.
func (p *prior) center() {
	sum, n := 0.0, 0.0
	for _, l := range p.log {
		if l != 0 {
			sum += l
			n++
		}
	}
	for i, l := range p.log {
		if l != 0 {
			p.log[i] = l - sum/n
		}
	}
}

// reach sets over what part of each axis an effect reaches. An axis on which effects reach less far matters more.
func (p *prior) reach(parts []float64) {
	p.weight = make([]float64, len(parts))
	sum := 0.0
	for d, part := range parts {
		p.axes[d].reach(part)
		p.weight[d] = 1 / part
		sum += 1 / part
	}
	for d := range p.weight {
		p.weight[d] *= float64(len(parts)) / sum
	}
}

type near struct {
	alike float64 // part of their traits and constants, from 0 to 1
	same  float64 // of an effect that items have by all of them together
}

func (p *prior) near(i, j int) near {
	common, a, b, together := 0.0, float64(len(p.traits[i])), float64(len(p.traits[j])), 0.0
	for _, t := range p.traits[i] {
		if _, ok := slices.BinarySearch(p.traits[j], t); ok {
			common++
		}
	}
	if len(p.axes) > 0 && common == a && common == b {
		together = 1
	}
	for d, x := range p.axes {
		w := p.weight[d]
		vi, vj := x.at[i], x.at[j]
		if vi >= 0 {
			a += w
		}
		if vj >= 0 {
			b += w
		}
		switch {
		case vi >= 0 && vj >= 0:
			v := x.near[x.kind*vi+vj]
			common += w * v
			together *= v
		case vi != vj:
			together = 0
		}
	}
	if i == j {
		together = 1
	}
	if a == 0 || b == 0 {
		return near{0, together}
	}
	return near{common / math.Sqrt(a*b), together}
}

// covariance is that of the logarithms of two items' ratios, if the model's error within the kernel is of a size.
func (p *prior) covariance(i, j int, of near, size float64) float64 {
	a := of.alike
	v := (size*size + math.Sqrt(p.own[i]*p.own[j])) * (byTraits*a + byManyAlike*a*a + alone*of.same)
	switch {
	case p.space:
		v += spaceError*spaceError + spaceGainError*spaceGainError*p.log[i]*p.log[j]
	case p.merged[i] && p.merged[j]:
		v += kernelError*kernelError + gainError*gainError*p.log[i]*p.log[j]
	}
	return v
}

// parts lists the parts of an axis over which an effect may reach; anyPart holds the assumption before it is known.
var parts = []float64{0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4}

const (
	anyPart    = 0.8
	partSpread = 1.0 // of the logarithm of the part
	rounds     = 3   // of looking at every axis, at most
)

// trusts are the parts of a prediction that may count in a space.
var trusts = []float64{0, 0.25, 0.5, 1}

// learn chooses over what part of each axis effects reach, and how far to trust the model, by how well that explains what was
// measured: automatic relevance determination (Rasmussen and Williams, Gaussian Processes for Machine Learning, §5.1)
// over a grid, one axis after the other.
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
