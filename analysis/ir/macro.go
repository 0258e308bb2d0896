package ir

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"github.com/smux-cuda/smux/internal/lists"
	"github.com/smux-cuda/smux/parser"
)

const maxExpansionDepth = 8

// macroUse reports whether node n (an identifier or a call) uses a macro, and what it can expand to: one text, or
// several where the definition depends on conditions that smux can't decide. ok without texts is a macro that can't
// be expanded.
func (l *lowerer) macroUse(c *source, n *parser.Node) (texts []string, ok bool) {
	if c.frag != nil {
		return nil, false // expansions are complete already
	}
	name := n
	if n.Kind == parser.KindCallExpression {
		name = n.Child(parser.FieldFunction)
	}
	if name == nil || name.Kind != parser.KindIdentifier && name.Kind != parser.KindTypeIdentifier {
		return nil, false
	}
	m, found := l.cache.Macros(c.file).Lookup(c.str(name), int(n.Start))
	if !found {
		return nil, false
	}
	if l.lookup(m.Name) != nil && !m.FunctionLike && !m.Ambiguous {
		// A local variable of the same name can't exist while the macro is in
		// force; the macro table must be wrong, so trust nothing.
		return nil, true
	}
	switch {
	case m.FunctionLike && n.Kind != parser.KindCallExpression:
		return nil, false // a function-like macro's name without arguments is plain text
	case !m.FunctionLike && n.Kind == parser.KindCallExpression:
		// #define SYNC __syncthreads, used as SYNC(): the callee is expanded on its own,
		// or the call with it where it may be one of several.
		if texts, err := l.cache.Macros(c.file).Alternatives(c.str(n), int(n.Start)); err == nil && len(texts) > 1 && !l.launchInside(n) {
			return texts, true
		}
		return nil, false
	case n.Kind == parser.KindCallExpression && l.launchInside(n):
		// CHECK((k<<<g, b>>>(…))) is read as a call of CHECK: what matters is the launch.
		return nil, false
	}
	texts, err := l.cache.Macros(c.file).Alternatives(c.str(n), int(n.Start))
	if err != nil {
		return nil, true
	}
	return c.withoutEnd(n, texts), true
}

// withoutEnd takes the semicolon off expansions that end in one, as that of
// #define HALF 0.5f; does, where the use ends its statement: what is left of "x = y *
// HALF;" is an empty statement, which does nothing.
func (c *source) withoutEnd(n *parser.Node, texts []string) []string {
	if !bytes.HasPrefix(bytes.TrimLeft(c.text[n.End:], " \t\r\n"), []byte{';'}) {
		return texts
	}
	return lists.Map(texts, func(text string) string {
		return strings.TrimRight(strings.TrimSuffix(strings.TrimSpace(text), ";"), " ")
	})
}

// launchInside reports whether a kernel launch stands inside a node.
func (l *lowerer) launchInside(n *parser.Node) bool {
	return slices.ContainsFunc(l.launches, func(v *parser.Launch) bool { return int(n.Start) <= v.Open && v.Open < int(n.End) })
}

// opaque returns what stands for a macro that can't be expanded: an unknown expression over its arguments.
func (l *lowerer) opaque(c *source, n *parser.Node) *Expr {
	e := &Expr{Op: OpUnknown, Range: c.rng(n), Macro: true, Name: "macro"}
	name := n
	if n.Kind == parser.KindCallExpression {
		name = n.Child(parser.FieldFunction)
		e.Kids = l.all(c, n.Child(parser.FieldArguments))
	}
	l.problem(e.Range, "macro "+c.str(name)+" that can't be expanded")
	return e
}

// macroExpr lowers an expanded macro as an expression. Several possible expansions become a conditional expression
// whose condition is not known but is the same for the whole grid: it was decided when the program was compiled.
func (l *lowerer) macroExpr(c *source, n *parser.Node, texts []string) *Expr {
	var out *Expr
	for _, text := range texts {
		if e := integer(text); e != nil && len(texts) == 1 {
			e.Range, e.Macro = c.rng(n), true
			return e
		}
		frag := l.cache.fragment(l.bare(text), parser.FragmentExpression)
		if frag == nil || c.depth >= maxExpansionDepth {
			return l.opaque(c, n)
		}
		sub := &source{text: frag.Src, file: c.file, frag: frag, at: c.rng(n), depth: c.depth + 1}
		e := l.expr(sub, frag.Nodes[0])
		if len(texts) > 1 && e.Op == OpIdent && e.Var == nil {
			// A name that the command line defines is taken for a constant.
			e = &Expr{Op: OpLiteral, Name: e.Name, Range: e.Range, Macro: true}
		}
		if out == nil {
			out = e
			continue
		}
		cond := &Expr{Op: OpLiteral, Name: BuildChoice, Range: e.Range, Macro: true}
		out = &Expr{Op: OpCond, Kids: []*Expr{cond, out, e}, Range: e.Range, Macro: true}
	}
	if out == nil {
		return l.opaque(c, n)
	}
	return out
}

// integer reads a plain decimal number, the most common expansion of all.
func integer(text string) *Expr {
	n, err := strconv.ParseInt(text, 10, 32)
	if err != nil || len(text) > 1 && text[0] == '0' {
		return nil
	}
	return &Expr{Op: OpInt, Int: n}
}

// macroStmt lowers an expression statement that is a macro use: an expression, or a list of statements.
func (l *lowerer) macroStmt(c *source, n, use *parser.Node, texts []string, s *Stmt) *Stmt {
	if len(texts) != 1 {
		s.Op, s.Expr = StmtExpr, l.macroExpr(c, use, texts)
		return s
	}
	text := l.bare(texts[0])
	if frag := l.cache.fragment(text, parser.FragmentExpression); frag != nil {
		sub := &source{text: frag.Src, file: c.file, frag: frag, at: c.rng(use), depth: c.depth + 1}
		if d := l.misreadDeclaration(sub, frag.Nodes[0], s); d != nil {
			s.Op, s.NoScope, s.Macro, s.List = StmtCompound, true, true, []*Stmt{d}
			return s
		}
		s.Op, s.Expr, s.Macro = StmtExpr, l.expr(sub, frag.Nodes[0]), false
		return s
	}
	frag := l.cache.fragment(text+";", parser.FragmentStatements)
	if frag == nil {
		s.Op, s.Expr = StmtExpr, l.opaque(c, use)
		return s
	}
	sub := &source{text: frag.Src, file: c.file, frag: frag, at: c.rng(n), depth: c.depth + 1}
	s.Op, s.NoScope, s.Macro = StmtCompound, true, true
	for _, k := range frag.Nodes {
		switch k.Kind {
		case parser.KindComment, parser.KindToken:
			continue
		}
		st := l.stmt(sub, k, s)
		if st.Op != StmtEmpty {
			s.List = append(s.List, st)
		}
	}
	if len(s.List) == 1 && s.List[0].Op != StmtDecl {
		only := s.List[0]
		only.Parent = s.Parent
		return only
	}
	return s
}

// bare takes the parentheses off plain variable names, which macros put around
// their parameters: "(a) && (b) < c" would be read as a cast.
func (l *lowerer) bare(text string) string {
	var out []byte
	for i := 0; i < len(text); i++ {
		if text[i] != '(' || i > 0 && !operatorBefore(text[:i]) {
			continue
		}
		j := i + 1
		for j < len(text) && (parser.IsWordRune(rune(text[j])) || text[j] == ' ') {
			j++
		}
		if j >= len(text) || text[j] != ')' {
			continue
		}
		if v := l.lookup(strings.TrimSpace(text[i+1 : j])); v == nil || v.Kind == VarTemplateType {
			continue
		}
		if out == nil {
			out = []byte(text)
		}
		out[i], out[j] = ' ', ' '
	}
	if out == nil {
		return text
	}
	return string(out)
}

// operatorBefore reports whether text ends in an operator, an opening bracket
// or a comma: a parenthesis there opens a group and no argument list.
func operatorBefore(text string) bool {
	text = strings.TrimRight(text, " ")
	if text == "" {
		return true
	}
	return strings.IndexByte("+-*/%&|^=<>!~?:,([{;", text[len(text)-1]) >= 0
}
