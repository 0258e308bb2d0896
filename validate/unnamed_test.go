package validate_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/validate"
)

// Code that runs without a call that names it, and a function (107), asks, in both texts alike, for what the rewrite changes. Each number from 101 on
// is such a place.
func TestCodeThatNoCallNames(t *testing.T) {
	const text = `
#define PLACE 101
struct Num {
    float x;
    __host__ __device__ Num(float v) : x(v + 102) {}
    __device__ Num operator+(Num o) const { return Num(x + o.x + PLACE); }
    __device__ operator float() const { return x + 103; }
};
struct Other { int at; __device__ Other() { at = blockIdx.x; } };
struct Shift { int z; __device__ float operator()(float v) const { return v + z + 104; } };
struct Start { int z = 105; __device__ float get() const { return z; } };
__device__ float plus(float v, int d = 106) { return v + d + 107; }
__device__ float inner(int d) { return d; }
__device__ float own(float v) { __shared__ float t[64]; t[threadIdx.x] = v; return t[threadIdx.x]; }
__global__ void k(const float *a, float *b, int n, Shift f)
{
    TILE
    int i = blockIdx.x * 64 + threadIdx.x;
    if (i < n) b[i] = Num(a[i]) + Num(1.0f);
    MORE
}
void run(float *a, float *b, int n, Shift f) { k<<<64, 64>>>(a, b, n, f); }
`
	tile := []string{
		"TILE", "__shared__ float s[64];\n    s[threadIdx.x] = a[threadIdx.x];\n    __syncthreads();",
		"MORE", "if (i < n) b[i] += f(s[63 - threadIdx.x]) + plus(a[i]) + Start().get();",
	}
	for _, of := range []struct {
		variant rewrite.Variant
		parts   []string
		places  string
	}{
		{rewrite.Variant{Rewriter: "vtb", Factor: 2}, tile, "101 102 103 104 105 106"},
		{rewrite.Variant{Rewriter: "merge", Factor: 2}, tile, "101 102 103 104 105 106 107"},
		{rewrite.Variant{Rewriter: "coarsen", Factor: 2}, []string{"TILE", "", "MORE", ""}, "101 102 103"},
		{rewrite.Variant{Rewriter: "coarsen", Factor: 2, Of: "threads"}, []string{"TILE", "", "MORE", ""}, "101 102 103"},
	} {
		old := strings.NewReplacer(of.parts...).Replace(text)
		res, err := rewrite.Run(program(t, old), rewrite.Options{Variant: of.variant})
		require.NoError(t, err)
		require.Len(t, res.Files, 1)
		for _, place := range strings.Fields(of.places) {
			proved := func(said string) bool {
				return validate.Programs(program(t, strings.Replace(old, place, said, 1)), program(t, strings.Replace(string(res.Files[0].After), place, said, 1))).Proved()
			}
			assert.True(t, proved("7"), "%v %s", of.variant, place)
			for _, said := range []string{"blockIdx.x", "gridDim.x", "inner(blockIdx.x)", "__syncthreads_count(1)", "own(1)"} {
				assert.False(t, proved(said), "%v %s %s", of.variant, place, said)
			}
			assert.Equal(t, of.variant.Of == "", proved("threadIdx.x"), "%v %s", of.variant, place)
		}
	}
}
