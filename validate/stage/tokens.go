package stage

import (
	"slices"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/ir/effect"
	"github.com/smux-cuda/smux/validate/kit"
	"github.com/smux-cuda/smux/validate/units"
)

// same compares units of two statements, with what the original has where the new text reads a tile.
func (s *staging) same(ua, ub []units.Unit, a, b *ir.Stmt) bool {
	tiles, places := s.readsIn(b), s.placesIn(a)
	namesA, namesB := namesAt(a), namesAt(b)
	var match func(i, j int) (bool, int)
	match = func(i, j int) (bool, int) {
		for i < len(ua) && j < len(ub) {
			if e := tiles[ub[j].Start]; e != nil {
				end := j
				for end < len(ub) && ub[end].Start < e.to {
					end++
				}
				far := j
				for _, x := range places[ua[i].Start] {
					next := i
					for next < len(ua) && ua[next].Start < x.Range.End {
						next++
					}
					ok, at := match(next, end)
					if ok {
						s.reads[e.e] = x
						return true, 0
					}
					far = max(far, at)
				}
				if e.e.Op != ir.OpCond {
					return false, far
				}
			}
			if ua[i].Text != ub[j].Text {
				return false, j
			}
			if v, w := namesA[ua[i].Start], namesB[ub[j].Start]; v != nil && w != nil && v.Kind != ir.VarGlobal && v.Kind != ir.VarConstant && v.Kind != ir.VarEnumerator &&
				s.canonical(v) != w || s.gone[v] != nil {
				return false, j
			}
			i, j = i+1, j+1
		}
		return i == len(ua) && j == len(ub), j
	}
	if ok, at := match(0, 0); !ok {
		where := b.Range.Start
		if at < len(ub) {
			where = ub[at].Start
		}
		s.doubt(kit.Erasure, where, "this differs from the original: %s", s.c.Excerpt([]*ir.Stmt{a}, 0))
		return false
	}
	return true
}

// tileRead is an expression of the new text in which tiles are read, to the end of its units.
type tileRead struct {
	e  *ir.Expr
	to int
}

// readsIn finds the reads of tiles in a statement's own expressions, by where they begin: elements, and elements under
// a condition, in parentheses.
func (s *staging) readsIn(b *ir.Stmt) map[int]*tileRead {
	out := map[int]*tileRead{}
	var visit func(e *ir.Expr) bool
	visit = func(e *ir.Expr) bool {
		if e.Op == ir.OpAddr || e.Op == ir.OpCall && s.byReference(e) {
			return e.Op == ir.OpCall && !slices.ContainsFunc(e.Args(), func(x *ir.Expr) bool { return s.element(x) != nil })
		}
		if s.element(e) != nil && s.computes(e) {
			out[e.Range.Start] = &tileRead{e, e.Range.End}
			return false
		}
		if e.Op == ir.OpCond && s.element(e.Kids[1]) != nil && s.computes(e) {
			us := s.c.New.Between(0, e.Range.Start)
			after := s.c.New.Between(e.Range.End, len(s.c.New.File.Src))
			if len(us) > 0 && us[len(us)-1].Text == "(" && len(after) > 0 && after[0].Text == ")" {
				out[us[len(us)-1].Start] = &tileRead{e, after[0].End}
			}
		}
		return true
	}
	if slices.ContainsFunc(b.Vars, func(v *ir.Var) bool { return v.Type.Ref }) {
		return out
	}
	b.Exprs(func(e *ir.Expr) { e.Walk(visit) })
	return out
}

// byReference reports whether a call may take where an element lies, and not its value.
func (s *staging) byReference(e *ir.Expr) bool {
	gs := s.k.State.Calls[e]
	for _, g := range gs {
		if slices.ContainsFunc(g.Params, func(p *ir.Var) bool { return p.Type.Ref }) {
			return true
		}
	}
	return len(gs) == 0 && !kit.LeavesArguments(e)
}

// placesIn finds what the original may have where a tile is read, by where it begins, the longest first.
func (s *staging) placesIn(a *ir.Stmt) map[int][]*ir.Expr {
	out := map[int][]*ir.Expr{}
	a.Exprs(func(e *ir.Expr) {
		for x := range e.All() {
			if (x.Op == ir.OpIndex || x.Op == ir.OpDeref || x.Op == ir.OpCall) && !x.Macro && s.computes(x) {
				out[x.Range.Start] = append(out[x.Range.Start], x)
			}
		}
	})
	return out
}

// computes reports whether an expression does nothing but compute.
func (s *staging) computes(e *ir.Expr) bool {
	return !e.Any(func(x *ir.Expr) bool {
		switch x.Op {
		case ir.OpAssign, ir.OpIncDec:
			return true
		case ir.OpCall:
			_, pure := s.pure(x)
			return !pure && !x.Intrinsic().IsReadOnly()
		}
		return effect.IsOpaque(x.Op)
	})
}

// namesAt are the variables that are named in a statement's own expressions, by place.
func namesAt(st *ir.Stmt) map[int]*ir.Var {
	out := map[int]*ir.Var{}
	st.Exprs(func(e *ir.Expr) {
		for x := range e.All() {
			if x.Op == ir.OpIdent && !x.Macro {
				out[x.Range.Start] = x.Var
			}
		}
	})
	return out
}
