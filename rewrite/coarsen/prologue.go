package coarsen

import "github.com/smux-cuda/smux/rewrite/kit"

// blocks says at the top of the kernel which thread blocks the copies are.
func (w *writer) blocks() {
	w.block = w.Fresh("block")
	left, idle := w.Fresh("left"), "repeat the first, and store nothing"
	w.there = w.copy + " < " + left
	if w.whole {
		idle = "do nothing"
	}
	w.AtTop(kit.Cuda(`
// smux coarsen along $axis: this block does the work of blocks $n * blockIdx.$axis ... $n * blockIdx.$axis + $last of the original grid.
enum { $factor = $n };
const int $left = $extent - $factor * blockIdx.$axis;  // copies beyond these $idle
unsigned $block[$factor];
#pragma unroll
for (int $c = 0; $c < $factor; ++$c) $block[$c] = $factor * blockIdx.$axis + ($c < $left ? $c : 0);
`, kit.Values{"idle": idle, "n": w.Factor, "last": w.Factor - 1, "axis": w.Axis(), "factor": w.factor, "extent": w.extent, "c": w.copy, "block": w.block, "left": left}))
}

// threads says at the top of the kernel which threads the copies are.
func (w *writer) threads() {
	w.block = w.Fresh("thread")
	w.there = w.block + w.index() + " < " + w.extent
	w.AtTop(kit.Cuda(`
// smux coarsen along $axis: thread i does the work of threads i, i + blockDim.$axis ... of the original block, which has $extent.
enum { $factor = $n };
unsigned $thread[$factor];
#pragma unroll
for (int $c = 0; $c < $factor; ++$c) $thread[$c] = threadIdx.$axis + $c * blockDim.$axis;
`, kit.Values{"n": w.Factor, "axis": w.Axis(), "factor": w.factor, "extent": w.extent, "c": w.copy, "thread": w.block}))
}
