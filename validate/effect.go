package validate

import (
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/ir/effect"
)

// memory is where an operation reads or writes: the worst of it.
type memory uint8

const (
	noMemory   memory = iota // a thread's own variables
	readOnly                 // what nothing in the kernel writes
	globalRead               // what the kernel was given the address of
	sharedRead               // shared arrays
	anyMemory                // something else
)

// effect returns what one operation reads and writes, without its operands, and whether it writes at all. What can't
// be told is anyMemory.
func (al *alignment) effect(e *ir.Expr) (reads, writes memory, does bool) {
	switch e.Op {
	case ir.OpIndex, ir.OpDeref:
		return al.place(e), noMemory, false
	case ir.OpMember:
		if e.Arrow {
			return al.place(e), noMemory, false
		}
	case ir.OpIdent:
		switch v := e.Var; {
		case elsewhere(e), v != nil && (v.Type.Ref || v.Type.Volatile || v.Kind == ir.VarGlobal && !v.Type.Const && len(v.Dims) == 0):
			return anyMemory, noMemory, false
		case v != nil && v.Kind == ir.VarShared && len(v.Dims) == 0:
			return sharedRead, noMemory, false
		}
	case ir.OpAssign, ir.OpIncDec:
		target := e.Kids[0]
		if v := target.Var; target.Op == ir.OpIdent && v != nil && (v.Kind == ir.VarLocal || v.Kind == ir.VarParam) && !v.Type.Ref {
			return noMemory, noMemory, true
		}
		return noMemory, al.place(target), true
	case ir.OpCall:
		return al.callEffect(e)
	}
	if effect.IsOpaque(e.Op) {
		return anyMemory, anyMemory, true
	}
	return noMemory, noMemory, false
}

// callEffect is that of a call. Functions in view touch nothing but what they are passed, and that must be the
// thread's own where it is an address, which may change then, or anything is possible; of others those are known that only compute.
func (al *alignment) callEffect(e *ir.Expr) (reads, writes memory, does bool) {
	if _, own := al.obj.own(e); own {
		return anyMemory, noMemory, false // it may wait
	}
	gs, args := al.k.state.calls[e], e.Args()
	known := len(gs) == 0 && len(al.c.devices[e.Name]) == 0
	if known && e.Calls("__ldg") && len(args) == 1 && al.place(&ir.Expr{Op: ir.OpDeref, Kids: args}) <= globalRead {
		return readOnly, noMemory, false
	}
	for i, arg := range args {
		if isNumber(arg) && !al.refers(gs, i) || len(gs) > 0 && al.obj != nil && arg.Op == ir.OpIdent && arg.Name == al.obj.name {
			continue // closed sees what is made of the object
		}
		if root := base(arg); root == nil || root.Var == nil || root.Var.Kind != ir.VarConstant && !(isPrivate(root.Var) && plainValue(root.Var.Type.Base)) {
			return anyMemory, anyMemory, true
		}
		does = does || slices.ContainsFunc(gs, func(g *ir.Func) bool { return i >= len(g.Params) || !g.Params[i].Type.Const })
	}
	if known && (computes(e) || exchanges(e)) || len(gs) > 0 && al.k.state.closed(gs) {
		return noMemory, noMemory, does
	}
	return anyMemory, anyMemory, true
}

// refers reports whether a function may take an argument by reference.
func (al *alignment) refers(gs []*ir.Func, i int) bool {
	for _, g := range gs {
		if i >= len(g.Params) || g.Params[i].Type.Ref {
			return true
		}
	}
	return false
}

// visible returns something in a statement that another thread could see, or that sees what others do.
func (al *alignment) visible(s *ir.Stmt) *ir.Expr {
	if al.roles[s] == roleErased || al.roles[s] == roleRelease || al.roles[s] == roleFinish {
		return nil
	}
	if e := al.makes(s); e != nil {
		return e
	}
	return first(s, func(e *ir.Expr) bool { r, w, _ := al.effect(e); return max(r, w) > readOnly })
}

// makes returns the place of a variable in a statement whose constructors or destructor do more than make it.
func (al *alignment) makes(s *ir.Stmt) (at *ir.Expr) {
	s.Walk(func(t *ir.Stmt) bool {
		for _, v := range t.Vars {
			if al.scope(al.b).Making(al.b, v).Changes() {
				at = &ir.Expr{Range: v.Range}
			}
		}
		return at == nil
	})
	return at
}

// loads returns what an expression loads from; anyMemory where it does more than that.
func (al *alignment) loads(e *ir.Expr) (worst memory) {
	walk(&ir.Stmt{Op: ir.StmtExpr, Expr: e}, func(t *ir.Expr) bool {
		r, _, does := al.effect(t)
		if does || t.Op == ir.OpInitList || exchanges(t) {
			r = anyMemory
		}
		worst = max(worst, r)
		return true
	})
	return worst
}

// stores returns something in a statement that may store to where a value was loaded from.
func (al *alignment) stores(s *ir.Stmt, from memory) *ir.Expr {
	if e := al.makes(s); e != nil {
		return e
	}
	return first(s, func(e *ir.Expr) bool {
		_, w, _ := al.effect(e)
		return w == anyMemory || from == sharedRead && w == sharedRead || from != sharedRead && w != noMemory && w != sharedRead
	})
}

// isPrivate reports whether a variable is a thread's own, and no pointer or reference.
func isPrivate(v *ir.Var) bool {
	return v.Kind == ir.VarLocal && v.Type.Ptr == 0 && !v.Type.Ref
}

// closed reports whether functions touch nothing but their own variables and their parameters.
func (st *kernelState) closed(gs []*ir.Func) bool {
	return !slices.ContainsFunc(st.reachable(gs), func(g *ir.Func) bool {
		return len(g.Problems) > 0 || some(g.Body, func(e *ir.Expr) bool {
			switch e.Op {
			case ir.OpIdent:
				return elsewhere(e) || e.Var != nil && (e.Var.Kind == ir.VarShared || e.Var.Kind == ir.VarGlobal && !e.Var.Type.Const)
			}
			return effect.IsOpaque(e.Op) || e.Op == ir.OpCall && len(st.calls[e]) == 0 && !computes(e)
		})
	})
}

// place returns what memory an element or a member is in.
func (al *alignment) place(e *ir.Expr) memory { return al.memoryOf(e, map[*ir.Var]bool{}) }

// memoryOf returns what memory the pointer or array is in that an expression is an element of, where no more
// addresses lead there than the variable has.
func (al *alignment) memoryOf(e *ir.Expr, seen map[*ir.Var]bool) memory {
	if e.Op == ir.OpCall && al.givesShared(e) {
		return sharedRead
	}
	root := base(e)
	if root == nil || root.Var == nil {
		return anyMemory
	}
	v := root.Var
	levels, of := al.k.state.levels(v)
	through := addresses(e)
	switch {
	case through > levels && (v.Kind == ir.VarConstant || v.Kind == ir.VarGlobal || v.Kind == ir.VarParam && len(v.Writes) == 0 && !v.AddrTaken && !al.c.device[al.b]):
		return globalRead // what a kernel is given holds no address of shared memory: taint.go sees to that
	case through > levels:
		return anyMemory // an address in an element
	case v.Kind == ir.VarConstant, v.Kind == ir.VarGlobal && v.Type.Const && v.Type.Ptr == 0:
		return readOnly
	case v.Kind == ir.VarGlobal && len(v.Dims) > 0 && v.Type.Ptr == 0 && !v.Type.Volatile:
		return globalRead
	case of != v, v.Kind == ir.VarShared && (v.Type.Ptr == 0 || through <= len(v.Dims)):
		return sharedRead
	case isPrivate(v), v.Kind == ir.VarParam && v.Type.Ptr == 0 && !v.Type.Ref && through == 0, v.Kind == ir.VarLocal && through > 0 && through <= len(v.Dims):
		return noMemory
	case al.c.device[al.b] || v.Type.Ref || v.Type.Ptr == 0 || v.Kind != ir.VarParam && v.Kind != ir.VarLocal || through > len(v.Dims)+1:
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
	if v.AddrTaken || len(v.Dims) > 0 || v.Kind == ir.VarLocal && v.Init == nil && len(v.Writes) == 0 {
		return anyMemory
	}
	if v.Init != nil {
		worst = max(worst, al.memoryOf(v.Init, seen))
	}
	for _, w := range v.Writes {
		if w.Op == ir.OpAssign && w.Tok == "=" {
			worst = max(worst, al.memoryOf(w.Kids[1], seen))
		}
	}
	if worst == sharedRead && v.Kind == ir.VarParam {
		return anyMemory
	}
	return worst
}

// givesShared reports whether an object of a class is made that is nothing but an address in shared memory: what each
// of its functions returns is one.
//
//	template <class T> struct dynamic { __device__ operator T *() { extern __shared__ int raw[]; return (T *)raw; } };
func (al *alignment) givesShared(e *ir.Expr) bool {
	found, all := false, true
	for _, fns := range al.c.devices {
		for _, fn := range fns {
			if fn.Class == "" || fn.Class != className(e.Name) {
				continue
			}
			found = true
			al.c.lowered(fn).Body.Walk(func(s *ir.Stmt) bool {
				root := (*ir.Expr)(nil)
				if s.Op == ir.StmtReturn && s.Expr != nil {
					root = base(s.Expr)
				}
				all = all && (s.Op == ir.StmtCompound || s.Op == ir.StmtDecl || root != nil && root.Var != nil && root.Var.Kind == ir.VarShared && root.Var.Type.Ptr == 0 && addresses(s.Expr) <= 0)
				return all
			})
		}
	}
	return found && all
}

// levels is how many addresses lead from a variable to a number: its extents and its stars. Of a copy that is chosen
// by v-TB or slot they are those of the array.
func (st *kernelState) levels(v *ir.Var) (int, *ir.Var) {
	if cp := st.copies[v.Name]; cp != nil && cp.whole != nil && v != cp.whole {
		if cp.bytes == "" && !cp.scalar {
			return len(cp.whole.Dims) - 1, cp.whole
		}
		return len(cp.whole.Dims), cp.whole
	}
	return len(v.Dims) + v.Type.Ptr, v
}

// addresses counts the subscripts, stars and arrows between an expression and its variable.
func addresses(e *ir.Expr) (n int) {
	for e != nil {
		switch e.Op {
		case ir.OpIndex:
			n++
			e = indexed(e)
			continue
		case ir.OpDeref:
			n++
		case ir.OpMember:
			if e.Arrow {
				n++
			}
		case ir.OpAddr:
			n--
		case ir.OpIncDec:
		case ir.OpCast:
			if len(e.Kids) != 1 {
				return n
			}
		case ir.OpBinary:
			if isNumber(e.Kids[0]) {
				e = e.Kids[1]
				continue
			}
		default:
			return n
		}
		e = e.Kids[0]
	}
	return n
}

// base returns the name of the variable that an expression is a place in or an address of: p of p[i].x, *(p + i) and
// &p[i]; nil where that can't be told.
func base(e *ir.Expr) *ir.Expr {
	for e != nil {
		switch e.Op {
		case ir.OpIdent:
			return e
		case ir.OpIndex:
			e = indexed(e)
		case ir.OpMember, ir.OpDeref, ir.OpAddr, ir.OpIncDec:
			e = e.Kids[0]
		case ir.OpCast:
			if len(e.Kids) != 1 {
				return nil
			}
			e = e.Kids[0]
		case ir.OpBinary:
			switch {
			case e.Tok != "+" && e.Tok != "-":
				return nil
			case isNumber(e.Kids[1]):
				e = e.Kids[0]
			case isNumber(e.Kids[0]):
				e = e.Kids[1]
			default:
				return nil
			}
		default:
			return nil
		}
	}
	return nil
}

// indexed is what a subscript is of: a[i] and i[a] are the same.
func indexed(e *ir.Expr) *ir.Expr {
	if len(e.Kids) == 2 && isNumber(e.Kids[0]) {
		return e.Kids[1]
	}
	return e.Kids[0]
}

// isNumber reports whether an expression is known to be no address.
func isNumber(e *ir.Expr) bool {
	switch e.Op {
	case ir.OpInt, ir.OpSizeof:
		return true
	case ir.OpLiteral:
		return !strings.HasPrefix(e.Name, `"`)
	case ir.OpUnary:
		return e.Tok != "+" || isNumber(e.Kids[0])
	case ir.OpIdent:
		return e.Var != nil && len(e.Var.Dims) == 0 && e.Var.Type.Ptr == 0 && (plainValue(e.Var.Type.Base) || e.Var.Kind == ir.VarEnumerator)
	case ir.OpMember, ir.OpIndex, ir.OpDeref:
		root := base(e)
		if root == nil {
			return false
		}
		if v := root.Var; v != nil {
			return plainValue(v.Type.Base) && addresses(e) == len(v.Dims)+v.Type.Ptr
		}
		return e.Op == ir.OpMember && !elsewhere(root)
	case ir.OpCast:
		return e.Type.Ptr == 0 && plainValue(e.Type.Base)
	case ir.OpBinary:
		switch e.Tok {
		case "+", "-":
			return isNumber(e.Kids[0]) && isNumber(e.Kids[1])
		}
		return true
	case ir.OpCond:
		return isNumber(e.Kids[1]) && isNumber(e.Kids[2])
	case ir.OpCall:
		return computes(e) || exchanges(e)
	}
	return false
}

// computes reports whether a call that is not of a function in view does nothing but compute.
func computes(e *ir.Expr) bool { return e.Intrinsic().Computes() }

// step is what an operation of the function at hand does by itself.
func (al *alignment) step(e *ir.Expr) effect.Effect { return al.scope(al.b).Step(al.b, e) }

// scope is what a function sees, to ask what it does.
func (al *alignment) scope(fn *ir.Func) *effect.Scope {
	if fn == al.a {
		return al.c.namesA.effects(fn.File)
	}
	return al.c.namesB.effects(fn.File)
}

// asksLibrary reports whether a call asks an object of a library how large it is.
func (al *alignment) asksLibrary(e *ir.Expr) bool {
	obj, member := e.IsMemberCall()
	return member && e.Name == "size" && al.scope(al.b).TypeOf(al.b, obj).Kind == effect.Library
}

// exchanges reports whether a call exchanges values between the threads of a warp: which threads come by matters.
func exchanges(e *ir.Expr) bool { return e.Intrinsic().IsOfWarp() }

// waitsInWarp reports whether an expression calls a function by which threads of a warp wait for each other.
func waitsInWarp(e *ir.Expr) bool {
	return e.Op == ir.OpCall && (exchanges(e) || called(e) == "sync")
}

// leavesArguments reports whether a function that is not in view is known to change none of the variables it is given
// by name.
func leavesArguments(e *ir.Expr) bool {
	r := e.Intrinsic()
	return r.Computes() || r.IsOfWarp() || r.IsReadOnly() || r.IsAtomic() || e.Calls("printf") || e.Calls("assert")
}

// leavesArguments reports whether a call changes none of the variables it is given by name.
func (st *kernelState) leavesArguments(e *ir.Expr) bool {
	return len(st.calls[e]) == 0 && leavesArguments(e)
}

// own reports which member of the v-TB object a call is of.
func (o *object) own(e *ir.Expr) (string, bool) {
	if obj, ok := e.IsMemberCall(); ok && o != nil && obj.Op == ir.OpIdent && obj.Name == o.name {
		return e.Kids[0].Name, true
	}
	return "", false
}

// changed returns the place of a statement between two offsets that may change a variable or a part of it, -1 if there
// is none.
func (al *alignment) changed(v *ir.Var, from, to int) int {
	at := -1
	walk(al.b.Body, func(e *ir.Expr) bool {
		switch {
		case e.Range.Start < from || e.Range.Start > to:
			return e.Range.Start < from && e.Range.End >= from
		case e.Op == ir.OpCall && e.Qual == "smux":
			return false
		}
		if does := al.step(e); slices.Contains(does.Writes, v) || v.Kind != ir.VarShared && v.Kind != ir.VarGlobal && does.MayWrite(v) {
			at = e.Range.Start // stores to memory through addresses are looked at elsewhere
		}
		return at < 0
	})
	return at
}
