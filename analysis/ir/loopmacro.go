package ir

import (
	"strings"

	"github.com/smux-cuda/smux/parser"
)

// hole is the empty body of a loop that a macro begins, and what stands for it.
type hole struct {
	body *parser.Node
	fill func(parent *Stmt) *Stmt
}

// item lowers a statement of a list, with the statement after it where a macro that is
// the head of a loop governs that, as EACH(i, n) { … }. It returns the last node that it
// took. The loop counts as text of the macro, its body does not.
func (l *lowerer) item(c *source, n *parser.Node, parent *Stmt) (*Stmt, *parser.Node) {
	if m := loopMacro(c, n); m != nil {
		body := n.Next
		for body != nil && (body.Kind == parser.KindComment || body.Kind == parser.KindToken) {
			body = body.Next
		}
		if body != nil {
			if s, last := l.macroLoop(c, m, body, parent); s != nil {
				return s, last
			}
		}
	}
	return l.stmt(c, n, parent), n
}

// loopMacro returns the mark of a macro use that the parser took for the head of a loop.
func loopMacro(c *source, n *parser.Node) *parser.Mark {
	if c.frag != nil || n.Kind != parser.KindExpressionStatement {
		return nil
	}
	for _, m := range c.file.MarksBetween(int(n.Start), int(n.End)) {
		if m.Kind == parser.MarkFix && m.Name == "loop-macro" && m.Start == int(n.Start) {
			return &m
		}
	}
	return nil
}

// macroLoop lowers a loop whose head is a macro and whose body stands after it; nil where
// the macro is not known to be one for or while.
func (l *lowerer) macroLoop(c *source, m *parser.Mark, body *parser.Node, parent *Stmt) (s *Stmt, last *parser.Node) {
	texts, err := l.cache.Macros(c.file).Alternatives(string(c.text[m.Start:m.End]), m.Start)
	if err != nil || len(texts) != 1 {
		return nil, nil
	}
	frag := l.cache.fragment(l.bare(texts[0])+" ;", parser.FragmentStatements)
	if frag == nil || c.depth >= maxExpansionDepth {
		return nil, nil
	}
	var loop *parser.Node
	for _, n := range frag.Nodes {
		switch n.Kind {
		case parser.KindComment, parser.KindToken:
		case parser.KindForStatement, parser.KindWhileStatement:
			if loop != nil {
				return nil, nil
			}
			loop = n
		default:
			return nil, nil
		}
	}
	if loop == nil {
		return nil, nil
	}
	empty := loopBody(loop)
	if empty == nil || strings.TrimSpace(string(frag.Src[empty.Start:empty.End])) != ";" {
		return nil, nil
	}
	l.hole = &hole{empty, func(parent *Stmt) *Stmt {
		l.push()
		defer l.pop()
		var st *Stmt
		st, last = l.item(c, body, parent)
		return st
	}}
	s = l.stmt(&source{text: frag.Src, file: c.file, frag: frag, at: Range{m.Start, m.End}, depth: c.depth + 1}, loop, parent)
	s.Range.End = s.Body.Range.End
	s.Outer = s.Range
	if l.fn.MacroLoops == nil {
		l.fn.MacroLoops = map[int]bool{}
	}
	l.fn.MacroLoops[m.Start] = true
	return s, last
}
