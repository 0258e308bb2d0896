package stage

import (
	"slices"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/internal/lists"
	"github.com/smux-cuda/smux/validate/kit"
	"github.com/smux-cuda/smux/validate/linear"
)

// replaced evaluates what the original has where the new text reads a tile, and checks that the tile holds it.
func (y *symbolic) replaced(e, from *ir.Expr) known {
	x := y.eval(from)
	if !y.st.looking || y.away != [3]int{} || y.blind || y.ahead || y.quiet {
		return x
	}
	want := y.number(x).s
	if e.Op != ir.OpCond {
		y.read(e, from, want)
		return x
	}
	c := y.truth(y.eval(e.Kids[0]))
	y.where(c, func() { y.read(e.Kids[1], from, want) })
	y.where(c.Not(), func() {
		if !y.equal(y.number(y.eval(e.Kids[2])).s, want) {
			y.st.doubt(kit.Content, e.Range.Start, "where there is no element of the tile this is not what the original reads")
		}
	})
	return x
}

// read checks one element of a tile.
func (y *symbolic) read(e, from *ir.Expr, want linear.Sum) {
	t := y.st.tiles[e.Root().Var]
	if y.st.al.TypeOf(from) != kit.PlainName(t.v.Type.Base) {
		y.st.doubt(kit.Content, e.Range.Start, "the original reads another type than that of %s", t.v.Name)
		return
	}
	at := lists.Map(y.st.element(e), func(x *ir.Expr) linear.Sum { return y.subscript(y.eval(x)) })
	path := y.path
	y.path = slices.Clone(y.path)
	if !y.find(t, at, want, 0) && !y.g.Never(y.path) {
		y.st.doubt(kit.Content, e.Range.Start, "an element of %s may be read here that differs from the original's", t.v.Name)
	}
	y.path = path
}

// find looks up elements of a tile: where subscripts are one of two sums each of them, and where one has an atom in it,
// each element that it may be.
func (y *symbolic) find(t *tile, at []linear.Sum, want linear.Sum, depth int) bool {
	if depth > 8 {
		return false
	}
	n, fixed := 0, true
	for d, s := range at {
		for _, p := range s.Rest() {
			for _, a := range y.g.Monos[p.Mono] {
				if w, ok := y.g.Ways[a]; ok {
					return y.under(w.C, a, w.A, t, at, want, depth) && y.under(w.C.Not(), a, w.B, t, at, want, depth)
				}
			}
		}
		m, ok := s.Constant()
		if ok && (m < 0 || m >= int64(t.dims[d])) {
			return y.g.Never(y.path)
		}
		fixed = fixed && ok
		n = n*t.dims[d] + int(m)
	}
	if fixed {
		if y.holds(t.holds[n], want) {
			return true
		}
		if a := y.g.OneOfTwo(want); a >= 0 {
			w := y.g.Ways[a]
			return y.under(w.C, a, w.A, t, at, want, depth) && y.under(w.C.Not(), a, w.B, t, at, want, depth)
		}
		return false
	}
	for d, s := range at {
		if _, ok := s.Constant(); ok {
			continue
		}
		if !y.g.Follows(y.path, linear.Both(linear.Natural(s), linear.Natural(linear.Number(int64(t.dims[d]-1)).Plus(s, -1)))) {
			return false
		}
		for _, p := range s.Rest() {
			a := y.g.Single(linear.Sum{{Mono: p.Mono, N: 1}})
			if a < 0 || p.N != 1 && p.N != -1 {
				continue
			}
			others := s.Plus(linear.Sum{p}, -1)
			if y.g.Holds(others, a) {
				continue
			}
			for m := range t.dims[d] {
				if !y.under(linear.Yes, a, linear.Sum(nil).Plus(linear.Number(int64(m)), p.N).Plus(others, -p.N), t, at, want, depth) {
					return false
				}
			}
			return true
		}
		n := len(y.path)
		all := true
		for m := 0; m < t.dims[d] && all; m++ {
			y.path = append(y.path[:n], linear.Zero(s.Shifted(-int64(m))))
			at[d] = linear.Number(int64(m))
			all = y.find(t, at, want, depth+1)
		}
		y.path, at[d] = y.path[:n], s
		return all
	}
	return false
}

// under looks up elements with a sum in place of an atom.
func (y *symbolic) under(c linear.Formula, a int, by linear.Sum, t *tile, at []linear.Sum, want linear.Sum, depth int) bool {
	path := y.path
	y.path = nil
	for _, f := range append(slices.Clone(path), c) {
		y.path = append(y.path, y.g.FormulaWith(f, a, by))
	}
	subs := make([]linear.Sum, len(at))
	for i, s := range at {
		subs[i] = y.g.With(s, a, by)
	}
	found := slices.ContainsFunc(y.path, func(f linear.Formula) bool { return f.Op == linear.IsFalse }) || y.find(t, subs, y.g.With(want, a, by), depth+1)
	y.path = path
	return found
}

// holds reports whether an element is what is wanted: by the last copy that stored to it, whichever that is.
func (y *symbolic) holds(held []copied, want linear.Sum) bool {
	path := y.path
	defer func() { y.path = path }()
	for phase := y.phase; phase > y.floor; phase-- {
		made := linear.No
		for _, c := range held {
			if c.phase != phase {
				continue
			}
			if when := linear.Both(c.when...); y.equal(c.s, want) {
				made = linear.Either(made, when)
			} else if !y.g.Never(append(slices.Clone(y.path), when)) {
				return false
			}
		}
		if made.Op == linear.IsFalse {
			continue
		}
		if y.g.Follows(y.path, made) {
			for _, c := range held {
				if a := y.g.Single(c.s); c.phase == phase && a >= 0 {
					key := y.g.Atoms[a].Op + "(" + linear.Keys(y.g.Atoms[a].Args)
					y.st.readers[key] = withPath(y.st.readers[key], y.path, 64)
				}
			}
			return true
		}
		y.path = append(slices.Clone(y.path), made.Not())
	}
	return y.g.Never(y.path)
}

// equal reports whether two sums are equal here.
func (y *symbolic) equal(a, b linear.Sum) bool {
	if slices.Equal(a, b) {
		return true
	}
	p, q := y.g.Single(a), y.g.Single(b)
	if p >= 0 && q >= 0 && y.g.Atoms[p].Op == y.g.Atoms[q].Op && len(y.g.Atoms[p].Args) == len(y.g.Atoms[q].Args) {
		all := true
		for i, x := range y.g.Atoms[p].Args {
			all = all && y.equal(x, y.g.Atoms[q].Args[i])
		}
		if all {
			return true
		}
	}
	return y.g.Follows(y.path, linear.Zero(a.Plus(b, -1)))
}

// justified reports whether something reads, wherever it is copied: under one of some conditions at least.
func (s *staging) justified(readers [][]linear.Formula, when []linear.Formula) bool {
	when = flat(linear.Both(when...))
	for i, f := range when {
		if f.Op == linear.AnyOf {
			for _, k := range f.Kids {
				if !s.justified(readers, slices.Concat(when[:i], []linear.Formula{k}, when[i+1:])) {
					return false
				}
			}
			return true
		}
	}
	var left []linear.Formula
	for _, r := range readers {
		var open []linear.Formula
		for _, f := range r {
			for _, k := range flat(f) {
				if !slices.ContainsFunc(open, k.Equal) && !s.g.Follows(when, k) {
					open = append(open, k)
				}
			}
			if len(open) > 2 {
				break
			}
		}
		if len(open) == 0 {
			return true
		}
		if len(open) <= 2 && len(left) < 12 {
			left = append(left, linear.Both(open...).Not())
		}
	}
	return s.g.Never(append(slices.Clone(when), left...))
}

// flat are the parts of a condition that must all be so.
func flat(f linear.Formula) []linear.Formula {
	if f.Op == linear.AllOf {
		return f.Kids
	}
	return []linear.Formula{f}
}
