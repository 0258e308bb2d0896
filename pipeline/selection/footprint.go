package selection

import (
	"fmt"
	"slices"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/cost"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/model/sim"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/rewrite/variant"
)

// changesFootprint reports whether a variant merges nothing and changes what a thread
// block takes of shared memory: the model looks at the rewritten kernel itself then.
func changesFootprint(w Variant) bool {
	r := variant.Named(w.Rewriter)
	return r != nil && r.Footprint
}

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

// form rewrites the kernel of each place as the variants say, and counts what a block of
// it does and takes. Both counts, of the original and of this, are the source's: what a
// compiler says of the original's lines it does not say of new ones.
func (r *ranker) form(ways []Variant) {
	r.forms = map[formIn]formed{}
	for _, w := range ways {
		if !changesFootprint(w) {
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
				f.err = r.count(&f, k)
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

// count puts the work of a block of the rewritten kernel into its place.
func (r *ranker) count(f *formed, k *analysis.Kernel) error {
	original := f.Place
	i := slices.Index(f.Kernel.Instances, f.Instance)
	if i < 0 || len(k.Instances) != len(f.Kernel.Instances) {
		return fmt.Errorf("its launches are not found again")
	}
	before, err := cost.Of(f.Kernel, f.Instance, cost.Options{Registers: f.Work.Registers})
	if err != nil {
		return err
	}
	after, err := cost.Of(k, k.Instances[i], cost.Options{Registers: f.Work.Registers})
	if err != nil {
		return err
	}
	if shared, exact := k.SharedBytes(k.Instances[i]); exact {
		after.Shared = shared
	}
	if f.registers, err = moreRegisters(f, k, k.Instances[i]); err != nil {
		return err
	}
	before.Shared = original.Work.Shared
	original.Work = before
	if f.cycles, err = r.clock(original, sim.Policy{}); err != nil {
		return err
	}
	f.Kernel, f.Instance, f.Work = k, k.Instances[i], after
	return nil
}

// moreRegisters is how many registers a thread of the rewritten kernel needs more than one
// of the original, by an estimate of both: for what waits between rounds, say.
func moreRegisters(f *formed, k *analysis.Kernel, in *analysis.Instance) (int, error) {
	before, err := cost.Of(f.Kernel, f.Instance, cost.Options{})
	if err != nil {
		return 0, err
	}
	after, err := cost.Of(k, in, cost.Options{})
	if err != nil {
		return 0, err
	}
	return max(0, after.Registers-before.Registers), nil
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
