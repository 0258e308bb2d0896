package selection

import "github.com/smux-cuda/smux/model/sim"

// Lives simulates so many thread blocks of the original on one SM in a place of
// Report.Places, rewritten as w with the predicted resources, and keeps what each
// does when. The zero w is the original. The error tells why it can't run.
func (p Place) Lives(w Variant, as Resources, blocks int) (*sim.Result, error) {
	p, policy, err := p.placing(w)
	if err != nil {
		return nil, err
	}
	return sim.Run(p.GPU, p.Work, p.with(policy, as), sim.Options{Blocks: blocks, Timeline: true})
}
