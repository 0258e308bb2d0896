package cost

import (
	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/diag"
)

// LiveWords estimates how many 32-bit words each source line of a kernel, and of the device functions that it
// reaches, keeps in registers: the most of all instructions of the line, of what each begins with and leaves.
// Registers is built from the same counts: of two lines the one with more is likelier to be where the kernel's
// registers come from. Positions have no column.
func LiveWords(k *analysis.Kernel, in *analysis.Instance) map[diag.Position]int {
	out := map[diag.Position]int{}
	if k.Unread() {
		return out
	}
	if in == nil {
		in = &analysis.Instance{}
	}
	x := newWalk(k, in, true)
	x.run()
	before := 0
	for i, words := range x.lives.live(false) {
		if p := x.lives.lines[i]; p.line > 0 {
			at := diag.Position{File: p.file, Line: p.line}
			out[at] = max(out[at], before, words)
		}
		before = words
	}
	return out
}
