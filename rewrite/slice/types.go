package slice

import (
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/rewrite/kit"
)

// checkTypes refuses names of types and enumerators that are made where rounds can't make them too.
func (x *roundsCheck) checkTypes() {
	for _, s := range x.run {
		for t := range s.All() {
			switch {
			case len(t.Names) == 0:
			case t.Op != ir.StmtEmpty:
				x.Refuse(t.Range, "a type and variables of it are declared at once between the uses of an array")
			case t.Macro:
				x.p.Refuse(x.fn.File, t.Range.Start, kit.CodeMacro, "a macro declares a type between the uses of an array")
			}
		}
	}
}

// namesTypes reports whether a statement is written with a name of a type or enumerator that the run declares.
func (x *roundsCheck) namesTypes(s *ir.Stmt) bool {
	return slices.ContainsFunc(x.run, func(t *ir.Stmt) bool {
		return t != s && kit.MentionsAny(kit.Text(x.fn.File, s.Range), t.Names)
	})
}

// findTypes finds the declarations of types and enumerators that a round in front of the last one
// repeats: those whose names its lines have.
func (w *slicer) findTypes(x *exchange, r int) {
	w.types = map[*ir.Stmt]bool{}
	for again := true; again; {
		again = false
		lines := strings.Join(w.copies(x.stmts, x, r), "\n")
		for _, s := range x.stmts {
			for t := range s.All() {
				if t.Op == ir.StmtEmpty && !w.types[t] && (kit.MentionsAny(lines, t.Names) || kit.IsUsing(kit.Text(x.fn.File, t.Range))) {
					w.types[t], again = true, true
				}
			}
		}
	}
}

// opensScope reports whether one of some statements declares what a round repeats.
func (w *slicer) opensScope(stmts []*ir.Stmt, x *exchange, r int) bool {
	return slices.ContainsFunc(stmts, func(s *ir.Stmt) bool {
		return w.types[s] || s.Op == ir.StmtDecl && (x.check.keeps(s, r) || x.check.moves(s, r))
	})
}
