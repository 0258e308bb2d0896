package acc

import (
	"fmt"
	"slices"

	"github.com/smux-cuda/smux/analysis/polynomial"
	"github.com/smux-cuda/smux/internal/lists"
	"github.com/smux-cuda/smux/parser"
)

// relation says of two accesses whether they meet in two different iterations of a loop.
type relation uint8

const (
	apart   relation = iota // never
	unknown                 // the subscripts, or what is around them, can't be read
	meet                    // the subscripts can be read, and nothing keeps them apart
)

type meeting struct {
	relation
	a, b access
}

// meetings looks at all pairs of accesses of which one writes, in a loop's body, to arrays that not each iteration has for itself.
func (u *unit) meetings(l *loop, private func(*variable) bool) (worst meeting) {
	all := lists.Filter(u.accessesOf(l.body), func(a access) bool { return !a.v.isScalar() && !u.localTo(a.v, l.body) && !private(a.v) })
	f := newForms(u, l.node)
	for i, a := range all {
		for _, b := range all[:i+1] {
			if a.v != b.v || !a.write && !b.write || u.isAtomic(a.node) && u.isAtomic(b.node) {
				continue
			}
			if r := f.relate(l, a, b); r > worst.relation {
				worst = meeting{r, b, a}
			}
		}
	}
	return worst
}

func (u *unit) why(m meeting) string {
	verb := func(a access) string {
		if a.write {
			return "writes"
		}
		return "reads"
	}
	a, b := u.spelled(m.a.node), u.spelled(m.b.node)
	if m.relation == unknown {
		return fmt.Sprintf("can't tell which element of %s an iteration %s", m.a.v.name, verb(m.a))
	}
	if m.a.node == m.b.node || a == b {
		return fmt.Sprintf("iterations may write the same element %s", a)
	}
	return fmt.Sprintf("an iteration %s %s, which another one %s as %s", verb(m.a), a, verb(m.b), b)
}

func (f *forms) relate(l *loop, a, b access) relation {
	if a.whole || b.whole || len(a.subs) != len(b.subs) {
		return unknown
	}
	var pairs [][2]polynomial.Polynomial
	readable := true
	for i := range a.subs {
		p := [2]polynomial.Polynomial{f.of(a.subs[i], 0), f.of(b.subs[i], 1)}
		if p[0].IsLost() || p[1].IsLost() {
			readable = false
			continue
		}
		readable = readable && f.plain(p[0]) && f.plain(p[1])
		pairs = append(pairs, p)
	}
	facts := append(f.bounds(a.node, 0), f.bounds(b.node, 1)...)
	var split [][2]polynomial.Polynomial
	for _, p := range pairs {
		split = append(split, f.split(p, facts)...)
	}
	c := [2]polynomial.Polynomial{polynomial.Of(f.symbol(l.counter, 0)), polynomial.Of(f.symbol(l.counter, 1))}
	step := polynomial.Number(max(l.step, -l.step))
	for turn := range 2 {
		order := c[1-turn].Minus(c[turn]).Minus(step)
		if !differ(split, append(slices.Clone(facts), order)) {
			if readable {
				return meet
			}
			return unknown
		}
	}
	return apart
}

func differ(pairs [][2]polynomial.Polynomial, facts polynomial.Facts) bool {
	one := polynomial.Number(1)
	return slices.ContainsFunc(pairs, func(p [2]polynomial.Polynomial) bool {
		return facts.NonNegative(p[0].Minus(p[1]).Minus(one)) || facts.NonNegative(p[1].Minus(p[0]).Minus(one))
	})
}

// factor is the constant by which a symbol stands in a polynomial; false where it is none.
func factor(p polynomial.Polynomial, s *polynomial.Symbol) (c int64, constant bool) {
	coef, _, linear := p.Linear(s)
	c, constant = coef.Constant()
	return c, linear && constant
}

// plain reports whether all symbols stand in a polynomial by constant factors: what products are, nothing tells.
func (f *forms) plain(p polynomial.Polynomial) bool {
	return !p.Has(func(s *polynomial.Symbol) bool { _, constant := factor(p, s); return !constant })
}

// split takes a subscript that stands for several dimensions apart: row * length + column with a column from 0 to
// length - 1 is a pair (row, column), and two are equal only if both are.
func (f *forms) split(p [2]polynomial.Polynomial, facts polynomial.Facts) [][2]polynomial.Polynomial {
	var lengths []*polynomial.Symbol
	p[0].Symbols(func(s *polynomial.Symbol) {
		if _, constant := factor(p[0], s); !constant {
			lengths = append(lengths, s)
		}
	})
	fits := func(column, length polynomial.Polynomial) bool {
		return facts.NonNegative(column) && facts.NonNegative(length.Minus(column).Minus(polynomial.Number(1)))
	}
	var rows, columns [2]polynomial.Polynomial
	for _, s := range lengths {
		ok := true
		for i := range p {
			var linear bool
			rows[i], columns[i], linear = p[i].Linear(s)
			ok = ok && linear && fits(columns[i], polynomial.Of(s))
		}
		if ok {
			return [][2]polynomial.Polynomial{rows, columns}
		}
	}
	if length := max(largest(p[0]), largest(p[1])); length > 1 {
		for i := range p {
			rows[i], columns[i] = multiples(p[i], length)
		}
		if fits(columns[0], polynomial.Number(length)) && fits(columns[1], polynomial.Number(length)) {
			return [][2]polynomial.Polynomial{rows, columns}
		}
	}
	return [][2]polynomial.Polynomial{p}
}

func largest(p polynomial.Polynomial) (most int64) {
	p.Symbols(func(s *polynomial.Symbol) {
		if c, ok := factor(p, s); ok {
			most = max(most, c, -c)
		}
	})
	return most
}

// multiples parts p into length times the first result, and the rest.
func multiples(p polynomial.Polynomial, length int64) (quotient, rest polynomial.Polynomial) {
	p.Symbols(func(s *polynomial.Symbol) {
		if c, ok := factor(p, s); ok && c%length == 0 {
			quotient = quotient.Plus(polynomial.Of(s).Times(polynomial.Number(c / length)))
		}
	})
	n, _ := p.Number()
	q := n / length
	if n < 0 && n%length != 0 {
		q--
	}
	quotient = quotient.Plus(polynomial.Number(q))
	return quotient, p.Minus(quotient.Times(polynomial.Number(length)))
}

// carried is a scalar that a loop's body may read before it writes it, and so hands on to the next iteration; nil for none.
func (u *unit) carried(l *loop, own func(*variable) bool) *variable {
	return lists.Find(u.variablesIn(l.body), func(v *variable) bool {
		return v != l.counter && v.isScalar() && !own(v) && u.assigned(l.body, v) && u.useOf(l.body, v).reads
	})
}

// changes are the scalars from around a statement that it may change.
func (u *unit) changes(n *parser.Node) []*variable {
	return slices.DeleteFunc(u.variablesIn(n), func(v *variable) bool { return !v.isScalar() || !u.assigned(n, v) })
}
