package choose

import (
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/lab/cudatest"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/verify/harness"
)

// TestRunsAreChosen: what a kernel without a program is run with, and why nothing is chosen for some.
func TestRunsAreChosen(t *testing.T) {
	for _, c := range []struct {
		what, text string
		how        Choice
		runs       []string // the first ones
		all        int
		skipped    string
	}{
		{what: "a length that bounds a subscript leaves a tail, and small and odd ones follow", all: 5,
			text: `__global__ void k(float *a, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) a[i] = 1; }`,
			runs: []string{"k grid=3 block=64 n=189 a=float[192]:distinct", "k grid=1 block=64 n=3 a=float[64]:distinct", "k grid=2 block=64 n=1 a=float[128]:distinct"}},
		{what: "what a parameter is compared with comes first", all: 5,
			text: `#define MODE 17
__global__ void k(int mode, unsigned char c) { if (mode == MODE) return; switch (c) { case 5: return; case 300: return; } if (mode <= 4) __trap(); }`,
			runs: []string{"k grid=1 block=1 mode=17 c=5", "k grid=1 block=1 mode=4 c=3"}},
		{what: "a sum of others, as their first values make it", all: 4,
			text: `__global__ void k(int a, int b, int c) { if (a != 12 || b != 36) return; if (a + b == c) __trap(); }`,
			runs: []string{"k grid=1 block=1 a=12 b=36 c=48"}},
		{what: "two threads that may meet", all: 4,
			text: `__global__ void k(int *a, int by) { if (threadIdx.x == 9) a[threadIdx.x + by] = 1; if (40 == threadIdx.x || threadIdx.x == 12) a[threadIdx.x] = 2; }`,
			runs: []string{"k grid=1 block=256 by=3 a=int[256]:distinct", "k grid=1 block=256 by=31 a=int[256]:distinct", "k grid=1 block=256 by=1 a=int[256]:distinct"}},
		{what: "a number that elements are compared with", all: 5,
			text: `__global__ void k(const int *level, int *out, int at, int n) { int i = blockIdx.x * 64 + threadIdx.x; if (i < n && level[i] == at) out[at + 1] = i; }`,
			runs: []string{"k grid=3 block=64 at=1 n=189 level=int[192]:random(1,4) out=int[192]:distinct", "k grid=1 block=64 at=2 n=3 "}},
		{what: "elements that are compared with constants, by themselves or as variables: some threads go each way", all: 1,
			text: `__global__ void k(const int *a, const float *b, const unsigned *c, const int *d, const int *e, const bool *f, const double *g) {
    int t = threadIdx.x, x = d[t];
    if (a[e[t]] == 0 || b[t] < 0.5f || 2 <= c[t] || !x || f[t] == true || g[t] * 2 > 3) __trap(); }`,
			runs: []string{"k grid=1 block=256 a=int[256]:random(0,3) b=float[256]:random(-1.5,3.5) c=unsigned[256]:random(0,5) d=int[256]:random(0,3) e=int[256]:distinct f=bool[256]:random g=double[256]:distinct"}},
		{what: "elements that are shifted, or compared with what is no constant, differ", all: 5,
			text: `__global__ void k(int *a, const float *b, const int *c, int n) { int i = blockIdx.x * 64 + threadIdx.x; if (i < n && b[i] < b[i + 1]) a[i] = c[i] << 2; }`,
			runs: []string{"k grid=3 block=64 n=189 a=int[192]:distinct b=float[192]:distinct c=int[192]:distinct"}},
		{what: "rows of a sparse matrix, which have columns in common in every other run", all: 5,
			text: `__global__ void k(const float *x, const int *row, const int *column, float *y, int n) {
    int v = blockIdx.x * 64 + threadIdx.x;
    if (v < n) for (int j = row[v]; j < row[v + 1]; j++) y[v] += x[column[j]]; }`,
			runs: []string{"k grid=3 block=64 n=189 x=float[192]:distinct row=int[192]:rows column=int[192]:distinct y=float[192]:distinct", "k grid=1 block=64 n=3 x=float[64]:distinct row=int[64]:rows column=int[64]:random y="}},
		{what: "neighbours of short whole numbers, and of others, are no rows", all: 5,
			text: `__global__ void k(const short *a, const float *b, int *c, int n) { int i = blockIdx.x * 64 + threadIdx.x; if (i < n) c[i] = a[i] + a[i + 1] + b[i] + b[i + 1] + c[i]; }`,
			runs: []string{"k grid=3 block=64 n=189 a=short[192]:distinct b=float[192]:distinct c=int[192]:distinct"}},
		{what: "a number that is in no subscript", all: 3,
			text: `__global__ void k(int *a, int by) { if (threadIdx.x == 9) a[0] = by; if (threadIdx.x == 40) a[1] = 2; }`,
			runs: []string{"k grid=1 block=256 by=3 a=int[256]:distinct", "k grid=1 block=256 by=1 a=int[256]:distinct"}},
		{what: "blocks and grids of two dimensions", all: 1,
			text: `__global__ void k(float *a) { a[(blockIdx.y * 8 + threadIdx.y) * 64 + threadIdx.x] = 1; }`,
			runs: []string{"k grid=1x2 block=8x8 a=float[128]:distinct"}},
		{what: "a block as the kernel counts blocks and steps through tiles", all: 3, how: Choice{Threads: 64},
			text: `constexpr int TILE = 32, ROWS = 8;
template <class T> __global__ void k(T *out, const T *in, int w) {
    __shared__ T tile[TILE][TILE + 1];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += ROWS) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * w + x];
}
template __global__ void k<float>(float *, const float *, int);`,
			runs: []string{"k<float> grid=1 block=32x8 w=32 out=float[256]:distinct in=float[256]:distinct"}},
		{what: "rows that do not overlap", all: 3,
			text: `__global__ void k(float *a, int pitch) { float *row = a + (blockIdx.x + 1) * pitch; row[threadIdx.x] = 1; }`,
			runs: []string{"k grid=3 block=64 pitch=192 a=float[192]:distinct", "k grid=1 block=64 pitch=65 a=float[64]:distinct", "k grid=2 block=64 pitch=135 a=float[128]:distinct"}},
		{what: "rows as long as a loop goes", all: 3,
			text: `__global__ void k(float *a, const float *b, int n) {
    int x = blockIdx.x * 8 + threadIdx.x, y = threadIdx.y;
    for (int i = 0; i < n; ++i) a[x + n * y] += b[y * n + i];
}`,
			runs: []string{"k grid=3 block=8x8 n=24 a=float[192]:distinct b=float[192]:distinct"}},
		{what: "rows as long as a guard says", all: 5,
			text: `__global__ void k(float *a, int w) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= w) return; a[threadIdx.y * w + i] = 1; }`,
			runs: []string{"k grid=3 block=8x8 w=21 a=float[192]:distinct", "k grid=1 block=8x8 w=3 a=float[64]:distinct"}},
		{what: "a step between elements, which is no row", all: 3,
			text: `__global__ void k(float *a, int step) { a[threadIdx.x * step] = 2 * step; }`,
			runs: []string{"k grid=1 block=256 step=3 a=float[256]:distinct"}},
		{what: "a block by a template's argument", all: 3,
			text: `template <int B> __global__ void k(int *a) { int i = threadIdx.x + blockIdx.x * B; a[i] = 1; }
template __global__ void k<96>(int *);`,
			runs: []string{"k<96> grid=3 block=96 a=int[288]:distinct"}},
		{what: "a block by the step of a loop", all: 3,
			text: `#define STEP 128
__global__ void k(int *a) { for (int i = threadIdx.x; i < 512; i += STEP) a[i + blockIdx.x * blockDim.x] = 1; }`,
			runs: []string{"k grid=3 block=128 a=int[384]:distinct"}},
		{what: "a block that has an element of a shared array for each thread, and sets them all", all: 1,
			text: `__global__ void k(int *a) { __shared__ int h[256]; h[threadIdx.x] = 0; __syncthreads(); atomicAdd(&h[a[threadIdx.x] & 255], 1); }`,
			runs: []string{"k grid=1 block=256 a=int[256]:distinct"}},
		{what: "and with a halo", all: 1,
			text: `__global__ void k(int *a) { __shared__ int s[34]; int t = threadIdx.x; s[t + 1] = a[t]; if (t < 2) s[t * 33] = 0; __syncthreads(); a[t] = s[t] + s[t + 2]; }`,
			runs: []string{"k grid=1 block=32 a=int[32]:distinct"}},
		{what: "a tile of several rows for each thread", all: 1,
			text: `__global__ void k(int *a) { __shared__ int s[32][64]; int x = threadIdx.x; for (int y = threadIdx.y; y < 32; y += blockDim.y) s[y][x] = a[x]; __syncthreads(); a[x] = s[3][63 - x]; }`,
			runs: []string{"k grid=1 block=64x16 a=int[1024]:distinct"}},
		{what: "a tile of two elements for each thread", all: 1,
			text: `__global__ void k(int *a) { __shared__ int s[512]; s[2 * threadIdx.x] = a[0]; s[2 * threadIdx.x + 1] = a[1]; }`,
			runs: []string{"k grid=1 block=256 a=int[256]:distinct"}},
		{what: "a length that indices are taken off", all: 1,
			text: `__global__ void k(int *a, int n) { __shared__ int s[64]; int t = threadIdx.x; s[t] = a[t]; __syncthreads(); a[t] = s[n - t - 1]; }`,
			runs: []string{"k grid=1 block=64 n=64 a=int[64]:distinct"}},
		{what: "a power of two", all: 3,
			text: `__global__ void k(int *a, int n) { for (int d = n >> 1; d > 0; d >>= 1) a[threadIdx.x + d] = 1; }`,
			runs: []string{"k grid=1 block=256 n=256 ", "k grid=1 block=256 n=64 ", "k grid=1 block=256 n=2 "}},
		{what: "rows of vectors", all: 3,
			text: `__global__ void k(const float *a, int n) { const float4 *row = (const float4 *)(a + blockIdx.x * n); row[threadIdx.x].x; }`,
			runs: []string{"k grid=3 block=64 n=3072 "}},
		{what: "a block by a number that stands for a thread's", all: 3,
			text: `__global__ void k(int *a) { int bx = blockIdx.x, tx = threadIdx.x, i = bx * 96; a[i + tx] = 1; }`,
			runs: []string{"k grid=3 block=96 a=int[288]:distinct"}},
		{what: "the launch that is given", all: 2, how: Choice{Grid: [3]int64{2, 1, 1}, Block: [3]int64{32, 1, 1}},
			text: `__global__ void k(float4 *a, bool b) {}`, runs: []string{"k grid=2 block=32 b=true a=float4[64]:distinct"}},
		{what: "visible instances of a template", all: 2,
			text: `template <class T, int N> __global__ void k(T *a) {}
template __global__ void k<float, 3>(float *);
void host(int *p) { k<int, 4><<<1, 32>>>(p); }`,
			runs: []string{"k<float, 3> grid=1 block=1 a=float[1]:distinct"}},
		{what: "a number that stands for the block's", all: 3,
			text: `__device__ void set(int *a, int own) { a[own == 0 ? blockIdx.x : own] = 1; }
__global__ void k(int *a, int own) { set(a, own); }`,
			runs: []string{"k grid=3 block=1 own=0 ", "k grid=1 block=1 own=0 ", "k grid=2 block=1 own=0 "}},
		{what: "instances that an expression names, but not those of a name that the function around it has alone", all: 2,
			text: `template <class T, int N> __global__ void k(T *a) {}
typedef void (*kernel)(int *);
kernel pick(bool b) { if (b) return k<int, 4>; return k<int, 8>; }
template <class T> void any(T *p) { const int n = 16; k<T, 5><<<1, 32>>>(p); k<float, n><<<1, 32>>>(0); }`,
			runs: []string{"k<int, 4> grid=1 block=1 a=int[1]:distinct", "k<int, 8> grid=1 block=1 a=int[1]:distinct"}},
		{what: "an instance of the template around a launch", all: 1,
			text: `template <class T, int N> __global__ void k(T *a) {}
template <class U, int M> void run(U *p) { k<U, 2 * M><<<1, 32>>>(p); }
template void run<double, 3>(double *);
void host(int *p) { run<int, 4>(p); }`,
			runs: []string{"k<double, 2 * 3> grid=1 block=1 a=double[1]:distinct"}},
		{what: "a tile as its template's argument says, and not as a launch of another instance", all: 2,
			text: `template <int N> __global__ void k(float *a) { __shared__ float t[N][N]; t[threadIdx.y][threadIdx.x] = a[0]; __syncthreads(); a[1] = t[0][threadIdx.x]; }
void host(float *p, int n) { dim3 threads(32, 32); if (n == 16) k<16><<<1, threads>>>(p); else k<32><<<1, threads>>>(p); }`,
			runs: []string{"k<16> grid=1 block=16x16 a=float[256]:distinct", "k<32> grid=1 block=32x32 a=float[1024]:distinct"}},
		{what: "a tile of a function that gets its length as template argument", all: 1,
			text: `template <int N> __device__ void tile(float *a) { __shared__ float t[N][N]; t[threadIdx.y][threadIdx.x] = a[0]; __syncthreads(); a[1] = t[0][threadIdx.x]; }
__global__ void k(float *a) { tile<16>(a); }`,
			runs: []string{"k grid=1 block=16x16 a=float[256]:distinct"}},
		{what: "pointers in structures, those of bases and inner ones among them", all: 3,
			text: `struct base { int *p; }; struct row { float *cells[3]; };
struct all : base { struct { double *d; } in; row r; int n; };
__global__ void k(all a) { a.r.cells[1][0] = 1; }`,
			runs: []string{"k grid=1 block=1 a=all{} a.n=3 a.p=int[1]:distinct a.in.d=double[1]:distinct a.r.cells[1]=float[1]:distinct"}},
		{what: "numbers in structures, but none that is private or constant", all: 5,
			text: `struct grid { int w, h; float *from, *to; const int c = 2; float by[2]; private: int own; };
__global__ void k(grid g) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < g.w) g.to[i * g.h] = g.from[i]; }`,
			runs: []string{"k grid=3 block=64 g=grid{} g.w=189 g.h=3 g.from=float[192]:distinct g.to=float[192]:distinct"}},
		{what: "functions that a pointer may be", all: 1,
			text: `__device__ float one(float x) { return x; } __device__ int other(int x) { return x; }
typedef float (*function)(float);
__global__ void k(function f, float *a) { a[threadIdx.x] = f(1); }`,
			runs: []string{"k grid=1 block=256 f=one a=float[256]:distinct"}},
		{what: "a block that a template argument gives", all: 3,
			text: `template <class T, unsigned blockSize> __global__ void k(T *a) { extern __shared__ T s[]; s[threadIdx.x] = a[blockIdx.x * (blockSize * 2) + threadIdx.x]; }
void f(float *a) { int threads = 64; k<float, 512><<<1, threads, 64 * 4>>>(a); }`,
			runs: []string{"k<float, 512> grid=3 block=512 shared=24576 a=float[1536]:distinct"}},
		{what: "locks are free, and so are places of a table", all: 1,
			text: `__global__ void k(int *lock, unsigned *table, int *flag, int *count) {
    while (atomicCAS(lock, 0, 1) != 0) {}
    atomicCAS(&table[threadIdx.x * 2 % 64], 4294967295u, 7u);
    while (atomicExch(flag, 1)) {}
    atomicCAS(count, count[0], 5); }`,
			runs: []string{"k grid=1 block=256 lock=int[256]:const(0) table=unsigned[256]:const(4294967295) flag=int[256]:const(0) count=int[256]:distinct"}},
		{what: "flags and locks that threads wait for begin as zero, and blocks that meet there are several", all: 1,
			text: `struct ticket { unsigned next, serving; };
__device__ int get(int *p) { return *p; }
__device__ void take(ticket *t) { unsigned mine = atomicAdd(&t->next, 1); while (atomicAdd(&t->serving, 0) != mine) { __nanosleep(20); } }
__global__ void k(int *flag, ticket *t, int *sum) {
    if (threadIdx.x) return;
    while (!get(flag)) {}
    take(t);
    while (*sum > 5) --*sum; }`,
			runs: []string{"k grid=3 block=64 flag=int[192]:zero t=ticket[192]:zero sum=int[192]:distinct"}},
		{what: "threads that meet at atomics alone", all: 1,
			text: `__global__ void k(int *count) { atomicAdd(count, 1); }`, runs: []string{"k grid=3 block=64 count=int[192]:distinct"}},
		{what: "a lock of the only block, whose threads have elements of their own", all: 1,
			text: `__global__ void k(int *lock, int *a) { while (atomicCAS(lock, 0, 1)) {} a[threadIdx.x] = 1; atomicExch(lock, 0); }`,
			runs: []string{"k grid=1 block=256 lock=int[256]:const(0) a=int[256]:distinct"}},
		{what: "a texture", all: 3, text: `__global__ void k(cudaTextureObject_t t, float *a) { a[blockIdx.x] = tex1Dfetch<float>(t, 0); }`,
			runs: []string{"k grid=3 block=1 t=0 a=float[3]:distinct"}},
		{what: "a level that is none yet", all: 2,
			text: `__global__ void k(int *level, int now) { if (level[threadIdx.x] == now) level[0] = level[1] == -1; }`,
			runs: []string{"level=int[256]:random(-1,4)"}},
		{what: "pointers that may be one are", how: Choice{Alias: true}, all: 2,
			text: `__global__ void k(float *a, const float *b, float *__restrict__ c, int *d) {}`,
			runs: []string{"k grid=1 block=1 a=float[1]:distinct b=float[1]:distinct c=float[1]:distinct d=int[1]:distinct"}},
		{what: "a template without an instance", text: `template <class T> __global__ void k(T *a) {}`, skipped: "the template k has no instance in view"},
		{what: "instances that launches deduce", all: 6,
			text: `template <class T> __global__ void k(const T *a, T v, int n) {}
void f(dim3 g, float *a, float v, int n) { k<<<g, 32>>>(a, v, n); }
void g(dim3 g, int n) { double *a, v = 2; k<<<g, 32>>>(a, v, n); }`,
			runs: []string{"k<float> grid=1"}},
		{what: "launches that deduce what can't be told", skipped: "the template k has no instance in view",
			text: `template <class T> __global__ void k(T *a, T v) {}
void f(float *a) { auto b = a; k<<<1, 32>>>(b, b[0]); k<<<1, 32>>>(a + 1, *a); }
template <class U> void g(U *a) { { float *c; } { double *c; k<<<1, 32>>>(c, *c); } }
void h(const float *a, float v) { k<<<1, 32>>>(a, v); }`},
		{what: "pointers to pointers", text: `__global__ void k(float **rows) { rows[0][0] = 1; }`, skipped: "rows points to pointers"},
		{what: "private pointers", text: `class s { int *p; }; __global__ void k(s q) {}`, skipped: "s has pointers that are private"},
		{what: "lists", text: `struct s { s *next; }; __global__ void k(s *q) {}`, skipped: "q points to structures with pointers in them"},
		{what: "references to objects", text: `struct s { int n; }; __global__ void k(const s &q) {}`, skipped: "nothing is chosen for a parameter of type s"},
	} {
		t.Run(c.what, func(t *testing.T) {
			runs, skipped := Choose(cudatest.Program(t, "a.cu", c.text), nil, c.how)
			var texts []string
			for _, r := range runs {
				texts = append(texts, r.String())
				_, err := r.Spec()
				require.NoError(t, err)
			}
			require.Len(t, runs, c.all, strings.Join(texts, "\n"))
			for i, want := range c.runs {
				assert.Contains(t, texts[i], want)
			}
			if c.how.Alias {
				assert.True(t, strings.HasSuffix(texts[len(texts)-1], " b=a"), texts[len(texts)-1])
			}
			if c.skipped == "" {
				assert.Empty(t, skipped)
				return
			}
			require.Len(t, skipped, 1)
			assert.Contains(t, skipped[0].Text, c.skipped)
		})
	}
}

// TestArraysAreAsLargeAsTheyAreAccessed: sizes come from what a run accessed, and another run is
// made where that may change it.
func TestArraysAreAsLargeAsTheyAreAccessed(t *testing.T) {
	p := cudatest.Program(t, "a.cu", `struct s { double *d; };
__global__ void k(int *a, float *b, s c) {}`)
	chosen, _ := Choose(p, nil, Choice{Grid: [3]int64{1, 1, 1}, Block: [3]int64{32, 1, 1}})
	require.Len(t, chosen, 1)
	programs, measures := 0, 0
	err := Measure(p, chosen, func(_ *parser.Program, use func(Runner) error) error {
		programs++
		return use(func(number int, env string) (map[int]int64, error) {
			assert.Equal(t, 1, number)
			assert.Equal(t, [2]string{"SMUX_BENCH_SIZES=32 32 32", "SMUX_BENCH_SIZES=10 1 7"}[measures], env)
			measures++
			return map[int]int64{0: 40, 1: 0, 2: 7 * 8}, nil
		})
	})
	require.NoError(t, err)
	assert.Equal(t, 2, measures, "whole numbers may be subscripts")
	assert.Equal(t, 1, programs, "lengths are read when it runs")
	assert.Equal(t, "k grid=1 block=32 c=s{} a=int[10]:distinct b=float[1]:distinct c.d=double[7]:distinct", chosen[0].String())
}

// TestFunctionsWithoutABodyAreStoodInFor: what is declared and called, but defined nowhere.
func TestFunctionsWithoutABodyAreStoodInFor(t *testing.T) {
	p := cudatest.Program(t, "a.cu", `struct s { int a; };
__device__ int there(int x);
__device__ int there(int x) { return x; }
__device__ s far_away(const s *x, int n);
__device__ void never_called();
__global__ void k(s *x) { *x = far_away(x, there(1)); }`)
	assert.Equal(t, []string{"far_away"}, harness.Undefined(p))
	assert.Equal(t, []string{"__device__ s far_away(const s *x, int n) { return {}; }"}, harness.StandInsFor(p, p.Files[0]))
}

// TestFewThreadsAreChosenWhereTheyMustBeFew: with a block in view, one block of it where more are too many.
func TestFewThreadsAreChosenWhereTheyMustBeFew(t *testing.T) {
	for text, want := range map[string]string{
		"__global__ void k(int *a) { a[threadIdx.x] = 1; }":                            "grid=1 block=64",
		"__global__ void k(int *a) { a[threadIdx.x + blockIdx.x] = 1; }":               "grid=3 block=16",
		"__global__ void k(int *a) { a[threadIdx.x + blockIdx.y * 2] = threadIdx.y; }": "grid=1x2 block=8x4",
		"__global__ void k(int *a) { a[threadIdx.x] = threadIdx.z + blockIdx.z; }":     "grid=1x1x2 block=4x1x4",
		"__global__ void k(int *a) { a[threadIdx.x] = 1; } // usual 32":                "grid=1 block=32",
		"__global__ void k(int *a) { a[threadIdx.x] = 1; } // usual 16":                "grid=1 block=16",
		"__global__ void k(int *a) { a[threadIdx.x] = 1; } // usual 128":               "grid=1 block=128",
	} {
		f, err := parser.Parse("k.cu", []byte(text), parser.Options{})
		require.NoError(t, err)
		how := Choice{Threads: 64}
		if _, usual, ok := strings.Cut(text, "usual "); ok {
			n, err := strconv.Atoi(usual)
			require.NoError(t, err)
			how.Usual = func(*parser.File, *parser.Function) ([3]int, int) { return [3]int{n, 1, 1}, 0 }
		}
		runs, skipped := Choose(parser.NewProgram([]*parser.File{f}, parser.Options{}), nil, how)
		require.Empty(t, skipped)
		assert.Contains(t, runs[0].String(), want+" ", text)
	}
}

// TestARunOfACopy: each run copies its arrays back, and those of a run in which two are one are one less.
func TestARunOfACopy(t *testing.T) {
	runs, _ := Choose(cudatest.Program(t, "a.cu", "__global__ void k(int *a, int *b) { *a = blockIdx.x; }\n__global__ void one(float *f) { *f = blockIdx.x; }\n"), nil, Choice{Alias: true})
	require.Len(t, runs, 7)
	for number, run := range map[int]int{1: 0, 2: 0, 3: 1, 6: 2, 7: 3, 8: 4, 10: 6, 11: -1} {
		assert.Equal(t, run, RunOfCopy(runs, number), number)
	}
}

// TestOthersFitTheText: runs that one is compared with have strides that keep elements apart, and blocks whose threads fill a tile with its halo.
func TestOthersFitTheText(t *testing.T) {
	for _, c := range []struct{ text, others string }{
		{`__global__ void k(float *x, int n, int a, int b, int inner, int outer) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= a * b) return;
    for (int j = 0; j < n; j++) x[i / b * outer + i % b * inner + j] += 1; }`, "a=4 b=4 inner=64 outer=8,a=4 b=4 inner=8 outer=64"},
		{`__global__ void k(float *x, float *y, int n, int w, int h, int c, int times) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int column = i % w, row = i / w % h, channel = i / w / h % c / (times * times);
    y[column * times + w * times * (row * times + h * times * channel)] = x[i]; }`, "n=64 w=4 h=4 c=4 times=2"},
		{`__global__ void k(float *x, float *y) {
    __shared__ float s[14][14];
    s[threadIdx.y][threadIdx.x] = x[(blockIdx.y * 10 + threadIdx.y) * 64 + blockIdx.x * 10 + threadIdx.x];
    __syncthreads();
    if (threadIdx.y >= 10 || threadIdx.x >= 10) return;
    y[(blockIdx.y * 10 + threadIdx.y) * 64 + blockIdx.x * 10 + threadIdx.x] = s[threadIdx.y + 4][threadIdx.x + 4]; }`, "block=14x14"},
		{`__global__ void k(float *x, int rows, int cols) {
    int i = (blockIdx.y * 8 + threadIdx.y) * cols + blockIdx.x * 8 + threadIdx.x;
    if (i < rows * cols) x[i] += 1; }`, "rows=96 cols=96"},
		{`__device__ void windows(float *x, int width, int height, int steps);
__global__ void k(float *x, int width, int height, int steps) { x[threadIdx.x + blockIdx.x * 64] = 1; windows(x, width, height, steps); }`, "width=128 height=128 steps=2"},
	} {
		runs, _ := Choose(cudatest.Program(t, "k.cu", c.text), nil, Choice{})
		require.NotEmpty(t, runs)
		var others []string
		for _, o := range runs[0].Others() {
			others = append(others, o.String())
		}
		for other := range strings.SplitSeq(c.others, ",") {
			assert.Contains(t, strings.Join(others, "\n"), other)
		}
	}
}
