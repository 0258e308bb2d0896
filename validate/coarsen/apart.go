package coarsen

import (
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/ir/effect"
	"github.com/smux-cuda/smux/validate/kit"
)

// apart looks for what one copy changes and another has, too. What is done once is the same for all copies: it names nothing
// that they have of their own, and stores to variables and shared arrays of which there is one. What each copy does stores to
// what it has of its own, and to memory if it is at work. A copy that the grid has no block for repeats what the first one
// does, as far as it is not guarded: it reads nothing that only copies at work set. One that the block has no thread for does
// nothing. Threads have their block's shared arrays in common, which are memory to them.
type apart struct {
	al                  *kit.Alignment
	scope               *effect.Scope
	count               string // the name of the number of copies
	left, block, extent *ir.Var
	guards              map[*ir.Var]bool // arrays that say which copies are at work
	local               map[*ir.Var]bool
	addressed           map[*ir.Var]bool // what each copy has, and has an address of
	set                 map[*ir.Var]bool // what only copies at work set
	loose               map[*ir.Var]int  // what others read, and where
	loads, stores       map[*ir.Stmt]bool
	levels              *kit.Uniformity
}

func newApart(al *kit.Alignment, count string) *apart {
	p := &apart{al: al, scope: al.Scope(al.New), count: count, guards: map[*ir.Var]bool{}, local: map[*ir.Var]bool{}, addressed: map[*ir.Var]bool{}, set: map[*ir.Var]bool{},
		loose: map[*ir.Var]int{}, loads: map[*ir.Stmt]bool{}, stores: map[*ir.Stmt]bool{}}
	for _, v := range append(slices.Clone(al.New.Vars), al.New.Params...) {
		p.local[v] = true
	}
	return p
}

func (p *apart) doubt(c kit.Condition, at int, format string, args ...any) {
	p.al.Kernel.Doubt(c, p.al.Texts.New.File, at, format, args...)
}

// kind, place and size name what copies are, which one runs, and how many there are.
func (p *apart) kind() string  { return p.named("thread blocks", "threads") }
func (p *apart) place() string { return p.named("blockIdx", "threadIdx") }
func (p *apart) size() string  { return p.named("gridDim", "blockDim") }

func (p *apart) named(ofBlocks, ofThreads string) string {
	if p.threads() {
		return ofThreads
	}
	return ofBlocks
}

// threads reports whether copies are threads, and not thread blocks.
func (p *apart) threads() bool { return p.al.Obj.OfThreads }

// isPlace reports whether a built-in variable is another one for each copy, or in the merged launch.
func (p *apart) isPlace(name string) bool { return name == p.place() || name == p.size() }

// inCommon reports whether a variable is an array of the block, of which all threads have one.
func (p *apart) inCommon(v *ir.Var) bool { return p.threads() && v.Kind == ir.VarShared }

func (p *apart) isLocal(v *ir.Var) bool { return p.local[v] }

// isOwn reports whether each copy has a variable of its own: T v[COARSEN].
func (p *apart) isOwn(v *ir.Var) bool {
	return v != nil && p.local[v] && !p.inCommon(v) && len(v.Dims) > 0 && v.Dims[0] != nil && v.Dims[0].Op == ir.OpIdent && v.Dims[0].Name == p.count
}

// copyOf returns the variable of which an expression is a copy's own, nil for any other one: v of v[c].
func (p *apart) copyOf(e *ir.Expr, x context) *ir.Var {
	if x.loop == nil || e.Op != ir.OpIndex || len(e.Kids) != 2 || e.Kids[0].Op != ir.OpIdent || !p.isOwn(e.Kids[0].Var) || e.Kids[1].Op != ir.OpIdent || e.Kids[1].Var != x.loop.Init.Vars[0] {
		return nil
	}
	return e.Kids[0].Var
}

// isGuard reports whether a condition says that a copy is at work.
func (p *apart) isGuard(e *ir.Expr, x context) bool {
	if x.guard != nil {
		return p.copyOf(e, x) == x.guard
	}
	if p.threads() {
		return e.Op == ir.OpBinary && e.Tok == "<" && p.copyOf(e.Kids[0], x) == p.block && p.isExtent(e.Kids[1])
	}
	return e.Op == ir.OpBinary && e.Tok == "<" && e.Kids[0].Op == ir.OpIdent && e.Kids[0].Var == x.loop.Init.Vars[0] && e.Kids[1].Op == ir.OpIdent && e.Kids[1].Var == p.left
}

// isExtent reports whether an expression names the length of the original block.
func (p *apart) isExtent(e *ir.Expr) bool {
	if p.al.Obj.Whole {
		return e.Op == ir.OpMember && e.Name == p.al.Obj.Axis && e.Kids[0].Op == ir.OpIdent && e.Kids[0].Var == p.extent
	}
	return e.Op == ir.OpIdent && e.Var == p.extent
}

// mentions counts the places at which a variable is named.
func (p *apart) mentions(v *ir.Var) (n int) {
	kit.Walk(p.al.New.Body, func(e *ir.Expr) bool {
		if e.Op == ir.OpIdent && e.Var == v {
			n++
		}
		return true
	})
	return n
}

// item looks at what a statement does by itself, and reports whether that changes memory.
func (p *apart) item(b *item) (changes bool) {
	x, s := b.at, b.s
	switch target := s.JumpTarget(); {
	case b.cond != nil:
		return false // looked at when it was read
	case b.v != nil:
		if len(b.v.Dims) > 0 && p.isOwn(b.v) && !isZero(b.e) || b.v.Static {
			p.doubt(kit.Copies, b.v.Range.Start, "%s is set where it is declared", b.v.Name)
		}
		return p.expr(x, s, b.e)
	case s.Op == ir.StmtReturn && (x.loop != nil || x.inside != nil),
		(s.Op == ir.StmtBreak || s.Op == ir.StmtContinue) && (target == nil || x.loop != nil && (target == x.loop || !target.Inside(x.loop)) || x.inside != nil && !target.Inside(x.inside)):
		p.doubt(kit.Copies, s.Range.Start, "all copies leave where one of them does")
	}
	for _, e := range []*ir.Expr{s.Cond, b.e, s.Post} {
		if e != nil && p.expr(x, s, e) {
			changes = true
		}
	}
	return changes
}

// isZero reports whether an initialiser sets all elements to zero, as it does with one more dimension.
func isZero(e *ir.Expr) bool {
	return e.Op == ir.OpInitList && (len(e.Kids) == 0 || len(e.Kids) == 1 && e.Kids[0].Op == ir.OpInt && e.Kids[0].Int == 0)
}

// expr looks at what an expression does, and reports whether that changes memory.
func (p *apart) expr(x context, s *ir.Stmt, e *ir.Expr) bool {
	does := p.scope.Expr(p.al.New, e)
	if x.loop != nil && !x.guarded {
		if x.guard != nil || p.threads() && !(e.Op == ir.OpAssign && e.Tok == "=" && e.Kids[1].Op == ir.OpIdent) {
			p.doubt(kit.Copies, e.Range.Start, "copies that are not at work do this, too")
		}
		p.loads[x.loop] = p.loads[x.loop] || does.Loads()
	}
	p.visit(x, s, e, 0)
	return does.ChangesMemory()
}

// visit looks at an expression of which so many subscripts are taken.
func (p *apart) visit(x context, s *ir.Stmt, e *ir.Expr, depth int) {
	if does := p.scope.Step(p.al.New, e); e.Op != ir.OpCall && (!does.IsKnown() || does.Flags&effect.Volatile != 0) {
		p.doubt(kit.Copies, e.Range.Start, "it is not known what this does")
	}
	if p.threads() && p.al.Kernel.State.Joint(e) {
		p.doubt(kit.Copies, e.Range.Start, "threads of a block or a warp may rely on each other here")
	}
	switch e.Op {
	case ir.OpSizeof:
		return
	case ir.OpIdent:
		p.name(x, e, depth)
	case ir.OpIndex:
		of := kit.Indexed(e)
		for _, kid := range e.Kids {
			if kid == of {
				p.visit(x, s, kid, depth+1)
			} else {
				p.visit(x, s, kid, 0)
			}
		}
		return
	case ir.OpDeref:
		depth++
	case ir.OpAddr:
		depth = -100
	case ir.OpAssign, ir.OpIncDec:
		if w := e.Kids[0]; p.store(x, w, e.Range.Start) && e.Tok == "=" {
			for ; w.Op == ir.OpIndex && p.copyOf(w, x) == nil; w = kit.Indexed(w) {
				p.visit(x, s, w.Kids[1], 0)
			}
			if p.copyOf(w, x) != nil { // what it was is not read
				p.visit(x, s, e.Kids[1], 0)
				return
			}
		}
		depth = 0
	case ir.OpCall:
		p.call(x, s, e)
		for i, kid := range e.Kids {
			if i > 0 || kid.Op != ir.OpIdent {
				p.visit(x, s, kid, 0)
			}
		}
		return
	case ir.OpMember:
		if depth = min(depth, 0); e.Arrow {
			depth++
		}
	default:
		depth = 0
	}
	for _, kid := range append(slices.Clone(e.Kids), e.TArgs...) {
		p.visit(x, s, kid, depth)
	}
}

// name looks at a variable that is named.
func (p *apart) name(x context, e *ir.Expr, depth int) {
	v := e.Var
	switch {
	case v == nil || !p.local[v] || v == p.block || p.guards[v] || p.inCommon(v):
	case v.Type.Ref:
		p.doubt(kit.Copies, e.Range.Start, "it is not known what %s refers to", v.Name)
	case p.isOwn(v):
		if depth < len(v.Dims) || v.AddrTaken {
			p.addressed[v] = true
		}
		if x.loop == nil {
			p.doubt(kit.Copies, e.Range.Start, "each copy has %s, and this is done once", v.Name)
		} else if !x.guarded {
			p.loose[v] = e.Range.Start
		}
	case v.Static && v.Kind != ir.VarShared:
		p.doubt(kit.Copies, e.Range.Start, "all thread blocks have %s", v.Name)
	case x.loop != nil && v.Decl != nil && v.Decl.Inside(x.loop):
		if !x.guarded {
			p.loose[v] = e.Range.Start
		}
	case v.Kind != ir.VarParam && (v.AddrTaken || depth < len(v.Dims)), v.AddrTaken:
		p.doubt(kit.Copies, e.Range.Start, "all copies have %s, which may change by its address", v.Name)
	}
}

// store looks at what is stored to, and reports whether that is a variable of the kernel's, or an element of one.
func (p *apart) store(x context, target *ir.Expr, at int) bool {
	if root := kit.Base(target); root != nil && p.local[root.Var] && !root.Var.Type.Ref && !p.inCommon(root.Var) {
		v, levels := root.Var, 0
		if v.Kind != ir.VarParam {
			levels = len(v.Dims)
		}
		if kit.Addresses(target) <= levels {
			p.variable(x, v, at)
			return true
		}
	}
	p.memory(x, at)
	return false
}

// variable looks at a variable, or an array, that changes.
func (p *apart) variable(x context, v *ir.Var, at int) {
	switch {
	case x.loop != nil && (p.isOwn(v) || v.Decl != nil && v.Decl.Inside(x.loop) && v.Kind == ir.VarLocal):
		p.set[v] = p.set[v] || x.guarded
	case x.loop != nil:
		p.doubt(kit.Copies, at, "each copy changes %s, of which there is one", v.Name)
	case v.Kind == ir.VarShared && x.guard != nil:
		p.doubt(kit.Copies, at, "%s changes for copies that are not at work, too", v.Name)
	case x.inside != nil && (v.Decl == nil || !v.Decl.Inside(x.inside)):
		p.doubt(kit.Copies, at, "%s changes for copies that do not come here, too", v.Name)
	}
}

// memory looks at a place at which memory changes that is no variable of the kernel's.
func (p *apart) memory(x context, at int) {
	switch {
	case x.loop == nil:
		p.doubt(kit.Copies, at, "this is done once, and by each of the %s of the original", p.kind())
	case !x.guarded:
		p.doubt(kit.Copies, at, "copies that are not at work do this, too")
	default:
		p.stores[x.loop] = true
	}
}

// call looks at a call.
func (p *apart) call(x context, s *ir.Stmt, e *ir.Expr) {
	does, at := p.scope.Step(p.al.New, e), e.Range.Start
	switch name := kit.Called(e); {
	case kit.OfGrid[name]:
		p.doubt(kit.Copies, at, "%s speaks of the merged thread blocks", name)
	case p.al.Kernel.State.MeetsBarrier(e):
		switch {
		case !strings.HasPrefix(name, "__syncthreads") && !p.al.IsBarrier(p.al.Texts.New, s):
			p.doubt(kit.Uniform, at, "it is not known who waits here")
		case x.loop != nil || x.inside != nil:
			p.doubt(kit.Uniform, at, "not all threads of the thread block, or not all copies, come by this barrier")
		case x.guard != nil && (name != "__syncthreads" && !p.al.IsBarrier(p.al.Texts.New, s) || !p.agreed(s)):
			p.doubt(kit.Uniform, at, "threads that are left only in some copies come by this barrier")
		}
	case strings.HasPrefix(name, "__threadfence"):
	case (name == "this_thread_block" || name == "tiled_partition" && !p.al.Obj.OfThreads) && len(p.al.Kernel.State.Calls[e]) == 0: // which is the same for all copies
	case e.Intrinsic().IsOfWarp():
		if x.guard != nil {
			p.doubt(kit.Uniform, at, "lanes of which copies left come by %s", name)
		}
	case (e.Intrinsic().IsAtomic() || name == "printf") && len(p.al.Kernel.State.Calls[e]) == 0:
		p.memory(x, at)
	case !does.IsKnown(), p.scope.Elsewhere(p.al.New, e), does.Flags&effect.Volatile != 0, x.loop == nil && does.Flags&effect.Varies != 0:
		p.doubt(kit.Copies, at, "it is not known what %s does", name)
	default:
		for _, v := range does.Writes {
			if p.local[v] && !p.inCommon(v) {
				p.variable(x, v, at)
			}
		}
		if does.ChangesMemory() {
			p.memory(x, at)
		}
	}
}

// agreed reports whether the threads of a thread block that are left agree on whether, and how often, they come by a statement.
func (p *apart) agreed(s *ir.Stmt) bool {
	if p.levels == nil {
		p.levels = kit.NewUniformity(p.al)
	}
	for t := s.Parent; t != nil; t = t.Parent {
		if t.Op == ir.StmtCompound {
			continue
		}
		if t.Op != ir.StmtIf && t.Op != ir.StmtFor && t.Op != ir.StmtWhile || t.LeavesEarly() || t.Cond == nil || p.varies(t.Cond) {
			return false
		}
	}
	return true
}

// varies reports whether an expression may have other values in other threads of a thread block.
func (p *apart) varies(e *ir.Expr) bool {
	switch e.Op {
	case ir.OpIdent:
		return e.Var == nil || p.levels.Levels[e.Var] < kit.PerBlock
	case ir.OpMember:
		of := e.Kids[0]
		return of.Op != ir.OpIdent || of.Var != nil || of.Name != "blockDim" && of.Name != "gridDim"
	case ir.OpInt, ir.OpBinary, ir.OpUnary:
		return slices.ContainsFunc(e.Kids, p.varies)
	}
	return true
}

// finish looks at what is known when all statements were seen, and at the functions that the kernel calls.
func (p *apart) finish() {
	k := p.al.Kernel
	for v, at := range p.loose {
		if p.set[v] || p.addressed[v] {
			p.doubt(kit.Copies, at, "copies that the grid has no block for did not set %s", v.Name)
		}
	}
	for loop := range p.stores {
		if p.loads[loop] {
			p.doubt(kit.Copies, loop.Range.Start, "copies that the grid has no block for may load what the first one stored")
		}
	}
	dynamic, own := false, false
	for _, v := range p.al.New.Vars {
		dynamic = dynamic || v.Kind == ir.VarShared && v.Extern
		own = own || v.Kind == ir.VarShared && p.isOwn(v)
	}
	if dynamic && own {
		k.Doubt(kit.Numbers, p.al.Texts.New.File, p.al.New.View.Start, "it is not known that the dynamic shared memory fits beside the arrays of all copies")
	}
	for _, g := range k.State.Reach[1:] {
		if p.al.Texts.Apart[g.View] || len(g.Problems) > 0 {
			k.Doubt(kit.Erasure, g.File, g.View.Start, "%s is not the original's, or can't be read", g.View.Name)
		}
		for _, v := range g.Vars {
			if (v.Kind == ir.VarShared || v.Static) && !p.inCommon(v) {
				k.Doubt(kit.Copies, g.File, v.Range.Start, "all copies have %s", v.Name)
			}
		}
		kit.Walk(g.Body, func(e *ir.Expr) bool {
			if e.Op == ir.OpMember && e.Kids[0].Op == ir.OpIdent && e.Kids[0].Var == nil && p.isPlace(e.Kids[0].Name) && e.Name != p.al.Obj.Axis {
				return false
			}
			if e.Op == ir.OpAsm || e.Op == ir.OpCall && kit.OfGrid[kit.Called(e)] || e.Op == ir.OpIdent && e.Var == nil && p.isPlace(e.Name) ||
				p.threads() && (p.al.Kernel.State.Joint(e) || p.al.Scope(g).Step(g, e).Flags&effect.Volatile != 0) {
				k.Doubt(kit.Builtins, g.File, e.Range.Start, "%s speaks of the merged %s", g.View.Name, p.kind())
			}
			return true
		})
	}
	for c, how := range map[kit.Condition]string{kit.Copies: "every statement looked at", kit.Uniform: "every barrier looked at", kit.Builtins: "every use looked at"} {
		if !k.Doubtful(c) {
			k.Show(c, how)
		}
	}
}
