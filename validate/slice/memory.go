package slice

import (
	"slices"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/internal/lists"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/validate/kit"
	"github.com/smux-cuda/smux/validate/units"
)

// region is a variable or an array. Each field of an element has a cell, of each thread where the region is not shared.
type region struct {
	name   string
	typ    string
	fields []member
	dims   []int
	shared bool
	fickle bool   // it is volatile
	class  string // of arrays in global memory, which have no cells: those of one class may overlap
	cells  [][]val
	born   int
	over   []*region // others that have the same bytes
	read   bool      // since it was last written
}

// val is a value: a term, or an address, of which the last subscript is off.
type val struct {
	t    *term
	at   *region
	subs []*term
	off  *term
}

// cell keeps a value.
type cell struct {
	r    *region
	t, i int
}

// lvalue is the object that an expression names: an element, a field of it, or a part of an array.
type lvalue struct {
	r     *region
	subs  []*term
	field string
}

func (r *region) size() int {
	n := 1
	for _, d := range r.dims {
		n *= d
	}
	return n
}

// typeAt is the type of a field where a place names one, else of the region.
func (r *region) typeAt(p lvalue) string {
	if f, ok := fieldOf(r.fields, p.field); ok {
		return f.typ
	}
	return r.typ
}

// row returns the index of a thread's cells.
func (r *region) row(t int) int {
	if r.shared {
		return 0
	}
	return t
}

// label names a region, for both texts: arrays in shared memory are other ones where they have other extents.
func (r *region) label() string {
	if !r.shared {
		return r.name
	}
	out := r.name + " " + r.typ
	for _, d := range r.dims {
		out += "," + units.Itoa(d)
	}
	return out
}

// variable makes the region of a variable, or clears it where that is there.
func (y *replay) variable(v *ir.Var) *region {
	r := y.frame.vars[v]
	if r == nil {
		r = y.newRegion(v)
		y.frame.vars[v] = r
	}
	return r
}

func (y *replay) newRegion(v *ir.Var) *region {
	y.clock++
	r := &region{name: v.Name, typ: kit.PlainName(v.Type.Base), born: y.clock, shared: v.Kind == ir.VarShared, fickle: v.Type.Volatile}
	if r.fields = []member{{"", r.typ}}; v.Type.Ptr == 0 {
		r.fields = y.membersOf(v.Type.Base)
		y.convertible(v.Type.Base, v.Range.Start)
	}
	for _, d := range v.Dims {
		n := y.eval(d, 0)
		if !n.t.isNumber() || n.t.n.N <= 0 || n.t.n.N > 1<<20 {
			y.stop(kit.Erasure, v.Range.Start, "the extents of %s are not known", v.Name)
		}
		r.dims = append(r.dims, int(n.t.n.N))
	}
	r.cells = y.undefined(r)
	return r
}

func (y *replay) undefined(r *region) [][]val {
	threads := y.n
	if r.shared {
		threads = 1
	}
	n := r.size() * len(r.fields)
	if threads*n > 1<<20 {
		y.stop(kit.Erasure, y.st.Reach[0].View.Start, "%s has too many elements", r.name)
	}
	out := make([][]val, threads)
	for t := range out {
		out[t] = slices.Repeat([]val{{t: y.g.of("undefined", "")}}, n)
	}
	return out
}

// global is an array in global memory: restrict pointers have their own.
func (y *replay) global(v *ir.Var) *region {
	key := v.Name
	if v.Kind != ir.VarParam {
		key += " of all"
	}
	r := y.globals[key]
	if r == nil {
		r = &region{name: key, typ: kit.PlainName(v.Type.Base), fields: y.membersOf(v.Type.Base), class: "memory"}
		if v.Kind == ir.VarParam && v.Type.Restrict {
			r.class = v.Name
		}
		if y.convertible(v.Type.Base, v.Range.Start); v.Type.Volatile {
			y.stop(kit.Erasure, v.Range.Start, "%s is volatile, which is not followed", v.Name)
		}
		dims := len(v.Dims)
		if v.Type.Rows != nil {
			dims += len(v.Type.Rows.Extents)
		}
		if v.Type.Ptr > 0 && v.Type.Rows == nil {
			dims++
		}
		r.dims = make([]int, max(1, dims))
		y.globals[key] = r
	}
	return r
}

// chain holds the stores of a thread to arrays of a class, and epoch those of all at the last barrier.
func (y *replay) chain(class string) (own, all *region) {
	if y.chains[class] == nil {
		for _, m := range []map[string]*region{y.chains, y.epochs} {
			r := &region{name: "stores to " + class, fields: []member{{}}, dims: nil, shared: false, cells: make([][]val, y.n)}
			for t := range r.cells {
				r.cells[t] = []val{{t: y.g.of("nothing", "")}}
			}
			m[class] = r
		}
		y.epochs[class].name = "barriers of " + class
		y.epochs[class].shared = true
	}
	return y.chains[class], y.epochs[class]
}

// set changes a cell.
func (y *replay) set(c cell, v val) {
	if n := len(y.changes); n > 0 {
		if _, noted := y.changes[n-1][c]; !noted {
			y.changes[n-1][c] = c.r.cells[c.t][c.i]
		}
	}
	c.r.cells[c.t][c.i] = v
}

// undo takes changes back, and returns what was there before that.
func (y *replay) undo() map[cell]val {
	was := y.changes[len(y.changes)-1]
	y.changes = y.changes[:len(y.changes)-1]
	now := map[cell]val{}
	for c, v := range was {
		now[c] = c.r.cells[c.t][c.i]
		c.r.cells[c.t][c.i] = v
	}
	return now
}

// cellsOf are the elements that subscripts may name: one, or all of those that fit where some are not known. What is not
// known is the rest of a subscript without the number that is added to it, so that it is the same in s[e] and s[4 + e].
func (y *replay) cellsOf(p lvalue, t, at int) (out []int, unknown []*term) {
	out = []int{0}
	for d, extent := range p.r.dims {
		sub := p.subs[d]
		first, end := int64(0), int64(extent)
		if sub.isNumber() {
			if first, end = sub.n.N, sub.n.N+1; first < 0 || first >= int64(extent) {
				y.stop(kit.Copies, at, "%s has no element %d", p.r.name, first)
			}
		} else {
			rest, n := sub, int64(0)
			if len(sub.kids) == 2 && (sub.op == "+" || sub.op == "move +") {
				for i, k := range sub.kids {
					if k.isNumber() && !k.n.Unsigned {
						rest, n = sub.kids[1-i], k.n.N
					}
				}
			}
			r := y.ranged(rest, span{-n, int64(extent) - n}, t, at)
			if r.first >= r.end {
				y.stop(kit.Copies, at, "%s has no such element", p.r.name)
			}
			first, end = r.first+n, r.end+n
			unknown = append(unknown, rest, y.g.number(r.first))
		}
		var next []int
		for _, i := range out {
			for j := first; j < end; j++ {
				next = append(next, i*extent+int(j))
			}
		}
		out = next
	}
	return out, unknown
}

// span are the numbers from the first to the one before the end.
type span struct{ first, end int64 }

// bounded is a number that a thread uses as a subscript, in a loop that is not counted.
type bounded struct {
	t    int
	x    *term
	loop ir.Range
	of   *parser.Function
}

// bound is such a number with its value, and the place.
type bound struct {
	span
	when []*term
}

// ranged is in which range a number is that is a subscript: in the original, in that of everything that a thread uses it
// for there. The new text may use it for no more.
func (y *replay) ranged(x *term, s span, t, at int) span {
	note := func(s span) {
		if y.dry == 0 {
			y.loads = append(y.loads, load{y.g.of("subscript", "", x, y.g.number(s.first), y.g.number(s.end)), t, slices.Clone(y.path), at})
		}
	}
	note(s)
	key := bounded{t, x, y.inside, y.frame.fn.View}
	if y.old == nil && y.dry == 0 {
		y.bounds[key] = append(y.bounds[key], bound{s, slices.Clone(y.path)})
	}
	within := s
	for _, b := range y.before[key] {
		if !slices.ContainsFunc(b.when, func(c *term) bool { return !slices.Contains(y.path, c) }) {
			within = span{max(within.first, b.first), min(within.end, b.end)}
		}
	}
	if within != s {
		note(within)
	}
	return within
}

// load is a value that is loaded from global memory.
type load struct {
	t    *term
	by   int
	when []*term
	src  int
}

// read is the value at a place.
func (y *replay) read(p lvalue, t, at int) val {
	nf := len(p.r.fields)
	if len(p.subs) < len(p.r.dims) {
		return val{at: p.r, subs: p.subs, off: y.g.number(0)}
	}
	if p.r.class != "" {
		own, all := y.chain(p.r.class)
		typ := p.r.typ
		x := y.g.of("load "+p.r.name, typ, append(slices.Clone(p.subs), own.cells[t][0].t, all.cells[t][0].t)...)
		if y.dry == 0 {
			y.loads = append(y.loads, load{x, t, slices.Clone(y.path), at})
			y.happens(p.r.class, x, t, false)
		}
		if p.field == "" {
			return val{t: x}
		}
		fields := y.membersOf(typ)
		f, ok := fieldOf(fields, p.field)
		if !ok {
			y.stop(kit.Erasure, at, "%s is a field of an unknown type", p.field)
		}
		return val{t: y.g.field(x, f.name, f.typ, len(fields))}
	}
	row := p.r.row(t)
	cells, unknown := y.cellsOf(p, t, at)
	y.race(p, cells, unknown, t, false, nil, at)
	var kids []*term
	for i, f := range p.r.fields {
		if p.field != "" && p.field != f.name {
			continue
		}
		v := p.r.cells[row][cells[0]*nf+i]
		if len(unknown) > 0 {
			all := termsIn(p.r.cells[row], cells, i, nf)
			if slices.Contains(all, nil) {
				y.stop(kit.Erasure, at, "an array of addresses is not followed")
			}
			v = val{t: y.g.of("one", f.typ, append(unknown, y.g.content(all))...)}
		}
		if v.t == nil {
			return v
		}
		kids = append(kids, v.t)
	}
	switch {
	case len(kids) == 0:
		y.stop(kit.Erasure, at, "%s has no field %s", p.r.name, p.field)
	case p.field == "":
		return val{t: y.g.made(p.r.typ, p.r.fields, kids)}
	}
	return val{t: kids[0]}
}

// write stores a value at a place.
func (y *replay) write(p lvalue, v val, t, at int) {
	nf := len(p.r.fields)
	if p.r.class != "" {
		if v.t == nil || len(p.subs) < len(p.r.dims) {
			y.stop(kit.Erasure, at, "smux does not follow the store here")
		}
		own, _ := y.chain(p.r.class)
		x := y.g.of("then ."+p.field, "", slices.Concat([]*term{own.cells[t][0].t, y.g.of("array "+p.r.name, ""), y.g.of("when", "", y.path...), v.t}, p.subs)...)
		y.from[x] = at
		y.set(cell{own, t, 0}, val{t: x})
		y.happens(p.r.class, x, t, true)
		return
	}
	row := p.r.row(t)
	if len(p.subs) < len(p.r.dims) {
		y.stop(kit.Erasure, at, "an array is set as a whole")
	}
	cells, unknown := y.cellsOf(p, t, at)
	y.race(p, cells, unknown, t, true, v.t, at)
	if p.r.shared && p.r.read && len(unknown) > 0 && y.old != nil {
		// What is left here may be anything: see the comment of replay.
		y.clear(p.r, 0)
	}
	p.r.read = false
	for _, o := range p.r.over {
		y.clear(o, 0)
	}
	for i, f := range p.r.fields {
		x := v
		switch {
		case p.field != "" && p.field != f.name:
			continue
		case p.field == "" && nf > 1:
			if x.t == nil {
				y.stop(kit.Erasure, at, "an address is stored as %s", p.r.typ)
			}
			x = val{t: y.g.field(v.t, f.name, f.typ, nf)}
		}
		if len(unknown) == 0 {
			y.set(cell{p.r, row, cells[0]*nf + i}, x)
			continue
		}
		all := termsIn(p.r.cells[row], cells, i, nf)
		if x.t == nil || slices.Contains(all, nil) {
			y.stop(kit.Erasure, at, "an array of addresses is not followed")
		}
		with := y.g.of("with", "", slices.Concat([]*term{y.g.number(int64(len(cells))), y.g.content(all), x.t}, unknown)...)
		for j, c := range cells {
			y.set(cell{p.r, row, c*nf + i}, val{t: y.g.of("nth #"+units.Itoa(j), f.typ, with)})
		}
	}
}

// termsIn returns the values of field i of some elements with so many fields; one that is nil is an address.
func termsIn(row []val, elements []int, i, fields int) []*term {
	return lists.Map(elements, func(n int) *term { return row[n*fields+i].t })
}

// clear forgets what a region holds for a thread; for all, in shared memory.
func (y *replay) clear(r *region, t int) {
	for i := range r.cells[t] {
		y.set(cell{r, t, i}, val{t: y.g.of("undefined", "")})
	}
}
