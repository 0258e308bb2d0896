package validate

import (
	"slices"

	"github.com/smux-cuda/smux/analysis/ir"
)

// allPass reports whether a condition is "i < n" or "i >= n", of which every launch decides for all threads alike: i is a
// thread's number in a grid along x, and n a parameter that is passed what the grid is a quotient of.
//
//	k<<<n / 64, 64>>>(…, n);        i = blockIdx.x * blockDim.x + threadIdx.x  <  n / 64 * 64  <=  n
func (al *alignment) allPass(cond *ir.Expr) bool {
	if cond == nil || cond.Op != ir.OpBinary || cond.Tok != "<" && cond.Tok != ">=" || al != al.k.state.main {
		return false
	}
	i, n := cond.Kids[0].Var, cond.Kids[1].Var
	for _, v := range []*ir.Var{i, n} {
		if v == nil || !isInt32(v) || v.AddrTaken || len(v.Writes) > 0 {
			return false
		}
	}
	if i.Kind != ir.VarLocal || i.Init == nil || n.Kind != ir.VarParam || slices.ContainsFunc(slices.Concat(al.a.Params, al.a.Vars), func(v *ir.Var) bool {
		return v.Name == "blockIdx" || v.Name == "blockDim" || v.Name == "threadIdx"
	}) {
		return false
	}
	us := al.c.b.between(i.Init.Range.Start, i.Init.Range.End)
	return (is(us, "blockIdx . x * blockDim . x + threadIdx . x") || is(us, "threadIdx . x + blockIdx . x * blockDim . x")) &&
		al.c.fullBlocks(al.k.Name, slices.IndexFunc(al.a.Params, func(p *ir.Var) bool { return p.Name == n.Name }))
}

// fullBlocks reports whether each launch of a kernel in the original has a grid of n/B blocks of B threads along x, where n
// is what the kernel's parameter of some number is passed. Where n is below B no block runs.
func (c *comparison) fullBlocks(kernel string, nth int) bool {
	old := *c
	old.b, old.namesB = c.a, c.namesA
	shapes, known := old.shapes(kernel)
	if !known || nth < 0 || len(slices.Compact(shapes)) != 1 || shapes[0][1]*shapes[0][2] != 1 {
		return false
	}
	typed := &alignment{c: &old, k: &Kernel{state: &kernelState{}}}
	for _, f := range c.namesA.prog.All() {
		for _, fn := range f.Functions {
			if fn.Body == nil || countLaunches(f, fn, kernel) == 0 {
				continue
			}
			host := c.namesA.lower(f, fn)
			constant := func(e *ir.Expr) bool {
				return e.Op == ir.OpIdent && e.Var != nil && isInt32(e.Var) && !e.Var.Static && unchanged(host, e.Var, nil)
			}
			host.Body.WalkExprs(func(e *ir.Expr) bool {
				if e.Op != ir.OpLaunch || e.Name != kernel {
					return true
				}
				if len(e.Kids) <= len(e.Launch.Config)+nth {
					known = false
					return false
				}
				grid, n := e.Kids[0], e.Kids[len(e.Launch.Config)+nth]
				if constant(grid) && grid.Var.Init != nil {
					grid = grid.Var.Init
				}
				by := -1
				if grid.Op == ir.OpBinary && grid.Tok == "/" && constant(grid.Kids[0]) && constant(n) && grid.Kids[0].Var == n.Var && typed.typeOf(grid.Kids[1]) == "int" {
					by, _ = old.number(grid.Kids[1])
				}
				known = known && by == shapes[0][0]
				return true
			})
		}
	}
	return known
}
