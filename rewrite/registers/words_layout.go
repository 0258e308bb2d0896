package registers

import (
	"fmt"
	"regexp"
	"slices"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/demotion"
	"github.com/smux-cuda/smux/analysis/evaluate"
	"github.com/smux-cuda/smux/analysis/hostcode"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/model/hardware"
	"github.com/smux-cuda/smux/rewrite/kit"
	"github.com/smux-cuda/smux/rewrite/variant"
)

// slotLayout says where the words of a thread lie: word w of thread t is element w * threads + t of the arrays
// together, and of dynamic shared memory element t * SlotWords + w after the kernel's own.
type slotLayout struct {
	number  string // the expression for the thread's number
	threads int    // elements of each array, 0 in dynamic shared memory
}

// slotThreads finds the bound on the threads of a block, and how a thread numbers itself: from the shapes of all
// launches, else from the launch bounds of the recipe or of the kernel, which a larger block could not be launched
// with. Where there is none, the words go to dynamic shared memory if all launches are in view, else the kernel is
// refused.
func (p *demoteProof) slotThreads(r variant.Recipe) *slotLayout {
	k := p.Kernel
	for _, name := range []string{"threadIdx", "blockDim"} {
		if p.renames(name) {
			p.Refuse(k.File, k.View.Start, kit.CodeShape, "%s is not the built-in variable at the kernel's top", name)
			return nil
		}
	}
	l := &slotLayout{number: "(threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x"}
	own := p.ownBound()
	shapes, open := p.launchedShapes()
	switch {
	case len(shapes) > 0:
		p.Closed = true
		flat, one := true, true
		for _, d := range shapes {
			l.threads = max(l.threads, d[0]*d[1]*d[2])
			flat = flat && d[1] == 1 && d[2] == 1
			one = one && d == shapes[0]
		}
		switch d := shapes[0]; {
		case flat:
			l.number = "threadIdx.x"
		case one && d[2] == 1:
			l.number = fmt.Sprintf("threadIdx.y * %d + threadIdx.x", d[0])
		case one:
			l.number = fmt.Sprintf("(threadIdx.z * %d + threadIdx.y) * %d + threadIdx.x", d[1], d[0])
		}
	case r.Threads > 0:
		l.threads = r.Threads
		if own > 0 {
			l.threads = min(own, r.Threads)
		}
		p.Closed = p.Closed || own == 0 || own > r.Threads
	case own > 0:
		l.threads = own
	case open != nil:
		p.Closed = true
		return l
	default:
		why := "no launch of it is in view"
		if k.View.ExternC {
			why = "it has C linkage, so a launch may be out of sight"
		}
		p.Refuse(k.File, k.View.Start, kit.CodeNoLaunch, "%s, and it has no launch bounds: the number of threads that need words in shared memory is unknown", why)
		return nil
	}
	l.threads = min(l.threads, hardware.MaxThreadsPerBlock)
	return l
}

// renames reports whether a built-in variable's name stands for something else where the kernel's body begins.
func (p *demoteProof) renames(name string) bool {
	k := p.Kernel
	for _, fn := range k.Functions {
		for _, v := range append(append([]*ir.Var{}, fn.Params...), fn.TParams...) {
			if v.Name == name {
				return true
			}
		}
		if _, macro := fn.File.Macros.Lookup(name, int(fn.View.Body.Start)); macro {
			return true
		}
	}
	v := evaluate.FactsOf(k, nil).Variable(k.Func, &ir.Expr{Op: ir.OpIdent, Name: name})
	return v != nil
}

// launchedShapes are the block shapes of all launches, nil where one is not known
// for certain, which is then returned, or where a launch may be out of sight.
func (p *demoteProof) launchedShapes() (shapes [][3]int, open *analysis.Launch) {
	k := p.Kernel
	if len(k.Launches) == 0 || k.View.ExternC {
		return nil, nil
	}
	for _, in := range k.Instances {
		d, ok := in.BlockShape()
		if in.Launch == nil || in.Told || !ok {
			return nil, in.Launch
		}
		shapes = append(shapes, d)
	}
	return shapes, nil
}

// ownBound is the bound of the kernel's own __launch_bounds__ on the threads of a block, 0 where there is none or
// where it depends on template arguments: those of a launch out of sight may be larger.
func (p *demoteProof) ownBound() int {
	n, ok := evaluate.MaxThreads(p.Kernel, nil)
	if !ok {
		return 0
	}
	return min(n, hardware.MaxThreadsPerBlock)
}

// wantsMost finds the attribute that lets a kernel have more dynamic shared memory.
var wantsMost = regexp.MustCompile(`MaxDynamicSharedMemorySize|MAX_DYNAMIC_SHARED_SIZE_BYTES`)

// fitsShared proves that the arrays fit beside what the kernel's blocks have of shared memory already.
func (p *demoteProof) fitsShared(words []*demotion.Word, l *slotLayout) bool {
	k := p.Kernel
	total := 0
	for _, s := range k.Shared {
		switch {
		case s.Dynamic:
		case s.Bytes < 0:
			p.Refuse(k.File, k.View.Start, kit.CodeSharedSize, "the size of shared variable %s is not known: words may not fit beside it", s.Name)
			return false
		default:
			total += (s.Bytes + 15) / 16 * 16
		}
	}
	for _, w := range words {
		total += (4*w.Words*l.threads + 15) / 16 * 16
	}
	most := 0
	for _, launch := range k.Launches {
		n, ok := p.dynamicBytes(launch)
		if !ok {
			p.Refuse(launch.File, launch.View.Open, kit.CodeSharedSize, "the bytes of dynamic shared memory of this launch are not known: words may not fit beside them")
			return false
		}
		most = max(most, n)
	}
	if len(k.Launches) == 0 {
		for _, s := range k.Shared {
			if s.Dynamic {
				p.Refuse(k.File, k.View.Start, kit.CodeSharedSize, "the bytes of dynamic shared memory are not known: words may not fit beside them")
				return false
			}
		}
	}
	dynamic := most > 0 || slices.ContainsFunc(k.Shared, func(s *analysis.Shared) bool { return s.Dynamic })
	for _, f := range k.Prog.View(k.File) {
		if dynamic && wantsMost.Match(f.Src) {
			p.Refuse(k.File, k.View.Start, kit.CodeSharedSize, "%s asks for as much dynamic shared memory as a block can have: words may not fit beside it", f.Name)
			return false
		}
	}
	if total+most > hardware.SharedPerBlock {
		p.Refuse(k.File, k.View.Start, kit.CodeSharedSize, "with these words a block of %d threads has %d bytes of shared memory, more than %d", l.threads, total+most, hardware.SharedPerBlock)
		return false
	}
	return true
}

// dynamicBytes is the third configuration argument of a launch, 0 where there is none.
func (p *demoteProof) dynamicBytes(launch *analysis.Launch) (int, bool) {
	k := p.Kernel
	e, host := hostcode.Expr(launch, k.Prog)
	if e == nil {
		return 0, false
	}
	if len(launch.View.Config) < 3 {
		return 0, true
	}
	if n, ok := evaluate.FactsOf(k, nil).Constant(host, e.Kids[2]); ok {
		return int(n), n >= 0 && n < 1<<20
	}
	for _, in := range k.Instances {
		if in.Launch == launch && in.DynamicBytes > 0 {
			return in.DynamicBytes, true
		}
	}
	return 0, false
}
