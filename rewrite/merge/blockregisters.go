package merge

import (
	"fmt"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis/evaluate"
	"github.com/smux-cuda/smux/analysis/named"
	"github.com/smux-cuda/smux/model/hardware"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite/kit"
)

// A kernel that says nothing of its blocks may take so many registers that an SM has none left for a larger block:
// with 80 of them a block of 512 threads runs, and the launch of one of 1,024 fails. So the compiler is told what a
// merged block has, and takes fewer registers then, if need be:
//
//	__global__ void k(float *a)   -->   __global__ __launch_bounds__(1024) void k(float *a, unsigned g)
//
// A kernel's own launch bounds are scaled instead. Where blocks are not of one known
// shape, the launch asks for the kernel's limit (trylaunch.go).

// boundMerged are launch bounds if nothing else makes sure that registers suffice for a merged block.
func (p *mergeProof) boundMerged() (bounds *kit.RegisterCap) {
	k := p.Kernel
	threads := p.Factor * p.shape[0] * p.shape[1] * p.shape[2]
	if threads <= hardware.ThreadsOfAnyKernel || threads > hardware.MaxThreadsPerBlock || k.View.LaunchBounds != nil {
		return nil
	}
	global, maxnreg := p.Marks()
	switch macro := p.maxnregInMacro(); {
	case macro != nil:
		p.Refuse(k.File, macro.Start, kit.CodeMacro, "macro %s may cap the kernel's registers", macro.Name)
	case global == nil:
		p.Refuse(k.File, k.View.Start, kit.CodeBounds, "there is no __global__ of this kernel in view, and merged blocks of %d threads need launch bounds after it", threads)
	case maxnreg != nil:
		p.registersSuffice(k.File, maxnreg, threads)
	default:
		text := named.ThreadsAsNamed(k, threads/p.Factor)
		if isNumber := strings.Trim(text, "0123456789") == ""; isNumber {
			text = fmt.Sprint(threads)
		} else {
			text += fmt.Sprintf(" * %d", p.Factor)
		}
		bounds = kit.CapAt(global.End, global.End, fmt.Sprintf(" __launch_bounds__(%s)", text))
	}
	named.Declarations(p.Kernel, func(f *parser.File, fn *parser.Function) {
		switch other := kit.MarkOf(f, fn, "__maxnreg__"); {
		case other == nil:
		case maxnreg == nil:
			p.Refuse(f, other.Start, kit.CodeBounds, "merged blocks of %d threads need launch bounds, which the __maxnreg__ of this declaration can't stand beside", threads)
		default:
			p.registersSuffice(f, other, threads)
		}
	})
	return bounds
}

// registersSuffice proves that a block has the registers that a __maxnreg__ allows to each of its threads. They are
// handed out in eights, to whole warps, a quarter of which lie on each of the four parts of an SM.
func (p *mergeProof) registersSuffice(f *parser.File, maxnreg *parser.Mark, threads int) {
	const unit, parts = 8, 4
	for _, in := range p.Kernel.Instances {
		n, ok := evaluate.FirstArgument(p.Kernel, in, maxnreg)
		if !ok || f != p.Kernel.File || roundUp(n, unit)*roundUp(threads, parts*hardware.WarpSize) > hardware.RegistersPerSM {
			p.Refuse(f, maxnreg.Start, kit.CodeBounds, "%d threads of a merged block can't be proved to have as many registers each as this allows", threads)
		}
	}
}

func roundUp(n, unit int) int { return (n + unit - 1) / unit * unit }

// maxnregInMacro returns a macro in front of the kernel that may stand for a __maxnreg__, nil if there is none.
func (p *mergeProof) maxnregInMacro() *parser.Mark {
	k := p.Kernel
	if k.View.ParamList == nil || len(k.Prog.MacroWords(k.File)["__maxnreg__"]) == 0 {
		return nil
	}
	marks := k.File.MarksBetween(k.View.Start, int(k.View.ParamList.Start))
	if i := slices.IndexFunc(marks, func(m parser.Mark) bool { return m.Kind == parser.MarkMacro }); i >= 0 {
		return &marks[i]
	}
	return nil
}
