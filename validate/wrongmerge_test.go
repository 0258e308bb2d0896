package validate_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/validate"
)

// A kernel, a rewrite of it that is right, and what makes it wrong: a replacement in the rewrite, or in both texts, of
// which the rewrite is wrong then as it stands.
var wrongMerges = []wrongMergeCase{
	{"a guard at the end", `__global__ void k(const float *in, float *out, int n)
{
    __shared__ float s[64];
    const int t = threadIdx.x, i = blockIdx.x * 64 + t;
    if (i < n) {
        s[t] = in[i];
        __syncthreads();
        out[i] = s[63 - t];
    }
    if (n > 3) out[i] += 1;
}
void run(const float *in, float *out, int blocks, int n) { k<<<blocks, 64>>>(in, out, n); }
`, block, []wrongMerge{
		{"a barrier behind it", true, "    if (n > 3)", "    __syncthreads();\n    if (n > 3)", validate.Uniform},
		{"a barrier in a loop behind it", true, "    if (n > 3)", "    for (int r = 0; r < 3; ++r) __syncthreads();\n    if (n > 3)", validate.Uniform},
		{"a guard in a loop", true, "    if (i < n) {", "    for (int r = 0; r < 3; ++r) if (i < n) {", validate.Uniform},
		{"a barrier in its other branch", true, "    if (n > 3) ", "    else { __syncthreads(); }\n    if (n > 3) ", validate.Uniform},
	}, ""},
	{"exits in turns", `__global__ void k(const float *in, float *out)
{
    __shared__ float s[64];
    s[threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x];
    __syncthreads();
    if (blockIdx.x == 3) return;
    out[blockIdx.x * 64 + threadIdx.x] = s[63 - threadIdx.x];
}
void run(const float *in, float *out, int blocks) { k<<<blocks, 64>>>(in, out); }
`, block, []wrongMerge{
		{"in the turn of any", false, "        if (vtb.id == turn) {\n            if (blockIdx.x == 3) return;\n", "        if (blockIdx.x == 3) return;\n        if (vtb.id == turn) {\n", validate.Turns},
		{"behind the turn", false, "            if (blockIdx.x == 3) return;\n", "", validate.Erasure},
	}, ""},
	{"what a block loads from one place", `__global__ void k(const float *in, float *out, const int *rounds)
{
    __shared__ float s[64];
    const int t = threadIdx.x, n = rounds[blockIdx.x];
    if (n == 0) return;
    s[t] = in[blockIdx.x * 64 + t];
    __syncthreads();
    out[blockIdx.x * 64 + t] = s[63 - t];
}
void run(const float *in, float *out, const int *rounds, int blocks) { k<<<blocks, 64>>>(in, out, rounds); }
`, locks, []wrongMerge{
		{"from several places", true, "rounds[blockIdx.x]", "rounds[blockIdx.x * 2 + t % 2]", validate.Uniform},
		{"from memory that changes", true, "const int *rounds", "const volatile int *rounds", validate.Uniform},
		{"from memory that others count in", true, "    if (n == 0)", "    atomicAdd((int *)rounds, 1);\n    if (n == 0)", validate.Uniform},
		{"from memory that a function out of view may change", true, "    if (n == 0)", "    cuda::atomic_ref<int>(rounds[0]).fetch_add(1);\n    if (n == 0)", validate.Uniform},
		{"by an address of its own", true, "    if (n == 0)", "    const int own[1] = {t};\n    rounds = own;\n    if (n == 0)", validate.Uniform},
	}, ""},
	{"a member that is a number", `struct Where { float *to; float part[4]; };
__global__ void k(float *a)
{
    __shared__ Where w;
    for (int i = 0; i < 3; ++i) {
        if (threadIdx.x < 4) w.part[threadIdx.x] = a[threadIdx.x + i];
        __syncthreads();
        a[blockIdx.x * 64 + threadIdx.x] += w.part[threadIdx.x % 4];
        __syncthreads();
    }
}
void run(float *a, int blocks) { k<<<blocks, 64>>>(a); }
`, locks, []wrongMerge{
		{"an address of it outside of a turn", true, "__shared__ Where w;\n", "__shared__ Where w;\n    float *q;\n    q = w.part + 1;\n    *q = 1;\n", validate.Turns},
		{"one of two addresses outside of a turn", true, "__shared__ Where w;\n", "__shared__ Where w;\n    a[1] += *(a[0] > 3 ? w.part : a);\n", validate.Turns},
		{"an address kept in an array", true, "__shared__ Where w;\n", "__shared__ Where w;\n    float *q[2];\n    q[1] = w.part;\n    *q[1] = 1;\n", validate.Turns},
	}, ""},
	{"a shape along z", `__global__ void k(const float *a, float *out)
{
    __shared__ float s[4][64];
    const int t = threadIdx.y * 16 + threadIdx.x;
    s[threadIdx.z][t] = a[(blockIdx.x * blockDim.z + threadIdx.z) * 64 + t];
    __syncthreads();
    out[(blockIdx.x * blockDim.z + threadIdx.z) * 64 + t] = s[3 - threadIdx.z][t];
}
void run(const float *a, float *out, int blocks) { k<<<blocks, dim3(16, 4, 4)>>>(a, out); }
`, rewrite.Variant{Rewriter: "vtb", Sync: "lock", Assume: true}, []wrongMerge{
		{"of the merged block", false, "    const dim3 blockDim = vtb.dim;\n", "", validate.Builtins},
		{"another", false, "blockDim.z == 4", "blockDim.z == 8", validate.Erasure},
		{"numbers of the merged block", false, "    const uint3 threadIdx = vtb.thread;\n", "", validate.Builtins},
	}, ""},
	{"a name that is taken", `__global__ void k(const float *in, float *out, int turn)
{
    __shared__ float s[64];
    s[threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x];
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = s[63 - threadIdx.x] * turn;
}
void run(const float *in, float *out, int blocks) { k<<<blocks, 64>>>(in, out, 3); }
`, block, []wrongMerge{
		{"for turns", false, "turn2", "turn", validate.Erasure},
		{"by a macro", true, "#include", "#define TAKEN turn2\n#include", validate.Erasure},
	}, ""},
	{"a body without braces", `__global__ void k(const float *in, float *out, int mode)
{
    __shared__ float s[64];
    const int t = threadIdx.x;
    float v = in[blockIdx.x * 64 + t];
    if (mode == 0) v = 1;
    else
        s[t] = v, v += s[t];
    out[blockIdx.x * 64 + t] = v;
}
void run(const float *in, float *out, int blocks, int mode) { k<<<blocks, 64>>>(in, out, mode); }
`, block, []wrongMerge{
		{"in the turn of any", false, "{ if (vtb.id == turn) s[t] = v, v += s[t]; }", "{ s[t] = v, v += s[t]; }", validate.Erasure},
		{"with a statement more", false, "{ if (vtb.id == turn) s[t] = v, v += s[t]; }", "{ if (vtb.id == turn) s[t] = v, v += s[t]; v *= 2; }", validate.Erasure},
		{"in the turn of another", false, "{ if (vtb.id == turn)", "{ if (vtb.id == 0)", validate.Erasure},
	}, ""},
	{"a loop that all leave", `__global__ void k(const int *in, int *out, int levels, int n)
{
    __shared__ int s[64];
    const int t = threadIdx.x;
    s[t] = in[blockIdx.x * 64 + t];
    for (int l = 0; l < 6; ++l) {
        if (l == levels) break;
        __syncthreads();
        const int add = s[(t + l) % 64];
        __syncthreads();
        s[t] += add;
    }
    for (; n > 0;) {
        n -= 1 + (s[t] > 3);
    }
    out[blockIdx.x * 64 + t] = n;
}
void run(const int *in, int *out, int blocks) { k<<<blocks, 64>>>(in, out, 5, 9); }
`, block, []wrongMerge{
		{"for some threads", true, "l == levels", "l == levels + t", validate.Uniform},
		{"for some blocks", true, "l == levels", "l == levels + blockIdx.x", validate.Uniform},
		{"by what is in shared memory", true, "l == levels", "l == s[0]", validate.Turns},
		{"a loop that ends in the turn of its block", false, "            for (; n > 0;) {\n                n -= 1 + (s[t] > 3);\n            }\n", "        }\n        for (; n > 0;) {\n            if (vtb.id == turn) n -= 1 + (s[t] > 3);\n        }\n        if (vtb.id == turn) {\n", validate.Uniform},
	}, ""},
	{"a variable that hides another", `__global__ void k(const int *in, int *out, int n)
{
    __shared__ int s[64];
    int t = threadIdx.x, v = 5;
    s[t] = in[blockIdx.x * 64 + t];
    __syncthreads();
    for (int i = 0; i < n / 16; i++) { int v = s[63 - t]; __syncthreads(); s[t] = v + i; __syncthreads(); }
    out[blockIdx.x * 64 + t] = s[t ^ 1] + v;
}
void run(const int *in, int *out, int blocks) { k<<<blocks, 64>>>(in, out, 9); }
`, block, []wrongMerge{
		{"for longer", false, "for (int i = 0; i < n / 16; i++) { int v;", "int v;\n        for (int i = 0; i < n / 16; i++) {", validate.Erasure},
		{"not set behind its declaration", false, "{ int v;\n        if (vtb.id == turn) v =", "{ int v;\n        if (vtb.id == turn) s[t] += v;\n        if (vtb.id == turn) v =", validate.Erasure},
		{"the hidden one set", false, "{ int v;\n", "{\n", validate.Erasure},
	}, ""},
	{"a variable that hides one of all kernels", `__device__ int w = 3;
__global__ void k(const int *in, int *out)
{
    __shared__ int s[64];
    const int t = threadIdx.x;
    s[t] = in[blockIdx.x * 64 + t];
    __syncthreads();
    out[blockIdx.x * 64 + t] = w;
    const int x = s[63 - t];
    __syncthreads();
    out[blockIdx.x * 64 + t] += x;
}
void run(const int *in, int *out, int blocks) { k<<<blocks, 64>>>(in, out); }
`, block, []wrongMerge{
		{"from too early on", true, "int x", "int w", validate.Erasure},
	}, ""},
	{"stores that wait", `#define COUNT 200
__global__ void k(const float *in, float *out, int n)
{
    __shared__ float s[COUNT], u[COUNT];
    int t = threadIdx.x;
    for (int round = 0; round < n; ++round) {
        const float scale = in[round] * 2;
        u[t] = scale * t;
        for (int i = t; i < COUNT; i += 64) {
            float sum = 0;
            for (int j = 0; j < n; ++j) sum += in[i + j];
            s[i] = sum * scale;
        }
        float last = in[t];
        for (unsigned i = 1; i < 3; ++i)
            u[i * 64 + t] = last * in[i];
        __syncthreads();
        out[t] += s[COUNT - 1 - t] + u[t ^ 1];
        __syncthreads();
    }
}
void run(const float *in, float *out) { k<<<9, 64>>>(in, out, 5); }
`, rewrite.Variant{Rewriter: "vtb", Sync: "lock", Compute: true}, []wrongMerge{
		{"made in another order", false, "        u[t] = smux_v1;\n", "", validate.Erasure},
		{"made where their place is another", true, "        float last = in[t];\n", "        float last = in[t];\n        t ^= 1;\n", validate.Moves},
		{"not made where a jump passes them", true, "        float last = in[t];\n", "        float last = in[t];\n        if (last > 9) continue;\n", validate.Moves},
		{"made where the function is left", true, "        float last = in[t];\n", "        float last = in[t];\n        if (n > 9) return;\n", validate.Moves},
		{"of too few iterations", false, "smux_n2 < 4", "smux_n2 < 3", validate.Moves},
		{"of iterations that the original has not", false, "if (i < COUNT) s[i]", "s[i]", validate.Moves},
		{"of other iterations", false, "if (i < COUNT) s[i]", "if (i < COUNT - 64) s[i]", validate.Moves},
		{"put aside in other iterations", false, "++smux_n2) if (i < COUNT) {", "++smux_n2) if (i < COUNT - 64) {", validate.Erasure},
		{"put aside in the next element", false, "smux_v3[smux_n2] = ", "smux_v3[smux_n2 ^ 1] = ", validate.Moves},
	}, ""},
	{"turns that begin with a barrier of the original", `__global__ void k(const float *in, float *out)
{
    __shared__ float s[64];
    const int t = threadIdx.x, i = blockIdx.x * 64 + t;
    out[i] = in[i];
    __syncthreads();
    s[t] = out[i ^ 1];
    __syncthreads();
    out[i] = s[63 - t];
}
void run(const float *in, float *out, int blocks) { k<<<blocks, 64>>>(in, out); }
`, block, []wrongMerge{
		{"a value from before it", false, "    __syncthreads();\n    const float smux_v1 = out[i ^ 1];\n    #pragma unroll\n    for (int turn = 0; turn < 2; ++turn) {  // turns with s\n",
			"    const float smux_v1 = out[i ^ 1];\n    #pragma unroll\n    for (int turn = 0; turn < 2; ++turn) {\n        __syncthreads();\n", validate.Moves},
	}, ""},
	{"loops that go equally far", `__global__ void k(const float *a, float *c, int wa, int wb)
{
    __shared__ float s[64];
    const int t = threadIdx.x, begin = wa * blockIdx.x, end = begin + wa - 1;
    float sum = 0;
    for (int i = begin, j = t; i <= end; i += 64, j += wb) {
        s[t] = a[i + j];
        __syncthreads();
        sum += s[63 - t];
        __syncthreads();
    }
    c[64 * blockIdx.x + t] = sum;
}
void run(const float *a, float *c, int n) { k<<<n / 64, 64>>>(a, c, n, n); }
`, named, []wrongMerge{
		{"to an end of its own", true, "end = begin + wa - 1", "end = wa + wa - 1", validate.Uniform},
		{"the other way", true, "end = begin + wa - 1", "end = wa - begin - 1", validate.Uniform},
		{"by steps of their own", true, "i += 64", "i += begin", validate.Uniform},
		{"of numbers that wrap", true, "int i = begin", "unsigned i = begin", validate.Uniform},
		{"to an end that wraps", true, "end = begin + wa - 1", "end = begin + wa - 1u", validate.Uniform},
		{"to an end that moves", true, "        sum += s", "        end += t;\n        sum += s", validate.Uniform},
		{"with a counter that moves", true, "        sum += s", "        i += t;\n        sum += s", validate.Uniform},
		{"from numbers that wrap", true, "int t = threadIdx.x, begin", "unsigned t = threadIdx.x, begin", validate.Uniform},
	}, ""},
	{"an address in one slot", `__global__ void k(const float *in, float *out)
{
    __shared__ float s[68], other[32];
    const int t = threadIdx.x;
    float v = in[blockIdx.x * 64 + t];
    s[t] = v;
    __syncthreads();
    v += s[63 - t];
    __syncthreads();
    if (t < 32) other[t] = v;
    float *half = s + 34;
    half[t / 2] = v;
    __syncthreads();
    out[blockIdx.x * 64 + t] = half[t / 2] + other[t & 31];
}
void run(const float *in, float *out, int blocks) { k<<<blocks, 64>>>(in, out); }
`, slots, []wrongMerge{
		{"an address from the turn before", false, "    vtb.release();  // s\n    vtb.acquire();", "    float *half = s + 34;\n    vtb.release();  // s\n    vtb.acquire();", validate.Erasure},
		{"a turn more behind it", false, "    float *half = s + 34;\n", "    float *half = s + 34;\n    vtb.release();\n    vtb.acquire();\n    s = smux_s[vtb.slot()];\n    other = smux_other[vtb.slot()];\n", validate.Copies},
		{"an array that is not set", false, "    s = smux_s[vtb.slot()];\n    s[t]", "    s[t]", validate.Copies},
		{"an array that is not set in the second turn", false, "    other = smux_other[vtb.slot()];\n", "", validate.Copies},
	}, ""},
	{"an object that is an address", `template <typename T> struct Shared {
    __device__ operator T *() { extern __shared__ int raw[]; return (T *)raw; }
};
template <typename T> __global__ void k(const T *in, T *out)
{
    T *s = Shared<T>();
    const int t = threadIdx.x;
    s[t] = in[blockIdx.x * blockDim.x + t];
    __syncthreads();
    out[blockIdx.x * blockDim.x + t] = s[blockDim.x - 1 - t];
}
void run(const float *in, float *out, int blocks) { k<float><<<blocks, 64, 64 * sizeof(float)>>>(in, out); }
`, locks, []wrongMerge{
		{"of another memory for some types", true, "return (T *)raw; }\n};", "return (T *)raw; }\n};\n__device__ double kept[64];\ntemplate <> struct Shared<double> { __device__ operator double *() { return kept; } };", validate.Moves},
		{"of one of two memories", true, "return (T *)raw;", "return sizeof(T) > 4 ? (T *)raw : (T *)kept;", validate.Moves},
		{"that the kernel was given", true, "return (T *)raw;", "raw[0] = 0; return (T *)raw;", validate.Moves},
	}, ""},
	{"a block that stays", ownSums, rewrite.Variant{Rewriter: "vtb", Sync: "lock", Persistent: true}, []wrongMerge{
		{"what each v-TB begins with, once for all", false,
			"    for (; vtb.active; vtb.next()) {\n        const uint3 blockIdx = vtb.block;\n        const uint3 threadIdx = vtb.thread;\n        float sum = 0;\n",
			"    float sum = 0;\n    for (; vtb.active; vtb.next()) {\n        const uint3 blockIdx = vtb.block;\n        const uint3 threadIdx = vtb.thread;\n", validate.Erasure},
		{"a store behind the loop", false, "        out[blockIdx.x * 64 + threadIdx.x] = sum;\n    }", "    }\n    out[blockIdx.x * 64 + threadIdx.x] = 0;", validate.Erasure},
	}, ""},
	{"copies of an array that has the name of another one", ownSums, rewrite.Variant{Rewriter: "merge", Sync: "block"}, []wrongMerge{
		{"chosen behind a use", false, "    auto s = smux_s[vtb.id];\n    s[threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x];\n",
			"    s[threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x];\n    auto s = smux_s[vtb.id];\n", validate.Erasure},
	}, ""},
}

// ownSums is a kernel of which each block begins with a number of its own, and uses an array that hides another one.
const ownSums = `__device__ float s[64];
__global__ void k(const float *in, float *out, int n)
{
    float sum = 0;
    __shared__ float s[64];
    s[threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x];
    __syncthreads();
    for (int i = 0; i < n; i++) sum += s[(threadIdx.x + i) & 63];
    out[blockIdx.x * 64 + threadIdx.x] = sum;
}
void run(const float *in, float *out, int blocks, int n) { k<<<blocks, 64>>>(in, out, n); }
`

type wrongMergeCase struct {
	name, text string
	variant    rewrite.Variant
	wrongs     []wrongMerge
	without    string // taken out of the emitted text first, "" for nothing
}

type wrongMerge struct {
	name     string
	both     bool
	old, new string
	breaks   validate.Condition
}

func TestWrongMerges(t *testing.T) {
	for _, c := range slices.Concat(wrongMerges, wrongValues) {
		t.Run(c.name, func(t *testing.T) {
			old := program(t, c.text)
			res, err := rewrite.Run(old, rewrite.Options{Variant: c.variant, Runtime: "header"})
			require.NoError(t, err)
			require.Len(t, res.Files, 1, "%+v", res.Kernels)
			now := string(res.Files[0].After)
			if c.without != "" {
				require.Contains(t, now, c.without)
				now = strings.ReplaceAll(now, c.without, "")
			}
			r := validate.Programs(old, program(t, now))
			require.True(t, r.Proved(), "%s\n%s", doubts(r), now)
			for _, w := range c.wrongs {
				t.Run(w.name, func(t *testing.T) {
					before := c.text
					if w.both {
						before = strings.ReplaceAll("#include <cmath>\n"+before, w.old, w.new)
					} else {
						require.Contains(t, now, w.old)
					}
					after := now
					if w.both {
						after = "#include <cmath>\n" + after
					}
					r := validate.Programs(program(t, before), program(t, strings.ReplaceAll(after, w.old, w.new)))
					refused(t, r, w.breaks)
				})
			}
		})
	}
}
