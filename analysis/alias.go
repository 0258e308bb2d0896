package analysis

import (
	"strings"

	"github.com/smux-cuda/smux/analysis/ir"
)

// findAliases computes, flow-insensitively and over all functions that the
// kernel reaches, which variables may hold the address of which shared
// variables.
func (k *Kernel) findAliases() {
	k.alias = map[*ir.Var]arraySet{}
	k.deduceAll()
	for changed := true; changed; {
		changed = false
		add := func(v *ir.Var, set arraySet) {
			if v != nil && k.alias[v]|set != k.alias[v] {
				k.alias[v] |= set
				changed = true
			}
		}
		for _, fn := range k.Functions {
			for _, v := range fn.Vars {
				if v.Init != nil && v.Kind == ir.VarLocal {
					add(v, k.initAlias(fn, v))
				}
			}
			fn.Body.WalkExprs(func(e *ir.Expr) bool {
				switch e.Op {
				case ir.OpAssign:
					if r := e.Kids[0].Root(); r != nil && r.Var != nil && r.Var.Kind != ir.VarShared {
						if e.Kids[0] == r && !r.Var.Type.Ref {
							add(r.Var, k.boundTo(fn, r.Var, e.Kids[1]))
						} else {
							add(r.Var, k.pointerValue(fn, e.Kids[1]))
						}
					}
				case ir.OpCall:
					for _, callee := range k.Callees(fn, e) {
						for i, a := range e.Args() {
							if p := callee.Param(i); p != nil {
								add(p, k.boundTo(fn, p, a))
							}
						}
					}
				}
				return true
			})
		}
	}
}

// MayPoint reports whether a variable may hold an address in one of some shared
// variables, or in any where none are given.
func (k *Kernel) MayPoint(v *ir.Var, to ...*Shared) bool {
	if len(to) == 0 {
		return k.alias[v] != 0
	}
	var set arraySet
	for _, s := range to {
		set |= 1 << s.index
	}
	return k.alias[v]&set != 0
}

// MayAddress reports whether an expression may name a part of a shared variable,
// or its value be an address in it.
func (k *Kernel) MayAddress(fn *ir.Func, e *ir.Expr, s *Shared) bool {
	return (k.lvalue(fn, e)|k.pointerValue(fn, e))&(1<<s.index) != 0
}

// initAlias is the alias that a declaration makes.
func (k *Kernel) initAlias(fn *ir.Func, v *ir.Var) arraySet {
	if v.Init.Op == ir.OpInitList && !v.Type.Ref {
		var set arraySet
		for _, e := range v.Init.Kids {
			set |= k.boundTo(fn, v, e)
		}
		return set
	}
	return k.boundTo(fn, v, v.Init)
}

// boundTo is the alias that a variable has once it holds what an expression says. What a
// pointer is set to may be an array that decays, also where it is not seen to be one: a
// member of a class out of view.
func (k *Kernel) boundTo(fn *ir.Func, v *ir.Var, e *ir.Expr) arraySet {
	set := k.pointerValue(fn, e)
	if v.Type.Ref || v.Type.Ptr > 0 || len(v.Dims) > 0 {
		set |= k.lvalue(fn, e)
	}
	return set
}

// lvalue returns the shared variables that e may name a part of.
func (k *Kernel) lvalue(fn *ir.Func, e *ir.Expr) arraySet {
	switch e.Op {
	case ir.OpIdent:
		if s := k.shared(fn, e); s != nil {
			return 1 << s.index
		}
		if e.Var != nil && e.Var.Type.Ref {
			return k.alias[e.Var]
		}
	case ir.OpIndex:
		return k.lvalue(fn, e.Kids[0]) | k.pointerValue(fn, e.Kids[0]) | k.pointerValue(fn, e.Kids[1])
	case ir.OpDeref:
		return k.lvalue(fn, e.Kids[0]) | k.pointerValue(fn, e.Kids[0])
	case ir.OpMember:
		if e.Arrow {
			return k.pointerValue(fn, e.Kids[0])
		}
		return k.lvalue(fn, e.Kids[0])
	case ir.OpCast, ir.OpComma:
		if len(e.Kids) > 0 {
			return k.lvalue(fn, e.Kids[len(e.Kids)-1])
		}
	case ir.OpCond:
		return k.lvalue(fn, e.Kids[1]) | k.lvalue(fn, e.Kids[2])
	case ir.OpMixed:
		var set arraySet
		for _, kid := range e.Kids {
			set |= k.lvalue(fn, kid)
		}
		return set
	}
	return 0
}

// pointerValue returns the shared variables whose address the value of e may
// be. A load from shared memory is not an address.
func (k *Kernel) pointerValue(fn *ir.Func, e *ir.Expr) arraySet {
	switch e.Op {
	case ir.OpIdent:
		if s := k.shared(fn, e); s != nil {
			if len(s.Var.Dims) > 0 || k.mayBeAddress(fn, e) {
				return 1 << s.index
			}
			return 0
		}
		if e.Var != nil && (!e.Var.Type.Ref || k.alias[e.Var] != 0 && k.mayBeAddress(fn, e)) {
			return k.alias[e.Var]
		}
	case ir.OpMember:
		if k.dimsLeft(fn, e) > 0 {
			return k.lvalue(fn, e)
		}
	case ir.OpAddr:
		return k.lvalue(fn, e.Kids[0]) | k.pointerValue(fn, e.Kids[0])
	case ir.OpBinary:
		if e.Tok == "+" || e.Tok == "-" {
			a, b := k.pointerValue(fn, e.Kids[0]), k.pointerValue(fn, e.Kids[1])
			if e.Tok == "-" && a != 0 && b != 0 {
				return 0 // a distance
			}
			return a | b
		}
	case ir.OpIndex, ir.OpDeref:
		if set := k.lvalue(fn, e); set != 0 && k.mayBeAddress(fn, e) && !k.isUnknownElement(fn, e) {
			return set // of a row, or a pointer out of an array of them
		}
	case ir.OpCast:
		if len(e.Kids) == 1 && (e.Type.Ptr > 0 || !IsArithmetic(e.Type.Base)) {
			return k.pointerValue(fn, e.Kids[0])
		}
		if len(e.Kids) == 1 {
			return k.pointerValue(fn, e.Kids[0]) // an address as an integer is still one
		}
	case ir.OpComma, ir.OpAssign:
		return k.pointerValue(fn, e.Kids[1])
	case ir.OpIncDec:
		return k.pointerValue(fn, e.Kids[0])
	case ir.OpCond:
		return k.pointerValue(fn, e.Kids[1]) | k.pointerValue(fn, e.Kids[2])
	case ir.OpInitList, ir.OpMixed:
		var set arraySet
		for _, kid := range e.Kids {
			set |= k.pointerValue(fn, kid)
		}
		return set
	case ir.OpCall:
		if v := k.Prog.sharedClass(fn, e); v != nil && k.sharedOf[v] != nil {
			return 1 << k.sharedOf[v].index
		}
		return k.returned(fn, e)
	}
	return 0
}

// dimsLeft returns how many dimensions an lvalue has that are not subscripted yet: its
// value is then an address. It is 0 if unknown.
func (k *Kernel) dimsLeft(fn *ir.Func, e *ir.Expr) int {
	switch e.Op {
	case ir.OpIndex:
		return max(0, k.dimsLeft(fn, e.Kids[0])-1)
	case ir.OpMember:
		return k.memberDims(fn, e)
	case ir.OpIdent:
		if s := k.shared(fn, e); s != nil {
			return len(s.Var.Dims)
		}
		v := e.Var
		switch {
		case v == nil:
		case v.Kind == ir.VarParam, v.Type.Ref && len(v.Dims) > 0:
			return len(v.Dims)
		case v.Type.Ref && v.Type.IsAuto() && v.Init != nil && !v.Init.Any(func(t *ir.Expr) bool { return t.Var == v }):
			return k.dimsLeft(fn, v.Init)
		}
	}
	return 0
}

func depth(e *ir.Expr) int {
	n := 0
	for e.Op == ir.OpIndex {
		n++
		e = e.Kids[0]
	}
	return n
}

// IsArithmetic reports whether a type is a number by name.
func IsArithmetic(base string) bool {
	return isInteger(base) || base == "float" || base == "double"
}

// returned is the alias of a call's result: a device function that returns a
// pointer or reference may return what it was given.
func (k *Kernel) returned(fn *ir.Func, call *ir.Expr) arraySet {
	var set arraySet
	for _, callee := range k.Callees(fn, call) {
		if !returnsAddress(callee) {
			continue
		}
		for _, a := range call.Args() {
			set |= k.pointerValue(fn, a) | k.lvalue(fn, a)
		}
		for _, s := range k.Shared {
			if s.Var.Decl != nil && s.Var.File == callee.File && callee.View.Body != nil &&
				int(callee.View.Body.Start) <= s.Var.Range.Start && s.Var.Range.End <= int(callee.View.Body.End) {
				set |= 1 << s.index
			}
		}
	}
	return set
}

// returnsAddress reads the return type off the declaration's text.
func returnsAddress(fn *ir.Func) bool {
	v := fn.View
	if v.Declared == nil {
		return true
	}
	head := string(fn.File.Src[v.Start:v.Declared.Start])
	return strings.ContainsAny(head, "*&") || strings.Contains(head, "auto")
}

// IsVector reports whether a type is one of CUDA's vectors, such as float4.
func IsVector(base string) bool { return bytesOf(base) > 0 && !isInteger(base) }
