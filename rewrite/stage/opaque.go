package stage

import (
	"maps"
	"slices"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/polynomial"
	"github.com/smux-cuda/smux/internal/lists"
)

// A subscript that is clamped, mirrored or wrapped around in a loop over neighbours:
//
//	for (int k = -2; k <= 2; k++)
//	    s += a[min(max(x + k, 0), n - 1)];
//
// The tile has the place x + k for each thread and iteration, whatever is read there: the copy evaluates the
// subscript's own text for the place. That is right where everything in the text is a function of the place, and
// nothing is evaluated that no thread evaluates. So such a load is a pattern of its own.

// inForce runs what asks for forms with those that a load takes for its selections.
func (f *indexForms) inForce(l *stagedLoad, do func()) {
	before := f.chosen
	f.chosen = l.chosen
	do()
	f.chosen = before
}

// opaque gives a load a form whose subscript has selections and remainders that are functions of
// one place; false where it has others.
func (f *indexForms) opaque(l *stagedLoad) bool {
	before := f.chosen
	defer func() { f.chosen = before }()
	f.chosen = map[*ir.Expr]polynomial.Polynomial{}
	maps.Copy(f.chosen, l.chosen)
	l.places = slices.Clone(l.places)
	nodes := f.opaqueNodes(l.subscript)
	if len(nodes) == 0 {
		return false
	}
	for _, e := range slices.Backward(nodes) { // what stands inside first
		for d := range f.threads {
			if f.shape[d] > 1 && !f.signed(e, d) {
				return false
			}
		}
		values, conds := opaqueParts(e)
		main := polynomial.Lost()
		for _, v := range values {
			p := f.of(v)
			if p.IsLost() {
				return false
			}
			if f.moves(p) {
				l.places = append(l.places, p)
				if main.IsLost() || compareStrides(p, main) < 0 {
					main = p
				}
			}
		}
		for _, c := range conds {
			for _, side := range c.Kids {
				p := f.of(side)
				if p.IsLost() {
					return false
				}
				if f.moves(p) {
					l.places = append(l.places, p)
				}
			}
		}
		if main.IsLost() {
			return false
		}
		f.chosen[e] = main
	}
	l.form, l.chosen = f.of(l.subscript), maps.Clone(f.chosen)
	return !l.form.IsLost()
}

// moves reports whether a form has the number of a thread or a counter.
func (f *indexForms) moves(p polynomial.Polynomial) bool {
	return p.Has(func(s *polynomial.Symbol) bool {
		return slices.Contains(f.threads[:], s) || f.counted[f.vars[s]]
	})
}

// opaqueNodes are the selections and remainders in an expression that has no form, and in the
// variables that it names, outermost first.
func (f *indexForms) opaqueNodes(e *ir.Expr) (out []*ir.Expr) {
	seen := map[*ir.Var]bool{}
	var visit func(*ir.Expr)
	visit = func(e *ir.Expr) {
		e.Walk(func(t *ir.Expr) bool {
			if !f.of(t).IsLost() {
				return false
			}
			if values, _ := opaqueParts(t); values != nil && len(f.k.Callees(f.k.Func, t)) == 0 {
				out = append(out, t)
			}
			if t.Op == ir.OpIdent && t.Var != nil && settled(t.Var) && f.integer(t.Var.Type) && !seen[t.Var] {
				seen[t.Var] = true
				visit(t.Var.Init)
			}
			return true
		})
	}
	visit(e)
	return out
}

// opaqueParts are the values that a selection or a remainder is made of, nil for any other
// expression, and the comparisons that it chooses by.
func opaqueParts(e *ir.Expr) (values, conds []*ir.Expr) {
	switch {
	case e.Macro:
	case e.Op == ir.OpCond:
		ok := true
		var visit func(*ir.Expr)
		visit = func(c *ir.Expr) {
			switch {
			case c.Macro:
				ok = false
			case c.Op == ir.OpUnary && c.Tok == "!":
				visit(c.Kids[0])
			case c.Op == ir.OpBinary && (c.Tok == "&&" || c.Tok == "||"):
				visit(c.Kids[0])
				visit(c.Kids[1])
			case c.Op == ir.OpBinary && opposite[c.Tok] != "":
				conds = append(conds, c)
			default:
				ok = false
			}
		}
		if visit(e.Kids[0]); ok {
			return e.Kids[1:], conds
		}
	case (e.Calls("min") || e.Calls("max")) && e.Qual == "" && len(e.Args()) == 2:
		return e.Args(), nil
	case e.Op == ir.OpBinary && e.Tok == "%":
		return e.Kids[:2], nil
	}
	return nil, nil
}

// isPlaced reports whether all that a load's text chooses by is a function of its place along the
// axes: of each axis it has all that the axis is a sum of, alike, or nothing.
func (f *indexForms) isPlaced(a *stagedArray, l *stagedLoad) bool {
	return !slices.ContainsFunc(l.places, func(p polynomial.Polynomial) bool {
		parts, _, ok := f.parts(p, f.moving(l))
		if !ok {
			return true
		}
		seen := 0
		for i, x := range a.axes {
			var mine []part
			all := len(l.along[i])
			if x.dim >= 0 {
				all++
			}
			mine = lists.Filter(parts, func(q part) bool {
				return q.loop == nil && q.dim == x.dim || q.loop != nil && slices.Contains(l.along[i], q.loop)
			})
			if len(mine) > 0 && (len(mine) != all || !alike(mine)) {
				return true
			}
			seen += len(mine)
		}
		return seen != len(parts)
	})
}
