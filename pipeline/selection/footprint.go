package selection

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/cost"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/model/sim"
	"github.com/smux-cuda/smux/model/workload"
	"github.com/smux-cuda/smux/rewrite"
)

// formed is a place with the kernel that a rewriter leaves, of which no block is merged.
type formed struct {
	Place
	cycles float64 // of the original by the same counts, the source's own
	// registers is how many more a thread needs by an estimate.
	registers int
	err       error
}

// formIn is a place and the variant of its kernel.
type formIn struct {
	place int
	way   Variant
}

// form rewrites the kernel of each place as the variants say that merge nothing and
// change its shared bytes, and counts what a block of it does and takes: the model looks
// at the rewritten kernel itself then. Both counts, of the original and of this, are the
// source's: what a compiler says of the original's lines it does not say of new ones.
func (r *ranker) form(ways []Variant) {
	r.forms, r.counts, r.static = map[formIn]formed{}, map[*analysis.Instance]counts{}, map[int]float64{}
	for _, w := range ways {
		if !w.Resizes() {
			continue
		}
		kernels := map[*analysis.Kernel]*analysis.Kernel{}
		for i, p := range r.places {
			k, err := kernels[p.Kernel], error(nil)
			if k == nil {
				if k, err = rewrittenKernel(p.Kernel, w); err == nil {
					kernels[p.Kernel] = k
				}
			}
			f := formed{Place: p, err: err}
			if err == nil {
				f.err = r.count(&f, i, k)
			}
			r.forms[formIn{i, w}] = f
		}
	}
}

// rewrittenKernel is a kernel as a variant leaves it.
func rewrittenKernel(k *analysis.Kernel, w Variant) (*analysis.Kernel, error) {
	decisions := map[diag.Position]rewrite.Decision{}
	for _, o := range k.Prog.Kernels() {
		if o.Name == k.Name { // they are rewritten alike
			decisions[o.File.Position(int(o.View.Declared.Start))] = rewrite.Decision{Variant: w}
		}
	}
	c := rewrite.NewChain(k.Prog)
	if _, err := c.Rewrite(rewrite.Options{Decisions: decisions}); err != nil {
		return nil, err
	}
	return c.Kernel(k)
}

// counts is what a kernel takes in one form of launch by its text alone: the work of a
// thread block, and an estimate of the registers of a thread.
type counts struct {
	work      *workload.Kernel
	registers int
	err       error
}

// countsOf counts each form of launch once: GPUs have no part in that.
func (r *ranker) countsOf(k *analysis.Kernel, in *analysis.Instance) counts {
	c, known := r.counts[in]
	if !known {
		if c.work, c.err = workOf(k, in, nil); c.err == nil {
			c.registers = cost.Registers(k, in, 0)
		}
		r.counts[in] = c
	}
	return c
}

// count puts the work of a block of the rewritten kernel into its place.
func (r *ranker) count(f *formed, place int, k *analysis.Kernel) error {
	i := slices.Index(f.Kernel.Instances, f.Instance)
	if i < 0 || len(k.Instances) != len(f.Kernel.Instances) {
		return fmt.Errorf("its launches are not found again")
	}
	before, after := r.countsOf(f.Kernel, f.Instance), r.countsOf(k, k.Instances[i])
	if err := cmp.Or(before.err, after.err); err != nil {
		return err
	}
	// For what waits between rounds, say.
	f.registers = max(0, after.registers-before.registers)
	var err error
	if f.cycles, err = r.statically(place, before.work); err != nil {
		return err
	}
	work := *after.work
	work.Registers = f.Work.Registers
	f.Kernel, f.Instance, f.Work = k, k.Instances[i], &work
	return nil
}

// statically returns the cycles of the original in a place by counts of its text.
func (r *ranker) statically(place int, counted *workload.Kernel) (float64, error) {
	if cycles, known := r.static[place]; known {
		return cycles, nil
	}
	p := r.places[place]
	work := *counted
	work.Registers, work.Shared = p.Work.Registers, p.Work.Shared
	p.Work = &work
	cycles, err := r.clock(p, sim.Policy{})
	if err == nil {
		r.static[place] = cycles
	}
	return cycles, err
}

// needing adds what a form needs to registers that no compiler counted.
func (r *ranker) needing(place int, w Variant, res Resources) Resources {
	if f, ok := r.forms[formIn{place, w}]; ok && !res.Compiled() {
		res.Registers = r.places[place].capped(res.Registers + f.registers)
	}
	return res
}

// in returns the place in which a variant is judged, and the policy.
func (r *ranker) in(place int, w Variant) (Place, sim.Policy, error) {
	if f, ok := r.forms[formIn{place, w}]; ok {
		return f.Place, sim.Policy{}, f.err
	}
	p := r.places[place]
	policy, err := p.policy(w)
	return p, policy, err
}

// scale makes of cycles in a place of a rewritten kernel those that compare with the
// original's, which may be of a compiler's counts.
func (r *ranker) scale(place int, w Variant, cycles float64) float64 {
	if f, ok := r.forms[formIn{place, w}]; ok {
		return cycles * r.asIs[place] / f.cycles
	}
	return cycles
}
