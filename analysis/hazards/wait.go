package hazards

import (
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/barriers"
	"github.com/smux-cuda/smux/analysis/intrinsic"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/ir/effect"
	"github.com/smux-cuda/smux/analysis/pointers"
	"github.com/smux-cuda/smux/analysis/uniformity"
)

// Waits refuses what could wait for ever once thread blocks take turns:
// loops that wait for another block, and recursion through barriers.
func Waits(k *analysis.Kernel) {
	for _, fn := range slices.Concat(k.Functions, k.Implicit) {
		h := &hazards{k: k, fn: fn}
		for s := range fn.Body.All() {
			if s.IsLoop() && h.spins(s) {
				h.add(s.Range, analysis.CodeSpin, "a loop waits for memory that another thread block may have to change")
			}
			s.Exprs(func(e *ir.Expr) {
				if k.Prog.Effects(fn.File).Again(fn, e) {
					h.add(e.Range, analysis.CodeSpin, "a function that calls itself with its own arguments waits for memory that another thread block may have to change")
				}
			})
		}
	}
	for _, fn := range k.Recursive {
		if barriers.HasBarrier(k, fn) || pointers.OwnTouches(k, fn) != 0 {
			h := &hazards{k: k, fn: fn}
			h.add(ir.Range{Start: fn.View.Start}, analysis.CodeRecursion, "device function %s holds a barrier or uses shared memory, and may reach itself", fn.View.Name)
		}
	}
}

// Spins reports whether a loop waits for memory that another thread, of any block, may have to change.
func Spins(k *analysis.Kernel, fn *ir.Func, loop *ir.Stmt) bool {
	return (&hazards{k: k, fn: fn, alone: true}).spins(loop)
}

// spins recognises busy waiting: a loop that an atomic operation's result or a volatile load keeps going.
func (h *hazards) spins(s *ir.Stmt) bool {
	ends, sets := h.k.Prog.Effects(h.fn.File).Continues(h.fn, s)
	for _, e := range sets {
		if h.polls(s, e, false) || h.locks(s, e) {
			ends = append(ends, e)
		}
	}
	return slices.ContainsFunc(ends, func(c *ir.Expr) bool { return h.polls(s, c, c == s.Cond) || h.locks(s, c) }) ||
		h.k.Prog.Effects(h.fn.File).Idles(h.fn, s, h.ofBlock)
}

// ofBlock reports whether no other thread block changes what is loaded by a load, or by a call of functions in view:
// shared memory, and what nobody writes while the kernel runs.
func (h *hazards) ofBlock(load *ir.Expr) bool {
	apart := func(fn *ir.Func, e *ir.Expr) bool {
		return (&hazards{k: h.k, fn: fn, alone: h.alone}).inBlock(e) || uniformity.LoadsUnchanging(h.k, fn, e)
	}
	cs := h.k.Callees(h.fn, load)
	return apart(h.fn, load) || len(cs) > 0 && !slices.ContainsFunc(cs, func(c *ir.Func) bool {
		return c.Body.AnyExpr(func(e *ir.Expr) bool { return h.k.Step(c, e).Loads() && !apart(c, e) })
	})
}

// WaitsInBlock reports whether a loop may wait for what another thread of the block writes: what decides whether it goes on
// is an atomic operation, volatile, or shared memory at one place that the loop itself leaves as it is.
func WaitsInBlock(k *analysis.Kernel, fn *ir.Func, loop *ir.Stmt) bool {
	h := &hazards{k: k, fn: fn}
	ends, sets := k.Prog.Effects(fn.File).Continues(fn, loop)
	does := k.EffectOf(fn, loop.Body)
	if loop.Post != nil {
		does.Writes = append(does.Writes, k.Effect(fn, loop.Post).Writes...)
	}
	asks := func(e *ir.Expr) bool {
		return e.Any(h.inBlock) && !e.Any(func(t *ir.Expr) bool { return t.Var != nil && does.IsKnown() && slices.Contains(does.Writes, t.Var) })
	}
	for _, e := range sets {
		if e.Op == ir.OpAssign {
			e = e.Kids[1] // what it is set to, by itself
		}
		ends = append(ends, e)
	}
	return slices.ContainsFunc(ends, asks) || slices.ContainsFunc(slices.Concat(ends, sets), func(e *ir.Expr) bool { return k.Effect(fn, e).Synchronizes() })
}

// polls reports whether evaluating an expression of a loop, with the functions in view that it calls, looks at memory as
// it is right now: by a volatile or uncached load, one whose caching it names at the same place in each round, inline PTX
// that loads, or an atomic operation. Where changing is false, only atomic operations that change nothing count: an
// atomicCAS that retries does not wait for another block.
func (h *hazards) polls(loop *ir.Stmt, e *ir.Expr, changing bool) bool {
	seen := map[*ir.Func]bool{}
	var looks func(h *hazards) func(t *ir.Expr) bool
	looks = func(h *hazards) func(t *ir.Expr) bool {
		return func(t *ir.Expr) bool {
			args := t.Args()
			switch {
			case t.Op == ir.OpAsm:
				return strings.Contains(t.Name, "ld") || strings.Contains(t.Name, "atom")
			case t.Op != ir.OpCall:
				return h.volatileLoad(t)
			case t.Name == "load":
				return true
			case intrinsic.Of(t.Name).Kind == intrinsic.Load:
				r := t.Intrinsic()
				return intrinsic.Of(t.Name).Memory.Fresh || r.Known() && !r.Memory.ReadOnly && !t.Any(moves(loop))
			case changing && (intrinsic.Of(t.Name).IsAtomic() || t.Name == "test" || t.Name == "exchange" || t.Name == "compare_exchange_strong"):
				return true
			case (t.Name == "atomicAdd" || t.Name == "atomicOr") && len(args) == 2 && args[1].Op == ir.OpInt && args[1].Int == 0:
				return true
			case t.Name == "atomicCAS" && len(args) == 3 && sameOperand(args[1], args[2]):
				return true
			}
			for _, c := range h.k.Callees(h.fn, t) {
				if !seen[c] {
					seen[c] = true
					if c.Body.AnyExpr(looks(&hazards{k: h.k, fn: c, alone: h.alone})) {
						return true
					}
				}
			}
			if len(t.Kids) == 0 || t.Kids[0].Var == nil {
				return false
			}
			v := t.Kids[0].Var
			for _, a := range append(h.k.Passed[v], analysis.Argument{Fn: h.fn, Expr: v.Init}) {
				if a.Expr != nil && a.Expr.Op == ir.OpLambda && a.Expr.Lambda.AnyExpr(looks(&hazards{k: h.k, fn: a.Fn, alone: h.alone})) {
					return true
				}
			}
			return h.k.Step(h.fn, t).Flags&effect.Volatile != 0 // of an object
		}
	}
	return e.Any(looks(h))
}

// locks reports whether an expression of a loop tries to take something that it tries to take again: by an atomicExch, or an
// atomicCAS that expects a constant, which a function in view may return, too, always at one place.
func (h *hazards) locks(loop *ir.Stmt, e *ir.Expr) bool {
	takes := func(t *ir.Expr) bool {
		return (t.Calls("atomicExch") || t.Calls("atomicCAS") && len(t.Args()) == 3 && t.Args()[1].Op == ir.OpInt) && !h.inBlock(t.Args()[0])
	}
	return e.Any(func(t *ir.Expr) bool {
		return !t.Any(moves(loop)) && (takes(t) || slices.ContainsFunc(h.k.Callees(h.fn, t), func(c *ir.Func) bool {
			return c.Body.Any(func(s *ir.Stmt) bool { return s.Op == ir.StmtReturn && s.Expr.Any(takes) })
		}))
	})
}

// moves returns whether an expression names a variable that a loop makes or sets.
func moves(loop *ir.Stmt) func(e *ir.Expr) bool {
	return func(e *ir.Expr) bool {
		return e.Var != nil && (e.Var.Decl != nil && e.Var.Decl.Inside(loop.Body) ||
			slices.ContainsFunc(e.Var.Writes, func(w *ir.Expr) bool { return loop.Range.Contains(w.Range) }))
	}
}

// inBlock reports whether what an expression names, or points to, is in shared memory: threads of the same block change it,
// which count as others where a thread is looked at alone.
func (h *hazards) inBlock(e *ir.Expr) bool {
	r := e.Root()
	if r == nil || h.alone {
		return false
	}
	v := h.k.Variable(h.fn, r)
	return v != nil && (v.Kind == ir.VarShared || pointers.Aliases(h.k)[v] != 0)
}

// sameOperand reports whether two operands are the same name or number.
func sameOperand(a, b *ir.Expr) bool {
	return a.Op == ir.OpInt && b.Op == ir.OpInt && a.Int == b.Int ||
		a.Op == ir.OpIdent && b.Op == ir.OpIdent && a.Name == b.Name && a.Var == b.Var
}

// volatileLoad reports whether an operation reads something volatile in memory, and not in shared memory.
func (h *hazards) volatileLoad(e *ir.Expr) bool {
	does := h.k.Step(h.fn, e)
	return does.Flags&effect.Volatile != 0 && does.Flags&effect.ReadsMemory != 0 && !h.inBlock(e)
}
