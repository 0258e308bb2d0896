package kit

import (
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/ir/effect"
)

// Memory tells which memory an operation reads or writes: the worst of it.
type Memory uint8

const (
	NoMemory   Memory = iota // a thread's own variables
	ReadOnly                 // what nothing in the kernel writes
	GlobalRead               // what the kernel was given the address of
	sharedRead               // shared arrays
	AnyMemory                // something else
)

// effect returns what one operation reads and writes, without its operands, and whether it writes at all. What can't
// be told is AnyMemory.
func (al *Alignment) effect(e *ir.Expr) (reads, writes Memory, does bool) {
	switch e.Op {
	case ir.OpIndex, ir.OpDeref:
		return al.place(e), NoMemory, false
	case ir.OpMember:
		if e.Arrow {
			return al.place(e), NoMemory, false
		}
	case ir.OpIdent:
		switch v := e.Var; {
		case elsewhere(e), v != nil && (v.Type.Ref || v.Type.Volatile || v.Kind == ir.VarGlobal && !v.Type.Const && len(v.Dims) == 0):
			return AnyMemory, NoMemory, false
		case v != nil && v.Kind == ir.VarShared && len(v.Dims) == 0:
			return sharedRead, NoMemory, false
		}
	case ir.OpAssign, ir.OpIncDec:
		target := e.Kids[0]
		if v := target.Var; target.Op == ir.OpIdent && v != nil && (v.Kind == ir.VarLocal || v.Kind == ir.VarParam) && !v.Type.Ref {
			return NoMemory, NoMemory, true
		}
		return NoMemory, al.place(target), true
	case ir.OpCall:
		return al.callEffect(e)
	}
	if effect.IsOpaque(e.Op) {
		return AnyMemory, AnyMemory, true
	}
	return NoMemory, NoMemory, false
}

// callEffect is that of a call. Functions in view touch nothing but what they are passed, and that must be the
// thread's own where it is an address, which may change then, or anything is possible; of others those are known that only compute.
func (al *Alignment) callEffect(e *ir.Expr) (reads, writes Memory, does bool) {
	if _, own := al.Obj.Own(e); own {
		return AnyMemory, NoMemory, false // it may wait
	}
	gs, args := al.Kernel.State.Calls[e], e.Args()
	known := len(gs) == 0 && len(al.Texts.Devices[e.Name]) == 0
	if known && e.Calls("__ldg") && len(args) == 1 && al.place(&ir.Expr{Op: ir.OpDeref, Kids: args}) <= GlobalRead {
		return ReadOnly, NoMemory, false
	}
	for i, arg := range args {
		if isNumber(arg) && !al.refers(gs, i) || len(gs) > 0 && al.Obj != nil && arg.Op == ir.OpIdent && arg.Name == al.Obj.Name {
			continue // closed sees what is made of the object
		}
		if root := Base(arg); root == nil || root.Var == nil || root.Var.Kind != ir.VarConstant && !(IsPrivate(root.Var) && PlainValue(root.Var.Type.Base)) {
			return AnyMemory, AnyMemory, true
		}
		does = does || slices.ContainsFunc(gs, func(g *ir.Func) bool { return i >= len(g.Params) || !g.Params[i].Type.Const })
	}
	if known && (computes(e) || exchanges(e)) || len(gs) > 0 && al.Kernel.State.Closed(gs) {
		return NoMemory, NoMemory, does
	}
	return AnyMemory, AnyMemory, true
}

// refers reports whether a function may take an argument by reference.
func (al *Alignment) refers(gs []*ir.Func, i int) bool {
	return slices.ContainsFunc(gs, func(g *ir.Func) bool { return i >= len(g.Params) || g.Params[i].Type.Ref })
}

// Visible returns something in a statement that another thread could see, or that sees what others do.
func (al *Alignment) Visible(s *ir.Stmt) *ir.Expr {
	if al.Roles[s] == RoleErased || al.Roles[s] == RoleRelease || al.Roles[s] == RoleFinish {
		return nil
	}
	if e := al.makes(s); e != nil {
		return e
	}
	return first(s, func(e *ir.Expr) bool { r, w, _ := al.effect(e); return max(r, w) > ReadOnly })
}

// makes returns the place of a variable in a statement whose constructors or destructor do more than make it.
func (al *Alignment) makes(s *ir.Stmt) (at *ir.Expr) {
	s.Walk(func(t *ir.Stmt) bool {
		for _, v := range t.Vars {
			if al.Scope(al.New).Making(al.New, v).Changes() {
				at = &ir.Expr{Range: v.Range}
			}
		}
		return at == nil
	})
	return at
}

// Loads returns what an expression loads from; AnyMemory where it does more than that.
func (al *Alignment) Loads(e *ir.Expr) (worst Memory) {
	Walk(&ir.Stmt{Op: ir.StmtExpr, Expr: e}, func(t *ir.Expr) bool {
		r, _, does := al.effect(t)
		if does || t.Op == ir.OpInitList || exchanges(t) {
			r = AnyMemory
		}
		worst = max(worst, r)
		return true
	})
	return worst
}

// Stores returns something in a statement that may store to where a value was loaded from.
func (al *Alignment) Stores(s *ir.Stmt, from Memory) *ir.Expr {
	if e := al.makes(s); e != nil {
		return e
	}
	return first(s, func(e *ir.Expr) bool {
		_, w, _ := al.effect(e)
		return w == AnyMemory || from == sharedRead && w == sharedRead || from != sharedRead && w != NoMemory && w != sharedRead
	})
}

// IsPrivate reports whether a variable is a thread's own, and no pointer or reference.
func IsPrivate(v *ir.Var) bool {
	return v.Kind == ir.VarLocal && v.Type.Ptr == 0 && !v.Type.Ref
}

// Closed reports whether functions touch nothing but their own variables and their parameters.
func (st *KernelState) Closed(gs []*ir.Func) bool {
	return !slices.ContainsFunc(st.reachable(gs), func(g *ir.Func) bool {
		return len(g.Problems) > 0 || Some(g.Body, func(e *ir.Expr) bool {
			switch e.Op {
			case ir.OpIdent:
				return elsewhere(e) || e.Var != nil && (e.Var.Kind == ir.VarShared || e.Var.Kind == ir.VarGlobal && !e.Var.Type.Const)
			}
			return effect.IsOpaque(e.Op) || e.Op == ir.OpCall && len(st.Calls[e]) == 0 && !computes(e)
		})
	})
}

// place returns what memory an element or a member is in.
func (al *Alignment) place(e *ir.Expr) Memory { return al.memoryOf(e, map[*ir.Var]bool{}) }

// memoryOf returns what memory the pointer or array is in that an expression is an element of, where no more
// addresses lead there than the variable has.
func (al *Alignment) memoryOf(e *ir.Expr, seen map[*ir.Var]bool) Memory {
	if e.Op == ir.OpCall && al.givesShared(e) {
		return sharedRead
	}
	root := Base(e)
	if root == nil || root.Var == nil {
		return AnyMemory
	}
	v := root.Var
	levels, of := al.Kernel.State.levels(v)
	through := Addresses(e)
	switch {
	case through > levels && (v.Kind == ir.VarConstant || v.Kind == ir.VarGlobal || v.Kind == ir.VarParam && len(v.Writes) == 0 && !v.AddrTaken && !al.Texts.Device[al.New]):
		return GlobalRead // what a kernel is given holds no address of shared memory: taint.go sees to that
	case through > levels:
		return AnyMemory // an address in an element
	case v.Kind == ir.VarConstant, v.Kind == ir.VarGlobal && v.Type.Const && v.Type.Ptr == 0:
		return ReadOnly
	case v.Kind == ir.VarGlobal && len(v.Dims) > 0 && v.Type.Ptr == 0 && !v.Type.Volatile:
		return GlobalRead
	case of != v, v.Kind == ir.VarShared && (v.Type.Ptr == 0 || through <= len(v.Dims)):
		return sharedRead
	case IsPrivate(v), v.Kind == ir.VarParam && v.Type.Ptr == 0 && !v.Type.Ref && through == 0, v.Kind == ir.VarLocal && through > 0 && through <= len(v.Dims):
		return NoMemory
	case al.Texts.Device[al.New] || v.Type.Ref || v.Type.Ptr == 0 || v.Kind != ir.VarParam && v.Kind != ir.VarLocal || through > len(v.Dims)+1:
		return AnyMemory
	}
	if seen[v] {
		return ReadOnly
	}
	seen[v] = true
	worst := ReadOnly
	if v.Kind == ir.VarParam && !(v.Type.PtrConst && v.Type.Restrict && v.Type.Ptr == 1) {
		worst = GlobalRead
	}
	if v.AddrTaken || len(v.Dims) > 0 || v.Kind == ir.VarLocal && v.Init == nil && len(v.Writes) == 0 {
		return AnyMemory
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
		return AnyMemory
	}
	return worst
}

// givesShared reports whether an object of a class is made that is nothing but an address in shared memory: what each
// of its functions returns is one.
//
//	template <class T> struct dynamic { __device__ operator T *() { extern __shared__ int raw[]; return (T *)raw; } };
func (al *Alignment) givesShared(e *ir.Expr) bool {
	found, all := false, true
	for _, fns := range al.Texts.Devices {
		for _, fn := range fns {
			if fn.Class == "" || fn.Class != ClassName(e.Name) {
				continue
			}
			found = true
			al.Texts.Lowered(fn).Body.Walk(func(s *ir.Stmt) bool {
				root := (*ir.Expr)(nil)
				if s.Op == ir.StmtReturn && s.Expr != nil {
					root = Base(s.Expr)
				}
				all = all && (s.Op == ir.StmtCompound || s.Op == ir.StmtDecl || root != nil && root.Var != nil && root.Var.Kind == ir.VarShared && root.Var.Type.Ptr == 0 && Addresses(s.Expr) <= 0)
				return all
			})
		}
	}
	return found && all
}

// levels counts the addresses that lead from a variable to a number: its extents and its stars. Of a copy that is chosen
// by v-TB or slot they are those of the array.
func (st *KernelState) levels(v *ir.Var) (int, *ir.Var) {
	if cp := st.Copies[v.Name]; cp != nil && cp.Whole != nil && v != cp.Whole {
		if cp.Bytes == "" && !cp.Scalar {
			return len(cp.Whole.Dims) - 1, cp.Whole
		}
		return len(cp.Whole.Dims), cp.Whole
	}
	return len(v.Dims) + v.Type.Ptr, v
}

// Addresses counts the subscripts, stars and arrows between an expression and its variable.
func Addresses(e *ir.Expr) (n int) {
	for e != nil {
		switch e.Op {
		case ir.OpIndex:
			n++
			e = Indexed(e)
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

// Base returns the name of the variable that an expression is a place in or an address of: p of p[i].x, *(p + i) and
// &p[i]; nil where that can't be told.
func Base(e *ir.Expr) *ir.Expr {
	for e != nil {
		switch e.Op {
		case ir.OpIdent:
			return e
		case ir.OpIndex:
			e = Indexed(e)
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

// Indexed returns the array of a subscript: a[i] and i[a] are the same.
func Indexed(e *ir.Expr) *ir.Expr {
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
		return e.Var != nil && len(e.Var.Dims) == 0 && e.Var.Type.Ptr == 0 && (PlainValue(e.Var.Type.Base) || e.Var.Kind == ir.VarEnumerator)
	case ir.OpMember, ir.OpIndex, ir.OpDeref:
		root := Base(e)
		if root == nil {
			return false
		}
		if v := root.Var; v != nil {
			return PlainValue(v.Type.Base) && Addresses(e) == len(v.Dims)+v.Type.Ptr
		}
		return e.Op == ir.OpMember && !elsewhere(root)
	case ir.OpCast:
		return e.Type.Ptr == 0 && PlainValue(e.Type.Base)
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

// IsAtomic reports whether a call may be of an atomic.
func IsAtomic(e *ir.Expr) bool {
	return strings.HasPrefix(e.Name, "atomic") || e.Intrinsic().IsShared()
}

// Step returns the effect of an operation of the function at hand by itself.
func (al *Alignment) Step(e *ir.Expr) effect.Effect { return al.Scope(al.New).Step(al.New, e) }

// Scope answers what operations of a function do.
func (al *Alignment) Scope(fn *ir.Func) *effect.Scope {
	if fn == al.Old {
		return al.Texts.OldNames.Effects(fn.File)
	}
	return al.Texts.NewNames.Effects(fn.File)
}

// asksLibrary reports whether a call asks an object of a library how large it is.
func (al *Alignment) asksLibrary(e *ir.Expr) bool {
	obj, member := e.IsMemberCall()
	return member && e.Name == "size" && al.Scope(al.New).TypeOf(al.New, obj).Kind == effect.Library
}

// exchanges reports whether a call exchanges values between the threads of a warp: which threads come by matters.
func exchanges(e *ir.Expr) bool { return e.Intrinsic().IsOfWarp() }

// WaitsInWarp reports whether an expression calls a function by which threads of a warp wait for each other.
func WaitsInWarp(e *ir.Expr) bool {
	return e.Op == ir.OpCall && (exchanges(e) || Called(e) == "sync")
}

// LeavesArguments reports whether a function that is not in view is known to change none of the variables it is given
// by name.
func LeavesArguments(e *ir.Expr) bool {
	r := e.Intrinsic()
	return r.Computes() || r.IsOfWarp() || r.IsReadOnly() || r.IsAtomic() || e.Calls("printf") || e.Calls("assert")
}

// LeavesArguments reports whether a call changes none of the variables it is given by name.
func (st *KernelState) LeavesArguments(e *ir.Expr) bool {
	return len(st.Calls[e]) == 0 && LeavesArguments(e)
}

// Own reports which member of the v-TB object a call is of.
func (o *Object) Own(e *ir.Expr) (string, bool) {
	if obj, ok := e.IsMemberCall(); ok && o != nil && obj.Op == ir.OpIdent && obj.Name == o.Name {
		return e.Kids[0].Name, true
	}
	return "", false
}

// Changed returns the place of a statement between two offsets that may change a variable or a part of it, -1 if there
// is none.
func (al *Alignment) Changed(v *ir.Var, from, to int) int {
	at := -1
	Walk(al.New.Body, func(e *ir.Expr) bool {
		switch {
		case e.Range.Start < from || e.Range.Start > to:
			return e.Range.Start < from && e.Range.End >= from
		case e.Op == ir.OpCall && e.Qual == "smux":
			return false
		}
		if does := al.Step(e); slices.Contains(does.Writes, v) || v.Kind != ir.VarShared && v.Kind != ir.VarGlobal && does.MayWrite(v) {
			at = e.Range.Start // stores to memory through addresses are looked at elsewhere
		}
		return at < 0
	})
	return at
}
