// Package swizzle has the thread blocks of a 2-D grid run in another order: those of a group of columns before
// those of the next, so that blocks which run together share rows and columns in the L2 cache, as Triton's
// matrix product does.
package swizzle

import (
	"fmt"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/intrinsic"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/rewrite/kit"
	"github.com/smux-cuda/smux/rewrite/variant"
)

// The codes of what swizzle refuses.
const (
	CodeNothing diag.Code = "nothing-to-swizzle" // a kernel that has no rows and columns of blocks
	CodeNumbers diag.Code = "block-numbers"      // blocks whose numbers can't be changed in the kernel alone
)

const mark = "// smux swizzle"

// Check proves that the blocks of a kernel may swap their numbers.
//
//	__global__ void k(float *a) {        __global__ void k(float *a) {
//	    a[blockIdx.y * …] = …     -->        const uint3 blockIdx = …;
//	                                         a[blockIdx.y * …] = …
//	                                     }
//
// The new numbers are a permutation of the old ones in every plane of every grid (formula), and no program may rest
// on the order in which blocks run. So a block does what another one did, if all of it asks for the number in the
// kernel's own body, where the declaration hides the built-in, and for nothing else that tells
// blocks apart: what waits for others, device functions with blockIdx, the number of a cooperative group, PTX,
// and clocks, whose values the order changes.
func Check(k *analysis.Kernel, opt kit.Options) (kit.Proof, []diag.Message) {
	p := &proof{Findings: kit.NewFindings(k, variant.Swizzle, opt)}
	if kit.AlreadyMultiplexed(k) || p.Says(mark) {
		p.Refuse(k.File, k.View.Start, kit.CodeAlready, "smux has rewritten this kernel before")
		return nil, p.Reasons
	}
	for _, h := range k.Hazards {
		if !slices.Contains(inBlock, h.Code) {
			p.Reasons = append(p.Reasons, h)
		}
	}
	for _, fn := range slices.Concat(k.Functions, k.Implicit) {
		p.numbers(fn, fn.Body)
	}
	p.CheckNames(CodeNumbers, "blockIdx", "gridDim")
	p.CheckShadows(func(u kit.Uses) bool { return u.BlockIdx })
	if axes := kit.Axes(k, "blockIdx"); len(p.Reasons) == 0 && !(axes["x"] && axes["y"]) {
		p.Refuse(k.File, k.View.Start, CodeNothing, "the kernel does not ask for blockIdx.x and blockIdx.y: its blocks have no rows and columns")
	}
	return p, p.Reasons
}

// inBlock are hazards that concern the threads of one block.
var inBlock = []diag.Code{analysis.CodeNamedBarrier, analysis.CodeAsync, analysis.CodeEscape, analysis.CodeTile, analysis.CodeBarrierCall, analysis.CodeRecursion}

// special are special registers of PTX, and members of a cooperative group, that tell blocks apart, or when one runs.
var special = []string{"ctaid", "cluster", "clock", "globaltimer", "smid", "group_index"}

// numbers refuses what tells blocks apart besides blockIdx in the kernel's own body.
func (p *proof) numbers(fn *ir.Func, body *ir.Stmt) {
	for e := range body.AllExprs() {
		isSpecial := func(s string) bool { return strings.Contains(e.Name, s) }
		switch {
		case e.Op == ir.OpLambda && e.Lambda != nil:
			p.numbers(fn, e.Lambda)
		case e.Op == ir.OpIdent && e.Var == nil && e.Name == "blockIdx" && fn != p.Kernel.Func:
			p.Refuse(fn.File, e.Range.Start, CodeNumbers, "device function %s asks for blockIdx, which a declaration in the kernel does not change", fn.View.Name)
		case (e.Op == ir.OpCall || e.Op == ir.OpAsm) && slices.ContainsFunc(special, isSpecial) && len(p.Kernel.Callees(fn, e)) == 0,
			e.Op == ir.OpCall && e.Intrinsic().Kind == intrinsic.Timer:
			p.Refuse(fn.File, e.Range.Start, CodeNumbers, "%s tells which block runs, or when", e.Name)
		}
	}
}

// proof says by which groups blocks are renumbered.
type proof struct {
	kit.Findings
}

// String names the groups.
func (p *proof) String() string { return fmt.Sprintf("%s: groups of %d columns", p.Title(), p.Factor) }

// Apply declares the new number.
func (p *proof) Apply() *kit.Edits {
	w := kit.NewEmitter(p.Kernel)
	top := []string{fmt.Sprintf("%s N=%d: the thread blocks of %[2]d columns of the grid come before those of the next.", mark, p.Factor)}
	top = append(top, w.Checks(&p.Findings)...)
	w.AtTop(append(top, formula(p.Factor, w.Fresh)...))
	return w.Done()
}

// formula declares blockIdx anew. Blocks are numbered along the rows of a plane, as the hardware starts them, and those numbers
// are dealt to groups of g columns: each has g · gridDim.y of them, the last one fewer, and the numbers of a group lie along
// its rows. The product of a grid's width and height stays below 2^32 as long as the width is at most
// 2^16, since no grid is higher than 2^16 - 1; wider ones keep their order.
func formula(g int, name func(string) string) []string {
	number, first, width, place, block := name("smux_number"), name("smux_first"), name("smux_width"), name("smux_place"), name("smux_block")
	return []string{
		fmt.Sprintf("const unsigned %s = blockIdx.y * gridDim.x + blockIdx.x, %s = %s / (%du * gridDim.y) * %[4]du;", number, first, number, g),
		fmt.Sprintf("const unsigned %s = gridDim.x - %s < %du ? gridDim.x - %[2]s : %[3]du, %[4]s = %s %% (%[3]du * gridDim.y);", width, first, g, place, number),
		fmt.Sprintf("const uint3 %s = blockIdx;", block),
		fmt.Sprintf("const uint3 blockIdx = gridDim.x > 65536u ? %s : make_uint3(%s + %s %% %s, %[3]s / %[4]s, %[1]s.z);", block, first, place, width),
	}
}
