package rewrite

import (
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/parser"
)

// unused finds the declarations, each on lines of its own, of what only the subscripts need that
// are replaced, by where their lines begin.
func (p *stagingProof) unused() map[int]*ir.Stmt {
	fn, f := p.Kernel.Func, p.Kernel.File
	replaced := map[*ir.Expr]bool{}
	for _, place := range p.places {
		for _, a := range place.arrays {
			for _, l := range a.loads {
				replaced[l.whole] = true
			}
		}
	}
	out := map[int]*ir.Stmt{}
	gone := map[*ir.Stmt]bool{}
	for again := true; again; {
		again = false
		uses, before := map[*ir.Var]int{}, map[*ir.Var]int{}
		fn.Body.Walk(func(s *ir.Stmt) bool {
			if gone[s] {
				return false
			}
			s.Exprs(func(top *ir.Expr) {
				top.Walk(func(e *ir.Expr) bool {
					if e.Op == ir.OpIdent && e.Var != nil {
						uses[e.Var]++
					}
					return !replaced[e]
				})
			})
			return true
		})
		fn.Body.WalkExprs(func(e *ir.Expr) bool {
			if e.Op == ir.OpIdent && e.Var != nil {
				before[e.Var]++
			}
			return true
		})
		needless := func(v *ir.Var) bool {
			return uses[v] == 0 && before[v] > 0 && settled(v) && p.forms.harmless(v.Init) && !p.copied[v] && !p.namedElsewhere(v, replaced, gone)
		}
		for _, v := range fn.Vars {
			s := v.Decl
			if s == nil || gone[s] || s.Macro || s.Parent == nil || s.Parent.Op != ir.StmtCompound || slices.ContainsFunc(s.Vars, func(w *ir.Var) bool { return !needless(w) }) {
				continue
			}
			start, end := lineStart(f, s.Outer.Start), stmtEnd(f, s)
			if !firstOnLine(f, s.Outer.Start) || strings.TrimSpace(string(f.Src[end:nextLine(f, end)])) != "" || slices.ContainsFunc(p.places, func(o *stagingPlace) bool { return o.stmt == s }) {
				continue
			}
			out[start], gone[s], again = s, true, true
		}
	}
	return out
}

// namedElsewhere reports whether the text has a variable's name, and no other variable's, where
// no expression has it: in sizeof or decltype.
func (p *stagingProof) namedElsewhere(v *ir.Var, replaced map[*ir.Expr]bool, gone map[*ir.Stmt]bool) (found bool) {
	fn := p.Kernel.Func
	if slices.ContainsFunc(fn.Vars, func(w *ir.Var) bool { return w != v && w.Name == v.Name }) {
		return fn.Body.AnyExpr(func(e *ir.Expr) bool { return e.Op == ir.OpSizeof || e.Op == ir.OpLambda })
	}
	fn.View.Body.Walk(func(n *parser.Node) bool {
		if n.Kind != parser.KindIdentifier || fn.File.Text(n) != v.Name {
			return true
		}
		at := ir.Range{Start: int(n.Start), End: int(n.End)}
		known := v.Decl.Range.Contains(at)
		for e := range replaced {
			known = known || e.Range.Contains(at)
		}
		for s := range gone {
			known = known || s.Range.Contains(at)
		}
		found = found || !known
		return true
	})
	return found
}
