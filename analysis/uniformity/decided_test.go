package uniformity_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/lab/kerneltest"
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

// launched is a kernel k(int *a, int n, int h) with a body, "@" its barrier, and the host code that launches it in
// run(int *a, int n, int h). Host code that has a function is the whole file after the kernel.
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

// TestAComparisonThatTheBlockShapeDecidesIsUniform: the emitted code checks shapes and template arguments.
func TestAComparisonThatTheBlockShapeDecidesIsUniform(t *testing.T) {
	for _, c := range []struct{ name, body, host string }{
		{"as many threads as a constant", "if (threadIdx.x < 64) { @; }", "k<<<h, 64>>>(a, n, h);"},
		{"a constant that no thread has", "if (threadIdx.x == 64) { @; }", "k<<<h, 64>>>(a, n, h);"},
		{"a template argument", "if (threadIdx.x < B) { @; }", "template <int B> __global__ void k(int *a, int n, int h) { BODY } void run(int *a, int n, int h) { k<64><<<n, 64>>>(a, n, h); }"},
		{"several shapes", "if (threadIdx.x < 128) { @; }", "k<<<h, 64>>>(a, n, h); k<<<h, 128>>>(a, n, h);"},
		{"a warp's number", "if (threadIdx.x / 32 < 2) { @; }", "k<<<h, 64>>>(a, n, h);"},
		{"in a function", "meet(threadIdx.x, n);", "__device__ void meet(int i, int n) { if (threadIdx.x < 256) { __syncthreads(); } }\nvoid run(int *a, int n, int h) { k<<<n, 256>>>(a, n, h); }"},
	} {
		t.Run(c.name, func(t *testing.T) {
			assert.Equal(t, analysis.GridUniform, barrierLevel(t, c.body, c.host))
		})
	}
}

// TestWhatTheHostPassesDecidesNothing: all threads of these launches come to one answer, which is no fact of the
// kernel: the next main passes another number.
func TestWhatTheHostPassesDecidesNothing(t *testing.T) {
	for _, c := range []struct{ name, body, host string }{
		{"as many blocks as are full", guard, "k<<<n / 256, 256>>>(a, n, h);"},
		{"numbers", guard, "k<<<9, 32>>>(a, 288, h);"},
		{"constants with names", guard, "const int blocks = 9, size = 32 * blocks; k<<<blocks, 32>>>(a, size, h);"},
		{"macros", guard, "\n#define SIZE 1024\n#define GRID(n) ((n) / SIZE)\nk<<<GRID(n), SIZE>>>(a, n, h);"},
		{"two dimensions", guard2D, "dim3 block(16, 16), grid(n / 16, h / 16); k<<<grid, block>>>(a, n, h);"},
		{"in a function", index + "meet(i, n);", function("if (i < n) { @; }")},
		{"before a return", index + "if (n <= i) return; @;", "k<<<n / 256, 256>>>(a, n, h);"},
		{"a grid of a constant size", index + "if (i < 1024) { @; }", "k<<<4, 256>>>(a, n, h);"},
		{"a thread's number", "if (threadIdx.x < n) { @; }", "k<<<h, 64>>>(a, 64, h);"},
		{"one shape of several", "if (threadIdx.x < 64) { @; }", "k<<<h, 64>>>(a, n, h); k<<<h, 128>>>(a, n, h);"},
		{"a shape that is not known", "if (threadIdx.x < 64) { @; }", "k<<<n, h>>>(a, n, h);"},
		{"no launch", "if (threadIdx.x < 64) { @; }", "void run(int *a, int n, int h) {}"},
	} {
		t.Run(c.name, func(t *testing.T) {
			assert.Greater(t, barrierLevel(t, c.body, c.host), analysis.GridUniform)
		})
	}
}

// TestTheBlocksNumberIsUniformInTheBlockAlone: the host may launch more blocks than it passes.
func TestTheBlocksNumberIsUniformInTheBlockAlone(t *testing.T) {
	assert.Equal(t, analysis.BlockUniform, barrierLevel(t, "if (blockIdx.x < n) { @; }", "k<<<n, 256>>>(a, n, h);"))
}

// barrierLevel returns the uniformity of the control around the barriers of a kernel, and of its exits.
func barrierLevel(t *testing.T, body, host string) analysis.Uniformity {
	t.Helper()
	ks := kerneltest.All(t, launched(body, host))
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
