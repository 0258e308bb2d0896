package selection

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/cost"
	"github.com/smux-cuda/smux/analysis/summary"
	"github.com/smux-cuda/smux/analysis/usual"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/model/occupancy"
	"github.com/smux-cuda/smux/model/sim"
	"github.com/smux-cuda/smux/model/workload"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/rewrite/variant"
)

// resized returns the variant that merges nothing and that a variant begins with, where it
// begins with one: what makes shared arrays smaller before blocks are merged, or that alone, with all its steps.
func resized(w Variant) (first Variant, ok bool) {
	if first = w; !w.Resizes() {
		first = w.Steps()[0]
	}
	return first, first.Resizes()
}

// formed is a place with the kernel that a rewriter leaves, of which no block is merged.
type formed struct {
	Place
	cycles float64 // of the original by the same counts, the source's own
	// original is the work of a block of the original by these counts.
	original *workload.Kernel
	// registers is the number of further ones that a thread needs by an estimate.
	registers int
	estimate  int // of the registers that a thread needs, at most as many as it can have
	err       error
}

// form rewrites the kernel of each place as the variants say that merge nothing and change its shared bytes, and
// counts what a block of it does and takes: the model looks at the rewritten kernel itself then. Both counts, of the
// original and of this, are the source's: what a compiler says of the original's lines it does not say of new ones.
//
// It returns the variants, of stage the forms that are worth comparing, and after them those with which blocks are
// merged after that, as far as the kernels that are left then allow it and an SM has room.
func (r *ranker) form(ways []Variant, g rewrite.Group, check func(Variant) error) []Variant {
	defer r.forget(g)
	var out, further []Variant
	gained := 1.0 // by the last factor of coarsen
	for _, w := range ways {
		switch {
		case !w.Resizes() || len(g.Kernels) == 0:
			out = append(out, w)
		case w.Rewriter == variant.Coarsen:
			if w.Factor == 2 {
				gained = 1
			} else if gained <= 1+Noise {
				continue // twice as much of what gained nothing
			}
			r.look(w, g)
			out, gained = append(out, w), r.alone(w)
		case stages(w):
			forms, merged := r.staged(w, g, check)
			out, further = append(out, forms...), append(further, merged...)
		default:
			out = append(out, w)
			if c, room := r.look(w, g); room {
				further = append(further, followed(c, g, w)...)
			}
		}
	}
	return append(out, further...)
}

// forget drops what was found of a group's kernels in the texts that look asked for.
func (r *ranker) forget(g rewrite.Group) {
	for _, c := range r.looked {
		for _, k := range g.Kernels {
			c.Forget(k)
		}
	}
	r.looked = nil
}

// look makes the kernel that a variant leaves in each place; room is whether merging its blocks may bring more.
func (r *ranker) look(w Variant, g rewrite.Group) (c *rewrite.Chain, room bool) {
	c, err := r.req.Rewrites.of(g, w)
	if err == nil {
		r.looked = append(r.looked, c)
	}
	for i, p := range r.places {
		f := formed{Place: p, err: err}
		if k := (*analysis.Kernel)(nil); err == nil {
			if k, f.err = c.Kernel(p.Kernel); f.err == nil {
				f.err = r.count(&f, i, k, w)
			}
		}
		if r.places[i].forms == nil {
			r.places[i].forms = map[Variant]formed{}
		}
		r.places[i].forms[w] = f
		room = room || f.err == nil && f.hasRoom()
	}
	return c, room
}

// hasRoom reports whether shared memory is what keeps more thread blocks of the rewritten
// kernel from an SM: only then merging them brings more.
func (f *formed) hasRoom() bool {
	s, err := f.stand(sim.Policy{}, Resources{})
	return err == nil && s.Occupancy < 1 && s.Limiters.Has(occupancy.Shared)
}

// followed returns the variants that merge blocks of what a first one left, of those that
// were offered for the kernels as they are. Rows are not split in two ways.
func followed(c *rewrite.Chain, g rewrite.Group, first Variant) (out []Variant) {
	var merges []Variant
	for _, o := range g.Variants {
		if o.Merges() && !Splits(o.Variant) && len(o.Steps()) == 1 {
			merges = append(merges, o.Variant)
		}
	}
	offers, err := rewrite.Offers(c, g, merges)
	if err != nil {
		return nil
	}
	for _, o := range offers {
		if o.Can {
			out = append(out, o.After(first))
		}
	}
	return out
}

// counts holds what a kernel takes in one form of launch by its text alone: the work of a
// thread block, and an estimate of the registers of a thread.
type counts struct {
	work      *workload.Kernel
	registers int
	err       error
}

// counted is a form of launch, and whether sizes that are not known are large.
type counted struct {
	in    *analysis.Instance
	large bool
}

// staticIn is a place, and whether sizes that are not known are large.
type staticIn struct {
	place int
	large bool
}

// countsOf counts each form of launch once: GPUs have no part in that.
func (r *ranker) countsOf(k *analysis.Kernel, in *analysis.Instance, large bool) counts {
	c, _ := memo(&r.known, counted{in, large}, func() (c counts, _ error) {
		if c.work, c.err = cost.Of(k, in, cost.Options{Registers: unknownRegisters, Large: large}); c.err == nil {
			c.registers = cost.Registers(k, in, 0)
		}
		return c, nil
	})
	return c
}

// count puts the work of a block of the kernel that a variant left into its place.
func (r *ranker) count(f *formed, place int, k *analysis.Kernel, w Variant) error {
	large := stages(w) // sizes that are not known, in both
	i, now := slices.Index(usual.Counted(f.Kernel), f.Instance), usual.Counted(k)
	if i < 0 || len(now) != len(f.Kernel.Instances) {
		return fmt.Errorf("its launches are not found again")
	}
	now[i].UsualGrid = f.Instance.UsualGrid
	if w.Rewriter == variant.Coarsen && w.Of == "" {
		along := [3]int64{1, int64(max(1, w.FactorY)), 1}
		along[max(0, strings.Index("xyz", w.GridAxis))] = int64(w.Factor)
		for d, n := range along {
			now[i].UsualGrid[d] = (now[i].UsualGrid[d] + n - 1) / n
		}
	}
	before, after := r.countsOf(f.Kernel, f.Instance, large), r.countsOf(k, now[i], large)
	if err := cmp.Or(before.err, after.err); err != nil {
		return err
	}
	// For what waits between rounds, say.
	f.estimate, f.registers = after.registers, max(0, after.registers-before.registers)
	var err error
	if f.cycles, err = r.statically(staticIn{place, large}, before.work); err != nil {
		return err
	}
	f.original = before.work
	work := *after.work
	work.Registers = f.Work.Registers
	f.Kernel, f.Instance, f.Work = k, now[i], &work
	return nil
}

// statically returns the cycles of the original in a place by counts of its text.
func (r *ranker) statically(at staticIn, counted *workload.Kernel) (float64, error) {
	return memo(&r.known, at, func() (float64, error) {
		p := r.places[at.place]
		work := *counted
		work.Registers, work.Shared = p.Work.Registers, p.Work.Shared
		p.Work = &work
		return r.clock(p, sim.Policy{})
	})
}

// needing adds what a form needs to registers that no compiler counted.
func (p Place) needing(w Variant, res Resources) Resources {
	if f, ok := p.formOf(w); ok && !res.Compiled() {
		res.Registers = p.capped(res.Registers + f.registers)
	}
	return res
}

// as returns the place in which a variant is judged, with the kernel that is merged there, and the policy.
func (p Place) as(w Variant) (Place, sim.Policy, error) {
	if f, ok := p.formOf(w); ok {
		if f.err != nil || w.Resizes() {
			return f.Place, sim.Policy{}, f.err
		}
		p = f.Place
	}
	policy, err := p.policy(w)
	return p, policy, err
}

// formOf returns the form of the kernel that a variant begins with, where it begins with one that was looked at.
func (p Place) formOf(w Variant) (f formed, ok bool) {
	if first, resizes := resized(w); resizes {
		f, ok = p.forms[first]
	}
	return f, ok
}

// scale makes of cycles in a place of a rewritten kernel those that compare with the
// original's, asIs, which may be of a compiler's counts.
func (p Place) scale(w Variant, cycles, asIs float64) float64 {
	if f, ok := p.formOf(w); ok {
		if w.Rewriter == variant.Coarsen && w.Of == "" { // a block does the work of several
			cycles /= float64(w.Factor * max(1, w.FactorY))
		}
		return cycles * asIs / f.cycles
	}
	return cycles
}

// Rewrites are the texts that the model looks at of a program's groups of kernels: in each, all groups that may have
// a variant have it, so that a program of thousands of kernels is read again once for each variant and not for each
// kernel. Groups have nothing to do with one another. It is not safe for concurrent use.
type Rewrites struct {
	groups []rewrite.Group
	texts  map[Variant]*rewrite.Chain // nil where no text has it for all
}

// NewRewrites returns those of the groups that are ranked.
func NewRewrites(groups []rewrite.Group) *Rewrites {
	return &Rewrites{groups: groups, texts: map[Variant]*rewrite.Chain{}}
}

// of returns a chain in which the kernels of a group were rewritten, and others maybe.
func (r *Rewrites) of(g rewrite.Group, w Variant) (*rewrite.Chain, error) {
	if r == nil {
		return rewritten(w, g)
	}
	c, known := r.texts[w]
	if !known {
		var all []rewrite.Group
		for _, o := range r.groups {
			if slices.ContainsFunc(o.Variants, func(v rewrite.CheckedVariant) bool { return v.Can && v.Rewriter == w.Rewriter }) {
				all = append(all, o)
			}
		}
		if len(all) > 1 {
			if together, err := rewritten(w, all...); err == nil {
				if _, err = together.Now(); err == nil {
					c = together
				}
			}
		}
		r.texts[w] = c
	}
	if c == nil {
		return rewritten(w, g)
	}
	for _, k := range g.Kernels {
		if now, err := c.Kernel(k); err != nil || now == k {
			return rewritten(w, g)
		}
	}
	return c, nil
}

// rewritten is a chain in which the kernels of groups were rewritten.
func rewritten(w Variant, groups ...rewrite.Group) (*rewrite.Chain, error) {
	c := rewrite.NewChain(groups[0].Kernels[0].Prog)
	for _, step := range w.Steps() {
		decisions := map[diag.Position]rewrite.Decision{}
		for _, g := range groups {
			for _, k := range g.Kernels {
				decisions[summary.Position(k)] = rewrite.Decision{Variant: step}
			}
		}
		results, err := rewrite.RewriteIn(c, rewrite.Options{Decisions: decisions})
		if err != nil {
			return c, err
		}
		for _, k := range results {
			if _, asked := decisions[k.Pos]; asked && len(k.Refused) > 0 && len(w.Steps()) > 1 {
				return c, errors.New(k.Refused[0].Text)
			}
		}
	}
	return c, nil
}
