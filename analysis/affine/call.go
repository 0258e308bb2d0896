package affine

import (
	"github.com/smux-cuda/smux/analysis/intrinsic"
	"github.com/smux-cuda/smux/analysis/ir"
)

// call executes a call: a known function, or one in view with its parameters
// bound to the arguments.
func (a *activation) call(e *ir.Expr) value {
	if s := a.facts.Shared(a.fn, e); s != nil {
		return a.declared(Array{Var: s.Var, Space: SpaceShared, Shared: s}, s.Var)
	}
	callees := a.k.Callees(a.fn, e)
	if len(callees) == 1 && len(a.calls) < maxCalls && !a.entered[callees[0]] && callees[0] != a.fn {
		return a.enter(callees[0], e)
	}
	if obj, ok := e.IsMemberCall(); ok {
		if v := a.group(obj, e.Name); v.known {
			return v
		}
	}
	args := make([]value, len(e.Args()))
	for i, x := range e.Args() {
		args[i] = a.eval(x)
	}
	if obj, ok := e.IsMemberCall(); ok {
		a.eval(obj)
	}
	if len(callees) > 0 {
		a.gap(e, args)
		return value{}
	}
	return a.known(e, args)
}

// known is a call of a function that is not in view.
func (a *activation) known(e *ir.Expr, args []value) value {
	known := e.Intrinsic()
	integer := known.Type == intrinsic.Arguments || known.Type == intrinsic.Int
	switch {
	case known.Op == "*" && integer && len(args) == 2:
		return a.binary("*", args[0], args[1], e)
	case (known.Op == "min" || known.Op == "max") && integer && len(args) == 2:
		return a.choose(nil, args[0], args[1], e.Name)
	case known.Op == "abs" && len(args) == 1, known.Kind == intrinsic.Assumption && known.Type == intrinsic.Operand && len(args) > 0:
		return args[0]
	case known.Kind == intrinsic.Load && len(args) == 1 && args[0].isPtr:
		return a.load(a.subscript(args[0], number(Form{}), nil), e)
	case known.Kind == intrinsic.Store && len(args) == 2 && args[0].isPtr:
		a.record(a.subscript(args[0], number(Form{}), nil), e, Store)
		return value{}
	case known.Kind == intrinsic.Atomic && len(args) > 0:
		p := a.anywhere(e.Args()[0])
		if to := args[0].pointer(); to.isPtr {
			p = a.subscript(to, number(Form{}), nil)
		}
		if p.isPtr {
			a.record(p, e, Atomic)
		}
		return value{}
	}
	if !a.k.IsPureCall(a.fn, e) {
		a.gap(e, args)
	}
	return value{}
}

// gap notes a call that is given pointers and is not followed.
func (a *activation) gap(e *ir.Expr, args []value) {
	for _, v := range args {
		if v.isPtr && v.array.Space != SpaceShared {
			a.out.Gaps = append(a.out.Gaps, e)
			return
		}
	}
}

// enter executes the body of a function in view.
func (a *activation) enter(fn *ir.Func, call *ir.Expr) value {
	b := &activation{walker: a.walker, fn: fn, env: env{}, outer: a}
	args := call.Args()
	for i, p := range fn.Params {
		if i >= len(args) {
			break
		}
		v := a.eval(args[i])
		if p.Type.Ref && (!p.Type.Const || v.isPtr) {
			if q := a.place(args[i]); q.isPtr {
				// A reference to an element: what is read through it is not listed.
				a.out.Gaps = append(a.out.Gaps, call)
			}
			continue
		}
		if v.may != nil && p.Type.Ptr > 0 {
			v = v.pointer()
		}
		b.env[p] = b.converted(v, p.Type)
	}
	if obj, ok := call.IsMemberCall(); ok {
		a.eval(obj)
	}
	a.entered[fn] = true
	active := a.active // threads that return early come back here
	a.calls = append(a.calls, a.at)
	b.stmt(fn.Body)
	a.calls = a.calls[:len(a.calls)-1]
	delete(a.entered, fn)
	a.active = active
	b.result.whole = false
	return b.result
}
