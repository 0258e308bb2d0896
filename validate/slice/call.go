package slice

import (
	"regexp"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/internal/lists"
	"github.com/smux-cuda/smux/validate/kit"
	"github.com/smux-cuda/smux/validate/units"
)

// inlined reports whether a call is of a function that is run: one that differs from the original's, or does more than
// compute a value of numbers.
func (y *replay) inlined(e *ir.Expr) bool {
	gs := y.st.Calls[e]
	if len(gs) == 0 {
		return false
	}
	if !y.same(e.Name) || !y.st.Closed(gs) {
		return true
	}
	for _, g := range gs {
		if slices.ContainsFunc(g.Params, func(p *ir.Var) bool { return p.Type.Ref && !p.Type.Const || p.Type.Ptr > 0 || len(p.Dims) > 0 }) {
			return true
		}
	}
	return false
}

// sines are the functions of CUDA that store two values.
var sines = regexp.MustCompile(`^_?_?sincos(pi)?f?$`)

// called evaluates a call.
func (y *replay) called(e *ir.Expr, t int) val {
	at, args := e.Range.Start, e.Args()
	if e.Object() != nil || e.Name == "" {
		y.stop(kit.Erasure, at, "this call is not followed")
	}
	if y.inlined(e) {
		return y.call(e, []int{t})[t]
	}
	known := len(y.st.Calls[e]) == 0 && len(y.c.Devices[e.Name]) == 0
	if known && sines.MatchString(e.Name) && len(args) == 3 && args[1].Op == ir.OpAddr && args[2].Op == ir.OpAddr {
		x := y.number(args[0], t)
		for i, to := range args[1:] {
			y.assign(y.place(to.Kids[0], t), val{t: y.g.of("call "+e.Name+" "+units.Itoa(i), "", x)}, t, at)
		}
		return val{}
	}
	if known && e.Calls("__ldg") && len(args) == 1 {
		if a := y.eval(args[0], t); a.at != nil && a.at.class != "" {
			return y.read(lvalue{r: a.at, subs: append(slices.Clone(a.subs), a.off)}, t, at)
		}
	}
	if known && e.Intrinsic().IsAtomic() && len(args) > 1 {
		return y.atomic(e, t)
	}
	if len(y.st.Calls[e]) > 1 || known && !e.Intrinsic().Pure() {
		y.stop(kit.Erasure, at, "what %s does is not followed", e.Name)
	}
	kids := lists.Map(append(slices.Clone(e.TArgs), args...), func(x *ir.Expr) *term { return y.number(x, t) })
	if base, ok := strings.CutPrefix(e.Name, "make_"); ok && known {
		if fields := y.membersOf(base); len(fields) == len(kids) {
			for i, f := range fields {
				kids[i] = y.convert(kids[i], f.typ)
			}
			return val{t: y.g.made(base, fields, kids)}
		}
	}
	return val{t: y.g.of("call "+e.Name, "", kids...)}
}

// atomic is an operation on an element of shared memory that nothing parts.
func (y *replay) atomic(e *ir.Expr, t int) val {
	at, a := e.Range.Start, y.eval(e.Args()[0], t)
	if a.at == nil || !a.at.shared {
		y.stop(kit.Erasure, at, "atomic operations on global memory are not followed")
	}
	p := lvalue{r: a.at, subs: append(slices.Clone(a.subs), a.off)}
	was := y.read(p, t, at)
	kids := []*term{was.t}
	for _, x := range e.Args()[1:] {
		kids = append(kids, y.number(x, t))
	}
	y.assign(p, val{t: y.g.of("call "+e.Name, "", kids...)}, t, at)
	return was
}

// referred returns the object that a reference is bound to: nothing that is made of it in another type.
func (y *replay) referred(v *ir.Var, e *ir.Expr, t int) lvalue {
	p := y.place(e, t)
	if p.r.typeAt(p) != kit.PlainName(v.Type.Base) && !v.Type.Deduced() {
		y.stop(kit.Erasure, e.Range.Start, "%s is of another type than what it refers to", v.Name)
	}
	return p
}

// call runs a function in some threads, and returns what each gets.
func (y *replay) call(e *ir.Expr, ts []int) []val {
	at, args := e.Range.Start, e.Args()
	given := make([][]val, len(args))
	fitting := lists.Filter(y.st.Calls[e], func(g *ir.Func) bool { return len(g.Params) == len(args) })
	if len(fitting) > 1 { // by the arrays that they are given
		fitting = slices.DeleteFunc(fitting, func(g *ir.Func) bool {
			return slices.ContainsFunc(g.Params, func(p *ir.Var) bool {
				i := slices.Index(g.Params, p)
				if p.Type.Ptr != 1 {
					return false
				}
				v := y.eval(args[i], ts[0])
				return v.at == nil || v.at.typ != kit.PlainName(p.Type.Base)
			})
		})
	}
	if len(fitting) != 1 || len(fitting[0].Problems) > 0 || fitting[0].View.Class != "" {
		y.stop(kit.Erasure, at, "which %s is called here is not followed", e.Name)
	}
	g := fitting[0]
	if y.calls++; y.calls > 16 {
		y.stop(kit.Erasure, at, "these calls are too deep to be followed")
	}
	in := y.newScope(g)
	outer := y.frame
	for i, p := range g.Params {
		switch {
		case p.Type.Ref:
			in.refs[p] = make([]lvalue, y.n)
			for _, t := range ts {
				if args[i].Root() == nil {
					y.stop(kit.Erasure, at, "what %s refers to is not followed", p.Name)
				}
				in.refs[p][t] = y.referred(p, args[i], t)
			}
		default:
			given[i] = make([]val, y.n)
			for _, t := range ts {
				given[i][t] = y.eval(args[i], t)
				if a := given[i][t].at; a != nil && a.typ != kit.PlainName(p.Type.Base) {
					y.stop(kit.Erasure, at, "%s is of another type than what it is given", p.Name)
				}
			}
		}
	}
	targs := make([]val, len(g.TParams))
	for i, p := range g.TParams {
		if p.Kind != ir.VarTemplateValue || i >= len(e.TArgs) {
			y.stop(kit.Erasure, at, "arguments of the template %s are not followed", e.Name)
		}
		targs[i] = y.eval(e.TArgs[i], ts[0])
	}
	y.frame = in
	for i, p := range g.TParams {
		for _, t := range ts {
			y.assign(lvalue{r: y.variable(p)}, targs[i], t, at)
		}
	}
	for i, p := range g.Params {
		if given[i] != nil {
			plain := *p
			if p.Type.Ptr > 0 || len(p.Dims) > 0 {
				plain.Type.Ptr, plain.Dims = 1, nil
			}
			r := y.newRegion(&plain)
			in.vars[p] = r
			for _, t := range ts {
				if (given[i][t].at != nil) != (plain.Type.Ptr > 0) {
					y.stop(kit.Erasure, at, "what %s is given is not followed", p.Name)
				}
				y.assign(lvalue{r: r}, given[i][t], t, at)
			}
		}
	}
	y.stmt(g.Body, ts)
	y.frame = outer
	y.calls--
	typ := kit.ReturnType(g)
	if _, rest, ok := strings.Cut(typ, "> "); ok && strings.HasPrefix(typ, "template") {
		typ = rest
	}
	if typ != "void" && !kit.PlainValue(typ) && !y.c.Classes[typ] {
		y.stop(kit.Erasure, at, "what %s returns is not followed", e.Name)
	}
	for _, t := range ts {
		if r := in.result[t]; r.t != nil {
			in.result[t].t = y.convert(r.t, typ)
		}
	}
	return in.result
}
