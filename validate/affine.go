package validate

import (
	"slices"
	"strconv"
	"strings"
)

// algebra computes with numbers that are not known: sums of products of atoms. An atom is a number of which nothing
// is known but what made it (a parameter, an element of an array, a quotient) and facts about it. Two sums that are
// spelled alike are equal.
type algebra struct {
	atoms    []atom
	number   map[string]int    // atoms by their spelling
	monos    [][]int           // products: sorted atoms; the first is the empty product, 1
	mono     map[string]int    // products by their spelling
	times    map[[2]int]int    // products of products
	facts    map[int][]formula // of atoms
	ways     map[int]way       // of atoms that are one of two sums
	unsigned map[int]bool      // atoms of 32 bits without a sign
	signed   map[int]bool      // atoms that are ints as unsigned numbers
	steps    int               // of all proofs
	budget   int               // left for the proof that is tried
}

// atom is op applied to sums.
type atom struct {
	op   string
	args []sum
}

// way is a where c is so, and b elsewhere.
type way struct {
	c    formula
	a, b sum
}

// sum is a sum of products, each with a number before it, in the order of the products.
type sum []part

type part struct {
	mono int
	n    int64
}

// tooMuch is what stops a computation that would take too long, or needs numbers that are too large.
type tooMuch struct{}

func newAlgebra() *algebra {
	return &algebra{number: map[string]int{}, monos: [][]int{nil}, mono: map[string]int{"": 0}, times: map[[2]int]int{}, facts: map[int][]formula{}, ways: map[int]way{}, signed: map[int]bool{}, unsigned: map[int]bool{}}
}

func number64(n int64) sum {
	if n == 0 {
		return nil
	}
	return sum{{0, n}}
}

// constant returns the number that a sum is.
func (s sum) constant() (int64, bool) {
	switch {
	case len(s) == 0:
		return 0, true
	case len(s) == 1 && s[0].mono == 0:
		return s[0].n, true
	}
	return 0, false
}

// rest is a sum without the number in it.
func (s sum) rest() sum {
	if len(s) > 0 && s[0].mono == 0 {
		return s[1:]
	}
	return s
}

func (s sum) offset() int64 {
	if len(s) > 0 && s[0].mono == 0 {
		return s[0].n
	}
	return 0
}

func small(n int64) int64 {
	if n > 1<<50 || n < -(1<<50) {
		panic(tooMuch{})
	}
	return n
}

// plus is s + n·t.
func (s sum) plus(t sum, n int64) sum {
	if n == 0 || len(t) == 0 {
		return s
	}
	out := make(sum, 0, len(s)+len(t))
	i := 0
	for _, p := range t {
		for i < len(s) && s[i].mono < p.mono {
			out = append(out, s[i])
			i++
		}
		q := part{p.mono, small(p.n) * n}
		if i < len(s) && s[i].mono == p.mono {
			q.n += s[i].n
			i++
		}
		if small(q.n) != 0 {
			out = append(out, q)
		}
	}
	return append(out, s[i:]...)
}

func (s sum) shifted(n int64) sum { return s.plus(number64(1), n) }

func (g *algebra) product(s, t sum) sum {
	if len(s)*len(t) > 400 {
		panic(tooMuch{})
	}
	var out sum
	for _, p := range s {
		var row sum
		for _, q := range t {
			row = append(row, part{g.productOf(p.mono, q.mono), q.n})
		}
		slices.SortFunc(row, func(a, b part) int { return a.mono - b.mono })
		out = out.plus(row, p.n)
	}
	return out
}

func (g *algebra) productOf(a, b int) int {
	switch {
	case a == 0:
		return b
	case b == 0:
		return a
	}
	key := [2]int{min(a, b), max(a, b)}
	if m, ok := g.times[key]; ok {
		return m
	}
	all := append(slices.Clone(g.monos[a]), g.monos[b]...)
	slices.Sort(all)
	m := g.monoOf(all)
	g.times[key] = m
	return m
}

func (g *algebra) monoOf(atoms []int) int {
	var key strings.Builder
	for _, a := range atoms {
		key.WriteString(strconv.Itoa(a))
		key.WriteByte('*')
	}
	m, ok := g.mono[key.String()]
	if !ok {
		m = len(g.monos)
		g.mono[key.String()] = m
		g.monos = append(g.monos, atoms)
	}
	return m
}

// key spells a sum.
func (s sum) key() string {
	out := make([]byte, 0, 8*len(s))
	for _, p := range s {
		out = strconv.AppendInt(out, int64(p.mono), 10)
		out = append(out, ':')
		out = strconv.AppendInt(out, p.n, 10)
		out = append(out, ' ')
	}
	return string(out)
}

func keys(ss []sum) string {
	var out strings.Builder
	for _, s := range ss {
		out.WriteString(s.key())
		out.WriteByte(',')
	}
	return out.String()
}

// of is the atom op(args), and whether it is new.
func (g *algebra) of(op string, args ...sum) (sum, bool) {
	key := op + "(" + keys(args)
	a, ok := g.number[key]
	if !ok {
		a = len(g.atoms)
		g.number[key] = a
		g.atoms = append(g.atoms, atom{op, args})
		if a > 1<<20 {
			panic(tooMuch{})
		}
	}
	return sum{{g.monoOf([]int{a}), 1}}, !ok
}

// know adds a fact about an atom that is a sum by itself.
func (g *algebra) know(s sum, f ...formula) {
	a := g.monos[s[0].mono][0]
	g.facts[a] = append(g.facts[a], f...)
}

// single returns the atom that a sum is, -1 for any other sum.
func (g *algebra) single(s sum) int {
	if len(s) == 1 && s[0].n == 1 && len(g.monos[s[0].mono]) == 1 {
		return g.monos[s[0].mono][0]
	}
	return -1
}

// with is a sum in which another one stands for an atom, in arguments of atoms, too.
func (g *algebra) with(s sum, atom int, by sum) sum {
	var out sum
	for _, p := range s {
		one := number64(1)
		for _, a := range g.monos[p.mono] {
			one = g.product(one, g.atomWith(a, atom, by))
		}
		out = out.plus(one, p.n)
	}
	return out
}

func (g *algebra) atomWith(a, atom int, by sum) sum {
	if a == atom {
		return by
	}
	at := g.atoms[a]
	changed := false
	args := make([]sum, len(at.args))
	for i, arg := range at.args {
		args[i] = g.with(arg, atom, by)
		changed = changed || !slices.Equal(arg, args[i])
	}
	if !changed {
		return sum{{g.monoOf([]int{a}), 1}}
	}
	out, _ := g.of(at.op, args...)
	return out
}

// oneOfTwo returns an atom in a sum, or in what atoms in it are made of, that is one of two sums; -1 without one.
func (g *algebra) oneOfTwo(s sum) int {
	for _, p := range s {
		for _, a := range g.monos[p.mono] {
			if _, ok := g.ways[a]; ok {
				return a
			}
			for _, arg := range g.atoms[a].args {
				if b := g.oneOfTwo(arg); b >= 0 {
					return b
				}
			}
		}
	}
	return -1
}

// holds reports whether an atom is in a sum, or in what atoms in it are made of.
func (g *algebra) holds(s sum, atom int) bool {
	for _, p := range s {
		for _, a := range g.monos[p.mono] {
			if a == atom || slices.ContainsFunc(g.atoms[a].args, func(arg sum) bool { return g.holds(arg, atom) }) {
				return true
			}
		}
	}
	return false
}
