package slice

import (
	"fmt"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/evaluate"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/liveness"
	"github.com/smux-cuda/smux/analysis/uniformity"
	"github.com/smux-cuda/smux/internal/lists"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite/edit"
	"github.com/smux-cuda/smux/rewrite/kit"
	"github.com/smux-cuda/smux/rewrite/overlay"
	"github.com/smux-cuda/smux/rewrite/packing"
)

// What the rounds of arrays, and of groups of their rows, are written as.

// unionOf has arrays that have a round each share their bytes. Those that can't are
// dropped, for reasons that are added.
func (p *sliceProof) unionOf() {
	o := &overlay.OverlayProof{Findings: p.Findings}
	set := overlay.OverlaySet{Tree: &packing.Tree{Union: true}}
	if !o.SeenWider() {
		p.arrays = slices.DeleteFunc(p.arrays, func(a *slicedArray) bool {
			v := o.DeclaredVar(a.Shared)
			if v != nil {
				set.Tree.Parts = append(set.Tree.Parts, &packing.Tree{Array: len(set.Vars)})
				set.Vars = append(set.Vars, v)
			}
			return v == nil
		})
	} else {
		p.arrays = nil
	}
	for len(set.Vars) > 1 {
		bad := o.PlaceUnion(&set)
		if bad == nil {
			break
		}
		i := slices.Index(set.Vars, bad)
		p.arrays = slices.Delete(p.arrays, i, i+1)
		set.Vars = slices.Delete(set.Vars, i, i+1)
		set.Tree.Parts = set.Tree.Parts[:len(set.Vars)]
	}
	p.Reasons = o.Reasons
	o.Overlays = []overlay.OverlaySet{set}
	p.union = o
}

// declareUnion declares the union of arrays that have a round each.
func (w *slicer) declareUnion() {
	set := w.union.Overlays[0]
	o := &overlay.OverlayEmitter{Emitter: w.Emitter, Path: map[*ir.Var]string{}, Above: map[*ir.Stmt][]string{}}
	lines := o.Union(set, w.Kernel.Name)
	if set.Place.Op == ir.StmtDecl {
		o.Above[set.Place] = lines
	} else {
		o.InsertBefore(w.Of.File, set.Place.Outer.Start, lines...)
	}
	done := map[*ir.Stmt]bool{}
	for _, a := range set.Vars {
		if !done[a.V.Decl] {
			done[a.V.Decl] = true
			o.References(w.Of.File, a.V.Decl)
		}
	}
}

// rebased has the first subscript of an access count from the first row of its group.
func (w *slicer) rebased(f *parser.File, u *sliceUse) []edit.Edit {
	if u.array.groups == nil || u.array.groups[u.group].first == 0 {
		return nil
	}
	first := u.array.groups[u.group].first
	index := u.index()
	r := index.Range
	if index.Op == ir.OpBinary && index.Tok == "+" && !index.Macro {
		for i, kid := range index.Kids {
			if n, ok := w.constant(kid); ok && n == int64(first) {
				return []edit.Edit{{Start: r.Start, End: r.End, New: kit.Text(f, index.Kids[1-i].Range)}}
			}
		}
	}
	if index.Op == ir.OpBinary && index.Tok == "-" && !index.Macro {
		if n := index.Kids[0]; n.Op == ir.OpInt && !n.Macro && n.Tok == "" && n.Int >= int64(first) {
			return []edit.Edit{{Start: n.Range.Start, End: n.Range.End, New: kit.Number(int(n.Int) - first)}}
		}
	}
	return []edit.Edit{{Start: r.Start, End: r.End, New: kit.Minus(f, index, kit.Text(f, r), first)}}
}

// earlyArray writes what a round before the last one does for a use of it, by array.
func (w *slicer) earlyArray(x *exchange, u *sliceUse) string {
	f := w.Of.File
	elem := editedText(f, u.whole.Range, w.rebased(f, u)...)
	switch {
	case u.store != nil:
		return elem + " = " + valueText(f, u.store) + ";"
	case !x.check.direct[u]:
		return w.slot(x, u) + " = " + elem + ";"
	case u.decl != nil:
		return u.decl.Name + " = " + elem + ";"
	}
	return kit.Text(f, u.into.Range) + " = " + elem + ";"
}

// movedText is a statement that runs in an earlier round.
func (w *slicer) movedText(t *unit) []string {
	f := w.Of.File
	r := ir.Range{Start: t.stmt.Outer.Start, End: kit.StmtEnd(f, t.stmt)}
	var edits []edit.Edit
	for _, u := range t.uses {
		edits = append(edits, w.rebased(f, u)...)
	}
	return linesOf(f, r, editedText(f, r, edits...))
}

// linesOf are the lines of a text that stood at a range, without the indentation of the first.
func linesOf(f *parser.File, r ir.Range, s string) []string {
	indent := kit.IndentAt(f, r.Start)
	return lists.Map(strings.Split(strings.TrimSpace(s), "\n"), func(l string) string { return strings.TrimPrefix(strings.TrimRight(l, "\r"), indent) })
}

// lastArray makes of an access that of the last round, by array.
func (w *slicer) lastArray(x *exchange, u *sliceUse) {
	b := w.Buffer(w.Of.File)
	switch _, waits := x.check.staged[u]; {
	case u.round() == x.check.last:
		for _, e := range w.rebased(w.Of.File, u) {
			b.Replace(e.Start, e.End, e.New)
		}
	case waits:
		b.Replace(u.whole.Range.Start, u.whole.Range.End, w.slot(x, u))
	}
}

// dropArray takes the statements out of the last round that ran in earlier ones.
func (w *slicer) dropArray(x *exchange) {
	gone := x.check.gone()
	var drop func(list []*ir.Stmt)
	drop = func(list []*ir.Stmt) {
		for _, s := range list {
			switch {
			case gone[s]:
				w.drop(w.Of.File, s)
			case s.Op == ir.StmtCompound, s.Op == ir.StmtIf, s.Op == ir.StmtFor:
				drop(s.Children())
			}
		}
	}
	drop(x.stmts)
}

// gone are the statements that the last round does without, by array.
func (x *roundsCheck) gone() map[*ir.Stmt]bool {
	gone, repeated, inRun := map[*ir.Stmt]bool{}, map[*ir.Stmt]bool{}, map[*ir.Stmt]bool{}
	named := map[*ir.Var]bool{}
	var open []*unit
	for _, t := range x.units {
		inRun[t.stmt] = true
		direct := len(t.uses) > 0 && x.direct[t.uses[0]]
		switch {
		case t.optional:
			open = append(open, t)
			for r := range x.last {
				repeated[t.stmt] = repeated[t.stmt] || x.kept[t.stmt] || x.keptIn[r][t.stmt] || t.of.has(r)
			}
		case direct, t.writes() && t.uses[0].round() < x.last, t.rooted() && t.home < x.last:
			gone[t.stmt] = true
		default:
			t.names(func(v *ir.Var, _ ir.Range) { named[v] = true })
		}
	}
	x.fn.Body.Walk(func(s *ir.Stmt) bool {
		if inRun[s] {
			return false
		}
		s.Exprs(func(top *ir.Expr) {
			for e := range top.All() {
				if e.Op == ir.OpIdent && e.Var != nil {
					named[e.Var] = true
				}
			}
		})
		return true
	})
	for again := true; again; {
		again = false
		open = slices.DeleteFunc(open, func(t *unit) bool {
			if repeated[t.stmt] && !slices.ContainsFunc(sets(t.stmt), func(v *ir.Var) bool { return named[v] }) {
				return false
			}
			t.names(func(v *ir.Var, _ ir.Range) { named[v] = true })
			again = true
			return true
		})
	}
	for _, t := range open {
		gone[t.stmt] = true
	}
	var empty func(s *ir.Stmt) bool
	empty = func(s *ir.Stmt) bool {
		if s == nil || gone[s] || s.Op == ir.StmtEmpty {
			return true
		}
		switch {
		case inRun[s] || s.Macro:
			return false
		case s.Op == ir.StmtCompound:
			all := len(s.List) > 0
			for _, c := range s.List {
				all = empty(c) && all
			}
			gone[s] = all
		case s.Op == ir.StmtIf:
			body, other := empty(s.Body), empty(s.Else)
			gone[s] = body && other
		case s.Op == ir.StmtFor && s.Init != nil && s.Init.Op == ir.StmtDecl:
			gone[s] = empty(s.Body)
		case s.Op == ir.StmtFor:
			empty(s.Body)
		}
		return gone[s]
	}
	for _, s := range x.run {
		empty(s)
	}
	return gone
}

// findInFront finds the declarations of the run that more than one round needs, or what
// stands after the run, and that can stand in front of all rounds.
func (x *roundsCheck) findInFront() {
	gone := x.gone()
	for _, s := range x.run {
		t := x.unitOf(s)
		if t == nil || !t.optional || s.Op != ir.StmtDecl || gone[s] || !x.fixed(s) {
			continue
		}
		x.inFront[s] = slices.ContainsFunc(x.keptIn[:x.last], func(in map[*ir.Stmt]bool) bool { return x.kept[s] || in[s] })
	}
}

// fixed reports whether a declaration of the run can stand in front of all rounds: what it is computed from is the
// same there, and what is assigned to its variables is so by statements of one round. What is loaded must be what no
// other thread writes, since the exchange's barrier comes later now.
func (x *roundsCheck) fixed(s *ir.Stmt) bool {
	fixed := !x.namesTypes(s)
	s.WalkExprs(func(e *ir.Expr) bool {
		switch {
		case e.Op == ir.OpIdent && e.Var != nil && slices.Contains(x.assigned, e.Var):
			fixed = false
		case e.Op == ir.OpIdent && e.Var != nil && x.own[e.Var]:
			fixed = fixed && e.Var.Decl != nil && x.inFront[e.Var.Decl]
		case x.isLoad(x.fn, e):
			fixed = fixed && x.loadsOwn(e)
		}
		return fixed
	})
	for _, v := range s.Vars {
		home := eachRound
		for _, t := range x.units {
			if t.stmt == s || !slices.Contains(t.sets, v) {
				continue
			}
			fixed = fixed && t.rooted() && (home == eachRound || home == t.home)
			home = t.home
		}
	}
	return fixed
}

// loadsOwn reports whether a load is of memory that no other thread writes.
func (x *roundsCheck) loadsOwn(e *ir.Expr) bool {
	k, r := x.p.Kernel, e.Root()
	if r == nil || r.Var == nil || r.Var.Type.Volatile || e.Op == ir.OpCall {
		return e.Op == ir.OpCall && k.ChangesNothing(x.fn, e)
	}
	if s := evaluate.SharedVar(k, x.fn, r); s != nil {
		return x.ownArray(s)
	}
	return uniformity.LoadsUnchanging(k, x.fn, e)
}

// ownArray reports whether no two threads use the same element of an array.
func (x *roundsCheck) ownArray(s *analysis.Shared) bool {
	for dim := range s.Var.Dims {
		if liveness.OwnElements(x.p.Kernel, s, dim) {
			return true
		}
	}
	return false
}

// UnitOf is the unit that a statement is, nil for none.
func (x *roundsCheck) unitOf(s *ir.Stmt) *unit {
	i := slices.IndexFunc(x.units, func(t *unit) bool { return t.stmt == s })
	if i < 0 {
		return nil
	}
	return x.units[i]
}

// rowsText says which rows a group is.
func (a *slicedArray) rowsText(round int) string {
	if a.groups == nil {
		return a.Name
	}
	g := a.groups[round]
	return fmt.Sprintf("rows %d to %d of %s", g.first, g.first+g.rows-1, a.Name)
}
