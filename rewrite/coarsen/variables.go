package coarsen

import (
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis/evaluate"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite/kit"
)

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
			for t := range e.All() {
				if t.Var != nil {
					use(t.Var)
				}
			}
		}
		if s.head != nil {
			for _, v := range s.head.vars {
				p.heads[v] = true
				use(v)
				uses(v.Init)
			}
			for _, e := range s.head.posts {
				uses(e)
			}
		}
		switch s.kind {
		case leave, choose:
			uses(s.stmts[0].Cond)
		case repeat, declare:
			for _, stmt := range s.stmts {
				for t := range stmt.All() {
					for _, v := range t.Vars {
						use(v)
						// Others of the declaration may be needed elsewhere.
						p.arrays[v] = p.arrays[v] || p.differs[v] && t == stmt && len(t.Vars) > 1
					}
					t.Exprs(uses)
				}
			}
		}
		p.owned(s.inside)
	}
}

// checkVariables proves that what copies have for themselves can be declared as arrays.
func (p *proof) checkVariables() {
	k := p.Kernel
	p.arrays, p.heads, p.owners = map[*ir.Var]bool{}, map[*ir.Var]bool{}, map[*ir.Var]*step{}
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
		case v.Type.Ref || v.Type.Function || v.Type.Rows != nil || v.Type.Record != nil || v.Type.IsAuto() || !p.plain(v) && !p.record(v):
			p.Refuse(k.File, at, CodeVariables, "an array of %s, one for each copy, may not be the same: its type is %s", v.Name, v.Type)
		case p.heads[v]:
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
	p.whole = p.ofThreads() || p.missed(p.steps, nil)
	k.Func.Body.Walk(func(s *ir.Stmt) bool {
		s.Exprs(func(e *ir.Expr) { p.whole = p.whole || e.Any(p.losesValue) })
		return !p.aborts(s)
	})
}

// checkMentions proves that the names of what becomes an array stand where they were looked at alone.
func (p *proof) checkMentions() {
	k := p.Kernel
	known, names := map[int]bool{}, map[string]bool{}
	for _, v := range p.sorted() {
		names[v.Name] = true
	}
	for e := range k.Func.Body.AllExprs() {
		known[e.Range.Start] = known[e.Range.Start] || e.Op == ir.OpIdent
		if e.Macro && e.Var != nil && p.arrays[e.Var] && p.inArguments(e) { // all places of its arguments change
			for _, at := range kit.WordOffsets(kit.Text(k.File, e.Range), e.Name) {
				known[e.Range.Start+at] = true
			}
		}
	}
	for _, v := range k.Func.Vars {
		known[p.nameAt(v)] = true
		for _, d := range v.Dims {
			for e := range d.All() {
				known[e.Range.Start] = false
			}
		}
	}
	for n := range k.View.Body.All() {
		if at := int(n.Start); (n.Kind == parser.KindIdentifier || n.Kind == parser.KindTypeIdentifier) && names[k.File.Text(n)] && !known[at] {
			p.Refuse(k.File, at, CodeVariables, "%s is named here in a way that can't be followed", k.File.Text(n))
		}
	}
}

// nameAt is the offset of a variable's name in its declarator, -1 where a macro holds it.
func (p *proof) nameAt(v *ir.Var) int {
	f, at := p.Kernel.File, -1
	p.Kernel.View.Body.Walk(func(n *parser.Node) bool {
		if at < 0 && n.Kind == parser.KindIdentifier && v.Range.Start <= int(n.Start) && int(n.End) <= v.Range.End && f.Text(n) == v.Name {
			at = int(n.Start)
		}
		return at < 0 && int(n.Start) < v.Range.End && v.Range.Start < int(n.End)
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
		return e.Op == ir.OpCast && to.Ptr >= 0 && len(e.Kids) == 1 && !p.global(e.Kids[0].Root()) && (to.Ptr > 0 || evaluate.SizeOf(k, k.Func, to) > evaluate.SizeOf(k, k.Func, v.Type))
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
		return v.Type.Ptr > 0 || len(v.Dims) > 0 && v.Init != nil || v.Type.Ref || v.Init != nil && k.Effect(k.Func, v.Init).Changes()
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
