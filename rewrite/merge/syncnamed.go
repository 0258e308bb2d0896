package merge

import (
	"slices"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/barriers"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/uniformity"
	"github.com/smux-cuda/smux/rewrite/kit"
)

// proveApart proves what v-TBs need that have a barrier of their own and nothing in
// common: there are no regions, so nothing is handed over.
func (p *mergeProof) proveApart() {
	p.checkOwnExits()
	p.proveOwnBarriers()
}

// proveOwnBarriers proves that the v-TBs can have their copies of arrays, and that each
// barrier can be one of the v-TB's.
func (p *mergeProof) proveOwnBarriers() {
	p.checkOwnBarriers()
	p.checkSharedSize()
	p.proveCopies()
	p.changes = p.bodyChanges(p.Kernel.Func, p.Kernel.Func.Body, kit.FormOwn)
}

// checkExits refuses kernels in which threads may be gone while others count on them: in named mode every thread
// takes part in every hand-over, and in every barrier of its v-TB.
func (p *mergeProof) checkExits() {
	k := p.Kernel
	begin, end := p.synchronised()
	for _, x := range k.Exits {
		at := x.Stmt.Range.Start
		switch {
		case at >= end:
		case at < begin && x.Control == analysis.GridUniform:
		default:
			p.Refuse(k.File, at, kit.CodeEarlyExit, "threads may leave here, before the last barrier or region (%s)", x.Control)
		}
	}
}

// synchronised is the range of the text from the first region to the last region or barrier, with the kernel's
// outermost statements around these regions and the loops around the barriers.
func (p *mergeProof) synchronised() (begin, end int) {
	k := p.Kernel
	if n := len(p.regions); n > 0 {
		begin, end = p.site(p.regions[0], true).Outer.Start, p.site(p.regions[n-1], false).Range.End
		if top := p.topLevel(p.regions[0], true); top != nil {
			begin = top.Outer.Start
		}
		if top := p.topLevel(p.regions[n-1], false); top != nil {
			end = top.Range.End
		}
	}
	for _, b := range slices.Concat(k.Barriers, uniformity.BarrierCalls(k)) {
		if b.Func == k.Func {
			end = max(end, b.Expr.Range.End)
		}
	}
	for s := range k.Func.Body.All() {
		if s.IsLoop() && barriers.BarrierIn(k, k.Func, s) {
			end = max(end, s.Range.End) // the barrier comes again
		}
	}
	return begin, end
}

// startsAtOnce reports whether the first turn can be given at the kernel's top, so that v-TB 0 need not wait until
// the last one has come to its first region: wherever nobody may leave in between.
func (p *mergeProof) startsAtOnce() bool {
	begin, _ := p.synchronised()
	return !slices.ContainsFunc(p.Kernel.Exits, func(x analysis.Exit) bool { return x.Stmt.Range.Start < begin })
}

// ring returns the statements of the kernel's outermost list that hold the first
// and the last turn, nil if there are none.
func (p *mergeProof) ring() (first, last *ir.Stmt) {
	r, q := p.regions[0], p.regions[len(p.regions)-1]
	first, last = p.topLevel(r, true), p.topLevel(q, false)
	if b := p.before[r]; b != nil && b.Parent == p.Kernel.Func.Body {
		first = b
	}
	if b := p.behind[q]; b != nil && b.Parent == p.Kernel.Func.Body {
		last = b
	}
	return first, last
}

// topLevel returns the statement of the kernel's outermost list that holds a region: its first or its last statement.
func (p *mergeProof) topLevel(r *analysis.Region, first bool) *ir.Stmt {
	s := p.site(r, first)
	for s.Parent != nil && s.Parent != p.Kernel.Func.Body {
		s = s.Parent
	}
	if s.Parent == nil {
		return nil
	}
	return s
}
