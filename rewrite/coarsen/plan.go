package coarsen

import (
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/barriers"
	"github.com/smux-cuda/smux/analysis/hazards"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/ir/effect"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite/kit"
)

// kind says what becomes of a statement.
type kind uint8

const (
	keep    kind = iota // once for all copies, as it is
	declare             // a variable for each copy
	repeat              // a run of statements, for each copy
	enter               // control is the same for all copies: what stands inside has steps of its own
	leave               // a guard at which only some copies return
	choose              // an if that holds for some copies: what stands inside runs where it holds for one
)

// step is a statement of the kernel, or several one after the other that are repeated together.
type step struct {
	kind   kind
	stmts  []*ir.Stmt
	inside []step
	head   *head // of a loop that is entered, where it has variables that differ
	// value holds the value that the first statement stores, computed for all copies before: as many loads are in flight.
	value *ir.Expr
	// outside says that the statements change more than the copies' own variables and shared arrays.
	outside       bool
	stores, loads spaces
}

// repeats reports whether something is done for each copy.
func (s step) repeats() bool { return s.kind != keep || slices.ContainsFunc(s.inside, step.repeats) }

// plan finds the steps of a list of statements; top is set for the kernel's own.
func (p *proof) plan(list []*ir.Stmt, top bool) (steps []step) {
	add := func(k kind, s *ir.Stmt, inside []step) {
		steps = append(steps, step{kind: k, stmts: []*ir.Stmt{s}, inside: inside})
	}
	for _, s := range list {
		switch {
		case !p.needsEach(s):
			add(keep, s, nil)
		case p.compiled(s):
			add(enter, s, slices.Concat(p.plan(s.List, false), p.branch(s.Body), p.branch(s.Else)))
		case p.inMacro(s):
			p.Refuse(p.Kernel.File, s.Range.Start, kit.CodeMacro, "a statement of a macro or under #if differs between copies")
		case s.Op == ir.StmtDecl && p.declaresOnly(s):
			for _, v := range s.Vars {
				if v.Kind == ir.VarLocal && v.Init == nil && len(s.Vars) > 1 {
					p.differs[v] = true
				}
			}
			add(declare, s, nil)
		case s.Op == ir.StmtCompound:
			add(enter, s, p.plan(s.List, false))
		case s.Op == ir.StmtIf && p.same(s.Cond) && s.Init == nil:
			add(enter, s, slices.Concat(p.branch(s.Body), p.branch(s.Else)))
		case s.IsLoop() && p.entered(s):
			add(enter, s, p.branch(s.Body))
		case p.parted(s) != nil:
			steps = append(steps, step{kind: enter, stmts: []*ir.Stmt{s}, head: p.parted(s), inside: p.branch(s.Body)})
		case top && s.Op == ir.StmtIf && s.Else == nil && s.Init == nil && isReturn(s.Body) && !s.Cond.Any(p.hiddenInMacro):
			p.leave(s)
			add(leave, s, nil)
		case !p.repeatable(s):
		case s.Op == ir.StmtIf && s.Else == nil && s.Init == nil && p.pays(s.Body):
			p.effects(s.Cond, []*ir.Stmt{s})
			add(choose, s, p.branch(s.Body))
		default:
			steps = p.repeated(steps, s)
		}
	}
	return steps
}

// branch finds the steps of what an if or a loop holds.
func (p *proof) branch(s *ir.Stmt) []step {
	switch {
	case s == nil:
		return nil
	case s.Op == ir.StmtCompound && !s.NoScope:
		return p.plan(s.List, false)
	}
	return p.plan([]*ir.Stmt{s}, false)
}

// repeated adds a statement to the steps: to the run before it, as long as loads of one copy need not wait for stores
// of another.
func (p *proof) repeated(steps []step, s *ir.Stmt) []step {
	p.differing(s, []*ir.Stmt{s})
	for _, v := range s.Vars {
		if v.Init != nil && p.changesOutside(v.Init) { // the loop over copies holds its declaration
			p.mark(v)
		}
	}
	stores, loads := p.accesses(s)
	value, outside := p.storedValue(s), s.AnyExpr(p.changesOutside)
	last := len(steps) - 1
	if value != nil || last < 0 || steps[last].kind != repeat || steps[last].outside != outside || steps[last].stores&loads != 0 || steps[last].loads&stores != 0 || hides(s, steps[last].stmts) {
		steps = append(steps, step{kind: repeat, value: value, outside: outside})
		last++
	}
	run := &steps[last]
	run.stmts = append(run.stmts, s)
	run.stores |= stores
	if value == nil {
		run.loads |= loads
	}
	return steps
}

// hides reports whether a declaration has a name by which statements before it mean something else: they can't stand
// after it.
func hides(s *ir.Stmt, before []*ir.Stmt) bool {
	return slices.ContainsFunc(s.Vars, func(v *ir.Var) bool {
		return slices.ContainsFunc(before, func(b *ir.Stmt) bool {
			return b.AnyExpr(func(e *ir.Expr) bool { return e.Name == v.Name && e.Var != v })
		})
	})
}

// spaces are kinds of memory, as bits: compilers know that these don't overlap.
type spaces uint8

const (
	shared spaces = 1 << iota
	other
)

// spaceOf returns where an object lies that an expression names, 0 for a variable of the thread.
func (p *proof) spaceOf(e *ir.Expr) spaces {
	root := e.Root()
	switch {
	case !p.inMemory(e):
		return 0
	case root != nil && root.Var != nil && root.Var.Kind == ir.VarShared:
		return shared
	case p.global(root):
		return other
	}
	return shared | other
}

// accesses returns which memory a statement writes and reads.
func (p *proof) accesses(s *ir.Stmt) (stores, loads spaces) {
	k := p.Kernel
	read := func(e *ir.Expr) {
		st, l := p.accesses(&ir.Stmt{Op: ir.StmtExpr, Expr: e})
		stores, loads = stores|st, loads|l
	}
	s.WalkExprs(func(e *ir.Expr) bool {
		switch {
		case e.Op == ir.OpAssign || e.Op == ir.OpIncDec:
			stores |= p.spaceOf(e.Kids[0])
			if e.Tok != "=" {
				loads |= p.spaceOf(e.Kids[0])
				return true
			}
			for to := e.Kids[0]; len(to.Kids) > 0; to = to.Kids[0] { // what is stored to isn't read, its subscripts are
				for _, at := range to.Kids[1:] {
					read(at)
				}
			}
			read(e.Kids[1])
			return false
		case e.Op == ir.OpIndex || e.Op == ir.OpDeref || e.Op == ir.OpIdent && !isBuiltin(e):
			loads |= p.spaceOf(e)
		case e.Op == ir.OpCall:
			does := k.Step(k.Func, e)
			if does.Changes() {
				stores |= shared | other
			}
			if does.Loads() || does.Changes() {
				loads |= shared | other
			}
		}
		return true
	})
	return stores, loads
}

// needsEach reports whether a statement must run for each copy.
func (p *proof) needsEach(s *ir.Stmt) bool {
	each := false
	s.Walk(func(t *ir.Stmt) bool {
		if p.aborts(t) {
			return false
		}
		if !slices.ContainsFunc(t.Vars, analysis.IsGroupType) {
			each = each || slices.ContainsFunc(t.Vars, func(v *ir.Var) bool { return p.differs[v] })
			t.Exprs(func(e *ir.Expr) { each = each || !p.same(e) || p.changesOutside(e) })
		}
		return !each
	})
	return each
}

// inMacro reports whether the text of a statement can't change: a macro or an #if holds it.
func (p *proof) inMacro(s *ir.Stmt) bool {
	if s.Macro || s.NoScope || s.Preproc || s.Op == ir.StmtCase || s.Op == ir.StmtLabel || s.Op == ir.StmtUnknown {
		return true
	}
	return (s.Op == ir.StmtDecl || s.Op == ir.StmtExpr) && s.AnyExpr(p.hiddenInMacro)
}

// compiled reports whether a statement is an #if around whole statements, or the branch of one that is always compiled. What
// only some builds declare in it is the same for all copies: it may be named after the #if.
func (p *proof) compiled(s *ir.Stmt) bool {
	if s.Macro || s.Any(func(t *ir.Stmt) bool { return t.Macro || t.Op == ir.StmtLabel || t.Op == ir.StmtCase }) {
		return false
	}
	return s.Op == ir.StmtCompound && s.NoScope || s.Op == ir.StmtIf && s.Preproc && !s.Any(func(t *ir.Stmt) bool {
		return slices.ContainsFunc(t.Vars, func(v *ir.Var) bool { return p.differs[v] && t.Parent.NoScope })
	})
}

// hiddenInMacro reports whether an expression of a macro differs between copies, and not by the macro's arguments alone.
func (p *proof) hiddenInMacro(e *ir.Expr) bool { return e.Macro && !p.same(e) && !p.inArguments(e) }

// inArguments reports whether all that differs of a macro's use stands in its arguments, whose text can change.
func (p *proof) inArguments(e *ir.Expr) bool {
	f := p.Kernel.File
	text := kit.Text(f, e.Range)
	name, _, call := strings.Cut(text, "(")
	m, known := f.Macros.Lookup(strings.TrimSpace(name), e.Range.Start)
	if !call || !known || !m.FunctionLike || m.Ambiguous || m.Overridable || strings.Contains(m.Body, "#") || strings.ContainsAny(text, `"'`) {
		return false
	}
	for _, name := range [...]string{p.place(), p.size()} {
		for _, at := range kit.WordOffsets(text, name) {
			if member := text[at+len(name):]; len(member) < 2 || member[0] != '.' || !strings.Contains("xyz", member[1:2]) {
				return false
			}
		}
	}
	for _, word := range parser.Words(m.Body) {
		if _, macro := f.Macros.Lookup(word, e.Range.Start); macro {
			return false
		}
	}
	return !e.Any(func(t *ir.Expr) bool {
		switch {
		case t.Op == ir.OpIdent && t.Var != nil && p.differs[t.Var], isBuiltin(t) && (t.Name == p.place() || t.Name == p.size()):
			free := slices.Contains(parser.Words(m.Body), t.Name) && !slices.Contains(m.Params, t.Name)
			return free || len(kit.WordOffsets(text, t.Name)) == 0
		}
		return false
	})
}

// declaresOnly reports whether a declaration gives its variables no value that is computed.
func (p *proof) declaresOnly(s *ir.Stmt) bool {
	return !slices.ContainsFunc(s.Vars, func(v *ir.Var) bool { return v.Init != nil && !p.isZero(v) })
}

// isZero reports whether an array's initialiser sets all elements to zero, as it does with one more dimension.
func (p *proof) isZero(v *ir.Var) bool {
	return len(v.Dims) > 0 && v.Init.Op == ir.OpInitList && slices.Contains([]string{"{}", "{0}", "{0.0f}", "{0.f}", "{0.0}"}, strings.ReplaceAll(kit.Text(p.Kernel.File, v.Init.Range), " ", ""))
}

// entered reports whether all copies run a loop for the same iterations.
func (p *proof) entered(s *ir.Stmt) bool {
	head := func(e *ir.Expr) bool { return e == nil || p.same(e) && !p.changesOutside(e) }
	return !p.split[s] && head(s.Cond) && head(s.Post) && (s.Init == nil || !p.needsEach(s.Init))
}

// leave finds what differs after a guard, since a thread that has left for one copy goes on for others: what it stores to
// shared memory. Calls that ask all lanes of a warp or all threads of a block for a value are refused.
func (p *proof) leave(guard *ir.Stmt) {
	k := p.Kernel
	p.effects(guard.Cond, []*ir.Stmt{guard})
	for _, fn := range k.Functions {
		for e := range fn.Body.AllExprs() {
			switch {
			case fn == k.Func && e.Range.Start <= guard.Range.Start:
			case e.Op == ir.OpCall && (barriers.IsWarpCall(k, fn, e) || strings.HasPrefix(e.Name, "__syncthreads_")):
				p.Refuse(fn.File, e.Range.Start, CodeControl, "%s works with all threads, of which some have left at %s", e.Name, p.At(guard.Range.Start))
			case fn == k.Func && (e.Op == ir.OpAssign || e.Op == ir.OpIncDec) && p.spaceOf(e.Kids[0])&shared != 0:
				p.store(e.Kids[0], true, nil)
			}
		}
	}
}

// isReturn reports whether a statement returns and does nothing else.
func isReturn(s *ir.Stmt) bool {
	if s.Op == ir.StmtCompound && len(s.List) == 1 {
		s = s.List[0]
	}
	return s.Op == ir.StmtReturn && s.Expr == nil
}

// repeatable reports whether copies can run a statement one after the other.
func (p *proof) repeatable(s *ir.Stmt) bool {
	k, at := p.Kernel, s.Range.Start
	isShared := func(v *ir.Var) bool { return v.Kind == ir.VarShared }
	switch {
	case s.Any(func(t *ir.Stmt) bool { return barriers.BarrierIn(k, k.Func, t) }):
		p.Refuse(k.File, at, kit.CodeDivergent, "a barrier under a condition that differs between %s along %s: one barrier is for all copies", p.kind(), p.Axis())
	case p.ofThreads() && s.Any(func(t *ir.Stmt) bool { return t.IsLoop() && hazards.Spins(k, k.Func, t) }):
		p.Refuse(k.File, at, analysis.CodeSpin, "a loop that each copy runs waits for memory, which another copy may have to change")
	case p.ofThreads() && s.AnyExpr(prints):
		p.Refuse(k.File, at, kit.CodeTogether, "printf shows in which order threads run")
	case s.Any(func(t *ir.Stmt) bool { return t.Op == ir.StmtReturn }):
		p.Refuse(k.File, at, CodeControl, "a return that only some of the merged %s may reach, and no guard of the whole kernel", p.kind())
	case s.Any(func(t *ir.Stmt) bool {
		return (t.Op == ir.StmtBreak || t.Op == ir.StmtContinue) && (t.JumpTarget() == nil || !t.JumpTarget().Inside(s))
	}):
		p.Refuse(k.File, at, CodeControl, "a jump out of a statement that is repeated for each copy")
	case s.Any(func(t *ir.Stmt) bool { return t != s && t.Op != ir.StmtCompound && t.Op != ir.StmtCase && p.inMacro(t) }) || s.AnyExpr(p.hiddenInMacro):
		p.Refuse(k.File, at, kit.CodeMacro, "a macro holds what differs between copies")
	case s.Any(func(t *ir.Stmt) bool { return slices.ContainsFunc(t.Vars, isShared) }):
		p.Refuse(k.File, at, CodeVariables, "a shared variable is declared in a statement that is repeated for each copy")
	default:
		return true
	}
	return false
}

// pays reports whether it pays to repeat the statements of an if one by one, and not the if as a whole: they hold a
// loop that all copies run alike, or stores of what was loaded.
func (p *proof) pays(body *ir.Stmt) bool {
	return body.Any(func(t *ir.Stmt) bool { return t.IsLoop() && p.entered(t) || p.storedValue(t) != nil })
}

// storedValue returns what a statement stores to memory where it is made of loads that differ and can be computed
// before the place of the store; nil for any other.
func (p *proof) storedValue(s *ir.Stmt) *ir.Expr {
	k := p.Kernel
	if s.Op != ir.StmtExpr || s.Expr.Op != ir.OpAssign || s.Expr.Tok != "=" {
		return nil
	}
	to, value := s.Expr.Kids[0], s.Expr.Kids[1]
	if stores, loads := p.accesses(s); stores&loads == 0 || !value.Any(p.loadsHere) || !k.Effect(k.Func, value).Repeatable() || k.Effect(k.Func, to).Changes() || p.elementType(to) == "" {
		return nil
	}
	return value
}

// elementType is the type of an element of memory as text, "" where the text doesn't say it.
func (p *proof) elementType(e *ir.Expr) string {
	t := p.Kernel.TypeOf(p.Kernel.Func, e)
	if t.Levels > 0 || t.Kind != effect.Number && t.Kind != effect.Vector {
		return ""
	}
	return t.Base
}
