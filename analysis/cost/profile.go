// Package cost turns an analysed kernel into what the time models take: the
// work of one thread block, in steps between barriers (package workload).
//
// The kernel is walked once, as one thread block runs it, all threads at once, with every integer that is known:
// thread numbers, constants, template arguments, what the launch passes. The counts are of what a compiler would
// emit (see the costs): common subexpressions and invariants of loops once, constants not at all, subscripts as the
// address computations that remain. Shared-memory accesses take as many wavefronts as their lanes collide in banks,
// global ones move whole sectors of 32 bytes; both are enumerated. What is not known is assumed, and listed in the
// result's Assumptions: trip counts, block shapes. Sizes that only strides depend on are assumed large.
//
// How near the instruction counts are: the eleven kernels of the examples come out at 0.7 to 1.4 of what the listing
// of nvcc 11.8 for sm_80 gives (Options.Lines; TestStaticCountsAreNearTheCompilers prints them; they were looked at
// while this was written). The kernels of Rodinia and of NVIDIA's CUDA samples that it compiles were held against the
// listing, too, each loop of the machine code run as often as the source's loop does, over the turns that were
// unrolled. Mistakes were looked for in one half of the files; of the 112 kernels of the other half, 61 are within a
// factor of 1.25 of the instructions, 87 within 1.5 and 102 within 2; the median is 0.94, a tenth is below 0.60 and a
// tenth above 1.41. Of the bytes that its instructions load and store per lane, 46 of 56 kernels with shared arrays
// are within 1.25 and 90 of 110 with global ones. Kernels with sines and those whose unrolling the listing does not
// show are left out, 26 in all, since there the reference errs; so are files that do not compile. Nothing was run:
// trip counts and the shares of branches are the walk's on both sides and no part of these figures, right or wrong.
// Give Lines where there is a compiler.
//
// What a launch passes is taken from the host's code where only one value can reach it (launches.Argument):
// good for times, not a proof. A region of the workload holds the statements between acquiring and releasing the
// shared arrays, global loads in it included. SP, say, is in its region all the time: its loads and its first store
// to shared memory stand in one loop, which no rewrite takes apart, though a person might.
//
// It leaves out: template recursion, what printf, new and delete do, memcpy_async, instruction latencies, dual issue,
// cache misses of instructions, and what the hardware does for cc 1.x alone.
package cost

import (
	"fmt"
	"maps"
	"path/filepath"
	"strconv"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/evaluate"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/launches"
	"github.com/smux-cuda/smux/analysis/motion"
	"github.com/smux-cuda/smux/analysis/summary"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/model/workload"
)

// Options change what Of assumes.
type Options struct {
	// Blocks overrides the number of thread blocks of the grid; 0 takes the launch's.
	Blocks int
	// Registers are the registers per thread; 0 estimates them (Registers).
	Registers int
	// Shared are the bytes of shared memory of a thread block, as a compiler found them, and Exact
	// whether these are all; 0 takes what is known from the source.
	Shared int
	Exact  bool
	// Full is with how many registers per thread an SM is full, for that estimate; 0 where the GPU is not known.
	Full int
	// Lines are counts of machine instructions per source line, from a compiler's listing; nil counts statically.
	Lines []Line
	// Large has what is not known of sizes taken for as large as GPUs are used for, where it
	// is small else: turns of loops, and thread blocks that find what their neighbours have loaded.
	Large bool
	// Moved says what a rewrite moves out of regions.
	Moved Moved
}

// exhausted bounds the steps past its budget that a walk goes before it stops.
const exhausted = 60_000

const threadVarying = analysis.ThreadVarying

// ImpossibleError reports that a kernel has no workload.
type ImpossibleError struct {
	Kernel string
	Pos    diag.Position
	Reason string
}

func (e *ImpossibleError) Error() string {
	return fmt.Sprintf("%s:%d:%d: no workload of kernel %s: %s", e.Pos.File, e.Pos.Line, e.Pos.Column, e.Kernel, e.Reason)
}

// Of returns the work of a thread block of k, launched as in says (nil: the first launch in view). The error is an
// *ImpossibleError: the kernel can't be read.
func Of(k *analysis.Kernel, in *analysis.Instance, opt Options) (w *workload.Kernel, err error) {
	if in == nil {
		in = &analysis.Instance{}
		if len(k.Instances) > 0 {
			in = k.Instances[0]
		}
	}
	if k.Unread() {
		return nil, &ImpossibleError{k.Name, summary.Position(k), "the function holds text that smux can't parse"}
	}
	x := newWalk(k, in, false)
	if in.Assumed != "" {
		x.assume("%s", in.Assumed)
	}
	x.move(opt.Moved)
	x.large = opt.Large
	x.run()
	w = &workload.Kernel{Name: k.Name, Threads: x.n, Registers: opt.Registers}
	var exact bool
	if w.Shared, exact = launches.SharedBytes(k, in); opt.Shared > 0 {
		w.Shared, exact = opt.Shared, opt.Exact
	}
	switch {
	case exact:
	case w.Shared == 0:
		x.assume("the bytes of shared memory are not known: none are counted (--smem gives them)")
	default:
		x.assume("not all of the shared memory has a known size: %d bytes are counted (--smem gives them)", w.Shared)
	}
	if w.Registers == 0 {
		w.Registers = Registers(k, in, opt.Full)
		x.assume("%d registers per thread is an estimate", w.Registers)
	}
	if w.Blocks = opt.Blocks; w.Blocks == 0 && x.grid[0] > 0 {
		w.Blocks = int(x.grid[0] * x.grid[1] * x.grid[2])
	}
	if len(opt.Lines) > 0 {
		x.scale(opt.Lines)
		x.assume("instruction counts are those of the compiler's listing, per source line")
	} else {
		x.assume("instruction counts are static ones: no compiler's listing was given")
	}
	w.Body, w.Source = x.root.steps(1), true
	w.Arrays, w.Stored = arraysOf(x.footprints), arraysOf(x.stored)
	for _, a := range w.Arrays {
		w.Footprint += a.Bytes
	}
	w.Again, w.Joins = x.reuse.distances(), x.joins.distances()
	w.Grid = [3]int{int(x.grid[0]), int(x.grid[1]), int(x.grid[2])}
	if opt.Large && x.grid == [3]int64{} {
		for d := range launches.GridRank(k, in) {
			w.Grid[d] = largeGrid
		}
	}
	w.Assumptions, w.Guessed = x.assumptions, x.guessed
	return w, nil
}

// newWalk prepares a walk: as a launch runs the kernel, or as it is compiled.
func newWalk(k *analysis.Kernel, in *analysis.Instance, compiling bool) *walk {
	x := &walk{
		k: k, in: in, weight: 1, share: 1, batch: 1, lastBatch: 1, root: &node{kind: workload.KindLoop, runs: 1}, budget: 400_000,
		fragmentSizes: map[*ir.Var][2]float64{}, memo: map[operation]int{}, sums: map[int][2]int{}, held: map[*object]map[access]value{}, objects: map[*ir.Var]*object{}, facts: evaluate.FactsOf(k, in), named: map[string]ctype{}, members: map[string]int{}, turned: map[*ir.Stmt]turned{}, footprints: map[*object]*footprint{}, stored: map[*object]*footprint{}, hits: map[pattern]hits{}, passes: map[pattern]float64{},
		busy: map[*ir.Var]bool{}, lives: newLifetimes(), earlyIn: map[*analysis.Region]bool{}, starts: map[*ir.Stmt]*analysis.Region{}, splits: map[*ir.Expr]bool{},
	}
	x.body = x.root
	if x.compiling = compiling; compiling {
		x.shape, x.n = [3]int{1, 1, 1}, 1
		return x
	}
	shape, ok := in.BlockShape()
	if !ok {
		shape = [3]int{assumedThreads, 1, 1}
		x.assume("no launch in view has a known block shape: %d threads are assumed", assumedThreads)
	}
	x.shape, x.n = shape, shape[0]*shape[1]*shape[2]
	if x.grid, ok = launches.Grid(k, in); !ok && in != nil && in.UsualGrid != [3]int64{} {
		x.grid, ok = in.UsualGrid, true
	}
	if ok {
		for d := range x.block {
			x.block[d] = x.grid[d] / 2 // a block from the middle stands for all
		}
	} else {
		x.grid = [3]int64{}
		for d := range launches.GridRank(k, in) {
			x.block[d] = 1
		}
	}
	for _, r := range k.Regions {
		x.starts[r.Stmts[0]] = r
		for _, sp := range motion.Splits(k, r) {
			if sp.Store != nil {
				x.splits[sp.Store] = true
			}
			x.earlyIn[r] = true
		}
	}
	return x
}

// run walks the kernel.
func (x *walk) run() {
	f := &frame{x: x, fn: x.k.Func, types: map[string]string{}, cells: map[cell]value{}, alias: map[*ir.Var]lvalue{}}
	x.line = x.placeOf(f.fn, f.fn.Body.Range.Start)
	f.parameters()
	x.types = f.types
	x.issue(costPrologue)
	f.stmt(x.k.Func.Body)
	x.wait(1)
}

// parameters binds the kernel's parameters: pointers to memory of their own,
// numbers to what the launch passes, or to a large number.
func (f *frame) parameters() {
	x := f.x
	for i, tp := range f.fn.TParams {
		n, typ, ok := evaluate.TemplateArgument(x.k, x.in, i)
		switch {
		case ok && tp.Kind == ir.VarTemplateType:
			f.types[tp.Name] = typ
		case ok && typ == "":
			f.cells[cell{v: tp}] = constant(n, intType)
		}
	}
	x.templates = maps.Clone(f.cells)
	for i, p := range f.fn.Params {
		t := f.typeOf(p.Type)
		if len(p.Dims) > 0 && p.Type.Rows == nil {
			t = t.pointer()
		}
		v := value{typ: t, id: x.fresh(), dims: f.rows(p.Type)}
		x.folded(v.id) // an operand in constant memory
		if t.ptr > 0 {
			v.obj = f.object(p, inGlobal)
			v.known, v.exact, v.id = true, true, 0
		} else if x.compiling {
			// not known
		} else if n, ok := launches.Argument(x.k, x.in, i); ok && t.integer() {
			v.known, v.exact, v.s = true, true, n
		} else if t.integer() {
			v.known, v.s = true, assumedSize+1024*int64(i%8)
		}
		f.cells[cell{v: p}] = v
	}
}

func (x *walk) placeOf(fn *ir.Func, offset int) place {
	p := fn.File.Position(offset)
	return place{p.File, p.Line, p.Line}
}

// where spells a place: mv.cu:41.
func (x *walk) where(f *frame, offset int) string {
	p := f.fn.File.Position(offset)
	return filepath.Base(p.File) + ":" + strconv.Itoa(p.Line)
}
