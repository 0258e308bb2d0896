package ir

import "github.com/smux-cuda/smux/parser"

// try lowers a try block and its handlers, for what is found in them: each may run, or not.
// It stays a problem, for the block may end anywhere. What it sets of the variables
// around it may then not be set, so that these change unseen.
func (l *lowerer) try(c *source, n *parser.Node, s *Stmt) *Stmt {
	l.problem(s.Range, "statement that is not understood ("+n.Kind.String()+")")
	s.Op, s.NoScope = StmtCompound, true
	add := func(n *parser.Node) *Stmt {
		may := &Stmt{Op: StmtIf, Parent: s, Range: c.rng(n), Outer: c.rng(n), Cond: &Expr{Op: OpUnknown, Range: c.rng(n)}}
		may.Body = l.body(c, n, may)
		s.List = append(s.List, may)
		return may
	}
	for k := n.FirstNamed(); k != nil; k = k.NextNamed() {
		switch k.Kind {
		case parser.KindCompoundStatement:
			may := add(k)
			for e := range may.AllExprs() {
				if e.Op == OpAssign || e.Op == OpIncDec {
					if r := e.Kids[0].Root(); r != nil && r.Var != nil && !may.Range.Contains(r.Var.Range) {
						r.Var.AddrTaken = true
					}
				}
			}
		case parser.KindCatchClause:
			if b := k.Child(parser.FieldBody); b != nil {
				l.push()
				l.catchParameter(c, k)
				add(b)
				l.pop()
			}
		}
	}
	return s
}

// catchParameter declares what a handler catches.
func (l *lowerer) catchParameter(c *source, n *parser.Node) {
	list := n.Child(parser.FieldParameters)
	if list == nil {
		return
	}
	for p := list.FirstNamed(); p != nil; p = p.NextNamed() {
		v := &Var{Kind: VarLocal, Type: l.typeOf(c, p), AddrTaken: true, File: c.file}
		if d := p.Child(parser.FieldDeclarator); d != nil {
			l.declarator(c, d, v)
			l.declare(v)
		}
	}
}
