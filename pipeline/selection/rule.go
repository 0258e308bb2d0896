package selection

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/smux-cuda/smux/model/profile"
	"github.com/smux-cuda/smux/rewrite/variant"
)

// Noise is the change that the model can't distinguish from none: a ratio that is at most this below 1 does not count
// as a loss. Tie is the difference between two rewrites that it can't resolve: copies of code and addresses that a
// sync mode makes the compiler compute anew are not in the simulation.
const (
	Noise = 0.03
	Tie   = 0.02
)

// LeastGain is the least gain that is not shown as 1.00x.
const LeastGain = 1.005

// Prediction holds what the model expects of a rewrite in one place.
type Prediction struct {
	GPU    string   `json:"gpu"`
	Block  string   `json:"block"` // shape of the original block
	Before Standing `json:"before"`
	After  Standing `json:"after"`
	// Ratio is the time of the original in its best form over that of the rewrite: above 1 the rewrite is faster.
	Ratio float64 `json:"ratio"`
	// Against is that form: the rewriter that merges no thread blocks, "" for the original as it is.
	Against string `json:"against,omitempty"`
	// Corrected is the factor by which measured kernels of the GPU correct the ratio; 0 for none.
	Corrected float64 `json:"corrected,omitempty"`
	// Traffic says what a thread block moves before and after, where arrays are staged.
	Traffic *TrafficChange `json:"traffic,omitempty"`

	kernel string              // its name: kernels of several names may be ranked together
	by     *profile.Correction // the last of those that made Corrected
	few    bool                // fewer thread blocks than before are launched, and may leave SMs without one
	starts bool                // fewer are, and the original's do little but start
}

// correct corrects the ratio by what measured kernels of the GPU say of the steps of a variant.
func (p *Prediction) correct(all []profile.Correction, w Variant) {
	p.Corrected, p.by = 0, nil
	for _, step := range w.Steps() {
		i := slices.IndexFunc(all, func(c profile.Correction) bool { return c.GPU == p.GPU && c.Rewriter == step.Rewriter })
		if i >= 0 {
			p.by = &all[i]
			p.Corrected = cmp.Or(p.Corrected, 1) * p.by.Factor
		}
	}
	if p.by != nil {
		p.Ratio = rounded(p.Ratio * p.Corrected)
	}
}

// RankedVariant is a rewrite with what is expected of it.
type RankedVariant struct {
	Variant
	// Gain is the geometric mean of the ratios over all places; 0 where there is none.
	Gain   float64      `json:"gain,omitempty"`
	Places []Prediction `json:"places,omitempty"`
	// Excluded tells why the rewrite is not considered, "" where it is.
	Excluded string `json:"excluded,omitempty"`
	// Spills is set if it is excluded for what the compiler spills, and could run.
	Spills bool `json:"-"`
}

// worst returns the place in which the rewrite does worst.
func (r RankedVariant) worst() Prediction {
	w := r.Places[0]
	for _, p := range r.Places[1:] {
		if p.Ratio < w.Ratio {
			w = p
		}
	}
	return w
}

// loses reports whether the rewrite is expected to lose anywhere.
func (r RankedVariant) loses() bool { return r.worst().Ratio < 1-Noise }

// brings reports whether the rewrite runs more thread blocks at once anywhere.
func (r RankedVariant) brings() bool {
	return slices.ContainsFunc(r.Places, func(p Prediction) bool { return p.After.Blocks > p.Before.Blocks })
}

// fills reports whether a rewrite that launches fewer thread blocks leaves no SM without one, anywhere.
func (r RankedVariant) fills() bool {
	return r.Rewriter == variant.Coarsen && !slices.ContainsFunc(r.Places, func(p Prediction) bool { return p.few })
}

// eligible reports whether the rewrite may be chosen. Coarsened threads may not: a kernel with a data race may rely on its warps.
func (r RankedVariant) eligible(minGain float64) bool {
	return r.Excluded == "" && r.Of == "" && len(r.Places) > 0 && r.Gain >= enough(minGain) && !r.loses() &&
		(r.brings() && r.Rewriter != variant.Coarsen || stages(r.Variant) || r.fills())
}

// enough returns the least gain that a percentage asks for, without what rounding adds to it.
func enough(minGain float64) float64 { return (1 + minGain/100) * (1 - 1e-9) }

// Decide returns the index of the rewrite to apply, -1 for none: of those whose mean gain over all places is minGain
// percent or more, that lose in no place and that run more thread blocks at once in some place, the one that gains
// most; of those that gain as much up to Tie, the first. The rewrites come simpler ones first.
//
// A gain without more thread blocks comes from loads that the rewriter moves
// ahead. The original could have that, too, and may have it from the compiler. What stages
// arrays or coarsens gains by other means, and most often runs as many or fewer.
func Decide(ranked []RankedVariant, minGain float64) int {
	best := 0.0
	for _, r := range ranked {
		if r.eligible(minGain) {
			best = math.Max(best, r.Gain)
		}
	}
	return slices.IndexFunc(ranked, func(r RankedVariant) bool { return r.eligible(minGain) && r.Gain >= best*(1-Tie) })
}

// geomean returns the geometric mean of the predictions' ratios.
func geomean(places []Prediction) float64 {
	sum := 0.0
	for _, p := range places {
		sum += math.Log(p.Ratio)
	}
	return math.Exp(sum / float64(len(places)))
}

// Mean returns that of the ratios, as tables have it.
func Mean(places []Prediction) float64 { return rounded(geomean(places)) }

// rounded keeps the digits of a ratio that are the same on every machine, whose
// floating-point units may differ in the last ones.
func rounded(x float64) float64 { return math.Round(x*1e4) / 1e4 }

// answers are, for each part of a GPU that may limit a kernel, the rewriters that ask less of it: those that only run more
// thread blocks at once, or hide latencies, do not.
var answers = map[string][]string{
	profile.DRAM: {variant.Stage, variant.Coarsen, variant.Swizzle, variant.Reshape},
	profile.L2:   {variant.Stage, variant.Coarsen, variant.Swizzle, variant.Reshape},
	profile.L1:   {variant.Stage, variant.Coarsen, variant.Demote},
	profile.SM:   {variant.Coarsen, variant.Unroll, variant.AssumeShape},
}

// answered reports whether a step of a rewrite asks less of a part of the GPU. Threads of one block share what its L1 holds.
func answered(w Variant, part string) bool {
	return slices.ContainsFunc(w.Steps(), func(step Variant) bool {
		return slices.Contains(answers[part], step.Rewriter) && (step.Of == "" || part == profile.L1 || part == profile.SM)
	})
}

// measured puts beside a ranking what a profile says of the kernels, where it was made with as many threads in a block, and excludes
// the rewrites that don't answer what limits them on a GPU that was asked for.
func (r *Report) measured(kernels []profile.Kernel) {
	for _, k := range kernels {
		matches := func(p Place) bool {
			threads := k.Block[0] * k.Block[1] * k.Block[2]
			return p.name() == k.Name && (threads == 0 || threads == p.Work.Threads)
		}
		if !slices.ContainsFunc(r.places, matches) {
			continue
		}
		k.Show()
		r.Profile = append(r.Profile, k)
		limit, ok := k.Limit()
		if !ok || !slices.ContainsFunc(r.places, func(p Place) bool { return matches(p) && p.GPU.CC() == k.Capability }) {
			continue
		}
		for i, w := range r.Ranking {
			if w.Excluded == "" && !answered(w.Variant, limit.Of) {
				r.Ranking[i] = RankedVariant{Variant: w.Variant, Excluded: fmt.Sprintf("%s is %.0f %% busy by the profile, and it asks no less of it", limit.Of, limit.Percent)}
			}
		}
	}
}
