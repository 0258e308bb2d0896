package selection

import (
	"fmt"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/model/workload"
)

// Compare reports how kernels stand before and after a rewrite, in each place where
// they run. Nothing is timed: the ratios are 0. Where no launch tells how large a
// block is, only registers and spills are known, and all else is 0. The errors tell
// which places are missing.
func Compare(kernels []*analysis.Kernel, w Variant, req Request) (out []Prediction, skipped []error) {
	places, skipped := placesOfAll(kernels, req)
	if len(places) == 0 {
		places = unknownPlaces(kernels, req)
	}
	found, errs := make([]Prediction, len(places)), make([]error, len(places))
	all(len(places), func(i int) { found[i], errs[i] = compare(places[i], w, req.Source) })
	for i, err := range errs {
		if err != nil {
			skipped = append(skipped, fmt.Errorf("on %s: %w", places[i].GPU, err))
			continue
		}
		out = append(out, found[i])
	}
	return out, skipped
}

// unknownPlaces returns the GPUs, for kernels whose launches are not known enough.
func unknownPlaces(kernels []*analysis.Kernel, req Request) (out []Place) {
	for _, k := range kernels {
		for _, in := range k.Instances[:min(1, len(k.Instances))] {
			for _, g := range req.GPUs {
				out = append(out, Place{GPU: g, Kernel: k, Instance: in})
			}
		}
	}
	return out
}

func compare(p Place, w Variant, source Source) (Prediction, error) {
	if p.Work == nil {
		return compiled(p, w, source)
	}
	p, before, err := settled(p, source)
	if err != nil {
		return Prediction{}, err
	}
	as, policy, err := p.placing(w)
	if err != nil {
		return Prediction{}, err
	}
	res, err := source.Variant(p, w)
	if err != nil {
		return Prediction{}, err
	}
	after, err := as.stand(as.with(policy, res), res)
	return Prediction{GPU: p.GPU.String(), Block: p.block(), Before: before, After: after, kernel: p.name()}, err
}

// compiled compares the compiler's figures alone.
func compiled(p Place, w Variant, source Source) (Prediction, error) {
	before, err := source.Original(p)
	if err != nil {
		return Prediction{}, err
	}
	p.Work = &workload.Kernel{Registers: before.Registers} // for an estimate, which is not looked at
	after, err := source.Variant(p, w)
	return Prediction{GPU: p.GPU.String(), Before: Standing{Resources: before}, After: Standing{Resources: after}}, err
}
