package validate

import (
	"strings"

	"github.com/smux-cuda/smux/analysis/ir"
)

// The moves that are known, each with what it takes:
//
//   - a value is computed ahead of the turn that uses it (temp): it is loaded from memory that no store in
//     between can change, whoever computes it would have computed it, and it is kept in its own type;
//   - a statement stands earlier (movedStmt): nothing that it passed writes what it reads, or reads what it
//     writes;
//   - a barrier is gone (droppedBarrier): from its place to the next acquire, which is a barrier of the v-TB,
//     or from a release that is one, nothing is done that another thread could see.

// movesFit checks the conditions of all moves of one function.
func (al *alignment) movesFit() {
	for _, t := range al.temps {
		al.tempFits(t)
	}
	for _, m := range al.moved {
		al.movedFits(m)
	}
	for _, d := range al.dropped {
		for _, s := range al.needless(d) {
			if e := al.visible(s); e != nil {
				al.doubtMove(e.Range.Start, "a barrier of the original stood before this, which other threads may see")
			}
		}
	}
	if len(al.temps)+len(al.moved)+len(al.dropped) > 0 && !al.k.doubtful(Moves) {
		al.k.shown(Moves, "each looked at")
	}
}

// needless returns the statements between the place of a barrier that is gone and the one that makes it
// needless: the next acquire, or the release before it where that is one.
func (al *alignment) needless(d droppedBarrier) []*ir.Stmt {
	if al.behindAcquire(d.list, d.at) {
		return nil
	}
	for n := d.at; n < len(d.list); n++ {
		if al.roles[d.list[n]] == roleAcquire {
			return d.list[d.at:n]
		}
	}
	for n := d.at - 1; n >= 0 && !al.obj.ring(); n-- {
		if al.roles[d.list[n]] == roleRelease {
			return d.list[n:d.at]
		}
	}
	return d.list[d.at:]
}

func (al *alignment) doubtMove(at int, format string, args ...any) {
	al.k.doubt(Moves, al.c.b.file, at, format, args...)
}

// visible returns something in a statement that another thread could see, or that sees what others do.
func (al *alignment) visible(s *ir.Stmt) (found *ir.Expr) {
	if al.roles[s] == roleErased || al.roles[s] == roleRelease || al.roles[s] == roleFinish {
		return nil
	}
	walk(s, func(e *ir.Expr) bool {
		switch e.Op {
		case ir.OpIndex, ir.OpDeref:
			root := e.Root()
			if root == nil || root.Var == nil || root.Var.Kind != ir.VarConstant && !isPrivate(root.Var) {
				found = e
			}
		case ir.OpIdent:
			if elsewhere(e) || e.Var != nil && (e.Var.Kind == ir.VarShared || e.Var.Kind == ir.VarGlobal && !e.Var.Type.Const || e.Var.Type.Ref) {
				found = e
			}
		case ir.OpAsm, ir.OpLambda, ir.OpNew, ir.OpUnknown, ir.OpMixed:
			found = e
		case ir.OpCall:
			if !al.pureCall(e) {
				found = e
			}
		}
		return found == nil
	})
	return found
}

// isPrivate reports whether a variable is a thread's own array or number.
func isPrivate(v *ir.Var) bool {
	return v.Kind == ir.VarLocal && v.Type.Ptr == 0 && !v.Type.Ref
}

// pureCall reports whether a call does nothing but compute: of what is known, or of functions in view that
// touch nothing but their own variables and what they are passed, which must be the thread's own.
func (al *alignment) pureCall(e *ir.Expr) bool {
	for _, arg := range e.Args() {
		if root := arg.Root(); root != nil && root.Var != nil && !isPrivate(root.Var) && root.Var.Kind != ir.VarConstant && (root.Var.Type.Ptr > 0 || root.Var.Kind == ir.VarShared) {
			return false
		}
	}
	gs := al.k.state.calls[e]
	if len(gs) == 0 {
		return leavesArguments(e.Name) && !strings.HasPrefix(e.Name, "atomic") && e.Name != "printf" && e.Name != "assert" && e.Name != "__ldg" ||
			e.Name == "sinf" || e.Name == "cosf" || e.Name == "sincosf" || e.Name == "__sincosf"
	}
	return al.k.state.closed(gs, map[*ir.Func]bool{})
}

// closed reports whether functions touch nothing but their own variables and their parameters.
func (st *kernelState) closed(gs []*ir.Func, seen map[*ir.Func]bool) bool {
	for _, g := range gs {
		if seen[g] {
			continue
		}
		seen[g] = true
		ok := len(g.Problems) == 0
		walk(g.Body, func(e *ir.Expr) bool {
			switch e.Op {
			case ir.OpIdent:
				ok = ok && !elsewhere(e) && (e.Var == nil || e.Var.Kind != ir.VarShared && (e.Var.Kind != ir.VarGlobal || e.Var.Type.Const))
			case ir.OpAsm, ir.OpLambda, ir.OpNew:
				ok = false
			case ir.OpCall:
				if inner := st.calls[e]; len(inner) > 0 {
					ok = ok && st.closed(inner, seen)
				} else {
					ok = ok && leavesArguments(e.Name) && !strings.HasPrefix(e.Name, "atomic")
				}
			}
			return ok
		})
		if !ok {
			return false
		}
	}
	return true
}

// global reports whether an expression is an element of memory that the kernel was given the address of: no
// shared array and no variable can be there.
func (al *alignment) global(e *ir.Expr, seen map[*ir.Var]bool) bool {
	root := e.Root()
	if root == nil || root.Var == nil {
		return false
	}
	v := root.Var
	switch {
	case v.Kind == ir.VarConstant:
		return true
	case al.c.device[al.b] || v.Type.Ref:
		return false
	case v.Kind == ir.VarParam && v.Type.Ptr > 0, v.Kind == ir.VarLocal && v.Type.Ptr > 0:
	default:
		return false
	}
	if seen[v] {
		return true
	}
	seen[v] = true
	if v.AddrTaken || v.Kind == ir.VarLocal && v.Init == nil && len(v.Writes) == 0 {
		return false
	}
	if v.Init != nil && !al.global(v.Init, seen) {
		return false
	}
	for _, w := range v.Writes {
		if w.Op == ir.OpAssign && w.Tok == "=" && !al.global(w.Kids[1], seen) {
			return false
		}
	}
	return true
}

// loadsOnly reports whether an expression only computes, and loads from global memory.
func (al *alignment) loadsOnly(e *ir.Expr) bool {
	ok := true
	walk(&ir.Stmt{Op: ir.StmtExpr, Expr: e}, func(t *ir.Expr) bool {
		switch t.Op {
		case ir.OpIndex, ir.OpDeref:
			if root := t.Root(); root == nil || root.Var == nil || !al.global(t, map[*ir.Var]bool{}) && !isPrivate(root.Var) {
				ok = false
			}
		case ir.OpIdent:
			ok = ok && !elsewhere(t) && (t.Var == nil || t.Var.Kind != ir.VarShared && !t.Var.Type.Ref && (t.Var.Kind != ir.VarGlobal || t.Var.Type.Const))
		case ir.OpAssign, ir.OpIncDec, ir.OpAsm, ir.OpLambda, ir.OpNew, ir.OpUnknown, ir.OpMixed:
			ok = false
		case ir.OpCall:
			ok = ok && (t.Name == "__ldg" && al.global(t.Args()[0], map[*ir.Var]bool{}) || al.pureCall(t))
			if t.Name == "__ldg" {
				return false
			}
		}
		return ok
	})
	return ok
}

// storesApart reports whether a statement stores to nothing but shared arrays and the thread's own variables,
// and returns a place where it may do else.
func (al *alignment) storesApart(s *ir.Stmt) (found *ir.Expr) {
	walk(s, func(e *ir.Expr) bool {
		switch e.Op {
		case ir.OpAssign, ir.OpIncDec:
			root := e.Kids[0].Root()
			if root == nil || root.Var == nil || !isPrivate(root.Var) && root.Var.Kind != ir.VarShared && !al.pointsToShared(root.Var) &&
				!(e.Kids[0].Op == ir.OpIdent && root.Var.Kind != ir.VarGlobal) {
				found = e
			}
		case ir.OpAsm, ir.OpLambda, ir.OpNew, ir.OpUnknown, ir.OpMixed:
			found = e
		case ir.OpCall:
			if _, own := al.obj.own(e); !own && !al.pureCall(e) && e.Name != "__ldg" {
				found = e
			}
		}
		return found == nil
	})
	return found
}

// own reports which member of the v-TB object a call is of.
func (o *object) own(e *ir.Expr) (string, bool) {
	if obj, ok := e.IsMemberCall(); ok && o != nil && obj.Op == ir.OpIdent && obj.Name == o.name {
		return e.Kids[0].Name, true
	}
	return "", false
}

// pointsToShared reports whether a pointer is one to shared memory in everything that it is set to.
func (al *alignment) pointsToShared(v *ir.Var) bool {
	if v.Kind != ir.VarLocal || v.AddrTaken || v.Init == nil || !al.k.state.tainted[v] {
		return false
	}
	all := append([]*ir.Expr(nil), v.Init)
	for _, w := range v.Writes {
		if w.Op == ir.OpAssign && w.Tok == "=" {
			all = append(all, w.Kids[1])
		}
	}
	for _, e := range all {
		if root := e.Root(); root == nil || root.Var == nil || root.Var.Kind != ir.VarShared {
			return false
		}
	}
	return true
}

// typeOf returns the type of a load as text, "" where it is not known.
func typeOf(e *ir.Expr) string {
	switch e.Op {
	case ir.OpIdent:
		if e.Var != nil && e.Var.Type.Ptr == 0 && len(e.Var.Dims) == 0 {
			return e.Var.Type.Base
		}
	case ir.OpIndex, ir.OpDeref:
		base := e.Kids[0]
		if base.Op == ir.OpIdent && base.Var != nil && base.Var.Type.Ptr+len(base.Var.Dims) == 1 {
			return base.Var.Type.Base
		}
		if e.Op == ir.OpDeref {
			if root := base.Root(); root != nil && root.Var != nil && root.Var.Type.Ptr == 1 && base.Op == ir.OpBinary {
				return root.Var.Type.Base
			}
		}
		if e.Op == ir.OpIndex && base.Op == ir.OpIndex {
			if root := e.Root(); root != nil && root.Var != nil && root.Var.Type.Ptr == 0 && len(root.Var.Dims) == 2 {
				return root.Var.Type.Base
			}
		}
	case ir.OpCall:
		if e.Name == "__ldg" && len(e.Args()) == 1 {
			return typeOf(&ir.Expr{Op: ir.OpDeref, Kids: []*ir.Expr{e.Args()[0]}})
		}
	case ir.OpMember:
		base := typeOf(e.Kids[0])
		if len(e.Name) == 1 && strings.Contains("xyzw", e.Name) {
			for _, scalar := range []string{"float", "double", "int", "short"} {
				if strings.HasPrefix(base, scalar) && len(base) == len(scalar)+1 {
					return scalar
				}
			}
			if strings.HasPrefix(base, "uint") && len(base) == 5 {
				return "unsigned int"
			}
		}
	}
	return ""
}
