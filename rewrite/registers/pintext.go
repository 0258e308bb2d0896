package registers

import (
	"fmt"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis/demotion"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/internal/lists"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite/kit"
)

// mostOperands is the largest number of variables of one asm: each is an output and an input, and an asm takes 30.
const mostOperands = 8

// Lines are the statements that pin the variables of a place.
func (p pinPlace) Lines() (lines []string) {
	for vars := range slices.Chunk(p.vars, mostOperands) {
		operands := lists.Map(vars, func(v *ir.Var) string { return fmt.Sprintf("\"+%s\"(%s)", demotion.Constraint(p.fn, v), v.Name) })
		lines = append(lines, fmt.Sprintf("asm volatile(\"\" : %s);", strings.Join(operands, ", ")))
	}
	return lines
}

// pin puts the pins of a place.
func (w *demoteEmitter) pin(p pinPlace) {
	f, s, lines := p.fn.File, p.stmt, p.Lines()
	switch p.where {
	case pinBefore:
		w.pinBefore(f, s, lines)
	case pinBehind:
		w.pinBehind(f, s, lines)
	case pinTop:
		w.PinAtTop(f, s, lines)
	case pinOpen:
		w.openBody(f, s, lines)
	case pinClose:
		w.closeBody(f, s, lines)
	}
}

// pinBefore puts pins before a statement: on lines of their own where it begins its line.
func (w *demoteEmitter) pinBefore(f *parser.File, s *ir.Stmt, lines []string) {
	if !kit.FirstOnLine(f, s.Outer.Start) {
		w.Buffer(f).Insert(s.Outer.Start, strings.Join(lines, " ")+" ")
		return
	}
	w.InsertBefore(f, s.Outer.Start, lines...)
}

// pinBehind puts pins after a statement: on lines of their own where it ends its line.
func (w *demoteEmitter) pinBehind(f *parser.File, s *ir.Stmt, lines []string) {
	at := kit.StmtEnd(f, s)
	if end := kit.EndOfLine(f, at); end < len(f.Src) && f.Src[end] != '\n' && f.Src[end] != '\r' {
		w.Buffer(f).Insert(at, " "+strings.Join(lines, " "))
		return
	}
	w.InsertAfter(f, at, s.Outer.Start, lines...)
}

// openBody gives the body of a loop an opening brace, and pins after it.
func (w *demoteEmitter) openBody(f *parser.File, loop *ir.Stmt, lines []string) {
	body, nl := loop.Body, f.Newline()
	if !kit.BodyOnLines(f, body) {
		w.Buffer(f).Insert(body.Outer.Start, strings.Join(append([]string{"{"}, lines...), " ")+" ")
		return
	}
	indent := kit.IndentAt(f, body.Range.Start)
	w.Buffer(f).Insert(kit.LineBreakBefore(f.Src, body.Outer.Start), " {"+nl+indent+strings.Join(lines, nl+indent))
}

// closeBody gives it the closing one, and pins before it.
func (w *demoteEmitter) closeBody(f *parser.File, loop *ir.Stmt, lines []string) {
	body, nl := loop.Body, f.Newline()
	end, outer := kit.StmtEnd(f, body), kit.IndentAt(f, loop.Range.Start)
	if !kit.BodyOnLines(f, body) {
		w.Buffer(f).Insert(end, strings.Join(append(append([]string{""}, lines...), "}"), " "))
		return
	}
	indent := kit.IndentAt(f, body.Range.Start)
	var text strings.Builder
	for _, l := range lines {
		text.WriteString(nl + indent + l)
	}
	text.WriteString(nl + outer + "}")
	at := kit.EndOfLine(f, end)
	if at < len(f.Src) && f.Src[at] != '\n' && f.Src[at] != '\r' {
		text.WriteString(nl + outer)
	}
	w.Buffer(f).Insert(at, text.String())
}
