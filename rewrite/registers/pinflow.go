package registers

import (
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/ir/effect"
)

// assigned is the pinned variables that have a value for certain at a place. A
// dead place is one that control does not come to.
type assigned struct {
	vars varSet
	dead bool
}

// with is a with further variables.
func (a assigned) with(vars ...*ir.Var) assigned {
	if len(vars) == 0 {
		return a
	}
	out := assigned{vars: varSet{}, dead: a.dead}
	for v := range a.vars {
		out.vars[v] = true
	}
	for _, v := range vars {
		out.vars[v] = true
	}
	return out
}

// Meet returns what holds where two ways come together.
func (a assigned) Meet(b assigned) assigned {
	switch {
	case a.dead:
		return b
	case b.dead:
		return a
	}
	out := assigned{vars: varSet{}}
	for v := range a.vars {
		if b.vars[v] {
			out.vars[v] = true
		}
	}
	return out
}

// reads calls f for the pinned variables that an expression reads, in any of its parts.
func (w *pinner) reads(e *ir.Expr, f func(*ir.Var)) {
	var skip *ir.Expr
	e.Walk(func(t *ir.Expr) bool {
		if t.Op == ir.OpAssign && t.Tok == "=" && t.Kids[0].Op == ir.OpIdent {
			skip = t.Kids[0]
		}
		if t.Op == ir.OpIdent && t != skip && w.vars[t.Var] {
			f(t.Var)
		}
		return t.Op != ir.OpSizeof
	})
}

// writes calls f for the pinned variables that an expression writes, in any of its parts.
func (w *pinner) writes(e *ir.Expr, f func(*ir.Var)) {
	e.Walk(func(t *ir.Expr) bool {
		if (t.Op == ir.OpAssign || t.Op == ir.OpIncDec) && t.Kids[0].Op == ir.OpIdent && w.vars[t.Kids[0].Var] {
			f(t.Kids[0].Var)
		}
		return t.Op != ir.OpSizeof
	})
}

// defines are the pinned variables that an expression sets whenever it is
// evaluated: not under &&, || and ?:, nor in what is not understood.
func (w *pinner) defines(e *ir.Expr) (out []*ir.Var) {
	if w.jumpy {
		return nil
	}
	e.Walk(func(t *ir.Expr) bool {
		switch t.Op {
		case ir.OpAssign:
			if t.Tok == "=" && t.Kids[0].Op == ir.OpIdent && w.vars[t.Kids[0].Var] {
				out = append(out, t.Kids[0].Var)
			}
		case ir.OpBinary:
			if t.Tok == "&&" || t.Tok == "||" {
				out = append(out, w.defines(t.Kids[0])...)
				return false
			}
		case ir.OpCond:
			out = append(out, w.defines(t.Kids[0])...)
			return false
		}
		return t.Op != ir.OpSizeof && !effect.IsOpaque(t.Op)
	})
	return out
}
