package motion

import (
	"slices"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/evaluate"
	"github.com/smux-cuda/smux/analysis/intrinsic"
	"github.com/smux-cuda/smux/analysis/ir"
)

// maxInputBytes bounds the registers per thread of an array that counts as an input.
const maxInputBytes = 128

// Inputs returns the local variables of the kernel that a region reads and whose values are
// computed before it, by more than a copy or a load, in the same iteration of the loops around
// it: a compiler may move that arithmetic into the region, to where its result is used.
//
// They are numbers, vectors of numbers, and arrays of these that can lie in registers, in the order of declaration.
// Each is known by its name where the region begins. A scalar has a value there; elements of an array may have none.
func Inputs(k *analysis.Kernel, r *analysis.Region) []*ir.Var {
	if r.Func != k.Func || r.List.Macro {
		return nil
	}
	computed := computedBefore(r)
	var out []*ir.Var
	for _, v := range k.Func.Vars {
		if computed[v] && isInput(k, r, v) && slices.ContainsFunc(r.Stmts, func(s *ir.Stmt) bool {
			return s.AnyExpr(func(e *ir.Expr) bool { return e.Op == ir.OpIdent && e.Var == v })
		}) {
			out = append(out, v)
		}
	}
	return out
}

// computedBefore are the variables that get a value by arithmetic between the start of the
// innermost loop around a region, or of the kernel, and the region.
func computedBefore(r *analysis.Region) map[*ir.Var]bool {
	out := map[*ir.Var]bool{}
	from := r.List
	for from.Parent != nil && !from.Parent.IsLoop() {
		from = from.Parent
	}
	from.Walk(func(s *ir.Stmt) bool {
		if s.Range.Start >= r.Start() {
			return false
		}
		for _, v := range s.Vars {
			if v.Init != nil && computes(v.Init) {
				out[v] = true
			}
		}
		s.Exprs(func(top *ir.Expr) {
			for e := range top.All() {
				switch e.Op {
				case ir.OpAssign, ir.OpIncDec:
					if to := e.Kids[0].Root(); to != nil && to.Var != nil && (e.Op == ir.OpIncDec || e.Tok != "=" || computes(e.Kids[1])) {
						out[to.Var] = true
					}
				case ir.OpCall: // what it gets by reference it may compute
					for _, a := range e.Args() {
						if to := a.Root(); to != nil && to.Var != nil && (to.Var.AddrTaken || len(to.Var.Dims) > 0) {
							out[to.Var] = true
						}
					}
				}
			}
		})
		return true
	})
	return out
}

// computes reports whether evaluating e is more than a copy or a load.
func computes(e *ir.Expr) bool {
	switch e.Op {
	case ir.OpIdent, ir.OpInt, ir.OpLiteral, ir.OpIndex, ir.OpDeref:
		return false
	case ir.OpMember, ir.OpCast, ir.OpInitList:
		return slices.ContainsFunc(e.Kids, computes)
	}
	return true
}

// isInput reports whether a variable that a region reads is one of the kinds that Inputs
// returns, and can be named where the region begins.
func isInput(k *analysis.Kernel, r *analysis.Region, v *ir.Var) bool {
	if v.Kind != ir.VarLocal || v.Static || v.Extern || v.Macro || v.Pack || v.Type.Ref || v.Type.Volatile || v.Type.Function || v.Type.Ptr > 0 || !plain(k, v.Type.Base) {
		return false
	}
	if k.SharedOf[v] != nil || !visibleAt(v, r) || slices.ContainsFunc(k.Func.Vars, func(o *ir.Var) bool { return o != v && o.Name == v.Name && visibleAt(o, r) }) {
		return false
	}
	if len(v.Dims) == 0 {
		return v.Init != nil || setBefore(r, v)
	}
	return fitsRegisters(k, v)
}

// visibleAt reports whether a variable is declared before a region, in a statement around it.
func visibleAt(v *ir.Var, r *analysis.Region) bool {
	return v.Decl != nil && v.Decl.Parent != nil && v.Range.End <= r.Start() && r.Stmts[0].Inside(v.Decl.Parent)
}

// setBefore reports whether a statement that is always on the way to a region assigns a variable.
func setBefore(r *analysis.Region, v *ir.Var) bool {
	return slices.ContainsFunc(v.Writes, func(e *ir.Expr) bool {
		if e.Op != ir.OpAssign || e.Tok != "=" || e.Range.End > r.Start() {
			return false
		}
		for list := r.Stmts[0].Parent; list != nil; list = list.Parent {
			if list.Op == ir.StmtCompound && slices.ContainsFunc(list.List, func(s *ir.Stmt) bool { return s.Op == ir.StmtExpr && s.Expr == e }) {
				return true
			}
		}
		return false
	})
}

// fitsRegisters reports whether an array is small, and the kernel finds its elements by constants
// and counters of loops alone.
func fitsRegisters(k *analysis.Kernel, v *ir.Var) bool {
	size := k.Prog.SizeOf(k.Func, ir.Type{Base: v.Type.Base})
	for _, in := range k.Instances {
		bytes := int64(size)
		for _, d := range v.Dims {
			if d == nil {
				return false
			}
			n, ok := evaluate.Constant(k, in, k.Func, d)
			if !ok || n < 1 || n > maxInputBytes {
				return false
			}
			bytes *= n
		}
		if bytes == 0 || bytes > maxInputBytes {
			return false
		}
	}
	return !k.Func.Body.AnyExpr(func(e *ir.Expr) bool {
		root := e.Root()
		return e.Op == ir.OpIndex && root != nil && root.Var == v && e.Kids[1].Any(func(t *ir.Expr) bool {
			return t.Op == ir.OpCall || t.Op == ir.OpIdent && !countsLoop(t)
		})
	})
}

// countsLoop reports whether a name is of a constant or of a variable that a loop's head declares.
func countsLoop(e *ir.Expr) bool {
	v := e.Var
	switch {
	case v == nil:
		return intrinsic.VariableOf(e.Name) == nil // a constant at namespace scope
	case v.Kind == ir.VarTemplateValue || v.Kind == ir.VarEnumerator || v.Kind == ir.VarConstant:
		return true
	}
	return v.Type.Const && v.Init != nil && !v.Init.Any(func(t *ir.Expr) bool { return t.Op == ir.OpIdent && (t.Var == v || !countsLoop(t)) }) ||
		v.Decl != nil && v.Decl.Parent != nil && v.Decl.Parent.Op == ir.StmtFor && v.Decl == v.Decl.Parent.Init
}
