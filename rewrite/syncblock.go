package rewrite

import (
	"fmt"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/ir"
)

// planBlock plans the paper's sync mode: each region is cut at its barriers,
// a piece runs only for the v-TB whose turn it is, and every barrier stays one
// of the whole launched block. All v-TBs must therefore meet the same barriers
// in the same order.
func (p *Plan) planBlock() {
	k := p.Kernel
	p.checkBarriers()
	p.checkSharedSize()
	p.planCopies()
	mine := fmt.Sprintf("%s.id == %s", p.vtb, p.turn)
	inRegion := map[*ir.Stmt]bool{}
	b := p.buffer(k.File)
	var calls []callSite
	for _, r := range p.regions {
		if !p.editable(r) {
			continue
		}
		c := &cutter{Plan: p, buf: b, fn: k.Func, mine: mine, region: r}
		c.run()
		for _, s := range r.Stmts {
			inRegion[s] = true
			p.rewriteBody(b, k.Func, s, formCut, mine, &calls)
		}
	}
	p.outside(k.Func.Body, inRegion, &calls)
	p.takeCalls(calls)
}

// outside makes the edits of the statements that are in no region.
func (p *Plan) outside(s *ir.Stmt, inRegion map[*ir.Stmt]bool, calls *[]callSite) {
	b := p.buffer(p.Kernel.File)
	if inRegion[s] {
		return
	}
	own := *s
	own.List, own.Init, own.Body, own.Else = nil, nil, nil, nil
	p.rewriteBody(b, p.Kernel.Func, &own, formTurns, "", calls)
	for _, c := range s.Children() {
		p.outside(c, inRegion, calls)
	}
}

// checkBarriers proves that barriers are met by all v-TBs: the control around
// them is the same for all threads of the grid that have not left.
func (p *Plan) checkBarriers() {
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

func (p *Plan) inRegion(s *ir.Stmt) bool {
	for _, r := range p.regions {
		for _, t := range r.Stmts {
			if s.Inside(t) {
				return true
			}
		}
	}
	return false
}
