package evaluate

import (
	"maps"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/polynomial"
	"github.com/smux-cuda/smux/analysis/values"
)

// SymbolicCounter holds the facts about a loop's counter without enumerating it.
type SymbolicCounter struct {
	v      *ir.Var
	Symbol *polynomial.Symbol
	Start  Form // the initial value, lost if not known
	Step   Form // added in each iteration, lost where the head does something else
	down   bool // the head makes it smaller, or leaves it
	up     bool // the head makes it larger, or leaves it
	double bool // the head doubles it
	wraps  bool // going up it may leave its type
	mixed  bool // it is signed, and compared with something unsigned, or the other way round

	// Bounds that hold in the body: lost where there are none.
	low, high polynomial.Polynomial
	// Limit is the bound below which the loop goes on, where that is the loop's whole condition, else lost.
	Limit polynomial.Polynomial
}

// Counting makes symbols of the counters of a loop that is not enumerated;
// restore undoes it. Only the head changes them.
//
// The bounds are sound for these reasons. The condition holds where the body begins, and the body doesn't change what
// it compares: forms are of values that stay. A counter that goes up is at least what it began with unless it wraps
// around; signed arithmetic must not, and below a limit of 2^30 the steps that occur in practice can't reach the end
// of the type. Otherwise, as with int i; i += blockDim.x, wraps is set (see hulls).
func (f *Frame) Counting(s *ir.Stmt) (found []*SymbolicCounter, restore func()) {
	before := f.moving
	if s.Op != ir.StmtFor {
		return nil, func() {}
	}
	for _, c := range f.Counters(s) {
		t, _ := values.IntegerOf(c.V.Type.Base)
		if t.Bytes < 4 {
			continue
		}
		n := &SymbolicCounter{v: c.V, Start: lostForm, Step: lostForm, low: polynomial.Lost(), high: polynomial.Lost(), Limit: polynomial.Lost()}
		if a, ok := f.Symbolic(c.init); ok {
			if a = f.Ev.as(a, c.V.Type.Base); a.Exact {
				n.Start = a
			}
		}
		f.moves(n, c.Step, t.Unsigned)
		f.conditions(n, s.Cond, t.Unsigned, true)
		startBounds(n, t.Unsigned)
		found = append(found, n)
	}
	f.inits.forms = nil
	f.moving = map[*ir.Var]*polynomial.Symbol{}
	maps.Copy(f.moving, before)
	for _, n := range found {
		least := polynomial.None
		if values.IsUnsigned(n.v.Type.Base) || n.low.NonNegative() && !n.wraps {
			least = 0
		}
		info := symbolInfo{Kind: SymbolCounter, V: n.v, Loop: s, low: n.low, high: n.high, wraps: n.wraps}
		n.Symbol = f.Ev.symbol(n.v.Name, least, polynomial.None, info)
		f.moving[n.v] = n.Symbol
	}
	return found, func() { f.moving, f.inits.forms = before, nil }
}

// moves finds out in which direction the head moves a counter.
func (f *Frame) moves(n *SymbolicCounter, step *ir.Expr, unsigned bool) {
	tok, by := step.Tok, Form{Polynomial: polynomial.Number(1), Exact: true}
	switch {
	case step.Op == ir.OpIncDec:
		tok = step.Tok[:1] + "="
	case step.Tok == "=":
		e := step.Kids[1]
		if e.Op != ir.OpBinary || e.Kids[0].Op != ir.OpIdent || e.Kids[0].Var != n.v {
			return
		}
		tok = e.Tok + "="
		by, _ = f.Symbolic(e.Kids[1])
	default:
		by, _ = f.Symbolic(step.Kids[1])
	}
	if !by.Exact || by.IsLost() {
		return
	}
	switch tok {
	case "+=":
		n.Step, n.up = by, by.NonNegative()
		n.wraps = unsigned || by.Unsigned || by.wide
	case "-=":
		// Unsigned counters come round at 0: only single steps stop before it.
		n.down = by.NonNegative() && !unsigned && !by.Unsigned && !by.wide || by.Equal(polynomial.Number(1))
	case "*=", "<<=":
		two := polynomial.Number(2)
		if tok == "<<=" {
			two = polynomial.Number(1)
		}
		n.double = by.Equal(two) && n.Start.NonNegative()
		n.up, n.wraps = n.double, unsigned
	case "/=", ">>=":
		one := by.Minus(polynomial.Number(1)).NonNegative() || tok == ">>=" && by.NonNegative()
		n.down = one && n.Start.NonNegative()
	}
}

// conditions takes bounds from the operands of && in a condition; whole reports that e is all of it.
func (f *Frame) conditions(n *SymbolicCounter, e *ir.Expr, unsigned, whole bool) {
	if e.Op != ir.OpBinary {
		return
	}
	if e.Tok == "&&" || e.Tok == "and" {
		f.conditions(n, e.Kids[0], unsigned, false)
		f.conditions(n, e.Kids[1], unsigned, false)
		return
	}
	left, right, tok := e.Kids[0], e.Kids[1], e.Tok
	if right.Op == ir.OpIdent && right.Var == n.v {
		mirrored, ok := map[string]string{"<": ">", ">": "<", "<=": ">=", ">=": "<="}[tok]
		if !ok {
			return
		}
		left, right, tok = right, left, mirrored
	}
	if left.Op != ir.OpIdent || left.Var != n.v {
		return
	}
	to, ok := f.Symbolic(right)
	if !ok || !to.Exact {
		return
	}
	p := to.Polynomial
	switch tok {
	case "<", "<=":
		if tok == "<=" {
			p = p.Plus(polynomial.Number(1))
		}
		if whole {
			n.Limit, n.mixed = p, unsigned != to.Unsigned
		}
		// A negative limit is huge beside an unsigned counter.
		if unsigned && !to.Unsigned && !to.NonNegative() {
			return
		}
		if n.high.IsLost() {
			n.high = p.Minus(polynomial.Number(1))
		}
		if most, ok := p.Magnitude(); ok && most < 1<<30 && (n.double || n.Step.below(1<<30)) && n.Start.NonNegative() {
			n.wraps = false
		} else if !unsigned && to.Unsigned {
			n.wraps = true // a negative counter is huge, and may yet be below the limit
		}
	case ">", ">=":
		if unsigned != to.Unsigned && !to.NonNegative() || !unsigned && to.Unsigned {
			return
		}
		if tok == ">" {
			p = p.Plus(polynomial.Number(1))
		}
		if n.low.IsLost() {
			n.low = p
		}
	}
}

// startBounds adds the bounds that follow from where a counter starts.
func startBounds(n *SymbolicCounter, unsigned bool) {
	switch {
	case !n.low.IsLost(): // by the condition, in whatever way it got there
		n.wraps = false
	case n.up && !(unsigned && n.wraps):
		n.low = n.Start.Polynomial
	case unsigned:
		n.low, n.wraps = polynomial.Number(0), false
	}
	stops := !unsigned || n.low.Minus(polynomial.Number(1)).NonNegative() || !n.Step.IsLost()
	if n.down && n.high.IsLost() && stops {
		n.high = n.Start.Polynomial
	}
}

func (f *Frame) Extreme(p polynomial.Polynomial, up bool) polynomial.Polynomial {
	for range 12 {
		s := f.Innermost(p)
		if s == nil {
			return p
		}
		coef, rest, ok := p.Linear(s)
		if !ok {
			break
		}
		info := f.Ev.Symbols.Info[s]
		low, high := info.low, info.high
		if info.Kind == SymbolThread {
			low, high = polynomial.Number(0), f.Ev.ExtentOf(info.Dim).Minus(polynomial.Number(1))
		}
		if info.wraps {
			most, small := rest.Magnitude()
			if !coef.Equal(polynomial.Number(1)) || !small || most > 1<<30 || !rest.AtMost(polynomial.Number(0)) {
				break
			}
		}
		falls := coef.AtMost(polynomial.Number(0))
		if !falls && !coef.NonNegative() {
			break
		}
		if up != falls {
			low = high
		}
		p = coef.Times(low).Plus(rest)
	}
	return polynomial.Lost()
}

// Innermost is the symbol of p to be eliminated next: bounds of a counter may
// mention counters further out, and threads.
func (f *Frame) Innermost(p polynomial.Polynomial) *polynomial.Symbol {
	var found *polynomial.Symbol
	p.Symbols(func(s *polynomial.Symbol) {
		info := f.Ev.Symbols.Info[s]
		if info.Kind == SymbolFixed {
			return
		}
		if found == nil {
			found = s
			return
		}
		was := f.Ev.Symbols.Info[found]
		// Counters are bounded by what the others are, shares by threads.
		rank := map[symbolKind]int{SymbolThread: 0, symbolShare: 1, SymbolCounter: 2}
		if r, w := rank[info.Kind], rank[was.Kind]; r > w || r == w && r > 0 && s.Order > found.Order {
			found = s
		}
	})
	return found
}
