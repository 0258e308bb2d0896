package verify_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/motion"
	"github.com/smux-cuda/smux/analysis/passes"
	"github.com/smux-cuda/smux/analysis/regions"
	"github.com/smux-cuda/smux/lab/cudatest"
	"github.com/smux-cuda/smux/lab/suite"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/verify"
	"github.com/smux-cuda/smux/verify/execute"
)

// TestRegionsThatAreTooShortAreFound: where the analysis of regions is wrong by
// one statement at either end, the check of regions says so, whatever else may
// be found, for every example and sync mode.
func TestRegionsThatAreTooShortAreFound(t *testing.T) {
	needCompiler(t)
	if testing.Short() {
		t.Skip("sixty programs are not run with -short")
	}
	for name, args := range exampleArgs {
		t.Run(name, func(t *testing.T) {
			suite.Sample(t, name, 10)
			t.Parallel()
			findTooShort(t, name, loadExample(t, name), args, "named", "block", "lock")
		})
	}
}

// calledRegion is a program with regions inside of device functions, one in a loop
// of the kernel and one two calls away, with regions in a loop that are proved for
// blocks of any shape, and with statements that run after their region.
const calledRegion = `#include <cuda_runtime.h>
#include <cstdio>
__device__ float norm(float *s, const float *in, int n)
{
    float sum = 0;
    for (int i = threadIdx.x; i < n; i += 64) sum += in[i] * in[i];
    s[threadIdx.x] = sum;
    __syncthreads();
    for (int d = 32; d > 0; d /= 2) {
        if (threadIdx.x < d) s[threadIdx.x] += s[threadIdx.x + d];
        __syncthreads();
    }
    const float all = s[0];
    sum = 0;
    for (int i = threadIdx.x; i < n; i += 64) sum += in[i] / all;
    return sum;
}
__global__ void often(const float *in, float *out, int n)
{
    __shared__ float s[64];
    for (int k = 0; k < 3; k++) {
        out[blockIdx.x * 64 + threadIdx.x] += norm(s, in + blockIdx.x * 64, n);
        __syncthreads();
    }
}
__device__ void mirrored(float *s, const float *in, float *out, int n)
{
    float sum = 0;
    for (int i = threadIdx.x; i < n; i += 64) sum += in[i];
    s[threadIdx.x] = sum;
    __syncthreads();
    out[threadIdx.x] += s[63 - threadIdx.x];
    for (int i = threadIdx.x; i < n; i += 64) out[threadIdx.x] += in[i];
}
__device__ void outer(float *s, const float *in, float *out, int n)
{
    for (int i = threadIdx.x; i < n; i += 64) out[threadIdx.x] += in[i];
    mirrored(s, in, out, n);
}
__global__ void deep(const float *in, float *out, int n)
{
    __shared__ float s[64];
    outer(s, in + blockIdx.x * 64, out + blockIdx.x * 64, n);
}
__global__ void rows(const float *in, float *out, int n)
{
    extern __shared__ float s[];
    for (int row = 0; row < n; row++) {
        float x = in[row * blockDim.x + threadIdx.x];
        s[threadIdx.x] = x;
        __syncthreads();
        for (int d = blockDim.x / 2; d > 0; d >>= 1) {
            if (threadIdx.x < d) s[threadIdx.x] += s[threadIdx.x + d];
            __syncthreads();
        }
        x /= s[0];
        for (int i = 0; i < n; i++) x += in[i] * x;
        __syncthreads();
        if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = x;
        __syncthreads();
        x = threadIdx.x < blockDim.x / 32 ? s[threadIdx.x % 32] : 0;
        out[(blockIdx.x * n + row) * blockDim.x + threadIdx.x] = x;
        for (int i = 0; i < n; i++) out[(blockIdx.x * n + row) * blockDim.x + threadIdx.x] += in[i];
        __syncthreads();
    }
}
__global__ void blend(const float *in, float *out, int n)
{
    __shared__ float s[64];
    const int t = threadIdx.x, at = blockIdx.x * 64 + t;
    for (int k = 0; k < n; k++) {
        s[t] = in[at] + k;
        __syncthreads();
        out[at] = s[63 - t] + 2 * out[at];
        if (t < 5) out[at] += s[t + 1];
        __syncthreads();
    }
}
int main(int argc, char **)
{
    const int n = 5 * 64;
    float *in, *out, host[n];
    for (int i = 0; i < n; i++) host[i] = i % 13 + 1;
    cudaMalloc(&in, n * sizeof(float));
    cudaMalloc(&out, n * sizeof(float));
    cudaMemcpy(in, host, n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemset(out, 0, n * sizeof(float));
    often<<<5, 64>>>(in, out, 64);
    deep<<<5, 64>>>(in, out, 64);
    const int block = argc > 9 ? 32 : 64;
    blend<<<5, 64>>>(in, out, 3);
    rows<<<2, block, block * sizeof(float)>>>(in, out, 2);
    cudaMemcpy(host, out, n * sizeof(float), cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; i += 31) printf("%g\n", host[i]);
}
`

// TestRegionsInDeviceFunctions: with turns taken inside of functions a program does
// the same, and where a region there is too short by a statement that is found.
func TestRegionsInDeviceFunctions(t *testing.T) {
	needCompiler(t)
	if testing.Short() {
		t.Skip("programs are not compiled with -short")
	}
	prog := cudatest.Program(t, "called.cu", calledRegion)
	for _, k := range passes.NewProgram(prog, [3]int{}).Kernels() {
		for _, r := range regions.InCalls(k, analysis.GridUniform) {
			inKernel := k.Name == "rows" || k.Name == "blend"
			require.Equal(t, inKernel, k.Func == r.Func, "the regions are in the functions")
			require.Equal(t, inKernel, r.Loops > 0 && len(r.Stmts) > 1 && r.Call == nil, "%s: %d", k.Name, r.Loops)
			require.Equal(t, k.Name == "blend", len(motion.LateStatements(k, r, false)) > 0, "%s", k.Name)
		}
	}
	syncs := []string{"named"} // in block mode the call is the region
	if suite.Full() {
		syncs = append(syncs, "lock")
	}
	findTooShort(t, "called", prog, nil, syncs...)
}

// findTooShort verifies rewrites of a program, right ones and such with regions that
// are too short by a statement at either end: of those each must be found.
func findTooShort(t *testing.T, name string, prog *parser.Program, args []string, syncs ...string) {
	t.Helper()
	request := verify.Request{
		Original:         oneFile(name, prog.Files[0].Src),
		Schedules:        []execute.Schedule{{Kind: "ascending"}, {Kind: "random", Seed: 1}},
		CheckedSchedules: []execute.Schedule{{Kind: "random", Seed: 1}},
		Args:             [][]string{args},
		Timeout:          time.Minute, Watchdog: spinning, Jobs: 1,
	}
	for _, sync := range syncs {
		v := exampleVariant{sync: sync, factor: 2}
		right := rewritten(t, name, prog, v, rewrite.UnsafeShrink{})
		request.Variants = append(request.Variants, verify.Variant{Name: v.String(), Program: oneFile(name, right.Src)})
		for end, unsafe := range map[string]rewrite.UnsafeShrink{"start": {Start: 1}, "end": {End: 1}} {
			wrong := rewritten(t, name, prog, v, unsafe)
			require.NotEqual(t, string(right.Src), string(wrong.Src), "the hook does nothing")
			request.Variants = append(request.Variants, verify.Variant{Name: v.String() + " " + end, Program: oneFile(name, wrong.Src)})
		}
	}
	verdict, err := verify.Run(context.Background(), request)
	require.NoError(t, err)
	require.Empty(t, verdict.Failures)
	for _, v := range request.Variants {
		codes := regionCodes(verdict, v.Name)
		if !strings.Contains(v.Name, " ") {
			assert.False(t, slices.ContainsFunc(verdict.Findings, func(f verify.Finding) bool { return f.Variant == v.Name && f.Severity == verify.Counts }), "%s: %v", v.Name, verdict.Findings)
			continue
		}
		assert.NotEmpty(t, codes, "%s: regions that are too short there are not found: %v", v.Name, verdict.Findings)
		t.Logf("%-16s %v", v.Name, codes)
	}
}

// regionCodes are the codes of what verify says of a variant's regions.
func regionCodes(v *verify.Verdict, variant string) (out []string) {
	for _, f := range v.Findings {
		code := string(f.Message.Code)
		if f.Variant == variant && f.Severity == verify.Counts && strings.HasPrefix(code, "region-") && !slices.Contains(out, code) {
			out = append(out, code)
		}
	}
	return out
}
