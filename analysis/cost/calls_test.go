package cost_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/analysis/cost"
	"github.com/smux-cuda/smux/model/workload"
	"github.com/smux-cuda/smux/nvcc"
)

// ofSource profiles the first kernel of a program.
func ofSource(tb testing.TB, src string, lines ...cost.Line) *workload.Kernel {
	k := kernelsOf(tb, "k.cu", src)[0]
	w, err := cost.Of(k, nil, cost.Options{Lines: lines})
	require.NoError(tb, err)
	return w
}

func TestReferencesAndPointersLeadBackToTheCaller(t *testing.T) {
	const loop = `__global__ void k(float *b, float v, int n) { for (int i = 0; i < n; ++i) { STEP; } b[threadIdx.x] = v; }
void run(float *b, float v, int n) { k<<<1, 64>>>(b, v, n); }`
	of := func(step, function string) float64 {
		return total(ofSource(t, function+strings.Replace(loop, "STEP", step, 1))).Issue
	}
	inline := of("v = v * v + 2.0f", "")
	assert.InDelta(t, inline, of("step(v)", "__device__ void step(float &x) { x = x * x + 2.0f; }\n"), 1e-6)
	assert.InDelta(t, inline, of("step(&v)", "__device__ void step(float *x) { *x = *x * *x + 2.0f; }\n"), 1e-6)
	assert.InDelta(t, inline, of("v = step(v)", "__device__ float step(float x) { return x * x + 2.0f; }\n"), 1e-6)
}

func TestTilesOfCooperativeGroupsHaveASize(t *testing.T) {
	w := ofSource(t, `__global__ void k(const int *__restrict__ a, int *__restrict__ b) {
    cg::thread_block cta = cg::this_thread_block();
    auto tile = cg::tiled_partition<32>(cta);
    int v = a[cta.thread_rank()];
    for (int o = tile.size() / 2; o > 0; o /= 2) v += tile.shfl_down(v, o);
    if (tile.thread_rank() == 0) b[tile.meta_group_rank()] = v;
}
void run(const int *a, int *b) { k<<<1, 64>>>(a, b); }`)
	for _, a := range w.Assumptions {
		assert.NotContains(t, a, "taken to run")
		assert.NotContains(t, a, "not in view")
	}
	assert.InDelta(t, 10, total(w).Issue-total(ofSource(t, `__global__ void k(const int *__restrict__ a, int *__restrict__ b) {
    int v = a[threadIdx.x];
    if (threadIdx.x % 32 == 0) b[threadIdx.x / 32] = v;
}
void run(const int *a, int *b) { k<<<1, 64>>>(a, b); }`)).Issue, 3, "five shuffles, five additions")
}

func TestMatrixFragmentsMoveTheirElements(t *testing.T) {
	w := ofSource(t, `#define M 16
__global__ void k(const __half *a, const __half *b, float *c) {
    wmma::fragment<wmma::matrix_a, M, 16, 16, __half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, M, 16, 16, __half, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, M, 16, 16, float> fc;
    wmma::load_matrix_sync(fa, a, 64);
    wmma::load_matrix_sync(fb, b, 64);
    wmma::mma_sync(fc, fa, fb, fc);
    for (int i = 0; i < fc.num_elements; ++i) fc.x[i] *= 3.0f;
    wmma::store_matrix_sync(c, fc, 64, wmma::mem_row_major);
}
void run(__half *a, __half *b, float *c) { k<<<1, 32>>>(a, b, c); }`)
	assert.EqualValues(t, 2*16*16*2, total(w).Loads)
	assert.EqualValues(t, 16*16*4, total(w).Stores)
	for _, a := range w.Assumptions {
		assert.NotContains(t, a, "taken to run")
	}
}

func TestCastsAndExactInversesAreCheap(t *testing.T) {
	of := func(e string) float64 { return total(profileOf(t, "b[threadIdx.x] = "+e+";")).Issue }
	plain := of("a[threadIdx.x] * 3.0f")
	assert.InDelta(t, plain, of("a[threadIdx.x] / 2.0f"), 1e-6)
	assert.Greater(t, of("a[threadIdx.x] / 3.0f"), plain+5)
	assert.InDelta(t, of("(unsigned)a[threadIdx.x]"), of("uint(a[threadIdx.x])"), 1e-6)
}

func TestWhatTheLaunchPassesGivesTripCounts(t *testing.T) {
	const kernel = `__global__ void k(const float *__restrict__ a, float *__restrict__ b, int n) {
    float v = 0.0f;
    for (int i = 0; i < n; ++i) v += a[i * 64 + threadIdx.x];
    b[threadIdx.x] = v;
}
`
	for host, want := range map[string]float64{
		"void run(float *a) { k<<<1, 64>>>(a, a, 256); }":                                     256,
		"void run(float *a) { const int n = 512; k<<<1, 64>>>(a, a, n); }":                    512,
		"void run(float *a, int n) { k<<<1, 64>>>(a, a, n); }\nint main() { run(0, 100); }":   100,
		"int main(int argc, char **argv) { int n = atoi(argv[1]); k<<<1, 64>>>(0, 0, n); }":   16,
		"void run(float *a) { int n = 512; if (a) n = 3; k<<<1, 64>>>(a, a, n); }":            16,
		"void run(float *a) { k<<<1, 64>>>(a, a, 512); k<<<2, 64>>>(a, a, 3); } // they vary": 16,
	} {
		w := ofSource(t, kernel+host)
		assert.InDelta(t, want*128, total(w).Loads, 1, host)
		assert.Equal(t, want == 16, strings.Contains(strings.Join(w.Assumptions, "\n"), "k.cu:3"), host)
	}
}

// A function that is inlined in a loop and outside of it: its instructions count where they were inlined.
const inlinedTwice = `__device__ float rate(float x)
{
    return x * x + 3.0f * x;
}
__global__ void k(const float *__restrict__ a, float *__restrict__ b)
{
    float v = rate(a[threadIdx.x]);
#pragma unroll 1
    for (int i = 0; i < 1000; ++i)
        v += rate(a[i * 64 + threadIdx.x]);
    b[threadIdx.x] = v;
}
void run(const float *a, float *b) { k<<<8, 64>>>(a, b); }
`

func TestInlinedInstructionsCountWhereTheyWereInlined(t *testing.T) {
	rest := []cost.Line{
		{File: "k.cu", Line: 7, In: 7, Issue: 3, Memory: 4}, {File: "k.cu", Line: 9, In: 9, Issue: 3},
		{File: "k.cu", Line: 10, In: 10, Issue: 3, Memory: 4}, {File: "k.cu", Line: 11, In: 11, Issue: 3, Memory: 4},
	}
	once := ofSource(t, inlinedTwice, append(rest, cost.Line{File: "k.cu", Line: 3, In: 7, Issue: 2})...)
	inLoop := ofSource(t, inlinedTwice, append(rest, cost.Line{File: "k.cu", Line: 3, In: 10, Issue: 2})...)
	assert.InDelta(t, 999*2, total(inLoop).Issue-total(once).Issue, 10)
	tools, err := nvcc.Find()
	if err != nil {
		t.Skip("no nvcc: only made-up listings were looked at")
	}
	ls, err := tools.Lines(context.Background(), nvcc.Request{Texts: map[string][]byte{"k.cu": []byte(inlinedTwice)}, Arch: "sm_80"})
	require.NoError(t, err)
	require.Len(t, ls, 1)
	at := map[int]int{}
	for _, l := range listing(ls[0]) {
		if l.Line == 3 {
			at[l.In] += int(l.Issue)
		}
	}
	assert.Len(t, at, 2)
	assert.InDelta(t, 1, total(ofSource(t, inlinedTwice)).Issue/total(ofSource(t, inlinedTwice, listing(ls[0])...)).Issue, 0.3)
}

// TestConstantsMadeOfEachOtherAreUnknown: illegal, but no reason to end the process.
func TestConstantsMadeOfEachOtherAreUnknown(t *testing.T) {
	k := ofSource(t, "const int a = b + 1;\nconst int b = a + 1;\n__global__ void k(int *out) { out[threadIdx.x] = a; }\nvoid f(int *out) { k<<<1, 64>>>(out); }\n")
	require.NotEmpty(t, k.Body)
	assert.Positive(t, k.Body[0].Work.Stores)
}
