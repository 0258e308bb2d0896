package cost_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/analysis/cost"
)

// TestArraysSayWhatTheNextThreadBlockAdds by the address of each load: in thread blocks of
// 64, and grids whose rows have 8.
func TestArraysSayWhatTheNextThreadBlockAdds(t *testing.T) {
	for _, c := range []struct {
		what, body string
		bytes      float64
		next       [2]float64
	}{
		{"its own", `b[blockIdx.x * 64 + threadIdx.x] = a[blockIdx.x * 64 + threadIdx.x];`, 256, [2]float64{1, 0}},
		{"the same", `b[threadIdx.x] = a[threadIdx.x];`, 256, [2]float64{0, 0}},
		{"half a block further on", `b[threadIdx.x] = a[blockIdx.x * 32 + threadIdx.x];`, 256, [2]float64{0.5, 0}},
		{"rows", `b[threadIdx.x] = a[blockIdx.y * 64 + threadIdx.x];`, 256, [2]float64{0, 1}},
		{"a halo", `for (int j = 0; j < 2; ++j) b[threadIdx.x] = a[blockIdx.x * 64 + j * 64 + threadIdx.x];`, 512, [2]float64{0.5, 0}},
		{"swizzled", `int x = blockIdx.x / 2, y = blockIdx.x % 2; b[threadIdx.x] = a[x * 640 + y * 32 + threadIdx.x];`, 256, [2]float64{0.5, 0}},
		{"clamped where no thread reaches the end", `b[threadIdx.x] = a[min(blockIdx.x * 32 + threadIdx.x, 100000)];`, 256, [2]float64{0.5, 0}},
		{"by data", `b[threadIdx.x] = a[int(b[threadIdx.x])];`, 1024, [2]float64{1, 1}},
		{"two ways", `b[threadIdx.x] = a[blockIdx.x * 64 + threadIdx.x] + a[blockIdx.x * 128 + 1024 + threadIdx.x];`, 512, [2]float64{1, 1}},
	} {
		w := profileOf(t, c.body, "dim3(8, 8), 64")
		require.NotEmpty(t, w.Arrays, c.what)
		assert.Equal(t, [3]int{8, 8, 1}, w.Grid)
		a := w.Arrays[0]
		assert.InDelta(t, c.bytes, a.Bytes, 1e-9, c.what)
		assert.InDelta(t, c.next[0], a.New[0], 1e-9, c.what)
		assert.InDelta(t, c.next[1], a.New[1], 1e-9, c.what)
	}
}

// TestLaidOutLoopsLoadOnce: of a window that moves over shared memory each element is
// loaded once, however long the loop is.
func TestLaidOutLoopsLoadOnce(t *testing.T) {
	const window = `__shared__ float s[512]; s[threadIdx.x] = a[threadIdx.x]; __syncthreads();
float sum[8];
#pragma unroll
for (int j = 0; j < 8; ++j) sum[j] = 0;
#pragma unroll
for (int i = 0; i < 100; ++i) {
#pragma unroll
	for (int j = 0; j < 8; ++j) sum[j] += s[threadIdx.x + i + j] * i;
}
#pragma unroll
for (int j = 0; j < 8; ++j) b[threadIdx.x * 8 + j] = sum[j];`
	assert.InDelta(t, 1+107, total(profileOf(t, window)).Shared, 1e-9)
}

// TestTurnsOfSomeThreadsAreNotTakenForAll: rows of 70 elements, copied by 64 threads.
func TestTurnsOfSomeThreadsAreNotTakenForAll(t *testing.T) {
	w := profileOf(t, `for (int i = 0; i < 40; ++i) for (int j = threadIdx.x; j < 72; j += 64) b[i * 72 + j] = a[i * 72 + j];`)
	assert.InDelta(t, 40*72*4, w.Footprint, 1e-9)
}

func TestRowsThatBeginWithinALineTakeTwo(t *testing.T) {
	for body, lines := range map[string]float64{
		`b[threadIdx.x] = a[threadIdx.x];`:                       1,
		`b[threadIdx.x] = a[threadIdx.x + 1];`:                   2,
		`b[threadIdx.x] = a[threadIdx.x * 2];`:                   2,
		`b[threadIdx.x] = a[blockIdx.x];`:                        1,
		`b[threadIdx.x] = a[threadIdx.x] + a[threadIdx.x + 40];`: 3,
	} {
		assert.InDelta(t, lines, total(profileOf(t, body)).Lines, 1e-9, body)
	}
}

func TestPredictionsDoNotHangOnTheOrderOfObjects(t *testing.T) {
	ks := kernelsOf(t, "k.cu", `__global__ void k(const float *a, const float *c, float *b) { b[threadIdx.x] = a[threadIdx.x] + c[blockIdx.x * 64 + threadIdx.x]; }
void run(const float *a, const float *c, float *b) { k<<<8, 64>>>(a, c, b); }`)
	first, err := cost.Of(ks[0], nil, cost.Options{})
	require.NoError(t, err)
	for range 5 {
		again, err := cost.Of(ks[0], nil, cost.Options{})
		require.NoError(t, err)
		assert.Equal(t, first, again)
	}
}

// TestAChoiceOfTwoNumbersIsANumber: whichever of two numbers is chosen that are the same for all
// threads, addresses made of it are as far apart as those of one of them.
func TestAChoiceOfTwoNumbersIsANumber(t *testing.T) {
	stores := func(base string) float64 {
		return total(ofSource(t, `
__constant__ int first[64];
__global__ void k(float *out, int n, int d) {
	int part = threadIdx.x / d;
	out[`+base+` + threadIdx.x * n] = 1;
}
void run(float *a, int n, int d) { k<<<9, 128>>>(a, n, d); }`)).Stores
	}
	assert.Equal(t, stores("first[part]"), stores("((unsigned)part < 8 ? first[part] : first[part + 8])"))
}
