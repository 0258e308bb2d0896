package analysis_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/analysis"
)

const (
	index   = "int i = blockIdx.x * blockDim.x + threadIdx.x; "
	guard   = index + "if (i < n) { @; }"
	guard2D = "int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y; if (row < h && col < n) { @; }"
)

// function is a device function and the launch of a kernel that may call it.
func function(text string) string {
	return "__device__ void meet(int i, int n) { " + barrierText(text) + " }\nvoid run(int *a, int n, int h) { k<<<n / 256, 256>>>(a, n, h); }"
}

// launched is a kernel k(int *a, int n, int h) with a body, "@" its barrier, and
// the host code that launches it in run(int *a, int n, int h). Host code that has a
// function is all of the file behind the kernel.
func launched(body, host string) string {
	if !strings.Contains(host, "void ") {
		host = "void run(int *a, int n, int h) { " + host + " }"
	}
	kernel := "__global__ void k(int *a, int n, int h) { __shared__ int s[1]; " + barrierText(body) + " a[0] = s[0]; }\n"
	if strings.Contains(host, "__global__") {
		kernel = ""
		host = strings.Replace(host, "BODY", "__shared__ int s[1]; "+barrierText(body)+" a[0] = s[0];", 1)
	}
	return kernel + host
}

// TestAGuardThatAllThreadsOfALaunchPassIsUniform: where the extents of the grid and
// what is passed belong together, every thread passes, or none does.
func TestAGuardThatAllThreadsOfALaunchPassIsUniform(t *testing.T) {
	for _, c := range []struct{ name, body, host string }{
		{"as many blocks as are full", guard, "k<<<n / 256, 256>>>(a, n, h);"},
		{"numbers", guard, "k<<<9, 32>>>(a, 288, h);"},
		{"more elements than threads", guard, "k<<<9, 32>>>(a, 300, h);"},
		{"constants with names", guard, "const int blocks = 9, size = 32 * blocks; k<<<blocks, 32>>>(a, size, h);"},
		{"macros", guard, "\n#define SIZE 1024\n#define GRID(n) ((n) / SIZE)\nk<<<GRID(n), SIZE>>>(a, n, h);"},
		{"by way of variables", guard, "int blocks = n / 256; dim3 grid(blocks), block(256); k<<<grid, block>>>(a, n, h);"},
		{"a grid that is set behind its declaration", guard, "dim3 grid; grid = dim3(n / 256, 1); k<<<grid, 256>>>(a, n, h);"},
		{"parts of a grid that are set", guard2D, "dim3 grid, block(16); block.y = 16; grid.x = n / block.x; grid.x = n / 16; grid.y = h / 16; k<<<grid, block>>>(a, n, h);"},
		{"a product", guard, "k<<<h, 256>>>(a, h * 256, h);"},
		{"a product of two", guard, "k<<<h, n>>>(a, h * n, h);"},
		{"whole blocks of it", guard, "k<<<n / 256, 256>>>(a, n - n % 256, h);"},
		{"whole blocks by a shift", guard, "k<<<n >> 8, 256>>>(a, n, h);"},
		{"larger blocks counted", guard, "k<<<n / 512, 256>>>(a, n, h);"},
		{"blocks of a size that isn't known", guard, "k<<<n / h, h>>>(a, n, h);"},
		{"at most some blocks", guard, "k<<<min(n / 256, 1024), 256>>>(a, n, h);"},
		{"at most some blocks, by a choice", guard, "int b = n / 256; k<<<b > 64 ? 64 : b, 256>>>(a, n, h);"},
		{"a size that is set before", guard, "int m = 512; if (h > 3) m = h; int blocks = m / 256; k<<<blocks, 256>>>(a, m, h);"},
		{"a size of each iteration", guard, "for (int m = 512; m < n; m *= 2) { int blocks = m / 256; k<<<blocks, 256>>>(a, m, h); }"},
		{"set behind the launch", guard, "int m = h; k<<<m / 256, 256>>>(a, m, h); m = 3;"},
		{"an unsigned number of blocks", guard, "unsigned blocks = n / 256; dim3 grid(blocks); k<<<grid, 256>>>(a, n, h);"},
		{"a number of blocks of 64 bits", guard, "size_t blocks = n / 256; k<<<blocks, 256>>>(a, n, h);"},
		{"a number of blocks that is cast", guard, "k<<<(unsigned int)(n / 256), 256>>>(a, n, h);"},
		{"an unsigned size for both", "unsigned i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) { @; }", "__global__ void k(int *a, unsigned n, int h) { BODY } void run(int *a, unsigned n, int h) { k<<<n / 256, 256>>>(a, n, h); }"},
		{"a size of 64 bits for both", "size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; if (i < n) { @; }", "__global__ void k(int *a, size_t n, int h) { BODY } void run(int *a, size_t n, int h) { k<<<n / 256, 256>>>(a, n, h); }"},
		{"an unsigned size", guard, "unsigned m = h & 1023; k<<<m / 256, 256>>>(a, m, h);"},
		{"a size that one of two branches sets", guard, "int m = h; if (n > 3) { m = n; } else { m = 5 * n; } dim3 grid(m / 256); k<<<grid, 256>>>(a, m, h);"},
		{"none of the threads of a launch", guard, "k<<<n / 256, 256>>>(a, n, h); k<<<4, 32>>>(a, 0, h);"},
		{"several launches", guard, "k<<<n / 256, 256>>>(a, n, h); k<<<2, 64>>>(a, 128, h);"},
		{"a template of the host", guard, "template <int B> void run(int *a, int n, int h) { k<B><<<n / B, B>>>(a, n, h); } void both(int *a, int n, int h) { run<64>(a, n, h); run<128>(a, n, h); }\ntemplate <int B> __global__ void k(int *a, int n, int h) { BODY }"},
		{"the size as a template argument", "if (blockIdx.x * B + threadIdx.x < n) { @; }", "template <int B> __global__ void k(int *a, int n, int h) { BODY } void run(int *a, int n, int h) { k<64><<<n / 64, 64>>>(a, n, h); }"},
		{"an unsigned number", "unsigned i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) { @; }", "k<<<n / 256, 256>>>(a, n, h);"},
		{"a number of 64 bits", "long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; if (i < n) { @; }", "k<<<n / 256, 256>>>(a, n, h);"},
		{"without a variable", "if (blockIdx.x * blockDim.x + threadIdx.x < n) { @; }", "k<<<n / 256, 256>>>(a, n, h);"},
		{"with the extent as a number", "if (256 * blockIdx.x + threadIdx.x < n) { @; }", "k<<<n / 256, 256>>>(a, n, h);"},
		{"the other way round", index + "if (n <= i) return; @;", "k<<<n / 256, 256>>>(a, n, h);"},
		{"in a function's else", index + "if (i >= n) { a[i] = 0; } else { @; }", "k<<<n / 256, 256>>>(a, n, h);"},
		{"with one more condition that is uniform", index + "if (i < n && h > 3) { @; }", "k<<<n / 256, 256>>>(a, n, h);"},
		{"a variable that holds the answer", index + "const bool inside = i < n; if (inside) { @; }", "k<<<n / 256, 256>>>(a, n, h);"},
		{"two dimensions in one number", "int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y; if (y * n + x < n * h) { @; }", "dim3 block(16, 16), grid(n / 16, h / 16); k<<<grid, block>>>(a, n, h);"},
		{"in a function", index + "meet(i, n);", function("if (i < n) { @; }")},
		{"before a return of a function", index + "meet(i, n - 0);", function("if (i >= n) return; @;")},
		{"in a function that is called twice", index + "meet(i, n); meet(i - threadIdx.x, n);", function("if (i < n) { @; }")},
		{"in a function of a function", index + "outer(i);", function("if (i < n) { @; }") + "__device__ void outer(int j) { meet(j, gridDim.x * blockDim.x); }"},
		{"elements per thread", "int i = (blockIdx.x * blockDim.x + threadIdx.x) * 4; if (i + 3 < n) { @; }", "k<<<n / 1024, 256>>>(a, n, h);"},
		{"two dimensions", guard2D, "dim3 block(16, 16), grid(n / 16, h / 16); k<<<grid, block>>>(a, n, h);"},
		{"two dimensions, one number", "int i = (blockIdx.y * gridDim.x + blockIdx.x) * 64 + threadIdx.x; if (i < n) { @; }", "k<<<dim3(3, 5), 64>>>(a, 960, h);"},
		{"the block's number", "if (blockIdx.x < n) { @; }", "k<<<n, 256>>>(a, n, h);"},
		{"a thread's number", "if (threadIdx.x < n) { @; }", "k<<<h, n>>>(a, n, h);"},
		{"a warp's number", "if (threadIdx.x / 32 < n / 32) { @; }", "k<<<h, 64>>>(a, 64, h);"},
		{"a constant that no thread has", "if (threadIdx.x == 64) { @; }", "k<<<h, 64>>>(a, 64, h);"},
	} {
		t.Run(c.name, func(t *testing.T) {
			assert.Equal(t, analysis.GridUniform, barrierLevel(t, c.body, c.host))
		})
	}
}

// TestAGuardThatSomeThreadsMayMissIsNotUniform: each of these looks like a launch
// with as many threads as elements, and may be one with more.
func TestAGuardThatSomeThreadsMayMissIsNotUniform(t *testing.T) {
	for _, c := range []struct{ name, body, host string }{
		{"blocks rounded up", guard, "k<<<(n + 255) / 256, 256>>>(a, n, h);"},
		{"one more block", guard, "k<<<n / 256 + 1, 256>>>(a, n, h);"},
		{"one thread too many", guard, "k<<<9, 32>>>(a, 287, h);"},
		{"one element less", guard, "k<<<n / 256, 256>>>(a, n - 1, h);"},
		{"larger blocks than counted", guard, "k<<<n / 128, 256>>>(a, n, h);"},
		{"at least a block", guard, "k<<<max(n / 256, 1), 256>>>(a, n, h);"},
		{"at least a block, by a choice", guard, "k<<<n < 256 ? 1 : n / 256, 256>>>(a, n, h);"},
		{"a min of its own", guard, "int min(int a, int b) { return a + b; }\nvoid run(int *a, int n, int h) { k<<<min(n / 256, 2), 256>>>(a, n, h); }"},
		{"another size", guard, "k<<<n / 256, 256>>>(a, h, n);"},
		{"a size that changes before the launch", guard, "int m = h; int blocks = m / 256; m = 3; k<<<blocks, 256>>>(a, m, h);"},
		{"a size that counts before the launch", guard, "int m = h; dim3 grid(m / 256); m--; k<<<grid, 256>>>(a, m, h);"},
		{"a size that changes through a reference", guard, "int m = h; int &r = m; int blocks = m / 256; r = 3; k<<<blocks, 256>>>(a, m, h);"},
		{"a size that a call changes", guard, "void set(int &m); void run(int *a, int n, int h) { int m = h; int blocks = m / 256; set(m); k<<<blocks, 256>>>(a, m, h); }"},
		{"a size that a loop changes behind the launch", guard, "int m = h; int blocks = m / 256; for (;;) { k<<<blocks, 256>>>(a, m, h); m--; }"},
		{"a size that the launch changes", guard, "int m = h; k<<<m / 256, 256>>>(a, m--, h);"},
		{"a size of the whole program", guard, "int m; void run(int *a, int n, int h) { k<<<m / 256, 256>>>(a, m, h); }"},
		{"a size that is passed by reference", guard, "void run(int *a, int &n, int h) { int blocks = n / 256; n = 3; k<<<blocks, 256>>>(a, n, h); }"},
		{"a part of a grid that is set by half of the threads", guard, "dim3 grid(n / 256); if (h) grid.x = n; k<<<grid, 256>>>(a, n, h);"},
		{"a part of a grid that is set twice", guard, "dim3 grid(n / 256); grid.x = (n + 255) / 256; k<<<grid, 256>>>(a, n, h);"},
		{"a part of a grid that is set behind the launch", guard, "dim3 grid(n / 256); for (;;) { k<<<grid, 256>>>(a, n, h); grid.x = n; }"},
		{"a size that changes behind a part of the grid", guard, "int m = h; dim3 grid; grid.x = m / 256; m = 3; k<<<grid, 256>>>(a, m, h);"},
		{"a part of a grid that a member changes", guard, "dim3 grid(n / 256); grid.x *= 2; k<<<grid, 256>>>(a, n, h);"},
		{"a part of a grid whose address is taken", guard, "dim3 grid(n / 256); unsigned *x = &grid.x; *x = n; k<<<grid, 256>>>(a, n, h);"},
		{"a grid that is made of itself", guard, "dim3 grid, other = grid; grid = dim3(other); other = grid; k<<<grid, 256>>>(a, n, h);"},
		{"a grid that changes", guard, "dim3 grid(n / 256); grid.x++; k<<<grid, 256>>>(a, n, h);"},
		{"a grid that is set again", guard, "dim3 grid(n / 256); if (h) grid = dim3(n); k<<<grid, 256>>>(a, n, h);"},
		{"a grid that a call changes", guard, "void grow(dim3 &g); void run(int *a, int n, int h) { dim3 grid(n / 256); grow(grid); k<<<grid, 256>>>(a, n, h); }"},
		{"a grid with a second dimension", "int i = (blockIdx.y * gridDim.x + blockIdx.x) * 256 + threadIdx.x; if (i < n) { @; }", "k<<<dim3(n / 256, h), 256>>>(a, n, h);"},
		{"a block with a second dimension", "int i = blockIdx.x * 256 + threadIdx.y * 16 + threadIdx.x; if (i < n) { @; }", "k<<<n / 256, dim3(16, 17)>>>(a, n, h);"},
		{"one of two branches", guard, "\n#if defined(ROUND) && ROUND > UNKNOWN\nint blocks = (n + 255) / 256;\n#else\nint blocks = n / 256;\n#endif\nk<<<blocks, 256>>>(a, n, h);"},
		{"one launch of several", guard, "k<<<n / 256, 256>>>(a, n, h); k<<<(n + 255) / 256, 256>>>(a, n, h);"},
		{"one instance of several", guard, "template <int B> void run(int *a, int n, int h) { k<<<n / 128, B>>>(a, n, h); } void both(int *a, int n, int h) { run<128>(a, n, h); run<256>(a, n, h); }"},
		{"a template of the host whose calls aren't seen", guard, "template <int B> void run(int *a, int n, int h) { k<<<n / 128, B>>>(a, n, h); }"},
		{"a launch by a kernel", guard, "__global__ void parent(int *a, int n, int h) { k<<<threadIdx.x, 32>>>(a, threadIdx.x * 32, h); } __global__ void k(int *a, int n, int h) { BODY }"},
		{"a kernel of that name that takes a pointer for the size", guard, "__global__ void k(int *a, int n, int h) { BODY } __global__ void k(int *a, int *n, int h) {} void run(int *a, int h) { int m = 288, blocks = 9; m = 5; k<<<blocks, 32>>>(a, m, h); }"},
		{"a size that a statement in an expression changes", guard, "int m = h, blocks = m / 256; int q = ({ m = 3; 4; }); k<<<blocks, 256>>>(a, m, q);"},
		{"a size that assembly changes", guard, "int m = h, blocks = m / 256; asm(\"movl $3, %0\" : \"=r\"(m)); k<<<blocks, 256>>>(a, m, h);"},
		{"a size that a macro changes", guard, "\n#define LESS(x) x--\nint m = h, blocks = m / 256; LESS(m); k<<<blocks, 256>>>(a, m, h);"},
		{"a size that a lambda changes", guard, "int m = h, blocks = m / 256; auto less = [&]() { m--; }; less(); k<<<blocks, 256>>>(a, m, h);"},
		{"a size that is read again", guard, "int m = h, blocks = m / 256; scanf(\"%d\", &m); k<<<blocks, 256>>>(a, m, h);"},
		{"a size that a jump changes", guard, "int m = h; again: int blocks = m / 256; if (h) { m -= 3; if (h > 5) goto again; } k<<<blocks, 256>>>(a, m, h);"},
		{"a static size", guard, "static int m = 288; k<<<9, 32>>>(a, m, h); m = 3;"},
		{"a volatile size", guard, "volatile int m = h; k<<<m / 256, 256>>>(a, m, h);"},
		{"two sizes of one name", guard, "int m = h, blocks = m / 256; { int m = 3; k<<<blocks, 256>>>(a, m, h); }"},
		{"no launch", guard, "void run(int *a, int n, int h) {}"},
		{"a size of a class", guard, "struct S { int n; }; void run(int *a, S s, int h) { k<<<s.n / 256, 256>>>(a, s.n, h); }"},
		{"a floating size", guard, "k<<<(int)(n / 256.0f), 256>>>(a, n, h);"},
		{"a size rounded up by a function", guard, "k<<<(int)ceil(n / 256.0), 256>>>(a, n, h);"},
		{"an unsigned size that a signed one can't hold", guard, "void run(int *a, unsigned n, int h) { k<<<n / 256, 256>>>(a, n, h); }"},
		{"a size of 64 bits that an int can't hold", guard, "void run(int *a, size_t n, int h) { k<<<n / 256, 256>>>(a, n, h); }"},
		{"a product of 64 bits", guard, "k<<<h, 256>>>(a, h * 256L, h);"},
		{"a grid of 64 bits that wraps", guard, "void run(int *a, long long n, int h) { k<<<n / 256, 256>>>(a, n, h); }"},
		{"a sum that wraps", guard, "void run(int *a, unsigned n, int h) { k<<<(n + 256) / 512, 256>>>(a, n & 0xffff, h); }"},
		{"an unsigned number of blocks that is used otherwise", guard, "unsigned blocks = n / 256; k<<<blocks / 2, 512>>>(a, n, h);"},
		{"an unsigned quotient of a negative size", guard, "k<<<n / 256u, 256>>>(a, n, h);"},
		{"a narrow size", "short m = n; " + index + "if (i < m) { @; }", "k<<<n / 256, 256>>>(a, n, h);"},
		{"a narrow number", "short i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) { @; }", "k<<<n / 256, 256>>>(a, n, h);"},
		{"a product of an unknown grid", "int i = blockIdx.x * 1024 + threadIdx.x; if (i < n) { @; }", "k<<<n / 256, 256>>>(a, n, h);"},
		{"a size that the kernel changes", index + "n -= 5; if (i < n) { @; }", "k<<<n / 256, 256>>>(a, n, h);"},
		{"a number that the kernel changes", index + "i += 5; if (i < n) { @; }", "k<<<n / 256, 256>>>(a, n, h);"},
		{"a number that a loop changes", "for (" + index + "i < n; i += gridDim.x * blockDim.x) { @; }", "k<<<n / 256, 256>>>(a, n, h);"},
		{"a larger number", index + "if (i + 1 < n) { @; }", "k<<<n / 256, 256>>>(a, n, h);"},
		{"a halo", "int i = blockIdx.x * blockDim.x + threadIdx.x - 1; if (i >= 0 && i < n) { @; }", "k<<<n / 256, 256>>>(a, n, h);"},
		{"a second condition", index + "if (i < n && threadIdx.x) { @; }", "k<<<n / 256, 256>>>(a, n, h);"},
		{"a number that a function changes", index + "meet(i, n);", function("i++; if (i < n) { @; }")},
		{"a larger number in one of two calls", index + "meet(i, n); meet(i + 1, n);", function("if (i < n) { @; }")},
		{"another answer in one of two calls", index + "meet(i, n); meet(i + n, n);", function("if (i < n) { @; }")},
		{"a function that calls itself", index + "meet(i, n);", function("if (i < n) { @; } if (h) meet(i + 1, n);")},
		{"a function that a lambda calls, too", index + "meet(i, n); auto f = [=](int j) { meet(j + 1, n); }; f(i);", function("if (i < n) { @; }")},
		{"a narrow parameter", index + "outer(i, n);", function("") + "__device__ void outer(short i, int n) { if (i < n) { __syncthreads(); } }"},
		{"a loaded size", index + "if (i < a[0]) { @; }", "k<<<n / 256, 256>>>(a, n, h);"},
		{"two dimensions in one number, of another width", "int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y; if (y * (n + 1) + x < n * h) { @; }", "dim3 block(16, 16), grid(n / 16, h / 16); k<<<grid, block>>>(a, n, h);"},
		{"two dimensions in one number, rounded up", "int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y; if (y * n + x < n * h) { @; }", "dim3 block(16, 16), grid(n / 16, (h + 15) / 16); k<<<grid, block>>>(a, n, h);"},
		{"rows and columns mixed up", guard2D, "dim3 block(16, 16), grid(h / 16, n / 16); k<<<grid, block>>>(a, n, h);"},
		{"rows rounded up", guard2D, "dim3 block(16, 16), grid(n / 16, (h + 15) / 16); k<<<grid, block>>>(a, n, h);"},
	} {
		t.Run(c.name, func(t *testing.T) {
			assert.Greater(t, barrierLevel(t, c.body, c.host), analysis.GridUniform)
		})
	}
}

// barrierLevel returns the uniformity of the control around the barriers of a kernel, and of
// its exits.
func barrierLevel(t *testing.T, body, host string) analysis.Uniformity {
	t.Helper()
	ks := foldKernels(t, launched(body, host))
	k := ks[slices.IndexFunc(ks, func(k *analysis.Kernel) bool { return k.Name == "k" })]
	require.NotEmpty(t, k.Barriers)
	level := analysis.GridUniform
	for _, b := range k.Barriers {
		level = max(level, b.Control)
	}
	for _, x := range k.Exits {
		level = max(level, x.Control)
	}
	return level
}
