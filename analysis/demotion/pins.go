package demotion

import (
	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/named"
)

// findPins lists the integers that subscripts, addresses and loop heads are computed from, and the pointers, in the
// kernel and the functions that it alone reaches. What an automatic array is indexed by is left out: where the
// compiler no longer knows its value, the array goes to local memory.
func (c *Candidates) findPins(k *analysis.Kernel) {
	for _, fn := range k.Functions {
		index, inside := indices(fn), arrayIndices(fn)
		weight := weights(fn)
		for _, v := range append(append([]*ir.Var{}, fn.Params...), fn.Vars...) {
			pointer := v.Type.Ptr > 0
			if !pointer && !index[v] || inside[v] || weight[v] == 0 || NotPinned(k, fn, v) != "" {
				continue
			}
			c.Pins = append(c.Pins, Pin{
				Name: named.VariableName(k, fn, v), Func: fn, Var: v, Pointer: Constraint(fn, v) == "l", Weight: weight[v],
				ReadOnly: pointer && (v.Type.PtrConst || v.Type.Restrict),
			})
		}
	}
}

// arrayIndices are the variables that stand in subscripts of automatic arrays.
func arrayIndices(fn *ir.Func) map[*ir.Var]bool {
	out := map[*ir.Var]bool{}
	for e := range fn.Body.AllExprs() {
		if root := e.Root(); e.Op == ir.OpIndex && root != nil && root.Var != nil && root.Var.Kind == ir.VarLocal && len(root.Var.Dims) > 0 {
			for t := range e.Kids[1].All() {
				if t.Op == ir.OpIdent && t.Var != nil {
					out[t.Var] = true
				}
			}
		}
	}
	return out
}

// weights are the reads and writes of each variable of a function, each loop
// level weighing ten times the one around it.
func weights(fn *ir.Func) map[*ir.Var]float64 {
	out := map[*ir.Var]float64{}
	var visit func(s *ir.Stmt, weight float64)
	visit = func(s *ir.Stmt, weight float64) {
		inside := weight
		if s.IsLoop() {
			inside *= 10
		}
		s.Exprs(func(e *ir.Expr) {
			for t := range e.All() {
				if t.Op == ir.OpIdent && t.Var != nil {
					out[t.Var] += inside
				}
			}
		})
		for _, v := range s.Vars {
			if v.Init != nil {
				out[v] += weight
			}
		}
		for _, child := range s.Children() {
			if child == s.Init {
				visit(child, weight)
			} else {
				visit(child, inside)
			}
		}
	}
	visit(fn.Body, 1)
	return out
}

// indices are the variables of a function that subscripts, addresses and heads of
// loops are computed from, over other variables too.
func indices(fn *ir.Func) map[*ir.Var]bool {
	out := map[*ir.Var]bool{}
	add := func(e *ir.Expr) {
		e.Walk(func(t *ir.Expr) bool {
			if t.Op == ir.OpIdent && t.Var != nil && t.Var.Type.Ptr == 0 {
				out[t.Var] = true
			}
			return t.Op != ir.OpCall
		})
	}
	for s := range fn.Body.All() {
		switch s.Op {
		case ir.StmtFor:
			add(s.Post)
		case ir.StmtWhile, ir.StmtDo:
			add(s.Cond)
		}
	}
	for e := range fn.Body.AllExprs() {
		switch e.Op {
		case ir.OpIndex:
			add(e.Kids[1])
		case ir.OpDeref:
			add(e.Kids[0])
		}
	}
	for n := -1; n < len(out); {
		n = len(out)
		for _, v := range fn.Vars {
			if !out[v] && v.Type.Ptr == 0 {
				continue // what a pointer is set to is an address
			}
			if v.Init != nil {
				add(v.Init)
			}
			for _, w := range v.Writes {
				if w.Op == ir.OpAssign {
					add(w.Kids[1])
				}
			}
		}
	}
	return out
}
