package kit

import (
	"fmt"
	"slices"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite/edit"
)

// LineColumn writes an offset of a file as line and column, as proofs are printed.
func LineColumn(f *parser.File, offset int) string {
	pos := f.Position(offset)
	return fmt.Sprintf("%d:%d", pos.Line, pos.Column)
}

// BufferOf returns the edits of a file, empty ones at first.
func BufferOf(m map[*parser.File]*edit.Buffer, f *parser.File) *edit.Buffer {
	if m[f] == nil {
		m[f] = &edit.Buffer{}
	}
	return m[f]
}

// Position returns the place of a kernel's name.
func Position(k *analysis.Kernel) diag.Position { return k.File.Position(NameOffset(k.View)) }

// NameOffset returns the offset of a kernel's name.
func NameOffset(k *parser.Function) int {
	if d := k.Declared; d != nil {
		return int(d.Start)
	}
	return k.Start
}

// Ranges are places of a file that edits touch: what they replace, or an empty range where they insert.
type Ranges []ir.Range

// Meet reports whether any edit touches a range, or inserts inside or at an end of it.
func (t Ranges) Meet(r ir.Range) bool {
	return slices.ContainsFunc(t, func(e ir.Range) bool {
		return e.Start < r.End && e.End > r.Start || e.Start == e.End && r.Start <= e.Start && e.Start <= r.End
	})
}

// PointBefore returns the place where emitter.InsertBefore inserts.
func PointBefore(f *parser.File, at int) ir.Range {
	if FirstOnLine(f, at) {
		at = LineStart(f, at)
	}
	return ir.Range{Start: at, End: at}
}

// PointBehind returns the place where emitter.InsertAfter inserts after a statement.
func PointBehind(f *parser.File, s *ir.Stmt) ir.Range {
	at := EndOfLine(f, StmtEnd(f, s))
	return ir.Range{Start: at, End: at}
}
