package coarsen

import (
	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/barriers"
	"github.com/smux-cuda/smux/analysis/hazards"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/liveness"
	"github.com/smux-cuda/smux/analysis/named"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/rewrite/kit"
	"github.com/smux-cuda/smux/rewrite/variant"
)

// Copies are threads of one block:
//
//	k<<<grid, block>>>(a);  -->  k<<<grid, dim3(the half of block.x, block.y, block.z)>>>(a, block.x);
//	threadIdx.x             -->  thread[c], which is threadIdx.x + c * blockDim.x
//	blockDim.x              -->  smux_block_x
//
// Between two barriers no order of the threads of a block is promised, nor those of a warp, so that their statements may
// interleave there as those of thread blocks may anywhere; a barrier is one for all copies, and all have done what comes
// before it. The original has no data race. So a load at one place is the same for all copies that make it, and
// shared arrays are memory like any other: there is one of each. Copies beyond the end of the original block do nothing.
// Each launched thread has one that isn't, the first.

// ofThreads reports whether copies are threads, and not thread blocks.
func (p *copies) ofThreads() bool { return p.Of == variant.Threads }

// kind, place and size name what the copies are, which one is run, and how many there are.
func (p *copies) kind() string  { return p.named("thread blocks", "threads") }
func (p *copies) place() string { return p.named("blockIdx", "threadIdx") }
func (p *copies) size() string  { return p.named("gridDim", "blockDim") }

func (p *copies) named(ofBlocks, ofThreads string) string {
	if p.ofThreads() {
		return ofThreads
	}
	return ofBlocks
}

// asks reports whether a function asks for the place of a copy, or how many there are.
func (p *copies) asks(fn *ir.Func) (found bool) {
	fn.Body.WalkExprs(func(e *ir.Expr) bool {
		of := e
		if e.Op == ir.OpMember {
			of = e.Kids[0]
		}
		if !isBuiltin(of) || of.Name != p.place() && of.Name != p.size() {
			return true
		}
		found = found || of == e || e.Name == p.Axis()
		return false
	})
	return found
}

// together refuses what threads of a block do together, but to wait for all others and to order their accesses, and
// what suggests that they rely on being in one warp: its lanes run in step, or see at once what one stores.
func (p *copies) together(fn *ir.Func, e *ir.Expr) bool {
	k := p.Kernel
	refuse := func(code diag.Code, why string) bool {
		p.Refuse(fn.File, e.Range.Start, code, "%s", why)
		return true
	}
	obj, member := e.IsMemberCall()
	switch {
	case e.Op == ir.OpAsm:
		return refuse(analysis.CodeAsm, "inline assembly, which may ask for the lane or wait for other threads")
	case (e.Op == ir.OpIdent || e.Op == ir.OpIndex || e.Op == ir.OpDeref || e.Op == ir.OpMember) && k.TypeOf(fn, e).Volatile:
		return refuse(kit.CodeTogether, "a volatile object, by which threads of a warp may rely on each other")
	case isBuiltin(e) && e.Name == "warpSize":
		return refuse(kit.CodeTogether, "warpSize, by which threads may find others of their warp")
	case e.Op != ir.OpCall:
		return false
	case member && barriers.IsThreadBlock(k, fn, obj) && e.Name != "sync":
		return refuse(kit.CodeIndex, "a group is asked for more than a barrier")
	case barriers.IsWarpCall(k, fn, e) || e.Intrinsic().IsJoint():
		return refuse(kit.CodeTogether, e.Name+" is for the threads of a block or a warp together")
	}
	return false
}

// checkExchange refuses shared arrays by which threads may exchange values without a barrier: they rely on their warp. A kernel
// whose blocks have one shape is refused, too.
func (p *copies) checkExchange() {
	k := p.Kernel
	if f, at := named.SizedAt(k); f != nil {
		p.Refuse(f, at, kit.CodeBounds, "the kernel has one shape of blocks")
	}
	if len(k.Barriers) > 0 {
		return
	}
	for _, s := range k.Shared {
		own := false
		for dim := range s.Var.Dims {
			own = own || liveness.OwnElements(k, s, dim)
		}
		if !own {
			p.Refuse(s.Var.File, s.Var.Range.Start, kit.CodeTogether, "threads may exchange values by %s, and there is no barrier", s.Var.Name)
		}
	}
}

// prints reports whether a call shows on the host which threads came first.
func prints(e *ir.Expr) bool { return e.Op == ir.OpCall && e.Name == "printf" }

// checkWaits refuses device functions that wait for memory in a loop, since copies call these one after the other, or print.
func (p *copies) checkWaits(fn *ir.Func) {
	if fn != p.Kernel.Func && fn.Body.AnyExpr(prints) {
		p.Refuse(fn.File, fn.View.Start, kit.CodeTogether, "%s prints, which shows in which order threads run", fn.View.Name)
	}
	for s := range fn.Body.All() {
		if fn != p.Kernel.Func && s.IsLoop() && hazards.Spins(p.Kernel, fn, s) {
			p.Refuse(fn.File, s.Range.Start, analysis.CodeSpin, "a loop waits for memory, which another copy may have to change")
		}
	}
}
