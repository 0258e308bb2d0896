package space

import (
	"slices"

	"github.com/smux-cuda/smux/internal/lists"
	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/model/occupancy"
	"github.com/smux-cuda/smux/pipeline/selection"
	"github.com/smux-cuda/smux/rewrite"
)

// model holds what a report says of the forms on the one GPU that is meant.
type model struct {
	gpu    *gpu.GPU
	places []selection.Place // where the kernel runs, those with the largest block first
}

func newModel(in Input) model {
	m := model{gpu: in.GPU}
	if in.Report == nil || in.GPU == nil {
		return m
	}
	for _, p := range in.Report.Places() {
		switch {
		case p.GPU.String() != m.gpu.String():
		case len(m.places) > 0 && p.Work.Threads > m.places[0].Work.Threads:
			m.places = append([]selection.Place{p}, m.places...)
		default:
			m.places = append(m.places, p)
		}
	}
	return m
}

// expectation holds what is expected of a form; its zero value is nothing.
type expectation struct {
	selection.Standing
	ratio float64 // the time of the original over its own
}

func (e expectation) limiter() string {
	if e.Blocks == 0 {
		return ""
	}
	return e.Limiters.String()
}

// alike is expected of a form that differs in what the model has no eye for.
func (e expectation) alike() expectation { return expectation{ratio: e.ratio} }

func (m model) ranked(r selection.RankedVariant) expectation {
	here := lists.Filter(r.Places, func(p selection.Prediction) bool { return m.gpu != nil && p.GPU == m.gpu.String() })
	return joined(here)
}

// joined returns what is expected of a form in several places: the mean of the ratios, and how it stands in the first.
func joined(places []selection.Prediction) expectation {
	if len(places) == 0 {
		return expectation{}
	}
	e := expectation{Standing: places[0].After}
	if !slices.ContainsFunc(places, func(p selection.Prediction) bool { return p.Ratio <= 0 }) {
		e.ratio = selection.Mean(places)
	}
	return e
}

// steps returns those that fewer registers reach from where a form stands. The error is in words.
func (m model) steps(e expectation) ([]occupancy.RegisterStep, string) {
	if m.gpu == nil || e.Threads == 0 {
		return nil, "its number of registers is unknown"
	}
	steps, flat := occupancy.RegisterSteps(m.gpu, occupancy.Demand{Threads: e.Threads, Registers: e.Registers, Shared: e.Shared})
	if len(steps) == 0 {
		return nil, flat.String()
	}
	return steps, ""
}

// staying returns what is expected of a form once its blocks stay, by the loop over the grid with its estimated registers.
func (m model) staying(w rewrite.Variant, e expectation, registers int) expectation {
	if registers == 0 || e.ratio == 0 {
		return e
	}
	loop := w
	loop.Persistent = true
	var found []selection.Prediction
	for _, p := range m.places {
		without, err := p.Expect(w, registers)
		if err != nil {
			continue
		}
		if with, err := p.Expect(loop, p.Looping(registers)); err == nil {
			with.Ratio /= without.Ratio
			found = append(found, with)
		}
	}
	with := joined(found)
	if with.ratio > 0 {
		with.ratio *= e.ratio
		return with
	}
	return e
}

// believable is the part of the registers up to which a cap counts as free: the examples that registers limit give up so many
// and spill nothing, most often (docs/use/rewrites/demote.md). The model does not see what spills cost.
const believable = 0.2

// capped returns what is expected of a form with so many registers at most; ok is false where no more thread blocks run.
func (m model) capped(w rewrite.Variant, before expectation, registers int) (e expectation, ok bool) {
	var found []selection.Prediction
	for _, p := range m.places {
		if now, err := p.Expect(w, registers); err == nil {
			found = append(found, now)
		}
	}
	e = joined(found)
	if float64(before.Registers-registers) > believable*float64(before.Registers) {
		e.ratio = 0
	}
	return e, e.Blocks > before.Blocks
}

// carveouts returns the preferences, in percent of the largest carve-out, that may pay: all, and what the blocks need where that
// is less. The driver takes the next larger carve-out (CUDA C++ programming guide, on compute capability 7.x, as
// remembered), so percents are rounded down. The reason is in words where there is none.
func (m model) carveouts(e expectation) ([]int, string) {
	const all = 100
	switch {
	case m.gpu == nil:
		return nil, "the GPU is not known"
	case len(m.gpu.Arch.Carveouts) < 2 || m.gpu.Arch.Major < 7:
		return nil, "the GPU has no carve-out that a kernel can prefer"
	case e.Threads == 0:
		return []int{all}, ""
	case e.Shared == 0:
		return nil, "the kernel uses no shared memory"
	}
	r, err := occupancy.Compute(m.gpu, occupancy.Demand{Threads: e.Threads, Registers: e.Registers, Shared: e.Shared})
	largest := m.gpu.Arch.SharedPerSM()
	if err != nil || r.Configured >= largest {
		return []int{all}, ""
	}
	return []int{all, max(1, all*r.Configured/largest)}, ""
}
