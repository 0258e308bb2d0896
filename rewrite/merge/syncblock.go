package merge

import (
	"slices"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/barriers"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/uniformity"
	"github.com/smux-cuda/smux/rewrite/kit"
	"github.com/smux-cuda/smux/rewrite/variant"
)

// proveCuts proves the paper's sync mode: each region is cut at its barriers, a piece runs only for the v-TB whose
// turn it is, and every barrier stays one of the whole launched block. All v-TBs must therefore meet the same
// barriers in the same order.
func (p *mergeProof) proveCuts() {
	segments := make([]*segment, len(p.regions))
	if p.Rewriter == variant.VTBPipe {
		segments = p.segments()
	}
	p.checkBarriers()
	p.checkSharedSize()
	p.proveCopies()
	touched := p.touched()
	inRegion := map[*ir.Stmt]bool{}
	for i, r := range p.regions {
		for _, s := range r.Stmts {
			inRegion[s] = true
		}
		if p.Editable(r) {
			touched = p.cutRegion(r, segments[i], touched)
		}
	}
	p.changes = p.outside(p.Kernel.Func.Body, inRegion)
	touched = p.touched()
	for _, t := range p.turns {
		p.checkApart(t.cut, append(touched, placesOf(t.cut.within)...))
	}
	if p.Rewriter == variant.VTBPipe && len(p.Reasons) == 0 {
		p.checkOverlap(segments)
	}
}

// proveTogether proves what v-TBs need that have arrays of their own and meet the barriers
// of the launched block together.
func (p *mergeProof) proveTogether() {
	p.checkBarriers()
	p.checkSharedSize()
	p.proveCopies()
	p.changes = p.outside(p.Kernel.Func.Body, nil)
}

// outside are the changes of the statements that are in no region.
func (p *mergeProof) outside(s *ir.Stmt, inRegion map[*ir.Stmt]bool) []bodyChange {
	if inRegion[s] {
		return nil
	}
	own := *s
	own.List, own.Init, own.Body, own.Else = nil, nil, nil, nil
	changes := p.bodyChanges(p.Kernel.Func, &own, kit.FormTurns)
	for _, c := range s.Children() {
		changes = append(changes, p.outside(c, inRegion)...)
	}
	return changes
}

// checkBarriers proves that barriers are met by all v-TBs: the control around
// them is the same for all threads of the grid that have not left.
func (p *mergeProof) checkBarriers() {
	k := p.Kernel
	for _, b := range k.Barriers {
		if b.Among != analysis.GridUniform {
			p.Refuse(b.Func.File, b.Expr.Range.Start, kit.CodeDivergent, "the control around this barrier is %s: virtual thread blocks may not all meet it", b.Among)
		}
		if b.Func == k.Func && barriers.IsVote(k, b.Func, b.Expr) && !p.inRegion(b.Stmt) {
			p.Refuse(b.Func.File, b.Expr.Range.Start, CodeVote, "%s outside a region would count the threads of all virtual thread blocks", b.Expr.Name)
		}
	}
	for _, b := range uniformity.BarrierCalls(k) {
		if b.Among != analysis.GridUniform {
			p.Refuse(b.Func.File, b.Expr.Range.Start, kit.CodeDivergent, "the control around this call of %s, which holds a barrier, is %s", b.Expr.Name, b.Among)
		}
	}
}

func (p *mergeProof) inRegion(s *ir.Stmt) bool {
	return slices.ContainsFunc(p.regions, func(r *analysis.Region) bool { return slices.ContainsFunc(r.Stmts, s.Inside) })
}
