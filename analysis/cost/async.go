package cost

import (
	"fmt"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/model/workload"
)

// Asynchronous copies are loads that nobody waits for where they stand (workload.Work.Ahead): a
// __pipeline_wait_prior after them waits for those of the turn before, or, with 0, for all.

// copyAsync counts an asynchronous copy to shared memory: an instruction, and no register.
func (f *frame) copyAsync(to, from, size value) {
	x := f.x
	l, s := f.pointee(from), f.pointee(to)
	if size.isConstant() && size.s > 0 {
		l.typ, s.typ = wordsOf(size.s), wordsOf(size.s)
	}
	x.needs(to, from)
	moved, again, late, lines := x.sectorsOf(l, true)
	x.count(workload.Work{Issue: 1, Access: 1, Loads: moved, Again: again, Late: late, Lines: lines, Shared: x.wavefronts(s)}, float64(l.typ.size()))
	if x.mute > 0 || x.share == 0 {
		return
	}
	if b := &x.copying; b.at == nil || b.committed {
		*b = copyBatch{at: x.current(), waits: x.weight * x.share}
		b.at.work.Waits += b.waits
		b.at.work.Ahead += b.waits
	}
}

// copyBatch is asynchronous copies that are waited for together.
type copyBatch struct {
	at        *node
	waits     float64
	committed bool
}

// wordsOf is a type of so many bytes.
func wordsOf(bytes int64) ctype {
	t := floatType
	t.comps = int(max(1, bytes/4))
	return t
}

// awaitAll has what was copied last waited for in full.
func (x *walk) awaitAll() {
	if b := &x.copying; b.at != nil {
		b.at.work.Ahead -= b.waits
		b.waits = 0
	}
}

// lambda runs the body of a function object that the kernel declares, and reports whether a call is of one.
func (f *frame) lambda(e *ir.Expr) bool {
	if len(e.Kids) == 0 || e.Kids[0].Op != ir.OpIdent || e.Kids[0].Var == nil {
		return false
	}
	l := e.Kids[0].Var.Init
	returns := func(s *ir.Stmt) bool { return s.Op == ir.StmtReturn }
	if l == nil || l.Op != ir.OpLambda || l.Lambda == nil || l.Lambda.Any(returns) || len(l.Params) != len(e.Args()) || f.depth >= maxInline {
		return false
	}
	for i, p := range l.Params {
		if p.Type.Ref {
			f.alias[p] = f.lvalue(e.Args()[i])
		} else {
			f.cells[cell{v: p}] = f.eval(e.Args()[i])
		}
	}
	outer := f.x.path
	f.x.path += fmt.Sprint(e.Range.Start, "/")
	f.depth++
	f.stmt(l.Lambda)
	f.depth--
	f.x.path = outer
	return true
}
