package motion

import (
	"cmp"
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/evaluate"
	"github.com/smux-cuda/smux/analysis/footprint"
	"github.com/smux-cuda/smux/analysis/ir"
)

// maxSplitBytes bounds the registers per thread that one loop's loads take.
const maxSplitBytes = 128

// splitLoop looks at a loop that does nothing but define shared elements from global memory, under a condition or
// not. It must be unrolled, or the registers would be memory: by a #pragma unroll of its own, or by one that it gets.
func splitLoop(k *analysis.Kernel, s *ir.Stmt) (Split, bool) {
	unroll, ok := unrolled(k, s)
	if s.Macro || !ok {
		return Split{}, false
	}
	body, cond := only(s.Body), (*ir.Expr)(nil)
	if body.Op == ir.StmtIf && body.Else == nil && splittable(k, body) {
		body, cond = only(body.Body), body.Cond
	}
	if body.Op != ir.StmtExpr {
		return Split{}, false
	}
	sp, ok := split(k, body)
	if !ok || sp.Load == nil {
		return Split{}, false
	}
	if sp.Counter, sp.Trips, sp.Step = Regular(k, s); sp.Counter == nil {
		return Split{}, false
	}
	sp.Count = sp.Trips
	size := cmp.Or(k.Prog.SizeOf(k.Func, ir.Type{Base: sp.Type}), 4) // a template parameter, say
	if sp.Count*size > maxSplitBytes {
		return Split{}, false
	}
	sp.Stmt, sp.Loop, sp.Cond, sp.Rolled = s, s, cond, !unroll
	return sp, true
}

// Regular returns the counter, the trip count and the step of a loop of the kernel that counts 0, step, 2 step, … for
// all threads alike and in every launch; the counter is nil for any other.
func Regular(k *analysis.Kernel, s *ir.Stmt) (v *ir.Var, count, step int) {
	for i, in := range k.Instances {
		x := footprint.New(k, evaluate.FrameUnder(in, k, k.Func))
		c, n, by := regular(x, s)
		if n == 0 || i > 0 && (n != count || by != step) {
			return nil, 0, 0
		}
		v, count, step = c, n, by
	}
	return v, count, step
}

// Unrolled reports whether a loop stands under #pragma unroll; ok is false where it stands under another pragma.
func Unrolled(k *analysis.Kernel, s *ir.Stmt) (yes, ok bool) { return unrolled(k, s) }

// only is the single statement of a body, or the body itself.
func only(s *ir.Stmt) *ir.Stmt {
	if s.Op == ir.StmtCompound && !s.Macro && len(s.List) == 1 {
		return s.List[0]
	}
	return s
}

// regular returns the counter, the trip count and the step of a loop that
// counts 0, step, 2 step, … for all threads alike; count is 0 for any other.
func regular(x *footprint.Execution, s *ir.Stmt) (v *ir.Var, count, step int) {
	cs := x.Counters(s)
	if len(cs) != 1 || s.Init.Op != ir.StmtDecl || len(s.Init.Vars) != 1 || s.Init.Vars[0].Macro {
		return nil, 0, 0
	}
	// The head runs twice, so it must do nothing but count.
	if step := cs[0].Step; s.Post != step || step.Op == ir.OpAssign && !movable(x.K.Kernel, step.Kids[1]) || !movable(x.K.Kernel, s.Cond) {
		return nil, 0, 0
	}
	v = cs[0].V
	defer x.Begin(s, cs)()
	for n := 0; n <= maxSplitBytes; n++ {
		at, cond := x.Vals[v], x.Eval(s.Cond)
		if !at.Uniform() || !cond.Uniform() {
			return nil, 0, 0
		}
		if n == 1 {
			step = int(at.S)
		}
		if at.S != int64(n*step) || n == 1 && step <= 0 {
			return nil, 0, 0
		}
		if cond.S == 0 {
			return v, n, step
		}
		x.AdvanceCounters(s, cs)
	}
	return nil, 0, 0
}

// unrolled reports whether a loop stands under #pragma unroll; ok is false where it stands under another pragma.
func unrolled(k *analysis.Kernel, s *ir.Stmt) (yes, ok bool) {
	if s.Outer.Start >= s.Range.Start {
		return false, true
	}
	words := strings.Fields(string(k.File.Src[s.Outer.Start:s.Range.Start]))
	yes = len(words) == 2 && words[0] == "#pragma" && words[1] == "unroll"
	return yes, yes
}
