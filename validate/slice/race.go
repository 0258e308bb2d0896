package slice

import (
	"slices"

	"github.com/smux-cuda/smux/validate/kit"
	"github.com/smux-cuda/smux/validate/units"
)

// accesses are the uses of a region in shared memory since the last barrier, by cell of an element.
type accesses struct {
	uses     map[int]*uses
	symbolic bool // by a subscript that is not known, and something was written
}

// uses are those of one cell.
type uses struct {
	writers, readers []use
}

// use is one by a thread, after so many barriers of its warp, and what it writes.
type use struct {
	t, warp, at int
	x           *term
}

// symbolicUse is an access of the original by a subscript that is not known.
type symbolicUse struct {
	array string
	t     int
	sub   *term
	phase int
}

// race notes the use of elements of shared memory, and that no other thread uses them since the last barrier where one
// of the two writes; but both may write one value.
func (y *replay) race(p lvalue, cells []int, unknown []*term, t int, write bool, x *term, at int) {
	if !p.r.shared || y.dry > 0 {
		return
	}
	if !write {
		p.r.read = true
	}
	if write && len(unknown) == 2 && len(p.r.dims) == 1 && y.depth == 0 && y.warps[t] == 0 {
		if y.old == nil {
			y.symbolic[symbolicUse{p.r.name, t, unknown[0], y.phase}]++
		} else if slices.Max(y.old.warps) == 0 && y.asBefore(p.r, t, unknown[0]) {
			return
		}
	}
	if y.old == nil {
		return // the original has no race
	}
	if y.depth > 0 {
		x = nil // what is one term in an iteration is none in two
	}
	nf := len(p.r.fields)
	for _, c := range cells {
		for f := range nf {
			if p.field == "" || p.field == p.r.fields[f].name {
				y.used(p.r, c*nf+f, use{t, y.warps[t], at, x}, write, true)
			}
		}
	}
}

// asBefore reports whether accesses of an array by subscripts that are not known are all that there are of it since the
// last barrier, and whether they are those of the original between two of its barriers.
func (y *replay) asBefore(r *region, t int, sub *term) bool {
	a := y.accesses[r]
	if a != nil && (len(a.uses) > 0 || !a.symbolic) || len(r.over) > 0 && slices.ContainsFunc(r.over, func(o *region) bool { return y.accesses[o] != nil }) {
		return false
	}
	for phase := range y.old.phase + 1 {
		if y.old.symbolic[symbolicUse{r.name, t, sub, phase}] == 0 {
			continue
		}
		key := r.name + units.Itoa(y.phase)
		if was, known := y.marked[key]; known && was != phase {
			continue
		}
		y.marked[key] = phase
		if a == nil {
			y.accesses[r] = &accesses{uses: map[int]*uses{}, symbolic: true}
		}
		return true
	}
	return false
}

// used notes the use of a cell, and checks it against those of other threads.
func (y *replay) used(r *region, i int, u use, write, checked bool) {
	a := y.accesses[r]
	if a == nil {
		a = &accesses{uses: map[int]*uses{}}
		y.accesses[r] = a
	}
	if a.symbolic {
		y.stop(kit.Turns, u.at, "threads may use elements of %s here while others use them, with no barrier between", r.name)
	}
	c := a.uses[i]
	if c == nil {
		c = &uses{}
		a.uses[i] = c
	}
	apart := func(of []use, x *term) {
		for _, o := range of {
			if parted := o.t == u.t || o.t/32 == u.t/32 && o.warp != u.warp; checked && !parted && (x == nil || o.x != x) {
				y.stop(kit.Turns, u.at, "a thread may use an element of %s here while another one uses it in line %d, with no barrier between", r.name, y.c.New.File.Position(o.at).Line)
			}
		}
	}
	apart(c.writers, u.x)
	if write {
		apart(c.readers, nil)
	}
	of := &c.readers
	if write {
		of = &c.writers
	}
	if n := len(*of); n == 0 || (*of)[n-1].t != u.t || (*of)[n-1].warp != u.warp || (*of)[n-1].x != u.x {
		*of = append(*of, u)
	}
	for _, o := range r.over {
		if b := y.accesses[o]; b != nil {
			if b.symbolic {
				y.stop(kit.Turns, u.at, "threads may use %s here while others use %s, of the same bytes", r.name, o.name)
			}
			for _, c := range b.uses {
				apart(c.writers, nil)
				if write {
					apart(c.readers, nil)
				}
			}
		}
	}
}

// barrier is one of the block.
func (y *replay) barrier(ts []int, at int) {
	if len(ts) != y.n || y.single > 0 {
		y.stop(kit.Uniform, at, "not all threads of a block come by this barrier")
	}
	for class, own := range y.chains {
		var all []*term
		for t := range y.n {
			all = append(all, own.cells[t][0].t)
		}
		x := y.g.of("all", "", all...)
		if len(all[0].kids) == 0 && !slices.ContainsFunc(all, func(t *term) bool { return t != all[0] }) {
			x = all[0] // nothing
		}
		for t := range y.n {
			y.set(cell{y.epochs[class], t, 0}, val{t: x})
		}
	}
	if y.dry == 0 {
		if y.phase++; y.head == nil {
			y.head = y.accesses
		}
		y.accesses = map[*region]*accesses{}
	}
}

// again notes uses from before once more, against which what comes is checked; they are checked, too, where they are
// those of the next iteration.
func (y *replay) again(was map[*region]*accesses, checked bool) {
	for r, a := range was {
		for i, c := range a.uses {
			for _, u := range c.writers {
				y.used(r, i, u, true, checked)
			}
			for _, u := range c.readers {
				y.used(r, i, u, false, checked)
			}
		}
		if a.symbolic {
			y.stop(kit.Turns, y.st.Reach[0].View.Start, "which elements of %s are used in a loop is not known", r.name)
		}
	}
}
