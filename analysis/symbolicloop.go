package analysis

import (
	"maps"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/polynomial"
)

// symbolicCounter holds the facts about a loop's counter without enumerating it.
type symbolicCounter struct {
	v      *ir.Var
	symbol *polynomial.Symbol
	start  form // the initial value, lost if not known
	step   form // added in each iteration, lost where the head does something else
	down   bool // the head makes it smaller, or leaves it
	up     bool // the head makes it larger, or leaves it
	double bool // the head doubles it
	wraps  bool // going up it may leave its type
	mixed  bool // it is signed, and compared with something unsigned, or the other way round

	// Bounds that hold in the body: lost where there are none.
	low, high polynomial.Polynomial
	// limit is the bound below which the loop goes on, where that is the loop's
	// whole condition, else lost.
	limit polynomial.Polynomial
}

// counting makes symbols of the counters of a loop that is not enumerated;
// restore undoes it. Only the head changes them.
//
// The bounds are sound for these reasons. The condition holds where the body
// begins, and the body doesn't change what it compares: forms are of values
// that stay. A counter that goes up is at least what it began with unless it
// wraps around; signed arithmetic must not, and below a limit of 2^30 the steps
// that occur in practice can't reach the end of the type. Otherwise, as with
// int i; i += blockDim.x, wraps is set (see hulls).
func (f *frame) counting(s *ir.Stmt) (found []*symbolicCounter, restore func()) {
	before := f.moving
	if s.Op != ir.StmtFor {
		return nil, func() {}
	}
	for _, c := range f.counters(s) {
		t, _ := integerOf(c.v.Type.Base)
		if t.bytes < 4 {
			continue
		}
		n := &symbolicCounter{v: c.v, start: lostForm, step: lostForm, low: polynomial.Lost(), high: polynomial.Lost(), limit: polynomial.Lost()}
		if a, ok := f.symbolic(c.init); ok {
			if a = f.ev.as(a, c.v.Type.Base); a.exact {
				n.start = a
			}
		}
		f.moves(n, c.step, t.unsigned)
		f.conditions(n, s.Cond, t.unsigned, true)
		startBounds(n, t.unsigned)
		found = append(found, n)
	}
	f.inits.forms = nil
	f.moving = map[*ir.Var]*polynomial.Symbol{}
	maps.Copy(f.moving, before)
	for _, n := range found {
		least := polynomial.None
		if isUnsigned(n.v.Type.Base) || n.low.NonNegative() && !n.wraps {
			least = 0
		}
		info := symbolInfo{kind: symbolCounter, v: n.v, loop: s, low: n.low, high: n.high, wraps: n.wraps}
		n.symbol = f.ev.symbol(n.v.Name, least, polynomial.None, info)
		f.moving[n.v] = n.symbol
	}
	return found, func() { f.moving, f.inits.forms = before, nil }
}

// moves finds out in which direction the head moves a counter.
func (f *frame) moves(n *symbolicCounter, step *ir.Expr, unsigned bool) {
	tok, by := step.Tok, form{Polynomial: polynomial.Number(1), exact: true}
	switch {
	case step.Op == ir.OpIncDec:
		tok = step.Tok[:1] + "="
	case step.Tok == "=":
		e := step.Kids[1]
		if e.Op != ir.OpBinary || e.Kids[0].Op != ir.OpIdent || e.Kids[0].Var != n.v {
			return
		}
		tok = e.Tok + "="
		by, _ = f.symbolic(e.Kids[1])
	default:
		by, _ = f.symbolic(step.Kids[1])
	}
	if !by.exact || by.IsLost() {
		return
	}
	switch tok {
	case "+=":
		n.step, n.up = by, by.NonNegative()
		n.wraps = unsigned || by.unsigned || by.wide
	case "-=":
		// Unsigned counters come round at 0: only single steps stop before it.
		n.down = by.NonNegative() && !unsigned && !by.unsigned && !by.wide || by.Equal(polynomial.Number(1))
	case "*=", "<<=":
		two := polynomial.Number(2)
		if tok == "<<=" {
			two = polynomial.Number(1)
		}
		n.double = by.Equal(two) && n.start.NonNegative()
		n.up, n.wraps = n.double, unsigned
	case "/=", ">>=":
		one := by.Minus(polynomial.Number(1)).NonNegative() || tok == ">>=" && by.NonNegative()
		n.down = one && n.start.NonNegative()
	}
}

// conditions takes bounds from the operands of && in a condition; whole reports
// that e is all of it.
func (f *frame) conditions(n *symbolicCounter, e *ir.Expr, unsigned, whole bool) {
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
	to, ok := f.symbolic(right)
	if !ok || !to.exact {
		return
	}
	p := to.Polynomial
	switch tok {
	case "<", "<=":
		if tok == "<=" {
			p = p.Plus(polynomial.Number(1))
		}
		if whole {
			n.limit, n.mixed = p, unsigned != to.unsigned
		}
		// A negative limit is huge beside an unsigned counter.
		if unsigned && !to.unsigned && !to.NonNegative() {
			return
		}
		if n.high.IsLost() {
			n.high = p.Minus(polynomial.Number(1))
		}
		if most, ok := p.Magnitude(); ok && most < 1<<30 && (n.double || n.step.below(1<<30)) && n.start.NonNegative() {
			n.wraps = false
		} else if !unsigned && to.unsigned {
			n.wraps = true // a negative counter is huge, and may yet be below the limit
		}
	case ">", ">=":
		if unsigned != to.unsigned && !to.NonNegative() || !unsigned && to.unsigned {
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
func startBounds(n *symbolicCounter, unsigned bool) {
	switch {
	case !n.low.IsLost(): // by the condition, in whatever way it got there
		n.wraps = false
	case n.up && !(unsigned && n.wraps):
		n.low = n.start.Polynomial
	case unsigned:
		n.low, n.wraps = polynomial.Number(0), false
	}
	stops := !unsigned || n.low.Minus(polynomial.Number(1)).NonNegative() || !n.step.IsLost()
	if n.down && n.high.IsLost() && stops {
		n.high = n.start.Polynomial
	}
}

// hulls returns intervals that each hold a polynomial, with no counters and no
// threads in their bounds: over all threads of the block that come here, and all
// iterations of the loops under way.
//
// A counter that may wrap around counts from below then: if it stands alone,
// with nothing positive added to it, negative numbers are not subscripts, and
// what it was before is within the bounds.
func (x *execution) hulls(p polynomial.Polynomial) (out []interval) {
	highs := x.bounds(p, true)
	for _, low := range x.bounds(p, false) {
		for _, high := range highs {
			out = append(out, interval{low, high.Plus(polynomial.Number(1))})
		}
	}
	return out[:min(len(out), maxHolding)]
}

func (f *frame) extreme(p polynomial.Polynomial, up bool) polynomial.Polynomial {
	for range 12 {
		s := f.innermost(p)
		if s == nil {
			return p
		}
		coef, rest, ok := p.Linear(s)
		if !ok {
			break
		}
		info := f.ev.symbols.info[s]
		low, high := info.low, info.high
		if info.kind == symbolThread {
			low, high = polynomial.Number(0), f.ev.extentOf(info.dim).Minus(polynomial.Number(1))
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

// innermost is the symbol of p to be eliminated next: bounds of a counter may
// mention counters further out, and threads.
func (f *frame) innermost(p polynomial.Polynomial) *polynomial.Symbol {
	var found *polynomial.Symbol
	p.Symbols(func(s *polynomial.Symbol) {
		info := f.ev.symbols.info[s]
		if info.kind == symbolFixed {
			return
		}
		if found == nil {
			found = s
			return
		}
		was := f.ev.symbols.info[found]
		// Counters are bounded by what the others are, shares by threads.
		rank := map[symbolKind]int{symbolThread: 0, symbolShare: 1, symbolCounter: 2}
		if r, w := rank[info.kind], rank[was.kind]; r > w || r == w && r > 0 && s.Order > found.Order {
			found = s
		}
	})
	return found
}
