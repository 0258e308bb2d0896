package rewrite

import (
	"fmt"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/ir"
)

// cutIntoTurns proves and writes the paper's sync mode: each region is cut at its barriers,
// a piece runs only for the v-TB whose turn it is, and every barrier stays one
// of the whole launched block. All v-TBs must therefore meet the same barriers
// in the same order.
func (p *merger) cutIntoTurns() {
	k := p.Kernel
	p.checkBarriers()
	p.checkSharedSize()
	p.proveCopies()
	p.emitCopies()
	p.cutForm = p.cutFunction
	mine := fmt.Sprintf("%s.id == %s", p.vtb, p.turn)
	b := p.buffer(k.File)
	for _, r := range p.regions {
		if !p.editable(r) {
			continue
		}
		c := &cutter{merger: p, buf: b, fn: k.Func, mine: mine, region: r}
		c.run()
		p.rewriteRegion(r, mine)
	}
	p.rewriteOutside(p.regions)
}

// rewriteRegion makes the changes that the statements of a cut region need.
func (p *merger) rewriteRegion(r *analysis.Region, mine string) {
	for _, s := range r.Stmts {
		p.rewrite(p.bodyChanges(p.Kernel.Func, s, formCut), mine)
	}
}

// rewriteOutside makes those of the statements in no region, and the forms of functions.
func (p *merger) rewriteOutside(regions []*analysis.Region) {
	inRegion := map[*ir.Stmt]bool{}
	for _, r := range regions {
		for _, s := range r.Stmts {
			inRegion[s] = true
		}
	}
	p.rewrite(p.outside(p.Kernel.Func.Body, inRegion), "")
	p.emitForms()
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
	changes := p.bodyChanges(p.Kernel.Func, &own, formTurns)
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
			p.refuse(b.Func.File, b.Expr.Range.Start, CodeDivergent, "the control around this barrier is %s: virtual thread blocks may not all meet it", b.Among)
		}
		if b.Func == k.Func && k.IsVote(b.Func, b.Expr) && !p.inRegion(b.Stmt) {
			p.refuse(b.Func.File, b.Expr.Range.Start, CodeVote, "%s outside a region would count the threads of all virtual thread blocks", b.Expr.Name)
		}
	}
	for _, b := range k.BarrierCalls() {
		if b.Among != analysis.GridUniform {
			p.refuse(b.Func.File, b.Expr.Range.Start, CodeDivergent, "the control around this call of %s, which holds a barrier, is %s", b.Expr.Name, b.Among)
		}
	}
}

func (p *mergeProof) inRegion(s *ir.Stmt) bool {
	for _, r := range p.regions {
		for _, t := range r.Stmts {
			if s.Inside(t) {
				return true
			}
		}
	}
	return false
}
