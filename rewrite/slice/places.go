package slice

import (
	"slices"

	"github.com/smux-cuda/smux/analysis/evaluate"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/pointers"
	"github.com/smux-cuda/smux/rewrite/kit"
)

// places say where in a run of statements something is done to variables.
type places map[*ir.Var][]ir.Range

func (p places) add(v *ir.Var, at ir.Range) { p[v] = append(p[v], at) }

func (p places) has(v *ir.Var) bool { return len(p[v]) > 0 }

// sorted are the variables in the order of the source.
func (p places) sorted() []*ir.Var {
	all := map[*ir.Var]bool{}
	for v := range p {
		all[v] = true
	}
	return kit.InOrder(all)
}

// follows reports whether one of some places may be reached after another one of the
// run: it stands after it, or a loop of the run is around both.
func (x *roundsCheck) follows(one, other []ir.Range) (at ir.Range, yes bool) {
	for _, b := range one {
		for _, a := range other {
			both := func(l ir.Range) bool { return l.Contains(a) && l.Contains(b) }
			if b.Start > a.Start || slices.ContainsFunc(x.loops, both) {
				return b, true
			}
		}
	}
	return at, false
}

// conflicts refuses what a round would compute from another value than the original
// does: the rounds before the last one are over when a statement runs that stands
// between, and an earlier round has changed what its reads are assigned to.
func (x *roundsCheck) conflicts() {
	if !x.eachCall { // a form of a function is called, whole, in each round
		early := append([]places{x.needs, x.parts}, x.needsIn[:len(x.needsIn)-1]...)
		if x.p.byArray() {
			early = append([]places{x.needs}, x.needsIn[:x.last]...)
		}
		for _, in := range early {
			for _, v := range in.sorted() {
				if at, yes := x.follows(in[v], x.others[v]); yes {
					x.crosses(at, "%s is needed in each round, and changes in a statement before that runs once", v.Name)
				}
			}
		}
		for _, l := range x.loads {
			for _, e := range x.effects {
				if x.p.byArray() && l.round == x.last {
					break // that runs in the last round, too
				}
				if _, yes := x.follows([]ir.Range{l.Range}, []ir.Range{e.Range}); yes && x.mayMeet(l.Expr, e) {
					x.crosses(l.Range, "an earlier statement, which runs in the last round, may change the value loaded here for an array")
				}
			}
		}
	}
	for _, v := range x.changed.sorted() {
		at := x.changed[v][0]
		switch _, mentioned := x.follows(x.changed[v], x.mentions[v]); {
		case x.p.byWindow() && len(x.changed[v]) > 1:
			x.crosses(at, "more than one read is assigned to %s: which is the last differs from round to round", v.Name)
		case x.isNeeded(v):
			x.crosses(at, "%s is what a later round computes something from, and changes in an earlier one", v.Name)
		case mentioned && !x.eachCall:
			x.crosses(at, "%s changes here in an earlier round than a statement before is run that uses it", v.Name)
		case len(x.unknown) > 0 && len(v.Dims) > 0:
			x.crosses(x.unknown[0], "this pointer may lead to %s, which changes in an earlier round than this is loaded", v.Name)
		}
	}
}

// mayMeet reports whether a load may be of what an expression writes. Stores to other
// shared arrays are met by what may lead there alone.
func (x *roundsCheck) mayMeet(load, effect *ir.Expr) bool {
	r := effect.Root()
	if x.apart(effect, load) {
		return false
	}
	if r == nil || load.Op == ir.OpCall {
		return true
	}
	s := evaluate.SharedVar(x.p.Kernel, x.fn, r)
	return s == nil || pointers.MayAddress(x.p.Kernel, x.fn, load, s)
}
