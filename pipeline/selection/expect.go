package selection

import "github.com/smux-cuda/smux/model/sim"

// Expect returns what the model expects in a place of Report.Places where the kernel
// is rewritten as w and a thread then has so many registers: as they are capped, say.
// The zero w, or one that merges nothing, is the original with other registers. The
// model does not see what spills cost. The error tells why it can't run.
func (p Place) Expect(w Variant, registers int) (Prediction, error) {
	none := func(err error) (Prediction, error) { return Prediction{}, err }
	own := Resources{Registers: p.Work.Registers, Source: "as the original"}
	before, err := p.stand(sim.Policy{}, own)
	if err != nil {
		return none(err)
	}
	as, policy, err := p.placing(w)
	if err != nil {
		return none(err)
	}
	res := Resources{Registers: registers, Source: "as they are capped"}
	policy = as.with(policy, res)
	after, err := as.stand(policy, res)
	if err != nil {
		return none(err)
	}
	base, err := Simulated(p, sim.Policy{})
	if err != nil {
		return none(err)
	}
	cycles, err := Simulated(as, policy)
	if err != nil {
		return none(err)
	}
	return Prediction{GPU: p.GPU.String(), Block: p.block(), Before: before, After: after, Ratio: rounded(base / p.scale(w, cycles, base)), kernel: p.name()}, nil
}
