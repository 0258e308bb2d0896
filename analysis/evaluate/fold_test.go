package evaluate_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/analysis/evaluate"
	"github.com/smux-cuda/smux/analysis/footprint"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/launches"
	"github.com/smux-cuda/smux/lab/kerneltest"
)

func TestTripsOfLoops(t *testing.T) {
	for _, c := range []struct {
		head string
		want []int64 // of threads 0 to 3; nil: not known
	}{
		{"int i = 0; i < 10; ++i", []int64{10}},
		{"int i = 0; i < N; i += 4", []int64{4}},
		{"int i = 256; i > 0; i >>= 1", []int64{9}},
		{"int i = threadIdx.x; i < 6; i += blockDim.x", []int64{2, 2, 1, 1}},
		{"int i = 0; i < threadIdx.x; ++i", []int64{0, 1, 2, 3}},
		{"int i = 0; i < 0; ++i", []int64{0}},
		{"int i = 0; i < n; ++i", nil},
		{"int i = 0; i < 10; ++i) if (a[i] > 0) break; else for (int j = 0; j < 3; ++j", nil},
	} {
		t.Run(c.head, func(t *testing.T) {
			k := kerneltest.First(t, "template <int N> __global__ void k(float *a, int n) { for ("+c.head+") a[0] += 1; }\nvoid run(float *a, int n) { k<13><<<1, 4>>>(a, n); }")
			trips, ok := footprint.Trips(k, k.Instances[0], k.Func, k.Func.Body.List[0])
			assert.Equal(t, c.want != nil, ok)
			assert.Equal(t, c.want, trips)
		})
	}
}

func TestGridAndArgumentsOfALaunch(t *testing.T) {
	for _, c := range []struct {
		grid string
		dims [3]int64
		ok   bool
		rank int
	}{
		{"8", [3]int64{8, 1, 1}, true, 1},
		{"n * 1000", [3]int64{64000, 1, 1}, true, 1},
		{"dim3(n, 3)", [3]int64{64, 3, 1}, true, 2},
		{"grid", [3]int64{64, 2, 5}, true, 3},
		{"count", [3]int64{}, false, 1},
		{"dim3(count, 2)", [3]int64{}, false, 2},
		{"later", [3]int64{}, false, 1},
	} {
		t.Run(c.grid, func(t *testing.T) {
			k := kerneltest.First(t, `__global__ void k(float *a, int n, int m) { a[0] = n + m; }
void run(float *a, int count) { const int n = 64; dim3 grid(n, 2, 5), later(n); later.y = 2; k<<<`+c.grid+`, 32>>>(a, 64 + 1, count); }`)
			dims, ok := launches.Grid(k, k.Instances[0])
			assert.Equal(t, c.ok, ok)
			if c.ok {
				assert.Equal(t, c.dims, dims)
			}
			assert.Equal(t, c.rank, launches.GridRank(k, k.Instances[0]))
			n, ok := launches.Argument(k, k.Instances[0], 1)
			assert.True(t, ok)
			assert.EqualValues(t, 65, n)
			_, ok = launches.Argument(k, k.Instances[0], 2)
			assert.False(t, ok)
			_, ok = launches.Argument(k, k.Instances[0], 3)
			assert.False(t, ok)
		})
	}
}

func TestConstantsAndPerThreadNumbers(t *testing.T) {
	k := kerneltest.First(t, `template <int N> __global__ void k(float *a, int n) { a[N * 3 + 1] = 1; a[2 * threadIdx.x + 1] = 2; a[n] = 3; }
void run(float *a, int n) { k<5><<<1, 4>>>(a, n); }`)
	index := func(i int) *ir.Expr { return k.Func.Body.List[i].Expr.Kids[0].Kids[1] }
	in := k.Instances[0]
	n, ok := evaluate.Constant(k, in, k.Func, index(0))
	assert.True(t, ok)
	assert.EqualValues(t, 16, n)
	_, ok = evaluate.Constant(k, in, k.Func, index(1))
	assert.False(t, ok)
	v, ok := evaluate.PerThread(k, in, k.Func, index(1))
	assert.True(t, ok)
	assert.Equal(t, []int64{1, 3, 5, 7}, v)
	_, ok = evaluate.PerThread(k, in, k.Func, index(2))
	assert.False(t, ok)
	m, _, ok := evaluate.TemplateArgument(k, in, 0)
	assert.True(t, ok)
	assert.EqualValues(t, 5, m)
}

func TestSharedBytesOfALaunch(t *testing.T) {
	k := kerneltest.First(t, `template <int N> __global__ void k(float *a) { __shared__ float s[N][4]; extern __shared__ int d[]; s[0][threadIdx.x] = d[0]; a[0] = s[0][1]; }
void run(float *a, int n) { k<8><<<1, 4, 100>>>(a); k<2><<<1, 4, n>>>(a); }`)
	require.Len(t, k.Instances, 2)
	bytes, exact := launches.SharedBytes(k, k.Instances[0])
	assert.Equal(t, 228, bytes)
	assert.True(t, exact)
	bytes, exact = launches.SharedBytes(k, k.Instances[1])
	assert.Equal(t, 32, bytes)
	assert.False(t, exact)

	// A block has what its launch asks for, however many arrays lie there.
	k = kerneltest.First(t, `__global__ void k(float *a) { extern __shared__ int d[]; extern __shared__ float e[]; d[0] = 1; e[0] = d[0]; }
__global__ void none(float *a) { __shared__ float s[4]; s[0] = 1; a[0] = s[0]; }
void run(float *a) { k<<<1, 4, 100>>>(a); none<<<1, 4, 100>>>(a); }`)
	bytes, exact = launches.SharedBytes(k, k.Instances[0])
	assert.Equal(t, 100, bytes)
	assert.True(t, exact)
}

func TestSharedBytesOfElementsThatAreNoBuiltInType(t *testing.T) {
	k := kerneltest.First(t, `struct Pair { char tag; double key; };
template <typename T> __global__ void k(T *a) { __shared__ Pair p[10]; __shared__ T s[6]; p[0].tag = 1; s[threadIdx.x] = a[0]; a[0] = s[1]; }
void run(float *f, double *d) { k<float><<<1, 4>>>(f); k<double><<<1, 4>>>(d); }`)
	require.Len(t, k.Instances, 2)
	for i, want := range []int{160 + 24, 160 + 48} {
		bytes, exact := launches.SharedBytes(k, k.Instances[i])
		assert.Equal(t, want, bytes)
		assert.True(t, exact)
	}
	k = kerneltest.First(t, `__global__ void k(float *a) { __shared__ Unseen u[10]; u[0] = 1; a[0] = u[0]; } void run(float *a) { k<<<1, 4>>>(a); }`)
	_, exact := launches.SharedBytes(k, k.Instances[0])
	assert.False(t, exact)
}
