package cost

import (
	"fmt"
	"strings"

	"github.com/smux-cuda/smux/analysis/barriers"
	"github.com/smux-cuda/smux/analysis/evaluate"
	"github.com/smux-cuda/smux/analysis/intrinsic"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/internal/lists"
	"github.com/smux-cuda/smux/model/workload"
)

// MaxInline bounds the depth of calls that are followed.
const maxInline = 8

// call computes a call: a barrier, a known function, or one in view.
func (f *frame) call(e *ir.Expr) value {
	x := f.x
	if barriers.IsBarrier(x.k, f.fn, e) {
		for _, a := range e.Args() {
			if !cooperative(a) {
				x.needs(f.eval(a))
			}
		}
		x.barrier(fmt.Sprint(x.path, e.Range.Start))
		return x.unknown(intType)
	}
	if sh := evaluate.SharedVar(x.k, f.fn, e); sh != nil {
		return f.sharedArray(sh, nil).address()
	}
	if v, ok := f.group(e); ok {
		return v
	}
	if f.lambda(e) {
		return x.unknown(intType)
	}
	callees := x.k.Callees(f.fn, e)
	if len(callees) > 0 && f.depth < maxInline && !f.active(callees[0]) {
		return f.inline(callees[0], e)
	}
	if intrinsic.Of(e.Name).Kind == intrinsic.Atomic && len(e.Args()) > 0 && len(callees) == 0 {
		return f.atomic(e)
	}
	return f.known(e)
}

// cooperative reports whether an expression names a cooperative group.
func cooperative(e *ir.Expr) bool {
	return e.Op == ir.OpIdent && e.Var != nil && (strings.Contains(e.Var.Type.Base, "thread_block") || e.Var.Type.IsAuto())
}

// barrier counts a barrier of the thread block.
func (x *walk) barrier(key any) {
	if x.mute > 0 {
		return
	}
	x.issue(costBarrier)
	x.stop()
	n := x.structure(workload.KindBarrier, key, x.line.in)
	n.runs += x.weight * x.share
	for o := range x.held {
		if o.space == inShared || o.space == inGlobal && !o.readOnly {
			delete(x.held, o)
		}
	}
}

func (f *frame) active(fn *ir.Func) bool {
	for g := f; g != nil; g = g.caller {
		if g.fn == fn {
			return true
		}
	}
	return false
}

// known computes a call of a function that CUDA has, or one that is out of sight.
func (f *frame) known(e *ir.Expr) value {
	x := f.x
	if ok := f.matrix(e); ok {
		return x.unknown(intType)
	}
	args := lists.Map(e.Args(), f.eval)
	name, known := e.Name, intrinsic.Of(e.Name)
	switch {
	case name == "__pipeline_memcpy_async" && len(args) > 2:
		f.copyAsync(args[0], args[1], args[2])
		return x.unknown(intType)
	case name == "__pipeline_commit" || name == "__pipeline_wait_prior":
		x.issue(1)
		if name == "__pipeline_commit" {
			x.copying.committed = true
		} else if len(args) == 1 && args[0].isConstant() && args[0].s == 0 {
			x.awaitAll()
		}
		return x.unknown(intType)
	case known.Kind == intrinsic.Load && len(args) > 0:
		l := f.pointee(args[0])
		l.operand = true
		return f.read(l)
	case known.Kind == intrinsic.Store && len(args) > 1:
		f.write(f.pointee(args[0]), args[1])
		return args[1]
	case known.Op != "" && len(args) == 2:
		return f.combine(known.Op, args[0], args[1], false)
	case known.Kind == intrinsic.Debug && known.Cost.Single == 0:
		x.needs(args...)
		x.callsOut = x.callsOut || x.mute == 0
		return x.unknown(intType) // debugging output is left out
	}
	if len(args) == 1 {
		// T(x) is a cast.
		if t, ok := builtinType(name); ok {
			return f.converted(args[0], t)
		} else if f.types[name] != "" || x.facts.SizeOf(f.fn, ir.Type{Base: name}) > 0 {
			return f.converted(args[0], f.typeOf(ir.Type{Base: name}))
		}
	}
	out := value{typ: intType}
	text := e.Name
	for _, a := range args {
		out.typ = usual(out.typ, a.typ)
		out = out.after(a)
	}
	switch {
	case known.Type == intrinsic.Named && strings.HasPrefix(name, "make_"):
		out.typ = baseType(strings.TrimPrefix(name, "make_"))
		x.needs(args...)
		return x.unknown(out.typ).after(out)
	case known.Kind == intrinsic.Texture || known.Kind == intrinsic.Surface:
		for i, a := range args {
			x.needs(a)
			if i > 0 && a.typ.integer() && known.Memory.ReadOnly && name != "tex1Dfetch" {
				f.converted(a, floatType)
			}
		}
		return f.texture(e, args, out)
	}
	if out.typ.ptr > 0 {
		out.typ = out.typ.elem()
	}
	x.takes(scratch(known.Scratch, out.typ), ids(args)...)
	cost, typ, listed := callCost(name, out.typ)
	out.typ = typ
	if !listed {
		x.callsOut = x.callsOut || x.mute == 0 && !known.Known() && !strings.HasSuffix(name, "_t")
		x.assume("%s: a call of %s, which is not in view, counts as %d instructions", x.where(f, e.Range.Start), e.Name, costUnknownCall)
	}
	op := operation{op: "call " + text}
	for _, a := range args {
		op.a, op.x = op.a*31+a.id, op.x*31+a.add
	}
	if !listed || !known.Pure() {
		x.needs(args...)
		op.b = x.fresh() // has effects
	}
	out.id = x.once(op, computed(out.typ, cost))
	x.made(out.id, out.words(), ids(args)...)
	for i, a := range e.Args() {
		if a.Op == ir.OpAddr {
			if x.noting() {
				x.needs(f.read(f.lvalue(a.Kids[0])))
			}
			f.write(f.lvalue(a.Kids[0]), x.unknown(args[i].typ.elem()))
		}
	}
	return out
}

// texture is a fetch through the texture units: a load without a pointer.
func (f *frame) texture(e *ir.Expr, args []value, v value) value {
	x := f.x
	t := floatType
	if len(e.TArgs) > 0 {
		t = f.typeOf(ir.Type{Base: e.TArgs[0].Name})
	}
	x.count(workload.Work{Issue: costTexture, Loads: 128, Again: 64}, 0)
	x.gathers(nil, 64)
	out := value{typ: t, id: x.fresh()}
	x.loaded(out, inConstant, false, ids(args)...)
	out.batch, out.depth = x.pend(v)
	return out
}

func ids(values []value) []int {
	return lists.Map(values, func(v value) int { return v.id })
}

// inline runs a device function's body in a frame of its own.
func (f *frame) inline(fn *ir.Func, e *ir.Expr) value {
	x := f.x
	g := &frame{x: x, fn: fn, caller: f, depth: f.depth + 1, types: map[string]string{}, cells: map[cell]value{}, alias: map[*ir.Var]lvalue{}}
	f.bindTemplate(g, e)
	args := e.Args()
	if obj, ok := e.IsMemberCall(); ok {
		if obj.Op != ir.OpIdent || !cooperative(obj) {
			f.lvalue(obj)
		}
	}
	for i, p := range fn.Params {
		if i >= len(args) {
			break
		}
		f.bind(g, p, args[i])
	}
	g.deduce(fn, args, f)
	return g.run(fmt.Sprint(e.Range.Start, "/"))
}

// bind gives a parameter its argument: references stand for the place.
func (f *frame) bind(g *frame, p *ir.Var, arg *ir.Expr) {
	if cooperative(arg) {
		return // what it is, the parameter's type tells
	}
	if p.Type.Ref {
		switch arg.Op {
		case ir.OpIdent, ir.OpIndex, ir.OpMember, ir.OpDeref:
			l := f.lvalue(arg)
			if l.to.obj == nil || len(l.dims) > 0 || !p.Type.Const {
				if l.to.obj == nil {
					l.home = f.homeOf(l)
				}
				g.alias[p] = l
				return
			}
			v := f.read(l)
			g.cells[cell{v: p}] = v
			return
		}
	}
	v := f.eval(arg)
	t := g.typeOf(p.Type)
	if t.ptr == 0 && v.typ.ptr == 0 && !p.Type.Ref && !p.Type.IsAuto() {
		v = f.converted(v, t)
	}
	g.cells[cell{v: p}] = v
}

// bindTemplate binds the template parameters that a call gives explicitly.
func (f *frame) bindTemplate(g *frame, e *ir.Expr) {
	for i, tp := range g.fn.TParams {
		if i >= len(e.TArgs) || tp.Pack {
			break
		}
		a := e.TArgs[i]
		if tp.Kind == ir.VarTemplateType {
			name := a.Name
			if bound, ok := f.types[name]; ok {
				name = bound
			}
			g.types[tp.Name] = name
			continue
		}
		v := f.eval(a)
		if !v.isConstant() {
			continue
		}
		g.cells[cell{v: tp}] = v
	}
}

// deduce binds type parameters that only the arguments tell.
func (g *frame) deduce(fn *ir.Func, args []*ir.Expr, f *frame) {
	for i, p := range fn.Params {
		if i >= len(args) || g.types[p.Type.Base] != "" {
			continue
		}
		for _, tp := range fn.TParams {
			if tp.Kind != ir.VarTemplateType || tp.Name != p.Type.Base {
				continue
			}
			v, ok := g.cells[cell{v: p}]
			if l, is := g.alias[p]; is {
				v, ok = value{typ: l.typ}, true
			}
			if ok {
				g.types[tp.Name] = v.typ.name()
			}
		}
	}
}

// run executes a function's body and returns its value.
func (g *frame) run(path string) value {
	x := g.x
	outerPath, outerDead, outerMask, outerLoops := x.path, x.dead, x.mask, x.loops
	x.path += path
	g.stmt(g.fn.Body)
	x.path, x.dead, x.loops = outerPath, outerDead, outerLoops
	x.restrict(outerMask)
	if g.result.id == 0 && !g.result.known {
		return x.unknown(intType)
	}
	return g.result
}

// overloaded computes an operator that the program overloads for vectors.
func (f *frame) overloaded(tok string, a, b value) (value, bool) {
	x := f.x
	for _, fn := range evaluate.Operators(x.k, f.fn, tok) {
		if len(fn.Params) != 2 || f.depth >= maxInline || f.active(fn) {
			continue
		}
		if f.typeOf(fn.Params[0].Type).comps != a.typ.comps || f.typeOf(fn.Params[1].Type).comps != b.typ.comps {
			continue
		}
		g := &frame{x: x, fn: fn, caller: f, depth: f.depth + 1, types: map[string]string{}, cells: map[cell]value{}, alias: map[*ir.Var]lvalue{}}
		g.cells[cell{v: fn.Params[0]}], g.cells[cell{v: fn.Params[1]}] = a, b
		v := g.run(tok)
		v.typ = f.typeOf(ir.Type{Base: vectorName(usual(a.typ, b.typ))})
		return v.after(a).after(b), true
	}
	return value{}, false
}

func scratch(s intrinsic.Scratch, t ctype) int {
	if t.class == classDouble {
		return s.Double
	}
	return s.Single
}
