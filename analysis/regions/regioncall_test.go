package regions_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/regions"
	"github.com/smux-cuda/smux/lab/kerneltest"
)

// TestRegionsInsideCalledFunctions: a kernel that calls f, with a loop around its
// region. Where f's text stands for one place in the kernel, and every thread that
// enters it comes to its end, regions are found in it, else the call is one.
func TestRegionsInsideCalledFunctions(t *testing.T) {
	const (
		head = "__device__ float f(float *s, const float *g, int n) { float x = 0; for (int i = 0; i < n; i++) x += g[i]; "
		body = "s[threadIdx.x] = x; __syncthreads(); x += s[63 - threadIdx.x]; "
		tail = "for (int i = 0; i < n; i++) x *= g[i]; return x; }\n"
	)
	for _, c := range []struct {
		name, functions, kernel string
		inside                  bool
	}{
		{"one call", head + body + tail, "float x = f(s, g, n);", true},
		{"a statement", head + body + tail, "out[1] = f(s, g, n);", true},
		{"in a loop that runs alike", head + body + tail, "for (int j = 0; j < n; j++) { out[j] = f(s, g, n); __syncthreads(); }", true},
		{"in a loop that runs as each block likes", head + body + tail, "for (int j = blockIdx.x; j < n; j++) { out[j] = f(s, g, n); __syncthreads(); }", false},
		{"in a loop, all threads of the grid may return early", head + "if (n < 0) return 0; " + body + tail, "for (int j = 0; j < n; j++) { out[j] = f(s, g, n); __syncthreads(); }", true},
		{"in a loop, some threads may return early", head + "if (g[threadIdx.x] < 0) return 0; " + body + tail, "for (int j = 0; j < n; j++) { out[j] = f(s, g, n); __syncthreads(); }", false},
		{"through another function", head + body + tail + "__device__ float h(float *s, const float *g, int n) { return 1; }\n" +
			"__device__ void h2(float *s, const float *g, int n, float *o) { o[0] = g[1]; o[1] = f(s, g, n); }\n", "h2(s, g, n, out);", true},
		{"two calls", head + body + tail, "float x = f(s, g, n); __syncthreads(); x += f(s, g, n);", false},
		{"two calls, one of them out of the kernel's own text", head + body + tail + "__device__ float h(float *s, const float *g) { return f(s, g, 1); }\n",
			"float x = f(s, g, n); __syncthreads(); x += h(s, g);", false},
		{"some threads return early", head + "if (g[threadIdx.x] < 0) return 0; " + body + tail, "float x = f(s, g, n);", false},
		{"all threads of the grid may return early", head + "if (n < 0) return 0; " + body + tail, "float x = f(s, g, n);", true},
		{"all threads of a block may return early", head + "if (blockIdx.x > n) return 0; " + body + tail, "float x = f(s, g, n);", false},
		{"all threads return inside of what is live", head + "s[threadIdx.x] = x; __syncthreads(); if (n < 0) return 0; x += s[63 - threadIdx.x]; " + tail, "float x = f(s, g, n);", false},
		{"returns what it reads", head + "s[threadIdx.x] = x; __syncthreads(); return s[63 - threadIdx.x]; }\n", "float x = f(s, g, n);", false},
		{"under a condition of the thread", head + body + tail, "float x = g[threadIdx.x] > 0 ? f(s, g, n) : 0;", false},
		{"beside another use", head + body + tail, "float x = f(s, g, n) + s[0];", false},
		{"of an argument that uses the array", head + body + tail, "s[0] = 1; float x = f(s, g, s[0]);", false},
		{"behind values that it reads", head + "x += s[threadIdx.x]; " + body + tail, "s[threadIdx.x] = 1; __syncthreads(); float x = f(s, g, n);", false},
		{"two functions of that name", head + body + tail + "__device__ float f(float *s, double *g, int n) { return s[n]; }\n", "float x = f(s, g, n);", false},
		{"nothing but its region", "__device__ float f(float *s, const float *g, int n) { float x = g[0]; for (int i = 0; i < n; i++) { " + body + " __syncthreads(); } return x; }\n", "float x = f(s, g, n);", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			k := kerneltest.Only(t, c.functions+`
__global__ void k(const float *g, float *out, int n) {
    __shared__ float s[64];
    `+c.kernel+`
    out[threadIdx.x] = n;
}
void run(const float *g, float *out, int n) { k<<<8, 64>>>(g, out, n); }
`)
			require.Empty(t, k.Hazards)
			for _, r := range k.Regions {
				assert.Equal(t, k.Func, r.Func, "regions that are not asked for in calls")
			}
			inside := false
			for _, r := range regions.InCalls(k, analysis.GridUniform) {
				inside = inside || r.Func != k.Func
				if r.Func != k.Func {
					assert.NotNil(t, r.Call)
				}
			}
			assert.Equal(t, c.inside, inside)
		})
	}
}
