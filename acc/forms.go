package acc

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/acc/directive"
	"github.com/smux-cuda/smux/analysis/polynomial"
	"github.com/smux-cuda/smux/internal/lists"
	"github.com/smux-cuda/smux/parser"
)

// forms makes polynomials of subscripts and bounds. Variables of an iteration of a loop have a symbol for each of two iterations.
type forms struct {
	u       *unit
	within  *parser.Node // the loop whose iterations are told apart, nil for none
	symbols map[unknownInteger]*polynomial.Symbol
}

// unknownInteger is a variable in an iteration, or a macro whose value is hidden.
type unknownInteger struct {
	v         *variable
	macro     *parser.Macro
	iteration int
}

func newForms(u *unit, within *parser.Node) *forms {
	return &forms{u: u, within: within, symbols: map[unknownInteger]*polynomial.Symbol{}}
}

// symbol is that of a variable in an iteration, 0 or 1: one of its own where it differs between the two.
func (f *forms) symbol(v *variable, iteration int) *polynomial.Symbol {
	if !f.own(v) {
		iteration = 0
	}
	s := f.symbolOf(unknownInteger{v: v, iteration: iteration}, v.name)
	if v.isUnsigned() {
		s.Min = 0
	}
	return s
}

func (f *forms) symbolOf(of unknownInteger, name string) *polynomial.Symbol {
	if f.symbols[of] == nil {
		f.symbols[of] = &polynomial.Symbol{Name: name, Min: polynomial.None, Max: polynomial.None, Order: len(f.symbols)}
	}
	return f.symbols[of]
}

func (f *forms) own(v *variable) bool {
	return f.within != nil && (f.u.localTo(v, f.within) || f.u.assigned(f.within, v))
}

func (f *forms) of(n *parser.Node, iteration int) polynomial.Polynomial {
	return f.deep(n, iteration, 0)
}

const maxDefinitions = 6 // that are put in for variables, one in another

func (f *forms) deep(n *parser.Node, iteration, depth int) polynomial.Polynomial {
	return polynomialOf(f.u, n, func(n *parser.Node) polynomial.Polynomial {
		v := f.u.variableOf(n)
		if m, _ := f.u.isHidden(n); m != nil && n.Kind == parser.KindNumberLiteral {
			return polynomial.Of(f.symbolOf(unknownInteger{macro: m}, m.Name))
		}
		switch {
		case v == nil || !v.isInteger():
		case !f.own(v) || f.u.counterAt(v, n) != nil:
			return polynomial.Of(f.symbol(v, iteration))
		case v.isNarrow(): // it may have less than what it is given
		case depth < maxDefinitions:
			if d := f.definition(v, n); d != nil {
				return f.deep(d, iteration, depth+1)
			}
		}
		return polynomial.Lost()
	})
}

// countersAt are the loops that count around a place, from the innermost to the outermost of the function.
func (u *unit) countersAt(at *parser.Node) (out []*loop) {
	for p := at.Parent; p != nil; p = p.Parent {
		if p.Kind == parser.KindForStatement {
			if l, _ := u.counts(p); l != nil && within(at, l.body) {
				out = append(out, l)
			}
		}
	}
	return out
}

// counterAt is the loop around a place whose counter a variable is, nil for none.
func (u *unit) counterAt(v *variable, at *parser.Node) *loop {
	return lists.Find(u.countersAt(at), func(l *loop) bool { return l.counter == v })
}

// definition is the expression that a variable certainly has the value of at a place: by the only assignment in the loop, in a block around it.
func (f *forms) definition(v *variable, at *parser.Node) *parser.Node {
	var value, stmt *parser.Node
	for n := range f.within.All() {
		sets := n.Kind == parser.KindInitDeclarator || n.Kind == parser.KindAssignmentExpression
		if !sets && n.Kind != parser.KindUpdateExpression && n.Kind != parser.KindPointerExpression ||
			!f.u.names(cmp.Or(n.Child(parser.FieldLeft), n.Child(parser.FieldDeclarator), n.Child(parser.FieldArgument)), v) {
			continue
		}
		if stmt != nil || !sets || n.Kind == parser.KindAssignmentExpression && (f.u.op(n) != "=" || n.Parent.Kind != parser.KindExpressionStatement) {
			return nil
		}
		value, stmt = cmp.Or(n.Child(parser.FieldValue), n.Child(parser.FieldRight)), n.Parent
	}
	if value == nil || stmt.Start >= at.Start || !within(at, stmt.Parent) || stmt.Parent.Kind != parser.KindCompoundStatement && stmt.Parent.Kind != parser.KindForStatement {
		return nil
	}
	return value
}

// ends are the least and the largest value that a loop's counter may have in an iteration.
func (f *forms) ends(l *loop, iteration int) (first, last polynomial.Polynomial) {
	first, last = f.of(l.lower, iteration), f.of(l.upper, iteration)
	one := polynomial.Number(1)
	if l.inclusive {
		one = polynomial.Number(0)
	}
	if l.step < 0 {
		return last.Plus(one), first
	}
	return first, last.Minus(one)
}

// bounds returns the facts about counters of loops around a place.
func (f *forms) bounds(at *parser.Node, iteration int) (facts polynomial.Facts) {
	for _, l := range f.u.countersAt(at) {
		c := polynomial.Of(f.symbol(l.counter, iteration))
		first, last := f.ends(l, iteration)
		for _, k := range []polynomial.Polynomial{c.Minus(first), last.Minus(c)} {
			if !k.IsLost() {
				facts = append(polynomial.Facts{k}, facts...)
			}
		}
	}
	return facts
}

// How much of an array a region uses where no clause says it: loops that count run over it, and what
// comes to the first and the last element, whatever happens, shows that memory to be there.

// extent is the part of an array that a construct uses; false where its loops do not say it.
func (c *construct) extent(v *variable) (s directive.Section, ok bool) {
	f := newForms(c.u, c.stmt)
	var low, high polynomial.Polynomial
	var guard string
	var lengths []*parser.Node // ends of loops, as somebody wrote them
	reached, rest := map[string]bool{}, []access{}
	for _, a := range c.u.accessesOf(c.stmt) {
		if a.v != v {
			continue
		}
		if a.whole || len(a.subs) != len(v.derived) || a.subs[0] == nil {
			return s, false
		}
		loops, always := f.loopsAround(a.node, c.stmt)
		if !always {
			rest = append(rest, a)
			continue
		}
		from, to, when, ok := f.span(a.subs[0], loops)
		if !ok || len(reached) > 0 && when != guard {
			return s, false
		}
		reached[c.u.text(a.subs[0])], guard = true, when
		for _, l := range loops {
			if first, last := f.ends(l, 0); !f.steady(c, first) || !f.steady(c, last) {
				return s, false
			}
			lengths = append(lengths, l.upper)
		}
		if len(reached) == 1 {
			low, high = from, to
		}
		facts := f.runs(loops)
		lower, higher := facts.NonNegative(low.Minus(from)), facts.NonNegative(to.Minus(high))
		if !lower && !facts.NonNegative(from.Minus(low)) || !higher && !facts.NonNegative(high.Minus(to)) {
			return s, false
		}
		if lower {
			low = from
		}
		if higher {
			high = to
		}
	}
	if len(reached) == 0 || slices.ContainsFunc(rest, func(a access) bool { return !reached[c.u.text(a.subs[0])] }) || !f.steady(c, low) || !f.steady(c, high) {
		return s, false
	}
	length := high.Minus(low).Plus(polynomial.Number(1))
	s.Lower, s.Length = f.inC(low), f.inC(length)
	if i := slices.IndexFunc(lengths, func(n *parser.Node) bool { return f.of(n, 0).Equal(length) }); i >= 0 {
		s.Length = c.u.spelled(lengths[i])
	}
	if guard != "" {
		s.Length = fmt.Sprintf("%s ? %s : 0", guard, s.Length)
	}
	return s, s.Lower != "" && s.Length != ""
}

// loopsAround are the loops around a place of a region, the innermost first; always is set if each iteration comes to it.
func (f *forms) loopsAround(at, region *parser.Node) (loops []*loop, always bool) {
	for n := at; n != region.Parent; n = n.Parent {
		switch n.Kind {
		case parser.KindForStatement:
			l, _ := f.u.counts(n)
			if l == nil || l.step != 1 && l.step != -1 || !within(at, l.body) || continues(l.body) || f.u.leaps(l.body) {
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
			if op := f.u.op(n); (op == "&&" || op == "||") && !within(at, n.Child(parser.FieldLeft)) {
				return nil, false
			}
		}
	}
	return loops, !has(region, parser.KindGotoStatement)
}

// runs are the facts that hold where each of some loops has an iteration.
func (f *forms) runs(loops []*loop) polynomial.Facts {
	return lists.Map(loops, func(l *loop) polynomial.Polynomial { first, last := f.ends(l, 0); return last.Minus(first) })
}

// span is the least and the largest value of a subscript over some loops, and in C when they have iterations; "" for always.
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

// steady reports whether the host has what a polynomial stands on in front of a construct, which does not change it.
func (f *forms) steady(c *construct, p polynomial.Polynomial) bool {
	return !p.IsLost() && !p.Has(func(s *polynomial.Symbol) bool {
		for of, is := range f.symbols {
			if v := of.v; is == s && v != nil && of.iteration == 0 {
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
	product := strings.TrimPrefix(enclosed(factor)+" * "+s.Name, "1 * ")
	switch n, constant := rest.Constant(); {
	case !ok || factor == "" || more == "":
		return ""
	case constant && n == 0:
		return product
	case constant && n < 0:
		return fmt.Sprintf("%s - %d", product, -n)
	}
	return product + " + " + more
}
