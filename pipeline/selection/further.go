package selection

import (
	"fmt"

	"github.com/smux-cuda/smux/rewrite"
)

// Look returns what the model expects of variants that the ranking doesn't have and that merge nothing but
// change what a thread block does, in the places of the report: the kernel is rewritten and counted anew. A
// thread has as many registers more than the original as an estimate says.
func (r *Report) Look(g rewrite.Group, ways []Variant) (out []RankedVariant) {
	k := &ranker{req: Request{Clock: Simulated}, places: r.places, counts: map[counted]counts{}, static: map[staticIn]float64{}}
	for _, w := range ways {
		out = append(out, k.further(w, g))
		k.forget(g)
	}
	return out
}

func (r *ranker) further(w Variant, g rewrite.Group) RankedVariant {
	r.look(w, g)
	out := RankedVariant{Variant: w}
	for _, p := range r.places {
		f := p.forms[w]
		f.Kernel, f.Instance = p.Kernel, p.Instance // of what was rewritten the work alone is asked for further on
		p.forms[w] = f
		registers := p.Work.Registers + f.registers
		if most := p.GPU.Arch.RegistersPerThread; f.err == nil && max(registers, f.estimate) >= most {
			return RankedVariant{Variant: w, Excluded: fmt.Sprintf("on %s a thread needs all of %d registers, or more, by an estimate", p.GPU, most)}
		}
		found, err := p.Expect(w, registers)
		if err != nil {
			return RankedVariant{Variant: w, Excluded: err.Error()}
		}
		out.Places = append(out.Places, found)
	}
	if len(out.Places) > 0 {
		out.Gain = rounded(geomean(out.Places))
	}
	return out
}
