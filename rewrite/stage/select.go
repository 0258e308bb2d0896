package stage

import (
	"fmt"
	"maps"
	"slices"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/polynomial"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite/kit"
)

// selection is c ? a : b, min(a, b) or max(a, b) in a subscript, or in a variable that it names.
type selection struct {
	e    *ir.Expr
	cond *ir.Expr // that the first of both is taken
	of   [2]*ir.Expr
}

// choice is one of both, taken.
type choice struct {
	*selection
	second bool
}

// mostSelections is the largest number of selections in the subscript of a load.
const mostSelections = 3

// selectionOf is the selection that an expression is, nil for any other.
func (f *indexForms) selectionOf(e *ir.Expr) *selection {
	switch {
	case e.Macro:
	case e.Op == ir.OpCond:
		return &selection{e, e.Kids[0], [2]*ir.Expr{e.Kids[1], e.Kids[2]}}
	case (e.Calls("min") || e.Calls("max")) && e.Qual == "" && len(e.Args()) == 2 && len(f.k.Callees(f.k.Func, e)) == 0:
		args := e.Args()
		if !isSigned(args[0]) || !isSigned(args[1]) {
			return nil
		}
		tok := "<="
		if e.Name == "max" {
			tok = ">="
		}
		return &selection{e, &ir.Expr{Op: ir.OpBinary, Tok: tok, Kids: args, Range: e.Range}, [2]*ir.Expr{args[0], args[1]}}
	}
	return nil
}

// selections are those that the form of an expression has, outermost first.
func (f *indexForms) selections(e *ir.Expr) (out []*selection) {
	seen := map[*ir.Var]bool{}
	var visit func(*ir.Expr)
	visit = func(e *ir.Expr) {
		e.Walk(func(t *ir.Expr) bool {
			if s := f.selectionOf(t); s != nil {
				if !slices.ContainsFunc(out, func(o *selection) bool { return o.e == t }) {
					out = append(out, s)
				}
				visit(s.of[0])
				visit(s.of[1])
				return false
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

// alternatives are the loads that one is whose subscript chooses: each with the conditions of its
// choices, and its form under them. Nothing comes of a load with a choice that has no form.
func (f *indexForms) alternatives(l *stagedLoad) (out []*stagedLoad) {
	all := f.selections(l.subscript)
	if len(all) == 0 || len(all) > mostSelections || f.chosen != nil {
		return nil
	}
	defer func() { f.chosen = nil }()
	for n := range 1 << len(all) {
		f.chosen = map[*ir.Expr]polynomial.Polynomial{}
		one := *l
		one.conds, one.choices = slices.Clone(l.conds), nil
		for i, s := range slices.Backward(all) { // what stands inside first
			second := n>>i&1 == 1
			if !f.repeatable(s.cond, l) {
				return nil
			}
			one.conds = append(one.conds, condition{s.cond, !second})
			one.choices = append(one.choices, choice{s, second})
			f.chosen[s.e] = f.chosenForm(s, second, one.conds)
		}
		slices.Reverse(one.choices)
		if one.form = f.of(l.subscript); one.form.IsLost() {
			return nil
		}
		one.chosen = maps.Clone(f.chosen)
		out = append(out, &one)
	}
	return out
}

// chosenForm is the form of what is taken. What has no thread's number is written as the other and a distance, where
// the conditions say that it is so far: of max(x - 1, 0) the 0 is taken where x is 0, and is x - 1 + 1.
func (f *indexForms) chosenForm(s *selection, second bool, conds []condition) polynomial.Polynomial {
	taken, other := f.of(s.of[0]), f.of(s.of[1])
	if second {
		taken, other = other, taken
	}
	moves := func(o *polynomial.Symbol) bool { return slices.Contains(f.threads[:], o) }
	if taken.IsLost() || other.IsLost() || taken.Has(moves) || !other.Has(moves) {
		return taken
	}
	facts := f.threadFacts(conds)
	for n := int64(-mostShort); n <= mostShort; n++ {
		d := taken.Minus(other).Minus(polynomial.Number(n))
		if facts.NonNegative(d) && facts.NonNegative(polynomial.Number(0).Minus(d)) {
			return other.Plus(polynomial.Number(n))
		}
	}
	return taken
}

// threadFacts returns the facts that follow from a thread's number and conditions.
func (f *indexForms) threadFacts(conds []condition) (facts polynomial.Facts) {
	for _, t := range f.threads {
		facts = append(facts, polynomial.Of(t))
	}
	for _, c := range conds {
		if cs, ok := f.comparisons([]condition{c}); ok {
			for _, c := range cs {
				if c.exact {
					facts = append(facts, c.form)
				}
			}
		}
	}
	return facts
}

// repeatable reports whether an expression means at a load what it means where it stands.
func (f *indexForms) repeatable(e *ir.Expr, l *stagedLoad) bool {
	fn := f.k.Func
	return f.harmless(e) && !e.Any(func(t *ir.Expr) bool {
		v := t.Var
		switch {
		case t.Macro:
			return true
		case t.Op != ir.OpIdent || v == nil:
			return false
		case slices.Contains(fn.Params, v):
			if len(v.Writes) > 0 || v.AddrTaken {
				return true
			}
		case v.Kind == ir.VarTemplateValue:
		case f.counted[v]:
			if !slices.ContainsFunc(l.loops, func(o *countedLoop) bool { return o.v == v }) {
				return true
			}
		case !settled(v) || !visibleAt(v, l.stmt):
			return true
		}
		same := func(w *ir.Var) bool { return w != v && w.Name == v.Name }
		return slices.ContainsFunc(fn.Vars, same) || slices.ContainsFunc(fn.Params, same)
	})
}

// complete leaves out the loads of which not all alternatives are there.
func complete(loads []*stagedLoad) []*stagedLoad {
	there := map[*ir.Expr]int{}
	for _, l := range loads {
		there[l.whole]++
	}
	return slices.DeleteFunc(loads, func(l *stagedLoad) bool { return there[l.whole] != 1<<len(l.choices) })
}

// chosenText is the text of an index that depends on what the subscript chooses; at is that of an alternative.
func (w *copyEmitter) chosenText(ways []*stagedLoad, depth int, at func(*stagedLoad) string) string {
	if len(ways) == 1 {
		return at(ways[0])
	}
	var of [2][]*stagedLoad
	for _, l := range ways {
		n := 0
		if l.choices[depth].second {
			n = 1
		}
		of[n] = append(of[n], l)
	}
	first, second := w.chosenText(of[0], depth+1, at), w.chosenText(of[1], depth+1, at)
	if first == second {
		return first
	}
	out := fmt.Sprintf("%s ? %s : %s", ways[0].choices[depth].text(w.Of.File), first, second)
	if depth > 0 {
		return "(" + out + ")"
	}
	return out
}

// text is that of the condition, which min and max do not spell out.
func (s *selection) text(f *parser.File) string {
	if s.e.Op == ir.OpCond {
		return operandOfAnd(f, s.cond)
	}
	return kit.Operand(f, s.of[0], kit.Text(f, s.of[0].Range)) + " " + s.cond.Tok + " " + kit.Operand(f, s.of[1], kit.Text(f, s.of[1].Range))
}
