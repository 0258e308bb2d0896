package motion_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/analysis/motion"
	"github.com/smux-cuda/smux/lab/kerneltest"
)

func TestInputsAreWhatARegionReadsOfArithmeticBeforeIt(t *testing.T) {
	for name, tt := range map[string]struct {
		before, use string
		want        []string
	}{
		"computed":               {"float v = 2 * x;", "v", []string{"v"}},
		"copied or loaded":       {"float v = x, u = a[0];", "v + u", nil},
		"of a member":            {"float2 w = make_float2(x, x); float v = w.x;", "v + w.y", []string{"w"}},
		"assigned":               {"float v; v = 2 * x;", "v", []string{"v"}},
		"assigned in a branch":   {"float v; if (n) v = 2 * x;", "v", nil},
		"changed in a branch":    {"float v = x; if (n) v *= 2;", "v", []string{"v"}},
		"not read":               {"float v = 2 * x;", "x", nil},
		"not of a thread's own":  {"static float v; v = 2 * x; float &u = v;", "v + u", nil},
		"another of that name":   {"float v = 2 * x; for (;;) { float v = 3 * x; n = v; break; }", "v", []string{"v"}},
		"an array":               {"float v[4]; for (int i = 0; i < 4; ++i) v[i] = 2 * x;", "v[1]", []string{"v"}},
		"an array by reference":  {"float v[4]; fill(v, x);", "v[1]", []string{"v"}},
		"an array in memory":     {"float v[4]; for (int i = 0; i < 4; ++i) v[i] = 2 * x;", "v[n]", nil},
		"a large array":          {"float v[64]; for (int i = 0; i < 64; ++i) v[i] = 2 * x;", "v[1]", nil},
		"of the thread's number": {"float v[4]; for (int i = 0; i < 4; ++i) v[i] = 2 * x;", "v[threadIdx.y]", nil},
	} {
		k := kerneltest.Only(t, `__device__ void fill(float (&v)[4], float x) { v[1] = x * 2; }
__global__ void k(float *a, float x, int n) {
    __shared__ float s[64];
    `+tt.before+`
    s[threadIdx.x] = `+tt.use+`;
    __syncthreads();
    a[threadIdx.x] = s[63 - threadIdx.x];
}
void run(float *a) { k<<<8, 64>>>(a, 1, 2); }
`)
		require.Len(t, k.Regions, 1, name)
		var got []string
		for _, v := range motion.Inputs(k, k.Regions[0]) {
			got = append(got, v.Name)
		}
		assert.Equal(t, tt.want, got, name)
	}
}

// What is computed before the loop around a region is not moved into it.
func TestInputsAreOfTheSameIteration(t *testing.T) {
	k := kerneltest.Only(t, `__global__ void k(float *a, float x, int n) {
    __shared__ float s[64];
    float before = 2 * x;
    for (int i = 0; i < n; ++i) {
        float inside = 3 * x;
        s[threadIdx.x] = before + inside + i;
        __syncthreads();
        a[threadIdx.x] = s[63 - threadIdx.x];
        __syncthreads();
    }
}
void run(float *a) { k<<<8, 64>>>(a, 1, 2); }
`)
	require.Len(t, k.Regions, 1)
	got := motion.Inputs(k, k.Regions[0])
	require.Len(t, got, 1)
	assert.Equal(t, "inside", got[0].Name)
}
