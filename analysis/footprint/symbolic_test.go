package footprint_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/lab/kerneltest"
)

// regionInLoop reports whether a region of a kernel is inside a loop.
func regionInLoop(t *testing.T, k *analysis.Kernel) bool {
	require.NotEmpty(t, k.Regions)
	return slices.ContainsFunc(k.Regions, func(r *analysis.Region) bool { return r.Loops > 0 })
}

// TestIterationThatDefinesWhatItReads has bodies of a loop in a kernel of which no
// launch is in view: block shape, n and m are unknown. Where all that an iteration
// reads it has defined before, regions are found in the loop, else the loop is one.
func TestIterationThatDefinesWhatItReads(t *testing.T) {
	for _, c := range []struct {
		name, arrays, body string
		inside             bool
	}{
		// One element for each thread.
		{"own elements of a row of threads", "extern __shared__ float s[];",
			"s[threadIdx.x] = g[t]; __syncthreads(); for (int k = 0; k < blockDim.x; k++) sum += s[k];", true},
		{"unsigned counter", "extern __shared__ float s[];",
			"s[threadIdx.x] = g[t]; __syncthreads(); for (unsigned k = 0; k < blockDim.x; ++k) sum += s[k];", true},
		{"one element too many", "extern __shared__ float s[];",
			"s[threadIdx.x] = g[t]; __syncthreads(); for (int k = 0; k <= blockDim.x; k++) sum += s[k];", false},
		{"from one below", "extern __shared__ float s[];",
			"s[threadIdx.x] = g[t]; __syncthreads(); for (int k = -1; k < (int)blockDim.x; k++) sum += s[k];", false},
		{"another limit", "extern __shared__ float s[];",
			"s[threadIdx.x] = g[t]; __syncthreads(); for (int k = 0; k < n; k++) sum += s[k];", false},
		{"last element", "extern __shared__ float s[];",
			"s[threadIdx.x] = g[t]; __syncthreads(); sum += s[blockDim.x - 1];", true},
		{"behind the last element", "extern __shared__ float s[];",
			"s[threadIdx.x] = g[t]; __syncthreads(); sum += s[blockDim.x];", false},
		{"first element", "extern __shared__ float s[];",
			"s[threadIdx.x] = g[t]; __syncthreads(); sum += s[0];", true},
		{"second element, which a block of one thread lacks", "extern __shared__ float s[];",
			"s[threadIdx.x] = g[t]; __syncthreads(); sum += s[1];", false},
		{"mirrored", "extern __shared__ float s[];",
			"s[threadIdx.x] = g[t]; __syncthreads(); sum += s[blockDim.x - 1 - threadIdx.x];", true},
		{"neighbour", "extern __shared__ float s[];",
			"s[threadIdx.x] = g[t]; __syncthreads(); sum += s[threadIdx.x + 1];", false},
		{"moved by one", "extern __shared__ float s[];",
			"s[threadIdx.x + 1] = g[t]; __syncthreads(); sum += s[threadIdx.x + 1];", true},
		{"moved by one, read from 0", "extern __shared__ float s[];",
			"s[threadIdx.x + 1] = g[t]; __syncthreads(); sum += s[threadIdx.x];", false},
		{"number of the thread in two dimensions", "extern __shared__ float s[];",
			"s[threadIdx.y * blockDim.x + threadIdx.x] = g[t]; __syncthreads(); for (int k = 0; k < blockDim.x * blockDim.y; k++) sum += s[k];", true},
		{"number of the thread in a variable", "extern __shared__ float s[];",
			"int id = threadIdx.x + blockDim.x * threadIdx.y; s[id] = g[t]; __syncthreads(); for (int k = 0; k < blockDim.x * blockDim.y; k++) sum += s[k];", true},
		{"rows too far apart", "extern __shared__ float s[];",
			"s[threadIdx.y * 32 + threadIdx.x] = g[t]; __syncthreads(); for (int k = 0; k < blockDim.x * blockDim.y; k++) sum += s[k];", false},
		{"blockDim.y left out", "extern __shared__ float s[];",
			"s[threadIdx.y * blockDim.x + threadIdx.x] = g[t]; __syncthreads(); for (int k = 0; k < blockDim.x * blockDim.y * blockDim.z; k++) sum += s[k];", false},
		{"x read to the number of all threads", "extern __shared__ float s[];",
			"s[threadIdx.x] = g[t]; __syncthreads(); for (int k = 0; k < blockDim.x * blockDim.y; k++) sum += s[k];", false},
		{"every second element", "extern __shared__ float s[];",
			"s[2 * threadIdx.x] = g[t]; __syncthreads(); for (int k = 0; k < blockDim.x; k++) sum += s[k];", false},

		// Two dimensions.
		{"tile of the block", "__shared__ float s[N][N];",
			"s[threadIdx.y][threadIdx.x] = g[t]; __syncthreads(); for (int k = 0; k < blockDim.x; k++) sum += s[threadIdx.y][k];", true},
		{"tile, rows read to the extent of x", "__shared__ float s[N][N];",
			"s[threadIdx.y][threadIdx.x] = g[t]; __syncthreads(); for (int k = 0; k < blockDim.x; k++) sum += s[k][threadIdx.x];", false},
		{"tile, read to its declared extent", "__shared__ float s[N][N];",
			"s[threadIdx.y][threadIdx.x] = g[t]; __syncthreads(); for (int k = 0; k < N; k++) sum += s[threadIdx.y][k];", false},
		{"diagonal", "__shared__ float s[N][N];",
			"s[threadIdx.x][threadIdx.x] = g[t]; __syncthreads(); for (int k = 0; k < blockDim.x; k++) sum += s[threadIdx.x][k];", false},

		// Strides of the block.
		{"strided by the block", "extern __shared__ float s[];",
			"for (int i = threadIdx.x; i < n; i += blockDim.x) s[i] = g[i]; __syncthreads(); for (int k = 0; k < n; k++) sum += s[k];", true},
		{"strided, unsigned beside int", "extern __shared__ float s[];",
			"for (unsigned i = threadIdx.x; i < n; i += blockDim.x) s[i] = g[i]; __syncthreads(); for (int k = 0; k < n; k++) sum += s[k];", true},
		{"strided, read with the stride", "extern __shared__ float s[];",
			"for (int i = threadIdx.x; i < n; i += blockDim.x) s[i] = g[i]; __syncthreads(); for (int i = threadIdx.x; i < n; i += blockDim.x) sum += s[i];", true},
		{"strided, may wrap around above an offset", "extern __shared__ float s[];",
			"for (int i = threadIdx.x; i < n; i += blockDim.x) s[i + 8] = g[i]; __syncthreads(); for (int i = threadIdx.x; i < n; i += blockDim.x) sum += s[i + 8];", false},
		{"strided, read one further", "extern __shared__ float s[];",
			"for (int i = threadIdx.x; i < n; i += blockDim.x) s[i] = g[i]; __syncthreads(); for (int k = 0; k <= n; k++) sum += s[k];", false},
		{"strided up to and with n", "extern __shared__ float s[];",
			"for (int i = threadIdx.x; i <= n; i += blockDim.x) s[i] = g[i]; __syncthreads(); for (int k = 0; k <= n; k++) sum += s[k];", true},
		{"strided by something else", "extern __shared__ float s[];",
			"for (int i = threadIdx.x; i < n; i += 256) s[i] = g[i]; __syncthreads(); for (int k = 0; k < n; k++) sum += s[k];", false},
		{"strided by the other dimension", "extern __shared__ float s[];",
			"for (int i = threadIdx.x; i < n; i += blockDim.y) s[i] = g[i]; __syncthreads(); for (int k = 0; k < n; k++) sum += s[k];", false},
		{"strided by all threads of two dimensions, begun by x", "extern __shared__ float s[];",
			"for (int i = threadIdx.x; i < n; i += blockDim.x * blockDim.y) s[i] = g[i]; __syncthreads(); for (int k = 0; k < n; k++) sum += s[k];", false},
		{"strided by all threads of two dimensions", "extern __shared__ float s[];",
			"for (int i = threadIdx.y * blockDim.x + threadIdx.x; i < n; i += blockDim.x * blockDim.y) s[i] = g[i]; __syncthreads(); for (int k = 0; k < n; k++) sum += s[k];", true},
		{"strided, begun one later", "extern __shared__ float s[];",
			"for (int i = threadIdx.x + 1; i < n; i += blockDim.x) s[i] = g[i]; __syncthreads(); for (int k = 0; k < n; k++) sum += s[k];", false},
		{"strided, left early", "extern __shared__ float s[];",
			"for (int i = threadIdx.x; i < n; i += blockDim.x) { if (g[i] < 0) break; s[i] = g[i]; } __syncthreads(); for (int k = 0; k < n; k++) sum += s[k];", false},
		{"strided, an iteration cut short", "extern __shared__ float s[];",
			"for (int i = threadIdx.x; i < n; i += blockDim.x) { if (g[i] < 0) continue; s[i] = g[i]; } __syncthreads(); for (int k = 0; k < n; k++) sum += s[k];", false},
		{"strided, under a condition", "extern __shared__ float s[];",
			"for (int i = threadIdx.x; i < n; i += blockDim.x) { if (g[i] > 0) s[i] = g[i]; } __syncthreads(); for (int k = 0; k < n; k++) sum += s[k];", false},
		{"strided, two conditions", "extern __shared__ float s[];",
			"for (int i = threadIdx.x; i < n && i < m; i += blockDim.x) s[i] = g[i]; __syncthreads(); for (int k = 0; k < n; k++) sum += s[k];", false},
		{"strided, read under two conditions", "extern __shared__ float s[];",
			"for (int i = threadIdx.x; i < n; i += blockDim.x) s[i] = g[i]; __syncthreads(); for (int k = 0; k < n && k < m; k++) sum += s[k];", true},
		{"rows and columns", "extern __shared__ float s[];",
			"for (int y = threadIdx.y; y < m; y += blockDim.y) for (int x = threadIdx.x; x < n; x += blockDim.x) s[y * n + x] = g[x]; __syncthreads(); for (int k = 0; k < n; k++) sum += s[k];", false},
		{"rows and columns that have an iteration", "extern __shared__ float s[];",
			"for (int y = threadIdx.y; y < blockDim.x; y += blockDim.y) for (int x = threadIdx.x; x < n; x += blockDim.x) s[y * n + x] = g[x]; __syncthreads(); for (int k = 0; k < n * (int)blockDim.x; k++) sum += s[k];", true},
		{"rows and columns of a matrix", "__shared__ float s[N][N];",
			"for (int y = threadIdx.y; y < N; y += blockDim.y) for (int x = threadIdx.x; x < N; x += blockDim.x) s[y][x] = g[x]; __syncthreads(); sum += s[(int)g[t]][(int)g[t + 1]];", true},
		{"rows of a matrix, but every second", "__shared__ float s[N][N];",
			"for (int y = 2 * threadIdx.y; y < N; y += 2 * blockDim.y) for (int x = threadIdx.x; x < N; x += blockDim.x) s[y][x] = g[x]; __syncthreads(); sum += s[(int)g[t]][(int)g[t + 1]];", false},
		{"an array of known size", "__shared__ float s[256];",
			"for (int i = threadIdx.x; i < 256; i += blockDim.x) s[i] = g[i]; __syncthreads(); sum += s[(int)g[t]];", true},
		{"an array of known size but for an element", "__shared__ float s[256];",
			"for (int i = threadIdx.x; i < 255; i += blockDim.x) s[i] = g[i]; __syncthreads(); sum += s[(int)g[t]];", false},
		{"an array of unknown size and data", "extern __shared__ float s[];",
			"for (int i = threadIdx.x; i < n; i += blockDim.x) s[i] = g[i]; __syncthreads(); sum += s[(int)g[t]];", false},

		// Several writes and parts.
		{"two elements for each thread", "extern __shared__ float s[];",
			"s[threadIdx.x] = g[t]; s[threadIdx.x + blockDim.x] = g[t + 1]; __syncthreads(); for (int k = 0; k < 2 * blockDim.x; k++) sum += s[k];", true},
		{"two elements with a hole", "extern __shared__ float s[];",
			"s[threadIdx.x] = g[t]; s[threadIdx.x + blockDim.x + 1] = g[t + 1]; __syncthreads(); for (int k = 0; k < 2 * blockDim.x; k++) sum += s[k];", false},
		{"a second array in the same memory", "extern __shared__ float s[];",
			"float *u = s + n; s[threadIdx.x] = g[t]; u[threadIdx.x] = g[t + 1]; __syncthreads(); for (int k = 0; k < blockDim.x; k++) sum += s[k] * u[k];", true},
		{"a pointer to another place", "extern __shared__ float s[];",
			"float *u = s + n; s[threadIdx.x] = g[t]; __syncthreads(); for (int k = 0; k < blockDim.x; k++) sum += u[k];", false},
		{"a pointer that moves", "extern __shared__ float s[];",
			"float *u = s; if (t & 1) u = s + n; u[threadIdx.x] = g[t]; __syncthreads(); for (int k = 0; k < blockDim.x; k++) sum += s[k];", false},
		{"elements of another size", "extern __shared__ float s[];",
			"double *u = (double *)s; u[threadIdx.x] = g[t]; __syncthreads(); for (int k = 0; k < 2 * blockDim.x; k++) sum += s[k];", false},
		{"rows seen as elements", "extern __shared__ float s[];",
			"extern __shared__ float r[][16]; float *u = (float *)(r + 1); u[threadIdx.x] = g[t]; __syncthreads(); sum += s[1];", false},
		{"elements seen as elements", "extern __shared__ float s[];",
			"extern __shared__ float r[]; float *u = (float *)(r + 1); u[threadIdx.x] = g[t]; __syncthreads(); sum += s[1];", true},
		{"in a device function", "extern __shared__ float s[];",
			"put(s, g[t]); __syncthreads(); sum += total(s, blockDim.x);", true},
		{"in a device function, one further", "extern __shared__ float s[];",
			"put(s, g[t]); __syncthreads(); sum += total(s, blockDim.x + 1);", false},

		{"in a device function that all blocks may leave before", "extern __shared__ float s[];",
			"sum += between(s, g[t], n);", true},
		{"in a device function that threads may leave before", "extern __shared__ float s[];",
			"sum += between(s, g[t], threadIdx.x - 3);", false},
		{"behind a device function that all blocks may leave before", "extern __shared__ float s[];",
			"sum += between(s, g[t], n); __syncthreads(); sum += s[threadIdx.x];", false},

		// Control.
		{"under a guard", "extern __shared__ float s[];",
			"if (threadIdx.x < n) s[threadIdx.x] = g[t]; __syncthreads(); sum += s[threadIdx.x];", false},
		{"in one branch", "extern __shared__ float s[];",
			"if (n > 0) s[threadIdx.x] = g[t]; __syncthreads(); sum += s[threadIdx.x];", false},
		{"in both branches", "extern __shared__ float s[];",
			"if (n > 0) s[threadIdx.x] = g[t]; else s[threadIdx.x] = 0; __syncthreads(); sum += s[threadIdx.x];", true},
		{"in both branches, but another element", "extern __shared__ float s[];",
			"if (n > 0) s[threadIdx.x] = g[t]; else s[threadIdx.x + 1] = 0; __syncthreads(); sum += s[threadIdx.x];", false},
		{"in a loop that may not run", "extern __shared__ float s[];",
			"for (int j = 0; j < n; j++) s[threadIdx.x] = g[j]; __syncthreads(); sum += s[threadIdx.x];", false},
		{"in a loop that runs", "extern __shared__ float s[];",
			"for (int j = 0; j < blockDim.y; j++) s[threadIdx.x] = g[j]; __syncthreads(); sum += s[threadIdx.x];", true},
		{"threads have left", "extern __shared__ float s[];",
			"if (g[threadIdx.x] < 0) return; s[threadIdx.x] = g[t]; __syncwarp(); sum += s[threadIdx.x];", false},

		// Counts that an iteration has of its own.
		{"a count of this iteration", "extern __shared__ float s[];",
			"int c = counts[t]; for (int i = threadIdx.x; i < c; i += blockDim.x) s[i] = g[i]; __syncthreads(); for (int k = 0; k < c; k++) sum += s[k];", true},
		{"a count that changes in between", "extern __shared__ float s[];",
			"int c = counts[t]; for (int i = threadIdx.x; i < c; i += blockDim.x) s[i] = g[i]; c = counts[t + 1]; __syncthreads(); for (int k = 0; k < c; k++) sum += s[k];", false},
		{"a count of each thread", "extern __shared__ float s[];",
			"int c = counts[threadIdx.x]; for (int i = threadIdx.x; i < c; i += blockDim.x) s[i] = g[i]; __syncthreads(); for (int k = 0; k < c; k++) sum += s[k];", false},
		{"counts of an inner loop's iterations", "extern __shared__ float s[];",
			"for (int j = 0; j < n; j++) { int c = counts[j]; for (int k = 0; k < c; k++) sum += s[k]; __syncthreads(); for (int i = threadIdx.x; i < c; i += blockDim.x) s[i] = g[i]; __syncthreads(); }", false},
		{"counts of an inner loop that is enumerated", "extern __shared__ float s[];",
			"for (int i = threadIdx.x; i < n; i += blockDim.x) s[i] = g[i]; for (int j = 0; j < 2; j++) { int c = counts[j]; for (int k = 0; k < c; k++) sum += s[k]; __syncthreads(); for (int i = threadIdx.x; i < c; i += blockDim.x) s[i] = g[i]; __syncthreads(); }", false},
		{"short counter", "extern __shared__ float s[];",
			"for (short i = threadIdx.x; i < n; i += blockDim.x) s[i] = g[i]; __syncthreads(); for (int k = 0; k < n; k++) sum += s[k];", false},
		{"counter that comes round at 0", "extern __shared__ float s[];",
			"s[threadIdx.x] = g[t]; __syncthreads(); for (unsigned k = blockDim.x - 1; k >= 0; k--) sum += s[k];", false},
		{"downwards", "extern __shared__ float s[];",
			"s[threadIdx.x] = g[t]; __syncthreads(); for (int k = blockDim.x - 1; k >= 0; k--) sum += s[k];", true},
		{"unsigned difference below 0 as a limit", "extern __shared__ float s[];",
			"s[threadIdx.x] = g[t]; __syncthreads(); for (unsigned k = 0; k < n - 1u; k++) sum += s[k];", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			k := kerneltest.Only(t, `
__device__ float between(float *p, float x, int n) { if (n < 0) return 0; p[threadIdx.x] = x; __syncthreads(); x += p[0]; return x; }
__device__ void put(float *p, float x) { p[threadIdx.x] = x; }
__device__ float total(const float *p, int n) { float x = 0; for (int i = 0; i < n; i++) x += p[i]; return x; }
template <int N> __global__ void k(const float *g, const int *counts, float *out, int n, int m, int nt)
{
    `+c.arrays+`
    float sum = 0;
    for (int t = 0; t < nt; t++) {
        `+c.body+`
        __syncthreads();
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
`)
			assert.Equal(t, c.inside, regionInLoop(t, k))
		})
	}
}
