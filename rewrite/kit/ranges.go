package kit

import (
	"slices"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/parser"
)

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
