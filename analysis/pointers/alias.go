// Package pointers finds which shared variables a pointer or reference may lead to, and what touches them.
package pointers

import (
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/parser"
)

// Aliases returns the shared variables into which each pointer and reference may lead.
func Aliases(k *analysis.Kernel) map[*ir.Var]analysis.ArraySet {
	type key struct{}
	return analysis.Table[*ir.Var, analysis.ArraySet](&k.Memo, key{})
}

// FindAliases computes, flow-insensitively and over all functions that the kernel reaches, which variables may hold
// the address of which shared variables.
func FindAliases(k *analysis.Kernel) {
	aliases := Aliases(k)
	deduceAll(k)
	for changed := true; changed; {
		changed = false
		add := func(v *ir.Var, set analysis.ArraySet) {
			if v != nil && aliases[v]|set != aliases[v] {
				aliases[v] |= set
				changed = true
			}
		}
		for _, fn := range k.Functions {
			for _, v := range fn.Vars {
				if v.Init != nil && v.Kind == ir.VarLocal {
					add(v, initAlias(k, fn, v))
				}
			}
			for e := range fn.Body.AllExprs() {
				switch e.Op {
				case ir.OpAssign:
					if r := e.Kids[0].Root(); r != nil && r.Var != nil && r.Var.Kind != ir.VarShared {
						if e.Kids[0] == r && !r.Var.Type.Ref {
							add(r.Var, boundTo(k, fn, r.Var, e.Kids[1]))
						} else {
							add(r.Var, PointerValue(k, fn, e.Kids[1]))
						}
					}
				case ir.OpCall:
					for _, callee := range k.Callees(fn, e) {
						for i, a := range e.Args() {
							if p := callee.Param(i); p != nil {
								add(p, boundTo(k, fn, p, a))
							}
						}
					}
				}
			}
		}
	}
}

// MayPoint reports whether a variable may hold an address in one of some shared
// variables, or in any where none are given.
func MayPoint(k *analysis.Kernel, v *ir.Var, to ...*analysis.Shared) bool {
	if len(to) == 0 {
		return Aliases(k)[v] != 0
	}
	var set analysis.ArraySet
	for _, s := range to {
		set |= 1 << s.Index
	}
	return Aliases(k)[v]&set != 0
}

// MayAddress reports whether an expression may name a part of a shared variable, or its value be an address in it.
func MayAddress(k *analysis.Kernel, fn *ir.Func, e *ir.Expr, s *analysis.Shared) bool {
	return (Lvalue(k, fn, e)|PointerValue(k, fn, e))&(1<<s.Index) != 0
}

// initAlias is the alias that a declaration makes.
func initAlias(k *analysis.Kernel, fn *ir.Func, v *ir.Var) analysis.ArraySet {
	if v.Init.Op == ir.OpInitList && !v.Type.Ref {
		var set analysis.ArraySet
		for _, e := range v.Init.Kids {
			set |= boundTo(k, fn, v, e)
		}
		return set
	}
	return boundTo(k, fn, v, v.Init)
}

// boundTo is the alias that a variable has once it holds what an expression says. What a pointer is set to may be an
// array that decays, also where it is not seen to be one: a member of a class out of view.
func boundTo(k *analysis.Kernel, fn *ir.Func, v *ir.Var, e *ir.Expr) analysis.ArraySet {
	set := PointerValue(k, fn, e)
	if v.Type.Ref || v.Type.Ptr > 0 || len(v.Dims) > 0 {
		set |= Lvalue(k, fn, e)
	}
	return set
}

// Lvalue returns the shared variables that e may name a part of.
func Lvalue(k *analysis.Kernel, fn *ir.Func, e *ir.Expr) analysis.ArraySet {
	switch e.Op {
	case ir.OpIdent:
		if s := k.NamedShared(fn, e); s != nil {
			return 1 << s.Index
		}
		if e.Var != nil && e.Var.Type.Ref {
			return Aliases(k)[e.Var]
		}
	case ir.OpIndex:
		return Lvalue(k, fn, e.Kids[0]) | PointerValue(k, fn, e.Kids[0]) | PointerValue(k, fn, e.Kids[1])
	case ir.OpDeref:
		return Lvalue(k, fn, e.Kids[0]) | PointerValue(k, fn, e.Kids[0])
	case ir.OpMember:
		if e.Arrow {
			return PointerValue(k, fn, e.Kids[0])
		}
		return Lvalue(k, fn, e.Kids[0])
	case ir.OpCast, ir.OpComma:
		if len(e.Kids) > 0 {
			return Lvalue(k, fn, e.Kids[len(e.Kids)-1])
		}
	case ir.OpCond:
		return Lvalue(k, fn, e.Kids[1]) | Lvalue(k, fn, e.Kids[2])
	case ir.OpMixed:
		var set analysis.ArraySet
		for _, kid := range e.Kids {
			set |= Lvalue(k, fn, kid)
		}
		return set
	case ir.OpCall:
		if obj := e.Object(); obj != nil {
			return Returned(k, fn, e, obj)
		}
	}
	return 0
}

// PointerValue returns the shared variables whose address the value of e may
// be. A load from shared memory is not an address.
func PointerValue(k *analysis.Kernel, fn *ir.Func, e *ir.Expr) analysis.ArraySet {
	switch e.Op {
	case ir.OpIdent:
		if s := k.NamedShared(fn, e); s != nil {
			if len(s.Var.Dims) > 0 || mayBeAddress(k, fn, e) {
				return 1 << s.Index
			}
			return 0
		}
		if e.Var != nil && (!e.Var.Type.Ref || Aliases(k)[e.Var] != 0 && mayBeAddress(k, fn, e)) {
			return Aliases(k)[e.Var]
		}
	case ir.OpMember:
		if dimsLeft(k, fn, e) > 0 {
			return Lvalue(k, fn, e)
		}
	case ir.OpAddr:
		return Lvalue(k, fn, e.Kids[0]) | PointerValue(k, fn, e.Kids[0])
	case ir.OpBinary:
		if e.Tok == "+" || e.Tok == "-" {
			a, b := PointerValue(k, fn, e.Kids[0]), PointerValue(k, fn, e.Kids[1])
			if e.Tok == "-" && a != 0 && b != 0 {
				return 0 // a distance
			}
			return a | b
		}
	case ir.OpIndex, ir.OpDeref:
		if set := Lvalue(k, fn, e); set != 0 && mayBeAddress(k, fn, e) && !isUnknownElement(k, fn, e) {
			return set // of a row, or a pointer out of an array of them
		}
	case ir.OpCast:
		if len(e.Kids) == 1 {
			return PointerValue(k, fn, e.Kids[0]) // an address as an integer is still one
		}
	case ir.OpComma, ir.OpAssign:
		return PointerValue(k, fn, e.Kids[1])
	case ir.OpIncDec:
		return PointerValue(k, fn, e.Kids[0])
	case ir.OpCond:
		return PointerValue(k, fn, e.Kids[1]) | PointerValue(k, fn, e.Kids[2])
	case ir.OpInitList, ir.OpMixed:
		var set analysis.ArraySet
		for _, kid := range e.Kids {
			set |= PointerValue(k, fn, kid)
		}
		return set
	case ir.OpCall:
		if v := k.Prog.SharedClass(fn, e); v != nil && k.SharedOf[v] != nil {
			return 1 << k.SharedOf[v].Index
		}
		if set := Returned(k, fn, e, e.Args()...); set != 0 || !mayBeAddress(k, fn, e) {
			return set
		}
		return Lvalue(k, fn, e)
	}
	return 0
}

// dimsLeft returns how many dimensions an lvalue has that are not subscripted yet: its
// value is then an address. It is 0 if unknown.
func dimsLeft(k *analysis.Kernel, fn *ir.Func, e *ir.Expr) int {
	switch e.Op {
	case ir.OpIndex:
		return max(0, dimsLeft(k, fn, e.Kids[0])-1)
	case ir.OpMember:
		return MemberDims(k, fn, e)
	case ir.OpIdent:
		if s := k.NamedShared(fn, e); s != nil {
			return len(s.Var.Dims)
		}
		v := e.Var
		switch {
		case v == nil:
		case v.Kind == ir.VarParam, v.Type.Ref && len(v.Dims) > 0:
			return len(v.Dims)
		case v.Type.Ref && v.Type.IsAuto() && v.Init != nil && !v.Init.Any(func(t *ir.Expr) bool { return t.Var == v }):
			return dimsLeft(k, fn, v.Init)
		}
	}
	return 0
}

// Depth returns the number of subscripts of an expression.
func Depth(e *ir.Expr) int {
	n := 0
	for e.Op == ir.OpIndex {
		n++
		e = e.Kids[0]
	}
	return n
}

// Returned is the alias of a call's result: a device function that returns a pointer or reference
// may return what it was given, arguments or the object that it is called for.
func Returned(k *analysis.Kernel, fn *ir.Func, call *ir.Expr, given ...*ir.Expr) analysis.ArraySet {
	var set analysis.ArraySet
	for _, callee := range called(k, fn, call) {
		if !returnsAddress(k, callee) {
			continue
		}
		for _, a := range given {
			set |= PointerValue(k, fn, a) | Lvalue(k, fn, a)
		}
		for _, s := range k.Shared {
			if s.Var.Decl != nil && s.Var.File == callee.File && callee.View.Body != nil &&
				int(callee.View.Body.Start) <= s.Var.Range.Start && s.Var.Range.End <= int(callee.View.Body.End) {
				set |= 1 << s.Index
			}
		}
	}
	return set
}

// called returns the definitions that a call may reach, those of objects that are called included.
func called(k *analysis.Kernel, fn *ir.Func, call *ir.Expr) []*ir.Func {
	callees := k.Callees(fn, call)
	if _, member := call.IsMemberCall(); len(callees) == 0 && !member && call.Object() != nil {
		return k.Prog.Candidates(fn.File, "operator()", call.CountArgs(), true)
	}
	return callees
}

// returnsAddress reads the return type off the declaration's text, through other names for it. A name that stands for
// several things may be an address.
func returnsAddress(k *analysis.Kernel, fn *ir.Func) bool {
	v := fn.View
	if v.Declared == nil {
		return true
	}
	head, typ := string(fn.File.Src[v.Start:v.Declared.Start]), v.Node.Child(parser.FieldType)
	if strings.ContainsAny(head, "*&") || strings.Contains(head, "auto") {
		return true
	}
	name := ""
	if typ != nil {
		name = fn.File.Text(typ)
	}
	for range analysis.MaxTypeDepth {
		means, ok := Meaning(k, fn, name)
		if !ok {
			return strings.Contains(name, "::") && !isClass(k, fn, name, 0)
		} else if means == "" || strings.ContainsAny(means, "*&") {
			return true
		}
		name = means
	}
	return false
}
