package rewrite_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite"
)

// TestTurnsInFunctionsCostNoRewrite: where the v-TBs' barriers would not suffice for
// turns inside of a function, the call is the region.
func TestTurnsInFunctionsCostNoRewrite(t *testing.T) {
	f, err := parser.Parse("k.cu", []byte(`
__device__ float f(float *s, const float *in, int n) {
    float x = 0;
    for (int i = 0; i < n; i++) x += in[i];
    s[threadIdx.x] = x;
    __syncthreads();
    x = s[31 - threadIdx.x];
    return x;
}
__global__ void k(const float *in, float *out, int n) {
    __shared__ float s[32];
    out[blockIdx.x * 32 + threadIdx.x] = f(s, in, n);
}
void run(const float *in, float *out, int n) { k<<<n, 32>>>(in, out, n); }
`), parser.Options{})
	require.NoError(t, err)
	for _, c := range []struct {
		factor int
		inside bool
	}{{2, true}, {7, true}, {8, false}, {14, false}} {
		opt := rewrite.Options{Variant: rewrite.Variant{Rewriter: "vtb", Sync: "named", Factor: c.factor}, Runtime: "header"}
		res, err := rewrite.Run(parser.NewProgram([]*parser.File{f}, parser.Options{}), opt)
		require.NoError(t, err)
		require.Len(t, res.Files, 1, "%d: %v", c.factor, res.Kernels)
		function, kernel, _ := strings.Cut(string(res.Files[0].After), "__global__")
		assert.Equal(t, c.inside, strings.Contains(function, "acquire()"), "%d in the function", c.factor)
		assert.Equal(t, !c.inside, strings.Contains(kernel, "acquire()"), "%d in the kernel", c.factor)
	}
}
