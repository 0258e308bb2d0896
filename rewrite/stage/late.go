package stage

import (
	"slices"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/rewrite/kit"
)

// lateValue is an integer variable that is declared before it is known, and set once, where all that
// uses it stands after, in the same block:
//
//	int k;                                  for (…) {
//	for (…) {                       -->         const int k = i * w + j;
//	    k = i * w + j;                          s += a[k];
//	    s += a[k];
//
// It is declared where it is set, and has its value as long as it lives.
type lateValue struct {
	v   *ir.Var
	set *ir.Stmt
}

// lateValues are those that subscripts name.
func lateValues(k *analysis.Kernel) (out []lateValue) {
	f := newIndexForms(k, [3]int{1, 1, 1})
	for _, v := range k.Func.Vars {
		d := v.Decl
		if v.Kind != ir.VarLocal || v.Init != nil || d == nil || d.Macro || v.Macro || len(d.Vars) != 1 || d.Parent == nil || d.Parent.Op != ir.StmtCompound || !startsLine(k, d) ||
			v.AddrTaken || v.Static || v.Extern || len(v.Dims) > 0 || len(v.Writes) != 1 || !f.integer(v.Type) || v.Type.IsAuto() || v.Type.Const {
			continue
		}
		if s := setOnce(k.Func.Body, v); s != nil && f.k.IsPure(k.Func, s.Expr.Kids[1]) && isSubscript(k.Func.Body, v) {
			out = append(out, lateValue{v, s})
		}
	}
	return out
}

// setOnce is the statement of a list that sets a variable before all that names it, which stands in the
// same list or below; nil where there is none.
func setOnce(body *ir.Stmt, v *ir.Var) (set *ir.Stmt) {
	uses := 0
	var behind []*ir.Expr
	for s := range body.All() {
		if s.Op == ir.StmtExpr && s.Expr != nil && s.Expr == v.Writes[0] && isAssignment(s.Expr) && !s.Macro && s.Parent != nil && s.Parent.Op == ir.StmtCompound && !s.Parent.Macro {
			set = s
		}
		s.Exprs(func(top *ir.Expr) {
			for e := range top.All() {
				if e.Op == ir.OpIdent && e.Var == v {
					uses++
					if set != nil && s != set && s.Inside(set.Parent) {
						behind = append(behind, e)
					}
				}
			}
		})
	}
	if set == nil || len(behind)+1 != uses || slices.ContainsFunc(behind, func(e *ir.Expr) bool { return e.Macro || e.Range.Start < set.Range.End }) {
		return nil
	}
	return set
}

// isSubscript reports whether a variable stands in the subscript of something.
func isSubscript(body *ir.Stmt, v *ir.Var) bool {
	return body.AnyExpr(func(e *ir.Expr) bool {
		return e.Op == ir.OpIndex && e.Kids[1].Any(func(t *ir.Expr) bool { return t.Op == ir.OpIdent && t.Var == v })
	})
}

// declare declares a late value where it is set.
func (w *copyEmitter) declare(l lateValue) {
	f := w.Of.File
	from, to := kit.LineStart(f, l.v.Decl.Range.Start), kit.NextLine(f, kit.StmtEnd(f, l.v.Decl))
	if kit.EndOfLine(f, kit.StmtEnd(f, l.v.Decl)) != kit.LineEnd(f, l.v.Decl.Range.Start) { // more stands on its line
		from, to = l.v.Decl.Range.Start, kit.StmtEnd(f, l.v.Decl)
	}
	w.Buffer(f).Replace(from, to, "")
	w.Buffer(f).Insert(l.set.Range.Start, "const "+l.v.Type.Base+" ")
}
