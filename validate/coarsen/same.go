package coarsen

import (
	"fmt"
	"slices"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/ir/effect"
	"github.com/smux-cuda/smux/validate/kit"
	"github.com/smux-cuda/smux/validate/units"
)

// same reports whether a copy does in an item of the new text what the original does in one of its own.
func (j *judge) same(a, b *item) bool {
	mark := len(j.trail)
	ok := j.alike(a, b)
	if !ok {
		j.undo(mark)
	}
	return ok
}

func (j *judge) alike(a, b *item) bool {
	switch {
	case b.cond != nil:
		return j.sameIf(a, b)
	case b.v != nil:
		return a.v != nil && a.v.Name == b.v.Name && j.equal(a.e, b.e, b.at, true) && j.alikeVars(a.v, b.v) && j.bind(a.v, b.v)
	case a.v != nil:
		e := b.e
		if b.s.Op != ir.StmtExpr || e.Op != ir.OpAssign || e.Tok != "=" || a.e.Op == ir.OpInitList || len(a.v.Dims) > 0 {
			return false
		}
		w := e.Kids[0].Var
		if b.at.loop != nil && w == nil {
			w = j.copyOf(e.Kids[0], b.at)
		}
		return w != nil && a.v.Name == w.Name && j.isPlain(w) && w.Kind == ir.VarLocal && w.Init == nil && j.temps[w] == nil && j.equal(a.e, e.Kids[1], b.at, true) && j.alikeVars(a.v, w) && j.bind(a.v, w)
	case a.s.Op != b.s.Op || a.s.Preproc || b.s.Preproc || len(a.s.Names)+len(b.s.Names) > 0 && a.s.Op != ir.StmtDecl:
		return false
	}
	switch a.s.Op {
	case ir.StmtDecl: // types
		return len(a.s.Vars)+len(b.s.Vars) == 0 && b.at.loop == nil && units.Same(j.c.Old.Between(a.s.Range.Start, a.s.Range.End), j.c.UnitsOf(b.s))
	case ir.StmtExpr, ir.StmtReturn:
		j.whole = nil
		if e := b.e; e != nil && e.Op == ir.OpAssign && e.Tok == "=" && !j.scope.Place(j.al.New, e.Kids[0]).Changes() {
			if v := j.copyOf(e.Kids[1], b.at); v != nil && j.al.TypeOf(e.Kids[0]) == kit.PlainName(v.Type.Base) {
				j.whole = e.Kids[1]
			}
		}
		return j.equal(a.e, b.e, b.at, true)
	case ir.StmtBreak, ir.StmtContinue:
		return true
	case ir.StmtIf, ir.StmtFor, ir.StmtWhile, ir.StmtDo, ir.StmtSwitch, ir.StmtCase:
	default:
		return false
	}
	in := b.at
	in.nested = in.loop != nil
	heads := j.heads[a.s]
	if a.s.Op == ir.StmtFor || a.s.Op == ir.StmtIf { // what is declared in the head is named in the rest of it
		as, bs := items(flat(a.s.Init)), j.copied(flat(b.s.Init), &in)
		as = slices.DeleteFunc(as, func(it *item) bool { return slices.Contains(heads, it.v) })
		if len(as) != len(bs) {
			return false
		}
		for i := range as {
			if !j.alike(as[i], bs[i]) {
				return false
			}
			j.item(bs[i])
		}
	}
	post, after := a.s.Post, []*item(nil)
	if len(heads) > 0 {
		ok := false
		if post, after, ok = j.posts(a.s, heads); !ok {
			return j.fail("the end of the loop's body is not always reached, or what is done there depends on the head") != nil
		}
	}
	if !j.equal(a.s.Cond, b.s.Cond, in, !a.s.IsLoop()) || !j.equal(post, b.s.Post, in, false) || !j.equal(a.e, b.e, in, false) {
		return false
	}
	j.inside(a.s.Body, b.s.Body, in, b.s, after...)
	if a.s.Op == ir.StmtCase {
		j.lists(items(a.s.List), b.s.List, &in, b.s)
	}
	if (a.s.Else == nil) != (b.s.Else == nil) {
		j.doubt(kit.Erasure, b.s.Range.Start, "one of the two has an else and the other one has not")
	}
	j.inside(a.s.Else, b.s.Else, in, b.s)
	return true
}

// inside compares what a statement holds, and in the original what comes after that, where a value that was loaded before
// it is another one.
func (j *judge) inside(a, b *ir.Stmt, in context, of *ir.Stmt, after ...*item) {
	j.steps, j.changes = j.steps+1, j.changes+1
	if a != nil || b != nil {
		j.lists(append(items(flat(a)), after...), flat(b), &in, of)
	}
}

// isHead recognises what sets a variable for each copy that the original declares in the head of the loop that comes next.
// Nothing else in that head changes or names what it is set to.
func (j *judge) isHead(a, b *item) bool {
	if a.s.Op != ir.StmtFor || a.v != nil || a.s.Init == nil || a.s.Init.Op != ir.StmtDecl || b.v != nil || b.s.Op != ir.StmtExpr || b.at.loop == nil || b.e.Op != ir.OpAssign || b.e.Tok != "=" {
		return false
	}
	w, scope := j.copyOf(b.e.Kids[0], b.at), j.al.Scope(j.al.Old)
	for _, v := range a.s.Init.Vars {
		if v.Init == nil || scope.Expr(j.al.Old, v.Init).Changes() || !scope.Expr(j.al.Old, v.Init).IsKnown() {
			return false
		}
		mark := len(j.trail)
		if w == nil || v.Name != w.Name || v.Type.Ptr > 0 || len(v.Dims) > 0 || v.Init.Op == ir.OpInitList || !j.isPlain(w) || w.Init != nil {
			continue
		}
		if j.equal(v.Init, b.e.Kids[1], b.at, true) && j.alikeVars(v, w) && j.bind(v, w) {
			j.heads[a.s] = append(j.heads[a.s], v)
			return true
		}
		j.undo(mark)
	}
	return false
}

// posts parts what a loop of the original does after each iteration: what stays in its head, and what changes variables of
// the copies, at the end of the body, whose other end no iteration takes.
func (j *judge) posts(loop *ir.Stmt, heads []*ir.Var) (stays *ir.Expr, after []*item, ok bool) {
	if loop.Post == nil || loop.Body.Any(func(t *ir.Stmt) bool { return t.Op == ir.StmtContinue && t.JumpTarget() == loop }) {
		return nil, nil, false
	}
	scope := j.al.Scope(j.al.Old)
	var sets []*ir.Var
	for _, e := range parted(loop.Post, ir.OpComma, "") {
		does := scope.Expr(j.al.Old, e)
		if !does.IsKnown() || does.ChangesMemory() || e.Op != ir.OpAssign && e.Op != ir.OpIncDec || e.Kids[0].Op != ir.OpIdent {
			return nil, nil, false
		}
		v := e.Kids[0].Var
		switch {
		case slices.Contains(heads, v):
			after = append(after, &item{s: &ir.Stmt{Op: ir.StmtExpr, Expr: e, Range: e.Range, Outer: e.Range, Parent: loop.Body}, e: e})
			continue
		case stays == nil:
			stays = e
		default:
			stays = &ir.Expr{Op: ir.OpComma, Kids: []*ir.Expr{stays, e}, Range: ir.Range{Start: stays.Range.Start, End: e.Range.End}}
		}
		sets = append(sets, v)
	}
	ok = !slices.ContainsFunc(after, func(it *item) bool {
		return it.e.Any(func(e *ir.Expr) bool { return e.Var != nil && slices.Contains(sets, e.Var) })
	})
	return stays, after, ok
}

// sameIf compares an if that each copy answers for itself.
func (j *judge) sameIf(a, b *item) bool {
	if a.v != nil || a.s.Op != ir.StmtIf || a.s.Preproc || a.s.Init != nil || a.s.Else != nil || b.leave && !isReturn(flat(a.s.Body)) {
		return false
	}
	as := conjuncts(a.s.Cond)
	if len(as) != len(b.cond) {
		return false
	}
	for i := range as {
		if !j.equal(as[i], b.cond[i], b.at, i == 0) {
			return false
		}
	}
	if b.leave {
		return true
	}
	in := context{guard: b.answers, inside: b.s}
	j.inside(a.s.Body, b.s.Body, in, b.s)
	return true
}

// equal reports whether an expression is the original's as a copy has it. at says whether it is evaluated where, and as
// often as, the statement is.
func (j *judge) equal(a, b *ir.Expr, x context, at bool) bool {
	if a == nil || b == nil {
		return a == b
	}
	j.root = b
	p := j.ofCopy(b, x, at && !x.nested)
	return p != nil && j.al.Equal(a, p) && j.sameNames(a, p)
}

// ofCopy returns an expression as a copy has it, nil where it names something of another one.
func (j *judge) ofCopy(e *ir.Expr, x context, at bool) *ir.Expr {
	if v := j.copyOf(e, x); v != nil {
		if t := j.temps[v]; t != nil {
			return j.value(t, e, x, at)
		}
		if v == j.block {
			return member(j.place(), j.al.Obj.Axis, e)
		}
		return j.named(v, e)
	}
	switch v := e.Var; {
	case e.Op == ir.OpMember && len(e.Kids) == 1 && e.Kids[0].Op == ir.OpIdent && e.Kids[0].Var == nil && j.isPlace(e.Kids[0].Name):
		if e.Name == j.al.Obj.Axis {
			return j.fail("%s.%s is that of the merged %s here", e.Kids[0].Name, e.Name, j.kind())
		}
		return e
	case j.al.Obj.Whole && e.Op == ir.OpMember && e.Kids[0].Op == ir.OpIdent && e.Kids[0].Var == j.extent:
		return member(j.size(), e.Name, e)
	case e.Op == ir.OpMixed, effect.IsOpaque(e.Op):
		return j.fail("it is not known what this does")
	case e.Op != ir.OpIdent:
	case v == nil && j.isPlace(e.Name):
		return j.fail("%s is that of the merged %s here", e.Name, j.kind())
	case v == nil:
		return e
	case v == j.extent && !j.al.Obj.Whole:
		return member(j.size(), j.al.Obj.Axis, e)
	case v == j.left || j.isOwn(v) || x.loop != nil && v == x.loop.Init.Vars[0]:
		return j.fail("%s is not that of the copy here", v.Name)
	case j.temps[v] != nil:
		return j.value(j.temps[v], e, x, at)
	default:
		return j.named(v, e)
	}
	out := *e
	out.Kids, out.TArgs, out.Known = nil, nil, nil
	for i, kid := range e.Kids {
		always := at && !(i > 0 && (e.Op == ir.OpCond || e.Op == ir.OpBinary && (e.Tok == "&&" || e.Tok == "||")))
		if kid = j.ofCopy(kid, x, always); kid == nil {
			return nil
		}
		out.Kids = append(out.Kids, kid)
	}
	for _, arg := range e.TArgs {
		if arg = j.ofCopy(arg, x, at); arg == nil {
			return nil
		}
		out.TArgs = append(out.TArgs, arg)
	}
	return &out
}

// value returns what was computed before, if nothing came between that could have changed it.
func (j *judge) value(t *temp, use *ir.Expr, x context, at bool) *ir.Expr {
	own := t.at.loop != nil
	if !at || x.guard != t.at.guard || x.inside != t.at.inside || x.loop == nil || t.changes != j.changes || own && (t.steps != j.steps || j.whole != use || t.at.guarded != x.guarded && t.at.guarded) {
		return j.fail("what is computed before may be another value here, or is needed by fewer")
	}
	if j.root.Any(func(e *ir.Expr) bool { return e != j.root && j.scope.Step(j.al.New, e).ChangesMemory() }) {
		return j.fail("what is computed before may be another value here")
	}
	t.used = true
	return j.ofCopy(t.init, t.at, true)
}

// member is a member of a built-in variable.
func member(of, axis string, e *ir.Expr) *ir.Expr {
	return &ir.Expr{Op: ir.OpMember, Name: axis, Kids: []*ir.Expr{{Op: ir.OpIdent, Name: of, Range: e.Range}}, Range: e.Range}
}

// named is a name with the one that the original has for it.
func (j *judge) named(v *ir.Var, e *ir.Expr) *ir.Expr {
	out := &ir.Expr{Op: ir.OpIdent, Name: v.Name, Var: v, Range: e.Range, Macro: e.Macro}
	if e.Op == ir.OpIdent {
		*out = *e
	}
	if a := j.bound[v]; a != nil {
		out.Name = a.Name
	}
	return out
}

func (j *judge) fail(format string, args ...any) *ir.Expr {
	j.why = fmt.Sprintf(format, args...)
	return nil
}

// sameNames reports whether the names in two expressions of one shape mean the same variables. One that is declared
// without a value is known by the first of its names.
func (j *judge) sameNames(a, b *ir.Expr) bool {
	if (a == nil) != (b == nil) || a != nil && (len(a.Kids) != len(b.Kids) || len(a.TArgs) != len(b.TArgs)) {
		return false
	}
	if a == nil {
		return true
	}
	if v, w := a.Var, b.Var; j.old[v] || j.isLocal(w) {
		if !j.old[v] || !j.isLocal(w) {
			return j.fail("%s means another variable", b.Name) != nil
		}
		if j.bound[w] != v && !(v.Init == nil && w.Init == nil && v.Kind != ir.VarParam && w.Kind != ir.VarParam && j.alikeVars(v, w) && j.bind(v, w)) {
			return j.fail("%s means another variable, or is declared otherwise", b.Name) != nil
		}
	} else if (v == nil) != (w == nil) {
		return false
	}
	for i := range a.Kids {
		if !j.sameNames(a.Kids[i], b.Kids[i]) {
			return false
		}
	}
	for i := range a.TArgs {
		if !j.sameNames(a.TArgs[i], b.TArgs[i]) {
			return false
		}
	}
	return true
}

// alikeVars reports whether two variables are declared alike, but that one is had by each copy, or is not const.
func (j *judge) alikeVars(v, w *ir.Var) bool {
	dims := w.Dims
	if j.isOwn(w) {
		dims = dims[1:]
	}
	if kit.PlainName(v.Type.Base) != kit.PlainName(w.Type.Base) || v.Type.Ptr != w.Type.Ptr || v.Type.Ref || w.Type.Ref || v.Type.PtrConst != w.Type.PtrConst && v.Type.Ptr > 0 || v.Type.Volatile != w.Type.Volatile ||
		v.Type.Function || w.Type.Function || v.Type.Rows != nil || w.Type.Rows != nil || v.Static != w.Static || v.Extern != w.Extern || len(v.Dims) != len(dims) || (v.Kind == ir.VarShared) != (w.Kind == ir.VarShared) ||
		v.Type.IsAuto() && (j.isOwn(w) || v.Init == nil || w.Init == nil) {
		return j.fail("%s is declared otherwise", w.Name) != nil
	}
	if j.scope.Making(j.al.New, w).Changes() {
		return j.fail("%s has a constructor", w.Name) != nil
	}
	for i, d := range v.Dims {
		if !j.equal(d, dims[i], context{}, true) {
			return j.fail("%s is declared otherwise", w.Name) != nil
		}
	}
	return v.Kind == ir.VarParam || slices.Equal(specifiers(j.c.Old, v), specifiers(j.c.New, w))
}

// isPlain reports whether a variable holds numbers or pointers, so that to set it is to begin with the value.
func (j *judge) isPlain(v *ir.Var) bool {
	t := j.scope.TypeOf(j.al.New, &ir.Expr{Op: ir.OpIdent, Name: v.Name, Var: v})
	return v.Type.Ptr > 0 || t.Kind == effect.Number || t.Kind == effect.Vector
}

// specifiers are the words before the first declarator of a declaration.
func specifiers(s *units.Source, v *ir.Var) (out []string) {
	for _, u := range s.Between(v.Decl.Range.Start, v.Decl.Vars[0].Range.Start) {
		if u.Text != "const" && u.Text != "*" {
			out = append(out, u.Text)
		}
	}
	return out
}

// bind notes which variable of the original one of the new text is; both are no other one's.
func (j *judge) bind(v, w *ir.Var) bool {
	if j.bound[w] != nil || j.origin[v] != nil && j.bound[j.origin[v]] == v || j.guards[w] {
		return j.fail("%s is declared twice", w.Name) != nil
	}
	j.bound[w], j.origin[v] = v, w
	j.trail = append(j.trail, w)
	return true
}

// undo forgets variables that were bound on trial.
func (j *judge) undo(mark int) int {
	for ; len(j.trail) > mark; j.trail = j.trail[:len(j.trail)-1] {
		delete(j.bound, j.trail[len(j.trail)-1])
	}
	return 0
}
