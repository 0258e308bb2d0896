package acc

import (
	"cmp"

	"github.com/smux-cuda/smux/analysis/polynomial"
	"github.com/smux-cuda/smux/parser"
)

// forms makes polynomials of subscripts and bounds. Variables stand for themselves, but for
// those of one iteration of a loop, which have a symbol for each of two iterations.
type forms struct {
	u       *unit
	within  *parser.Node // the loop whose iterations are told apart, nil for none
	symbols [2]map[*variable]*polynomial.Symbol
	macros  map[*parser.Macro]*polynomial.Symbol
	order   int
}

func newForms(u *unit, l *loop) *forms {
	f := &forms{u: u, symbols: [2]map[*variable]*polynomial.Symbol{{}, {}}, macros: map[*parser.Macro]*polynomial.Symbol{}}
	if l != nil {
		f.within = l.node
	}
	return f
}

// symbol returns the symbol of a variable in an iteration, 0 or 1: one of its own where it differs
// between the two.
func (f *forms) symbol(v *variable, iteration int) *polynomial.Symbol {
	if !f.own(v) {
		iteration = 0
	}
	s := f.symbols[iteration][v]
	if s == nil {
		s = &polynomial.Symbol{Name: v.name, Min: polynomial.None, Max: polynomial.None, Order: f.order}
		if v.isUnsigned() {
			s.Min = 0
		}
		f.order++
		f.symbols[iteration][v] = s
	}
	return s
}

// ofMacro returns the symbol of a macro whose value is hidden.
func (f *forms) ofMacro(m *parser.Macro) *polynomial.Symbol {
	s := f.macros[m]
	if s == nil {
		s = &polynomial.Symbol{Name: m.Name, Min: polynomial.None, Max: polynomial.None, Order: f.order}
		f.order++
		f.macros[m] = s
	}
	return s
}

// own reports whether a variable differs between iterations of the loop.
func (f *forms) own(v *variable) bool {
	return f.within != nil && (f.u.localTo(v, f.within) || f.u.assigned(f.within, v))
}

// of is the polynomial of an expression in an iteration.
func (f *forms) of(n *parser.Node, iteration int) polynomial.Polynomial {
	return f.deep(n, iteration, 0)
}

const maxDefinitions = 6 // that are put in for variables, one in another

func (f *forms) deep(n *parser.Node, iteration, depth int) polynomial.Polynomial {
	lost := polynomial.Lost()
	if n == nil {
		return lost
	}
	if c, ok := f.u.constant(n); ok {
		return polynomial.Number(c)
	}
	switch n.Kind {
	case parser.KindNumberLiteral:
		if m, _ := f.u.isHidden(n); m != nil {
			return polynomial.Of(f.ofMacro(m))
		}
	case parser.KindParenthesizedExpression:
		return f.deep(n.FirstNamed(), iteration, depth)
	case parser.KindIdentifier:
		v := f.u.variableOf(n)
		switch {
		case v == nil || !v.isInteger():
			return lost
		case !f.own(v) || f.u.counterAt(v, n) != nil:
			return polynomial.Of(f.symbol(v, iteration))
		case v.isNarrow():
			return lost // it may have less than what it is given
		case depth < maxDefinitions:
			if d := f.definition(v, n); d != nil {
				return f.deep(d, iteration, depth+1)
			}
		}
		return lost
	case parser.KindUnaryExpression:
		p := f.deep(n.Child(parser.FieldArgument), iteration, depth)
		switch f.u.text(n.Child(parser.FieldOperator)) {
		case "-":
			return polynomial.Number(0).Minus(p)
		case "+":
			return p
		}
	case parser.KindBinaryExpression:
		a, b := f.deep(n.Child(parser.FieldLeft), iteration, depth), f.deep(n.Child(parser.FieldRight), iteration, depth)
		switch f.u.text(n.Child(parser.FieldOperator)) {
		case "+":
			return a.Plus(b)
		case "-":
			return a.Minus(b)
		case "*":
			return a.Times(b)
		}
	}
	return lost
}

// counterAt is the loop that counts around a place and whose counter a variable is.
func (u *unit) counterAt(v *variable, at *parser.Node) *loop {
	for p := at.Parent; p != nil; p = p.Parent {
		if p.Kind == parser.KindForStatement && within(at, p) {
			if l, _ := u.counts(p); l != nil && l.counter == v && within(at, l.body) {
				return l
			}
		}
	}
	return nil
}

// definition is the expression that a variable certainly has the value of at a place: of
// the only assignment to it in the loop, which stands before that place in a block around
// it, and of variables that nothing changes in between.
func (f *forms) definition(v *variable, at *parser.Node) *parser.Node {
	var value, stmt *parser.Node
	for n := range f.within.All() {
		sets := n.Kind == parser.KindInitDeclarator || n.Kind == parser.KindAssignmentExpression
		if !sets && n.Kind != parser.KindUpdateExpression && n.Kind != parser.KindPointerExpression ||
			!f.u.names(cmp.Or(n.Child(parser.FieldLeft), n.Child(parser.FieldDeclarator), n.Child(parser.FieldArgument)), v) {
			continue
		}
		if stmt != nil || !sets || n.Kind == parser.KindAssignmentExpression && (f.u.text(n.Child(parser.FieldOperator)) != "=" || n.Parent.Kind != parser.KindExpressionStatement) {
			return nil
		}
		value, stmt = cmp.Or(n.Child(parser.FieldValue), n.Child(parser.FieldRight)), n.Parent
	}
	if value == nil || stmt.Start >= at.Start || stmt.Parent == nil || !within(at, stmt.Parent) {
		return nil
	}
	if stmt.Parent.Kind != parser.KindCompoundStatement && stmt.Parent.Kind != parser.KindForStatement {
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

// bounds returns the facts about counters of loops around a place, from the innermost to
// the outermost of the function.
func (f *forms) bounds(at *parser.Node, iteration int) (facts polynomial.Facts) {
	for p := at.Parent; p != nil; p = p.Parent {
		if p.Kind != parser.KindForStatement {
			continue
		}
		l, _ := f.u.counts(p)
		if l == nil || !within(at, l.body) {
			continue
		}
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
