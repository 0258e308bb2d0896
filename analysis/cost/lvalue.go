package cost

import (
	"fmt"
	"strings"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/model/workload"
)

// lvalue finds where an expression's value lives.
func (f *frame) lvalue(e *ir.Expr) lvalue {
	switch e.Op {
	case ir.OpIdent:
		if l, ok := f.variable(e); ok {
			return l
		}
	case ir.OpIndex:
		p := f.eval(e.Kids[0])
		i := f.eval(e.Kids[1])
		if l, ok := f.localElement(e, p, i); ok {
			return l
		}
		return f.element(p, i)
	case ir.OpDeref:
		p := f.eval(e.Kids[0])
		if len(p.dims) > 0 {
			return f.element(p, constant(0, intType))
		}
		return f.pointee(p)
	case ir.OpMember:
		if e.Arrow {
			return f.member(f.pointee(f.eval(e.Kids[0])), e.Name)
		}
		return f.member(f.lvalue(e.Kids[0]), e.Name)
	case ir.OpCast:
		if len(e.Kids) == 1 {
			l := f.lvalue(e.Kids[0])
			return l
		}
	case ir.OpAssign, ir.OpIncDec:
		f.eval(e)
		return f.lvalue(e.Kids[0])
	}
	v := f.eval(e)
	c := cell{v: &ir.Var{}}
	f.cells[c] = v
	return lvalue{typ: v.typ, cell: c}
}

// localElement subscripts an array that is a member of a local variable: it is in
// registers where the subscript is constant.
func (f *frame) localElement(e *ir.Expr, p, i value) (l lvalue, ok bool) {
	m := e.Kids[0]
	if p.typ.ptr > 0 || m.Op != ir.OpMember || m.Arrow {
		return lvalue{}, false
	}
	r := m.Root()
	if r == nil || r.Var == nil || r.Var.Kind != ir.VarLocal || r.Var.Type.Ptr > 0 || r.Var.Type.Ref {
		return lvalue{}, false
	}
	l = lvalue{typ: p.typ.scalar(), cell: cell{v: r.Var, member: fmt.Sprint(m.Name, "[", i.id, "]"), index: i.add}}
	if !i.isConstant() {
		f.x.issue(costLocal)
	}
	return l, true
}

// element subscripts an array or pointer.
func (f *frame) element(p, i value) lvalue {
	dims := p.dims
	size := int64(max(1, p.typ.elem().size()))
	if p.typ.ptr == 0 {
		// A class with operator[], or a vector seen as an array.
		f.x.issue(1)
		return lvalue{typ: p.typ.scalar(), to: value{obj: &object{space: inGlobal}}}
	}
	for k, d := range dims {
		if k > 0 {
			size *= d
		}
	}
	to := f.advance(p, i, size)
	if len(dims) > 1 {
		to.dims = dims[1:]
		return lvalue{typ: p.typ.elem(), dims: dims[1:], to: to}
	}
	to.dims = nil
	l := f.pointee(to)
	return l
}

// member is a component of a vector or struct.
func (f *frame) member(l lvalue, name string) lvalue {
	if l.record != nil && len(l.dims) == 0 {
		if m := l.record.Member(name); m != nil {
			return f.written(l, m)
		}
	}
	comp := strings.Index("xyzw", name)
	t := l.typ
	if len(name) != 1 || comp < 0 || comp >= t.comps {
		comp = f.x.memberOf(name, t.comps)
	}
	t = t.scalar()
	if l.to.obj == nil {
		c := l.cell
		if c.member != "" {
			c.member += "."
		}
		c.member += name
		return lvalue{typ: t, cell: c}
	}
	l.typ = t
	l.to = f.advance(l.to, constant(int64(comp), intType), int64(t.size()))
	return l
}

// memberOf gives the members of structs places of their own, in the order in
// which they are met: which they have is not known.
func (x *walk) memberOf(name string, words int) int {
	i, ok := x.members[name]
	if !ok {
		i = len(x.members)
		x.members[name] = i
	}
	return i % max(1, words)
}

// read is the value of an lvalue; what lives in memory is loaded.
func (f *frame) read(l lvalue) value {
	if len(l.dims) > 0 {
		return l.address()
	}
	if l.to.obj != nil {
		return f.load(l)
	}
	if l.home != nil && l.home != f {
		l, home := l, l.home
		l.home = nil
		return home.read(l)
	}
	if v, ok := f.assembled(l); ok {
		return v
	}
	if v, ok := f.cells[l.cell]; ok {
		v.typ = l.typ
		return v
	}
	for c := f.caller; c != nil; c = c.caller {
		if v, ok := c.cells[l.cell]; ok {
			v.typ = l.typ
			return v
		}
	}
	if l.cell.member != "" {
		// A part of a value that is known as a whole.
		whole := l.cell
		whole.member = ""
		if w, ok := f.cells[whole]; ok {
			op := operation{op: "member " + l.cell.member, a: w.id, x: w.add}
			id := f.x.once(op, workload.Work{})
			f.x.folded(id, w.id)
			return value{typ: l.typ, id: id, batch: w.batch, depth: w.depth}
		}
	}
	v := f.initial(l)
	f.set(l.cell, v)
	return v
}

// assembled is a vector or struct whose members were assigned one by one: no value of its own, but all of these.
func (f *frame) assembled(l lvalue) (value, bool) {
	if !f.x.noting() || l.cell.member != "" || l.typ.comps < 2 || l.typ.ptr > 0 {
		return value{}, false
	}
	var parts []int
	for c, v := range f.cells {
		if c.v == l.cell.v && c.index == l.cell.index && c.member != "" {
			parts = append(parts, v.id)
		}
	}
	if len(parts) == 0 {
		return value{}, false
	}
	if whole, ok := f.cells[l.cell]; ok && len(parts) < l.typ.comps {
		parts = append(parts, whole.id)
	}
	out := value{typ: l.typ, id: f.x.fresh()}
	f.x.folded(out.id, parts...)
	return out, true
}

// initial returns what a variable holds that was not written yet.
func (f *frame) initial(l lvalue) value {
	v := l.cell.v
	if v.Kind == ir.VarEnumerator || v.Kind == ir.VarGlobal && v.Type.Const || v.Kind == ir.VarTemplateValue {
		if v.Init != nil && !f.x.busy[v] && len(f.x.busy) < maxInitialisers {
			f.x.busy[v] = true
			defer delete(f.x.busy, v)
			return f.eval(v.Init)
		}
	}
	return f.x.unknown(l.typ)
}

// maxInitialisers bounds the constants that may be looked up for one another: what is made
// of itself never ends, and the stack grows with every one.
const maxInitialisers = 1000

// write stores a value.
func (f *frame) write(l lvalue, v value) {
	if l.to.obj != nil {
		f.store(l, v)
		return
	}
	v.typ = l.typ
	if l.home != nil {
		f = l.home
	}
	f.set(l.cell, v)
}

// homeOf is the activation that a cell is in.
func (f *frame) homeOf(l lvalue) *frame {
	if l.home != nil {
		return l.home
	}
	return f
}

// set changes a register, keeping what was in it where a branch is under way.
func (f *frame) set(c cell, v value) {
	if f.log != nil {
		if _, ok := f.log[c]; !ok {
			f.log[c] = f.cells[c]
		}
	}
	if c.member == "" && v.typ.comps != 1 || c.member == "" && v.typ.ptr == 0 {
		for _, m := range [...]string{"x", "y", "z", "w"} {
			if v.typ.comps > 1 {
				delete(f.cells, cell{c.v, c.index, m})
			}
		}
	}
	f.cells[c] = v
}
