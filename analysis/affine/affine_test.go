package affine_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/affine"
	"github.com/smux-cuda/smux/lab/cudatest"
)

// of analyses the one kernel of a source text.
func of(t testing.TB, src string, shape [3]int) (*analysis.Kernel, *affine.Kernel) {
	t.Helper()
	ks := analysis.NewProgram(cudatest.Program(t, "k.cu", src), shape).Kernels()
	require.Len(t, ks, 1)
	return ks[0], affine.Of(ks[0], ks[0].Instances[0], [3]int{})
}

// forms lists the accesses of a kernel, one a line.
func forms(k *affine.Kernel) string {
	var b strings.Builder
	for _, x := range k.Accesses {
		n, exact := x.Sectors(k.Shape)
		about := ""
		if !exact {
			about = " about"
		}
		fmt.Fprintf(&b, "%s %s%s [%s]%s %g\n", [...]string{"load", "store", "atomic"}[x.Kind], x.Array.Name(), x.Field, x.Address, about, n)
	}
	return b.String()
}

func TestFormsOfAddresses(t *testing.T) {
	for _, c := range []struct {
		name, src string
		shape     [3]int
		want      string
	}{
		{"locals are looked through", `__global__ void k(float *a, int n) { int row = blockIdx.y * blockDim.y + threadIdx.y; int col = threadIdx.x; a[row * n + col + 1] = 0; }`,
			[3]int{16, 16, 1}, "store a [4*threadIdx.x + 4*n*threadIdx.y + 64*n*blockIdx.y + 4] 6\n"},
		{"blockDim stays a symbol without a shape", `__global__ void k(float *a) { a[blockIdx.x * blockDim.x + threadIdx.x] = 0; }`,
			[3]int{}, "store a [4*threadIdx.x + 4*blockDim.x*blockIdx.x] about 4\n"},
		{"a counter is a multiple of the iteration", `__global__ void k(const float *a, float *o, int n) { float s = 0; for (int i = threadIdx.x; i < n; i += 32) s += a[i]; o[threadIdx.x] = s; }`,
			[3]int{32, 1, 1}, "load a [4*threadIdx.x + 128*i@0] 4\nstore o [4*threadIdx.x] 4\n"},
		{"a pointer walks", `__global__ void k(const float *a, float *o, int n, int w) { const float *p = a + threadIdx.x; float s = 0; for (int i = 0; i < n; i++) { s += *p; p += w; } o[threadIdx.x] = s; }`,
			[3]int{32, 1, 1}, "load a [4*threadIdx.x + 4*w*i@0] 4\nstore o [4*threadIdx.x] 4\n"},
		{"post-increment", `__global__ void k(const int *a, int *o, int n) { for (int i = 0; i < n; i++) *o++ = *a++; }`,
			[3]int{32, 1, 1}, "load a [4*i@0] 1\nstore o [4*i@0] 1\n"},
		{"a loop leaves its counter behind", `__global__ void k(float *a) { int i; for (i = 0; i < 8; i += 3); a[i] = 0; }`,
			[3]int{32, 1, 1}, "store a [36] 1\n"},
		{"functions of the thread are enumerated", `__global__ void k(float *a, int n) { a[threadIdx.x / 16 * n + threadIdx.x % 16] = 0; }`,
			[3]int{64, 1, 1}, "store a [4*n*(threadIdx.x / 16) + 4*(threadIdx.x % 16)] 4\n"},
		{"a clamp gives way", `__global__ void k(const float *a, float *o, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; int l = i == 0 ? 0 : i - 1; int r = min(i + 1, n - 1); o[i] = a[l] + a[r]; }`,
			[3]int{32, 1, 1}, "load a [4*threadIdx.x + 128*blockIdx.x - 4] 5\nload a [4*threadIdx.x + 128*blockIdx.x + 4] 5\nstore o [4*threadIdx.x + 128*blockIdx.x] 4\n"},
		{"loaded indices are data", `__global__ void k(const int *i, const float *a, float *o) { o[threadIdx.x] = a[i[threadIdx.x]]; }`,
			[3]int{32, 1, 1}, "load i [4*threadIdx.x] 4\nload a [4*i[4*threadIdx.x]] about 32\nstore o [4*threadIdx.x] 4\n"},
		{"an unknown stride takes a sector a lane", `__global__ void k(float *a, int n) { a[threadIdx.x * n] = 0; }`,
			[3]int{32, 1, 1}, "store a [4*n*threadIdx.x] 32\n"},
		{"components of vectors", `__global__ void k(const float4 *a, float *o) { o[threadIdx.x] = a[threadIdx.x].x + a[threadIdx.x].w; }`,
			[3]int{32, 1, 1}, "load a [16*threadIdx.x] 16\nload a [16*threadIdx.x + 12] 16\nstore o [4*threadIdx.x] 4\n"},
		{"device functions are entered", `__device__ float at(const float *p, int i) { return p[i + 2]; } __global__ void k(const float *a, float *o) { o[threadIdx.x] = at(a + 8, threadIdx.x * 2); }`,
			[3]int{32, 1, 1}, "load a [8*threadIdx.x + 40] 9\nstore o [4*threadIdx.x] 4\n"},
		{"arrays of more dimensions", `__constant__ float c[4][8]; __global__ void k(float *o) { o[threadIdx.x] = c[2][threadIdx.x]; }`,
			[3]int{8, 1, 1}, "load c [4*threadIdx.x + 64] 1\nstore o [4*threadIdx.x] 1\n"},
		{"casts change the element", `__global__ void k(const float *a, float4 *o) { o[threadIdx.x] = ((const float4 *)a)[threadIdx.x]; }`,
			[3]int{32, 1, 1}, "load a [16*threadIdx.x] 16\nstore o [16*threadIdx.x] 16\n"},
		{"members of parameters", `struct P { int w; float *a; }; __global__ void k(P p) { p.a[threadIdx.x] = p.w; }`,
			[3]int{32, 1, 1}, "store p.a [4*threadIdx.x] about 4\n"},
		{"members of elements", `struct P { float x, y; }; __global__ void k(const P *p, float *o) { o[threadIdx.x] = p[threadIdx.x].x * p[threadIdx.x].y; }`,
			[3]int{32, 1, 1}, "load p.x [8*threadIdx.x] 8\nload p.y [8*threadIdx.x] 8\nstore o [4*threadIdx.x] 4\n"},
		{"rows and columns out of a linear number", `__global__ void k(const float *a, float *o, int w) { int i = blockIdx.x * blockDim.x + threadIdx.x; int x = i % w, y = i / w; o[i] = a[(y + 1) * w + x - 1]; }`,
			[3]int{32, 1, 1}, "load a [4*w + 4*threadIdx.x + 128*blockIdx.x - 4] 5\nstore o [4*threadIdx.x + 128*blockIdx.x] 4\n"},
		{"cooperative groups", `__global__ void k(float *o) { cg::thread_block b = cg::this_thread_block(); auto g = cg::this_grid(); o[b.thread_rank()] = o[g.thread_rank()] + o[b.thread_index().y + b.size()]; }`,
			[3]int{16, 4, 1}, "load o [4*threadIdx.x + 256*blockIdx.x + 64*threadIdx.y] 4\nload o [4*threadIdx.y + 256] 1\nstore o [4*threadIdx.x + 64*threadIdx.y] 4\n"},
		{"threads that a condition keeps out touch nothing", `__global__ void k(float *o) { if (threadIdx.x >= 8) return; o[threadIdx.x] = 0; }`,
			[3]int{32, 1, 1}, "store o [4*threadIdx.x] 1\n"},
		{"what is changed on one path only is data", `__global__ void k(float *o, int n) { int i = threadIdx.x; if (n > 3) i = i * 2; o[i] = 0; }`,
			[3]int{32, 1, 1}, "store o [4*i'1] about 32\n"},
		{"what a loop doubles is data", `__global__ void k(float *o, int n) { for (int s = 1; s < n; s *= 2) o[s] = 0; }`,
			[3]int{32, 1, 1}, "store o [4*s'1] 1\n"},
		{"typedefs, macros and structs have sizes", `typedef double real;
#define T2 real
struct P { char c; real d[2]; }; __global__ void k(real *a, T2 *b, P *p) { a[threadIdx.x] = b[threadIdx.x] + p[threadIdx.x].c; }`,
			[3]int{32, 1, 1}, "load b [8*threadIdx.x] 8\nload p.c [24*threadIdx.x] 24\nstore a [8*threadIdx.x] 8\n"},
		{"a loop from a negative number", `__global__ void k(const float *a, float *o) { float s = 0; for (int j = -1; j <= 1; j++) s += a[threadIdx.x + j]; o[threadIdx.x] = s; }`,
			[3]int{32, 1, 1}, "load a [4*threadIdx.x + 4*j@0 - 4] 5\nstore o [4*threadIdx.x] 4\n"},
		{"one of two pointers is one of unknown origin", `__global__ void k(float *a, float *b, int n) { float r[2]; float *p = n > 3 ? a : b; r[0] = p[threadIdx.x]; p[0] = r[0]; }`,
			[3]int{32, 1, 1}, "load  [0] about 1\nstore  [0] about 1\n"},
		{"pointers to rows", `__global__ void k(const float (*__restrict__ a)[40], float o[][3][40]) { o[threadIdx.y][2][threadIdx.x] = a[threadIdx.y + 1][threadIdx.x] + (*a)[1]; }`,
			[3]int{16, 2, 1}, "load a [4*threadIdx.x + 160*threadIdx.y + 160] 4\nload a [4] 1\nstore o [4*threadIdx.x + 480*threadIdx.y + 320] 4\n"},
		{"a row of rows", `__device__ float at(const float (*p)[40], int i) { const float *row = p[i]; return row[2]; } __global__ void k(const float (*a)[40], float *o) { o[threadIdx.x] = at(a, threadIdx.x) + at(a + 1, 0); }`,
			[3]int{32, 1, 1}, "load a [160*threadIdx.x + 8] 32\nload a [168] 1\nstore o [4*threadIdx.x] 4\n"},
		{"an array of pointers has no rows", `__global__ void k(float *a[40], float *o) { o[threadIdx.x] = a[1][threadIdx.x]; }`,
			[3]int{32, 1, 1}, "load a [8] 1\nload  [4*threadIdx.x] 4\nstore o [4*threadIdx.x] 4\n"},
		{"casts to pointers to rows", `__global__ void k(const float *a, float *o) { o[threadIdx.x] = ((const float (*)[40])a)[threadIdx.x][1]; }`,
			[3]int{32, 1, 1}, "load a [160*threadIdx.x + 4] 32\nstore o [4*threadIdx.x] 4\n"},
		{"atomics", `__global__ void k(int *h, const unsigned char *d) { atomicAdd(&h[d[threadIdx.x]], 1); }`,
			[3]int{32, 1, 1}, "load d [threadIdx.x] 1\natomic h [4*d[threadIdx.x]] about 32\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, k := of(t, c.src, c.shape)
			assert.Equal(t, c.want, forms(k))
		})
	}
}
