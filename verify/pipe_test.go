package verify_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/verify"
)

// pipeKernels depend on every barrier that vtb-pipe takes out of the text: their
// threads hand values to each other through global memory as well.
const pipeKernels = `#include <cstdio>
#include <cstdlib>

// Work in front of each region, barriers on both sides of them.
__global__ void straight(float *g, float *out) {
    __shared__ float s[64];
    const int t = threadIdx.x;
    float *mine = g + blockIdx.x * 64;
    mine[t] += t;
    const float twice = 2 * mine[t];
    __syncthreads();
    s[t] = mine[63 - t] + twice;
    __syncthreads();
    float x = s[t ^ 1];
    mine[t] = x;
    const int n = t ^ 2;
    __syncthreads();
    x += mine[n];
    __syncthreads();
    mine[t] = x;
    s[t] = x;
    __syncthreads();
    x = s[63 - t];
    __syncthreads();
    out[blockIdx.x * 64 + t] = x + mine[t ^ 4];
}

// The barrier at the end of an iteration is that of the next one's first step, and
// comes back behind the loop.
__global__ void rounds(float *g, float *out, int n) {
    __shared__ float s[64];
    const int t = threadIdx.x;
    float *mine = g + blockIdx.x * 64;
    for (int r = 0; r < n; ++r) {
        const float x = mine[(t + r) % 64] * 0.5f;
        __syncthreads();
        s[t] = x;
        mine[t ^ 1] = x;
        __syncthreads();
        mine[t] += s[63 - t];
        __syncthreads();
    }
    out[blockIdx.x * 64 + t] = mine[63 - t];
}

// Loads that are made ahead, two regions in an iteration, and some work behind
// them, in a loop in a loop.
__global__ void tiles(const float *g, float *out, int n) {
    __shared__ float s[64];
    const int t = threadIdx.x;
    float sum = 0;
    for (int o = 0; o < 2; ++o) {
        for (int r = 0; r < n; ++r) {
            s[t] = g[(blockIdx.x + r) * 64 + t];
            __syncthreads();
            float x = s[63 - t];
            // smux:overlap
            x += g[(blockIdx.x + r) * 64 + (t ^ o)];
            __syncthreads();
            s[t] = x;
            __syncthreads();
            sum += s[t ^ 1];
            out[blockIdx.x * 64 + t] = sum;
            __syncthreads();
        }
    }
    out[blockIdx.x * 64 + t] += sum;
}

// Threads, and whole blocks, that leave before the regions.
__global__ void leave(const float *g, float *out, int n) {
    __shared__ float s[64];
    const int t = threadIdx.x;
    const int i = blockIdx.x * 64 + t;
    if (blockIdx.x % 3 == 1 || i >= n) return;
    float x = g[i];
    for (int k = 0; k < t; ++k) x += g[k];
    s[t] = x;
    out[i] = s[t] + g[i];
}

int main(int argc, char **argv) {
    const int blocks = atoi(argv[1]), n = atoi(argv[2]), size = (blocks + 4) * 64;
    float *host = new float[size], *g, *out;
    for (int i = 0; i < size; ++i) host[i] = i % 61;
    cudaMalloc(&g, size * sizeof(float));
    cudaMalloc(&out, size * sizeof(float));
    cudaMemcpy(g, host, size * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemset(out, 0, size * sizeof(float));
    straight<<<blocks, 64>>>(g, out);
    cudaMemcpy(host, out, size * sizeof(float), cudaMemcpyDeviceToHost);
    rounds<<<blocks, 64>>>(g, out, n);
    cudaMemcpy(host, out, size * sizeof(float), cudaMemcpyDeviceToHost);
    tiles<<<blocks, 64>>>(g, out, n);
    cudaMemcpy(host, out, size * sizeof(float), cudaMemcpyDeviceToHost);
    leave<<<blocks, 64>>>(g, out, blocks * 64 - 7);
    cudaMemcpy(host, out, size * sizeof(float), cudaMemcpyDeviceToHost);
}
`

// TestPipeKeepsEveryOrder: kernels that need the barriers that vtb-pipe replaces
// pass in all orders and without a race, for grids of which the last launched block
// is full and for those where it holds one v-TB, and for loops of no, one and
// several iterations.
func TestPipeKeepsEveryOrder(t *testing.T) {
	needCompiler(t)
	f, err := parser.Parse("pipe.cu", []byte(pipeKernels), parser.Options{})
	require.NoError(t, err)
	res, err := rewrite.Run(parser.NewProgram([]*parser.File{f}, parser.Options{}), rewrite.Options{Variant: rewrite.Variant{Rewriter: "vtb-pipe"}})
	require.NoError(t, err)
	for _, k := range res.Kernels {
		require.Empty(t, k.Refused, k.Name)
	}
	verdict, err := verify.Run(context.Background(), verify.Request{
		Original: oneFile("pipe", f.Src), Variants: []verify.Variant{{Name: "vtb-pipe", Program: oneFile("pipe", res.Files[0].After)}},
		Args:    [][]string{{"1", "2"}, {"2", "1"}, {"3", "0"}, {"3", "3"}, {"4", "2"}},
		Timeout: 5 * time.Minute, Jobs: 1,
	})
	require.NoError(t, err)
	assert.Empty(t, verdict.Failures)
	for _, f := range verdict.Findings {
		assert.NotEqual(t, verify.Counts, f.Severity, "%s: %s", f.Variant, f.Message)
	}
	assert.Equal(t, verify.Equal, verdict.Outcome)
}
