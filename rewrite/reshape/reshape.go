// Package reshape launches thread blocks of another shape for kernels that ask for nothing but the number of their
// thread in the grid.
package reshape

import (
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/evaluate"
	"github.com/smux-cuda/smux/analysis/intrinsic"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/named"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/model/hardware"
	"github.com/smux-cuda/smux/rewrite/kit"
	"github.com/smux-cuda/smux/rewrite/runtime"
	"github.com/smux-cuda/smux/rewrite/variant"
)

// The codes of what reshape refuses.
const (
	CodeNothing diag.Code = "nothing-to-reshape" // a kernel without threads along an axis, or launches that have the shape
)

// Check proves that the threads of a launch do the same in blocks of another shape.
//
//	k<<<g, b>>>(a);  -->  const auto smux_launch = smux::reshape<32, 8>(k, g, b);
//	                      k<<<smux_launch.grid, smux_launch.block>>>(a);
//
// The launch takes the shape only where it divides the launch's extents in threads (smux::reshape checks it). Then there is
// a thread for each one of the original, with the same blockIdx * blockDim + threadIdx and the same
// gridDim * blockDim along each axis, which is all that the kernel may ask for (place.go). So each
// runs the same statements on the same values. Threads of one block have no order among them, nor those of a warp, without
// barriers, fences and atomics of a block, and what warps do together: a kernel may have none of them.
func Check(k *analysis.Kernel, opt kit.Options) (kit.Proof, []diag.Message) {
	p := &proof{Findings: kit.NewFindings(k, variant.Reshape, opt)}
	p.Reasons = append(p.Reasons, k.Hazards...)
	if kit.AlreadyMultiplexed(k) {
		p.Refuse(k.File, k.View.Start, kit.CodeAlready, "smux has rewritten this kernel before")
	}
	if p.Extents == "" {
		p.Extents = Shapes(k)[0]
	}
	along := axes[:strings.Count(p.Extents, ",")+1]
	for _, s := range k.Shared {
		p.Refuse(s.Var.File, s.Var.Range.Start, kit.CodeTogether, "%s is shared by the threads of a block", s.Var.Name)
	}
	for _, fn := range slices.Concat(k.Functions, k.Implicit) {
		p.apart(fn, fn.Body)
		placesOf(p, fn, along).statement(fn.Body)
	}
	p.CheckShadows(func(kit.Uses) bool { return false }) // members of local classes are not looked at
	p.takes(len(along))
	if f, at := named.SizedAt(k); f != nil {
		p.Refuse(f, at, kit.CodeBounds, "the kernel has one shape of blocks")
	}
	return p, p.Reasons
}

// takes refuses a shape that no launch would take: with extents along so many axes.
func (p *proof) takes(axis int) {
	k := p.Kernel
	shape, err := hardware.ParseBlock(p.Extents)
	all := func(f func(in *analysis.Instance) bool) bool {
		return !slices.ContainsFunc(k.Instances, func(in *analysis.Instance) bool { return !f(in) })
	}
	switch {
	case err != nil:
		p.Refuse(k.File, k.View.Start, CodeNothing, "the shape of a block: %v", err)
	case !kit.Axes(k, "threadIdx")[axes[axis-1]]:
		p.Refuse(k.File, k.View.Start, CodeNothing, "the kernel does not ask for threadIdx.%s", axes[axis-1])
	case all(func(in *analysis.Instance) bool {
		d, known := in.BlockShape()
		return known && slices.Equal(d[:axis], shape[:axis])
	}):
		p.Refuse(k.File, k.View.Start, CodeNothing, "all launches in view have blocks of this shape")
	case all(func(in *analysis.Instance) bool {
		most, known := evaluate.MaxThreads(k, in)
		return known && shape[0]*shape[1]*shape[2] > most
	}):
		p.Refuse(k.File, k.View.Start, kit.CodeBounds, "blocks of this shape exceed the launch bounds")
	}
}

// Shapes are the shapes of blocks that are worth comparing for a kernel, the preferred first.
func Shapes(k *analysis.Kernel) []string {
	if kit.Axes(k, "threadIdx")["y"] {
		return variant.BlockShapes[1]
	}
	return variant.BlockShapes[0]
}

// axes are the dimensions of a block.
var axes = []string{"x", "y", "z"}

// apart refuses what threads of a block or of a warp do together, and what tells when or where one runs.
func (p *proof) apart(fn *ir.Func, body *ir.Stmt) {
	k := p.Kernel
	for e := range body.AllExprs() {
		refuse := func(code diag.Code, why string) { p.Refuse(fn.File, e.Range.Start, code, "%s %s", e.Name, why) }
		given := e.Intrinsic()
		switch {
		case e.Op == ir.OpLambda && e.Lambda != nil:
			p.apart(fn, e.Lambda)
		case e.Op == ir.OpAsm:
			p.Refuse(fn.File, e.Range.Start, analysis.CodeAsm, "inline assembly, which may ask for the lane or the block")
		case k.TypeOf(fn, e).Volatile:
			p.Refuse(fn.File, e.Range.Start, kit.CodeTogether, "a volatile object, by which threads of a warp may rely on each other")
		case e.Op == ir.OpIdent && e.Var == nil && e.Name == "warpSize":
			refuse(kit.CodeTogether, "suggests that warps work together")
		case e.Op != ir.OpCall || len(k.Callees(fn, e)) > 0:
		case given.Kind == intrinsic.Timer:
			refuse(kit.CodeClock, "tells when the thread runs")
		case given.Kind == intrinsic.Debug && e.Name != "__trap":
			refuse(kit.CodeTogether, "shows in which order threads run, or in which blocks")
		case given.Scope > intrinsic.Thread || slices.Contains(jointly, given.Kind), strings.HasSuffix(e.Name, "_block"), strings.HasPrefix(e.Name, "__nv_atomic"):
			refuse(kit.CodeTogether, "is for the threads of a block or a warp")
		}
	}
}

// jointly are the kinds of intrinsics for threads that work together.
var jointly = []intrinsic.Kind{intrinsic.Barrier, intrinsic.Vote, intrinsic.Exchange, intrinsic.Lanes, intrinsic.Matrix, intrinsic.Async, intrinsic.Group, intrinsic.GroupOp, intrinsic.Launch}

// proof says of which shape blocks are launched: the text of the kernel stays.
type proof struct {
	kit.Findings
}

// String names the shape.
func (p *proof) String() string { return p.Title() }

// Runtime are the parts that launches use.
func (p *proof) Runtime() []runtime.Part { return []runtime.Part{runtime.Limit, runtime.Reshape} }

// Apply adds nothing but checks of what the proof rests on: launches are changed by package merge.
func (p *proof) Apply() *kit.Edits {
	w := kit.NewEmitter(p.Kernel)
	if lines := w.Checks(&p.Findings); len(lines) > 0 {
		w.AtTop(lines)
	}
	return w.Done()
}
