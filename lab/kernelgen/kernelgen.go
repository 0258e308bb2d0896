// Package kernelgen writes random kernels with barriers under random control:
// threads and blocks that leave early, guards around the rest of a kernel and such
// that all threads of a launch pass, loops with break and continue, branches that
// meet the same barriers, barriers in device functions, blocks of one to three
// dimensions, whose shape may be out of sight, warps that are not whole. It is used by tests only: each rewriter has to do what the original does, or to
// refuse.
//
// A kernel depends on the seed and its number alone. It is right on GPUs from
// Volta on: free of races, with every shared element written before it is read,
// and with each barrier met by all threads that have not left. A kernel with
// barriers in both branches of an if, or on both sides of a continue, is right as far as the hardware counts, and
// not by CUDA's text (Kernel.Matched).
//
// What it leaves out: barriers of other kinds than __syncthreads and its votes,
// atomic operations, and memory that several blocks write.
package kernelgen

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/smux-cuda/smux/model/hardware"
)

// Kernel is one random kernel with the device functions and the launch that
// belong to it.
type Kernel struct {
	Name string
	// Text holds the device functions, the kernel, and a host function run_NAME
	// that launches it.
	Text string
	// Matched is set if both branches of an if hold barriers, or both paths through a
	// loop's body, which threads of one block meet at the same time.
	Matched bool

	classes []class // see NewWithObjects
}

// Elements is the number of elements in the buffers of a launch.
const Elements = 1024

// New writes the kernel of a number.
func New(seed uint64, number int) Kernel {
	g := &generator{rand: rand.New(rand.NewPCG(seed, uint64(number))), name: fmt.Sprintf("k%d", number)}
	return g.kernel()
}

// shape are the extents of blocks, with three that are not whole warps and one
// with a warp across two rows.
var shapes = [][3]int{{32, 1, 1}, {64, 1, 1}, {96, 1, 1}, {128, 1, 1}, {16, 4, 1}, {8, 8, 1}, {4, 4, 4}, {8, 4, 2}, {32, 2, 1}, {40, 1, 1}, {20, 1, 1}, {6, 6, 1}}

var grids = [][3]int{{1, 1, 1}, {3, 1, 1}, {4, 1, 1}, {5, 1, 1}, {3, 2, 1}, {2, 2, 1}, {1, 3, 1}, {3, 1, 2}}

// generator holds what has been written of a kernel.
type generator struct {
	rand      *rand.Rand
	name      string
	body      strings.Builder
	functions strings.Builder
	depth     int
	names     int

	withObjects bool
	objects     []object
	classes     []class

	threads, blocks int
	rows            int  // of the second array, 0 if there is none
	warps           bool // warps exchange values, and no thread leaves
	filled          bool // every element is written at the kernel's begin
	loops           int  // around the text
	left            bool // threads may have left where the text is now
	full            bool // i is below n in all threads
	matched         bool // see Kernel
}

func (g *generator) n(n int) int            { return g.rand.IntN(n) }
func (g *generator) often(percent int) bool { return g.rand.IntN(100) < percent }
func (g *generator) of(list ...string) string {
	return list[g.rand.IntN(len(list))]
}

// fresh returns a name that the kernel does not use yet.
func (g *generator) fresh(stem string) string {
	g.names++
	return fmt.Sprintf("%s%d", stem, g.names)
}

// line writes a line at the depth of the text.
func (g *generator) line(format string, args ...any) {
	g.body.WriteString(strings.Repeat("    ", g.depth+1))
	fmt.Fprintf(&g.body, format, args...)
	g.body.WriteString("\n")
}

// block writes a statement with a body in braces.
func (g *generator) block(head string, body func()) {
	g.line("%s {", head)
	g.depth++
	body()
	g.depth--
	g.line("}")
}

func (g *generator) kernel() Kernel {
	shape, grid := shapes[g.n(len(shapes))], grids[g.n(len(grids))]
	g.threads, g.blocks = shape[0]*shape[1]*shape[2], grid[0]*grid[1]*grid[2]
	g.warps = g.threads%hardware.WarpSize == 0 && g.often(15)
	g.filled = g.often(50)
	launch := g.launch(shape, grid)
	if g.withObjects || g.often(25) {
		g.rows = 2 + g.n(3)
	}
	dynamic := g.often(10)
	if dynamic {
		g.line("extern __shared__ int s[];")
	} else {
		g.line("__shared__ int s[%d];", g.threads)
	}
	if g.rows > 0 {
		g.line("__shared__ int r[%d][%d];", g.rows, g.threads)
	}
	g.line("const int t = %s;", linear("threadIdx", "blockDim", shape))
	g.line("const int b = %s;", linear("blockIdx", "gridDim", grid))
	g.line("const int i = b * %d + t;", g.threads)
	g.line("int v = in[i];")
	if g.withObjects {
		for range 1 + g.n(2) {
			g.object()
		}
	}
	if g.filled {
		g.line("s[t] = 0;")
		for row := range g.rows {
			g.line("r[%d][t] = 0;", row)
		}
		g.barrier()
	}
	g.list(3, true)
	if g.often(80) {
		g.line("out[i] = v;")
	}
	var k strings.Builder
	bytes := 0
	if dynamic {
		bytes = 4 * g.threads
	}
	fmt.Fprintf(&k, "%s__global__ void %s(const int *in, int *out, int n, int m)\n{\n%s}\n\n", g.functions.String(), g.name, g.body.String())
	fmt.Fprintf(&k, "void run_%s(const int *in, int *out, int n, int m)\n{\n%s    %s<<<%s, %d>>>(in, out, %s, m);\n}\n\n",
		g.name, launch.before, g.name, launch.extents, bytes, launch.size)
	return Kernel{Name: g.name, Text: k.String(), Matched: g.matched, classes: g.classes}
}

// launch says how a host function launches a kernel.
type launch struct {
	before  string // statements
	extents string // grid and block
	size    string // what is passed for n
}

// launch decides on what is passed for n: what comes, or a number that belongs to the
// threads that are launched, or nearly so. Some grids depend on it, and the shape of
// some blocks can't be seen.
func (g *generator) launch(shape, grid [3]int) launch {
	l := launch{size: "n"}
	block := fmt.Sprintf("dim3(%d, %d, %d)", shape[0], shape[1], shape[2])
	if g.often(15) {
		block = fmt.Sprintf("dim3(%d * (m / m), %d, %d)", shape[0], shape[1], shape[2])
	}
	extents := fmt.Sprintf("dim3(%d, %d, %d)", grid[0], grid[1], grid[2])
	along := grid[1] == 1 && grid[2] == 1
	all := g.blocks * g.threads
	switch kind := g.n(10); {
	case kind < 4:
	case kind < 6:
		g.full, l.size = true, fmt.Sprint(all+g.n(3)/2*5)
	case kind < 7: // one or more too few
		l.size = fmt.Sprint(all - 1 - g.n(40))
	case along && kind < 9:
		g.full = true
		l.before = fmt.Sprintf("    const int size = n %% 300 + %d;\n", g.threads)
		extents, l.size = fmt.Sprintf("size / %d", g.threads), "size"
	case along: // blocks rounded up
		l.before = fmt.Sprintf("    const int size = n %% 300 + %d, blocks = (size + %d) / %d;\n", g.threads, g.threads-1, g.threads)
		extents, l.size = "blocks", "size"
	default:
		g.full = true
		l.before = fmt.Sprintf("    const dim3 grid(%d, %d, %d);\n    n = %d * grid.x * %d;\n", grid[0], grid[1], grid[2], grid[1]*grid[2], g.threads)
		extents = "grid"
	}
	l.extents = extents + ", " + block
	return l
}

// linear returns the number of a thread or block, with the extents as far as they
// are needed.
func linear(index, extent string, shape [3]int) string {
	text := index + ".x"
	switch {
	case shape[2] > 1:
		text = fmt.Sprintf("(%s.z * %s.y + %s.y) * %s.x + %s.x", index, extent, index, extent, index)
	case shape[1] > 1:
		text = fmt.Sprintf("%s.y * %s.x + %s.x", index, extent, index)
	}
	return text
}
