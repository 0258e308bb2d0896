package rewrite_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/rewrite/merge"
)

// TestLambdasNeedWholeWarps: what works on warps needs whole ones in a lambda, too, and in
// a function that only a lambda calls.
func TestLambdasNeedWholeWarps(t *testing.T) {
	for _, lambda := range []string{
		"[&](float x) { return __shfl_xor_sync(0xffffffffu, x, 1); }",
		"[&](float x) { auto g = [&] { return __shfl_xor_sync(0xffffffffu, x, 1); }; return g(); }",
		"[&](float x) { return other(x); }",
	} {
		for threads, want := range map[string]bool{"64": true, "48": false} {
			text := "__device__ float lane(float x) { return __shfl_xor_sync(0xffffffffu, x, 1); }\n__device__ float other(float x) { return lane(x); }\n" +
				"__global__ void k(float *a) {\n    __shared__ float s[64];\n    auto f = " + lambda + ";\n    s[threadIdx.x] = f(a[threadIdx.x]);\n    __syncthreads();\n" +
				"    a[threadIdx.x] = s[threadIdx.x / 2];\n}\nvoid run(float *a) { k<<<9, " + threads + ">>>(a); }\n"
			f, err := parser.Parse("k.cu", []byte(text), parser.Options{})
			require.NoError(t, err)
			res, err := rewrite.Run(parser.NewProgram([]*parser.File{f}, parser.Options{}), rewrite.Options{Variant: rewrite.Variant{Rewriter: "vtb", Sync: "block", Factor: 2}, Runtime: "header"})
			require.NoError(t, err)
			if want {
				assert.Empty(t, res.Kernels[0].Refused, lambda)
			} else if assert.NotEmpty(t, res.Kernels[0].Refused, lambda) {
				assert.Equal(t, merge.CodeNotWarps, res.Kernels[0].Refused[0].Code, lambda)
			}
		}
	}
}
