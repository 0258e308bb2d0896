package linear

import (
	"slices"
	"strconv"
	"strings"
)

// Algebra computes with numbers that are not known: sums of products of atoms. An atom is a number of which nothing
// is known but what made it (a parameter, an element of an array, a quotient) and facts about it. Two sums that are
// spelled alike are equal.
type Algebra struct {
	Atoms    []Atom
	number   map[string]int    // atoms by their spelling
	Monos    [][]int           // products: sorted atoms; the first is the empty product, 1
	mono     map[string]int    // products by their spelling
	times    map[[2]int]int    // products of products
	Facts    map[int][]Formula // of atoms
	Ways     map[int]Way       // of atoms that are one of two sums
	Unsigned map[int]bool      // atoms of 32 bits without a sign
	Signed   map[int]bool      // atoms that are ints as unsigned numbers
	Wide     map[int]bool      // of atoms, whether they may take more than 32 bits; of others those that they are made of say it
	steps    int               // of all proofs
	budget   int               // left for the proof that is tried
}

// Atom is an operation on sums of which nothing is known but that it gives one number for the same operands.
type Atom struct {
	Op   string
	Args []Sum
}

// Way is a where c is so, and b elsewhere.
type Way struct {
	C    Formula
	A, B Sum
}

// Sum is a sum of products, each with a number before it, in the order of the products.
type Sum []Part

// Part is a product with the number before it.
type Part struct {
	Mono int // the index of the product in Algebra.Monos
	N    int64
}

// TooMuch stops a computation that would take too long, or needs numbers that are too large.
type TooMuch struct{}

// Within runs a computation, and reports whether it was not too much.
func Within(f func()) (ok bool) {
	defer func() {
		if v := recover(); v == (TooMuch{}) {
			ok = false
		} else if v != nil {
			panic(v)
		}
	}()
	f()
	return true
}

// New returns an algebra without atoms.
func New() *Algebra {
	return &Algebra{number: map[string]int{}, Monos: [][]int{nil}, mono: map[string]int{"": 0}, times: map[[2]int]int{}, Facts: map[int][]Formula{}, Ways: map[int]Way{}, Signed: map[int]bool{}, Wide: map[int]bool{}, Unsigned: map[int]bool{}}
}

// Number is a sum that is a number.
func Number(n int64) Sum {
	if n == 0 {
		return nil
	}
	return Sum{{0, n}}
}

// Constant returns the number that a sum is.
func (s Sum) Constant() (int64, bool) {
	switch {
	case len(s) == 0:
		return 0, true
	case len(s) == 1 && s[0].Mono == 0:
		return s[0].N, true
	}
	return 0, false
}

// Rest is a sum without the number in it.
func (s Sum) Rest() Sum {
	if len(s) > 0 && s[0].Mono == 0 {
		return s[1:]
	}
	return s
}

// Small returns a number that sums may hold, and panics with TooMuch for a larger one.
func Small(n int64) int64 {
	if n > 1<<50 || n < -(1<<50) {
		panic(TooMuch{})
	}
	return n
}

// Plus is s + n·t.
func (s Sum) Plus(t Sum, n int64) Sum {
	if n == 0 || len(t) == 0 {
		return s
	}
	out := make(Sum, 0, len(s)+len(t))
	i := 0
	for _, p := range t {
		for i < len(s) && s[i].Mono < p.Mono {
			out = append(out, s[i])
			i++
		}
		q := Part{p.Mono, Small(p.N) * n}
		if i < len(s) && s[i].Mono == p.Mono {
			q.N += s[i].N
			i++
		}
		if Small(q.N) != 0 {
			out = append(out, q)
		}
	}
	return append(out, s[i:]...)
}

// Shifted is s + n.
func (s Sum) Shifted(n int64) Sum { return s.Plus(Number(1), n) }

// Times is n·s.
func (s Sum) Times(n int64) Sum { return Sum(nil).Plus(s, n) }

// Product is s·t.
func (g *Algebra) Product(s, t Sum) Sum {
	if len(s)*len(t) > 400 {
		panic(TooMuch{})
	}
	var out Sum
	for _, p := range s {
		var row Sum
		for _, q := range t {
			row = append(row, Part{g.productOf(p.Mono, q.Mono), q.N})
		}
		slices.SortFunc(row, func(a, b Part) int { return a.Mono - b.Mono })
		out = out.Plus(row, p.N)
	}
	return out
}

func (g *Algebra) productOf(a, b int) int {
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
	all := append(slices.Clone(g.Monos[a]), g.Monos[b]...)
	slices.Sort(all)
	m := g.monoOf(all)
	g.times[key] = m
	return m
}

func (g *Algebra) monoOf(atoms []int) int {
	var key strings.Builder
	for _, a := range atoms {
		key.WriteString(strconv.Itoa(a))
		key.WriteByte('*')
	}
	m, ok := g.mono[key.String()]
	if !ok {
		m = len(g.Monos)
		g.mono[key.String()] = m
		g.Monos = append(g.Monos, atoms)
	}
	return m
}

// Key spells a sum.
func (s Sum) Key() string {
	out := make([]byte, 0, 8*len(s))
	for _, p := range s {
		out = strconv.AppendInt(out, int64(p.Mono), 10)
		out = append(out, ':')
		out = strconv.AppendInt(out, p.N, 10)
		out = append(out, ' ')
	}
	return string(out)
}

// Keys spells several sums.
func Keys(ss []Sum) string {
	var out strings.Builder
	for _, s := range ss {
		out.WriteString(s.Key())
		out.WriteByte(',')
	}
	return out.String()
}

// Of is the atom op(args), and whether it is new. Whoever makes one says what is known of it (Know).
func (g *Algebra) Of(op string, args ...Sum) (Sum, bool) {
	key := op + "(" + Keys(args)
	a, ok := g.number[key]
	if !ok {
		a = len(g.Atoms)
		g.number[key] = a
		g.Atoms = append(g.Atoms, Atom{op, args})
		if a > 1<<20 {
			panic(TooMuch{})
		}
	}
	return g.Atom(a), !ok
}

// Atom is the sum that is one atom.
func (g *Algebra) Atom(a int) Sum { return Sum{{g.monoOf([]int{a}), 1}} }

// Know adds a fact about an atom that is a sum by itself.
func (g *Algebra) Know(s Sum, f ...Formula) {
	a := g.Monos[s[0].Mono][0]
	g.Facts[a] = append(g.Facts[a], f...)
}

// Single returns the atom that a sum is, -1 for any other sum.
func (g *Algebra) Single(s Sum) int {
	if len(s) == 1 && s[0].N == 1 && len(g.Monos[s[0].Mono]) == 1 {
		return g.Monos[s[0].Mono][0]
	}
	return -1
}

// MayBeWide reports whether an atom may take more than 32 bits.
func (g *Algebra) MayBeWide(a int) bool {
	wide, known := g.Wide[a]
	return wide || !known && slices.ContainsFunc(g.Atoms[a].Args, func(s Sum) bool {
		return slices.ContainsFunc(s, func(p Part) bool { return slices.ContainsFunc(g.Monos[p.Mono], g.MayBeWide) })
	})
}

// With is a sum in which another one stands for an atom, in arguments of atoms, too.
func (g *Algebra) With(s Sum, atom int, by Sum) Sum {
	var out Sum
	for _, p := range s {
		one := Number(1)
		for _, a := range g.Monos[p.Mono] {
			one = g.Product(one, g.atomWith(a, atom, by))
		}
		out = out.Plus(one, p.N)
	}
	return out
}

func (g *Algebra) atomWith(a, atom int, by Sum) Sum {
	if a == atom {
		return by
	}
	at := g.Atoms[a]
	changed := false
	args := make([]Sum, len(at.Args))
	for i, arg := range at.Args {
		args[i] = g.With(arg, atom, by)
		changed = changed || !slices.Equal(arg, args[i])
	}
	if !changed {
		return g.Atom(a)
	}
	out, _ := g.Of(at.Op, args...)
	return out
}

// OneOfTwo returns an atom in a sum, or in what atoms in it are made of, that is one of two sums; -1 without one.
func (g *Algebra) OneOfTwo(s Sum) int {
	for _, p := range s {
		for _, a := range g.Monos[p.Mono] {
			if _, ok := g.Ways[a]; ok {
				return a
			}
			for _, arg := range g.Atoms[a].Args {
				if b := g.OneOfTwo(arg); b >= 0 {
					return b
				}
			}
		}
	}
	return -1
}

// Holds reports whether an atom is in a sum, or in what atoms in it are made of.
func (g *Algebra) Holds(s Sum, atom int) bool {
	for _, p := range s {
		for _, a := range g.Monos[p.Mono] {
			if a == atom || slices.ContainsFunc(g.Atoms[a].Args, func(arg Sum) bool { return g.Holds(arg, atom) }) {
				return true
			}
		}
	}
	return false
}
