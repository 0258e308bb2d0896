package cost

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/smux-cuda/smux/analysis/barriers"
	"github.com/smux-cuda/smux/analysis/ir"
)

// structural reports whether a loop holds barriers or regions, so that it must stay a loop in the workload.
func (x *walk) structural(f *frame, s *ir.Stmt) bool {
	if barriers.BarrierIn(x.k, f.fn, s) {
		return true
	}
	return x.region == nil && s.Body.Any(func(t *ir.Stmt) bool { return x.starts[t] != nil })
}

// flattened reports whether the compiler unrolls a loop to the end: it knows
// the trip count, and is told to or finds the result short enough.
func (f *frame) flattened(s *ir.Stmt, t trips) bool {
	if !t.known || !t.fixed || t.v != nil || t.most > 1024 {
		return false
	}
	if n, ok := f.pragma(s); ok {
		return n == 0 || int64(n) >= t.most
	}
	if barriers.BarrierIn(f.x.k, f.fn, s) {
		return false
	}
	nodes := 0
	s.Body.WalkExprs(func(*ir.Expr) bool { nodes++; return true })
	return int64(nodes)*t.most <= unrollFully
}

// unrolling returns the number of turns of a loop that stays one which the compiler lays out in a row.
func (f *frame) unrolling(s *ir.Stmt, t trips) float64 {
	if n, ok := f.pragma(s); ok && n > 0 {
		return float64(n)
	}
	if !f.unrollable(s) || !t.linear {
		return 1 // of steps that are not constant it can't tell how many are left over
	}
	if t.most < unrollByNvcc {
		return 1 // only the turns left over are run
	}
	return unrollByNvcc
}

// unrollable reports whether the compiler lays out several turns of a loop on
// its own account: innermost for loops that nothing leaves early.
func (f *frame) unrollable(s *ir.Stmt) bool {
	return s.Op == ir.StmtFor && !s.Body.Any(func(k *ir.Stmt) bool { return k.IsLoop() || k.Op == ir.StmtBreak })
}

// pragma reads the #pragma unroll of a loop: 0 where it has no number.
func (f *frame) pragma(s *ir.Stmt) (int, bool) {
	if s.Outer.Start >= s.Range.Start {
		return 0, false
	}
	text := f.fn.File.Src[s.Outer.Start:s.Range.Start]
	i := bytes.Index(text, []byte("unroll"))
	if i < 0 {
		return 0, false
	}
	rest := string(text[i+len("unroll"):])
	if nl := strings.IndexByte(rest, '\n'); nl >= 0 {
		rest = rest[:nl]
	}
	rest = strings.Trim(rest, " \t\r()")
	if rest == "" {
		return 0, true
	}
	if n, err := strconv.Atoi(rest); err == nil {
		return max(1, n), true
	}
	return 0, true
}
