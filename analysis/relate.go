package analysis

import (
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis/intrinsic"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/parser"
)

// Related reports whether two files can be part of one translation unit: one
// includes the other, a third includes both, or one forward-declares a kernel
// that the other defines.
func (p *Program) Related(a, b *parser.File) bool {
	if a == b {
		return true
	}
	key := [2]*parser.File{a, b}
	if r, ok := p.relation[key]; ok {
		return r
	}
	r := slices.Contains(p.unit(a).files, b) || slices.Contains(p.unit(b).files, a) || p.declares(a, b) || p.declares(b, a)
	p.relation[key] = r
	return r
}

// declares reports whether a forward-declares a kernel that b defines.
func (p *Program) declares(a, b *parser.File) bool {
	for _, d := range a.Functions {
		if !d.IsKernel() || d.Body != nil {
			continue
		}
		for _, fn := range b.Functions {
			if fn.Name == d.Name && fn.IsKernel() && fn.Body != nil {
				return true
			}
		}
	}
	return false
}

// Repeatable reports whether a host expression can be evaluated twice in a row
// with the same result and no effect: no assignment, no call but of known pure
// functions, dim3, and functions in view that only compute.
func (p *Program) Repeatable(fn *ir.Func, e *ir.Expr) bool {
	clear(p.computing)
	ok := true
	e.Walk(func(t *ir.Expr) bool {
		switch t.Op {
		case ir.OpAssign, ir.OpIncDec, ir.OpAsm, ir.OpNew, ir.OpLambda, ir.OpUnknown, ir.OpLaunch:
			ok = false
		case ir.OpCall:
			ok = ok && p.repeatableCall(fn, t)
		}
		return ok
	})
	return ok
}

func (p *Program) repeatableCall(fn *ir.Func, call *ir.Expr) bool {
	if obj, member := call.IsMemberCall(); member {
		return call.Name == "size" || call.Name == "length" || p.repeatableMember(fn, obj, call)
	}
	found := false
	for _, c := range p.unit(fn.File).byName[call.Name] {
		if c.fn.Body == nil {
			continue
		}
		if !p.onlyComputes(c) {
			return false
		}
		found = true
	}
	return found || intrinsic.Of(call.Name).Pure()
}

// repeatableMember reports whether a call of a member function changes nothing: its
// class is in view, no other class has one of that name, which may be called in its
// place, and it only computes.
func (p *Program) repeatableMember(fn *ir.Func, obj, call *ir.Expr) bool {
	if obj.Op != ir.OpIdent || obj.Var == nil || obj.Var.Type.IsAuto() {
		return false
	}
	class, found := lastName(obj.Var.Type.Base), false
	for _, c := range p.unit(fn.File).byName[call.Name] {
		if c.fn.Class == "" {
			continue
		}
		if c.fn.Class != class || c.fn.Body == nil || !p.onlyComputes(c) {
			return false
		}
		if head := string(c.file.Src[c.fn.Start:c.fn.Body.Start]); strings.Contains(head, "virtual") {
			return false
		}
		found = true
	}
	return found
}

// onlyComputes reports whether a function's body changes nothing but its own
// variables. Of one that is looked at already, because overloads call each other or it
// calls itself, this is assumed: if a body of all that are reached has an
// effect, the answer about the whole is no anyway.
func (p *Program) onlyComputes(c funcIn) bool {
	if p.computing[c.fn] {
		return true
	}
	p.computing[c.fn] = true
	fn := p.Lower(c.file, c.fn)
	ok := len(fn.Problems) == 0
	fn.Body.WalkExprs(func(t *ir.Expr) bool {
		switch t.Op {
		case ir.OpAssign, ir.OpIncDec:
			target := t.Kids[0]
			if of := target; of.Op == ir.OpMember && !of.Arrow && of.Kids[0].Var != nil && of.Kids[0].Var.Type.Base == "dim3" {
				target = of.Kids[0] // a class of the program may have a member that refers to what is elsewhere
			}
			if target.Op != ir.OpIdent || target.Var == nil || target.Var.Static || target.Var.Type.Ref || target.Var.Kind != ir.VarLocal && target.Var.Kind != ir.VarParam {
				ok = false
			}
		case ir.OpAsm, ir.OpNew, ir.OpLambda, ir.OpUnknown, ir.OpLaunch:
			ok = false
		case ir.OpCall:
			ok = ok && p.repeatableCall(fn, t)
		case ir.OpIdent:
			if t.Var != nil && t.Var.Static {
				ok = false
			}
		}
		return ok
	})
	return ok
}
