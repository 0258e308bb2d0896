package ir

import (
	"slices"

	"github.com/smux-cuda/smux/parser"
)

// Spread is the Tok of the OpMixed that an expansion of a parameter pack is, f(args...), a fold, (args + ...), and the
// name of a pack in them: what is written once is evaluated for each element of the pack.
const Spread = "..."

// spread lowers the expansion of a pack, and a fold. Only what computes and nothing else is read so: how often it is
// evaluated is not known.
func (l *lowerer) spread(c *source, n *parser.Node, e *Expr) *Expr {
	e.Op, e.Tok, e.Kids = OpMixed, Spread, l.all(c, n)
	if slices.ContainsFunc(e.Kids, func(k *Expr) bool { return !computes(k) }) {
		l.problem(e.Range, "expansion of a parameter pack that does more than compute")
	}
	for t := range e.All() {
		if t.Var != nil {
			t.Var.AddrTaken = true // it may be taken by reference
		}
	}
	return e
}

// mostSpread limits the parameters that an expansion may reach.
const mostSpread = 64

// spreading makes one of what follows an expansion in a list and the expansion itself: which element is which is
// not known from there on.
func (l *lowerer) spreading(list []*Expr) []*Expr {
	i := slices.IndexFunc(list, (*Expr).IsSpread)
	if i < 0 || i == len(list)-1 {
		return list
	}
	all := &Expr{Op: OpMixed, Tok: Spread, Kids: list[i:], Range: Range{Start: list[i].Range.Start, End: list[len(list)-1].Range.End}, Macro: list[i].Macro}
	if slices.ContainsFunc(all.Kids, func(k *Expr) bool { return !computes(k) }) {
		l.problem(all.Range, "expansion of a parameter pack before what does more than compute")
	}
	return append(list[:i:i], all)
}

// repeated has an expansion at the end of some arguments stand for each of those that it may become.
func repeated(list []*Expr) []*Expr {
	if n := len(list); n > 0 && list[n-1].IsSpread() {
		return append(list, slices.Repeat(list[n-1:], mostSpread-1)...)
	}
	return list
}

// Param returns the parameter that argument i of a call is for: of a pack all further ones, nil for none.
func (f *Func) Param(i int) *Var {
	if n := len(f.Params); i >= n && n > 0 && f.Params[n-1].Pack {
		i = n - 1
	}
	if i >= len(f.Params) {
		return nil
	}
	return f.Params[i]
}

// IsSpread reports whether e is the expansion of a parameter pack, or a fold.
func (e *Expr) IsSpread() bool { return e.Op == OpMixed && e.Tok == Spread }

// spreads reports whether an expansion is among the operands.
func (e *Expr) spreads() bool { return len(e.Kids) > 0 && e.Kids[len(e.Kids)-1].IsSpread() }

// CountArgs is the number of a call's arguments; of one that expands a pack it is -1 less those before that.
func (e *Expr) CountArgs() int {
	args := e.Args()
	if e.Op == OpCall && len(args) > 0 && e.spreads() {
		return ^slices.IndexFunc(args, (*Expr).IsSpread)
	}
	return len(args)
}

// computes reports whether an expression does nothing but compute, as often as it is evaluated.
func computes(e *Expr) bool {
	return !e.Any(func(t *Expr) bool {
		switch t.Op {
		case OpIdent, OpInt, OpLiteral, OpUnary, OpBinary, OpCond, OpComma, OpCast, OpSizeof, OpMember, OpIndex, OpDeref, OpAddr, OpInitList, OpMixed:
			return false
		case OpLambda:
			ok := true
			t.Lambda.Walk(func(s *Stmt) bool {
				ok = ok && (s.Op == StmtCompound || s.Op == StmtIf || s.Op == StmtReturn || s.Op == StmtEmpty)
				s.Exprs(func(x *Expr) { ok = ok && computes(x) })
				return ok
			})
			return !ok
		case OpCall:
			return t.Kids[0].Op != OpLambda && !t.Intrinsic().Pure()
		}
		return true
	})
}

// foldStmt lowers a fold over commas that is a statement, ((a[i] = args), ...): a loop that runs an unknown number of
// times. It reports whether it is one.
func (l *lowerer) foldStmt(c *source, n *parser.Node, s *Stmt) bool {
	for n.Kind == parser.KindParenthesizedExpression && n.FirstNamed() != nil {
		n = n.FirstNamed()
	}
	pattern := n.FirstNamed()
	if n.Kind != parser.KindFoldExpression || pattern == nil || pattern.NextNamed() != nil || operator(c, n) != "," {
		return false
	}
	s.Op, s.Macro = StmtFor, true
	s.Cond = &Expr{Op: OpMixed, Tok: Spread, Range: s.Range, Macro: true}
	s.Body = &Stmt{Op: StmtExpr, Parent: s, Expr: l.expr(c, pattern), Range: c.rng(pattern), Outer: c.rng(pattern), Macro: true}
	return true
}

// IsFold reports whether a statement is the loop that stands for a fold over commas: it ends, whatever it computes.
func (s *Stmt) IsFold() bool {
	return s.Op == StmtFor && s.Macro && s.Cond != nil && s.Cond.IsSpread() && len(s.Cond.Kids) == 0
}
