package merge

import (
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite/edit"
	"github.com/smux-cuda/smux/rewrite/kit"
)

// cutEdit is a change at one statement, or run of statements, of what is cut.
type cutEdit struct {
	what    string     // it is, as proofs are printed
	stmt    *ir.Stmt   // the first one
	places  kit.Ranges // what is replaced, or where text goes
	hoisted []hoisted  // declarations that go right before it
	cutText
}

// cutText is the text that takes the places of an edit.
type cutText interface{ write(w *cutWriter, e cutEdit) }

// cutWriter writes the edits of a cut.
type cutWriter struct {
	*merger
	fn   *ir.Func
	buf  *edit.Buffer
	mine string // the condition under which a piece runs
}

// Describe says what changes where, as proofs are printed.
func (e cutEdit) Describe(f *parser.File) string {
	out := e.what + " at " + kit.LineColumn(f, e.stmt.Range.Start)
	for _, h := range e.hoisted {
		out += " after " + h.Describe(f)
	}
	return out
}

// insert puts text where an edit has its i-th place.
func (w *cutWriter) insert(e cutEdit, i int, text string) { w.buf.Insert(e.places[i].Start, text) }

// replace puts text in the first place of an edit.
func (w *cutWriter) replace(e cutEdit, text string) {
	w.buf.Replace(e.places[0].Start, e.places[0].End, text)
}

// point returns the place at which text is inserted.
func point(at int) ir.Range { return ir.Range{Start: at, End: at} }

// turnPiece is a run of statements that only the v-TB executes whose turn it is.
type turnPiece struct {
	run     []*ir.Stmt
	assigns bool // it is a declaration whose only variable is assigned
}

func (p turnPiece) first() *ir.Stmt { return p.run[0] }
func (p turnPiece) last() *ir.Stmt  { return p.run[len(p.run)-1] }

// alone reports whether the piece can stand after its condition without braces.
func (p turnPiece) alone() bool {
	s := p.first()
	return len(p.run) == 1 && s.Op == ir.StmtExpr && !s.Macro && s.Outer == s.Range && !s.Preproc
}

// bare reports whether the piece is the body of an if or loop without braces. It gets
// some: an else after it must not become one of the condition's.
func (p turnPiece) bare() bool {
	parent := p.first().Parent
	return parent != nil && parent.Op != ir.StmtCompound
}

// Places are those of the condition and of what closes its braces.
func (p turnPiece) Places(f *parser.File) kit.Ranges {
	s := p.first()
	switch {
	case p.alone() && p.bare():
		return kit.Ranges{point(s.Range.Start), point(s.Range.End)}
	case p.alone(), p.assigns:
		return kit.Ranges{point(s.Range.Start)}
	}
	return kit.Ranges{kit.PointBefore(f, s.Outer.Start), kit.PointBehind(f, p.last())}
}

func (p turnPiece) write(w *cutWriter, e cutEdit) {
	f, at := w.fn.File, p.first().Outer.Start
	declared, open, closing := declarations(f, e.hoisted), "if ("+w.mine+") ", ""
	braces := !p.alone() && !p.assigns
	if braces {
		open, closing = open+"{", "}"
	}
	if p.bare() && !p.assigns {
		open, closing = "{ "+open, closing+" }"
	}
	switch {
	case braces:
		w.InsertBefore(f, at, append(declared, open)...)
		w.InsertAfter(f, kit.StmtEnd(f, p.last()), at, closing)
		return
	case len(declared) > 0:
		w.InsertBefore(f, at, declared...)
	}
	w.insert(e, 0, open)
	if closing != "" {
		w.insert(e, 1, closing)
	}
}

// lastReturn is the return at a function's end, made harmless for v-TBs whose turn it is
// not: they return a value that nobody uses.
type lastReturn struct{}

func (lastReturn) write(w *cutWriter, e cutEdit) { w.insert(e, 0, "if (!"+w.mine+") return {}; ") }
