package rewrite

import (
	"fmt"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/model/hardware"
	"github.com/smux-cuda/smux/parser"
)

// checkVTB proves that a kernel can be merged N-fold with its regions made
// critical sections, in the sync mode that opt names (design §5).
//
//	__global__ void k(float *a) {           __global__ void k(float *a, unsigned g) {
//	    __shared__ float s[64];                 const smux::vtb_named<2> vtb(g);
//	    s[t] = a[i];                            if (!vtb.active) return;
//	    __syncthreads();               -->      __shared__ float s[64];
//	    a[i] = s[63 - t];                       vtb.acquire();
//	}                                           s[t] = a[i];
//	                                            vtb.sync();
//	                                            a[i] = s[63 - t];
//	                                            vtb.release();
//	                                        }
func checkVTB(k *analysis.Kernel, opt Options) (Proof, []diag.Message) {
	return check(k, "vtb", opt)
}

// check is the proof that the rewriters share which make regions critical
// sections; name is that of the rewriter. Of the owned variables each v-TB gets
// a copy of its own: they need no turns.
func check(k *analysis.Kernel, name string, opt Options, owned ...*analysis.Shared) (Proof, []diag.Message) {
	p, reasons := beginMerge(k, name, opt)
	if p == nil {
		return nil, reasons
	}
	if len(k.Shared) == 0 || len(k.Regions) == 0 {
		p.refuse(k.File, k.View.Start, CodeNoShared, "the kernel uses no shared memory: there is nothing to multiplex")
		return nil, p.reasons
	}
	p.privatized = owned
	limit := analysis.GridUniform
	if p.Sync == "lock" {
		limit = analysis.BlockUniform
	}
	if p.turnsInCalls() {
		p.regions = k.RegionsInCalls(limit, func(fn *ir.Func) bool { return opt.closed[fn] })
	} else {
		p.regions = k.RegionsUnder(limit, owned...)
	}
	p.regions = opt.Unsafe.shrink(p.regions)
	p.prove()
	switch {
	case p.Sync == "block":
		return p.cutRegions(), p.reasons
	case len(p.regions) == 0:
		p.proveApart()
	default:
		p.proveTurns()
	}
	return p, p.reasons
}

// cutRegions is the proof of block mode, which holds its edits: regions are cut while the
// proof is made.
func (p *mergeProof) cutRegions() *merger {
	w := newMerger(p)
	w.begin()
	if p.Rewriter == "vtb-pipe" {
		w.planPipe()
	} else {
		w.planBlock()
	}
	return w
}

// beginMerge begins a proof, or says why there can be none of any kind.
func beginMerge(k *analysis.Kernel, name string, opt Options) (*mergeProof, []diag.Message) {
	p := newMergeProof(k, name, opt)
	if p.Sync == "lock" {
		p.SharedSets = max(1, opt.SharedSets)
	}
	if alreadyMultiplexed(k) {
		p.refuse(k.File, k.View.Start, CodeAlready, "the kernel is already multiplexed")
		return nil, p.reasons
	}
	if len(k.Hazards) > 0 && !(p.copiesAll() && k.OnlyCollectives()) {
		return nil, k.Hazards
	}
	return p, nil
}

// prove makes the proofs that do not depend on the sync mode.
func (p *mergeProof) prove() {
	p.fold()
	p.checkShapes()
	p.checkWarps()
	p.checkShadows()
	if p.Assume {
		u := usesOf(p.Kernel, p.Kernel.Func)
		p.assumed = p.assumedShape(u.threadIdx, u.blockDim)
	}
	p.checkSignature()
}

// checkShadows refuses code inside a kernel's or function's body that would see
// the shadowed built-ins but can't name local variables: lambdas, which may
// capture nothing, and members of local classes.
func (p *mergeProof) checkShadows() {
	k := p.Kernel
	for _, fn := range k.Functions {
		fn.Body.WalkExprs(func(e *ir.Expr) bool {
			if e.Op == ir.OpLambda && e.Lambda != nil && usesIn(k, fn, e.Lambda).any() {
				p.refuse(fn.File, e.Range.Start, analysis.CodeLambda, "a lambda that uses a built-in whose value changes")
			}
			return true
		})
		inner := fn.File.Functions
		first, _ := slices.BinarySearchFunc(inner, int(fn.View.Body.Start), func(f *parser.Function, at int) int { return f.Start - at })
		for _, member := range inner[first:] {
			if member.Start >= int(fn.View.Body.End) {
				break
			}
			if member != fn.View && member.Body != nil && member.Start > int(fn.View.Body.Start) && int(member.Body.End) < int(fn.View.Body.End) {
				p.refuse(fn.File, member.Start, analysis.CodeLambda, "a class that is local to the function")
			}
		}
	}
}

func alreadyMultiplexed(k *analysis.Kernel) bool {
	body := k.File.Src[k.View.Start:k.View.Body.End]
	return strings.Contains(string(body), "smux::")
}

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
				p.note(file, at, CodeBlockUnknown, "block size not known: the launch stays as it is where %s do not fit into one", p.blocksThatFit())
			}
			continue
		}
		switch n := d[0] * d[1] * d[2]; {
		case n*p.Factor > hardware.MaxThreadsPerBlock:
			p.refuse(file, at, CodeBlockTooLarge, "%d blocks of %d threads are more than %d", p.Factor, n, hardware.MaxThreadsPerBlock)
		case d[2]*p.Factor > hardware.MaxBlockDimZ:
			p.refuse(file, at, CodeBlockTooLarge, "%d blocks of depth %d along z are deeper than %d", p.Factor, d[2], hardware.MaxBlockDimZ)
		}
	}
	if lb := k.View.LaunchBounds; lb != nil && lb.ArgEnd > lb.ArgStart {
		if len(splitArguments(string(k.File.Src[lb.ArgStart:lb.ArgEnd]))) > 2 {
			p.refuse(k.File, lb.Start, analysis.CodeCluster, "launch bounds with a number of clusters")
		}
	}
	if n := p.barriers(); n > hardware.NamedBarriers {
		p.refuse(k.File, k.View.Start, CodeBarrierIDs, "%d virtual thread blocks need %d named barriers, a block has %d", p.Factor, n, hardware.NamedBarriers)
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

// checkWarps proves that warps stay inside one virtual thread block, where
// something depends on that: named barriers count whole warps, and warp
// intrinsics and warp-synchronous code work on the lanes of one warp.
func (p *mergeProof) checkWarps() {
	why, fn, e := p.warpNeed()
	if why == "" {
		return
	}
	k := p.Kernel
	for _, in := range k.Instances {
		d, ok := in.BlockShape()
		switch {
		case ok && d[0]*d[1]*d[2]%hardware.WarpSize == 0:
		case ok:
			at, file := k.View.Start, k.File
			if e != nil {
				at, file = e.Range.Start, fn.File
			}
			p.refuse(file, at, CodeNotWarps, "%s, and blocks of %d threads are no multiple of %d", why, d[0]*d[1]*d[2], hardware.WarpSize)
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
	for _, fn := range slices.Concat(p.Kernel.Functions, p.Kernel.ImplicitFunctions()) {
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
			if why == "" && e.Op == ir.OpCall && p.Kernel.IsWarpCall(fn, e) {
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

// checkSignature proves that a kernel's parameters and launch bounds can change.
func (p *mergeProof) checkSignature() {
	k := p.Kernel
	if k.View.ParamList == nil {
		p.refuse(k.File, k.View.Start, CodeSignature, "the parameter list is not in view")
		return
	}
	if lb := k.View.LaunchBounds; lb != nil && lb.Kind == parser.MarkMacro {
		p.refuse(k.File, lb.Start, CodeMacro, "launch bounds inside macro %s", lb.Name)
	}
	p.cap = p.boundMerged()
}

// parameterIndex is where a kernel's extra parameter goes: last, but before
// default arguments and parameter packs.
func parameterIndex(fn *parser.Function) int {
	for i, q := range fn.Params {
		if q.Variadic || q.Default != nil {
			return i
		}
	}
	return len(fn.Params)
}

// followed reports whether default arguments or a pack stand behind the kernel's extra
// parameter. A launch that was left behind, in a file that nobody named, may pass an
// argument of theirs in its place.
func (p *mergeProof) followed() bool {
	return p.Kernel.View.ParamList != nil && parameterIndex(p.Kernel.View) < len(p.Kernel.View.Params)
}

// extentType is the type of the extra parameter: one number, or where it is followed
// the whole grid, since no number converts to it: such a launch does not compile.
func (p *mergeProof) extentType() string {
	if p.followed() {
		return "uint3"
	}
	return "unsigned"
}

// extentArgument is what a launch on a grid passes for the extra parameter.
func (p *mergeProof) extentArgument(grid string) string {
	if p.followed() {
		return "smux::dim(" + grid + ")"
	}
	return "smux::dim(" + grid + ")." + p.gridAxis()
}

// insertParameter adds the extra parameters to a definition or declaration.
func insertParameter(b *Buffer, f *parser.File, fn *parser.Function, param string) {
	list := fn.ParamList
	i := parameterIndex(fn)
	switch end := int(list.End) - 1; {
	case strings.TrimSpace(string(f.Src[int(list.Start)+1:end])) == "void":
		b.Replace(int(list.Start)+1, end, param)
	case len(fn.Params) == 0:
		b.Insert(end, param)
	case i < len(fn.Params):
		b.Insert(int(fn.Params[i].Node.Start), param+", ")
	default:
		// Behind the last parameter, before white space and comments.
		b.Insert(int(fn.Params[i-1].Node.End), ", "+param)
	}
}

// launchBoundsIn turns (T, M) into (T*N, max(1, M/N)).
func (p *mergeProof) launchBoundsIn(b *Buffer, f *parser.File, lb *parser.Mark) {
	args := splitArguments(string(f.Src[lb.ArgStart:lb.ArgEnd]))
	out := p.scaledThreads(strings.TrimSpace(args[0]), f, lb)
	if len(args) == 2 {
		m := strings.TrimSpace(args[1])
		var n int
		if _, err := fmt.Sscanf(m, "%d", &n); err == nil && fmt.Sprint(n) == m {
			out += fmt.Sprintf(", %d", max(1, n/p.Factor))
		} else {
			out += fmt.Sprintf(", ((%s) / %d > 0 ? (%s) / %d : 1)", m, p.Factor, m, p.Factor)
		}
	}
	b.Replace(lb.ArgStart, lb.ArgEnd, out)
}

// splitArguments splits at the commas that are in no parentheses.
func splitArguments(s string) []string {
	var out []string
	depth, from := 0, 0
	for i, c := range s {
		switch c {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth--
		case ',':
			if depth == 0 {
				out = append(out, s[from:i])
				from = i + 1
			}
		}
	}
	return append(out, s[from:])
}

// scaledThreads is the text t of the threads that launch bounds allow, times N. More than
// a block can have would make the compiler save registers for nothing.
func (p *mergeProof) scaledThreads(t string, f *parser.File, lb *parser.Mark) string {
	var v int
	if _, err := fmt.Sscanf(t, "%d", &v); err == nil && fmt.Sprint(v) == t {
		return fmt.Sprint(min(hardware.MaxThreadsPerBlock, v*p.Factor))
	}
	if !isName(t) {
		t = "(" + t + ")"
	}
	t = fmt.Sprintf("%s * %d", t, p.Factor)
	over := func(in *analysis.Instance) bool {
		n, ok := p.Kernel.FirstArgument(in, lb)
		return ok && n*p.Factor > hardware.MaxThreadsPerBlock
	}
	if f == p.Kernel.File && slices.ContainsFunc(p.Kernel.Instances, over) {
		return fmt.Sprintf("(%[1]s < %[2]d ? %[1]s : %[2]d)", t, hardware.MaxThreadsPerBlock)
	}
	return t
}

func isName(s string) bool {
	for _, c := range s {
		if c != '_' && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') {
			return false
		}
	}
	return s != ""
}
