package merge

import (
	"fmt"
	"slices"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/barriers"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/model/hardware"
	"github.com/smux-cuda/smux/rewrite/kit"
)

// checkShapes proves that N blocks fit into one for every launch whose block size
// is known. Other launches stay as they are where they do not fit.
func (p *mergeProof) checkShapes() {
	k := p.Kernel
	if p.dynamicSets() == 1 || p.bytesKnown() {
		p.shape = commonShape(k.Instances)
	}
	for _, in := range k.Instances {
		d, ok := in.BlockShape()
		at := k.View.Start
		file := k.File
		if in.Launch != nil {
			file, at = in.Launch.File, in.Launch.View.Open
		}
		if !ok {
			if in.Launch != nil {
				p.Note(file, at, CodeBlockUnknown, "block size not known: the launch stays as it is where %s do not fit into one", p.blocksThatFit())
			}
			continue
		}
		switch n := d[0] * d[1] * d[2]; {
		case n*p.Factor > hardware.MaxThreadsPerBlock:
			p.Refuse(file, at, CodeBlockTooLarge, "%d blocks of %d threads are more than %d", p.Factor, n, hardware.MaxThreadsPerBlock)
		case d[2]*p.Factor > hardware.MaxBlockDimZ:
			p.Refuse(file, at, CodeBlockTooLarge, "%d blocks of depth %d along z are deeper than %d", p.Factor, d[2], hardware.MaxBlockDimZ)
		}
	}
	if lb := k.View.LaunchBounds; lb != nil && lb.ArgEnd > lb.ArgStart {
		if len(kit.SplitArguments(string(k.File.Src[lb.ArgStart:lb.ArgEnd]))) > 2 {
			p.Refuse(k.File, lb.Start, analysis.CodeCluster, "launch bounds with a number of clusters")
		}
	}
	if n := p.barriers(); n > hardware.NamedBarriers {
		p.Refuse(k.File, k.View.Start, CodeBarrierIDs, "%d virtual thread blocks need %d named barriers, a block has %d", p.Factor, n, hardware.NamedBarriers)
	}
}

// blocksThatFit says what a launch must have to be merged.
func (p *mergeProof) blocksThatFit() string {
	if why, _, _ := p.warpNeed(); why != "" {
		return fmt.Sprintf("%d blocks of whole warps", p.Factor)
	}
	return fmt.Sprintf("%d blocks", p.Factor)
}

// commonShape is the block shape that all instances have, zero if there is none.
func commonShape(ins []*analysis.Instance) (shape [3]int) {
	for i, in := range ins {
		d, ok := in.BlockShape()
		if !ok || i > 0 && d != shape {
			return [3]int{}
		}
		shape = d
	}
	return shape
}

// checkWarps proves that warps stay inside one virtual thread block, where something depends on that: named barriers
// count whole warps, and warp intrinsics and warp-synchronous code work on the lanes of one warp.
func (p *mergeProof) checkWarps() {
	why, fn, e := p.warpNeed()
	if why == "" {
		return
	}
	k := p.Kernel
	for _, in := range k.Instances {
		d, ok := in.BlockShape()
		switch {
		case ok && d[0]*d[1]*d[2]%hardware.WarpSize == 0 && p.fixed():
		case ok && d[0]*d[1]*d[2]%hardware.WarpSize != 0:
			at, file := k.View.Start, k.File
			if e != nil {
				at, file = e.Range.Start, fn.File
			}
			p.Refuse(file, at, CodeNotWarps, "%s, and blocks of %d threads are not a multiple of %d", why, d[0]*d[1]*d[2], hardware.WarpSize)
		default:
			p.multiple = hardware.WarpSize
		}
	}
}

// warpNeed says why whole warps are needed, "" if they are not.
func (p *mergeProof) warpNeed() (why string, in *ir.Func, at *ir.Expr) {
	if p.perVTBBarriers() {
		return "named barriers count whole warps", nil, nil
	}
	for _, fn := range slices.Concat(p.Kernel.Functions, p.Kernel.Implicit) {
		for _, v := range append(append([]*ir.Var{}, fn.Vars...), fn.Params...) {
			if v.Type.Volatile && why == "" {
				why, in = "volatile memory suggests warp-synchronous code", fn
			}
		}
		var look func(e *ir.Expr) bool
		look = func(e *ir.Expr) bool {
			if e.Op == ir.OpLambda && e.Lambda != nil {
				e.Lambda.WalkExprs(look)
			}
			if why == "" && e.Op == ir.OpCall && barriers.IsWarpCall(p.Kernel, fn, e) {
				why, in, at = e.Name+" works on whole warps", fn, e
			}
			if why == "" && e.Op == ir.OpCast && e.Type.Volatile {
				why, in, at = "volatile memory suggests warp-synchronous code", fn, e
			}
			if why == "" && e.Op == ir.OpAsm {
				why, in, at = "inline assembly may work on whole warps", fn, e
			}
			if why == "" && e.Op == ir.OpIdent && e.Name == "warpSize" {
				why, in, at = "warpSize suggests warp-level code", fn, e
			}
			return true
		}
		fn.Body.WalkExprs(look)
	}
	return why, in, at
}
