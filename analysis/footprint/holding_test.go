package footprint_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/smux-cuda/smux/lab/kerneltest"
)

// TestReductionsInIterationsThatDefineWhatTheyRead has bodies of a loop in a kernel of which no launch is in view,
// with conditions, quotients and counters that halve or double. Where all that an iteration reads it has defined
// before, regions are found in the loop, else the loop is one. Each proof stands beside bodies in which its premise
// is not true.
func TestReductionsInIterationsThatDefineWhatTheyRead(t *testing.T) {
	const own = "s[threadIdx.x] = g[t]; __syncthreads(); "
	const halving = "for (int d = blockDim.x / 2; d > 0; d >>= 1) { if (threadIdx.x < d) s[threadIdx.x] += s[threadIdx.x + d]; __syncthreads(); } sum += s[0];"
	const leaders = "if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = g[t]; __syncthreads(); "
	for _, c := range []struct {
		name, body string
		inside     bool
	}{
		{"halves", own + halving, true},
		{"halves, spelled otherwise", own + "for (unsigned int d = blockDim.x >> 1; d > 0; d /= 2) { const int i = threadIdx.x; if (i < d) { s[i] += s[i + d]; } __syncthreads(); } sum += s[0];", true},
		{"halves, mirrored condition", own + "for (int d = blockDim.x / 2; d != 0 && d > 0; d >>= 1) { if (d > threadIdx.x) s[threadIdx.x] += s[threadIdx.x + d]; __syncthreads(); } sum += s[0];", true},
		{"halves, the store dropped", "__syncthreads(); " + halving, false},
		{"halves, some threads do not store", "if (g[threadIdx.x] > 0) " + own + halving, false},
		{"halves, one thread too many", own + "for (int d = blockDim.x / 2; d > 0; d >>= 1) { if (threadIdx.x <= d) s[threadIdx.x] += s[threadIdx.x + d]; __syncthreads(); } sum += s[0];", false},
		{"halves, one too far", own + "for (int d = blockDim.x / 2; d > 0; d >>= 1) { if (threadIdx.x < d) s[threadIdx.x] += s[threadIdx.x + d + 1]; __syncthreads(); } sum += s[0];", false},
		{"halves, no condition", own + "for (int d = blockDim.x / 2; d > 0; d >>= 1) { s[threadIdx.x] += s[threadIdx.x + d]; __syncthreads(); } sum += s[0];", false},
		{"halves, from the whole", own + "for (int d = blockDim.x; d > 0; d >>= 1) { if (threadIdx.x < d) s[threadIdx.x] += s[threadIdx.x + d]; __syncthreads(); } sum += s[0];", false},
		{"halves, from the upper half", own + "for (int d = (blockDim.x + 1) / 2; d > 0; d >>= 1) { if (threadIdx.x < d) s[threadIdx.x] += s[threadIdx.x + d]; __syncthreads(); } sum += s[0];", false},
		{"halves, of another dimension", own + "for (int d = blockDim.y / 2; d > 0; d >>= 1) { if (threadIdx.x < d) s[threadIdx.x] += s[threadIdx.x + d]; __syncthreads(); } sum += s[0];", false},
		{"halves, under the other branch", own + "for (int d = blockDim.x / 2; d > 0; d >>= 1) { if (threadIdx.x < d) sum++; else s[threadIdx.x] += s[threadIdx.x + d]; __syncthreads(); } sum += s[0];", false},
		{"halves, behind the condition", own + "for (int d = blockDim.x / 2; d > 0; d >>= 1) { if (threadIdx.x < d) sum++; s[threadIdx.x] += s[threadIdx.x + d]; __syncthreads(); } sum += s[0];", false},
		{"halves, a condition on what changes", own + "for (int d = blockDim.x / 2; d > 0; d >>= 1) { int i = threadIdx.x; if (i < d) { i += n; s[0] += s[i + d]; } __syncthreads(); } sum += s[0];", false},
		{"upper half by its place, which may be below 0", own + "if (threadIdx.x + n < blockDim.x) sum += s[threadIdx.x + n];", false},
		{"upper half by its place, in a negation", own + "if (!(0 > n || (int)threadIdx.x + n >= (int)blockDim.x)) sum += s[threadIdx.x + n];", true},
		{"upper half by its place, in an expression", own + "sum += n >= 0 && (int)threadIdx.x + n < (int)blockDim.x ? s[threadIdx.x + n] : 0;", true},
		{"upper half by its place, one of two conditions", own + "if (n >= 0 || (int)threadIdx.x + n < (int)blockDim.x) sum += s[threadIdx.x + n];", false},

		{"doubles", own + "for (int d = 1; d < blockDim.x; d *= 2) { float x = 0; if (threadIdx.x >= d) x = s[threadIdx.x - d]; __syncthreads(); s[threadIdx.x] += x; __syncthreads(); } sum += s[threadIdx.x];", true},
		{"doubles, shifted", own + "for (unsigned d = 1; d < blockDim.x; d <<= 1) { float x = threadIdx.x >= d ? s[threadIdx.x - d] : 0; __syncthreads(); s[threadIdx.x] += x; __syncthreads(); } sum += s[threadIdx.x];", true},
		{"doubles, one thread too many", own + "for (int d = 1; d < blockDim.x; d *= 2) { float x = 0; if (threadIdx.x + 1 >= d) x = s[threadIdx.x - d]; __syncthreads(); s[threadIdx.x] += x; __syncthreads(); } sum += s[threadIdx.x];", false},
		{"doubles, to the other side", own + "for (int d = 1; d < blockDim.x; d *= 2) { float x = 0; if (threadIdx.x >= d) x = s[threadIdx.x + d]; __syncthreads(); s[threadIdx.x] += x; __syncthreads(); } sum += s[threadIdx.x];", false},

		{"one for each warp", leaders + "sum += threadIdx.x < blockDim.x / 32 ? s[threadIdx.x % 32] : 0;", true},
		{"one for each warp, masked", "const int lane = threadIdx.x & 31, w = threadIdx.x >> 5; if (lane == 0) s[w] = g[t]; __syncthreads(); if (w == 0) sum += lane < (blockDim.x + 31) / 32 ? s[lane] : 0;", true},
		{"one for each warp, read in a loop", leaders + "for (int i = 0; i < blockDim.x / 32; i++) sum += s[i];", true},
		{"one for each warp, the own one", leaders + "sum += s[threadIdx.x / 32];", true},
		{"one for each warp, one too many", leaders + "for (int i = 0; i <= (blockDim.x + 31) / 32; i++) sum += s[i];", false},
		{"one for each warp, a whole warp of them", leaders + "if (threadIdx.x < 32) sum += s[threadIdx.x % 32];", false},
		{"one for each warp, by another thread", "if (threadIdx.x % 32 == 1) s[threadIdx.x / 32] = g[t]; __syncthreads(); sum += s[threadIdx.x / 32];", false},
		{"one for each warp, by a share of another size", "if (threadIdx.x % 64 == 0) s[threadIdx.x / 32] = g[t]; __syncthreads(); sum += s[threadIdx.x / 32];", false},
		{"one for each warp, under one more condition", "if (threadIdx.x % 32 == 0 && n > 0) s[threadIdx.x / 32] = g[t]; __syncthreads(); sum += s[threadIdx.x / 32];", false},
		{"one for each warp, one of which may leave it", "if (threadIdx.x % 32 == 0) { if (g[t] < 0) continue; s[threadIdx.x / 32] = g[t]; } __syncwarp(); sum += s[threadIdx.x / 32];", false},
		{"one for each warp, added", "if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] += g[t]; __syncthreads(); sum += s[threadIdx.x / 32];", false},
		{"one for each warp of rows", "if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = g[t]; __syncthreads(); for (int i = 0; i < blockDim.x * blockDim.y / 32; i++) sum += s[i];", false},
		{"one for each warp of a block of rows", "int i = threadIdx.y * blockDim.x + threadIdx.x; if (i % 32 == 0) s[i / 32] = g[t]; __syncthreads(); for (int i = 0; i < blockDim.x * blockDim.y / 32; i++) sum += s[i];", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			k := kerneltest.Only(t, `
__global__ void k(const float *g, float *out, int n, int nt)
{
    extern __shared__ float s[];
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
