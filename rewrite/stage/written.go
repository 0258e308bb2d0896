package stage

import (
	"slices"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/polynomial"
)

// A kernel may write an array and read others of its elements again and again:
//
//	for (k = 0; k < i; k++) sum -= a[j * n + k] * a[k * n + i];
//	a[j * n + i] = sum;                                          // j > i, j < n
//
// What is staged of it must be elements that no thread of the grid writes: the subscripts of each
// store and of each load that is staged differ for any two threads, in any iterations. That is so
// where one is always less than the other (k * n + i, since k < i < j), or where the difference is a
// multiple of some n and a remainder between 0 and n (j * n + k, since 0 < i - k < n).

// neverWritten reports whether no thread writes what loads of a pattern read, of an array that the
// kernel writes by stores to a[subscript] of its own body alone.
func (f *indexForms) neverWritten(a *stagedArray, stores []*stagedLoad) bool {
	if slices.ContainsFunc(a.axes, func(x stagedAxis) bool { return !x.cut && x.low != x.high }) {
		return false // what lies between is copied, too
	}
	for _, l := range a.loads {
		for _, s := range stores {
			if len(l.choices)+len(l.places) > 0 || l.args != nil || !f.areApart(l, s) {
				return false
			}
		}
	}
	return len(stores) > 0
}

// storesTo are the stores to an array where all that the kernel writes is those and memory that is
// elsewhere; ok is false where there is more, or a store's subscript has no form.
func (f *indexForms) storesTo(v *ir.Var) (out []*stagedLoad, ok bool) {
	if v.Type.Volatile || len(v.Writes) > 0 || v.AddrTaken {
		return nil, false
	}
	own := map[*ir.Expr]bool{}
	loops := f.countedLoops()
	ok = true
	for s := range f.k.Func.Body.All() {
		s.Exprs(func(top *ir.Expr) {
			visitUnder(top, nil, func(e *ir.Expr, under []condition) bool {
				if e.Op != ir.OpAssign && e.Op != ir.OpIncDec {
					return true
				}
				l := f.loadThrough(e.Kids[0])
				if l == nil || l.v != v {
					return true
				}
				l.stmt, l.conds = s, slices.Clone(under)
				if l.form = f.of(l.subscript); l.form.IsLost() || !f.surround(l, loops) {
					ok = false
				}
				own[e.Kids[0]] = true
				out = append(out, l)
				return true
			})
		})
	}
	return out, ok && writesElsewhereBut(f.k, v, own)
}

// areApart reports whether a load and a store never name one element.
func (f *indexForms) areApart(l, s *stagedLoad) bool {
	if !f.computedInInt(l.subscript) || !f.computedInInt(s.subscript) {
		return false
	}
	d := apartness{f: f, other: map[*polynomial.Symbol]*polynomial.Symbol{}, bounded: map[*polynomial.Symbol]*polynomial.Symbol{}}
	d.facts = append(f.factsOf(l), d.renamed(f.factsOf(s))...)
	difference := d.rename(s.form).Minus(l.form)
	difference = d.bound(difference)
	one, zero := polynomial.Number(1), polynomial.Number(0)
	less := func(p polynomial.Polynomial) bool { return d.facts.NonNegative(p.Minus(one)) } // than p, is 0
	if less(difference) || less(zero.Minus(difference)) {
		return true
	}
	for _, n := range d.bounded {
		_, rest, ok := difference.Linear(n)
		if ok && (less(rest) && less(polynomial.Of(n).Minus(rest)) || less(zero.Minus(rest)) && less(polynomial.Of(n).Plus(rest))) {
			return true
		}
	}
	return false
}

// apartness holds the facts about two accesses by two threads.
type apartness struct {
	f       *indexForms
	facts   polynomial.Facts
	other   map[*polynomial.Symbol]*polynomial.Symbol // of the second thread
	bounded map[*polynomial.Symbol]*polynomial.Symbol // of values that are known not to be negative
}

// rename has a polynomial be about another thread, of any block, in any iteration.
func (d *apartness) rename(p polynomial.Polynomial) polynomial.Polynomial {
	return d.replaced(p, func(s *polynomial.Symbol) *polynomial.Symbol {
		v := d.f.vars[s]
		same := v != nil && (v.Kind == ir.VarParam || v.Kind == ir.VarTemplateValue) || d.f.builds[s] != nil || len(s.Name) > 7 && s.Name[:7] == "gridDim"
		if same {
			return s
		}
		if d.other[s] == nil {
			t := *s
			t.Name, t.Order = s.Name+"'", 1000+s.Order
			d.other[s] = &t
		}
		return d.other[s]
	})
}

func (d *apartness) renamed(facts polynomial.Facts) (out polynomial.Facts) {
	for _, p := range facts {
		out = append(out, d.rename(p))
	}
	return out
}

// bound has symbols that the facts say to be positive have that for a bound, in a polynomial and in the facts.
func (d *apartness) bound(p polynomial.Polynomial) polynomial.Polynomial {
	p.Symbols(func(s *polynomial.Symbol) {
		if s.Min == polynomial.None && d.bounded[s] == nil && d.facts.NonNegative(polynomial.Of(s).Minus(polynomial.Number(1))) {
			t := *s
			t.Min, t.Order = 1, 2000+s.Order
			d.bounded[s] = &t
		}
	})
	by := func(s *polynomial.Symbol) *polynomial.Symbol {
		if t := d.bounded[s]; t != nil {
			return t
		}
		return s
	}
	for i, fact := range d.facts {
		d.facts[i] = d.replaced(fact, by)
	}
	return d.replaced(p, by)
}

// replaced has other symbols in the place of some; it is lost where one is squared.
func (d *apartness) replaced(p polynomial.Polynomial, by func(*polynomial.Symbol) *polynomial.Symbol) polynomial.Polynomial {
	var all []*polynomial.Symbol
	p.Symbols(func(s *polynomial.Symbol) {
		if by(s) != s && !slices.Contains(all, s) {
			all = append(all, s)
		}
	})
	for _, s := range all {
		coef, rest, ok := p.Linear(s)
		if !ok {
			return polynomial.Lost()
		}
		p = rest.Plus(coef.Times(polynomial.Of(by(s))))
	}
	return p
}

// factsOf returns the facts that follow from the conditions and loops around an access, and those of any thread.
func (f *indexForms) factsOf(l *stagedLoad) (facts polynomial.Facts) {
	for _, loop := range l.loops {
		if loop.rounds || loop.down || !isSignedType(loop.v.Type.Base) || !isSigned(loop.high) || !isSigned(loop.low) {
			continue
		}
		c, low, high := polynomial.Of(f.symbols[loop.v]), f.of(loop.low), f.of(loop.high)
		if !loop.inclusive {
			high = high.Minus(polynomial.Number(1))
		}
		facts = append(facts, c.Minus(low), high.Minus(c))
	}
	return append(facts, f.threadFacts(parted(l.conds))...)
}

// computedInInt reports whether a subscript is computed in int, with the numbers of threads through
// variables of type int: then it is the number that its form is.
func (f *indexForms) computedInInt(e *ir.Expr) bool {
	for d := range f.threads {
		if f.shape[d] > 1 && !f.signed(e, d) {
			return false
		}
	}
	return isSigned(e)
}
