package analysis

import (
	"math"
	"math/bits"
	"slices"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/polynomial"
)

// stays reports whether a variable of the host function has the value that it has at
// the launch where it is read now: in the launch itself, or in the initialiser of
// another variable that the launch uses. Between the two nothing may be assigned to it,
// and what is assigned in the scope of that other variable may be, in whatever way
// control goes there.
func (r *launchRange) stays(v *ir.Var) bool {
	within, from := r.at, r.at.Start
	if d := r.host.decl; d != nil {
		if d.Parent == nil {
			return len(v.Writes) == 0
		}
		within, from = d.Parent.Range, d.Range.Start
	}
	return !slices.ContainsFunc(v.Writes, func(w *ir.Expr) bool {
		return w.Range.Start >= from && within.Contains(w.Range)
	})
}

// dimensions are the components of a grid or block that an expression of the host
// function names, the rest being 1; ok is false where that isn't known.
func (f *frame) dimensions(e *ir.Expr) (out []form, ok bool) {
	var parts []*ir.Expr
	switch v := e.Var; {
	case e.Op == ir.OpIdent && v != nil && (v.Type.Base == "dim3" || v.Type.IsAuto()):
		return f.dim3Variable(v)
	case e.Op == ir.OpCall && e.Name == "dim3":
		parts = e.Args()
	case e.Op == ir.OpCast && e.Type.Base == "dim3", e.Op == ir.OpInitList:
		parts = e.Kids
	default:
		a, ok := f.symbolic(e)
		return []form{a}, ok
	}
	if len(parts) == 1 {
		return f.dimensions(parts[0])
	}
	for _, p := range parts {
		a, _ := f.symbolic(p)
		out = append(out, a)
	}
	return out, len(parts) <= 3
}

// dim3Variable are the components of a dim3 of the host function: what it begins with,
// and what is assigned to it or to one of them, each by a statement of the list that
// declares it, in front of the launch.
func (f *frame) dim3Variable(v *ir.Var) (out []form, ok bool) {
	if v.Kind != ir.VarLocal || v.Static || v.AddrTaken || v.Type.Ref || v.Type.Ptr > 0 || len(v.Dims) > 0 || f.busy[v] {
		return nil, false
	}
	ok = true
	if v.Init != nil {
		f.initialiser(v, func(init *ir.Expr) { out, ok = f.dimensions(init) })
	}
	f.busy[v] = true
	defer delete(f.busy, v)
	known := 0
	for _, s := range listOf(v) {
		w := s.Expr
		if s.Op != ir.StmtExpr || w.Op != ir.OpAssign || w.Tok != "=" || s.Range.Start > f.ev.launch.at.Start {
			continue
		}
		outer := f.decl
		f.decl = s
		switch t := w.Kids[0]; {
		case t.Op == ir.OpIdent && t.Var == v:
			out, ok = f.dimensions(w.Kids[1])
			known++
		case t.Op == ir.OpMember && t.Kids[0].Op == ir.OpIdent && t.Kids[0].Var == v:
			for len(out) < 3 {
				out = append(out, form{Polynomial: polynomial.Number(1), exact: true})
			}
			d := slices.Index([]string{"x", "y", "z"}, t.Name)
			if d < 0 {
				ok = false
				break
			}
			out = slices.Clone(out)
			out[d], _ = f.symbolic(w.Kids[1])
			known++
		}
		f.decl = outer
	}
	return out, ok && known == len(v.Writes)+partsWritten(f.fn, v)
}

// listOf is the list of statements that declares a variable.
func listOf(v *ir.Var) []*ir.Stmt {
	if v.Decl == nil || v.Decl.Parent == nil {
		return nil
	}
	return v.Decl.Parent.List
}

// wasSigned reports whether a form is of a signed number of 32 bits as an unsigned one.
// Where it is negative, it is larger than any extent.
func (a form) wasSigned() bool { return a.unsigned && a.below(-math.MinInt32) }

// quotient is of / by, rounded towards 0, or down.
type quotient struct {
	of, by polynomial.Polynomial
	down   bool
	symbol *polynomial.Symbol
	sure   bool // its facts hold
}

// divided is the form of a quotient or remainder, or of a shift or mask that is one.
func (r *launchRange) divided(tok string, a, b form) form {
	ev := r.host.ev
	if !a.exact || !b.exact {
		return lostForm
	}
	out := form{unsigned: a.unsigned || b.unsigned, exact: true, wide: a.wide || b.wide}
	by, down := b.Polynomial, false
	switch n, number := by.Constant(); {
	case tok == ">>" && number && n >= 0 && n <= 30:
		by, down = polynomial.Number(1<<n), true
		out.unsigned, out.wide = a.unsigned, a.wide
	case tok == "&" && number && n > 0 && bits.OnesCount64(uint64(n)+1) == 1:
		by, down = polynomial.Number(n+1), true
	case tok == ">>" || tok == "&":
		return lostForm
	}
	if out.unsigned && !(ev.nonNegative(a.Polynomial) && ev.nonNegative(b.Polynomial)) || !ev.nonNegative(by.Minus(polynomial.Number(1))) {
		return lostForm
	}
	out.Polynomial = r.quotient(a.Polynomial, by, down)
	if tok == "%" || tok == "&" {
		out.Polynomial = a.Minus(by.Times(out.Polynomial))
	}
	return out
}

// quotient is a number, or the symbol of a quotient: one for all that are of the same.
func (r *launchRange) quotient(of, by polynomial.Polynomial, down bool) polynomial.Polynomial {
	for _, q := range r.quotients {
		if q.down == down && q.of.Equal(of) && q.by.Equal(by) {
			return polynomial.Of(q.symbol)
		}
	}
	n, number := by.Constant()
	if most, known := of.Constant(); known && number && most >= 0 {
		return polynomial.Number(most / n)
	}
	q := &quotient{of: of, by: by, down: down, symbol: r.host.ev.symbol("quotient", polynomial.None, polynomial.None, symbolInfo{})}
	if most, bounded := of.Magnitude(); bounded && number {
		q.symbol.Min, q.symbol.Max = -(most+n-1)/n, most/n
	}
	if r.host.ev.nonNegative(of) {
		q.symbol.Min = 0
	}
	r.quotients = append(r.quotients, q)
	r.settle()
	return polynomial.Of(q.symbol)
}

// settle adds what is known of quotients:
//
//	by * (of / by)  <=  of  <=  by * (of / by) + by - 1
//
// That holds of those which are rounded down, and of others if they are positive or
// what is divided isn't negative.
func (r *launchRange) settle() {
	ev, one := r.host.ev, polynomial.Number(1)
	for again := true; again; {
		again = false
		for _, q := range r.quotients {
			s := polynomial.Of(q.symbol)
			if q.sure || !q.down && q.symbol.Min < 0 && !ev.nonNegative(s.Minus(one)) {
				continue
			}
			rest := q.of.Minus(q.by.Times(s))
			r.facts = append(r.facts, rest, q.by.Minus(one).Minus(rest))
			q.sure, again = true, true
			q.of.Symbols(func(x *polynomial.Symbol) {
				if x.Min < 0 && q.of.Equal(polynomial.Of(x)) && ev.nonNegative(q.of) {
					x.Min = 0
				}
			})
		}
	}
}

// launchCall is min or max of two numbers.
func (f *frame) launchCall(e *ir.Expr) form {
	args := e.Args()
	_, member := e.IsMemberCall()
	if len(args) != 2 || e.Name != "min" && e.Name != "max" || member || e.Qual != "" && e.Qual != "std" || len(f.ev.prog.unit(f.fn.File).byName[e.Name]) > 0 {
		return lostForm
	}
	a, _ := f.symbolic(args[0])
	b, _ := f.symbolic(args[1])
	return f.ev.launch.extreme(a, b, e.Name == "max")
}

// launchChoice is the smaller or the larger of two numbers, written as a choice.
func (f *frame) launchChoice(e *ir.Expr) form {
	c := e.Kids[0]
	if c.Op != ir.OpBinary || !slices.Contains([]string{"<", "<=", ">", ">="}, c.Tok) {
		return lostForm
	}
	var forms [4]form
	for i, x := range []*ir.Expr{c.Kids[0], c.Kids[1], e.Kids[1], e.Kids[2]} {
		forms[i], _ = f.symbolic(x)
	}
	larger := c.Tok[0] == '>'
	a, b := forms[0], forms[1]
	switch {
	case a.Equal(forms[2].Polynomial) && b.Equal(forms[3].Polynomial):
	case a.Equal(forms[3].Polynomial) && b.Equal(forms[2].Polynomial):
		larger = !larger
	default:
		return lostForm
	}
	return f.ev.launch.extreme(a, b, larger)
}

// extreme is the smaller or the larger of two numbers.
func (r *launchRange) extreme(a, b form, larger bool) form {
	ev := r.host.ev
	notA, notB := ev.nonNegative(a.Polynomial), ev.nonNegative(b.Polynomial)
	if !a.exact || !b.exact || a.unsigned != b.unsigned && !(notA && notB) {
		return lostForm
	}
	least := polynomial.None
	if notA && notB || larger && (notA || notB) {
		least = 0
	}
	s := polynomial.Of(ev.symbol("extreme", least, polynomial.None, symbolInfo{}))
	for _, x := range []form{a, b} {
		if above := x.Minus(s); larger {
			r.facts = append(r.facts, s.Minus(x.Polynomial))
		} else {
			r.facts = append(r.facts, above)
		}
	}
	return form{Polynomial: s, unsigned: a.unsigned || b.unsigned, exact: true, wide: a.wide || b.wide}
}

// namesWide reports whether anything in an expression has 64 bits.
func (f *frame) namesWide(e *ir.Expr) (wide bool) {
	e.Walk(func(x *ir.Expr) bool {
		switch x.Op {
		case ir.OpInt, ir.OpCast:
			wide = wide || integerTypes[x.Type.Base].bytes == 8
		case ir.OpSizeof:
			wide = true
		case ir.OpIdent:
			v := x.Var
			if v == nil {
				v = f.ev.prog.globalIn(f.fn, x.Name)
			}
			wide = wide || v != nil && (v.Type.IsAuto() || integerTypes[v.Type.Base].bytes == 8)
		}
		return !wide
	})
	return wide
}
