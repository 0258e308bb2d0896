package coarsen

import (
	"fmt"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/rewrite/kit"
)

// head holds what differs between copies in the head of a loop that all run for the same iterations, as in
// "for (int a = first, b = mine; a < last; a += step, b += step)": it stands before the loop and at the end of the body then.
type head struct {
	vars   []*ir.Var  // that differ
	posts  []*ir.Expr // by which these change
	others []*ir.Expr // the rest
}

// parted returns what differs in a loop's head, nil where that can't stand elsewhere.
func (p *proof) parted(s *ir.Stmt) *head {
	k, f := p.Kernel, p.Kernel.File
	quiet := func(e *ir.Expr) bool {
		return e != nil && !e.Any(func(t *ir.Expr) bool { return t.Macro }) && !k.Effect(k.Func, e).Changes()
	}
	if s.Op != ir.StmtFor || s.Init == nil || s.Init.Op != ir.StmtDecl || p.inMacro(s.Init) || p.split[s] ||
		s.Cond != nil && (!p.same(s.Cond) || p.changesOutside(s.Cond)) || s.Body.Op != ir.StmtCompound || len(s.Body.List) == 0 || !kit.FirstOnLine(f, s.Body.Range.End-1) {
		return nil
	}
	h := &head{}
	for _, v := range s.Init.Vars {
		alone := !k.Func.Body.AnyExpr(func(e *ir.Expr) bool { return e.Op == ir.OpIdent && e.Name == v.Name && e.Var != v }) &&
			!slices.ContainsFunc(k.Func.Vars, func(o *ir.Var) bool { return o != v && o.Name == v.Name })
		switch {
		case !quiet(v.Init) || v.Type.Ptr > 0 || len(v.Dims) > 0 || v.Type.Const || v.Init.Op == ir.OpInitList || v.Init.Any(func(e *ir.Expr) bool { return e.Var != nil && e.Var.Decl == s.Init }):
			return nil
		case !p.differs[v]:
		case !alone || kit.TopLevelEquals(kit.Text(f, v.Range)) < 0:
			return nil
		default:
			h.vars = append(h.vars, v)
		}
	}
	var posts func(e *ir.Expr)
	posts = func(e *ir.Expr) {
		switch {
		case e == nil:
		case e.Op == ir.OpComma && !e.Macro:
			for _, part := range e.Kids {
				posts(part)
			}
		case (e.Op == ir.OpAssign || e.Op == ir.OpIncDec) && e.Kids[0].Op == ir.OpIdent && slices.Contains(h.vars, e.Kids[0].Var):
			h.posts = append(h.posts, e)
		default:
			h.others = append(h.others, e)
		}
	}
	posts(s.Post)
	changed := func(v *ir.Var) bool {
		return slices.ContainsFunc(h.others, func(e *ir.Expr) bool {
			return e.Any(func(t *ir.Expr) bool {
				return (t.Op == ir.OpAssign || t.Op == ir.OpIncDec) && t.Kids[0].Root() != nil && t.Kids[0].Root().Var == v
			})
		})
	}
	moves := func(e *ir.Expr) bool {
		return len(e.Kids) == 1 || quiet(e.Kids[1]) && !e.Kids[1].Any(func(t *ir.Expr) bool { return t.Var != nil && changed(t.Var) })
	}
	stays := func(e *ir.Expr) bool { return p.same(e) && !p.changesOutside(e) && !e.Any(p.hiddenInMacro) }
	again := func(t *ir.Stmt) bool { return t.Op == ir.StmtContinue && t.JumpTarget() == s }
	if len(h.vars) == 0 || len(h.vars) == len(s.Init.Vars) || slices.ContainsFunc(h.posts, func(e *ir.Expr) bool { return !moves(e) }) ||
		slices.ContainsFunc(h.others, func(e *ir.Expr) bool { return !stays(e) }) || s.Body.Any(again) {
		return nil
	}
	return h
}

// parts writes a loop whose head holds what differs.
func (w *writer) parts(s step, guard string) {
	f, loop := w.file, s.stmts[0]
	b, first := w.Buffer(f), loop.Init.Vars[0]
	typ := bare(kit.Text(f, ir.Range{Start: loop.Init.Range.Start, End: w.nameAt(first)}), false)
	each := w.loop(w.live(guard, false))
	var kept, before, after, others []string
	for _, v := range loop.Init.Vars {
		text := w.text(v.Range, w.copiesIn(v.Init))
		if !slices.Contains(s.head.vars, v) {
			kept = append(kept, text)
			continue
		}
		before = append(before, fmt.Sprintf("%s%s[%s];", typ, v.Name, w.factor), unroll, each+" "+v.Name+w.index()+strings.TrimPrefix(text, v.Name)+";")
	}
	for _, e := range s.head.posts {
		after = append(after, unroll, each+" "+w.text(e.Range, w.copiesIn(e))+";")
	}
	for _, e := range s.head.others {
		others = append(others, w.text(e.Range, w.copiesIn(e)))
	}
	defer w.braces(loop, loop)()
	w.put(f, loop.Outer.Start, before...)
	b.Replace(first.Range.Start, loop.Init.Vars[len(loop.Init.Vars)-1].Range.End, strings.Join(kept, ", "))
	if loop.Cond != nil {
		b.Append(w.copiesIn(loop.Cond))
	}
	if len(after) > 0 {
		b.Replace(loop.Post.Range.Start, loop.Post.Range.End, strings.Join(others, ", "))
	}
	w.steps(s.inside, guard)
	w.closeAll(s)
	if last := loop.Body.List[len(loop.Body.List)-1]; len(after) > 0 {
		w.InsertAfter(f, kit.StmtEnd(f, last), last.Outer.Start, after...)
	}
}
