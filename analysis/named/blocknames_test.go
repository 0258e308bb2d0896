package named_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/smux-cuda/smux/analysis/named"
	"github.com/smux-cuda/smux/lab/kerneltest"
)

// TestThreadsAreNamedAsLaunchesNameThem: a number of threads goes by the names of the launches
// where these mean the same in front of the kernel.
func TestThreadsAreNamedAsLaunchesNameThem(t *testing.T) {
	const kernel = "__global__ void k(float *a) { *a = 0; }\n"
	for text, want := range map[string]string{
		"#define BLOCK 64\n" + kernel + "void run(float *a) { k<<<9, BLOCK>>>(a); }":                                                               "BLOCK",
		"const int BLOCK = 64;\n" + kernel + "void run(float *a) { k<<<9, dim3(BLOCK)>>>(a); k<<<7, BLOCK>>>(a); }":                                "BLOCK",
		"const int BX = 16;\n#define BY 4\n" + kernel + "void run(float *a) { dim3 b(BX, BY); k<<<9, b>>>(a); }":                                   "BX * BY",
		"#include \"smux.cuh\"\n#define B 32\n" + kernel + "void run(float *a) { const auto m = smux::merge<2, 32>(9, B); k<<<9, m.block>>>(a); }": "B * 2",
		"template <int B> " + kernel + "void run(float *a) { const int B = 64; k<B><<<9, B>>>(a); }":                                               "B",
		// Not seen in front of the kernel, or not the same there.
		kernel + "#define BLOCK 64\nvoid run(float *a) { k<<<9, BLOCK>>>(a); }":                                              "64",
		kernel + "const int BLOCK = 64;\nvoid run(float *a) { k<<<9, BLOCK>>>(a); }":                                         "64",
		kernel + "void run(float *a) { const int BLOCK = 64; k<<<9, BLOCK>>>(a); }":                                          "64",
		"namespace n { const int B = 64; }\n" + kernel + "using namespace n; void run(float *a) { k<<<9, B>>>(a); }":         "64",
		"#define B 32\n" + kernel + "#undef B\n#define B 64\nvoid run(float *a) { k<<<9, B>>>(a); }":                         "64",
		"#define B 64\n#define C 64\n" + kernel + "void run(float *a) { k<<<9, B>>>(a); k<<<9, C>>>(a); }":                   "64",
		"#define B 64\n" + kernel + "void run(float *a) { dim3 b(B); b.x = 32; b.x = 64; k<<<9, b>>>(a); k<<<9, 64>>>(a); }": "64",
		kernel + "void run(float *a) { k<<<9, 64>>>(a); }":                                                                   "64",
	} {
		assert.Equal(t, want, named.ThreadsAsNamed(kerneltest.First(t, text+"\n"), 64), text)
	}
}
