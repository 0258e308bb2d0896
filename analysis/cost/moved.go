package cost

import (
	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/motion"
	"github.com/smux-cuda/smux/model/workload"
)

// Moved says what a rewrite moves out of a region besides the loads of its definitions, which
// always count as early: each part is what a knob asks for.
type Moved struct {
	Early   bool // loads after other uses of shared memory (motion.EarlyLoads), in front
	Compute bool // what its first stores are computed by (ComputedStores), in front
	Late    bool // statements after its last read of a shared array (LateStatements), after
}

// move notes what is moved out of regions.
func (x *walk) move(m Moved) {
	x.early, x.computed, x.stores, x.late = map[*ir.Expr]bool{}, map[*ir.Stmt]bool{}, map[*ir.Expr]bool{}, map[*ir.Stmt]bool{}
	for _, r := range x.k.Regions {
		if all, last := x.computedIn(r, m); last != nil {
			for _, c := range all {
				x.computed[c.Stmt], x.earlyIn[r] = true, true
				for _, s := range c.Stores {
					x.stores[s] = true
				}
			}
		}
		if m.Early {
			for _, s := range motion.EarlyLoads(x.k, r) {
				x.early[s.Load], x.earlyIn[r] = true, true
			}
		}
		if m.Late {
			for _, l := range motion.LateStatements(x.k, r, true) {
				x.late[l.Stmt] = true
			}
		}
	}
}

func (x *walk) computedIn(r *analysis.Region, m Moved) ([]motion.Computed, *ir.Stmt) {
	if !m.Compute {
		return nil, nil
	}
	return motion.ComputedStores(x.k, r)
}

// counting has f counted in a piece of work, nil for one that is opened where it is needed, and
// returns the one that counted at its end.
func (x *walk) counting(slot *node, f func()) *node {
	outer := x.slot
	x.slot = slot
	f()
	slot, x.slot = x.slot, outer
	return slot
}

// moves reports whether what is moved is moved from here.
func (x *walk) moves() bool { return x.region != nil && x.mute == 0 && x.ahead != nil }

// apart parts the statements of a region into those that stay and those that are run after it.
func (x *walk) apart(stmts []*ir.Stmt) (stay, late []*ir.Stmt) {
	for i, s := range stmts {
		if x.late[s] {
			return stmts[:i], stmts[i:]
		}
	}
	return stmts, nil
}

// behindTurn runs statements after a region; what they read of shared arrays counts in it.
func (f *frame) behindTurn(region *node, stmts []*ir.Stmt) {
	x := f.x
	for i := len(region.kids) - 1; i >= 0 && x.reads == nil; i-- {
		if k := region.kids[i]; k.kind == workload.KindWork && !k.early {
			x.reads = k
		}
	}
	for _, s := range stmts {
		f.stmt(s)
	}
	x.reads = nil
}

// Held returns the number of further 32-bit words that a thread keeps in registers where a rewrite moves loads and
// what is computed in front of a region: the most of all regions.
func (m Moved) Held(k *analysis.Kernel) int {
	most := 0
	for _, r := range k.Regions {
		words := 0
		if m.Early {
			for _, s := range motion.EarlyLoads(k, r) {
				words += motion.Values(k, s) * baseType(s.Type).words()
			}
		}
		if m.Compute {
			all, last := motion.ComputedStores(k, r)
			for _, c := range all {
				for _, t := range c.Types {
					if last != nil {
						words += max(1, c.Trips) * baseType(t).words()
					}
				}
			}
		}
		most = max(most, words)
	}
	return most
}
