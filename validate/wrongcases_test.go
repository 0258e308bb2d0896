package validate_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/validate"
)

// wrongCase is a kernel, the rewrites of it that are right, and the same with one thing wrong.
type wrongCase struct {
	name, text string
	rights     []rewrite.Variant
	wrongs     []wrong
}

// wrongCases are kernels whose rewrites take a condition of their own, each with what rewriters could do wrong with it.
var wrongCases = []wrongCase{
	{"branches of #if", `__global__ void k(const float *in, float *out)
{
    __shared__ float s[64];
    const int t = threadIdx.x;
    float v = in[blockIdx.x * 64 + t];
#ifdef TWICE
    s[t] = v;
    __syncthreads();
    v += s[t ^ 1];
    __syncthreads();
#else
    v *= 2.0f;
#endif
    s[t] = v;
    __syncthreads();
    out[blockIdx.x * 64 + t] = s[63 - t];
}
void run(const float *in, float *out, int blocks) { k<<<blocks, 64>>>(in, out); }
`, []rewrite.Variant{named, locks, block, apart}, []wrong{
		{"a turn that begins in one branch only", named, "    vtb.release();  // s\n#else\n    v *= 2.0f;\n#endif\n    vtb.acquire();  // guards s\n", "#else\n    v *= 2.0f;\n#endif\n", validate.Turns},
		{"a barrier of a branch dropped", named, "    vtb.sync();\n    v += s[t ^ 1];", "    v += s[t ^ 1];", validate.Moves},
		{"the branches changed places", named, "#ifdef TWICE", "#ifndef TWICE", validate.Erasure},
		{"a statement in the other branch", named, "#else\n    v *= 2.0f;\n", "    v *= 2.0f;\n#else\n", validate.Erasure},
		{"a statement behind the branches", named, "    v *= 2.0f;\n#endif\n", "#endif\n    v *= 2.0f;\n", validate.Erasure},
		{"a branch gone", named, "#else\n    v *= 2.0f;\n#endif\n", "#endif\n", validate.Erasure},
		{"a turn too few in a branch", block, "        if (vtb.id == turn) s[t] = v;\n", "        if (vtb.id == 0) s[t] = v;\n", validate.Erasure},
	}},
	{"exits of the whole grid", `__global__ void k(const float *in, float *out, int n)
{
    __shared__ float s[64];
    if (n == 0) return;
    const int t = threadIdx.x;
    s[t] = in[blockIdx.x * 64 + t];
    __syncthreads();
    out[blockIdx.x * 64 + t] = s[63 - t];
}
void run(const float *in, float *out, int blocks, int n) { k<<<blocks, 64>>>(in, out, n); }
`, []rewrite.Variant{named, locks, block}, []wrong{
		{"an exit of some threads", named, "if (n == 0)", "if (n == 0 + threadIdx.x)", validate.Erasure},
		{"an exit in the ring", named, "    if (n == 0) return;\n    const int t = threadIdx.x;\n    vtb.start();\n", "    vtb.start();\n    if (n == 0) return;\n    const int t = threadIdx.x;\n", validate.Turns},
		{"an exit in a turn", named, "    if (n == 0) return;\n    const int t = threadIdx.x;\n    vtb.start();\n", "    vtb.start();\n    vtb.acquire();\n    if (n == 0) return;\n    const int t = threadIdx.x;\n    vtb.release();\n", validate.Turns},
	}},
	{"cooperative groups", `#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void k(const float *in, float *out)
{
    __shared__ float s[64];
    cg::thread_block all = cg::this_thread_block();
    cg::thread_block_tile<32> warp = cg::tiled_partition<32>(all);
    const unsigned t = all.thread_rank();
    s[t] = in[all.group_index().x * all.size() + all.thread_index().x] + warp.thread_rank();
    all.sync();
    float v = s[63 - t];
    cg::this_thread_block().sync();
    s[t] = v;
    cg::sync(all);
    out[blockIdx.x * 64 + t] = s[t ^ 1] + 10 * warp.meta_group_rank() + warp.meta_group_size();
}
void run(const float *in, float *out, int blocks) { k<<<blocks, 64>>>(in, out); }
`, []rewrite.Variant{named, locks, block}, []wrong{
		{"which tile of the merged block", block, "(vtb.thread_rank() / warp.size())", "warp.meta_group_rank()", validate.Erasure},
		{"how many tiles the merged block has", named, "(vtb.size() / warp.size())", "warp.meta_group_size()", validate.Erasure},
		{"which tile for how many", named, "(vtb.size() / warp.size())", "(vtb.thread_rank() / warp.size())", validate.Erasure},
		{"the rank in the merged block", named, "vtb.thread_rank()", "all.thread_rank()", validate.Builtins},
		{"the rank in the merged block, turned", block, "vtb.thread_rank()", "all.thread_rank()", validate.Builtins},
		{"the size of the merged block", named, "vtb.size()", "all.size()", validate.Builtins},
		{"the merged block's index", named, "vtb.block.x", "all.group_index().x", validate.Builtins},
		{"the index of a thread in the merged block", named, "vtb.thread.x", "all.thread_index().x", validate.Builtins},
		{"the v-TB's dimension for its index", named, "vtb.block.x", "vtb.dim.x", validate.Erasure},
		{"the number of the v-TB for the block's", named, "vtb.block.x", "vtb.id", validate.Erasure},
		{"a barrier of all merged blocks", named, "vtb.sync();\n    float v", "cg::this_thread_block().sync();\n    float v", validate.Uniform},
	}},
	{"casts to other names of numbers", `#include <cuda_bf16.h>
#define NARROW
#if defined(NARROW)
typedef __nv_bfloat16 real;
#else
typedef float real;
#endif
using wide = double;
typedef float narrow;
struct counted { __device__ counted(float v) : v(v + blockIdx.y) {} __device__ operator float() const { return v; } float v; };

__global__ void k(const real *in, real *out)
{
    __shared__ narrow tile[64];
    const int t = threadIdx.x;
    tile[t] = (float)in[blockIdx.x * 64 + t];
    __syncthreads();
    out[blockIdx.x * 64 + t] = (real)(tile[63 - t] + (narrow)(tile[t] * (wide)(1.5)));
}
void run(const real *in, real *out, int blocks) { k<<<blocks, 64>>>(in, out); }
`, []rewrite.Variant{named, block, apart, {Rewriter: "coarsen"}}, []wrong{
		{"a cast to a class that asks for the block", named, "(narrow)(tile", "(counted)(tile", validate.Builtins},
		{"a cast to a narrower type", apart, "(narrow)(tile", "(real)(tile", validate.Erasure},
		{"a narrower type of that name", apart, "typedef float narrow", "typedef int narrow", validate.Erasure},
		{"the directives of a check around a statement", rewrite.Variant{Rewriter: "coarsen"}, "    #error smux rewrote this kernel with defined(NARROW)\n", "    __syncthreads();\n", validate.Erasure},
	}},
	{"copies of numbers and structures", `struct range { float low, high; };
#define RAISE(x) sum += x

__global__ void k(const float *in, float *out)
{
    __shared__ float tile[64], sum;
    __shared__ range all;
    const int t = threadIdx.x;
    tile[t] = in[blockIdx.x * 64 + t];
    if (t == 0) {
        sum = 0;
        all.low = all.high = 0;
    }
    __syncthreads();
    atomicAdd(&sum, tile[63 - t]);
    if (t == 1) all.low = tile[0];
    __syncthreads();
    out[blockIdx.x * 64 + t] = sum + all.low + all.high + sizeof(sum);
}
void run(const float *in, float *out, int blocks) { k<<<blocks, 64>>>(in, out); }
`, []rewrite.Variant{apart, {Rewriter: "merge", Sync: "block"}}, []wrong{
		{"the same number for all", apart, "auto sum = smux_sum + vtb.id;", "auto sum = smux_sum + 0;", validate.Copies},
		{"a number too few", apart, "smux_sum[2]", "smux_sum[1]", validate.Erasure},
		{"the copy of another variable", apart, "auto sum = smux_sum + vtb.id;", "auto sum = &smux_all[vtb.id].low;", validate.Erasure},
		{"an address for a number", apart, "(*sum) + (*all).low", "sum + (*all).low", validate.Erasure},
		{"the number of the next v-TB", apart, "(*sum) = 0;", "sum[1] = 0;", validate.Erasure},
		{"an address that moves", apart, "(*sum) = 0;", "(*sum) = 0; ++sum;", validate.Erasure},
		{"an address where a macro wants a number", apart, "(*sum) = 0;", "RAISE(0);", validate.Erasure},
		{"the size of an address", apart, "sizeof((*sum))", "sizeof(sum)", validate.Erasure},
		{"a structure for a number", apart, "(*all).high = 0", "(*sum) = 0", validate.Erasure},
	}},
	{"functions that are given the object between turns", `__device__ int place(int stride) { return blockIdx.x * stride + threadIdx.x; }
__global__ void k(const float *in, float *out)
{
    __shared__ float s[64];
    const float &first = s[0];
    const int t = threadIdx.x;
    s[t] = in[place(64)];
    __syncthreads();
    out[place(64)] = s[63 - t] + first;
}
__global__ void plainly(float *out) { out[place(1)] = 1; }
void run(const float *in, float *out, int blocks) { k<<<blocks, 64>>>(in, out); plainly<<<blocks, 1>>>(out); }
`, []rewrite.Variant{named, locks, block, apart, {Rewriter: "merge", Sync: "block"}}, []wrong{
		{"the merged block's number in a function", block, "const uint3 blockIdx = vtb.block; return", "return", validate.Builtins},
		{"a function with another stride", block, "blockIdx.x * stride", "blockIdx.x * 2 * stride", validate.Erasure},
		{"the function that is given no object", block, "out[place(vtb, 64)]", "out[place(64)]", validate.Builtins},
		{"a function that is given another object", block, "const smux::vtb<2, 64>& vtb", "const smux::vtb<4, 64>& vtb", validate.Erasure},
		{"a barrier of all merged blocks in a function", block, "const uint3 blockIdx = vtb.block; return", "const uint3 blockIdx = vtb.block; __syncthreads(); return", validate.Erasure},
		{"a reference that is read outside of the turn", named, "    vtb.release();", "    vtb.release();\n    out[0] = first;", validate.Erasure},
		{"a reference bound to another element", named, "&first = s[0]", "&first = s[1]", validate.Erasure},
	}},
	{"arrays of which v-TBs have all rows that they use", `__global__ void k(const float *in, float *out)
{
    __shared__ float s[8][32];
    const int t = threadIdx.x;
    s[3][t] = in[t];
    s[t / 16][t] = in[t + 1];
    __syncthreads();
    out[blockIdx.x * 32 + t] = s[3][31 - t] + s[t / 16][t];
}
void run(const float *in, float *out, int blocks) { k<<<blocks, 32>>>(in, out); }
`, []rewrite.Variant{{Rewriter: "co-vtb", Sync: "named"}}, []wrong{
		{"a row too few", rewrite.Variant{Rewriter: "co-vtb", Sync: "named"}, "smux_s_private[2][4][32]", "smux_s_private[2][3][32]", validate.Copies},
		{"rows for one v-TB", rewrite.Variant{Rewriter: "co-vtb", Sync: "named"}, "smux_s_private[2][4][32]", "smux_s_private[1][4][32]", validate.Erasure},
		{"another row", rewrite.Variant{Rewriter: "co-vtb", Sync: "named"}, "s_private[3][31 - t]", "s_private[2][31 - t]", validate.Erasure},
		{"rows that are shorter", rewrite.Variant{Rewriter: "co-vtb", Sync: "named"}, "smux_s_private[2][4][32]", "smux_s_private[2][4][16]", validate.Erasure},
		{"the rows of another v-TB", rewrite.Variant{Rewriter: "co-vtb", Sync: "named"}, "smux_s_private[vtb.id]", "smux_s_private[1 - vtb.id]", validate.Erasure},
	}},
	{"functions that are declared first", `__device__ float scaled(float a, int by);
__global__ void k(const float *in, float *out)
{
    __shared__ float s[64];
    const int t = threadIdx.x;
    s[t] = scaled(in[t], 2) + blockIdx.x;
    __syncthreads();
    out[blockIdx.x * 64 + t] = s[63 - t];
}
__device__ float scaled(float a, int by) { return a * by + blockIdx.x; }
void run(const float *in, float *out, int blocks) { k<<<blocks, 64>>>(in, out); }
`, []rewrite.Variant{named, locks}, []wrong{
		{"another declaration", named, "vtb, float a, int by);", "vtb, int by, float a);", validate.Erasure},
		{"a declaration of a function that is not there", named, "__device__ float scaled(const smux::vtb_named<2, 64>& vtb, float a, int by) {", "__device__ float other(const smux::vtb_named<2, 64>& vtb, float a, int by) {", validate.Erasure},
		{"a definition that computes something else", named, "a * by", "a + by", validate.Erasure},
	}},
	{"exits of some threads", `__global__ void k(const float *in, float *out, int n)
{
    __shared__ float s[64];
    const int t = threadIdx.x;
    if (blockIdx.x * 64 + t >= n) return;
    s[t] = in[blockIdx.x * 64 + t];
    __syncthreads();
    out[blockIdx.x * 64 + t] = s[t / 2];
}
void run(const float *in, float *out, int blocks, int n) { k<<<blocks, 64>>>(in, out, n); }
`, []rewrite.Variant{block}, []wrong{
		{"an exit in a turn of the merged blocks", block, "    if (blockIdx.x * 64 + t >= n) return;\n", "", validate.Erasure},
		{"an exit between the turns", block, "        if (vtb.id == turn) s[t] = ", "        if (blockIdx.x * 64 + t >= n) return;\n        if (vtb.id == turn) s[t] = ", validate.Erasure},
	}},
}

func TestWrongCases(t *testing.T) {
	for _, c := range wrongCases {
		t.Run(c.name, func(t *testing.T) {
			refuseAll(t, c.text, func(t *testing.T, v rewrite.Variant) string { return rewrittenOf(t, c.text, v) }, c.rights, c.wrongs)
		})
	}
}

// A copy of a number is known by its address, which a macro must not take for the number, nor what asks for its type.
func TestCopiesOfNumbersAreAddresses(t *testing.T) {
	i := slices.IndexFunc(wrongCases, func(c wrongCase) bool { return c.name == "copies of numbers and structures" })
	text := wrongCases[i].text
	res, err := rewrite.Run(program(t, text), rewrite.Options{Variant: apart, Runtime: "header"})
	require.NoError(t, err)
	for old, now := range map[string]string{
		"sum = 0; RAISE(2.0f);":               "(*sum) = 0; RAISE(2.0f);",
		"sum = 0; decltype(sum) x = 1;":       "(*sum) = 0; decltype((*sum)) x = 1;",
		"sum = 0; float *p = &all.low; *p=1;": "(*sum) = 0; float *p = &all.low; *p=1;",
	} {
		require.Contains(t, string(res.Files[0].After), "(*sum) = 0;")
		r := validate.Programs(program(t, strings.Replace(text, "sum = 0;", old, 1)), program(t, strings.Replace(string(res.Files[0].After), "(*sum) = 0;", now, 1)))
		assert.False(t, r.Proved(), now)
	}
}

// Shared memory that a function or a class has for itself, used outside of a turn by an address that it gives.
func TestAddressesFromFunctions(t *testing.T) {
	const functions = `
template <class T> struct Memory { __device__ operator T *() { extern __shared__ int raw[]; return (T *)raw; } };
struct Given { __device__ float *get() { extern __shared__ int raw[]; return (float *)raw; } };
extern __shared__ float all[];
__device__ float *mine() { __shared__ float own[64]; return own; }
__device__ float *through() { return mine(); }
`
	for _, use := range []string{
		"float *q = Memory<float>(); sum *= q[t];",
		"Memory<float> m; float *q = m; sum *= q[t];",
		"Given g; sum *= g.get()[t];",
		"Given g; float *q = g.get(); sum *= *(q + t);",
		"sum *= all[t];",
		"float *q = all; sum *= q[t];",
		"sum *= mine()[t];",
		"float *q = through(); sum *= q[t];",
		"auto q = elsewhere(); sum *= q[t];",
		"auto get = [&](int i) { return s[i]; }; sum *= get(t);",
		"float *rows[2] = {s, s + 32}; sum *= rows[0][t];",
		"union { float *p; long n; } u; u.p = s; sum *= u.p[t];",
		"memcpy(&sum, s, 4);",
		"float *q; q = rounds ? s : s + 1; sum *= q[0];",
		"sum *= *(s + t);",
		"sum *= (*(float (*)[SIZE])s)[t];",
		"sum *= reinterpret_cast<float4 *>(s)->x;",
		"sum *= t[s];",
		"auto q = s + 16; sum += *(t % 8 + q + 3);",
		"auto q = 4 + s; sum += (t % 8)[q];",
		"auto get = [q = s + 3](int i) { return q[i]; }; sum += get(t);",
	} {
		change := strings.NewReplacer("#define SIZE 64\n", "#define SIZE 64\n"+functions, "    sum *= 2.0f;\n", "    "+use+"\n")
		r := validate.Programs(program(t, change.Replace(twoTurns)), program(t, change.Replace(rewritten(t, named))))
		assert.Contains(t, doubts(r), string(validate.Turns)+":", use)
	}
}

// What a function keeps in shared memory of its own is what another block left there, from its second turn on.
func TestWhatFunctionsKeepInSharedMemory(t *testing.T) {
	const old = `__device__ float keep(float v, int r)
{
    __shared__ float own[64];
    if (r == 0) own[threadIdx.x] = v;
    __syncthreads();
    return own[63 - threadIdx.x];
}
extern __shared__ float all[];
__global__ void k(const float *in, float *out, int n)
{
    float sum = 0;
    for (int r = 0; r < n; ++r) {
        sum += USE;
        __syncthreads();
    }
    out[blockIdx.x * 64 + threadIdx.x] = sum;
}
void run(const float *in, float *out, int blocks, int n) { k<<<blocks, 64>>>(in, out, n); }
`
	now := strings.NewReplacer(
		"__device__ float keep(", "__device__ float keep(const smux::vtb_named<2, 64> &vtb, ", "__syncthreads();\n    return", "vtb.sync();\n    return",
		"int n)\n{\n", "int n, unsigned smux_grid_x)\n{\n    const smux::vtb_named<2, 64> vtb(smux_grid_x);\n    if (!vtb.active) return;\n    const uint3 blockIdx = vtb.block;\n    vtb.start();\n",
		"        sum += USE;\n        __syncthreads();\n", "        vtb.acquire();\n        sum += USE;\n        vtb.sync();\n        vtb.release();\n",
		"    out[", "    vtb.finish();\n    out[",
		"k<<<blocks, 64>>>(in, out, n);", "const auto smux_launch = smux::merge<2, 64>(blocks, 64); k<<<smux_launch.grid, smux_launch.block>>>(in, out, n, smux_launch.blocks);",
	).Replace(old)
	for use, c := range map[string]struct {
		now   string
		right bool
	}{
		"keep(in[r], r)": {"keep(vtb, in[r], r)", false},
		"keep(in[r], 0)": {"keep(vtb, in[r], 0)", true},
		"all[r]":         {"all[r]", false},
	} {
		r := validate.Programs(program(t, strings.Replace(old, "USE", use, 1)), program(t, strings.Replace(now, "USE", c.now, 1)))
		assert.Equal(t, c.right, r.Proved(), use+"\n"+doubts(r))
		if !c.right {
			assert.Contains(t, doubts(r), string(validate.Content)+":")
		}
	}
}
