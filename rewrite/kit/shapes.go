package kit

import (
	"fmt"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/barriers"
	"github.com/smux-cuda/smux/analysis/ir"
)

// AssumedShape is the shape of the blocks of every launch, and the components of the
// built-ins that it tells the compiler something of.
type AssumedShape struct {
	Extents [3]int
	axes
}

// Lines are the assumptions.
func (s AssumedShape) Lines() []string {
	var out []string
	for i, axis := range "xyz" {
		switch {
		case !s.thread[i]:
		case s.Extents[i] == 1:
			out = append(out, fmt.Sprintf("__builtin_assume(threadIdx.%c == 0);", axis))
		default:
			out = append(out, fmt.Sprintf("__builtin_assume(threadIdx.%c < %d);", axis, s.Extents[i]))
		}
	}
	for i, axis := range "xyz" {
		if s.block[i] {
			out = append(out, fmt.Sprintf("__builtin_assume(blockDim.%c == %d);", axis, s.Extents[i]))
		}
	}
	return out
}

// AssumedShape finds what can be assumed of the built-ins that the kernel and its device functions use. threadZ and
// blockZ say that z of threadIdx and blockDim stands for the original's in the kernel's body.
func (p *Findings) AssumedShape(threadZ, blockZ bool) (s AssumedShape) {
	k := p.Kernel
	extents, ok := p.OneShape()
	if !ok {
		return s
	}
	s = AssumedShape{extents, axesOf(k)}
	s.thread[2] = s.thread[2] && threadZ
	s.block[2] = s.block[2] && blockZ
	if s.axes == (axes{}) {
		p.Refuse(k.File, k.View.Start, CodeShape, "the kernel uses neither threadIdx nor blockDim: the block's shape tells nothing")
	}
	return s
}

// OneShape is the shape of the blocks of every launch in view.
func (p *Findings) OneShape() (shape [3]int, ok bool) {
	k := p.Kernel
	for i, in := range k.Instances {
		d, known := in.BlockShape()
		f, at := k.File, k.View.Start
		if in.Launch != nil {
			f, at = in.Launch.File, in.Launch.View.Open
		}
		switch {
		case in.Launch == nil:
			p.Refuse(f, at, CodeNoLaunch, "no launch of it is in view: a block shape that is only told can't be assumed")
			return shape, false
		case !known || in.Told:
			p.Refuse(f, at, CodeShape, "the block shape of this launch is not a constant")
			return shape, false
		case i > 0 && d != shape:
			p.Refuse(f, at, CodeShape, "this launch has blocks of %s threads, another one of %s", analysis.ShapeText(d), analysis.ShapeText(shape))
			return shape, false
		}
		shape = d
	}
	return shape, len(k.Instances) > 0
}

// axes are the components of the built-ins that are used.
type axes struct{ thread, block [3]bool }

// axesOf goes through the kernel and all that it calls.
func axesOf(k *analysis.Kernel) axes {
	var out axes
	mark := func(e *ir.Expr, which func(i int) bool) {
		if e.Op != ir.OpIdent || e.Var != nil {
			return
		}
		for i := range 3 {
			switch {
			case !which(i):
			case e.Name == "threadIdx":
				out.thread[i] = true
			case e.Name == "blockDim":
				out.block[i] = true
			}
		}
	}
	for _, fn := range k.Functions {
		fn.Body.WalkExprs(func(e *ir.Expr) bool {
			if e.Op == ir.OpMember {
				mark(e.Kids[0], func(i int) bool { return e.Name == string("xyz"[i]) })
				return e.Kids[0].Op != ir.OpIdent
			}
			mark(e, func(int) bool { return true })
			if obj, ok := e.IsMemberCall(); ok && barriers.IsThreadBlock(k, fn, obj) && e.Name == "thread_rank" {
				out.thread = [3]bool{true, true, true}
				out.block[0], out.block[1] = true, true
			}
			return true
		})
	}
	return out
}
