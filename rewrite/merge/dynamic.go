package merge

import (
	"fmt"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/evaluate"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/launches"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/lists"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite/kit"
	"github.com/smux-cuda/smux/rewrite/variant"
)

// Several sets of dynamic shared memory lie after one another. What a launch asks for is multiplied, and the kernel
// is told the bytes of one set, rounded up so that each begins as aligned as the first:
//
//	extern __shared__ float s[];     -->  extern __shared__ float smux_s[];
//	                                      auto s = smux::set(smux_s, vtb.id, smux_shared);
//
//	k<<<g, b, n>>>(a);               -->  const auto smux_launch = smux::sets<2>(smux::merge<2, 64>(g, b), n);
//	                                      k<<<…, smux_launch.bytes>>>(a, …, smux_launch.set);
//
// Where the bytes are not known, smux::try_merge is told of them: they may be too many
// to merge blocks (trylaunch.go).

// setAlignment is the number to a multiple of which the bytes of a set are rounded up.
const setAlignment = 16

// dynamicSets counts the sets of dynamic shared memory; 1 also where the kernel uses none.
func (p *mergeProof) dynamicSets() int {
	for _, s := range p.Kernel.Shared {
		if s.Dynamic {
			return p.sets(s)
		}
	}
	return 1
}

// variables are the declarations of a shared variable in the kernel: several
// names may stand for dynamic shared memory.
func (p *mergeProof) variables(s *analysis.Shared) []*ir.Var {
	if !s.Dynamic {
		return []*ir.Var{s.Var}
	}
	return lists.Filter(p.Kernel.Func.Vars, func(v *ir.Var) bool { return v.Kind == ir.VarShared && v.Extern })
}

// checkNamed proves that dynamic shared memory is named by the kernel's own declarations alone: not by those of
// device functions and classes, or at namespace scope.
func (p *mergeProof) checkNamed(s *analysis.Shared) bool {
	k, vars := p.Kernel, p.variables(s)
	for _, fn := range k.Functions {
		fine := true
		fn.Body.WalkExprs(func(e *ir.Expr) bool {
			if fine && evaluate.SharedVar(k, fn, e) == s && !slices.Contains(vars, e.Var) {
				fine = false
				p.Refuse(fn.File, e.Range.Start, CodeSlots, "dynamic shared memory is named here by a declaration that is not the kernel's own: it can't stand for one of %d sets", p.sets(s))
			}
			return fine
		})
		if !fine {
			return false
		}
	}
	return true
}

// checkSetBytes proves that a launch can tell the kernel these bytes.
func (l *LaunchProof) checkSetBytes(launch *analysis.Launch, e *ir.Expr, host *ir.Func) {
	if len(launch.View.Config) < 3 {
		return
	}
	if bytes := e.Kids[2]; !l.Prog.Effect(host, bytes).Repeatable() {
		l.Refuse(launch.File, bytes.Range.Start, CodeLaunch, "the bytes of shared memory may have side effects or change, and would be evaluated twice")
	}
}

// bytesKnown reports whether every launch asks for a known amount of dynamic shared
// memory: that its sets fit into a block is proved then.
func (p *mergeProof) bytesKnown() bool {
	for _, in := range p.Kernel.Instances {
		for _, s := range p.Kernel.Shared {
			if _, exact := launches.SharedBytesOf(p.Kernel, in, s); !exact {
				return false
			}
		}
	}
	return true
}

// staticBytes is the static shared memory of the rewritten kernel, as far as it is known.
func (p *mergeProof) staticBytes() int {
	most := 0
	for _, in := range p.Kernel.Instances {
		bytes := p.lockBytes()
		for _, s := range p.Kernel.Shared {
			if !s.Dynamic {
				n, _ := launches.SharedBytesOf(p.Kernel, in, s)
				bytes += n * p.sets(s)
			}
		}
		most = max(most, bytes)
	}
	return most
}

// attribute refuses a call that allows the kernel an amount of dynamic shared
// memory, which would be too little for several sets.
func (l *LaunchProof) attribute(f *parser.File, call *parser.Node) {
	if p := l.merged(); p != nil && p.dynamicSets() > 1 && allowsBytes(f, call) {
		l.Refuse(f, int(call.Start), kit.CodeSharedSize, "the kernel is allowed an amount of shared memory here, which may be too little for %d sets", p.dynamicSets())
	}
}

// allowsBytes reports whether a call may allow a kernel an amount of dynamic shared memory.
func allowsBytes(f *parser.File, call *parser.Node) bool {
	return f.Text(call.Child(parser.FieldFunction)) == "cudaFuncSetAttribute" && !strings.Contains(f.Text(call), "PreferredSharedMemoryCarveout")
}

// CheckDyn proves that a kernel can be merged N-fold with M sets of its shared arrays, of which each region takes one
// and gives it back: the software form of the hardware scheme that allocates shared memory at a region's begin
// (PACT'12 §5). With M = 1 it is what vtb with a lock is. With more, the arrays get a leading dimension, and their
// names become pointers to the set that is held:
//
//	__shared__ float s[64];                 __shared__ float smux_s[2][64];
//	                                        auto s = smux_s[0];
//	                                        vtb.acquire();
//	s[t] = a[i];                  -->       s = smux_s[vtb.slot()];
//	                                        s[t] = a[i];
//	                                        …
//	                                        vtb.release();
func CheckDyn(k *analysis.Kernel, opt kit.Options) (kit.Proof, []diag.Message) {
	opt.Sync = variant.SyncLock
	if opt.SharedSets >= opt.Factor {
		at := k.File.Position(k.View.Start)
		return nil, []diag.Message{{Pos: at, Code: CodeSlots, Text: fmt.Sprintf("%d slots for %d virtual thread blocks: there would be nothing to wait for", opt.SharedSets, opt.Factor)}}
	}
	return check(k, variant.Dyn, opt)
}
