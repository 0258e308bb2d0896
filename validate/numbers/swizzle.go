// Package numbers judges kernels whose thread blocks get other numbers, and launches in blocks of another shape: what a thread
// computes must depend on the numbers that stay alone.
package numbers

import (
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/validate/kit"
	"github.com/smux-cuda/smux/validate/units"
)

// renumbering declares another number of the block in its plane of X by Y. It is a permutation:
//
//	p = y · X + x                        each number of 0 ... X·Y - 1 once
//	f = p / (N·Y) · N, q = p % (N·Y)     p is of the columns f ... f + w - 1, w = min(N, X - f): those before them have
//	                                     f·Y numbers, so that q runs through 0 ... w·Y - 1
//	(f + q % w, q / w)                   each place in these columns once
//
// All of it fits into 32 bits, as X is at most 2^16, no grid is higher than 2^16 - 1, and N is at most 2^16.
const renumbering = "const unsigned $p = blockIdx . y * gridDim . x + blockIdx . x , $f = $p / ( $N * gridDim . y ) * $N ; " +
	"const unsigned $w = gridDim . x - $f < $N ? gridDim . x - $f : $N , $q = $p % ( $N * gridDim . y ) ; " +
	"const uint3 $block = blockIdx ; " +
	"const uint3 blockIdx = gridDim . x > 65536u ? $block : make_uint3 ( $f + $q % $w , $q / $w , $block . z ) ;"

// Swizzled judges a kernel that hides the number of its block by another one, and reports whether this is one.
func Swizzled(c *kit.Comparison, k *kit.Kernel, a, b *parser.Function) bool {
	us := c.New.Between(int(b.Body.Start), int(b.Body.End))
	var names []string
	var rest []units.Unit
	at, ok := 0, false
	for ; at < len(us) && !ok; at++ {
		names, rest, ok = units.Match(us[at:], renumbering)
	}
	if !ok {
		return false
	}
	k.Variant = "swizzle"
	al := kit.NewAlignment(c, k, c.OldNames.Lower(c.Old.File, a), c.NewNames.Lower(c.New.File, b))
	al.Obj.Kind, k.State.Main = kit.Renumbered, al
	c.ReachFrom(k, al.New)
	declared := us[at-1].Start
	for _, s := range al.New.Body.List {
		if s.Range.Start < declared && !kit.IsCheck(c.UnitsOf(s)) {
			k.Doubt(kit.Erasure, c.New.File, s.Range.Start, "this comes before the new number of the block")
		}
	}
	if n := units.Number(names[2]); n < 1 || n > 1<<16 || !strings.HasSuffix(names[2], "u") {
		k.Doubt(kit.Builtins, c.New.File, declared, "%s is no number of columns", names[2])
	}
	if at := units.Differ(c.Old.Between(int(a.Body.Start), int(a.Body.End))[1:], rest, int(b.Body.End)-1); at >= 0 {
		k.Doubt(kit.Erasure, c.New.File, at, "this differs from the original")
	}
	c.HeadFits(k, c.Head(c.Old, a), c.Head(c.New, b), b)
	names = slices.Delete(names, 2, 3)
	for _, name := range slices.Concat(names, []string{"blockIdx", "gridDim", "uint3", "make_uint3"}) {
		_, macro := c.New.File.Macros.Lookup(name, declared)
		local := slices.ContainsFunc(slices.Concat(al.Old.Params, al.Old.Vars), func(v *ir.Var) bool { return v.Name == name })
		if macro || local || len(c.Declarations[name])+len(c.Devices[name]) > 0 || slices.Contains(names, name) && units.Mentions(c.Old.Units, name) {
			k.Doubt(kit.Builtins, c.New.File, declared, "%s may be another one here", name)
		}
	}
	for _, g := range k.State.Reach {
		kit.Walk(g.Body, func(e *ir.Expr) bool {
			name := kit.Called(e)
			switch {
			case e.Op == ir.OpIdent && e.Var == nil && e.Name == "blockIdx" && g != al.New:
				k.Doubt(kit.Builtins, g.File, e.Range.Start, "%s asks for blockIdx, and the kernel has another one", g.View.Name)
			case e.Op == ir.OpAsm, e.Op == ir.OpCall && kit.OfGrid[name]:
				k.Doubt(kit.Builtins, g.File, e.Range.Start, "this may tell which block runs")
			case e.Op == ir.OpCall && len(k.State.Calls[e]) == 0 && !kit.IsOfBlock(g, e) && (al.Scope(g).Elsewhere(g, e) || !al.Scope(g).Step(g, e).IsKnown() && !e.Intrinsic().Known()):
				k.Doubt(kit.Builtins, g.File, e.Range.Start, "it is not known what %s asks for", name)
			}
			return true
		})
		if c.Apart[g.View] || len(g.Problems) > 0 {
			k.Doubt(kit.Erasure, g.File, g.View.Start, "%s is not the original's, or can't be read", g.View.Name)
		}
	}
	for cond, how := range map[kit.Condition]string{kit.Erasure: "unit by unit", kit.Builtins: "blocks of a plane have each other's numbers, and every use was looked at"} {
		if !k.Doubtful(cond) {
			k.Show(cond, how, k.Pos)
		}
	}
	return true
}
