package analysis

import "github.com/smux-cuda/smux/analysis/ir"

// sharing is a kernel, with those of its arrays that live in shared memory that thread
// blocks share: all of them, or all but those of which each virtual thread block has one
// of its own.
type sharing struct {
	*Kernel
	privatized arraySet // the others
	accessed   map[*ir.Stmt]bool
	idle       map[*ir.Stmt]bool
}

// sharing is the kernel with all of its shared arrays.
func (k *Kernel) sharing() *sharing {
	type key struct{}
	return Once(&k.memo, key{}, func() *sharing { return k.sharingAllBut(0) })
}

func (k *Kernel) sharingAllBut(privatized arraySet) *sharing {
	return &sharing{Kernel: k, privatized: privatized, accessed: map[*ir.Stmt]bool{}, idle: map[*ir.Stmt]bool{}}
}

// Touches reports whether evaluating e, calls included, may read or write
// shared memory or compute with its addresses.
func (k *sharing) Touches(fn *ir.Func, e *ir.Expr) bool {
	return k.touchedIn(fn, e)&^k.privatized != 0
}

// touchedIn returns the shared variables that evaluating e may concern.
func (k *Kernel) touchedIn(fn *ir.Func, e *ir.Expr) arraySet {
	type key struct{}
	known := Table[*ir.Expr, arraySet](&k.memo, key{})
	if t, ok := known[e]; ok {
		return t
	}
	found := arraySet(0)
	e.Walk(func(t *ir.Expr) bool {
		found |= k.touchedHere(fn, t)
		return true
	})
	known[e] = found
	return found
}

// touchedUnder returns the shared variables that a statement may touch.
func (k *Kernel) touchedUnder(fn *ir.Func, s *ir.Stmt) arraySet {
	found := arraySet(0)
	s.Walk(func(t *ir.Stmt) bool {
		t.Exprs(func(e *ir.Expr) { found |= k.touchedIn(fn, e) })
		return true
	})
	return found
}

func (k *Kernel) touchedHere(fn *ir.Func, e *ir.Expr) arraySet {
	switch e.Op {
	case ir.OpIdent:
		if s := k.shared(fn, e); s != nil {
			return 1 << s.index
		}
		if e.Var != nil {
			return k.alias[e.Var]
		}
	case ir.OpCall:
		return k.callTouches(fn, e)
	case ir.OpLambda:
		return k.touchedBy(fn, e)
	}
	return 0
}

// accesses reports whether a statement really reads or writes shared memory:
// taking an address, as a pointer's declaration does, is not an access.
func (k *sharing) accesses(fn *ir.Func, s *ir.Stmt) bool {
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

// inert reports whether a statement neither concerns shared memory nor changes
// which threads go on: analyses of memory can pass over it.
func (k *sharing) inert(fn *ir.Func, s *ir.Stmt) bool {
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
func (k *sharing) onlyAddress(fn *ir.Func, s *ir.Stmt, e *ir.Expr) bool {
	for _, v := range s.Vars {
		switch {
		case v.Kind == ir.VarShared:
			return true // dimensions
		case v.Init != e:
		case v.Type.Ref && k.placeOnly(fn, e):
			return true
		case v.Type.Ptr > 0 || v.Type.Ref || v.Type.IsAuto():
			return k.addressOnly(fn, e)
		}
	}
	return false
}

// placeOnly reports whether an lvalue is found without any access: what binds a reference to it,
// or takes its address, does.
func (k *sharing) placeOnly(fn *ir.Func, e *ir.Expr) bool {
	switch e.Op {
	case ir.OpIdent:
		return true
	case ir.OpIndex:
		return (k.addressOnly(fn, e.Kids[0]) || k.placeOnly(fn, e.Kids[0]) && k.isAddress(fn, e.Kids[0])) && !k.Touches(fn, e.Kids[1])
	case ir.OpDeref:
		return k.addressOnly(fn, e.Kids[0])
	case ir.OpMember:
		if e.Arrow {
			return k.addressOnly(fn, e.Kids[0])
		}
		return k.placeOnly(fn, e.Kids[0])
	case ir.OpCast:
		return len(e.Kids) == 1 && e.Type.Ref && k.placeOnly(fn, e.Kids[0])
	}
	return false
}

// addressOnly reports whether the value of e is an address, or has nothing to do with shared memory,
// and is computed without any access.
func (k *sharing) addressOnly(fn *ir.Func, e *ir.Expr) bool {
	if !k.Touches(fn, e) {
		return true
	}
	switch e.Op {
	case ir.OpIdent:
		return k.shared(fn, e) == nil && (e.Var == nil || !e.Var.Type.Ref) || k.isAddress(fn, e)
	case ir.OpAddr:
		return k.placeOnly(fn, e.Kids[0])
	case ir.OpCast:
		return len(e.Kids) == 1 && k.addressOnly(fn, e.Kids[0])
	case ir.OpIndex, ir.OpDeref, ir.OpMember:
		return k.isAddress(fn, e) && k.placeOnly(fn, e)
	case ir.OpBinary:
		return (e.Tok == "+" || e.Tok == "-") && k.addressOnly(fn, e.Kids[0]) && k.addressOnly(fn, e.Kids[1])
	case ir.OpCall:
		return k.Prog.sharedClass(fn, e) != nil
	}
	return false
}

// isAddress reports whether the value of an lvalue is an address for certain.
func (k *sharing) isAddress(fn *ir.Func, e *ir.Expr) bool {
	n, _ := k.levels(fn, e)
	return n > 0
}

// accessesExpr reports whether evaluating e reads or writes shared memory.
func (k *sharing) accessesExpr(fn *ir.Func, e *ir.Expr) bool {
	if !k.Touches(fn, e) {
		return false
	}
	// A pointer assigned or moved is not an access.
	if e.Op == ir.OpAssign && e.Kids[0].Op == ir.OpIdent && e.Kids[0].Var != nil && e.Kids[0].Var.Type.Ptr > 0 &&
		k.shared(fn, e.Kids[0]) == nil {
		return !k.addressOnly(fn, e.Kids[1])
	}
	if e.Op == ir.OpIdent && k.shared(fn, e) == nil && e.Var != nil && e.Var.Type.Ptr > 0 {
		return false
	}
	return true
}

// touchedBy returns the shared variables that a call or lambda may touch: what
// its arguments point to and what the callee names itself.
func (k *Kernel) touchedBy(fn *ir.Func, e *ir.Expr) arraySet {
	if e.Op == ir.OpLambda {
		var set arraySet
		if e.Lambda != nil {
			e.Lambda.WalkExprs(func(t *ir.Expr) bool {
				if t.Op == ir.OpIdent {
					set |= k.lvalue(fn, t) | k.pointerValue(fn, t)
				}
				return true
			})
		}
		return set
	}
	return k.callTouches(fn, e)
}

func (k *Kernel) callTouches(fn *ir.Func, call *ir.Expr) arraySet {
	var set arraySet
	callees := k.Callees(fn, call)
	for i, a := range call.Args() {
		set |= k.pointerValue(fn, a)
		for _, c := range callees {
			if p := c.Param(i); p != nil && p.Type.Ref {
				set |= k.lvalue(fn, a)
			}
		}
	}
	for _, c := range callees {
		set |= k.ownTouches(c)
	}
	return set
}

// ownTouches returns the shared variables that a function, or one it calls,
// names itself, whatever it is given.
func (k *Kernel) ownTouches(fn *ir.Func) arraySet {
	type key struct{}
	known := Table[*ir.Func, arraySet](&k.memo, key{})
	if set, ok := known[fn]; ok {
		return set
	}
	known[fn] = 0 // recursion adds nothing
	var set arraySet
	fn.Body.WalkExprs(func(e *ir.Expr) bool {
		switch e.Op {
		case ir.OpIdent:
			if s := k.shared(fn, e); s != nil {
				set |= 1 << s.index
			}
		case ir.OpCall:
			for _, c := range k.Callees(fn, e) {
				set |= k.ownTouches(c)
			}
			if v := k.Prog.sharedClass(fn, e); v != nil && k.sharedOf[v] != nil {
				set |= 1 << k.sharedOf[v].index
			}
		}
		return true
	})
	known[fn] = set
	return set
}

// lvalueOnly reports whether e, whose value is an address, is used for that
// address: an array that decays, a row, a pointer variable.
func (k *Kernel) lvalueOnly(fn *ir.Func, e *ir.Expr) bool {
	switch e.Op {
	case ir.OpIdent:
		return true
	case ir.OpIndex:
		return k.dimsLeft(fn, e) > 0 || e.Root() != nil && e.Root().Var != nil && e.Root().Var.Kind == ir.VarLocal
	}
	return true
}
