package analysis

import (
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis/intrinsic"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/ir/effect"
	"github.com/smux-cuda/smux/analysis/values"
	"github.com/smux-cuda/smux/parser"
)

// MarkReferences finds variables that a call may change because they are passed by reference, and marks them as if
// their address were taken: their value is then never taken for granted.
func (p *Program) MarkReferences(fn *ir.Func) {
	markDecays(fn)
	var mark func(e *ir.Expr) bool
	mark = func(e *ir.Expr) bool {
		switch e.Op {
		case ir.OpCall, ir.OpLaunch:
			for i, a := range e.Args() {
				if !p.maybeByReference(fn, e, i) {
					continue
				}
				if markEach(a); a.Op != ir.OpIdent || a.Var != nil && len(a.Var.Dims) == 0 {
					change(a)
				}
			}
			if f := e.Kids[0]; e.Op == ir.OpCall && f.Op == ir.OpIdent && f.Var != nil && !f.Var.Type.IsAuto() {
				change(f) // a function object
			}
			if obj, ok := e.IsMemberCall(); ok {
				if v := owner(obj); v != nil && !values.IsInteger(v.Type.Base) && v.Type.Base != "dim3" {
					v.AddrTaken = true
				}
			}
		case ir.OpBinary:
			// stream >> variable
			if e.Tok == ">>" && e.Kids[1].Op != ir.OpInt && isStream(e.Kids[0]) {
				change(e.Kids[1])
			}
		case ir.OpCast:
			if e.Type.Ref && len(e.Kids) == 1 {
				change(e.Kids[0])
			}
		case ir.OpLambda:
			if e.Lambda != nil {
				e.Lambda.WalkExprs(mark)
			}
		}
		return true
	}
	fn.Body.WalkExprs(mark)
}

// markEach marks the variables that an lvalue of several may be, or be a part of.
func markEach(e *ir.Expr) {
	for _, o := range alternatives(e) {
		change(o)
	}
}

// change marks the variable that an lvalue is, or is a part of.
func change(e *ir.Expr) {
	if v := owner(e); v != nil {
		v.AddrTaken = true
	}
}

// alternatives are the lvalues that an expression may name, none where it can name a single one alone.
func alternatives(e *ir.Expr) []*ir.Expr {
	for e.Op == ir.OpMember && !e.Arrow || e.Op == ir.OpIndex || e.Op == ir.OpCast && len(e.Kids) == 1 {
		e = e.Kids[0]
	}
	var either []*ir.Expr
	switch e.Op {
	case ir.OpCond:
		either = e.Kids[1:]
	case ir.OpComma:
		either = e.Kids[len(e.Kids)-1:]
	case ir.OpAssign:
		either = e.Kids[:1]
	}
	var out []*ir.Expr
	for _, x := range either {
		if inner := alternatives(x); len(inner) > 0 {
			out = append(out, inner...)
		} else {
			out = append(out, x)
		}
	}
	return out
}

// owner is the local variable or parameter that an lvalue is, or is a part of;
// nil where a pointer or an array elsewhere leads to it.
func owner(e *ir.Expr) *ir.Var {
	for e.Op == ir.OpMember && !e.Arrow || e.Op == ir.OpIndex {
		if e.Op == ir.OpIndex && e.Kids[0].Op == ir.OpIdent && e.Kids[0].Var != nil && len(e.Kids[0].Var.Dims) == 0 {
			return nil
		}
		e = e.Kids[0]
	}
	if e.Op != ir.OpIdent || e.Var == nil || e.Var.Kind != ir.VarLocal && e.Var.Kind != ir.VarParam {
		return nil
	}
	return e.Var
}

// isStream reports whether the left side of >> may be something other than a number: not known to be arithmetic.
func isStream(e *ir.Expr) bool {
	for e.Op == ir.OpBinary && e.Tok == ">>" {
		e = e.Kids[0]
	}
	switch e.Op {
	case ir.OpIdent:
		return e.Var == nil || e.Var.Type.Ptr == 0 && !e.Var.Type.IsAuto() && !IsArithmetic(e.Var.Type.Base) && len(e.Var.Dims) == 0 && e.Var.Kind == ir.VarLocal || e.Var.Kind == ir.VarParam && e.Var.Type.Ref && !IsArithmetic(e.Var.Type.Base)
	case ir.OpCall, ir.OpCast:
		return !IsArithmetic(e.Name) && e.Op == ir.OpCall && !intrinsic.Of(e.Name).Pure()
	}
	return false
}

// markDecays marks local arrays that are used, as a whole or a row of them, other than by subscript: through
// the pointer they decay to, their elements may change unseen.
func markDecays(fn *ir.Func) {
	decays := func(e *ir.Expr) {
		rows := 0
		for ; e.Op == ir.OpIndex; e = e.Kids[0] {
			rows++
		}
		if e.Op == ir.OpIdent && e.Var != nil && e.Var.Kind == ir.VarLocal && len(e.Var.Dims) > rows {
			e.Var.AddrTaken = true
		}
	}
	for e := range fn.Body.AllExprs() {
		for i, kid := range e.Kids {
			if e.Op != ir.OpSizeof && (e.Op != ir.OpIndex || i != 0) {
				decays(kid)
			}
		}
	}
	for s := range fn.Body.All() {
		s.Exprs(decays) // p = array, as an initialiser, and array as a whole statement or condition
	}
}

// maybeByReference reports whether argument i of a call may be taken by a reference that is not const. What is out of
// sight may, unless it is C or a known function of CUDA.
func (p *Program) maybeByReference(fn *ir.Func, call *ir.Expr, i int) bool {
	if call.Op == ir.OpLaunch {
		return false
	}
	name := call.Name
	seen := false
	for _, c := range p.Unit(fn.File).ByName[name] {
		if !effect.Takes(c.Fn, call.CountArgs()) || i >= len(c.Fn.Params) {
			continue
		}
		seen = true
		text := string(c.File.Src[c.Fn.Params[i].Node.Start:c.Fn.Params[i].Node.End])
		if strings.Contains(text, "&") && !strings.Contains(text, "const") {
			return true
		}
	}
	// A definition in view decides; a name alone only where there is none.
	return !seen && !ByValue(name)
}

// MayBindReference reports whether a reference may be bound to argument i of a call in device code. Of a
// function out of view it may, unless it is known to take values.
func (k *Kernel) MayBindReference(fn *ir.Func, call *ir.Expr, i int) bool {
	callees := k.Callees(fn, call)
	if len(callees) == 0 {
		made := call.Kids[0].Var
		return !ByValue(call.Name) && (made == nil || made.Kind != ir.VarTemplateType)
	}
	return slices.ContainsFunc(callees, func(c *ir.Func) bool { return i >= len(c.Params) || c.Params[i].Type.Ref })
}

// hostByValue are functions of the host that take scalars by value.
var hostByValue = map[string]bool{
	"fprintf": true, "malloc": true, "calloc": true, "free": true, "exit": true, "atoi": true, "atof": true, "rand": true, "srand": true,
	"time": true, "sizeof": true, "static_cast": true, "static_assert": true, "checkCudaErrors": true,
}

// ByValue reports whether a function that is not in view is one of C or CUDA that takes scalars by value.
func ByValue(name string) bool {
	return intrinsic.Of(name).ByValue() || hostByValue[name] || strings.HasPrefix(name, "cuda")
}

// GlobalVar returns the variable or enumerator at namespace scope that a name stands for in a function, nil where
// there is none, or the name may be a member's in a member function.
func (k *Kernel) GlobalVar(fn *ir.Func, name string) *ir.Var { return k.Prog.GlobalIn(fn, name) }

// GlobalIn is global in a function.
func (p *Program) GlobalIn(fn *ir.Func, name string) *ir.Var {
	v := p.Global(fn.File, name)
	if v == nil || fn.View == nil || fn.View.Class == "" || !p.mayBeMember(fn, name) {
		return v
	}
	return nil
}

// mayBeMember reports whether a name may be that of a member in a member function of a class: where the class has
// bases, of any class.
func (p *Program) mayBeMember(fn *ir.Func, name string) bool {
	found, derived := false, false
	for _, f := range p.Unit(fn.File).Files {
		for _, c := range f.Classes {
			if c.Name != fn.View.Class {
				continue
			}
			found = found || c.Declares(f, name)
			for n := c.Node.First; n != nil; n = n.Next {
				derived = derived || n.Kind == parser.KindBaseClassClause
			}
		}
	}
	return found || derived && slices.ContainsFunc(p.Unit(fn.File).Files, func(f *parser.File) bool {
		return slices.ContainsFunc(f.Classes, func(c *parser.Class) bool { return c.Declares(f, name) })
	})
}
