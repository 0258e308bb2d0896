package space_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/rewrite/variant"
	"github.com/smux-cuda/smux/tune/record"
	"github.com/smux-cuda/smux/tune/space"
	"github.com/smux-cuda/smux/verify"
	"github.com/smux-cuda/smux/verify/execute"
)

// launched is a program that launches its kernel in a block, alone in an if, in a
// loop and in a case.
const launched = `#include <cstdio>

template <int ROWS>
__global__ void turn(const float *in, float *out, int n)
{
    __shared__ float tile[ROWS][33];
    __shared__ float own[32];
    const int block = blockIdx.y * gridDim.x + blockIdx.x;
    for (int r = 0; r < ROWS; ++r) {
        tile[r][threadIdx.x] = in[(block * ROWS + r) % n * 32 + threadIdx.x];
    }
    own[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    for (int r = 0; r < ROWS; ++r) {
        out[(block * ROWS + r) % n * 32 + threadIdx.x] = tile[r][31 - threadIdx.x] + own[(threadIdx.x + r) % 32];
    }
}

int main(int argc, char **)
{
    const int n = 80;
    static float host[n * 32];
    for (int i = 0; i < n * 32; ++i) {
        host[i] = i % 17;
    }
    float *in, *out;
    cudaMalloc(&in, sizeof(host));
    cudaMalloc(&out, sizeof(host));
    cudaMemcpy(in, host, sizeof(host), cudaMemcpyHostToDevice);
    turn<8><<<dim3(5, 2), 32>>>(in, out, n);
    if (argc > 0)
        turn<8><<<dim3(5, 2), 32>>>(out, in, n);
    for (int i = 0; i < 2; ++i) turn<8><<<dim3(2, 5), 32>>>(i ? in : out, i ? out : in, n);
    switch (argc) {
    case 1:
        turn<8><<<dim3(3, 3), 32>>>(in, out, n);
        break;
    }
    cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost);
    double sum = 0;
    for (int i = 0; i < n * 32; ++i) {
        sum += host[i] * (i % 13);
    }
    printf("%.1f\n", sum);
    return 0;
}
`

// TestNewFormsDoTheSame runs forms of several passes on the CPU, and the original.
func TestNewFormsDoTheSame(t *testing.T) {
	in := text(t, launched, "h200")
	request := verify.Request{
		Original:  verify.Program{Files: []verify.File{verify.NewFile("k.cu", []byte(launched))}},
		Schedules: []execute.Schedule{{Kind: "ascending"}}, Jobs: 2, Timeout: time.Minute,
	}
	for _, c := range []record.TunedVariant{
		{Variant: rewrite.Variant{Rewriter: "stage-loads", Assume: true}, Blocks: 20, Carveout: 50},
		{Variant: rewrite.Variant{Rewriter: "co-vtb", Sync: "named", Factor: 2, PrivateRows: 4}, Blocks: 10, Carveout: 100},
		{Variant: rewrite.Variant{Rewriter: "vtb", Sync: "lock", Factor: 2, Stage: variant.NoStage, Assume: true, GridAxis: "y"}, Carveout: 100},
	} {
		r, err := space.Emit(in, c)
		require.NoError(t, err, "%s", c)
		require.Len(t, r.Files, 1)
		program := verify.Program{Files: []verify.File{verify.NewFile("k.cu", r.Files[0].After)}}
		request.Variants = append(request.Variants, verify.Variant{Name: c.String(), Program: program})
	}
	verdict, err := verify.Run(context.Background(), request)
	require.NoError(t, err)
	assert.Empty(t, verdict.Failures)
	assert.Empty(t, verdict.Findings)
	assert.Equal(t, verify.Equal, verdict.Outcome)
	seen := map[string]bool{}
	for _, row := range verdict.Rows {
		seen[row.Variant] = true
	}
	assert.Len(t, seen, len(request.Variants)+1, "all were run")
}
