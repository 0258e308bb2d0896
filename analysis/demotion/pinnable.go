package demotion

import (
	"slices"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/intrinsic"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/pointers"
	"github.com/smux-cuda/smux/parser"
)

// NotPinned reports why a variable can't be pinned, "" where it can: an asm operand
// is a register of 32 or 64 bits that the asm may change.
func NotPinned(k *analysis.Kernel, fn *ir.Func, v *ir.Var) string {
	switch t := v.Type; {
	case len(fn.Problems) > 0 || fn.View.Error != nil:
		return "its function holds text that smux can't parse"
	case v.Macro:
		return "it is declared in a macro"
	case v.Kind != ir.VarLocal && v.Kind != ir.VarParam, v.Static, v.Extern, v.Pack:
		return "it is not a variable of a thread's own"
	case t.Ref || t.Function || len(v.Dims) > 0:
		return "it is a reference, an array or a function"
	case t.Volatile && t.Ptr == 0:
		return "it is volatile"
	case Constraint(fn, v) == "":
		return "its type, " + t.String() + ", is neither an integer of 32 or 64 bits nor a pointer"
	case v.AddrTaken || inLambda(fn, v):
		return "its address is taken, or a lambda uses it"
	case t.Ptr > 0 && pointers.MayPoint(k, v):
		return "it may point to shared memory, which the compiler would know no more"
	case t.Ptr > 0 && pointsToLocal(v):
		return "it points to a variable of the thread's own, which would have to lie in memory"
	case t.Const && v.Kind == ir.VarParam:
		return "it is a const parameter"
	case t.Const && !canLoseConst(k, fn, v):
		return "it is const and may be needed as a constant"
	}
	if why := notAlone(k, fn); why != "" {
		return "it is in " + why
	}
	return ""
}

// Constraint is the asm constraint of a variable that can be pinned: "r" for
// integers of 32 bits, "l" for those of 64 and pointers, "" for any other type.
// long, and what may be one, are left out: their size is not the same everywhere.
func Constraint(fn *ir.Func, v *ir.Var) string {
	if v.Type.Ptr > 0 {
		return "l"
	}
	base := v.Type.Base
	if _, macro := fn.File.Macros.Lookup(base, v.Range.Start); macro {
		return ""
	}
	n, _ := ir.NumberOf(base)
	switch {
	case n.Float || n.Name == "long" || n.Name == "unsigned long" || n.Name == "clock_t" || n.Name == "time_t":
		return ""
	case n.Bytes == 4:
		return "r"
	case n.Bytes == 8:
		return "l"
	}
	return ""
}

// inLambda reports whether a lambda of the function names a variable.
func inLambda(fn *ir.Func, v *ir.Var) bool {
	return fn.Body.AnyExpr(func(e *ir.Expr) bool {
		return e.Op == ir.OpLambda && e.Lambda != nil && e.Lambda.AnyExpr(func(t *ir.Expr) bool { return t.Op == ir.OpIdent && t.Var == v })
	})
}

// pointsToLocal reports whether a pointer is set to the address of a variable or
// an element of an array in the function.
func pointsToLocal(v *ir.Var) bool {
	local := func(e *ir.Expr) bool {
		found := false
		e.Walk(func(t *ir.Expr) bool {
			switch {
			case t.Op == ir.OpAddr:
				r := t.Kids[0].Root()
				found = found || r != nil && r.Var != nil && r.Var.Type.Ptr == 0 && (r.Var.Kind == ir.VarLocal || r.Var.Kind == ir.VarParam)
			case t.Op == ir.OpIdent && t.Var != nil && t.Var.Kind == ir.VarLocal && len(t.Var.Dims) > 0:
				found = true
			}
			return !found && t.Op != ir.OpCall && t.Op != ir.OpIndex
		})
		return found
	}
	if v.Init != nil && local(v.Init) {
		return true
	}
	return slices.ContainsFunc(v.Writes, func(w *ir.Expr) bool { return w.Op == ir.OpAssign && local(w.Kids[1]) })
}

// canLoseConst reports whether a const variable may as well be none: its value is not known to the compiler, so that
// nothing can need it as a constant, and no call takes it by a reference that would then bind in another way.
func canLoseConst(k *analysis.Kernel, fn *ir.Func, v *ir.Var) bool {
	if v.Decl == nil || v.Decl.Op != ir.StmtDecl || v.Decl.Macro {
		return false
	}
	if _, ok := ConstTokens(fn, v); !ok {
		return false
	}
	for _, o := range v.Decl.Vars {
		if o != v && (o.Type.Ptr > 0 || o.Type.Ref || len(o.Dims) > 0 || v.Type.Ptr > 0) {
			return false
		}
		if o.Init == nil || !changing(o.Init) {
			return false
		}
	}
	ok := true
	fn.Body.WalkExprs(func(e *ir.Expr) bool {
		if e.Op != ir.OpCall {
			return ok
		}
		for i, a := range e.Args() {
			if a.Op != ir.OpIdent || a.Var != v {
				continue
			}
			for _, c := range k.Callees(fn, e) {
				ok = ok && i < len(c.Params) && !c.Params[i].Type.Ref
			}
		}
		return ok
	})
	return ok
}

// changing reports whether an expression cannot be a C++ constant: it depends on
// a built-in variable, a parameter, a variable or memory.
func changing(e *ir.Expr) bool {
	found := false
	e.Walk(func(t *ir.Expr) bool {
		switch t.Op {
		case ir.OpIdent:
			found = found || t.Var == nil && intrinsic.IsMergedVariable(t.Name)
			if t.Var != nil && !t.Var.Type.Const && !t.Var.Type.Ref {
				found = found || t.Var.Kind == ir.VarLocal || t.Var.Kind == ir.VarParam
			}
		case ir.OpSizeof, ir.OpLambda:
			return false
		}
		return !found
	})
	return found
}

// ConstTokens are the places of the const in a variable's declaration that makes
// the variable itself const. ok is false where there is none in view.
func ConstTokens(fn *ir.Func, v *ir.Var) (at []ir.Range, ok bool) {
	if v.Decl == nil || v.Decl.Macro || len(v.Decl.Vars) == 0 {
		return nil, false
	}
	start, end := v.Decl.Range.Start, v.Decl.Vars[0].Range.Start
	if v.Type.Ptr > 0 {
		start, end = v.Range.Start, v.Range.End
	}
	src := fn.File.Src
	stars := 0
	for _, t := range parser.TokensBetween(src, start, end) {
		switch word := string(src[t.Start:t.End]); {
		case word == "*":
			stars++
		case word == "const" && v.Type.Ptr == stars:
			at = append(at, ir.Range{Start: t.Start, End: t.End})
		case word == "constexpr" || word == "auto" || word == "decltype":
			return nil, false
		case word == v.Name && v.Type.Ptr > 0:
			return at, len(at) > 0
		}
	}
	return at, len(at) > 0
}
