package coarsen

import (
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis"
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
	// value holds the value that the first statement stores, computed for all copies before: as many loads are in flight.
	value *ir.Expr
	// outside says that the statements change more than the copies' own variables and shared arrays.
	outside       bool
	stores, loads spaces
}

// repeats reports whether something is done for each copy.
func (s step) repeats() bool { return s.kind != keep || slices.ContainsFunc(s.inside, step.repeats) }

// context says where a list of statements stands.
type context struct {
	top bool // the kernel's own list
}

// plan finds the steps of a list of statements.
func (p *proof) plan(list []*ir.Stmt, at context) (steps []step) {
	add := func(k kind, s *ir.Stmt, inside []step) {
		steps = append(steps, step{kind: k, stmts: []*ir.Stmt{s}, inside: inside})
	}
	for _, s := range list {
		switch {
		case !p.needsEach(s):
			add(keep, s, nil)
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
			add(enter, s, p.plan(s.List, context{}))
		case s.Op == ir.StmtIf && p.same(s.Cond) && s.Init == nil:
			add(enter, s, slices.Concat(p.branch(s.Body), p.branch(s.Else)))
		case s.IsLoop() && p.entered(s):
			add(enter, s, p.branch(s.Body))
		case at.top && s.Op == ir.StmtIf && s.Else == nil && s.Init == nil && isReturn(s.Body) && !s.Cond.Any(p.hiddenInMacro):
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
		return p.plan(s.List, context{})
	}
	return p.plan([]*ir.Stmt{s}, context{})
}

// repeated adds a statement to the steps: to the run before it, as long as loads of one copy need not wait for stores
// of another.
func (p *proof) repeated(steps []step, s *ir.Stmt) []step {
	p.differing(s, []*ir.Stmt{s})
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
	return s.Any(func(t *ir.Stmt) bool {
		if slices.ContainsFunc(t.Vars, analysis.IsGroupType) {
			return false
		}
		differs := slices.ContainsFunc(t.Vars, func(v *ir.Var) bool { return p.differs[v] })
		t.Exprs(func(e *ir.Expr) { differs = differs || !p.same(e) || p.changesOutside(e) })
		return differs
	})
}

func (p *proof) inMacro(s *ir.Stmt) bool {
	if s.Macro || s.NoScope || s.Preproc || s.Op == ir.StmtCase || s.Op == ir.StmtLabel || s.Op == ir.StmtUnknown {
		return true
	}
	return (s.Op == ir.StmtDecl || s.Op == ir.StmtExpr) && s.AnyExpr(p.hiddenInMacro)
}

// hiddenInMacro reports whether an expression of a macro differs between copies, and not by the macro's arguments alone.
func (p *proof) hiddenInMacro(e *ir.Expr) bool { return e.Macro && !p.same(e) && !p.inArguments(e) }

// inArguments reports whether all that differs of a macro's use stands in its arguments, whose text can change.
func (p *proof) inArguments(e *ir.Expr) bool {
	f := p.Kernel.File
	text := kit.Text(f, e.Range)
	name, _, call := strings.Cut(text, "(")
	m, known := f.Macros.Lookup(strings.TrimSpace(name), e.Range.Start)
	if !call || !known || !m.FunctionLike || m.Ambiguous || strings.Contains(m.Body, "#") || strings.ContainsAny(text, `"'`) {
		return false
	}
	for _, at := range kit.WordOffsets(text, "blockIdx") {
		if member := text[at+len("blockIdx"):]; len(member) < 2 || member[0] != '.' {
			return false
		}
	}
	for _, word := range parser.Words(m.Body) {
		if _, macro := f.Macros.Lookup(word, e.Range.Start); macro {
			return false
		}
	}
	return !e.Any(func(t *ir.Expr) bool {
		switch {
		case t.Op == ir.OpIdent && t.Var != nil && p.differs[t.Var], isBuiltin(t) && t.Name == "blockIdx":
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
		fn.Body.WalkExprs(func(e *ir.Expr) bool {
			switch {
			case fn == k.Func && e.Range.Start <= guard.Range.Start:
			case e.Op == ir.OpCall && (k.IsWarpCall(fn, e) || strings.HasPrefix(e.Name, "__syncthreads_")):
				p.Refuse(fn.File, e.Range.Start, CodeControl, "%s works with all threads, of which some have left at %s", e.Name, p.At(guard.Range.Start))
			case fn == k.Func && (e.Op == ir.OpAssign || e.Op == ir.OpIncDec) && p.spaceOf(e.Kids[0])&shared != 0:
				p.store(e.Kids[0], true, nil)
			}
			return true
		})
	}
}

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
	case s.Any(func(t *ir.Stmt) bool { return k.BarrierIn(k.Func, t) }):
		p.Refuse(k.File, at, kit.CodeDivergent, "a barrier under a condition that differs between thread blocks along %s: one barrier is for all copies", p.Axis())
	case s.Any(func(t *ir.Stmt) bool { return t.Op == ir.StmtReturn }):
		p.Refuse(k.File, at, CodeControl, "a return that only some of the merged thread blocks may reach, and no guard of the whole kernel")
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

// owned finds which step holds which of the variables that differ: those that two need are arrays.
func (p *proof) owned(steps []step) {
	for i := range steps {
		s := &steps[i]
		use := func(v *ir.Var) {
			if !p.differs[v] {
				return
			}
			if owner, known := p.owners[v]; known && owner != s || s.kind != repeat || v.Kind == ir.VarShared || v.Kind == ir.VarParam {
				p.arrays[v] = true
			}
			p.owners[v] = s
		}
		uses := func(e *ir.Expr) {
			e.Walk(func(t *ir.Expr) bool {
				if t.Var != nil {
					use(t.Var)
				}
				return true
			})
		}
		switch s.kind {
		case leave, choose:
			uses(s.stmts[0].Cond)
		case repeat, declare:
			for _, stmt := range s.stmts {
				stmt.Walk(func(t *ir.Stmt) bool {
					for _, v := range t.Vars {
						use(v)
						// Others of the declaration may be needed elsewhere.
						p.arrays[v] = p.arrays[v] || p.differs[v] && t == stmt && len(t.Vars) > 1
					}
					t.Exprs(uses)
					return true
				})
			}
		}
		p.owned(s.inside)
	}
}

// checkVariables proves that what copies have for themselves can be declared as arrays.
func (p *proof) checkVariables() {
	k := p.Kernel
	p.arrays, p.owners = map[*ir.Var]bool{}, map[*ir.Var]*step{}
	p.owned(p.steps)
	for _, v := range p.sorted() {
		at := v.Range.Start
		decl := v.Decl
		switch {
		case v.Kind == ir.VarParam:
			if len(v.Dims) > 0 || v.Type.Function || v.Type.Rows != nil || v.Pack || v.Macro || v.Type.Ref || !p.plain(v) {
				p.Refuse(k.File, at, CodeVariables, "parameter %s gets values that differ between copies", v.Name)
			}
		case v.Kind != ir.VarLocal && v.Kind != ir.VarShared || v.Static || decl == nil:
			p.Refuse(k.File, at, CodeVariables, "%s is no variable of one thread or one block", v.Name)
		case v.Macro || decl.Macro:
			p.Refuse(k.File, at, kit.CodeMacro, "%s is declared in a macro", v.Name)
		case v.Type.Ref || v.Type.Function || v.Type.Rows != nil || v.Type.Record != nil || v.Type.IsAuto() || !p.plain(v):
			p.Refuse(k.File, at, CodeVariables, "an array of %s, one for each copy, may not be the same: its type is %s", v.Name, v.Type)
		case len(v.Dims) > 0 && v.Kind == ir.VarLocal && p.widened(v):
			p.Refuse(k.File, at, CodeVariables, "a pointer to %s is cast to one to larger elements, which the second may not be aligned for", v.Name)
		case v.Init != nil && !p.isZero(v) && (strings.Contains(kit.Text(k.File, ir.Range{Start: decl.Range.Start, End: p.nameAt(decl.Vars[0])}), "/") || len(v.Dims) > 0 || kit.TopLevelEquals(kit.Text(k.File, v.Range)) < 0):
			p.Refuse(k.File, at, CodeVariables, "%s is initialised in a form that an array for each copy doesn't have", v.Name)
		case len(decl.Vars) > 1 && !p.declaresOnly(decl) && !p.dividable(decl):
			p.Refuse(k.File, at, CodeVariables, "%s is declared together with variables of other types, or whose values change something", v.Name)
		case v.Type.Const && v.Type.Ptr == 0 && p.bound(v):
			p.Refuse(k.File, at, CodeVariables, "a function may tell that %s is no constant", v.Name)
		case decl.Parent != nil && decl.Parent.Op != ir.StmtCompound:
			p.Refuse(k.File, at, CodeVariables, "%s is declared in the head of a statement", v.Name)
		}
	}
	p.checkMentions()
	p.whole = k.Func.Body.AnyExpr(p.losesValue) || p.missed(p.steps, nil)
}

// checkMentions proves that the names of what becomes an array stand where they were looked at alone.
func (p *proof) checkMentions() {
	k := p.Kernel
	known, names := map[int]bool{}, map[string]bool{}
	for _, v := range p.sorted() {
		names[v.Name] = true
	}
	k.Func.Body.WalkExprs(func(e *ir.Expr) bool {
		known[e.Range.Start] = known[e.Range.Start] || e.Op == ir.OpIdent
		if e.Macro && p.inArguments(e) {
			for name := range names {
				for _, at := range kit.WordOffsets(kit.Text(k.File, e.Range), name) {
					known[e.Range.Start+at] = true
				}
			}
		}
		return true
	})
	for _, v := range k.Func.Vars {
		known[p.nameAt(v)] = true
		for _, d := range v.Dims {
			d.Walk(func(e *ir.Expr) bool {
				known[e.Range.Start] = false
				return true
			})
		}
	}
	k.View.Body.Walk(func(n *parser.Node) bool {
		if at := int(n.Start); (n.Kind == parser.KindIdentifier || n.Kind == parser.KindTypeIdentifier) && names[k.File.Text(n)] && !known[at] {
			p.Refuse(k.File, at, CodeVariables, "%s is named here in a way that can't be followed", k.File.Text(n))
		}
		return true
	})
}

// nameAt is the offset of a variable's name in its declarator, -1 where a macro holds it.
func (p *proof) nameAt(v *ir.Var) int {
	f, at := p.Kernel.File, -1
	p.Kernel.View.Body.Walk(func(n *parser.Node) bool {
		if at < 0 && n.Kind == parser.KindIdentifier && v.Range.Start <= int(n.Start) && int(n.End) <= v.Range.End && f.Text(n) == v.Name {
			at = int(n.Start)
		}
		return at < 0
	})
	return at
}

// missed reports whether a copy beyond the grid would miss what it has for itself, as it leaves out a statement with an
// effect on what lies outside.
func (p *proof) missed(steps []step, under *ir.Stmt) bool {
	return slices.ContainsFunc(steps, func(s step) bool {
		in := under
		if s.kind == choose && in == nil {
			in = s.stmts[0]
		}
		left := func(v *ir.Var) bool {
			return p.arrays[v] && (v.Kind == ir.VarShared || v.Decl == nil || !v.Decl.Inside(in))
		}
		sets := func(e *ir.Expr) bool {
			return (e.Op == ir.OpAssign || e.Op == ir.OpIncDec) && e.Kids[0].Root() != nil && !p.throughPointer(e.Kids[0]) && left(e.Kids[0].Root().Var)
		}
		return (in != nil || s.outside) && slices.ContainsFunc(s.stmts, func(t *ir.Stmt) bool {
			return s.kind == repeat && (slices.ContainsFunc(t.Vars, left) || t.AnyExpr(sets))
		}) || p.missed(s.inside, in)
	})
}

// widened reports whether a pointer that may lead to a local array is cast to one to larger elements.
func (p *proof) widened(v *ir.Var) bool {
	k := p.Kernel
	return k.Func.Body.AnyExpr(func(e *ir.Expr) bool {
		to := e.Type
		to.Ptr--
		return e.Op == ir.OpCast && to.Ptr >= 0 && len(e.Kids) == 1 && !p.global(e.Kids[0].Root()) && (to.Ptr > 0 || k.SizeOf(k.Func, to) > k.SizeOf(k.Func, v.Type))
	})
}

// bound reports whether a reference may be bound to a variable.
func (p *proof) bound(v *ir.Var) bool {
	k := p.Kernel
	return k.Func.Body.AnyExpr(func(e *ir.Expr) bool {
		return slices.ContainsFunc(e.Args(), func(a *ir.Expr) bool {
			return a.Op == ir.OpIdent && a.Var == v && k.MayBindReference(k.Func, e, slices.Index(e.Args(), a))
		})
	})
}

// dividable reports whether a declaration can be one for each of its variables, those first that are the same for all
// copies: these don't need the others.
func (p *proof) dividable(decl *ir.Stmt) bool {
	k := p.Kernel
	return !slices.ContainsFunc(decl.Vars, func(v *ir.Var) bool {
		return v.Type.Ptr > 0 || len(v.Dims) > 0 || v.Type.Ref || v.Init != nil && k.Effect(k.Func, v.Init).Changes()
	})
}

// losesValue reports whether a copy that leaves out an effect on what lies outside of it would miss a value: what an
// atomic operation returned, or what was stored through a pointer that may lead to variables of its own.
func (p *proof) losesValue(e *ir.Expr) bool {
	k := p.Kernel
	switch {
	case e.Op == ir.OpAssign || e.Op == ir.OpIncDec:
		return p.changesOutside(e) && !p.global(e.Kids[0].Root())
	case e.Op == ir.OpCall && k.Step(k.Func, e).Changes() && !p.once(e):
		return !e.Intrinsic().IsAtomic() || len(e.Args()) == 0 || !p.global(e.Args()[0].Root()) || !k.Func.Body.Any(func(s *ir.Stmt) bool { return s.Op == ir.StmtExpr && s.Expr == e })
	}
	return false
}
