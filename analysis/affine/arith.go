package affine

import (
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/operator"
	"github.com/smux-cuda/smux/model/hardware"
)

// binary computes x tok y for the expression e.
func (a *activation) binary(tok string, x, y value, e *ir.Expr) value {
	if x.isPtr || y.isPtr {
		return a.offset(tok, x, y)
	}
	if !x.known || !y.known {
		return a.half(tok, x, y, e)
	}
	f, g := x.form, y.form
	if len(f.Terms)+len(g.Terms) > maxTerms {
		return number(a.opaque(tok, f, g, -1))
	}
	n, constant := g.Constant()
	switch tok {
	case "+":
		return number(recompose(f.Add(g)))
	case "-":
		return number(f.Sub(g))
	case "*":
		return number(a.product(f, g))
	case "<<":
		if constant && n >= 0 && n < 32 {
			return number(f.Scale(1 << n))
		}
	case ">>":
		if constant && n >= 0 && n < 32 {
			return number(a.quotient(f, 1<<n))
		}
	case "/":
		if constant && n > 0 {
			return number(a.quotient(f, n))
		}
	case "%":
		if constant && n > 0 {
			return number(a.function("%", f, n, n-1))
		}
	case "&":
		if constant && n >= 0 {
			return number(a.function("&", f, n, n))
		}
		if m, ok := f.Constant(); ok && m >= 0 {
			return number(a.function("&", g, m, m))
		}
	case "|", "^":
		if constant {
			return number(a.function(tok, f, n, -1))
		}
	case "==", "!=", "<", ">", "<=", ">=", "&&", "||":
		return value{}
	}
	return number(a.opaque(tok, f, g, -1))
}

// half is an operation of which one operand is not known as a form: of use
// only where the result is bounded.
func (a *activation) half(tok string, x, y value, e *ir.Expr) value {
	bound := int64(-1)
	for _, v := range [2]value{x, y} {
		if n, ok := v.form.Constant(); v.known && ok && n > 0 {
			switch {
			case tok == "&":
				bound = n
			case tok == "%" && v.equal(y):
				bound = n - 1
			}
		}
	}
	if bound < 0 {
		return value{}
	}
	f := a.data(a.source(e), a.k.Uniformity(a.fn, e))
	f.Terms[0].Axis.Max = bound
	return number(f)
}

// offset is pointer arithmetic.
func (a *activation) offset(tok string, x, y value) value {
	if y.isPtr {
		x, y = y, x
		if tok == "-" {
			return value{}
		}
	}
	if y.isPtr || tok != "+" && tok != "-" {
		return value{}
	}
	if tok == "-" && y.known {
		y = number(y.form.Scale(-1))
	}
	if !y.known {
		y = number(a.data("offset", analysis.ThreadVarying))
	}
	x.whole = false
	return x.advance(y)
}

// product multiplies two forms. A product of two axes is a value of its own, and
// so is one of more terms or symbols than a form may have.
func (a *activation) product(f, g Form) Form {
	if len(f.Terms)*len(g.Terms) > maxTerms || f.widest()+g.widest() > maxSymbols {
		return a.opaque("*", f, g, -1)
	}
	var out Form
	out.Clamped = f.Clamped || g.Clamped
	for _, t := range f.Terms {
		for _, u := range g.Terms {
			p := Term{Coef: t.Coef * u.Coef, Symbols: multiply(t.Symbols, u.Symbols), Axis: t.Axis}
			switch {
			case t.Axis == nil:
				p.Axis = u.Axis
			case u.Axis != nil:
				p.Axis = a.opaque("*", along(t.Axis), along(u.Axis), -1).Terms[0].Axis
			}
			out = out.Add(Form{Terms: []Term{p}})
		}
	}
	return out
}

// widest is the number of symbols of the term that has most.
func (f Form) widest() int {
	n := 0
	for _, t := range f.Terms {
		n = max(n, len(t.Symbols))
	}
	return n
}

// multiply merges two products of symbols.
func multiply(x, y []*Symbol) []*Symbol {
	if len(x) == 0 {
		return y
	}
	if len(y) == 0 {
		return x
	}
	out := make([]*Symbol, 0, len(x)+len(y))
	for len(x) > 0 || len(y) > 0 {
		if len(y) == 0 || len(x) > 0 && x[0].id <= y[0].id {
			out, x = append(out, x[0]), x[1:]
		} else {
			out, y = append(out, y[0]), y[1:]
		}
	}
	return out
}

// quotient divides by a positive number.
func (a *activation) quotient(f Form, n int64) Form {
	if q, ok := f.Divide(n); ok {
		return q
	}
	bound := int64(-1)
	if m := maximum(f); m >= 0 {
		bound = m / n
	}
	return a.function("/", f, n, bound)
}

// maximum is the largest value of a form that is one bounded axis, else -1.
func maximum(f Form) int64 {
	if len(f.Terms) == 1 && f.Terms[0].Coef > 0 && len(f.Terms[0].Symbols) == 0 && f.Terms[0].Axis != nil {
		if x := f.Terms[0].Axis; x.Kind == AxisData && x.Max >= 0 {
			return f.Terms[0].Coef * x.Max
		}
	}
	return -1
}

// function is tok of a form and a number. Of threads alone it is known for
// every lane.
func (a *activation) function(tok string, f Form, n, bound int64) Form {
	if c, ok := f.Constant(); ok {
		if r, ok := operator.Apply(tok, c, n); ok {
			return Number(r)
		}
	}
	if lanes := a.lanes(f); lanes != nil {
		g := Number(n)
		key := operation{tok: tok, f: a.formNumber(f), g: a.formNumber(g)}
		if r, ok := a.results[key]; ok {
			return r
		}
		out := make([]int64, len(lanes))
		for i, v := range lanes {
			r, ok := operator.Apply(tok, v, n)
			if !ok {
				return a.opaque(tok, f, g, bound)
			}
			out[i] = r
		}
		return a.remember(key, along(a.newAxis(Axis{Kind: AxisLane, Name: operand(f) + " " + tok + " " + g.String(), Lanes: out})))
	}
	return a.opaque(tok, f, Number(n), bound)
}

// lanesPerStep is how many lanes are computed for the price of one step.
const lanesPerStep = 32

// lanes returns the form's value for each thread of the block, by linear
// number, or nil where it depends on anything else.
func (a *activation) lanes(f Form) []int64 {
	s := a.out.Shape
	n := s[0] * s[1] * s[2]
	if n <= 0 || n > hardware.MaxThreadsPerBlock || !a.charge(n/lanesPerStep) {
		return nil
	}
	for _, t := range f.Terms {
		if len(t.Symbols) > 0 || t.Axis != nil && t.Axis.Kind != AxisThread && t.Axis.Kind != AxisLane {
			return nil
		}
	}
	out := make([]int64, n)
	for i := range out {
		for _, t := range f.Terms {
			out[i] += t.Coef * t.Axis.lane(i, s)
		}
	}
	return out
}

// lane is the value of an axis of threads for one thread; 1 for no axis, and 0
// for one that is not a function of the thread.
func (x *Axis) lane(i int, s [3]int) int64 {
	switch {
	case x == nil:
		return 1
	case x.Kind == AxisLane:
		return x.Lanes[i]
	case x.Kind != AxisThread:
		return 0
	}
	switch x.Dim {
	case 0:
		return int64(i % s[0])
	case 1:
		return int64(i / s[0] % s[1])
	}
	return int64(i / (s[0] * s[1]))
}

// opaque is an operation whose result is not a sum: a symbol where the operands
// are uniform, else a value of its own, the same wherever it is computed from
// the same operands.
func (a *activation) opaque(tok string, f, g Form, bound int64) Form {
	key := operation{tok: tok, f: a.formNumber(f), g: a.formNumber(g)}
	if r, ok := a.results[key]; ok {
		return r
	}
	name := operand(f) + " " + tok + " " + operand(g)
	if strings.Contains(name, "…") {
		a.serial++
		name = unique(name, a.serial)
	}
	if f.Uniform() && g.Uniform() {
		return a.remember(key, a.newSymbol(name).form())
	}
	x := Axis{Kind: AxisData, Name: name, Level: max(f.Level(), g.Level()), Max: bound}
	if tok == "/" || tok == "%" {
		x.tok, x.of, x.by = tok, &f, &g
	}
	for _, l := range a.loops {
		if f.DependsOn(l) || g.DependsOn(l) {
			x.Loops = append(x.Loops, l)
		}
	}
	return a.remember(key, along(a.newAxis(x)))
}

// remember keeps the result of an operation.
func (w *terms) remember(key operation, r Form) Form {
	w.results[key] = r
	return r
}

// recompose turns n*(x / n) + x % n back into x: rows and columns that were
// taken out of a linear number, and put together again with an offset.
func recompose(f Form) Form {
	for _, rest := range f.Terms {
		if rest.Axis == nil || rest.Axis.tok != "%" || len(rest.Axis.by.Terms) != 1 || len(rest.Symbols)+rest.Axis.of.widest() > maxSymbols {
			continue
		}
		n := rest.Axis.by.Terms[0]
		want := Term{Coef: rest.Coef * n.Coef, Symbols: multiply(rest.Symbols, n.Symbols)}
		for _, whole := range f.Terms {
			x := whole.Axis
			if x == nil || x.tok != "/" || whole.Coef != want.Coef || !slices.Equal(whole.Symbols, want.Symbols) ||
				!x.of.Equal(*rest.Axis.of) || !x.by.Equal(*rest.Axis.by) {
				continue
			}
			out := f.Sub(Form{Terms: []Term{rest}}).Sub(Form{Terms: []Term{whole}})
			for _, t := range rest.Axis.of.Terms {
				out = out.Add(Form{Terms: []Term{{Coef: t.Coef * rest.Coef, Symbols: multiply(t.Symbols, rest.Symbols), Axis: t.Axis}}})
			}
			return recompose(out)
		}
	}
	return f
}
