package analysis

import (
	"strings"

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
	if s.Cond == nil {
		return false
	}
	waits := false
	s.Cond.Walk(func(e *ir.Expr) bool {
		switch {
		case e.Op == ir.OpCall && strings.HasPrefix(e.Name, "atomic"):
			waits = true
		case e.Op == ir.OpCall && (e.Name == "load" || e.Name == "test" || e.Name == "exchange" || e.Name == "compare_exchange_strong"):
			waits = true
		case e.Op == ir.OpIndex || e.Op == ir.OpDeref:
			if r := e.Root(); r != nil {
				v := h.k.variable(h.fn, r)
				if v != nil && (v.Kind == ir.VarShared || h.k.alias[v] != 0) {
					return true // threads of the same block
				}
				waits = waits || v != nil && v.Type.Volatile
			}
			waits = waits || emptyBody(s.Then)
		case e.Op == ir.OpIdent:
			if v := h.k.variable(h.fn, e); v != nil && v.Kind == ir.VarGlobal && (v.Type.Volatile || !v.Type.Const && emptyBody(s.Then)) {
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
