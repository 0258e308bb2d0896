package rewrite

import (
	"slices"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/parser"
)

// ranges are places of a file that edits touch: what they replace, or an empty range
// where they insert.
type ranges []ir.Range

// meet reports whether any edit touches a range, or inserts inside or at an end of it.
func (t ranges) meet(r ir.Range) bool {
	return slices.ContainsFunc(t, func(e ir.Range) bool {
		return e.Start < r.End && e.End > r.Start || e.Start == e.End && r.Start <= e.Start && e.Start <= r.End
	})
}

// pointBefore is where emitter.insertBefore inserts.
func pointBefore(f *parser.File, at int) ir.Range {
	if firstOnLine(f, at) {
		at = lineStart(f, at)
	}
	return ir.Range{Start: at, End: at}
}

// pointBehind is where emitter.insertAfter inserts behind a statement.
func pointBehind(f *parser.File, s *ir.Stmt) ir.Range {
	at := endOfLine(f, stmtEnd(f, s))
	return ir.Range{Start: at, End: at}
}
