package slice

import (
	"cmp"
	"slices"

	"github.com/smux-cuda/smux/analysis/evaluate"
	"github.com/smux-cuda/smux/analysis/footprint"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/ir/effect"
	"github.com/smux-cuda/smux/analysis/liveness"
	"github.com/smux-cuda/smux/rewrite/variant"
)

// rowGroup is rows of an array, from first on.
type rowGroup struct{ first, rows int }

// findGroups says what each round is of, by array: a group of rows of each array, or one of several arrays. Arrays
// that fall into another number of groups than the first one that falls into several are left out.
func (p *sliceProof) findGroups() {
	rounds := 1
	for _, a := range p.arrays {
		p.findRows(a)
		if rounds == 1 {
			rounds = len(a.groups)
		}
	}
	if rounds > 1 {
		p.arrays = slices.DeleteFunc(p.arrays, func(a *slicedArray) bool { return len(a.groups) != rounds })
	}
	if rounds == 1 {
		for _, a := range p.arrays {
			a.groups = nil
		}
		p.fits(len(p.arrays))
	}
}

// fits refuses arrays that would have a round each where these are too few or too many.
func (p *sliceProof) fits(n int) bool {
	if n == 0 {
		return false
	}
	at := p.arrays[0].Var
	switch {
	case n < 2:
		p.Refuse(at.File, at.Range.Start, CodeSliceType, "can't prove any two groups of rows of %s apart, and no other array can have a round of its own", at.Name)
	case n > variant.MostRounds:
		p.Refuse(at.File, at.Range.Start, CodeSliceType, "%d arrays would take as many rounds, and %d are the most", n, variant.MostRounds)
	case p.Rounds != 0 && p.Rounds != n:
		p.Refuse(at.File, at.Range.Start, CodeSliceType, "the arrays are %d, and the rounds %d", n, p.Rounds)
	default:
		return true
	}
	p.arrays = nil
	return false
}

// inTurn numbers the rounds that are of whole arrays, and refuses where these are too few.
func (p *sliceProof) inTurn() bool {
	if len(p.arrays) == 0 || p.arrays[0].groups != nil {
		return len(p.arrays) > 0
	}
	p.unionOf()
	for i, a := range p.arrays {
		a.turn = i
	}
	return p.fits(len(p.arrays))
}

// findRows parts the rows of an array into groups of which no use is of two, by what the
// first subscripts may be. Where they can't be parted, or into too many, there is one.
func (p *sliceProof) findRows(a *slicedArray) {
	k := p.Kernel
	a.groups = make([]rowGroup, 1)
	dims := footprint.Extents(k, a.Shared)
	if len(dims) == 0 || len(k.Func.TParams) > 0 || slices.ContainsFunc(a.uses, func(u *sliceUse) bool { return u.call != nil }) {
		return
	}
	type rows struct {
		use      *sliceUse
		low, end int64 // of the rows that it may be of
	}
	var all []rows
	spans := footprint.SubscriptsIn(k, a.Shared)
	for _, u := range a.uses {
		r := rows{u, 0, int64(dims[0])}
		if s := spans[u.elem]; s != nil && s[0].Known {
			r.low, r.end = s[0].Min, s[0].Max+1
		} else if v, plus := p.sum(u.index()); v != nil {
			low, end := p.inBounds(a, u, v, int64(dims[0]))
			r.low, r.end = low+plus, end+plus
		}
		if r.low < 0 || r.end > int64(dims[0]) || r.low >= r.end {
			return
		}
		all = append(all, r)
	}
	slices.SortStableFunc(all, func(a, b rows) int { return cmp.Compare(a.low, b.low) })
	var groups []rowGroup
	for _, r := range all {
		last := len(groups) - 1
		if last < 0 || int64(groups[last].first+groups[last].rows) <= r.low {
			groups = append(groups, rowGroup{int(r.low), int(r.end - r.low)})
		} else {
			groups[last].rows = max(groups[last].rows, int(r.end)-groups[last].first)
		}
		r.use.group = len(groups) - 1
	}
	if len(groups) > 1 && len(groups) <= variant.MostRounds && (p.Rounds == 0 || p.Rounds == len(groups)) {
		a.groups = groups
	}
}

// sum takes an expression apart into a variable that keeps one value and a constant that
// is added to it. The variable is nil where it is anything else.
func (p *sliceProof) sum(e *ir.Expr) (v *ir.Var, plus int64) {
	if e.Op == ir.OpIdent && e.Var != nil {
		v := e.Var
		local := v.Kind == ir.VarLocal || v.Kind == ir.VarParam
		if !local || len(v.Writes) > 0 || v.AddrTaken || v.Static || v.Type.Ref || v.Type.Volatile || v.Type.Ptr > 0 || len(v.Dims) > 0 {
			return nil, 0
		}
		return v, 0
	}
	if e.Op != ir.OpBinary || e.Tok != "+" && e.Tok != "-" {
		return nil, 0
	}
	if n, ok := p.constant(e.Kids[1]); ok {
		if v, plus = p.sum(e.Kids[0]); e.Tok == "-" {
			n = -n
		}
		return v, plus + n
	}
	if n, ok := p.constant(e.Kids[0]); ok && e.Tok == "+" {
		v, plus = p.sum(e.Kids[1])
		return v, plus + n
	}
	return nil, 0
}

// constant folds an expression of the kernel that is the same in all instances.
func (p *sliceProof) constant(e *ir.Expr) (n int64, ok bool) {
	for i, in := range p.Kernel.Instances {
		m, known := evaluate.FactsOf(p.Kernel, in).Constant(p.Kernel.Func, e)
		if !known || i > 0 && m != n {
			return 0, false
		}
		n, ok = m, true
	}
	return n, ok
}

// inBounds bounds a variable where a use is made. A thread that makes it makes others
// with the same value of the variable, too, and C++ has all of them be of rows that there
// are: where it uses the rows edge and 12 + edge of 24, edge is less than 12.
func (p *sliceProof) inBounds(a *slicedArray, of *sliceUse, v *ir.Var, rows int64) (low, end int64) {
	low, end = -1<<31, 1<<31
	for _, u := range a.uses {
		w, plus := p.sum(u.index())
		if w != v || !p.alsoMade(u, of) {
			continue
		}
		low, end = max(low, -plus), min(end, rows-plus)
	}
	return low, end
}

// alsoMade reports whether a thread that makes the second of two uses makes the first one, before or after it: that
// stands in a list around the other, under no condition, and nothing in the list leaves it.
func (p *sliceProof) alsoMade(u, of *sliceUse) bool {
	if u == of {
		return true
	}
	list := u.stmt.Parent
	if u.maybe || list == nil || list.Op != ir.StmtCompound || !of.stmt.Inside(list) || u.stmt.Op != ir.StmtExpr && u.stmt.Op != ir.StmtDecl {
		return false
	}
	return !list.Any(func(s *ir.Stmt) bool {
		switch s.Op {
		case ir.StmtReturn, ir.StmtBreak, ir.StmtContinue, ir.StmtGoto, ir.StmtLabel, ir.StmtCase, ir.StmtUnknown, ir.StmtWhile, ir.StmtDo:
			return true
		}
		return false
	}) && !list.AnyExpr(func(e *ir.Expr) bool {
		return effect.IsOpaque(e.Op) || e.Op == ir.OpCall && !p.Kernel.Step(p.Kernel.Func, e).IsKnown() // it may trap
	})
}

// round returns the round that a use is of, by array; -1 where it is of each.
func (u *sliceUse) round() int {
	switch a := u.array; {
	case len(a.parts) > 0 || a.window > 0:
		return -1
	case a.groups != nil:
		return u.group
	default:
		return a.turn
	}
}

// ownElements reports whether no two threads use an element of the arrays both, also where they
// are cut: then nothing of these need be ordered by barriers.
func (p *sliceProof) ownElements() bool {
	if p.byArray() && p.arrays[0].groups == nil {
		return false // an array's elements take the bytes of another one's
	}
	return !slices.ContainsFunc(p.arrays, func(a *slicedArray) bool {
		for dim := range a.Var.Dims {
			if (dim > 0 || p.byComponent()) && liveness.OwnElements(p.Kernel, a.Shared, dim) {
				return false
			}
		}
		return true
	})
}
