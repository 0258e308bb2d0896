package pointers

import (
	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/ir"
)

// Sharing is a kernel, with those of its arrays that live in shared memory that thread blocks share: all of them, or
// all but those of which each virtual thread block has one of its own.
type Sharing struct {
	*analysis.Kernel
	Privatized analysis.ArraySet // the others
	accessed   map[*ir.Stmt]bool
	idle       map[*ir.Stmt]bool
}

// AllShared is the kernel with all of its shared arrays.
func AllShared(k *analysis.Kernel) *Sharing {
	type key struct{}
	return analysis.Once(&k.Memo, key{}, func() *Sharing { return SharingAllBut(k, 0) })
}

// SharingAllBut returns the kernel as one whose thread blocks share all arrays but those.
func SharingAllBut(k *analysis.Kernel, privatized analysis.ArraySet) *Sharing {
	return &Sharing{Kernel: k, Privatized: privatized, accessed: map[*ir.Stmt]bool{}, idle: map[*ir.Stmt]bool{}}
}

// Touches reports whether evaluating e, calls included, may read or write
// shared memory or compute with its addresses.
func (k *Sharing) Touches(fn *ir.Func, e *ir.Expr) bool {
	return TouchedIn(k.Kernel, fn, e)&^k.Privatized != 0
}

// TouchedIn returns the shared variables that evaluating e may concern.
func TouchedIn(k *analysis.Kernel, fn *ir.Func, e *ir.Expr) analysis.ArraySet {
	type key struct{}
	known := analysis.Table[*ir.Expr, analysis.ArraySet](&k.Memo, key{})
	if t, ok := known[e]; ok {
		return t
	}
	found := analysis.ArraySet(0)
	for t := range e.All() {
		found |= TouchedHere(k, fn, t)
	}
	known[e] = found
	return found
}

// TouchedUnder returns the shared variables that a statement may touch.
func TouchedUnder(k *analysis.Kernel, fn *ir.Func, s *ir.Stmt) analysis.ArraySet {
	found := analysis.ArraySet(0)
	for t := range s.All() {
		t.Exprs(func(e *ir.Expr) { found |= TouchedIn(k, fn, e) })
	}
	return found
}

// TouchedHere returns the shared variables that an expression concerns, its operands left aside.
func TouchedHere(k *analysis.Kernel, fn *ir.Func, e *ir.Expr) analysis.ArraySet {
	switch e.Op {
	case ir.OpIdent:
		if s := k.NamedShared(fn, e); s != nil {
			return 1 << s.Index
		}
		if e.Var != nil {
			return Aliases(k)[e.Var]
		}
	case ir.OpCall:
		return callTouches(k, fn, e)
	case ir.OpLambda:
		return TouchedBy(k, fn, e)
	}
	return 0
}

// Accesses reports whether a statement really reads or writes shared memory:
// taking an address, as a pointer's declaration does, is not an access.
func (k *Sharing) Accesses(fn *ir.Func, s *ir.Stmt) bool {
	if a, ok := k.accessed[s]; ok {
		return a
	}
	found := false
	s.Walk(func(t *ir.Stmt) bool {
		t.Exprs(func(e *ir.Expr) {
			if found {
				return
			}
			if t.Op == ir.StmtDecl && k.onlyAddress(fn, t, e) {
				return
			}
			found = found || k.accessesExpr(fn, e)
		})
		return !found
	})
	k.accessed[s] = found
	return found
}

// Inert reports whether a statement neither concerns shared memory nor changes
// which threads go on: analyses of memory can pass over it.
func (k *Sharing) Inert(fn *ir.Func, s *ir.Stmt) bool {
	if is, ok := k.idle[s]; ok {
		return is
	}
	is := true
	s.Walk(func(t *ir.Stmt) bool {
		switch t.Op {
		case ir.StmtReturn, ir.StmtBreak, ir.StmtContinue, ir.StmtGoto:
			is = false
		}
		t.Exprs(func(e *ir.Expr) { is = is && !k.Touches(fn, e) })
		return is
	})
	k.idle[s] = is
	return is
}

// onlyAddress reports whether e initialises a pointer or reference with an
// address into shared memory and does nothing else.
func (k *Sharing) onlyAddress(fn *ir.Func, s *ir.Stmt, e *ir.Expr) bool {
	for _, v := range s.Vars {
		switch {
		case v.Kind == ir.VarShared:
			return true // dimensions
		case v.Init != e:
		case v.Type.Ref && k.placeOnly(fn, e):
			return true
		case v.Type.Ptr > 0 || v.Type.Ref || v.Type.IsAuto():
			return k.AddressOnly(fn, e)
		}
	}
	return false
}

// placeOnly reports whether an lvalue is found without any access: what binds a reference to it,
// or takes its address, does.
func (k *Sharing) placeOnly(fn *ir.Func, e *ir.Expr) bool {
	switch e.Op {
	case ir.OpIdent:
		return true
	case ir.OpIndex:
		return (k.AddressOnly(fn, e.Kids[0]) || k.placeOnly(fn, e.Kids[0]) && k.isAddress(fn, e.Kids[0])) && !k.Touches(fn, e.Kids[1])
	case ir.OpDeref:
		return k.AddressOnly(fn, e.Kids[0])
	case ir.OpMember:
		if e.Arrow {
			return k.AddressOnly(fn, e.Kids[0])
		}
		return k.placeOnly(fn, e.Kids[0])
	case ir.OpCast:
		return len(e.Kids) == 1 && e.Type.Ref && k.placeOnly(fn, e.Kids[0])
	}
	return false
}

// AddressOnly reports whether the value of e is an address, or has nothing to do with shared memory,
// and is computed without any access.
func (k *Sharing) AddressOnly(fn *ir.Func, e *ir.Expr) bool {
	if !k.Touches(fn, e) {
		return true
	}
	switch e.Op {
	case ir.OpIdent:
		return k.NamedShared(fn, e) == nil && (e.Var == nil || !e.Var.Type.Ref) || k.isAddress(fn, e)
	case ir.OpAddr:
		return k.placeOnly(fn, e.Kids[0])
	case ir.OpCast:
		return len(e.Kids) == 1 && k.AddressOnly(fn, e.Kids[0])
	case ir.OpIndex, ir.OpDeref, ir.OpMember:
		return k.isAddress(fn, e) && k.placeOnly(fn, e)
	case ir.OpBinary:
		return (e.Tok == "+" || e.Tok == "-") && k.AddressOnly(fn, e.Kids[0]) && k.AddressOnly(fn, e.Kids[1])
	case ir.OpCall:
		return k.Prog.SharedClass(fn, e) != nil
	}
	return false
}

// isAddress reports whether the value of an lvalue is an address for certain.
func (k *Sharing) isAddress(fn *ir.Func, e *ir.Expr) bool {
	n, _ := levels(k.Kernel, fn, e)
	return n > 0
}

// accessesExpr reports whether evaluating e reads or writes shared memory.
func (k *Sharing) accessesExpr(fn *ir.Func, e *ir.Expr) bool {
	if !k.Touches(fn, e) {
		return false
	}
	// A pointer assigned or moved is not an access.
	if e.Op == ir.OpAssign && e.Kids[0].Op == ir.OpIdent && e.Kids[0].Var != nil && e.Kids[0].Var.Type.Ptr > 0 &&
		k.NamedShared(fn, e.Kids[0]) == nil {
		return !k.AddressOnly(fn, e.Kids[1])
	}
	if e.Op == ir.OpIdent && k.NamedShared(fn, e) == nil && e.Var != nil && e.Var.Type.Ptr > 0 {
		return false
	}
	return true
}

// TouchedBy returns the shared variables that a call or lambda may touch: what
// its arguments point to and what the callee names itself.
func TouchedBy(k *analysis.Kernel, fn *ir.Func, e *ir.Expr) analysis.ArraySet {
	if e.Op == ir.OpLambda {
		var set analysis.ArraySet
		if e.Lambda != nil {
			for t := range e.Lambda.AllExprs() {
				if t.Op == ir.OpIdent {
					set |= Lvalue(k, fn, t) | PointerValue(k, fn, t)
				}
			}
		}
		return set
	}
	return callTouches(k, fn, e)
}

func callTouches(k *analysis.Kernel, fn *ir.Func, call *ir.Expr) analysis.ArraySet {
	var set analysis.ArraySet
	callees := k.Callees(fn, call)
	for i, a := range call.Args() {
		set |= PointerValue(k, fn, a)
		for _, c := range callees {
			if p := c.Param(i); p != nil && p.Type.Ref {
				set |= Lvalue(k, fn, a)
			}
		}
	}
	for _, c := range callees {
		set |= OwnTouches(k, c)
	}
	return set
}

// OwnTouches returns the shared variables that a function, or one it calls, names itself, whatever it is given.
func OwnTouches(k *analysis.Kernel, fn *ir.Func) analysis.ArraySet {
	type key struct{}
	known := analysis.Table[*ir.Func, analysis.ArraySet](&k.Memo, key{})
	if set, ok := known[fn]; ok {
		return set
	}
	known[fn] = 0 // recursion adds nothing
	var set analysis.ArraySet
	for e := range fn.Body.AllExprs() {
		switch e.Op {
		case ir.OpIdent:
			if s := k.NamedShared(fn, e); s != nil {
				set |= 1 << s.Index
			}
		case ir.OpCall:
			for _, c := range k.Callees(fn, e) {
				set |= OwnTouches(k, c)
			}
			if v := k.Prog.SharedClass(fn, e); v != nil && k.SharedOf[v] != nil {
				set |= 1 << k.SharedOf[v].Index
			}
		}
	}
	known[fn] = set
	return set
}

// LvalueOnly reports whether e, whose value is an address, is used for that address: an array that decays, a row, a pointer
// that is not itself in shared memory. What a reference or a pointer leads to is read, where it is not known to be an array.
func LvalueOnly(k *analysis.Kernel, fn *ir.Func, e *ir.Expr) bool {
	switch r := e.Root(); e.Op {
	case ir.OpIdent:
		return dimsLeft(k, fn, e) > 0 || e.Var != nil && !e.Var.Type.Ref && k.NamedShared(fn, e) == nil
	case ir.OpIndex:
		return dimsLeft(k, fn, e) > 0 || r != nil && r.Var != nil && r.Var.Kind == ir.VarLocal && !r.Var.Type.Ref && len(r.Var.Dims) >= e.Derefs()
	}
	return e.Op != ir.OpDeref
}

// Accesses reports whether a statement reads or writes shared memory.
func Accesses(k *analysis.Kernel, fn *ir.Func, s *ir.Stmt) bool { return AllShared(k).Accesses(fn, s) }

// Touches reports whether an expression reads, writes or addresses shared memory.
func Touches(k *analysis.Kernel, fn *ir.Func, e *ir.Expr) bool { return AllShared(k).Touches(fn, e) }
