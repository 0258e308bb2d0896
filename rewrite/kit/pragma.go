package kit

import (
	"fmt"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite/variant"
)

// Unrolled is the pragma of an unroll factor.
func Unrolled(factor int) string {
	if factor == variant.Full {
		return "#pragma unroll"
	}
	return fmt.Sprintf("#pragma unroll %d", factor)
}

// PragmaAt is the text that puts a pragma, in a line of its own, before what stands at an offset.
func PragmaAt(f *parser.File, at int, pragma string) string {
	line := f.Newline() + IndentAt(f, at)
	if FirstOnLine(f, at) {
		return pragma + line
	}
	return line + pragma + line
}

// PutPragma puts a pragma before a loop that has none. A loop that is the body of an if or of
// another loop, or that has a label, gets braces: smux itself could not parse it otherwise.
// It goes after all other edits, so that nothing comes between a pragma and its loop.
func (w *Emitter) PutPragma(f *parser.File, loop *ir.Stmt, pragma string) {
	if at := loop.Range.Start; isBody(loop) {
		w.braced(f, loop, pragma)
	} else {
		w.Buffer(f).Insert(at, PragmaAt(f, at, pragma))
	}
}

// isBody reports whether a statement is the body of an if or a loop, without braces, or what stands after a label.
func isBody(s *ir.Stmt) bool {
	parent := s.Parent
	if parent != nil && parent.Op == ir.StmtLabel {
		return parent.List[0] == s
	}
	return parent != nil && (parent.Op == ir.StmtIf && !parent.Preproc || parent.IsLoop()) && (parent.Body == s || parent.Else == s)
}

// braced puts braces around a loop, and a pragma inside them.
func (w *Emitter) braced(f *parser.File, loop *ir.Stmt, pragma string) {
	b, at, nl := w.Buffer(f), loop.Range.Start, f.Newline()
	indent, outer := IndentAt(f, at), IndentAt(f, loop.Parent.Range.Start)
	switch {
	case !FirstOnLine(f, at):
		b.Insert(at, "{"+nl+indent+pragma+nl+indent)
	case OpensBody(f.Src, at):
		b.Insert(LineBreakBefore(f.Src, at), " {")
		b.Insert(LineStart(f, at), indent+pragma+nl)
	default:
		b.Insert(LineStart(f, at), outer+"{"+nl+indent+pragma+nl)
	}
	end := StmtEnd(f, loop)
	behind := EndOfLine(f, end)
	close := nl + outer + "}"
	if behind < len(f.Src) && f.Src[behind] != '\n' && f.Src[behind] != '\r' {
		close = " }"
	}
	b.Insert(behind, close)
}
