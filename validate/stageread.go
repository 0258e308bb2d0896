package validate

import (
	"slices"

	"github.com/smux-cuda/smux/analysis/ir"
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
	y.where(c.not(), func() {
		if !y.equal(y.number(y.eval(e.Kids[2])).s, want) {
			y.st.doubt(Content, e.Range.Start, "where there is no element of the tile this is not what the original reads")
		}
	})
	return x
}

// read checks one element of a tile.
func (y *symbolic) read(e, from *ir.Expr, want sum) {
	t := y.st.tiles[e.Root().Var]
	if y.st.typeOf(from) != t.v.Type.Base {
		y.st.doubt(Content, e.Range.Start, "%s is of another type than what the original reads", t.v.Name)
		return
	}
	var at []sum
	for _, x := range y.st.element(e) {
		at = append(at, y.subscript(y.eval(x)))
	}
	path := y.path
	y.path = slices.Clone(y.path)
	if !y.find(t, at, want, 0) && !y.g.never(y.path) {
		y.st.doubt(Content, e.Range.Start, "an element of %s may be read here that is not what the original reads", t.v.Name)
	}
	y.path = path
}

// typeOf is the type of an element of an array, or of what a function returns.
func (s *staging) typeOf(e *ir.Expr) string {
	if e.Op == ir.OpCall && e.Name == "__ldg" && len(e.Args()) == 1 {
		if root := e.Args()[0].Root(); root != nil && root.Var != nil {
			return root.Var.Type.Base
		}
	}
	if e.Op == ir.OpCall {
		gs := s.k.state.calls[e]
		if len(gs) != 1 {
			return resultTypes[e.Name]
		}
		head := s.c.fileOf[gs[0].View]
		var words []string
		for _, u := range newSource(head).between(min(gs[0].View.Start, int(gs[0].View.Outer.Start)), int(gs[0].View.Body.Start)) {
			switch u.text {
			case "__device__", "__host__", "static", "inline", "__inline__", "__forceinline__", "const", "constexpr":
				continue
			case e.Name:
				if len(words) == 1 {
					return words[0]
				}
				if len(words) == 2 && words[0] == "unsigned" {
					return "unsigned " + words[1]
				}
				return ""
			}
			words = append(words, u.text)
		}
		return ""
	}
	if root := e.Root(); root != nil && root.Var != nil {
		return root.Var.Type.Base
	}
	return ""
}

// find looks up elements of a tile: where subscripts are one of two sums each of them, and where one has an atom in it,
// each element that it may be.
func (y *symbolic) find(t *tile, at []sum, want sum, depth int) bool {
	if depth > 8 {
		return false
	}
	n, fixed := 0, true
	for d, s := range at {
		for _, p := range s.rest() {
			for _, a := range y.g.monos[p.mono] {
				if w, ok := y.g.ways[a]; ok {
					return y.under(w.c, a, w.a, t, at, want, depth) && y.under(w.c.not(), a, w.b, t, at, want, depth)
				}
			}
		}
		m, ok := s.constant()
		if ok && (m < 0 || m >= int64(t.dims[d])) {
			return y.g.never(y.path)
		}
		fixed = fixed && ok
		n = n*t.dims[d] + int(m)
	}
	if fixed {
		if y.holds(t.holds[n], want) {
			return true
		}
		if a := y.g.oneOfTwo(want); a >= 0 {
			w := y.g.ways[a]
			return y.under(w.c, a, w.a, t, at, want, depth) && y.under(w.c.not(), a, w.b, t, at, want, depth)
		}
		return false
	}
	for d, s := range at {
		if _, ok := s.constant(); ok {
			continue
		}
		if !y.g.follows(y.path, both(natural(s), natural(number64(int64(t.dims[d]-1)).plus(s, -1)))) {
			return false
		}
		for _, p := range s.rest() {
			a := y.g.single(sum{{p.mono, 1}})
			if a < 0 || p.n != 1 && p.n != -1 {
				continue
			}
			others := s.plus(sum{p}, -1)
			if y.g.holds(others, a) {
				continue
			}
			for m := range t.dims[d] {
				if !y.under(yes, a, sum(nil).plus(number64(int64(m)), p.n).plus(others, -p.n), t, at, want, depth) {
					return false
				}
			}
			return true
		}
		n := len(y.path)
		all := true
		for m := 0; m < t.dims[d] && all; m++ {
			y.path = append(y.path[:n], zero(s.shifted(-int64(m))))
			at[d] = number64(int64(m))
			all = y.find(t, at, want, depth+1)
		}
		y.path, at[d] = y.path[:n], s
		return all
	}
	return false
}

// under looks up elements with a sum in place of an atom.
func (y *symbolic) under(c formula, a int, by sum, t *tile, at []sum, want sum, depth int) bool {
	path := y.path
	y.path = nil
	for _, f := range append(slices.Clone(path), c) {
		y.path = append(y.path, y.g.formulaWith(f, a, by))
	}
	subs := make([]sum, len(at))
	for i, s := range at {
		subs[i] = y.g.with(s, a, by)
	}
	found := slices.ContainsFunc(y.path, func(f formula) bool { return f.op == isFalse }) || y.find(t, subs, y.g.with(want, a, by), depth+1)
	y.path = path
	return found
}

// holds reports whether an element is what is wanted: by the last copy that stored to it, whichever that is.
func (y *symbolic) holds(held []copied, want sum) bool {
	path := y.path
	defer func() { y.path = path }()
	for phase := y.phase; phase > y.floor; phase-- {
		made := no
		for _, c := range held {
			if c.phase != phase {
				continue
			}
			if when := both(c.when...); y.equal(c.s, want) {
				made = either(made, when)
			} else if !y.g.never(append(slices.Clone(y.path), when)) {
				return false
			}
		}
		if made.op == isFalse {
			continue
		}
		if y.g.follows(y.path, made) {
			for _, c := range held {
				if a := y.g.single(c.s); c.phase == phase && a >= 0 {
					key := y.g.atoms[a].op + "(" + keys(y.g.atoms[a].args)
					y.st.readers[key] = withPath(y.st.readers[key], y.path, 64)
				}
			}
			return true
		}
		y.path = append(slices.Clone(y.path), made.not())
	}
	return y.g.never(y.path)
}

// equal reports whether two sums are equal here.
func (y *symbolic) equal(a, b sum) bool {
	if slices.Equal(a, b) {
		return true
	}
	p, q := y.g.single(a), y.g.single(b)
	if p >= 0 && q >= 0 && y.g.atoms[p].op == y.g.atoms[q].op && len(y.g.atoms[p].args) == len(y.g.atoms[q].args) {
		all := true
		for i, x := range y.g.atoms[p].args {
			all = all && y.equal(x, y.g.atoms[q].args[i])
		}
		if all {
			return true
		}
	}
	return y.g.follows(y.path, zero(a.plus(b, -1)))
}

// justified reports whether something reads, wherever it is copied: under one of some conditions at least.
func (s *staging) justified(readers [][]formula, when []formula) bool {
	when = flat(both(when...))
	for i, f := range when {
		if f.op == anyOf {
			for _, k := range f.kids {
				if !s.justified(readers, slices.Concat(when[:i], []formula{k}, when[i+1:])) {
					return false
				}
			}
			return true
		}
	}
	var left []formula
	for _, r := range readers {
		var open []formula
		for _, f := range r {
			for _, k := range flat(f) {
				if !slices.ContainsFunc(open, k.equal) && !s.g.follows(when, k) {
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
			left = append(left, both(open...).not())
		}
	}
	return s.g.never(append(slices.Clone(when), left...))
}

// flat are the parts of a condition that must all be so.
func flat(f formula) []formula {
	if f.op == allOf {
		return f.kids
	}
	return []formula{f}
}
