package summary_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/passes"
	"github.com/smux-cuda/smux/analysis/summary"
	"github.com/smux-cuda/smux/lab/cudatest"
)

// reportOf analyses the kernels of one file.
func reportOf(t *testing.T, src string, block [3]int) []summary.KernelReport {
	p := cudatest.Program(t, "k.cu", src)
	reports := []summary.KernelReport{}
	for _, k := range passes.NewProgram(p, block).Kernels() {
		reports = append(reports, summary.Report(k))
	}
	return reports
}

func TestRegionShareWeighsLoopsAndCalls(t *testing.T) {
	const region = `s[threadIdx.x] = a[threadIdx.x]; __syncthreads(); a[threadIdx.x] = s[63 - threadIdx.x];` // 3 statements
	for _, c := range []struct {
		name, body string
		share      float64
	}{
		{"all of it", region, 1},
		{"declarations without a value count nothing", `int unused; ` + region, 1},
		{"one statement beside it", `a[0] = 1; ` + region, 0.75},
		{"a loop beside it weighs ten times", `for (int i = 0; i < n; ++i) a[i] = 1; ` + region, 3 / 15.0},
		{"in a loop that it shares", `for (int i = 0; i < n; ++i) { a[n] = 1; ` + region + ` __syncthreads(); }`, 30 / 52.0},
		{"a call weighs what it calls", `f(a); ` + region, 3 / 7.0},
		{"no region", `a[0] = 1;`, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := reportOf(t, `
__device__ void f(float *a) { a[0] = 1; a[1] = 1; a[2] = 1; }
__global__ void k(float *a, int n) { __shared__ float s[64]; `+c.body+` }
void run(float *a) { k<<<8, 64>>>(a, 3); }`, [3]int{})
			require.Len(t, r, 1)
			require.NotNil(t, r[0].RegionShareEstimate)
			assert.InDelta(t, c.share, *r[0].RegionShareEstimate, 0.0006)
		})
	}
}

func TestWhatIsNotKnownIsNull(t *testing.T) {
	r := reportOf(t, `
template <int N, class T> __global__ void k(T *a) {
    __shared__ T s[N];
    extern __shared__ float d[];
    s[threadIdx.x] = a[threadIdx.x];
    d[threadIdx.x] = 1;
    __syncthreads();
    a[threadIdx.x] = s[63 - threadIdx.x] + d[63 - threadIdx.x];
}
void run(float *a, int n) { k<64, float><<<n, n, n>>>(a); }`, [3]int{})
	k := r[0]
	require.Len(t, k.Shared, 2)
	assert.Nil(t, k.Shared[0].Bytes, "the type is a parameter")
	assert.True(t, k.Shared[1].Dynamic)
	assert.Nil(t, k.Shared[1].Elements)
	assert.Nil(t, k.SharedBytes)
	require.Len(t, k.Launches, 1)
	assert.Nil(t, k.Launches[0].Shape)
	assert.Nil(t, k.Launches[0].DynamicBytes)
	assert.Equal(t, "n", k.Launches[0].Block)
}

func TestAssumedBlockIsMarkedAsSuch(t *testing.T) {
	const kernel = `__global__ void k(float *a) { a[threadIdx.x] = 1; }`
	alone := reportOf(t, kernel, [3]int{16, 4, 1})[0]
	require.NotNil(t, alone.AssumedBlock)
	assert.Equal(t, [3]int{16, 4, 1}, *alone.AssumedBlock)

	launched := reportOf(t, kernel+` void run(float *a, int n) { k<<<1, n>>>(a); k<<<1, 32>>>(a); }`, [3]int{16, 4, 1})[0]
	assert.Nil(t, launched.AssumedBlock)
	require.Len(t, launched.Launches, 2)
	assert.Equal(t, [3]int{16, 4, 1}, *launched.Launches[0].Shape)
	assert.True(t, launched.Launches[0].Assumed)
	assert.Equal(t, [3]int{32, 1, 1}, *launched.Launches[1].Shape)
	assert.False(t, launched.Launches[1].Assumed)
}

func TestReportNeverHoldsNullLists(t *testing.T) {
	out, err := json.Marshal(reportOf(t, `__global__ void k() {}`, [3]int{}))
	require.NoError(t, err)
	assert.JSONEq(t, `[{
		"name": "k", "position": {"file": "k.cu", "line": 1, "column": 17},
		"shared": [], "sharedBytes": 0, "regions": [], "regionShareEstimate": 0,
		"barriers": [], "exits": [], "launches": [], "hazards": []}]`, string(out))
}

func TestKernelWithHazardHasNoRegions(t *testing.T) {
	k := reportOf(t, `__global__ void k(float *a) { __shared__ float s[64]; again: s[threadIdx.x] = 1; a[0] = s[0]; goto again; }`, [3]int{})[0]
	assert.Nil(t, k.Regions)
	assert.Nil(t, k.RegionShareEstimate)
	require.Len(t, k.Hazards, 1)
	assert.Equal(t, analysis.CodeGoto, k.Hazards[0].Code)
}
