package kit

import (
	"fmt"
	"strings"

	"github.com/smux-cuda/smux/analysis/evaluate"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/named"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/model/hardware"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite/variant"
)

// CodeBounds is a cap on registers that can't be set, or not as the recipe says.
const CodeBounds diag.Code = "launch-bounds"

// CapRegisters proves that a cap on registers can be set; nil is none.
//
//	__global__ void k(…)   -->   __global__ __launch_bounds__(256, 3) void k(…)
//
// Launch bounds forbid launches with more threads, so they are set only where no launch has more: the kernel's own
// bounds say so, or all launches are in view. The kernel's own number of threads stays, as text, where it is not
// larger. Names that all launches say their blocks by stand for the number where the kernel's head sees them.
func (p *Findings) CapRegisters(r variant.Recipe) *RegisterCap {
	if r.Threads == 0 && r.MaxRegisters == 0 {
		return nil
	}
	k := p.Kernel
	global, maxnreg := p.Marks()
	lb := k.View.LaunchBounds
	switch {
	case global == nil:
		p.Refuse(k.File, k.View.Start, CodeBounds, "there is no __global__ of this kernel in view to put a cap after")
	case lb != nil && (lb.Kind == parser.MarkMacro || lb.Name != "__launch_bounds__"):
		p.Refuse(k.File, lb.Start, CodeMacro, "launch bounds inside macro %s", lb.Name)
	case !p.CapsAgree():
	case r.MaxRegisters > 0:
		return p.maxRegisters(r.MaxRegisters, global, maxnreg)
	case maxnreg != nil:
		p.Refuse(k.File, maxnreg.Start, CodeBounds, "the kernel has __maxnreg__, which launch bounds can't stand beside")
	case r.Threads > hardware.MaxThreadsPerBlock || r.Threads*max(1, r.Blocks) > hardware.MaxThreadsPerSM:
		p.Refuse(k.File, k.View.Start, CodeBounds, "%d blocks of %d threads fit on no SM", max(1, r.Blocks), r.Threads)
	default:
		return p.launchBounds(r, global)
	}
	return nil
}

// RegisterCap is a cap on registers: the text in the place of a range, or at an empty one.
type RegisterCap struct {
	At   ir.Range
	Text string
}

// CapAt returns a cap whose text takes the place of a range.
func CapAt(start, end int, text string) *RegisterCap {
	return &RegisterCap{ir.Range{Start: start, End: end}, text}
}

// Marks are the kernel's __global__ and its __maxnreg__, nil where there is none.
func (p *Findings) Marks() (global, maxnreg *parser.Mark) {
	k := p.Kernel
	if k.View.ParamList == nil {
		return nil, nil
	}
	marks := k.File.MarksBetween(k.View.Start, int(k.View.ParamList.Start))
	for i := range marks {
		if marks[i].Quals&parser.QualGlobal != 0 {
			global = &marks[i]
			break
		}
	}
	return global, MarkOf(k.File, k.View, "__maxnreg__")
}

// CapsAgree refuses a kernel of which another declaration has a cap of its own: the last one that the compiler reads
// counts, and that of an explicit instantiation counts for it.
func (p *Findings) CapsAgree() bool {
	ok := true
	named.Declarations(p.Kernel, func(f *parser.File, fn *parser.Function) {
		if fn.LaunchBounds != nil || MarkOf(f, fn, "__maxnreg__") != nil {
			p.Refuse(f, fn.Start, CodeBounds, "this declaration of the kernel has a cap of its own, which may count in place of the definition's")
			ok = false
		}
	})
	return ok
}

// MarkOf is a function's mark of a name, nil if it has none.
func MarkOf(f *parser.File, fn *parser.Function, name string) *parser.Mark {
	if fn.ParamList == nil {
		return nil
	}
	marks := f.MarksBetween(fn.Start, int(fn.ParamList.Start))
	for i := range marks {
		if marks[i].Name == name {
			return &marks[i]
		}
	}
	return nil
}

// maxRegisters sets __maxnreg__.
func (p *Findings) maxRegisters(n int, global, maxnreg *parser.Mark) *RegisterCap {
	k := p.Kernel
	switch {
	case k.View.LaunchBounds != nil:
		p.Refuse(k.File, k.View.LaunchBounds.Start, CodeBounds, "the kernel has launch bounds, which __maxnreg__ can't stand beside")
	case n > hardware.MaxRegistersPerThread:
		p.Refuse(k.File, k.View.Start, CodeBounds, "no thread has %d registers", n)
	case maxnreg != nil && maxnreg.ArgEnd > maxnreg.ArgStart:
		return CapAt(maxnreg.ArgStart, maxnreg.ArgEnd, fmt.Sprint(n))
	default:
		return CapAt(global.End, global.End, fmt.Sprintf(" __maxnreg__(%d)", n))
	}
	return nil
}

// launchBounds sets __launch_bounds__.
func (p *Findings) launchBounds(r variant.Recipe, global *parser.Mark) *RegisterCap {
	k := p.Kernel
	lb := k.View.LaunchBounds
	if lb == nil {
		p.boundByLaunches(r.Threads)
		bounds := named.ThreadsAsNamed(k, r.Threads)
		if r.Blocks > 0 {
			bounds += fmt.Sprintf(", %d", r.Blocks)
		}
		return CapAt(global.End, global.End, fmt.Sprintf(" __launch_bounds__(%s)", bounds))
	}
	args := SplitArguments(string(k.File.Src[lb.ArgStart:lb.ArgEnd]))
	for i := range args {
		args[i] = strings.TrimSpace(args[i])
		if rest := shifts.Replace(args[i]); strings.Count(rest, "<") != strings.Count(rest, ">") {
			p.Refuse(k.File, lb.Start, CodeBounds, "launch bounds that smux can't tell the arguments of apart")
			return nil
		}
	}
	if own, smaller := p.ownThreads(r.Threads); !own {
		args[0] = named.ThreadsAsNamed(k, r.Threads)
		p.boundByLaunches(r.Threads)
	} else if smaller {
		p.Note(k.File, lb.Start, CodeBounds, "the kernel's own launch bounds allow fewer than %d threads, and stay", r.Threads)
	}
	switch {
	case r.Blocks > 0 && len(args) > 1:
		args[1] = fmt.Sprint(r.Blocks)
	case r.Blocks > 0:
		args = append(args, fmt.Sprint(r.Blocks))
	}
	return CapAt(lb.ArgStart, lb.ArgEnd, strings.Join(args, ", "))
}

var shifts = strings.NewReplacer("<<", "", ">>", "")

// ownThreads reports whether the kernel's own launch bounds allow no more than
// so many threads in any instance, and whether they allow fewer in one.
func (p *Findings) ownThreads(threads int) (own, smaller bool) {
	for _, in := range p.Kernel.Instances {
		n, ok := evaluate.MaxThreads(p.Kernel, in)
		if !ok || n > threads {
			return false, false
		}
		smaller = smaller || n < threads
	}
	return len(p.Kernel.Instances) > 0, smaller
}

// boundByLaunches proves that no launch has more threads: all are in view
// (LaunchProof.check), and each has a block that is known, or that --block tells.
func (p *Findings) boundByLaunches(threads int) {
	p.Closed, p.Bound = true, threads
	k := p.Kernel
	if k.View.Quals&parser.QualStatic == 0 {
		p.Note(k.File, k.View.Start, CodeBounds, "a launch in a file that was not named must have no more than %d threads, too", threads)
	}
	for _, in := range k.Instances {
		if in.Launch == nil {
			continue // LaunchProof.check sees to it
		}
		d, ok := in.BlockShape()
		switch n := d[0] * d[1] * d[2]; {
		case in.Told && n <= threads:
			// --block says so, and the launch of a larger block fails: it is an error
			// then, and no wrong result.
			p.Note(in.Launch.File, in.Launch.View.Open, CodeBounds, "this launch must have no more than %d threads, as it was told to have; with more it fails from now on", threads)
		case !ok || in.Told:
			p.Refuse(in.Launch.File, in.Launch.View.Open, CodeBounds, "the block size of this launch is not a constant: it may have more than %d threads", threads)
		case n > threads:
			p.Refuse(in.Launch.File, in.Launch.View.Open, CodeBounds, "this launch has blocks of %d threads, more than %d", n, threads)
		}
	}
}
