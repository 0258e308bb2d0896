package evaluate_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/lab/kerneltest"
)

// TestLoopsThatRunEquallyOftenInAllBlocks has heads of loops around a barrier whose
// counter begins elsewhere in each block.
func TestLoopsThatRunEquallyOftenInAllBlocks(t *testing.T) {
	for _, c := range []struct {
		name, before, head string
		want               string
	}{
		{"limit at a distance", "int b = n * blockIdx.x; int e = b + n - 1;", "for (int i = b; i <= e; i += step)", "grid-uniform"},
		{"limit at a distance, in the head", "int b = blockIdx.x;", "for (int i = b * n; i < b * n + n; i++)", "grid-uniform"},
		{"sides exchanged", "int b = blockIdx.x;", "for (int i = b; b + n > i; ++i)", "grid-uniform"},
		{"added in full", "int b = blockIdx.x;", "for (int i = b; i < b + n; i = i + step)", "grid-uniform"},
		{"several counters", "int b = blockIdx.x;", "for (int i = b, j = 0; i < b + n; i += step, j++)", "grid-uniform"},
		{"a limit that stays", "int b = blockIdx.x;", "for (int i = b; i < n; i++)", "block-uniform"},
		{"a step of the block's own", "int b = blockIdx.x;", "for (int i = b; i < b + n; i += 1 + blockIdx.x)", "block-uniform"},
		{"a step that wraps around", "int b = blockIdx.x;", "for (int i = b; i < b + n; i += blockDim.x)", "block-uniform"},
		{"unsigned", "unsigned b = n * blockIdx.x;", "for (unsigned i = b; i < b + n; i++)", "block-uniform"},
		{"unsigned limit", "int b = blockIdx.x; unsigned e = b + n;", "for (int i = b; i < e; i++)", "block-uniform"},
		{"a limit that changes", "int b = blockIdx.x; int e = b + n; if (a[0] > 0) e--;", "for (int i = b; i < e; i++)", "block-uniform"},
		{"a first value that changes", "int b = blockIdx.x; int e = b + n; b = b / 2;", "for (int i = b; i < e; i++)", "block-uniform"},
		{"twice the distance", "int b = blockIdx.x;", "for (int i = b; i < 2 * b + n; i++)", "block-uniform"},
		{"a distance that is loaded", "int b = blockIdx.x; int d = (int)a[0];", "for (int i = b; i < b + d; i++)", "block-uniform"},
		{"another condition beside it", "int b = blockIdx.x;", "for (int i = b; i < b + n && i < n; i++)", "block-uniform"},
		{"towards another end", "int b = blockIdx.x;", "for (int i = b; i != b + n; i++)", "block-uniform"},
		{"a counter that the body changes", "int b = blockIdx.x;", "for (int i = b; i < b + n; i++, i += (a[0] > 0))", "block-uniform"},
		{"threads' own beginnings", "int b = threadIdx.x;", "for (int i = b; i < b + n; i++)", "thread-varying"},
	} {
		t.Run(c.name, func(t *testing.T) {
			k := kerneltest.Only(t, `
__global__ void k(float *a, int n, int step) {
    __shared__ float s[64];
    `+c.before+`
    `+c.head+` {
        s[threadIdx.x] = a[threadIdx.x];
        __syncthreads();
        a[threadIdx.x] = s[63 - threadIdx.x];
    }
}
void run(float *a) { k<<<8, 64>>>(a, 3, 1); }`)
			require.Len(t, k.Barriers, 1)
			assert.Equal(t, c.want, k.Barriers[0].Control.String())
		})
	}
}
