package slice

import (
	"maps"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/validate/kit"
	"github.com/smux-cuda/smux/validate/units"
)

// carried is a cell that an iteration changes: an atom stands for what it holds when one begins.
type carried struct {
	c    cell
	atom *term
	init val
	body *term
}

// uncounted runs a loop of which it is not known how often it goes round: one iteration, with what it changes as atoms.
func (y *replay) uncounted(s *ir.Stmt, ts []int) {
	mark := y.clock
	meets := y.meets(s)
	if meets && (y.depth > 0 || slices.Max(y.warps) > 0) {
		y.stop(kit.Erasure, s.Range.Start, "a barrier in this loop is not followed: it stands in another loop, or beside barriers of warps")
	}
	if s.Cond.Any(func(e *ir.Expr) bool { return e.Op == ir.OpAssign || e.Op == ir.OpIncDec }) {
		y.stop(kit.Erasure, s.Range.Start, "a condition that changes something is not followed")
	}
	outer := y.inside
	y.depth, y.inside = y.depth+1, s.Range
	defer func() { y.depth, y.inside = y.depth-1, outer }()
	found := map[cell]bool{}
	begin := func() []*carried {
		all := y.atoms(found)
		y.changes = append(y.changes, map[cell]val{})
		for _, c := range all {
			y.set(c.c, c.began(y))
		}
		return all
	}
	for {
		begin()
		y.dry++
		y.iteration(s, ts)
		y.dry--
		n := len(found)
		for c, v := range y.undo() {
			if (c.r.born <= mark || c.r.shared) && !v.equal(c.r.cells[c.t][c.i]) {
				found[c] = true
			}
		}
		if len(found) == n {
			break
		}
	}
	all, byAtom := begin(), map[*term]*carried{}
	for _, c := range all {
		byAtom[c.atom] = c
	}
	loads, before := len(y.loads), y.accesses
	if meets {
		y.cut()
		y.head, y.accesses = nil, map[*region]*accesses{}
	}
	conds := y.iteration(s, ts)
	now := y.undo()
	for _, c := range all {
		v, ok := now[c.c]
		switch {
		case !ok:
			c.body = c.atom
		case v.t != nil && c.init.t != nil:
			c.body = v.t
		case v.at != nil && v.at == c.init.at && slices.Equal(v.subs, c.init.subs):
			c.body = v.off
		default:
			y.stop(kit.Erasure, s.Range.Start, "%s leads to several arrays", c.c.r.name)
		}
	}
	d := &digests{y: y, byAtom: byAtom, conds: conds, seen: map[*term][]*carried{}}
	for _, c := range all {
		if c.body == c.atom {
			y.set(c.c, c.init)
			continue
		}
		x := y.g.of("after", c.typ(), d.needed([]*carried{c}), c.atom)
		if c.init.at != nil {
			y.set(c.c, val{at: c.init.at, subs: c.init.subs, off: x})
		} else {
			y.set(c.c, val{t: x})
		}
		if strings.HasPrefix(c.c.r.name, "stores to ") {
			y.from[x] = s.Range.Start
		}
	}
	for i := range y.loads[loads:] {
		l := &y.loads[loads+i]
		l.when = append(slices.Clone(l.when), d.of(l.t, conds[l.by]))
	}
	for t, c := range conds {
		if c != nil && y.dry == 0 {
			y.loads = append(y.loads, load{y.g.of("trips", "", d.of(c)), t, slices.Clone(y.path), s.Range.Start})
		}
	}
	if meets && y.dry == 0 {
		y.loops = append(y.loops, d.of(slices.DeleteFunc(slices.Clone(conds), func(c *term) bool { return c == nil })...))
		if n := len(y.loops) - 1; y.old != nil && (n >= len(y.old.loops) || y.old.loops[n] != y.loops[n]) {
			y.stop(kit.Uniform, s.Range.Start, "this loop with barriers does not go round as often as one of the original")
		}
		y.cut()
		if y.head == nil || slices.Max(y.warps) > 0 {
			y.stop(kit.Erasure, s.Range.Start, "the barriers in this loop are not followed")
		}
		tail := y.accesses
		for _, a := range []map[*region]*accesses{before, tail} { // no barrier parts these from the next iteration
			y.accesses = map[*region]*accesses{}
			y.again(a, false)
			y.again(y.head, true)
		}
		y.accesses = tail
		y.again(before, false)
	}
}

// began returns the content of a cell when an iteration begins.
func (c *carried) began(y *replay) val {
	if c.init.at != nil {
		return val{at: c.init.at, subs: c.init.subs, off: c.atom}
	}
	return val{t: c.atom}
}

func (c *carried) typ() string {
	if len(c.c.r.fields) == 0 {
		return ""
	}
	return c.c.r.fields[c.c.i%len(c.c.r.fields)].typ
}

// atoms gives cells names that both texts have for them. What names stand for is compared, so that a name may be of
// anything; two cells never have one.
func (y *replay) atoms(found map[cell]bool) []*carried {
	cells := slices.Collect(maps.Keys(found))
	slices.SortFunc(cells, func(a, b cell) int {
		if a.r != b.r {
			return a.r.born - b.r.born
		}
		return (a.t-b.t)*1<<20 + a.i - b.i
	})
	used, names := map[string]int{}, map[*region]string{}
	var out []*carried
	for _, c := range cells {
		name, ok := names[c.r]
		if !ok {
			name = c.r.label()
			if used[name]++; used[name] > 1 {
				name += "'" + units.Itoa(used[name])
			}
			names[c.r] = name
		}
		one := &carried{c: c, init: c.r.cells[c.t][c.i]}
		one.atom = y.g.of("begun "+units.Itoa(y.depth)+" "+name+" "+units.Itoa(c.t)+" "+units.Itoa(c.i), one.typ())
		out = append(out, one)
	}
	return out
}

// iteration runs one, and returns the condition under which each thread makes it.
func (y *replay) iteration(s *ir.Stmt, ts []int) []*term {
	conds := make([]*term, y.n)
	for _, t := range ts {
		conds[t] = y.g.number(1)
		if s.Cond != nil {
			conds[t] = y.truth(y.eval(s.Cond, t), s.Cond)
		}
	}
	f := y.frame
	left, next := slices.Clone(f.left), slices.Clone(f.next)
	gone := slices.Clone(f.gone)
	y.stmt(s.Body, ts)
	if !slices.Equal(f.left, left) || !slices.Equal(f.gone, gone) {
		y.stop(kit.Erasure, s.Range.Start, "how this loop is left is not followed")
	}
	f.next = next
	if s.Post != nil {
		for _, t := range ts {
			y.eval(s.Post, t)
		}
	}
	return conds
}

// digests are terms for loops, of what a value needs of them.
type digests struct {
	y      *replay
	byAtom map[*term]*carried
	conds  []*term
	seen   map[*term][]*carried
}

// of is a term of all that values of an iteration depend on: what that begins as and becomes, and how long.
func (d *digests) of(roots ...*term) *term { return d.needed(nil, roots...) }

func (d *digests) needed(todo []*carried, roots ...*term) *term {
	need := map[*carried]bool{}
	threads := map[int]bool{}
	for _, c := range todo {
		need[c] = true
	}
	add := func(t *term) {
		for _, c := range d.in(t) {
			if !need[c] {
				need[c] = true
				todo = append(todo, c)
			}
		}
	}
	for _, r := range roots {
		add(r)
	}
	for i := 0; i < len(todo); i++ {
		add(todo[i].body)
		for t, c := range d.conds {
			if c != nil && !threads[t] && (todo[i].c.r.shared || t == todo[i].c.t) {
				threads[t] = true
				add(c)
			}
		}
	}
	slices.SortFunc(todo, func(a, b *carried) int { return strings.Compare(a.atom.op, b.atom.op) })
	kids := slices.Clone(roots)
	for _, c := range todo {
		init := c.init.t
		if init == nil {
			init = d.y.g.of("in "+c.init.at.name, "", append(slices.Clone(c.init.subs), c.init.off)...)
		}
		kids = append(kids, c.atom, init, c.body)
	}
	for t := range d.conds {
		if threads[t] {
			kids = append(kids, d.conds[t])
		}
	}
	return d.y.g.of("loop", "", kids...)
}

// in are the cells of which a term has the atoms.
func (d *digests) in(t *term) []*carried {
	if out, ok := d.seen[t]; ok {
		return out
	}
	d.y.g.walks++
	var out []*carried
	var visit func(t *term)
	visit = func(t *term) {
		if t == nil || t.seen == d.y.g.walks {
			return
		}
		t.seen = d.y.g.walks
		if c := d.byAtom[t]; c != nil {
			out = append(out, c)
		}
		for _, k := range t.kids {
			visit(k)
		}
	}
	visit(t)
	d.seen[t] = out
	return out
}
