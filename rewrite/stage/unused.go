package stage

import (
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite/kit"
)

// unused finds what declares what only the subscripts need that are replaced: whole declarations on
// lines of their own, and of one with others what stands on one line.
func (p *copyProof) unused() (out []ir.Range) {
	fn, f := p.Kernel.Func, p.Kernel.File
	replaced := map[*ir.Expr]bool{}
	for _, place := range p.places {
		for _, a := range place.arrays {
			for _, l := range a.loads {
				replaced[l.whole] = true
			}
		}
	}
	gone, dropped := map[*ir.Stmt]bool{}, map[*ir.Var]bool{}
	for again := true; again; {
		again = false
		uses, before := map[*ir.Var]int{}, map[*ir.Var]int{}
		fn.Body.Walk(func(s *ir.Stmt) bool {
			if gone[s] {
				return false
			}
			s.Exprs(func(top *ir.Expr) {
				if slices.ContainsFunc(s.Vars, func(v *ir.Var) bool { return dropped[v] && v.Init == top }) {
					return
				}
				top.Walk(func(e *ir.Expr) bool {
					if e.Op == ir.OpIdent && e.Var != nil {
						uses[e.Var]++
					}
					return !replaced[e]
				})
			})
			return true
		})
		for e := range fn.Body.AllExprs() {
			if e.Op == ir.OpIdent && e.Var != nil {
				before[e.Var]++
			}
		}
		needless := func(v *ir.Var) bool {
			return uses[v] == usedBeside(f, v, dropped) && before[v] > 0 && settled(v) && p.forms.harmless(v.Init) && !p.copied[v] && !p.namedElsewhere(v, replaced, gone, dropped)
		}
		for _, v := range fn.Vars {
			s := v.Decl
			if s == nil || gone[s] || s.Macro || s.Parent == nil || s.Parent.Op != ir.StmtCompound || slices.ContainsFunc(p.places, func(o *copyPlace) bool { return o.stmt == s }) {
				continue
			}
			start, end := kit.LineStart(f, s.Outer.Start), kit.StmtEnd(f, s)
			switch {
			case slices.ContainsFunc(s.Vars, func(w *ir.Var) bool { return !needless(w) && !dropped[w] }):
				if needless(v) && !dropped[v] && canPart(f, s) {
					dropped[v], again = true, true
				}
			case kit.FirstOnLine(f, s.Outer.Start) && strings.TrimSpace(string(f.Src[end:kit.NextLine(f, end)])) == "":
				out, gone[s], again = append(out, ir.Range{Start: start, End: kit.NextLine(f, end)}), true, true
			}
		}
	}
	for v := range dropped {
		if !gone[v.Decl] {
			out = append(out, declarator(v, dropped))
		}
	}
	return out
}

// usedBeside counts the uses, by the other variables of a declaration that goes as a whole, of one in it.
func usedBeside(f *parser.File, v *ir.Var, dropped map[*ir.Var]bool) (n int) {
	if canPart(f, v.Decl) {
		return 0
	}
	for _, w := range v.Decl.Vars {
		if w.Init != nil && !dropped[w] {
			for e := range w.Init.All() {
				if e.Op == ir.OpIdent && e.Var == v {
					n++
				}
			}
		}
	}
	return n
}

// namedElsewhere reports whether the text has a variable's name, and no other variable's, where
// no expression has it: in sizeof or decltype.
func (p *copyProof) namedElsewhere(v *ir.Var, replaced map[*ir.Expr]bool, gone map[*ir.Stmt]bool, dropped map[*ir.Var]bool) (found bool) {
	fn := p.Kernel.Func
	if slices.ContainsFunc(fn.Vars, func(w *ir.Var) bool { return w != v && w.Name == v.Name }) {
		return fn.Body.AnyExpr(func(e *ir.Expr) bool { return e.Op == ir.OpSizeof || e.Op == ir.OpLambda })
	}
	for n := range fn.View.Body.All() {
		if n.Kind != parser.KindIdentifier || fn.File.Text(n) != v.Name {
			continue
		}
		at := ir.Range{Start: int(n.Start), End: int(n.End)}
		known := v.Decl.Range.Contains(at)
		for e := range replaced {
			known = known || e.Range.Contains(at)
		}
		for s := range gone {
			known = known || s.Range.Contains(at)
		}
		for w := range dropped {
			known = known || w.Range.Contains(at)
		}
		found = found || !known
	}
	return found
}

// canPart reports whether variables of a declaration can be taken out: it is text of one line, without
// a * or a comment.
func canPart(f *parser.File, s *ir.Stmt) bool {
	return !strings.ContainsAny(kit.Text(f, s.Range), "\n\r/") && !slices.ContainsFunc(s.Vars, func(v *ir.Var) bool { return v.Macro || v.Type.Ptr > 0 || v.Type.Ref })
}

// declarator is the text of a variable among others of its declaration, with the comma after the one
// before it or, where no one before it stays, with that before the next.
func declarator(v *ir.Var, dropped map[*ir.Var]bool) ir.Range {
	all := v.Decl.Vars
	i := slices.Index(all, v)
	if slices.ContainsFunc(all[:i], func(w *ir.Var) bool { return !dropped[w] }) {
		return ir.Range{Start: all[i-1].Range.End, End: v.Range.End}
	}
	return ir.Range{Start: v.Range.Start, End: all[i+1].Range.Start}
}
