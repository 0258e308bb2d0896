package analysis

import (
	"strings"

	"github.com/smux-cuda/smux/analysis/intrinsic"
	"github.com/smux-cuda/smux/analysis/ir"
)

// findWaits refuses what could wait for ever once thread blocks take turns:
// loops that wait for another block, and recursion through barriers.
func (k *Kernel) findWaits() {
	for _, fn := range k.Functions {
		h := &hazards{k: k, fn: fn}
		fn.Body.Walk(func(s *ir.Stmt) bool {
			if s.IsLoop() && h.spins(s) {
				h.add(s.Range, CodeSpin, "a loop waits for memory that another thread block may have to change")
			}
			return true
		})
	}
	for _, fn := range k.Recursive {
		if k.barrierFns[fn] || k.ownTouches(fn) != 0 {
			h := &hazards{k: k, fn: fn}
			h.add(ir.Range{Start: fn.View.Start}, CodeRecursion, "device function %s holds a barrier or uses shared memory, and may reach itself", fn.View.Name)
		}
	}
}

// spins recognises busy waiting: a loop that an atomic operation's result or
// a volatile load keeps going.
func (h *hazards) spins(s *ir.Stmt) bool {
	waits := false
	for _, c := range h.continues(s) {
		waits = waits || h.waitsOn(s, c) || h.onlyOthersEnd(s, c)
	}
	return waits
}

// continues returns the expressions that decide whether a loop goes on: its
// condition, those of its breaks, and what the variables in them are set to
// inside the loop by something that another block may change.
func (h *hazards) continues(s *ir.Stmt) []*ir.Expr {
	var out []*ir.Expr
	if s.Cond != nil {
		out = append(out, s.Cond)
	}
	s.Body.Walk(func(t *ir.Stmt) bool {
		if t.Op == ir.StmtBreak && t.JumpTarget() == s || t.Op == ir.StmtReturn {
			for p := t.Parent; p != nil && p != s; p = p.Parent {
				if p.Cond != nil && !p.Preproc {
					out = append(out, p.Cond)
				}
			}
		}
		return true
	})
	vars := map[*ir.Var]bool{}
	for _, c := range out {
		c.Walk(func(e *ir.Expr) bool {
			if e.Op == ir.OpIdent && e.Var != nil {
				vars[e.Var] = true
			}
			return true
		})
	}
	add := func(v *ir.Var, e *ir.Expr) {
		if v != nil && e != nil && vars[v] && h.polls(e) {
			out = append(out, e)
		}
	}
	s.Body.Walk(func(t *ir.Stmt) bool {
		for _, v := range t.Vars {
			add(v, v.Init)
		}
		t.Exprs(func(top *ir.Expr) {
			top.Walk(func(e *ir.Expr) bool {
				switch {
				case e.Op == ir.OpAssign:
					if r := e.Kids[0].Root(); r != nil {
						add(r.Var, e.Kids[1])
					}
				case e.Op == ir.OpAsm && strings.Contains(e.Name, "ld."):
					for _, k := range e.Kids {
						if r := k.Root(); r != nil {
							add(r.Var, e)
						}
					}
				}
				return true
			})
		})
		return true
	})
	return out
}

// polls reports whether an expression looks at memory as it is right now: a
// volatile or uncached load, or an atomic operation that changes nothing. (An
// atomicCAS that retries does not wait for another block.)
func (h *hazards) polls(e *ir.Expr) bool {
	found := false
	e.Walk(func(t *ir.Expr) bool {
		switch {
		case t.Op == ir.OpAsm, t.Op == ir.OpCall && (freshLoad(t.Name) || t.Name == "load"):
			found = true
		case t.Op == ir.OpCall && (t.Name == "atomicAdd" || t.Name == "atomicOr") && len(t.Args()) == 2:
			found = found || t.Args()[1].Op == ir.OpInt && t.Args()[1].Int == 0
		case t.Op == ir.OpCall && t.Name == "atomicCAS" && len(t.Args()) == 3:
			found = found || sameOperand(t.Args()[1], t.Args()[2])
		case t.Op == ir.OpIndex || t.Op == ir.OpDeref:
			found = found || h.volatileLoad(t)
		}
		return !found
	})
	return found
}

// freshLoad reports whether an intrinsic loads what memory holds right now.
func freshLoad(name string) bool {
	r := intrinsic.Of(name)
	return r.Kind == intrinsic.Load && r.Memory.Fresh
}

// sameOperand reports whether two operands are the same name or number.
func sameOperand(a, b *ir.Expr) bool {
	return a.Op == ir.OpInt && b.Op == ir.OpInt && a.Int == b.Int ||
		a.Op == ir.OpIdent && b.Op == ir.OpIdent && a.Name == b.Name && a.Var == b.Var
}

// onlyOthersEnd reports whether a condition reads memory and nothing in the
// loop can change its outcome: no store, no assignment to what it reads, no
// call but of fences and pure functions. If it ever ends, another thread does it.
func (h *hazards) onlyOthersEnd(s *ir.Stmt, c *ir.Expr) bool {
	reads := map[*ir.Var]bool{}
	loads := false
	c.Walk(func(e *ir.Expr) bool {
		switch e.Op {
		case ir.OpIndex, ir.OpDeref:
			if r := e.Root(); r != nil {
				v := h.k.variable(h.fn, r)
				loads = loads || v == nil || v.Kind != ir.VarShared && h.k.alias[v] == 0 && (v.Type.Ptr > 0 || v.Kind == ir.VarGlobal)
			}
		case ir.OpIdent:
			if e.Var != nil {
				reads[e.Var] = true
			}
		}
		return true
	})
	if !loads {
		return false
	}
	changes := false
	look := func(top *ir.Expr) {
		top.Walk(func(e *ir.Expr) bool {
			switch e.Op {
			case ir.OpAssign, ir.OpIncDec:
				r := e.Kids[0].Root()
				changes = changes || e.Kids[0].Op != ir.OpIdent || r == nil || reads[r.Var]
			case ir.OpCall:
				changes = changes || !changesNothing(intrinsic.Of(e.Name))
			case ir.OpAsm, ir.OpLambda:
				changes = true
			}
			return !changes
		})
	}
	s.Body.Walk(func(t *ir.Stmt) bool {
		for _, v := range t.Vars {
			changes = changes || reads[v]
		}
		t.Exprs(look)
		return !changes
	})
	if s.Post != nil {
		look(s.Post)
	}
	return !changes
}

// changesNothing reports whether an intrinsic leaves memory and the variables
// that it is given as they are.
func changesNothing(r *intrinsic.Row) bool {
	return r.ByValue() && r.Memory.Writes == intrinsic.None
}

// volatileLoad reports whether a load is made through a volatile pointer, and
// not from shared memory.
func (h *hazards) volatileLoad(e *ir.Expr) bool {
	r := e.Root()
	if r == nil {
		return false
	}
	v := h.k.variable(h.fn, r)
	if v != nil && (v.Kind == ir.VarShared || h.k.alias[v] != 0) {
		return false // threads of the same block
	}
	volatile := v != nil && v.Type.Volatile
	e.Walk(func(t *ir.Expr) bool {
		volatile = volatile || t.Op == ir.OpCast && t.Type.Volatile
		return !volatile
	})
	return volatile
}

// waitsOn reports whether one of those expressions depends on what another
// block may write.
func (h *hazards) waitsOn(s *ir.Stmt, c *ir.Expr) bool {
	if c != s.Cond {
		return h.polls(c)
	}
	waits := false
	c.Walk(func(e *ir.Expr) bool {
		switch {
		case e.Op == ir.OpCall && intrinsic.Of(e.Name).Kind == intrinsic.Atomic:
			waits = true
		case e.Op == ir.OpCall && (e.Name == "load" || e.Name == "test" || e.Name == "exchange" || e.Name == "compare_exchange_strong"):
			waits = true
		case e.Op == ir.OpIndex || e.Op == ir.OpDeref:
			if r := e.Root(); r != nil {
				v := h.k.variable(h.fn, r)
				if v != nil && (v.Kind == ir.VarShared || h.k.alias[v] != 0) {
					return true // threads of the same block
				}
				waits = waits || h.volatileLoad(e)
			}
			waits = waits || emptyBody(s.Body)
		case e.Op == ir.OpIdent:
			if v := h.k.variable(h.fn, e); v != nil && v.Kind == ir.VarGlobal && (v.Type.Volatile || !v.Type.Const && emptyBody(s.Body)) {
				waits = true
			}
		}
		return !waits
	})
	return waits
}

func emptyBody(s *ir.Stmt) bool {
	return s == nil || s.Op == ir.StmtEmpty || s.Op == ir.StmtCompound && len(s.List) == 0
}
