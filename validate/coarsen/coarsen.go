// Package coarsen judges kernels whose thread blocks, or threads, do the work of several, statement by statement.
package coarsen

import (
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/validate/kit"
	"github.com/smux-cuda/smux/validate/units"
)

// judge reads a coarsened kernel as one of its copies does:
//
//	T x[COARSEN];  x[c] = E;                                   is   T x = E;
//	for (int c = 0; c < COARSEN; ++c) if (c < left) S          is   S
//	block[c], and the last parameter                           is   blockIdx.x, gridDim.x
//	for (int c = 0; …) if (thread[c] < smux_block_x) S         is   S
//	thread[c], and the last parameter                          is   threadIdx.x, blockDim.x
//	any_on |= on[c] = c < left && !(E);  if (!any_on) return;  is   if (E) return;    and on[c] holds after it
//	any_in |= in[c] = on[c] && E;  if (any_in) S               is   if (E) S          and in[c] holds in S
//	T x[COARSEN];  x[c] = E;  for (…; F) { …  x[c] += D; }      is   for (… x = E; F, x += D) { … }
//	const T same = E;  T value[COARSEN];  value[c] = E;        is   nothing, and E where they are read
//
// What comes of it must be the original, in its order, where names mean the same variables. A copy does what it does
// between the statements of the others, as thread blocks may: no order is promised between them, nor between threads of a block
// but at barriers, by which all copies come together. That the copies have
// nothing in common that one of them changes is looked at apart (apart.go).
type judge struct {
	*apart
	c       *kit.Comparison
	old     map[*ir.Var]bool    // the original's variables
	bound   map[*ir.Var]*ir.Var // those of the new text to the original's
	origin  map[*ir.Var]*ir.Var // and back
	trail   []*ir.Var           // of the new text, in the order in which they were bound
	temps   map[*ir.Var]*temp
	heads   map[*ir.Stmt][]*ir.Var // of loops of the original: what the copies have before the loop
	steps   int                    // statements of the original so far
	changes int                    // those of them after which another value may be loaded
	top     []*ir.Stmt
	root    *ir.Expr // what is compared
	whole   *ir.Expr // what an assignment stores as it is
	why     string   // the copy can't be read
}

// temp is a value that the new text computes before the statement that has it.
type temp struct {
	init           *ir.Expr
	at             context
	steps, changes int
	used           bool
}

// context is the place of a statement of the new text.
type context struct {
	loop    *ir.Stmt // over copies; nil for what is done once
	guard   *ir.Var  // the array that says which copies are at work; nil for those that there are
	inside  *ir.Stmt // the if of what only some copies do
	guarded bool     // only copies at work do it
	nested  bool     // in a statement of the original in a loop over copies
}

// item is a statement, or a variable that is set where it is declared.
type item struct {
	s       *ir.Stmt
	v       *ir.Var
	e       *ir.Expr // what it is set to, or what the statement evaluates
	at      context
	cond    []*ir.Expr // conditions of an if that each copy answers for itself
	leave   bool       // it returns
	answers *ir.Var
}

// Judge judges a coarsened kernel, and reports whether this is one.
func Judge(c *kit.Comparison, k *kit.Kernel, a, b *parser.Function) bool {
	p := read(c.New, b)
	if p == nil || read(c.Old, a) != nil {
		return false
	}
	j := &judge{c: c, old: map[*ir.Var]bool{}, bound: map[*ir.Var]*ir.Var{}, origin: map[*ir.Var]*ir.Var{}, temps: map[*ir.Var]*temp{}, heads: map[*ir.Stmt][]*ir.Var{}}
	al := kit.NewAlignment(c, k, c.OldNames.Lower(c.Old.File, a), c.NewNames.Lower(c.New.File, b))
	if p.threads && len(b.Params) == len(a.Params)+1 {
		if p.extra = slices.IndexFunc(a.Params, func(q parser.Param) bool { return q.Default != nil }); p.extra < 0 {
			p.extra = len(a.Params)
		}
		p.extent, p.whole = b.Params[p.extra].Name, p.extra < len(a.Params)
	}
	al.New.Body.List = slices.DeleteFunc(al.New.Body.List, func(s *ir.Stmt) bool { return !s.Macro && kit.IsCheck(c.UnitsOf(s)) })
	al.Obj.Kind, al.Obj.Merged, al.Obj.Axis, al.Obj.GridParam = kit.Coarsened, p.merged, p.axis, p.extent
	al.Obj.Whole, al.Obj.OfThreads = p.whole, p.threads
	k.State.Main, k.Variant, k.Merged = al, "coarsen", al.Obj.Merged
	j.apart = newApart(al, p.count)
	c.ReachFrom(k, al.New)
	j.head(a, b)
	for _, v := range al.New.Vars {
		switch {
		case v.Range.Start < p.end && v.Name == p.left:
			j.left = v
		case v.Range.Start < p.end && v.Name == p.block:
			j.block = v
		case v.Range.Start >= p.end && slices.Contains([]string{p.count, p.left, p.extent, p.block, "blockIdx", "gridDim", "blockDim", "threadIdx"}, v.Name):
			j.doubt(kit.Builtins, v.Range.Start, "%s is another one here", v.Name)
		}
	}
	for _, v := range append(slices.Clone(al.Old.Vars), al.Old.Params...) {
		j.old[v] = true
	}
	if len(c.Changed[b.Name]) > 1 {
		j.doubt(kit.Launches, b.Start, "there are several kernels %s", b.Name)
	}
	if a.Error != nil || b.Error != nil || len(al.Old.Problems)+len(al.New.Problems) > 0 || !slices.Equal(directives(c.Old, a), directives(c.New, b)) || j.left == nil && !p.threads || j.block == nil {
		j.doubt(kit.Erasure, b.Start, "this can't be read, or has other directives than the original")
		return true
	}
	for i, old := range al.Old.Params {
		if q := al.New.Params[i]; q != j.extent {
			j.bind(old, q)
		} else if i+1 < len(al.New.Params) {
			j.bind(old, al.New.Params[i+1])
		}
	}
	j.top = slices.DeleteFunc(flat(al.New.Body), func(s *ir.Stmt) bool { return s.Range.Start < p.end })
	j.lists(items(flat(al.Old.Body)), j.top, &context{}, al.New.Body)
	for v, t := range j.temps {
		if !t.used {
			j.doubt(kit.Erasure, v.Range.Start, "the original has no %s", v.Name)
		}
	}
	if !k.Doubtful(kit.Erasure) {
		k.Show(kit.Erasure, "statement by statement, as each copy comes by", k.Pos)
	}
	j.finish()
	return true
}

// prologue holds the facts that the statements at the top of a coarsened kernel say.
type prologue struct {
	count       string // the name of the number of copies
	merged      int    // that number
	axis        string
	left, block string // the variables: how many copies there are, "" of threads, and which each one is
	extent      string // the parameter, and its place among the others
	extra       int
	whole       bool // all three lengths are passed
	threads     bool // copies are threads
	end         int
}

// read reads the statements at the top of a kernel, nil where it isn't coarsened.
func read(s *units.Source, fn *parser.Function) *prologue {
	us, axis := units.Rolled(s.Between(int(fn.Body.Start)+1, int(fn.Body.End))), ""
	n, rest, ok := units.Match(us, "enum { $count = $ } ; unsigned $block [ $count ] ; for ( int $c = 0 ; $c < $count ; + + $c ) $block [ $c ] = threadIdx . $axis + $c * blockDim . $axis ;")
	if ok && units.Number(n[1]) > 1 && isAxis(n[4]) {
		return &prologue{count: n[0], merged: units.Number(n[1]), axis: n[4], block: n[2], threads: true, end: rest[0].Start}
	}
	whole := len(us) > 14 && us[12].Text == "."
	if whole {
		axis = us[13].Text
		us = slices.Delete(slices.Clone(us), 12, 14)
	}
	n, rest, ok = units.Match(us, "enum { $count = $ } ; const int $left = $ - $count * blockIdx . $axis ; unsigned $block [ $count ] ; "+
		"for ( int $c = 0 ; $c < $count ; + + $c ) $block [ $c ] = $count * blockIdx . $axis + ( $c < $left ? $c : 0 ) ;")
	if !ok || units.Number(n[1]) < 2 || !isAxis(n[4]) || whole && axis != n[4] {
		return nil
	}
	return &prologue{count: n[0], merged: units.Number(n[1]), axis: n[4], left: n[2], block: n[5], extent: n[3], whole: whole, end: rest[0].Start}
}

func isAxis(text string) bool { return slices.Contains([]string{"x", "y", "z"}, text) }

// directives are those of a function but for how far loops are unrolled, and for what smux has it check.
func directives(s *units.Source, fn *parser.Function) (out []string) {
	us := units.Rolled(s.Between(fn.Start, int(fn.Body.End)))
	for i := 0; i < len(us); i++ {
		switch {
		case !strings.HasPrefix(us[i].Text, "#"):
		case kit.IsCheck(us[i:min(i+3, len(us))]):
			i += 2
		default:
			out = append(out, us[i].Text)
		}
	}
	return out
}

// head compares what stands before the body: the new kernel has one parameter more, after those that a launch must give.
func (j *judge) head(a, b *parser.Function) {
	ua, ub, st := j.c.Head(j.c.Old, a), slices.Clone(j.c.Head(j.c.New, b)), j.al.Kernel.State
	st.Params = len(b.Params) - 1
	st.Extra = slices.IndexFunc(j.al.New.Params, func(v *ir.Var) bool { return v.Name == j.al.Obj.GridParam })
	if st.Extra < 0 || len(j.al.Old.Params) != st.Params || len(j.al.New.Params) != len(b.Params) {
		j.doubt(kit.Erasure, b.Start, "the kernel has no parameter for the length of the grid")
		return
	}
	j.extent = j.al.New.Params[st.Extra]
	for i, p := range b.Params {
		if given := units.Mentions(j.c.New.Between(int(p.Node.Start), int(p.Node.End)), "="); i > st.Extra != given || given && !j.al.Obj.Whole {
			j.doubt(kit.Erasure, int(p.Node.Start), "the length of the grid is not the last parameter that a launch must give, of a type of its own before others")
		}
	}
	typed := map[bool]string{false: "unsigned ", true: "uint3 "}[j.al.Obj.Whole]
	for i := len(ub) - 1; i > 0; i-- {
		if _, _, ok := units.Match(ub[i:], typed+j.extent.Name); ok {
			if i, n := i, 2; ub[i-1].Text == "," {
				ub = slices.Delete(ub, i-1, i+2)
			} else {
				if ub[i+2].Text == "," {
					n++
				}
				ub = slices.Delete(ub, i, i+n)
			}
			break
		}
	}
	j.c.HeadFits(j.al.Kernel, ua, ub, b)
}

// flat returns the statements of a body without its braces: names are compared by the variables that they mean.
func flat(s *ir.Stmt) (out []*ir.Stmt) {
	switch {
	case s == nil || s.Op == ir.StmtEmpty:
	case s.Op == ir.StmtCompound:
		for _, t := range s.List {
			out = append(out, flat(t)...)
		}
	default:
		out = append(out, s)
	}
	return out
}

// items parts declarations at their variables, of which those without a value are compared where they are named, and
// expressions at their commas.
func items(list []*ir.Stmt) (out []*item) {
	for _, s := range list {
		switch {
		case s.Op == ir.StmtExpr:
			for _, e := range parted(s.Expr, ir.OpComma, "") {
				out = append(out, &item{s: s, e: e})
			}
			continue
		case s.Op != ir.StmtDecl || len(s.Names) > 0:
			out = append(out, &item{s: s, e: s.Expr})
			continue
		}
		for _, v := range s.Vars {
			if v.Init != nil {
				out = append(out, &item{s: s, v: v, e: v.Init})
			}
		}
	}
	return out
}

// copied returns the statements of the new text as items; x changes where copies leave.
func (j *judge) copied(list []*ir.Stmt, x *context) (out []*item) {
	for i := 0; i < len(list); i++ {
		s := list[i]
		if it := j.answered(list[i:], x); it != nil {
			out = append(out, it)
			i += 2
			continue
		}
		if x.loop == nil && j.isLoop(s) {
			in := *x
			in.loop = s
			body := flat(s.Body)
			if len(body) == 1 && body[0].Op == ir.StmtIf && body[0].Else == nil && j.isGuard(body[0].Cond, in) {
				in.guarded, body = true, flat(body[0].Body)
			}
			for _, t := range body {
				if at := in; t.Op == ir.StmtIf && t.Else == nil && j.isGuard(t.Cond, at) {
					at.guarded = true
					out = append(out, j.copied(flat(t.Body), &at)...)
				} else {
					out = append(out, j.copied([]*ir.Stmt{t}, &at)...)
				}
			}
			continue
		}
		for _, it := range items([]*ir.Stmt{s}) {
			it.at = *x
			out = append(out, it)
		}
	}
	return out
}

// isLoop reports whether a statement is a loop over copies.
func (j *judge) isLoop(s *ir.Stmt) bool {
	if s.Op != ir.StmtFor || s.Init == nil || len(s.Init.Vars) != 1 || s.Macro {
		return false
	}
	us, c := units.Rolled(j.c.New.Between(s.Range.Start, s.Body.Range.Start)), s.Init.Vars[0]
	return units.Is(us, "for ( int "+c.Name+" = 0 ; "+c.Name+" < "+j.count+" ; + + "+c.Name+" )") && len(c.Writes) == 1 && !c.AddrTaken
}

// answered reads an if that each copy answers for itself: the declaration of the answers, the loop that asks and the if.
func (j *judge) answered(list []*ir.Stmt, x *context) *item {
	if len(list) < 3 || x.loop != nil || !j.isLoop(list[1]) || list[2].Op != ir.StmtIf || list[2].Else != nil {
		return nil
	}
	ask := kit.Only(list[1].Body)
	if ask == nil || ask.Op != ir.StmtExpr || ask.Expr.Op != ir.OpAssign || ask.Expr.Tok != "|=" || ask.Expr.Kids[1].Op != ir.OpAssign || ask.Expr.Kids[1].Tok != "=" {
		return nil
	}
	in := *x
	in.loop, in.guarded = list[1], true
	set, any := ask.Expr.Kids[1], ask.Expr.Kids[0].Var
	cond, answers := conjuncts(set.Kids[1]), j.copyOf(set.Kids[0], in)
	if any == nil || answers == nil || !j.isGuard(cond[0], in) || j.mentions(any) != 2 {
		return nil
	}
	us, fresh := j.c.UnitsOf(list[0]), false
	if units.Is(us, "bool "+answers.Name+" [ "+j.count+" ] , "+any.Name+" = false ;") {
		fresh = answers.Decl == list[0] && any.Decl == list[0]
	} else if !units.Is(us, "bool "+any.Name+" = false ;") || any.Decl != list[0] || answers != x.guard {
		return nil
	}
	it := &item{s: list[2], at: in, cond: cond[1:], answers: answers}
	switch c := list[2].Cond; {
	case c.Op == ir.OpUnary && c.Tok == "!" && c.Kids[0].Var == any && x.inside == nil && slices.Contains(j.top, list[2]) && isReturn(flat(list[2].Body)) &&
		len(it.cond) == 1 && it.cond[0].Op == ir.OpUnary && it.cond[0].Tok == "!" && (fresh || x.guard == answers):
		it.leave, it.cond = true, conjuncts(it.cond[0].Kids[0])
		x.guard = answers
	case c.Op == ir.OpIdent && c.Var == any && fresh && len(it.cond) > 0:
	default:
		return nil
	}
	j.guards[answers] = true
	for _, e := range it.cond {
		j.expr(in, ask, e)
	}
	return it
}

func isReturn(list []*ir.Stmt) bool {
	return len(list) == 1 && list[0].Op == ir.StmtReturn && list[0].Expr == nil
}

// parted parts an expression at an operator.
func parted(e *ir.Expr, op ir.Op, tok string) (out []*ir.Expr) {
	if e.Op != op || e.Tok != tok && tok != "" {
		return []*ir.Expr{e}
	}
	for _, kid := range e.Kids {
		out = append(out, parted(kid, op, tok)...)
	}
	return out
}

// conjuncts parts a condition at its &&.
func conjuncts(e *ir.Expr) []*ir.Expr { return parted(e, ir.OpBinary, "&&") }

// lists compares what a copy does with the original.
func (j *judge) lists(as []*item, list []*ir.Stmt, x *context, of *ir.Stmt) {
	done := make([]bool, len(as))
	i := 0
	for _, b := range j.copied(list, x) {
		for i < len(as) && done[i] {
			i++
		}
		j.why = ""
		switch m := 0; {
		case j.isOwnParam(b):
		case i < len(as) && !done[i] && j.isHead(as[i], b):
		case i < len(as) && j.same(as[i], b):
			i++
		case func() bool { m = j.movedUp(as, done, i, b); return m > 0 }():
			done[m] = true
		case j.isTemp(b):
			j.item(b)
			continue
		default:
			if j.why == "" {
				j.why = "this is not what the original has here: " + excerpt(j.c, as, i)
			}
			j.doubt(kit.Erasure, b.s.Range.Start, "%s", j.why)
			return
		}
		if j.steps++; j.item(b) || b.at.loop == nil || b.cond != nil {
			j.changes++
		}
	}
	for ; i < len(as); i++ {
		if !done[i] {
			j.doubt(kit.Erasure, of.Range.End-1, "the original goes on here: %s", excerpt(j.c, as, i))
			return
		}
	}
}

func excerpt(c *kit.Comparison, as []*item, i int) string {
	if i >= len(as) {
		return c.Excerpt(nil, 0)
	}
	return c.Excerpt([]*ir.Stmt{as[i].s}, 0)
}

// isOwnParam recognises what gives each copy a parameter of its own: own[c] = x, if nothing else names x.
func (j *judge) isOwnParam(b *item) bool {
	if b.v != nil || b.s.Op != ir.StmtExpr || b.at.loop == nil || b.at.guarded || b.at.guard != nil || !slices.Contains(j.top, b.at.loop) {
		return false
	}
	e := b.e
	if e.Op != ir.OpAssign || e.Tok != "=" || e.Kids[1].Op != ir.OpIdent || e.Kids[1].Var == nil || e.Kids[1].Var.Kind != ir.VarParam {
		return false
	}
	w, p := j.copyOf(e.Kids[0], b.at), e.Kids[1].Var
	a := j.bound[p]
	if w == nil || a == nil || j.bound[w] != nil || j.mentions(p) != 1 || !j.alikeVars(a, w) {
		return false
	}
	delete(j.bound, p)
	j.bind(a, w)
	return true
}

// isTemp recognises a value that is computed before the statement that has it.
func (j *judge) isTemp(b *item) bool {
	t := &temp{at: b.at, steps: j.steps, changes: j.changes, init: b.e}
	v := b.v
	switch {
	case v != nil && b.at.loop == nil:
		if of := v.Held(); len(v.Dims) > 0 || !of.Const && !v.Type.Const || v.Type.Ptr > 0 || v.Type.Ref || !v.Type.Deduced() && j.al.TypeOf(b.e) != kit.PlainName(v.Type.Base) {
			return false
		}
	case v == nil && b.s.Op == ir.StmtExpr && b.at.loop != nil && !b.at.nested && b.e.Op == ir.OpAssign && b.e.Tok == "=":
		t.init, v = b.e.Kids[1], j.copyOf(b.e.Kids[0], b.at)
		if v == nil || j.bound[v] != nil || len(v.Writes) > 1 || len(v.Dims) != 1 || v.Type.Ptr > 0 || !kit.PlainValue(v.Type.Base) {
			return false
		}
	default:
		return false
	}
	if does := j.scope.Expr(j.al.New, t.init); does.Changes() || !does.IsKnown() || j.temps[v] != nil {
		return false
	}
	j.temps[v] = t
	return true
}

// movedUp returns the index of the later declaration of the original that stands here, 0 for none: what it passes sets a
// thread's own variables, and neither reads what the other sets.
func (j *judge) movedUp(as []*item, done []bool, i int, b *item) int {
	if b.v == nil || b.at.loop != nil {
		return 0
	}
	scope := j.al.Scope(j.al.Old)
	for m := i + 1; m < len(as) && as[m-1].v != nil; m++ {
		does := scope.Expr(j.al.Old, as[m].e)
		mark := len(j.trail)
		if done[m] || as[m].v == nil || does.Changes() || !does.IsKnown() || !j.same(as[m], b) {
			continue
		}
		for p := i; p < m; p++ {
			passed := scope.Expr(j.al.Old, as[p].e)
			if !done[p] && (passed.ChangesOthers() || !passed.IsKnown() || slices.ContainsFunc(append(slices.Clone(passed.Writes), as[p].v), func(v *ir.Var) bool {
				return v.AddrTaken || v.Type.Ref || slices.Contains(does.Reads, v) || kit.Some(&ir.Stmt{Op: ir.StmtExpr, Expr: as[m].e}, func(e *ir.Expr) bool { return e.Var == v })
			})) {
				return j.undo(mark)
			}
		}
		return m
	}
	return 0
}
