package validate_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/validate"
)

// emitted is a program that a rewriter changes in one file.
func emitted(t *testing.T, old, rewriter string) string {
	t.Helper()
	res, err := rewrite.Run(program(t, old), rewrite.Options{Variant: rewrite.Variant{Rewriter: rewriter}})
	require.NoError(t, err)
	require.Len(t, res.Files, 1)
	return string(res.Files[0].After)
}

func proved(t *testing.T, old, now string) bool {
	return validate.Programs(program(t, old), program(t, now)).Proved()
}

const plane = `
template <class T> __device__ T scaled(T v, int by = 2) { return v * by; }
__device__ int other() { return 1; }
__global__ void k(const float *a, float *__restrict__ b, int n)
{
    float s = 0;
    for (int i = 0; i < n; i++) s += a[blockIdx.y * n + i];
    b[blockIdx.y * n + blockIdx.x] = scaled(s) + 101;
}
void run(float *a, float *b) { k<<<dim3(9, 9), 64>>>(a, b, 9); }
`

func TestUnrolledLoopsAreTheSame(t *testing.T) {
	assert.True(t, proved(t, plane, emitted(t, plane, "unroll")))
}

// TestSwizzledBlocks changes every unit of the new number, and what a kernel asks for beside it.
func TestSwizzledBlocks(t *testing.T) {
	now := emitted(t, plane, "swizzle")
	require.True(t, proved(t, plane, now))
	from := strings.Index(now, "const unsigned smux_number")
	to := from + strings.Index(now[from:], "float s = 0")
	other := map[string]string{"x": "y", "y": "x", "z": "x", "+": "-", "-": "+", "*": "+", "/": "%", "%": "/", "<": ">", ">": "<", "8u": "4u", "65536u": "65537u", "blockIdx": "gridDim", "gridDim": "blockDim", "smux_number": "smux_first", "smux_first": "smux_place", "smux_place": "smux_number"}
	mutants := 0
	for _, at := range regexp.MustCompile(`\w+|[-+*/%<>]`).FindAllStringIndex(now[from:to], -1) {
		at[0], at[1] = from+at[0], from+at[1]
		if by := other[now[at[0]:at[1]]]; by != "" {
			mutants++
			assert.False(t, proved(t, plane, now[:at[0]]+by+now[at[1]:]), "%s for %s at %d", by, now[at[0]:at[1]], at[0])
		}
	}
	assert.Greater(t, mutants, 40)
	for _, asked := range []string{"other()", "blockIdx.z", "cg::this_thread_block().thread_rank()", "cg::reduce(cg::tiled_partition<32>(cg::this_thread_block()), 1, cg::plus<int>())"} {
		assert.True(t, proved(t, strings.Replace(plane, "101", asked, 1), strings.Replace(now, "101", asked, 1)), asked)
	}
	for _, change := range [][]string{
		{"101", "102"}, {"return 1", "return blockIdx.x", "101", "other()"}, {"return v * by", "return v * by + blockIdx.y"},
		{"int by = 2", "int by = blockIdx.x"}, {"101", "elsewhere()"}, {"101", "cg::this_thread_block().group_index().x"}, {"101", "cg::thread_rank(cg::this_grid())"}, {"return v * by", `asm volatile("mov.u32 %0, %ctaid.x;" : "=r"(by)); return v * by`},
		{"template <class T>", "#define gridDim grid\ntemplate <class T>"}, {"float s = 0", "blockIdx.x; float s = 0"},
	} {
		change := strings.NewReplacer(change...)
		old := plane
		if strings.Contains(change.Replace("101"), "102") || change.Replace("float s = 0") != "float s = 0" {
			assert.False(t, proved(t, old, change.Replace(now)), change.Replace(now)) // in one of the two
			continue
		}
		assert.False(t, proved(t, change.Replace(old), change.Replace(now)), change.Replace(now))
	}
}

// TestSwizzlesArePermutations holds what the judge says of the formula to small planes.
func TestSwizzlesArePermutations(t *testing.T) {
	for n := 1; n < 6; n++ {
		for x := 1; x < 12; x++ {
			for y := 1; y < 7; y++ {
				seen := map[[2]int]bool{}
				for p := range x * y {
					first := p / (n * y) * n
					width, place := min(n, x-first), p%(n*y)
					at := [2]int{first + place%width, place / width}
					assert.True(t, at[0] < x && at[1] < y && !seen[at], "%d of %d x %d by %d", p, x, y, n)
					seen[at] = true
				}
			}
		}
	}
}

// TestLaunchesOfAnotherShape has kernels of which all threads of the launch do the same in blocks of another shape, and others.
func TestLaunchesOfAnotherShape(t *testing.T) {
	const text = `
#define INDEX (blockIdx.x * blockDim.x + threadIdx.x)
struct Num { float x; __device__ Num(float v) : x(v) {} __device__ operator float() const { return x; } };
__device__ float twice(float v) { return 2 * v; }
__device__ unsigned of(unsigned b) { return b * blockDim.x + threadIdx.x; }
__device__ int index() { return blockIdx.x * blockDim.x + threadIdx.x; }
__device__ int lane() { return threadIdx.x % 32; }
__device__ int total;
__device__ volatile int flag;
extern __shared__ float outside[];
template <class T> struct Dynamic { __device__ operator T *() { extern __shared__ int raw[]; return (T *)raw; } };
struct Meeting { int v; __device__ Meeting(int n) : v(n) { __syncthreads(); } };
__global__ void k(float *a, const float *b, int n, unsigned u, long long l)
{
    BODY
}
void run(float *a, float *b, int n) { k<<<(n + 63) / 64, 64>>>(a, b, n, 7, 7); }
`
	const index = "const int i = blockIdx.x * blockDim.x + threadIdx.x; "
	with := func(body string) string { return strings.Replace(text, "BODY", body, 1) }
	old := with(index + "if (i < n) a[i] = b[i];")
	now := emitted(t, old, "reshape")
	require.True(t, proved(t, old, now))
	judged := func(body string) bool {
		return proved(t, with(body), strings.Replace(now, index+"if (i < n) a[i] = b[i];", body, 1))
	}
	for _, body := range []string{
		"int i = threadIdx.x + blockDim.x * blockIdx.x; if (i < n) a[i] = twice(b[i]);",
		"for (int i = INDEX; i < n; i += blockDim.x * gridDim.x) a[i] = Num(b[i]) + 1;",
		"unsigned t = threadIdx.x, s = blockIdx.x * blockDim.x; size_t i = s + t; if (i < n) a[i] = 1;",
		"const unsigned first = u + blockIdx.x * blockDim.x; a[first + threadIdx.x] = 1;",
		"const unsigned i = (u * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x; a[i] = 1;",
		"int i = __mul24(blockIdx.x, blockDim.x) + threadIdx.x; if (i < n) atomicAdd(&total, 1);",
		"long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; if (i < l) a[i] = b[i];",
		"int i = index(); if (i < n) a[i] = b[i];",
		"int bx = blockIdx.x, tx = threadIdx.x, bd = blockDim.x; int i = bx * bd + tx; if (i < n) a[i] = 0;",
		"auto b2 = blockIdx.x; unsigned i = b2 * blockDim.x + threadIdx.x; a[i] = threadIdx.y + blockIdx.z;",
		index + "if (i >= n) return; float v = b[i]; v = v > 0 ? v : -v; a[i] = sqrtf(v);",
	} {
		assert.True(t, judged(body), body)
	}
	for _, body := range []string{
		"int i = blockIdx.x * 64 + threadIdx.x; if (i < n) a[i] = b[i];",
		index + "if (i < n) a[i] = b[threadIdx.x];",
		index + "if (i < n) a[i] = b[i]; if (threadIdx.x == 0) a[0] = 1;",
		index + "if (i < n) a[i] = blockDim.x;",
		index + "if (i < n) a[i] = gridDim.x;",
		index + "if (i < n) a[i] = b[i]; __syncthreads();",
		index + "if (i < n) a[i] = __shfl_down_sync(~0u, b[i], 1);",
		index + "__shared__ float s[64]; if (i < n) a[i] = s[i % 64];",
		index + "if (i < n) a[i] = i % warpSize;",
		index + "if (i < n) a[i] = lane();",
		index + "if (i < n) a[i] = of(blockIdx.x + 1);",
		index + "if (i < n) a[i] = *(volatile float *)&b[i];",
		index + `if (i < n) a[i] = b[i]; if (i == 0) printf("%d", i);`,
		index + "if (i < n) atomicAdd_block(&total, 1);",
		index + "if (i < n) a[i] = b[i]; __threadfence();",
		index + "if (i < n) a[i] = elsewhere(i);",
		"int i = blockIdx.x; i = i * blockDim.x + threadIdx.x; if (i < n) a[i] = b[i];",
		"short s = blockIdx.x; int i = s * blockDim.x + threadIdx.x; if (i < n) a[i] = b[i];",
		"float f = blockIdx.x; int i = f * blockDim.x + threadIdx.x; if (i < n) a[i] = b[i];",
		"int i = blockIdx.x * blockDim.x - threadIdx.x; if (i < n) a[i] = b[i];",
		"int i = blockIdx.x * blockDim.y + threadIdx.x; if (i < n) a[i] = b[i];",
		"int i = blockIdx.x * gridDim.x + threadIdx.x; if (i < n) a[i] = b[i];",
		"int i = blockIdx.x * blockDim.x + threadIdx.x + threadIdx.x; if (i < n) a[i] = b[i];",
		"int i = blockIdx.x * blockDim.x + (threadIdx.x & 31); if (i < n) a[i] = b[i];",
		"int i = n + blockIdx.x * (int)blockDim.x; i += threadIdx.x; if (i < n) a[i] = b[i];",
		"const unsigned first = u + blockIdx.x * blockDim.x; size_t i = first; a[i + threadIdx.x] = 1;",
		"float *p = a + blockIdx.x * blockDim.x; p[threadIdx.x] = 1;",
		"const uint3 t = threadIdx; int i = blockIdx.x * blockDim.x + t.x; if (i < n) a[i] = b[i];",
		"struct { unsigned x; } threadIdx; threadIdx.x = 0; int i = blockIdx.x * blockDim.x + threadIdx.x; a[i] = 1;",
		index + "if (i < n) a[i] = outside[i % 64];",
		index + "if (i < n) a[i] = flag;",
		index + "float *s = Dynamic<float>(); if (i < n) a[i] = s[i % 64];",
		index + "Dynamic<float> s; if (i < n) a[i] = s[i % 64];",
		index + "Meeting m(i); if (i < n) a[i] = m.v;",
		index + "if (i < n) a[i] = Meeting(i).v;",
		index + "auto f = [&](int j) { return j + threadIdx.x; }; if (i < n) a[i] = f(i);",
		index + "if (i < n) [&] { a[i] = threadIdx.x; }();",
		index + "while (atomicAdd(&total, 0) < i) {} a[i] = 1;",
	} {
		assert.False(t, judged(body), body)
	}
	for _, change := range [][2]string{
		{"smux::reshape<128>(k, (n + 63) / 64, 64)", "smux::reshape<128>(k, (n + 63) / 64, 32)"},
		{"smux::reshape<128>(k, (n + 63) / 64, 64)", "smux::reshape<128>(k, (n + 62) / 64, 64)"},
		{"smux::reshape<128>(k,", "smux::reshape<128>(run,"},
		{"smux::reshape<128>(k,", "smux::reshape<128>(1024,"},
		{"<<<smux_launch.grid, smux_launch.block>>>", "<<<smux_launch.block, smux_launch.grid>>>"},
		{"<<<smux_launch.grid, smux_launch.block>>>", "<<<smux_launch.grid, smux_launch.block, 64>>>"},
		{"(a, b, n, 7, 7); }", "(b, a, n, 7, 7); }"},
		{"x % to.x == 0 &&", ""},
	} {
		require.Contains(t, now, change[0])
		assert.False(t, proved(t, old, strings.Replace(now, change[0], change[1], 1)), change[1])
	}
}
