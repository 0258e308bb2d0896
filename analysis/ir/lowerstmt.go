package ir

import (
	"slices"
	"strings"

	"github.com/smux-cuda/smux/parser"
)

// stmt lowers one statement node.
func (l *lowerer) stmt(c *source, n *parser.Node, parent *Stmt) *Stmt {
	s := &Stmt{Parent: parent, Range: c.rng(n), Macro: c.frag != nil}
	defer func(outer *Stmt) { l.in = outer }(l.in)
	l.in = s
	s.Outer = s.Range
	if c.frag == nil {
		s.Outer.Start = c.file.PragmaBefore(s.Range.Start)
	}
	switch n.Kind {
	case parser.KindCompoundStatement:
		s.Op = StmtCompound
		l.push()
		s.List = l.list(c, n.First, nil, s)
		l.pop()
	case parser.KindDeclaration:
		d := l.declaration(c, n, parent)
		d.Outer = Range{min(d.Range.Start, s.Outer.Start), d.Range.End}
		return d
	case parser.KindExpressionStatement:
		return l.exprStmt(c, n, s)
	case parser.KindIfStatement:
		l.push()
		s.Op = StmtIf
		l.condition(c, n.Child(parser.FieldCondition), s)
		s.Body = l.body(c, n.Child(parser.FieldConsequence), s)
		if alt := n.Child(parser.FieldAlternative); alt != nil {
			if alt.Kind == parser.KindElseClause {
				alt = alt.FirstNamed()
			}
			s.Else = l.body(c, alt, s)
		}
		l.pop()
	case parser.KindForStatement:
		l.push()
		s.Op = StmtFor
		if init := n.Child(parser.FieldInitializer); init != nil {
			if init.Kind == parser.KindDeclaration {
				s.Init = l.stmt(c, init, s)
			} else if s.Init = l.misreadDeclaration(c, init, s); s.Init == nil {
				s.Init = &Stmt{Op: StmtExpr, Parent: s, Expr: l.expr(c, init), Range: c.rng(init), Outer: c.rng(init)}
			}
		}
		if cond := n.Child(parser.FieldCondition); cond != nil {
			s.Cond = l.expr(c, cond)
		}
		if post := n.Child(parser.FieldUpdate); post != nil {
			s.Post = l.expr(c, post)
		}
		s.Body = l.body(c, loopBody(n), s)
		l.pop()
	case parser.KindForRangeLoop:
		l.push()
		l.rangeFor(c, n, s)
		s.Body = l.body(c, loopBody(n), s)
		l.pop()
	case parser.KindWhileStatement:
		l.push()
		s.Op = StmtWhile
		l.condition(c, n.Child(parser.FieldCondition), s)
		s.Body = l.body(c, loopBody(n), s)
		l.pop()
	case parser.KindDoStatement:
		s.Op = StmtDo
		s.Body = l.body(c, loopBody(n), s)
		if cond := n.Child(parser.FieldCondition); cond != nil {
			s.Cond = l.expr(c, cond)
		}
	case parser.KindSwitchStatement:
		l.push()
		s.Op = StmtSwitch
		l.condition(c, n.Child(parser.FieldCondition), s)
		s.Body = l.body(c, loopBody(n), s)
		l.pop()
	case parser.KindCaseStatement:
		s.Op = StmtCase
		first := n.First
		if v := n.Child(parser.FieldValue); v != nil {
			s.Expr = l.caseValue(c, v)
			first = v.Next
		}
		s.List = l.list(c, first, nil, s)
	case parser.KindLabeledStatement:
		s.Op = StmtLabel
		if lab := n.Child(parser.FieldLabel); lab != nil {
			s.Name = c.str(lab)
			s.List = l.list(c, lab.Next, nil, s)
		}
	case parser.KindReturnStatement:
		s.Op = StmtReturn
		if e := n.FirstNamed(); e != nil {
			s.Expr = l.expr(c, e)
		}
	case parser.KindBreakStatement:
		s.Op = StmtBreak
	case parser.KindContinueStatement:
		s.Op = StmtContinue
	case parser.KindGotoStatement:
		s.Op = StmtGoto
	case parser.KindAttributedStatement:
		for k := n.FirstNamed(); k != nil; k = k.NextNamed() {
			if k.NextNamed() == nil {
				inner := l.stmt(c, k, parent)
				inner.Outer.Start = s.Range.Start
				return inner
			}
		}
	case parser.KindTypeDefinition, parser.KindAliasDeclaration, parser.KindUsingDeclaration, parser.KindNamespaceAliasDefinition:
		s.Op = StmtEmpty
		s.Names = l.localNames(c, n)
	case parser.KindStaticAssertDeclaration:
		s.Op = StmtEmpty
	case parser.KindPreprocIf, parser.KindPreprocIfdef:
		return l.preprocIf(c, n, parent)
	case parser.KindTryStatement:
		return l.try(c, n, s)
	default:
		s.Op = StmtUnknown
		l.problem(s.Range, "statement that is not understood ("+n.Kind.String()+")")
	}
	return s
}

// caseValue lowers the value of a case. That of "case 0 ... 3:" is an operation of both bounds whose value nothing knows.
func (l *lowerer) caseValue(c *source, n *parser.Node) *Expr {
	e := l.expr(c, n)
	for _, m := range c.marks(int(n.Start), int(n.End)) {
		if m.Name != parser.FixCaseRange {
			continue
		}
		if e.Op != OpBinary || n.Kind != parser.KindBinaryExpression || !strings.HasPrefix(between(c, n, parser.FieldLeft, parser.FieldRight), "...") {
			l.problem(e.Range, "the bounds of a case can't be told apart")
			return &Expr{Range: e.Range, Macro: e.Macro}
		}
		e.Tok = CaseRange
	}
	return e
}

func loopBody(n *parser.Node) *parser.Node {
	if b := n.Child(parser.FieldBody); b != nil {
		return b
	}
	var last *parser.Node
	for k := n.FirstNamed(); k != nil; k = k.NextNamed() {
		last = k
	}
	return last
}

// body lowers the statement that an if or a loop governs; a missing one (error recovery) becomes an empty statement.
func (l *lowerer) body(c *source, n *parser.Node, parent *Stmt) *Stmt {
	if h := l.hole; h != nil && n == h.body {
		l.hole = nil
		return h.fill(parent)
	}
	if n == nil {
		l.problem(parent.Range, "statement without a body")
		return &Stmt{Op: StmtEmpty, Parent: parent, Range: parent.Range, Outer: parent.Range}
	}
	l.push()
	defer l.pop()
	return l.stmt(c, n, parent)
}

// condition lowers the parenthesised head of if, while and switch.
func (l *lowerer) condition(c *source, n *parser.Node, s *Stmt) {
	if n == nil {
		l.problem(s.Range, "statement without a condition")
		return
	}
	var sets []*Expr
	if init := n.Child(parser.FieldInitializer); init != nil {
		var ok bool
		if sets, ok = l.heads(c, init, s); !ok {
			l.problem(c.rng(init), "declaration in a condition")
		}
	}
	e := n
	if n.Kind == parser.KindConditionClause {
		if e = n.Child(parser.FieldValue); e == nil {
			e = n.FirstNamed()
		}
	}
	switch {
	case e == nil:
		l.problem(c.rng(n), "declaration in a condition")
		return
	case e.Kind == parser.KindDeclaration:
		value, ok := l.heads(c, e, s)
		if !ok {
			l.problem(c.rng(n), "declaration in a condition")
			return
		}
		s.Cond = value[len(value)-1] // the assignment's value
		sets = append(sets, value[:len(value)-1]...)
	default:
		s.Cond = l.expr(c, e)
	}
	for i := len(sets) - 1; i >= 0; i-- {
		s.Cond = &Expr{Op: OpComma, Range: c.rng(n), Macro: true, Kids: []*Expr{sets[i], s.Cond}}
	}
}

// list lowers the sibling nodes from n up to end (nil: all) as statements;
// pragmas are attached to the loop after them.
func (l *lowerer) list(c *source, n, end *parser.Node, parent *Stmt) []*Stmt {
	var out []*Stmt
	pragma := -1
	from := -1 // the end of the node before, comments aside
	if n != nil && n.Parent != nil {
		from = int(n.Parent.Start)
	}
	for ; n != nil && n != end; n = n.Next {
		if n.Flags&parser.FlagExtra != 0 && n.Kind == parser.KindComment {
			continue
		}
		if n.Kind != parser.KindDeclaration && from >= 0 && l.shared(c, from, n) {
			l.problem(c.rng(n), "__shared__ before something that is not a declaration")
		}
		from = int(n.End)
		switch n.Kind {
		case parser.KindToken, parser.KindComment:
			continue
		case parser.KindError:
			l.problem(c.rng(n), "syntax that is not understood")
			continue
		case parser.KindPreprocCall:
			if strings.HasPrefix(strings.TrimLeft(strings.TrimPrefix(c.str(n), "#"), " \t"), "pragma") && pragma < 0 {
				pragma = c.rng(n).Start
			}
			continue
		case parser.KindPreprocDef, parser.KindPreprocFunctionDef:
			continue
		case parser.KindPreprocInclude:
			l.problem(c.rng(n), "#include inside a function")
			continue
		case parser.KindStructSpecifier, parser.KindClassSpecifier, parser.KindEnumSpecifier, parser.KindUnionSpecifier:
			s := &Stmt{Op: StmtEmpty, Parent: parent, Range: c.rng(n), Macro: c.frag != nil}
			if semi := n.Next; semi != nil && c.str(semi) == ";" {
				s.Range.End = c.rng(semi).End
			}
			s.Outer = s.Range
			s.Names = l.localNames(c, n)
			out = append(out, s)
			continue
		}
		if !l.matters(c, n) {
			continue
		}
		s, last := l.item(c, n, parent)
		if pragma >= 0 {
			s.Outer.Start = pragma
			pragma = -1
		}
		out = append(out, s)
		n, from = last, int(last.End)
	}
	return out
}

// shared reports whether __shared__ stands between an offset and a node.
func (l *lowerer) shared(c *source, from int, n *parser.Node) bool {
	names, _ := c.qualifiers(from, int(n.Start))
	return slices.ContainsFunc(names, func(name string) bool {
		return name == "__shared__" || l.file.MacroQualifiers(name)&parser.QualShared != 0
	})
}

// exprStmt lowers an expression statement; a macro that stands for statements becomes a compound without a scope.
func (l *lowerer) exprStmt(c *source, n *parser.Node, s *Stmt) *Stmt {
	e := n.FirstNamed()
	if e == nil {
		s.Op = StmtEmpty
		return s
	}
	if texts, ok := l.macroUse(c, e); ok {
		return l.macroStmt(c, n, e, texts, s)
	}
	if d := l.misreadDeclaration(c, e, s.Parent); d != nil {
		d.Range, d.Outer = s.Range, s.Outer
		return d
	}
	if l.foldStmt(c, e, s) {
		return s
	}
	s.Op = StmtExpr
	s.Expr = l.expr(c, e)
	return s
}

// preprocIf lowers #if … #else … #endif among statements.
func (l *lowerer) preprocIf(c *source, n *parser.Node, parent *Stmt) *Stmt {
	s := &Stmt{Op: StmtIf, Preproc: true, Parent: parent, Range: c.rng(n), Outer: c.rng(n)}
	branch := func(first, end *parser.Node) *Stmt {
		b := &Stmt{Op: StmtCompound, NoScope: true, Parent: s, Range: s.Range, Outer: s.Range}
		b.List = l.list(c, first, end, b)
		return b
	}
	var first *parser.Node
	if k := n.Child(parser.FieldCondition); k != nil {
		first = k.Next
	} else if k := n.Child(parser.FieldName); k != nil {
		first = k.Next
	}
	// The alternative is a child too: cut it off the list of the first branch.
	alt := n.Child(parser.FieldAlternative)
	value, known := c.file.Macros.Condition(n)
	if !known || value {
		s.Body = branch(first, alt)
	}
	if alt != nil && (!known || !value) {
		switch alt.Kind {
		case parser.KindPreprocElse:
			s.Else = branch(alt.First, nil)
		default: // #elif and its kin nest
			s.Else = &Stmt{Op: StmtCompound, NoScope: true, Parent: s, Range: s.Range, Outer: s.Range}
			s.Else.List = []*Stmt{l.preprocIf(c, alt, s.Else)}
		}
	}
	if known {
		taken := s.Body
		if !value {
			taken = s.Else
		}
		if taken == nil {
			return &Stmt{Op: StmtEmpty, Parent: parent, Range: s.Range, Outer: s.Range}
		}
		taken.Parent = parent
		return taken
	}
	s.Cond = &Expr{Op: OpUnknown, Range: s.Range, Macro: true}
	if s.Body == nil {
		s.Body = &Stmt{Op: StmtEmpty, Parent: s, Range: s.Range, Outer: s.Range}
	}
	return s
}
