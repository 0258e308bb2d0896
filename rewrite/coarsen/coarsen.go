// Package coarsen gives each thread block, or each thread, the work of several, statement by statement ("unroll and
// jam"): Volkov & Demmel, SC'08; Magni, Dubach & O'Boyle, SC'13; Ivanov et al., CGO'24.
package coarsen

import (
	"fmt"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/barriers"
	"github.com/smux-cuda/smux/analysis/intrinsic"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/launches"
	"github.com/smux-cuda/smux/analysis/pointers"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/model/hardware"
	"github.com/smux-cuda/smux/rewrite/kit"
	"github.com/smux-cuda/smux/rewrite/merge"
	"github.com/smux-cuda/smux/rewrite/runtime"
)

// The codes of what coarsen refuses. diag documents each.
const (
	CodeNothing   diag.Code = "nothing-to-coarsen"
	CodeControl   diag.Code = "differing-control"
	CodeVariables diag.Code = "no-copies"
)

// mark begins the comment in a coarsened kernel; the axis follows.
const mark = "// smux coarsen along "

// Check proves that each thread block of a kernel can do the work of N neighbours. No order between thread blocks is
// promised, so that any order of their statements is one in which the kernel may run, as long as each thread keeps
// its own: copies take turns at each run of statements that differ between them, and what is the same for all of
// them, as loads of an element that all N blocks read, is done once.
//
//	int i = blockIdx.x * 64 + threadIdx.x;       int i[COARSEN];
//	out[i] = a[i] * w[threadIdx.x];       -->    #pragma unroll
//	                                             for (int c = 0; c < COARSEN; ++c) i[c] = block[c] * 64 + threadIdx.x;
//	                                             …
//
// A barrier is one for all copies, so it must run for all of them alike; of a shared array that they fill alike they
// have one, of others one each. Copies beyond the end of the grid repeat the first, and change nothing outside of it.
//
// With Of = threads a copy is a thread of the block, by threads.go.
func Check(k *analysis.Kernel, opt kit.Options) (kit.Proof, []diag.Message) {
	blocks, reasons := merge.Coarse(k, opt)
	if blocks == nil {
		return nil, reasons
	}
	p := &proof{copies: copies{blocks, map[*ir.Var]bool{}, map[*ir.Stmt]bool{}}}
	if p.Says(mark+p.Axis()) || p.Axis() != "y" && p.Says(mark) {
		p.Refuse(k.File, k.View.Start, kit.CodeAlready, "each of its %s does the work of several already", p.kind())
		return nil, p.Reasons
	}
	if p.checkCalls(); p.ofThreads() && !kit.Axes(k, p.place())[p.Axis()] {
		p.Refuse(k.File, k.View.Start, CodeNothing, "the kernel does not ask for %s.%s", p.place(), p.Axis())
	}
	if len(p.Reasons) == 0 {
		for before := -1; len(p.differs) > before; { // what is repeated as a whole changes more than its conditions say
			before, p.Reasons = len(p.differs), nil
			p.findDiffering()
			p.steps = p.plan(k.Func.Body.List, true)
		}
		p.checkVariables()
		p.checkShared()
	}
	if len(p.Reasons) == 0 && !slices.ContainsFunc(p.steps, step.repeats) {
		p.Refuse(k.File, k.View.Start, CodeNothing, "no statement differs between %s along %s", p.kind(), p.Axis())
	}
	return p, p.Reasons
}

// proof says which statements differ between the copies of a thread block, and how they are repeated.
type proof struct {
	copies
	steps []step

	arrays map[*ir.Var]bool // variables of which there is an element for each copy
	heads  map[*ir.Var]bool // those that the head of a loop declares
	owners map[*ir.Var]*step
	// whole says that copies beyond the end of the grid do nothing: a value that an effect returned
	// would be missing where they only leave effects out.
	whole bool
}

// String lists what each copy has for itself, and the runs that are repeated.
func (p *proof) String() string {
	var b strings.Builder
	b.WriteString(p.Title())
	for _, v := range p.sorted() {
		fmt.Fprintf(&b, "\n\t%d of %s", p.Factor, v.Name)
	}
	var show func(steps []step)
	show = func(steps []step) {
		for _, s := range steps {
			if s.kind == repeat {
				fmt.Fprintf(&b, "\n\trepeated from %s to %s", p.At(s.stmts[0].Range.Start), p.At(s.stmts[len(s.stmts)-1].Range.End))
			}
			show(s.inside)
		}
	}
	show(p.steps)
	return b.String()
}

// sorted are the variables of which there is one for each copy, in the order of the source.
func (p *proof) sorted() (out []*ir.Var) {
	for v, is := range p.arrays {
		if is {
			out = append(out, v)
		}
	}
	slices.SortFunc(out, func(a, b *ir.Var) int { return a.Range.Start - b.Range.Start })
	return out
}

// Functions is empty: no device function changes.
func (p *proof) Functions() []*ir.Func { return nil }

// Runtime is empty: the emitted text needs none.
func (p *proof) Runtime() []runtime.Part { return nil }

// checkCalls refuses functions that ask for the place of a copy themselves, or of which all have shared arrays, and clocks.
func (p *proof) checkCalls() {
	k := p.Kernel
	for _, fn := range slices.Concat(k.Functions, k.Implicit) {
		if fn != k.Func && p.asks(fn) {
			p.Refuse(fn.File, fn.View.Start, kit.CodeIndex, "%s asks for %s or %s itself", fn.View.Name, p.place(), p.size())
		}
		if p.ofThreads() {
			p.checkWaits(fn)
		}
		for e := range fn.Body.AllExprs() {
			obj, member := e.IsMemberCall()
			switch {
			case p.ofThreads() && p.together(fn, e):
			case e.Op == ir.OpLambda && e.Lambda != nil:
				p.Refuse(fn.File, e.Range.Start, analysis.CodeLambda, "a lambda, which may see variables of several copies")
			case fn == k.Func && p.isOrdered(e):
				p.Refuse(fn.File, e.Range.Start, CodeVariables, "a volatile object, whose accesses keep an order")
			case fn == k.Func && e.Op == ir.OpAsm:
				p.Refuse(fn.File, e.Range.Start, analysis.CodeAsm, "inline assembly, whose operands may be variables of several copies")
			case e.Op == ir.OpCall && (e.Name == "__activemask" || e.Name == "coalesced_threads"):
				p.Refuse(fn.File, e.Range.Start, CodeControl, "%s asks which lanes run together, which may be others where copies take turns", e.Name)
			case e.Op == ir.OpCall && e.Intrinsic().Kind == intrinsic.Timer:
				p.Refuse(fn.File, e.Range.Start, kit.CodeClock, "%s tells the time that one copy takes", e.Name)
			case member && barriers.IsThreadBlock(k, fn, obj) && strings.HasPrefix(e.Name, "group_"):
				p.Refuse(fn.File, e.Range.Start, kit.CodeIndex, "a group is asked for the thread block's place in the grid")
			}
		}
	}
	p.CheckNames(kit.CodeIndex, p.place(), p.size())
	if p.ofThreads() {
		p.checkExchange()
	}
	p.checkBuiltins()
	for _, v := range k.Func.Vars {
		if v.Kind == ir.VarLocal && !analysis.IsGroupType(v) && !k.MadeQuietly(k.Func, v) {
			p.Refuse(k.File, v.Range.Start, CodeVariables, "making %s, or its end, does more than that", v.Name)
		}
	}
	for _, s := range k.Shared {
		if !slices.Contains(k.Func.Vars, s.Var) && !p.ofThreads() {
			p.Refuse(s.Var.File, s.Var.Range.Start, kit.CodeIndex, "a shared variable of a device function")
		}
	}
}

// isOrdered reports whether an expression names a volatile object that is no shared array. Those of a thread block keep the order
// of each copy, and what a function does it does for one copy after the other.
func (p *proof) isOrdered(e *ir.Expr) bool {
	if e.Op != ir.OpIdent && e.Op != ir.OpIndex && e.Op != ir.OpDeref && e.Op != ir.OpMember || !p.Kernel.TypeOf(p.Kernel.Func, e).Volatile {
		return false
	}
	root := e.Root()
	return root == nil || root.Var == nil || root.Var.Kind != ir.VarShared
}

// checkBuiltins refuses uses of what says a copy's place, and how many there are, whose text doesn't name one of the extents.
func (p *proof) checkBuiltins() {
	k := p.Kernel
	var visit func(e *ir.Expr) bool
	visit = func(e *ir.Expr) bool {
		of := e
		if e.Op == ir.OpMember {
			of = e.Kids[0]
		}
		if !isBuiltin(of) || of.Name != p.place() && of.Name != p.size() {
			return true
		}
		switch {
		case of == e:
			p.Refuse(k.File, e.Range.Start, kit.CodeIndex, "%s is used as a whole", e.Name)
		case e.Macro && (of.Qual != "" || of.Name == p.size() && e.Name == p.Axis() && !p.inArguments(e)):
			p.Refuse(k.File, e.Range.Start, kit.CodeMacro, "a macro holds %s.%s", of.Name, e.Name)
		}
		return false
	}
	k.Func.Body.WalkExprs(visit)
}

// checkShared proves that the shared arrays of all copies fit.
func (p *proof) checkShared() {
	k, before := p.Kernel, p.PaddedStatic()
	for _, in := range k.Instances {
		bytes := before
		for _, s := range k.Shared {
			if !p.arrays[s.Var] {
				continue
			}
			n, exact := launches.SharedBytesOf(k, in, s)
			switch {
			case s.Dynamic:
				p.Refuse(k.File, s.Var.Range.Start, CodeVariables, "copies differ in %s, whose size a launch says", s.Var.Name)
				return
			case !exact:
				p.Refuse(k.File, s.Var.Range.Start, kit.CodeSharedSize, "the size of %s is not known", s.Var.Name)
				return
			}
			if align := p.alignment(s); n%align != 0 {
				p.Refuse(k.File, s.Var.Range.Start, CodeVariables, "%s takes %d bytes: the second would not begin at a multiple of %d, which its uses may need", s.Var.Name, n, align)
			}
			bytes += (p.Factor - 1) * (n + 15) / 16 * 16
		}
		if bytes > hardware.SharedPerBlock {
			p.Refuse(k.File, k.View.Start, kit.CodeSharedSize, "the shared arrays of %d copies take %d bytes, more than %d", p.Factor, bytes, hardware.SharedPerBlock)
			return
		}
	}
}

// alignment returns the number of bytes at whose multiples a shared array may have to begin: 16 where a pointer to it is cast, 32 for fragments of matrices.
func (p *proof) alignment(s *analysis.Shared) int {
	k, align := p.Kernel, 1
	for _, fn := range k.Functions {
		for e := range fn.Body.AllExprs() {
			root := e.Root()
			switch {
			case e.Op == ir.OpCall && strings.HasSuffix(e.Name, "_matrix_sync"):
				align = 32
			case e.Op == ir.OpCast && k.TypeOf(fn, e).Levels > 0 && (fn != k.Func || root == nil || root.Var == nil || root.Var == s.Var || pointers.MayPoint(k, root.Var, s)):
				align = max(align, 16)
			}
		}
	}
	return align
}
