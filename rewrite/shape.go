package rewrite

import (
	"fmt"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/parser"
)

// checkAssume proves that every launch of a kernel has blocks of one shape, and
// tells the compiler (design §5, "Be fair to the original"): it then knows the
// range of thread ids, and computes fewer addresses and bounds.
//
//	__global__ void k(float *a) {           __global__ void k(float *a) {
//	    a[threadIdx.x] = …        -->           __builtin_assume(threadIdx.x < 64);
//	}                                           a[threadIdx.x] = …
//	                                        }
//
// A launch with other blocks would be undefined, and compiles and links as
// before. So a shape that only the command line gives does not count, and what
// could hide a launch refuses the kernel (launchPlan.check). What is left is
// another file, not named, with a declaration of its own: a note says so.
func checkAssume(k *analysis.Kernel, opt Options) (*Plan, []diag.Message) {
	p := newPlan(k, "assume-shape", opt)
	if len(k.Hazards) > 0 {
		return nil, k.Hazards
	}
	if alreadyMultiplexed(k) || p.says(assumeMark) {
		p.refuse(k.File, k.View.Start, CodeAlready, "the compiler is already told the block shape")
		return nil, p.reasons
	}
	lines := p.shapeLines(true, true)
	if len(p.reasons) > 0 {
		return p, p.reasons
	}
	shape := k.Instances[0]
	d, _ := shape.BlockShape()
	lines = append([]string{fmt.Sprintf("%s every launch has blocks of %s threads.", assumeMark, shapeText(d))}, lines...)
	p.atTop(append(lines, p.assumptions()...))
	if k.View.Quals&parser.QualStatic == 0 {
		p.note(k.File, k.View.Start, CodeAssumed, "a launch in a file that was not named must have blocks of %s threads, too", shapeText(d))
	}
	return p, p.reasons
}

const assumeMark = "// smux assume-shape:"

// shapeLines are the assumptions about the built-ins that the kernel and its
// device functions use. threadZ and blockZ say that z of threadIdx and blockDim
// stands for the original's in the kernel's body.
func (p *Plan) shapeLines(threadZ, blockZ bool) []string {
	k := p.Kernel
	d, ok := p.oneShape()
	if !ok {
		return nil
	}
	var lines []string
	used := axesOf(k)
	for i, axis := range "xyz" {
		switch {
		case !used.thread[i] || axis == 'z' && !threadZ:
		case d[i] == 1:
			lines = append(lines, fmt.Sprintf("__builtin_assume(threadIdx.%c == 0);", axis))
		default:
			lines = append(lines, fmt.Sprintf("__builtin_assume(threadIdx.%c < %d);", axis, d[i]))
		}
	}
	for i, axis := range "xyz" {
		if used.block[i] && (axis != 'z' || blockZ) {
			lines = append(lines, fmt.Sprintf("__builtin_assume(blockDim.%c == %d);", axis, d[i]))
		}
	}
	if len(lines) == 0 {
		p.refuse(k.File, k.View.Start, CodeShape, "the kernel uses neither threadIdx nor blockDim: the block's shape tells nothing")
	}
	return lines
}

// oneShape is the shape of the blocks of every launch in view.
func (p *Plan) oneShape() (shape [3]int, ok bool) {
	k := p.Kernel
	for i, in := range k.Instances {
		d, known := in.BlockShape()
		f, at := k.File, k.View.Start
		if in.Launch != nil {
			f, at = in.Launch.File, in.Launch.View.Open
		}
		switch {
		case in.Launch == nil:
			p.refuse(f, at, CodeNoLaunch, "no launch of it is in view: a block shape that is only told can't be assumed")
			return shape, false
		case !known || in.Told:
			p.refuse(f, at, CodeShape, "the block shape of this launch is not a constant")
			return shape, false
		case i > 0 && d != shape:
			p.refuse(f, at, CodeShape, "this launch has blocks of %s threads, another one of %s", shapeText(d), shapeText(shape))
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
			if obj, ok := e.IsMemberCall(); ok && k.IsThreadBlock(fn, obj) && e.Name == "thread_rank" {
				out.thread = [3]bool{true, true, true}
				out.block[0], out.block[1] = true, true
			}
			return true
		})
	}
	return out
}

func shapeText(d [3]int) string {
	switch {
	case d[2] != 1:
		return fmt.Sprintf("%dx%dx%d", d[0], d[1], d[2])
	case d[1] != 1:
		return fmt.Sprintf("%dx%d", d[0], d[1])
	}
	return fmt.Sprint(d[0])
}
