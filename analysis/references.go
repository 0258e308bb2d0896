package analysis

import (
	"strings"

	"github.com/smux-cuda/smux/analysis/ir"
)

// markReferences finds variables that a call may change because they are
// passed by reference, and marks them as if their address were taken: their
// value is then never taken for granted.
func (p *Program) markReferences(fn *ir.Func) {
	markDecays(fn)
	fn.Body.WalkExprs(func(e *ir.Expr) bool {
		switch e.Op {
		case ir.OpCall, ir.OpLaunch:
			for i, a := range e.Args() {
				if a.Op == ir.OpIdent && a.Var != nil && len(a.Var.Dims) == 0 && p.maybeByReference(fn, e, i) {
					a.Var.AddrTaken = true
				}
			}
			if obj, ok := e.IsMemberCall(); ok && obj.Op == ir.OpIdent && obj.Var != nil {
				if _, plain := integerTypes[obj.Var.Type.Base]; !plain && obj.Var.Type.Base != "dim3" {
					obj.Var.AddrTaken = true
				}
			}
		case ir.OpLambda:
			if e.Lambda != nil {
				// What a lambda assigns, it assigns whenever it is called.
				e.Lambda.WalkExprs(func(t *ir.Expr) bool {
					if (t.Op == ir.OpAssign || t.Op == ir.OpIncDec) && t.Kids[0].Op == ir.OpIdent && t.Kids[0].Var != nil {
						t.Kids[0].Var.AddrTaken = true
					}
					return true
				})
			}
		}
		return true
	})
}

// markDecays marks local arrays that are used other than by subscript: through
// the pointer they decay to, their elements may change unseen.
func markDecays(fn *ir.Func) {
	fn.Body.WalkExprs(func(e *ir.Expr) bool {
		for i, kid := range e.Kids {
			if kid.Op != ir.OpIdent || kid.Var == nil || kid.Var.Kind != ir.VarLocal || len(kid.Var.Dims) == 0 {
				continue
			}
			if e.Op != ir.OpSizeof && (e.Op != ir.OpIndex || i != 0) {
				kid.Var.AddrTaken = true
			}
		}
		return true
	})
	fn.Body.Walk(func(s *ir.Stmt) bool {
		// p = array, as an initialiser, and array as a whole statement or condition.
		s.Exprs(func(e *ir.Expr) {
			if e.Op == ir.OpIdent && e.Var != nil && e.Var.Kind == ir.VarLocal && len(e.Var.Dims) > 0 {
				e.Var.AddrTaken = true
			}
		})
		return true
	})
}

// maybeByReference reports whether argument i of a call may be taken by a
// reference that is not const. What is out of sight may, unless it is C or a
// known function of CUDA.
func (p *Program) maybeByReference(fn *ir.Func, call *ir.Expr, i int) bool {
	if call.Op == ir.OpLaunch {
		return false
	}
	name := call.Name
	if pureCalls[name] && name != "swap" || warpCalls[name] || blockBarriers[name] || strings.HasPrefix(name, "atomic") || strings.HasPrefix(name, "cuda") || strings.HasPrefix(name, "make_") {
		return false
	}
	if byValue[name] || strings.HasPrefix(name, "tex") || strings.HasPrefix(name, "surf") {
		return false
	}
	seen := false
	for _, c := range p.unit(fn.File).byName[name] {
		if !acceptsArgs(c.fn, len(call.Args())) || i >= len(c.fn.Params) {
			continue
		}
		seen = true
		text := string(c.file.Src[c.fn.Params[i].Node.Start:c.fn.Params[i].Node.End])
		if strings.Contains(text, "&") && !strings.Contains(text, "const") {
			return true
		}
	}
	return !seen
}

// byValue are functions of C and CUDA that take scalars by value.
var byValue = set(`
	printf fprintf malloc calloc free exit assert memcpy memset atoi atof rand srand sizeof static_cast time
	static_assert __builtin_assume __builtin_expect __nanosleep __ldg __trap clock clock64 checkCudaErrors
`)
