package acc

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/acc/directive"
	"github.com/smux-cuda/smux/analysis/polynomial"
	"github.com/smux-cuda/smux/parser"
)

// How much of an array a region uses where no clause says it: loops that count run over it, and what
// comes to the first and the last element, whatever happens, shows that memory to be there.

// extent is the part of an array that a construct uses; false where its loops do not say it.
func (t *translation) extent(c *construct, v *variable) (s directive.Section, ok bool) {
	f := newForms(t.unit, nil)
	f.within = c.stmt
	var low, high polynomial.Polynomial
	var guard string
	var lengths []*parser.Node // ends of loops, as somebody wrote them
	reached, rest := map[string]bool{}, []access{}
	for _, a := range t.accessesOf(c.stmt) {
		if a.v != v {
			continue
		}
		if a.whole || len(a.subs) != len(v.derived) || a.subs[0] == nil {
			return s, false
		}
		loops, always := t.loopsAround(a.node, c.stmt)
		if !always {
			rest = append(rest, a)
			continue
		}
		from, to, when, ok := f.span(a.subs[0], loops)
		if !ok || len(reached) > 0 && when != guard {
			return s, false
		}
		reached[t.text(a.subs[0])], guard = true, when
		for _, l := range loops {
			if first, last := f.ends(l, 0); !f.steady(c, first) || !f.steady(c, last) {
				return s, false
			}
			lengths = append(lengths, l.upper)
		}
		if len(reached) == 1 {
			low, high = from, to
		}
		switch facts := f.runs(loops); {
		case facts.NonNegative(low.Minus(from)):
			low = from
		case !facts.NonNegative(from.Minus(low)):
			return s, false
		}
		switch facts := f.runs(loops); {
		case facts.NonNegative(to.Minus(high)):
			high = to
		case !facts.NonNegative(high.Minus(to)):
			return s, false
		}
	}
	if len(reached) == 0 || slices.ContainsFunc(rest, func(a access) bool { return !reached[t.text(a.subs[0])] }) || !f.steady(c, low) || !f.steady(c, high) {
		return s, false
	}
	length := high.Minus(low).Plus(polynomial.Number(1))
	s.Lower, s.Length = f.inC(low), f.inC(length)
	if i := slices.IndexFunc(lengths, func(n *parser.Node) bool { return f.of(n, 0).Equal(length) }); i >= 0 {
		s.Length = t.spelled(lengths[i])
	}
	if guard != "" {
		s.Length = fmt.Sprintf("%s ? %s : 0", guard, s.Length)
	}
	return s, s.Lower != "" && s.Length != ""
}

// loopsAround are the loops around a place of a region, the innermost first. always is set if each of their
// iterations comes to it.
func (t *translation) loopsAround(at, region *parser.Node) (loops []*loop, always bool) {
	for n := at; n != region.Parent; n = n.Parent {
		switch n.Kind {
		case parser.KindForStatement:
			l, _ := t.counts(n)
			if l == nil || l.step != 1 && l.step != -1 || !within(at, l.body) || continues(l.body) || t.leaps(l.body) {
				return nil, false
			}
			loops = append(loops, l)
		case parser.KindIfStatement, parser.KindWhileStatement, parser.KindSwitchStatement, parser.KindConditionalExpression:
			if !within(at, n.Child(parser.FieldCondition)) {
				return nil, false
			}
		case parser.KindDoStatement, parser.KindLabeledStatement:
			return nil, false
		case parser.KindBinaryExpression:
			if op := t.text(n.Child(parser.FieldOperator)); (op == "&&" || op == "||") && !within(at, n.Child(parser.FieldLeft)) {
				return nil, false
			}
		}
	}
	return loops, !has(region, parser.KindGotoStatement)
}

// runs are the facts that hold where each of some loops has an iteration.
func (f *forms) runs(loops []*loop) (facts polynomial.Facts) {
	for _, l := range loops {
		first, last := f.ends(l, 0)
		facts = append(facts, last.Minus(first))
	}
	return facts
}

// span is the least and the largest value of a subscript over some loops, and in C when they have iterations; ""
// for always.
func (f *forms) span(sub *parser.Node, loops []*loop) (low, high polynomial.Polynomial, when string, ok bool) {
	low = f.of(sub, 0)
	high = low
	facts := f.runs(loops)
	var guards []string
	for _, l := range loops {
		first, last := f.ends(l, 0)
		if first.IsLost() || last.IsLost() {
			return low, high, "", false
		}
		if n, constant := last.Minus(first).Constant(); !constant {
			guards = append(guards, fmt.Sprintf("%s %s %s", enclosed(f.u.spelled(l.lower)), l.comparison(), enclosed(f.u.spelled(l.upper))))
		} else if n < 0 {
			return low, high, "", false
		}
		for _, end := range []*polynomial.Polynomial{&low, &high} {
			coef, rest, linear := end.Linear(f.symbol(l.counter, 0))
			up, down := facts.NonNegative(coef), facts.NonNegative(polynomial.Number(0).Minus(coef))
			if !linear || !up && !down {
				return low, high, "", false
			}
			to := first
			if up == (end == &high) {
				to = last
			}
			*end = rest.Plus(coef.Times(to))
		}
	}
	return low, high, strings.Join(guards, " && "), !low.IsLost() && !high.IsLost()
}

// steady reports whether the host has what a polynomial stands on in front of a construct, and nothing in it changes
// that.
func (f *forms) steady(c *construct, p polynomial.Polynomial) bool {
	return !p.IsLost() && !p.Has(func(s *polynomial.Symbol) bool {
		for v, is := range f.symbols[0] {
			if is == s {
				return f.own(v) || c.moved[v] || v.path != "" || f.u.lookup(v.name, f.u.written(c.pragma.start)) != v
			}
		}
		return false // a macro
	})
}

// inC is a polynomial in C, "" where it has powers.
func (f *forms) inC(p polynomial.Polynomial) string {
	if n, ok := p.Constant(); ok {
		return fmt.Sprint(n)
	}
	var s *polynomial.Symbol
	p.Symbols(func(of *polynomial.Symbol) { s = cmp.Or(s, of) })
	coef, rest, ok := p.Linear(s)
	factor, more := f.inC(coef), f.inC(rest)
	switch n, constant := rest.Constant(); {
	case !ok || factor == "" || more == "":
		return ""
	case constant && n == 0:
		more = ""
	case constant && n < 0:
		more = fmt.Sprintf(" - %d", -n)
	default:
		more = " + " + more
	}
	if factor == "1" {
		return s.Name + more
	}
	return enclosed(factor) + " * " + s.Name + more
}
