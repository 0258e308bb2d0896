package regreduce

import (
	"cmp"
	"slices"

	"github.com/smux-cuda/smux/analysis/demotion"
	"github.com/smux-cuda/smux/internal/lists"
	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/model/occupancy"
	"github.com/smux-cuda/smux/rewrite/variant"
)

// Trial is a recipe that would be tried.
type Trial struct {
	Rung   string `json:"rung"`
	Recipe string `json:"recipe"`
}

// Plan lists what Climb would try, in its order, for a kernel of which no compiler
// has said how many registers it needs: d is an estimate. Each rung has one trial,
// the first or the largest one. Why is why there is none: no GPU has a step.
func Plan(s Subject, d occupancy.Demand, opt Options) (trials []Trial, on *gpu.GPU, why string) {
	var step occupancy.Step
	for _, g := range opt.GPUs {
		before, err := occupancy.Compute(g, d)
		if err != nil {
			why = g.String() + ": " + err.Error()
			continue
		}
		var reason string
		if step, reason = nextStep(g, d, before, opt.Rules.Flat); reason == "" {
			on = g
			break
		}
		why = cmp.Or(why, reason)
	}
	if on == nil {
		return nil, nil, why
	}
	found := s.Candidates
	if found == nil {
		found = demotion.Of(s.Kernel, s.Instance)
	}
	c := &climber{
		subject: s, opt: opt, found: found, target: on, report: &Report{Step: step},
		originals: map[string]Figures{"": {Shared: d.Shared - s.Dynamic}},
	}
	c.report.Attempts = []Attempt{{Figures: Figures{Registers: d.Registers, Shared: d.Shared - s.Dynamic, Barriers: d.Barriers}}}
	ground, _ := capOf(s, nil, step.Blocks, step.Demand.Registers)
	add := func(rung string, r variant.Recipe) {
		if c.wants(rung) {
			trials = append(trials, Trial{rung, r.String()})
		}
	}
	add(RungCap, ground)
	if loops := unrollable(found.Loops); len(loops) > 0 {
		add(RungUnroll, c.unrolled(ground, loops, []int{0}, 1))
	}
	if len(found.Pins) > 0 {
		names := lists.Map(found.Pins, func(p demotion.Pin) string { return p.Name })
		add(RungPin, pinned(ground, names))
	}
	if words := c.thatFit(found.Words); len(words) > 0 && step.Demand.Registers >= opt.Rules.Least {
		search := &demoting{ground: ground, words: words}
		// As many words as registers are too many, since a word saves one at least.
		add(RungDemote, search.recipe("", slices.Clone(words[:search.first(step.Registers)])))
	}
	return trials, on, ""
}
