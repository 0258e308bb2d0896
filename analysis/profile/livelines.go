package profile

import (
	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/diag"
)

// LiveWords estimates how many 32-bit words each source line of a kernel, and of
// the device functions that it reaches, keeps in registers: the most of the
// statements that begin there. It is what Registers adds up, by line: of two lines the
// one with more is likelier to be what the kernel's registers come from. Positions have
// no column.
func LiveWords(k *analysis.Kernel, in *analysis.Instance) map[diag.Position]int {
	out := map[diag.Position]int{}
	if k.Unread() {
		return out
	}
	if in == nil {
		in = &analysis.Instance{}
	}
	x := newWalk(k, in)
	for _, fn := range k.Functions {
		p := &pressure{x: x, busy: map[*ir.Func]bool{fn: true}, known: map[*ir.Func]int{}}
		f := &frame{x: x, fn: fn, types: x.types, cells: map[cell]value{}, alias: map[*ir.Var]lvalue{}}
		l := &lifetimes{p: p, f: f, of: map[*ir.Var]*interval{}}
		l.stmt(fn.Body)
		for i, words := range l.atEach() {
			if i >= len(l.stmts) || l.stmts[i] == nil || l.stmts[i].Op == ir.StmtCompound {
				continue
			}
			at := fn.File.Position(l.stmts[i].Range.Start)
			at.Column = 0
			out[at] = max(out[at], words)
		}
	}
	return out
}
