package usual_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/launches"
	"github.com/smux-cuda/smux/analysis/passes"
	"github.com/smux-cuda/smux/analysis/usual"
	"github.com/smux-cuda/smux/lab/kerneltest"
	"github.com/smux-cuda/smux/parser"
)

// TestCountedInstancesHaveTheUsualBlock: where a launch leaves the block open, what the program
// begins with counts, whichever way it comes there; the instances that proofs rest on have none.
func TestCountedInstancesHaveTheUsualBlock(t *testing.T) {
	const kernel = "__global__ void k(float *a) { a[threadIdx.x] = 0; }\n"
	for name, c := range map[string]struct{ text, want string }{
		"a variable that is read":        {"int far(); void run(float *a) { int n = 192; if (far()) n = far(); k<<<9, n>>>(a); }", "192"},
		"a global that may change":       {"int block = 64; void run(float *a) { k<<<9, block>>>(a); }", "64"},
		"set later":                      {"void run(float *a, int m) { int n; if (m) n = 128; k<<<9, n>>>(a); }", "128"},
		"a parameter":                    {"void run(float *a, int n) { k<<<9, n>>>(a); }\nvoid go(float *a) { run(a, 96); }", "96"},
		"a default argument":             {"void run(float *a, int n = 32) { k<<<9, n>>>(a); }", "32"},
		"what most threads need":         {"void run(float *a, int n) { int t = n < 1024 ? n : 256; k<<<9, t>>>(a); }", "256"},
		"the larger arm":                 {"void run(float *a, bool old) { int t = old ? 16 : 32; k<<<9, dim3(t, t)>>>(a); }", "32x32"},
		"at most":                        {"void run(float *a, int n) { k<<<9, min(n, 64)>>>(a); }", "64"},
		"at most, of little":             {"int far(); void run(float *a) { int n = 1; if (far()) n = far(); k<<<9, min(64, n)>>>(a); }", "64"},
		"at most, of the program's own":  {"int2 min(int2 a, int2 b);\nint min(int a, int b) { return a < b ? a : b; }\nvoid run(float *a, int n) { k<<<9, min(64, n)>>>(a); }", "64"},
		"one of a table":                 {"void run(float *a, int n) { k<<<9, n>>>(a); }\nvoid go(float *a) { int sizes[] = {512, 32, 128}; for (int i = 0; i < 3; i++) { int n = sizes[i]; run(a, n); } }", "128"},
		"a parameter of a template":      {"template <typename T, int N> void run(T *a) { k<<<9, dim3(N, 4)>>>(a); }\ntemplate <int M> void go(float *a) { run<float, M>(a); }\nvoid all(float *a) { go<16>(a); }", "16x4"},
		"with a default":                 {"template <int N = 72> void run(float *a) { k<<<9, N>>>(a); }", "72"},
		"a table of unknowns":            {"void go(float *a, int m) { int sizes[] = {32, m}; k<<<9, sizes[0]>>>(a); }", "unknown"},
		"components":                     {"void run(float *a, int n) { dim3 b; b.x = n > 8 ? 16 : 8; b.y = 4; k<<<9, b>>>(a); }", "16x4"},
		"a member with a constructor":    {"struct S { int m_n; S() : m_n(48) {} void run(float *a) { k<<<9, m_n>>>(a); } };", "48"},
		"a member with a value":          {"struct S { int n = 80; void run(float *a) { k<<<9, n>>>(a); } };", "80"},
		"a member that is assigned":      {"struct P { dim3 block; };\nvoid init(P *p) { p->block = dim3(8, 8, 2); }\nvoid run(P *p, float *a) { k<<<9, p->block>>>(a); }", "8x8x2"},
		"a reference that is set":        {"void fit(int n, int most, int &t) { t = min(most, n); }\nvoid run(float *a, int n) { int t; fit(n, 256, t); k<<<9, t>>>(a); }", "256"},
		"the block that fits best":       {"void run(float *a) { int g = 0, b = 0; cudaOccupancyMaxPotentialBlockSize(&g, &b, k); k<<<g, b>>>(a); }", "1024"},
		"in a block of extern C":         {"extern \"C\" { void fit(unsigned n, unsigned &t) { t = min(128, n); }\nvoid run(float *a, int n) { unsigned t; fit(n, t); k<<<9, t>>>(a); } }", "128"},
		"through a variable":             {"void run(float *a) { static void (*f)(float *) = 0; f = &k; f<<<9, dim3(32, 4)>>>(a); }", "32x4"},
		"a call of the runtime":          {"int n = 160; void run(float *a) { void *args[] = {&a}; cudaLaunchKernel((void *)k, dim3(9), n, args, 0, 0); }", "160"},
		"a macro that launches":          {"#define GO(kernel, n, ...) do { int g = 9; kernel<<<g, n>>>(__VA_ARGS__); } while (0)\nvoid run(float *a) { int n = 96; GO(k, n, a); }", "96"},
		"a macro's other kernel":         {"#define GO(kernel, n, ...) k2<<<9, n>>>(__VA_ARGS__)\n__global__ void k2(float *a);\nvoid run(float *a) { GO(k, 96, a); }", "unknown"},
		"a node of a graph":              {"void run() { cudaKernelNodeParams p = {0}; p.func = (void *)k; p.gridDim = dim3(9); p.blockDim = dim3(224, 1, 1); }", "224"},
		"a node with single extents":     {"void run() { cudaGraphNodeParams p = {}; p.kernel.func = (void *)k; p.kernel.blockDim.x = p.kernel.blockDim.y = 16; }", "16x16"},
		"nobody knows":                   {"void run(float *a, int n) { k<<<9, n>>>(a); }", "unknown"},
		"more than a block can have":     {"int block = 4096; void run(float *a) { k<<<9, block>>>(a); }", "unknown"},
		"a variable of its own":          {"void run(float *a, int n) { int t = t + n; k<<<9, t>>>(a); }", "unknown"},
		"functions that call each other": {"int f(int); int g(int n) { return f(n); } int f(int n) { return g(n); }\nvoid run(float *a) { k<<<9, f(1)>>>(a); }", "unknown"},
	} {
		k := kerneltest.First(t, kernel+c.text+"\n")
		require.Len(t, usual.Counted(k), len(k.Instances), name)
		counted := usual.Counted(k)[0]
		assert.Equal(t, c.want, counted.String(), name)
		assert.Equal(t, c.want != "unknown", counted.Assumed != "", name)
		assert.False(t, slices.ContainsFunc(k.Instances, func(in *analysis.Instance) bool { return in.Assumed != "" }), name)
		_, known := k.Instances[0].BlockShape()
		assert.False(t, known, "%s: a guess must not become a fact", name)
	}
}

// TestKnownInstancesAreCountedAsTheyAre: nothing is assumed of what the program says.
func TestKnownInstancesAreCountedAsTheyAre(t *testing.T) {
	k := kerneltest.First(t, "__global__ void k(float *a) { extern __shared__ float s[]; s[threadIdx.x] = *a; }\nvoid run(float *a) { k<<<9, 64, 512>>>(a); }\n")
	assert.Same(t, k.Instances[0], usual.Counted(k)[0])
}

// TestUsualBytes: dynamic shared memory that depends on a guessed block is guessed with it.
func TestUsualBytes(t *testing.T) {
	k := kerneltest.First(t, "__global__ void k(float *a) { extern __shared__ float s[]; s[threadIdx.x] = *a; }\nint n = 128; void run(float *a) { k<<<9, n, n * sizeof(float)>>>(a); }\n")
	bytes, exact := launches.SharedBytes(k, usual.Counted(k)[0])
	assert.True(t, exact)
	assert.Equal(t, 512, bytes)
	_, exact = launches.SharedBytes(k, k.Instances[0])
	assert.False(t, exact)
}

// TestUsualTypes: a type that no text in view tells is the first that the macro around the launch gives, or float.
func TestUsualTypes(t *testing.T) {
	for name, c := range map[string]struct {
		macro string
		bytes int
	}{
		"of a macro in view": {"#define EACH(F) { { using scalar_t = double; F(); } { using scalar_t = float; F(); } }\n", 512},
		"of no macro":        {"", 256},
	} {
		k := kerneltest.First(t, c.macro+"template <class T> __global__ void k(T *a) { __shared__ T s[64]; s[threadIdx.x] = *a; }\nvoid run(void *a) { EACH([&] { k<scalar_t><<<9, 64>>>((scalar_t *)a); }); }\n")
		bytes, exact := launches.SharedBytes(k, usual.Counted(k)[0])
		assert.True(t, exact, name)
		assert.Equal(t, c.bytes, bytes, name)
		assert.NotEmpty(t, usual.Counted(k)[0].Assumed, name)
		_, exact = launches.SharedBytes(k, k.Instances[0])
		assert.False(t, exact, "%s: a guess must not become a fact", name)
	}
}

// TestHostSourcesBesideTellTheBlock: a caller in a source that is no part of the program counts.
func TestHostSourcesBesideTellTheBlock(t *testing.T) {
	parse := func(name, text string) *parser.Program {
		f, err := parser.Parse(name, []byte(text), parser.Options{})
		require.NoError(t, err)
		return parser.NewProgram([]*parser.File{f}, parser.Options{})
	}
	prog := parse("k.cu", "__global__ void k(float *a) { *a = 0; }\nvoid run(float *a, int n) { k<<<9, n>>>(a); }\n")
	asked := 0
	prog.Beside = func() *parser.Program {
		asked++
		return parse("main.cpp", "int threads = 320;\nvoid run(float *, int);\nint main() { run(0, threads); }\n")
	}
	k := passes.NewProgram(prog, [3]int{}).Kernels()[0]
	assert.Zero(t, asked)
	assert.Equal(t, "320", usual.Counted(k)[0].String())
}

// TestUsualGrid: where the text leaves the grid open, what somebody says of it counts for estimates alone.
func TestUsualGrid(t *testing.T) {
	for grid, want := range map[string][3]int64{"n": {64, 2, 1}, "9": {}} {
		k := kerneltest.First(t, "__global__ void k(float *a) { a[threadIdx.x] = 0; }\nvoid run(float *a, int n) { k<<<"+grid+", 64>>>(a); }\n")
		k.Prog.Parsed.Usual = func(string) parser.UsualLaunch {
			return parser.UsualLaunch{Grid: [3]int64{64, 2, 1}, GridBy: "somebody"}
		}
		assert.Equal(t, want, usual.Counted(k)[0].UsualGrid, grid)
		assert.Zero(t, k.Instances[0].UsualGrid, "a guess must not become a fact")
		assert.Equal(t, want != [3]int64{}, usual.Counted(k)[0].Assumed != "", grid)
	}
}
