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
//   - a store waits (later): nobody uses its place before it is made, and it is made for what waits, in its order;
//   - a loop counts its iterations (alikeCounted): it makes as many;
//   - a barrier is gone (droppedBarrier): from its place to the next barrier on every path, or from the one before it,
//     nothing is done that another thread could see. An acquire is a barrier of the v-TB, a release may be one.

// movesFit checks the conditions of all moves of one function.
func (al *alignment) movesFit() {
	for _, t := range al.temps {
		al.tempFits(t)
	}
	for b, l := range al.later {
		al.laterFits(b, l)
	}
	for b, a := range al.counted {
		al.countedFits(a, b)
	}
	for _, m := range al.moved {
		al.movedFits(m)
	}
	for _, d := range al.dropped {
		if al.backward(d.list, d.at) {
			continue
		}
		al.afterStep = d.at > 0 && al.inside(d.list[d.at-1], al.steps)
		if e := al.forward(spot{d.list, d.at}, d.in, map[*ir.Stmt]bool{}); e != nil {
			al.doubtMove(e.Range.Start, "a barrier of the original stood before this, which other threads may see")
		}
	}
	if len(al.temps)+len(al.counted)+len(al.moved)+len(al.dropped) > 0 && !al.k.doubtful(Moves) {
		al.k.shown(Moves, "each looked at")
	}
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
			if al.pointee(e, map[*ir.Var]bool{}) > readOnly {
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

// pointee returns what memory the pointer or array is in that an expression is an element of: anyMemory where that
// is not known.
func (al *alignment) pointee(e *ir.Expr, seen map[*ir.Var]bool) memory {
	root := e.Root()
	if root == nil || root.Var == nil {
		return anyMemory
	}
	v := root.Var
	switch {
	case v.Kind == ir.VarConstant, v.Kind == ir.VarGlobal && v.Type.Const && v.Type.Ptr == 0:
		return readOnly
	case v.Kind == ir.VarGlobal && len(v.Dims) > 0 && v.Type.Ptr == 0 && !v.Type.Volatile:
		return globalRead
	case v.Kind == ir.VarShared, al.k.state.copies[v.Name] != nil:
		return sharedRead
	case isPrivate(v):
		return noMemory
	case al.c.device[al.b] || v.Type.Ref || v.Type.Ptr == 0 || v.Kind != ir.VarParam && v.Kind != ir.VarLocal:
		return anyMemory
	}
	if seen[v] {
		return readOnly
	}
	seen[v] = true
	worst := readOnly
	if v.Kind == ir.VarParam && !(v.Type.PtrConst && v.Type.Restrict && v.Type.Ptr == 1) {
		worst = globalRead
	}
	if v.AddrTaken || v.Kind == ir.VarLocal && v.Init == nil && len(v.Writes) == 0 {
		return anyMemory
	}
	if v.Init != nil {
		worst = max(worst, al.pointee(v.Init, seen))
	}
	for _, w := range v.Writes {
		if w.Op == ir.OpAssign && w.Tok == "=" {
			worst = max(worst, al.pointee(w.Kids[1], seen))
		}
	}
	if worst == sharedRead && v.Kind == ir.VarParam {
		return anyMemory
	}
	return worst
}

// loads returns what an expression loads from; anyMemory where it does more than that.
func (al *alignment) loads(e *ir.Expr) memory {
	worst := noMemory
	walk(&ir.Stmt{Op: ir.StmtExpr, Expr: e}, func(t *ir.Expr) bool {
		m := noMemory
		switch t.Op {
		case ir.OpIndex, ir.OpDeref:
			m = al.pointee(t, map[*ir.Var]bool{})
		case ir.OpMember:
			if t.Arrow {
				m = al.pointee(t, map[*ir.Var]bool{})
			}
		case ir.OpIdent:
			switch v := t.Var; {
			case elsewhere(t), v != nil && (v.Type.Ref || v.Type.Volatile || v.Kind == ir.VarGlobal && !v.Type.Const && len(v.Dims) == 0):
				m = anyMemory
			case v != nil && v.Kind == ir.VarShared && len(v.Dims) == 0:
				m = sharedRead
			}
		case ir.OpAssign, ir.OpIncDec, ir.OpAsm, ir.OpLambda, ir.OpNew, ir.OpUnknown, ir.OpMixed, ir.OpInitList:
			m = anyMemory
		case ir.OpCall:
			if t.Name == "__ldg" && al.pointee(t.Args()[0], map[*ir.Var]bool{}) <= globalRead {
				worst = max(worst, readOnly, al.loads(t.Args()[0]))
				return false
			}
			if !al.pureCall(t) {
				m = anyMemory
			}
		}
		worst = max(worst, m)
		return true
	})
	return worst
}

// storesApart reports whether a statement stores to nothing but shared arrays and the thread's own variables, or to
// nothing but global memory and these, and returns a place where it may do else.
func (al *alignment) storesApart(s *ir.Stmt, fromShared bool) (found *ir.Expr) {
	walk(s, func(e *ir.Expr) bool {
		switch e.Op {
		case ir.OpAssign, ir.OpIncDec:
			target := e.Kids[0]
			m := al.pointee(target, map[*ir.Var]bool{})
			own := m == noMemory || target.Op == ir.OpIdent && target.Var != nil && (target.Var.Kind == ir.VarLocal || target.Var.Kind == ir.VarParam) && !target.Var.Type.Ref
			if apart := own || m == sharedRead; fromShared && (m >= sharedRead && !own) || !fromShared && !apart {
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
