package rewrite

import (
	"fmt"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite/edit"
)

// cutEdit is what changes at one statement, or run of statements, of what is cut.
type cutEdit interface {
	// places are what the edits replace, or where they insert.
	places(f *parser.File) ranges
	// describe says what changes where, as proofs are printed.
	describe(f *parser.File) string
	write(w *cutWriter)
}

// cutWriter writes the edits of a cut.
type cutWriter struct {
	*merger
	fn   *ir.Func
	buf  *edit.Buffer
	mine string // the condition under which a piece runs
}

// turnPiece is a run of statements that only the v-TB executes whose turn it is.
type turnPiece struct {
	run     []*ir.Stmt
	hoisted []hoisted // declarations that go right before it
	assigns bool      // it is a declaration whose only variable is assigned
}

func (p *turnPiece) first() *ir.Stmt { return p.run[0] }
func (p *turnPiece) last() *ir.Stmt  { return p.run[len(p.run)-1] }

// alone reports whether the piece can stand behind its condition without braces.
func (p *turnPiece) alone() bool {
	s := p.first()
	return len(p.run) == 1 && s.Op != ir.StmtDecl && !s.Macro && s.Outer == s.Range && !s.Preproc && s.Op != ir.StmtCompound
}

// bare reports whether the piece is the body of an if or loop without braces. It gets
// some: an else behind it must not become one of the condition's.
func (p *turnPiece) bare() bool {
	parent := p.first().Parent
	return parent != nil && parent.Op != ir.StmtCompound
}

func (p *turnPiece) places(f *parser.File) ranges {
	s := p.first()
	at := ir.Range{Start: s.Range.Start, End: s.Range.Start}
	switch {
	case p.alone() && p.bare():
		return ranges{at, {Start: s.Range.End, End: s.Range.End}}
	case p.alone():
		return ranges{at}
	case p.assigns && len(p.hoisted) > 0:
		return ranges{pointBefore(f, s.Outer.Start), at}
	case p.assigns:
		return ranges{at}
	}
	return ranges{pointBefore(f, s.Outer.Start), pointBehind(f, p.last())}
}

func (p *turnPiece) describe(f *parser.File) string {
	out := fmt.Sprintf("piece from %s to %s", lineColumn(f, p.first().Range.Start), lineColumn(f, p.last().Range.End))
	for _, h := range p.hoisted {
		out += " behind " + h.describe(f)
	}
	return out
}

func (p *turnPiece) write(w *cutWriter) {
	f, s := w.fn.File, p.first()
	mine := "if (" + w.mine + ") "
	declared := declarations(f, p.hoisted)
	switch {
	case p.alone() && p.bare():
		w.buf.Insert(s.Range.Start, "{ "+mine)
		w.buf.Insert(s.Range.End, " }")
	case p.alone():
		w.buf.Insert(s.Range.Start, mine)
	case p.assigns:
		if len(declared) > 0 {
			w.insertBefore(f, s.Outer.Start, declared...)
		}
		w.buf.Insert(s.Range.Start, mine)
	default:
		open, closing := mine+"{", "}"
		if p.bare() {
			open, closing = "{ "+open, "} }"
		}
		w.insertBefore(f, s.Outer.Start, append(declared, open)...)
		w.insertAfter(f, stmtEnd(f, p.last()), s.Outer.Start, closing)
	}
}

// lastReturn is the return at a function's end, made harmless for v-TBs whose turn it is
// not: they return a value that nobody uses.
type lastReturn struct{ *ir.Stmt }

func (r lastReturn) places(*parser.File) ranges {
	return ranges{{Start: r.Range.Start, End: r.Range.Start}}
}

func (r lastReturn) describe(f *parser.File) string {
	return "return at " + lineColumn(f, r.Range.Start)
}

func (r lastReturn) write(w *cutWriter) {
	w.buf.Insert(r.Range.Start, "if (!"+w.mine+") return {}; ")
}
