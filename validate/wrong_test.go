package validate_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/validate"
)

// program parses one text as a program.
func program(t *testing.T, text string) *parser.Program {
	t.Helper()
	read := func(string) ([]byte, error) { return nil, errors.New("no such file") }
	f, err := parser.Parse("k.cu", []byte(text), parser.Options{ReadFile: read})
	require.NoError(t, err)
	return parser.NewProgram([]*parser.File{f}, parser.Options{ReadFile: read})
}

// twoTurns is a kernel whose blocks use their array in two turns, the second in a loop.
const twoTurns = `#define SIZE 64

__global__ void k(const float *in, float *out, int rounds)
{
    __shared__ float s[SIZE];
    const int t = threadIdx.x;
    s[t] = in[blockIdx.x * SIZE + t];
    __syncthreads();
    float sum = s[SIZE - 1 - t];
    __syncthreads();
    sum *= 2.0f;
    for (int r = 0; r < rounds; ++r) {
        s[t] = sum + r;
        __syncthreads();
        sum += s[(t + 1) % SIZE];
        __syncthreads();
    }
    out[blockIdx.x * SIZE + t] = sum;
}

void run(const float *in, float *out, int blocks, int rounds)
{
    k<<<blocks, SIZE>>>(in, out, rounds);
}
`

// rewritten is twoTurns in one of smux's forms.
func rewritten(t *testing.T, v rewrite.Variant) string {
	t.Helper()
	return rewrittenOf(t, twoTurns, v)
}

// rewrittenOf is a program in one of smux's forms.
func rewrittenOf(t *testing.T, text string, v rewrite.Variant) string {
	t.Helper()
	res, err := rewrite.Run(program(t, text), rewrite.Options{Variant: v, Runtime: "header"})
	require.NoError(t, err)
	require.Len(t, res.Files, 1)
	return string(res.Files[0].After)
}

var (
	named = rewrite.Variant{Rewriter: "vtb", Sync: "named"}
	locks = rewrite.Variant{Rewriter: "vtb", Sync: "lock"}
	slots = rewrite.Variant{Rewriter: "dyn", Factor: 4, SharedSets: 2}
	block = rewrite.Variant{Rewriter: "vtb", Sync: "block"}
	apart = rewrite.Variant{Rewriter: "merge", Sync: "named"}
)

// What rewriters could do wrong: each is one replacement in a right text, and the condition that it breaks.
// wrong is a replacement in a right rewrite, and the condition that it breaks.
type wrong struct {
	name     string
	variant  rewrite.Variant
	old, new string
	breaks   validate.Condition
}

var wrongs = []wrong{
	{"acquire and release swapped", named, "vtb.acquire();  // guards s\n    s[t] = smux", "vtb.release();\n    s[t] = smux", validate.Turns},
	{"a release forgotten", named, "        vtb.release();  // s\n", "", validate.Turns},
	{"an acquire forgotten", locks, "        vtb.acquire();  // guards s\n", "", validate.Turns},
	{"a turn that begins too late", named, "vtb.acquire();  // guards s\n    s[t] = smux_v1;", "s[t] = smux_v1;\n    vtb.acquire();", validate.Turns},
	{"a turn that ends too early", locks, "        sum += s[(t + 1) % SIZE];\n        vtb.release();", "        vtb.release();\n        sum += s[(t + 1) % SIZE];", validate.Turns},
	{"a turn given back between writing and reading", locks, "        s[t] = sum + r;\n        vtb.sync();", "        s[t] = sum + r;\n        vtb.release();\n        vtb.acquire();\n        vtb.sync();", validate.Content},
	{"a barrier of the v-TB dropped", named, "        vtb.sync();\n        sum += s", "        sum += s", validate.Moves},
	{"a barrier of all merged blocks left", named, "        vtb.sync();\n        sum += s", "        __syncthreads();\n        sum += s", validate.Uniform},
	{"the turns never begin", named, "    vtb.start();\n", "", validate.Turns},
	{"the ring is never left", named, "    vtb.finish();\n", "", validate.Turns},
	{"the ring is left twice", named, "    vtb.finish();\n", "    vtb.finish();\n    vtb.finish();\n", validate.Turns},
	{"blockIdx of the merged block", named, "    const uint3 blockIdx = vtb.block;\n", "", validate.Builtins},
	{"v-TBs without a block go on", locks, "    if (!vtb.active) return;\n", "", validate.Uniform},
	{"one slot for all", slots, "s = smux_s[vtb.slot()];", "s = smux_s[0];", validate.Erasure},
	{"a slot not set after an acquire", slots, "        s = smux_s[vtb.slot()];\n", "", validate.Copies},
	{"a slot too few", slots, "smux_s[2][SIZE]", "smux_s[1][SIZE]", validate.Erasure},
	{"one array for all", apart, "auto s = smux_s[vtb.id];", "auto s = smux_s[0];", validate.Copies},
	{"an array too short", apart, "smux_s[2][SIZE]", "smux_s[2][SIZE - 1]", validate.Erasure},
	{"a launch forgotten", named, "k<<<smux_launch.grid, smux_launch.block>>>", "k<<<blocks, SIZE>>>", validate.Launches},
	{"a launch of one grid with the block of another", named, "smux::merge<2, 64>(blocks, SIZE)", "smux::merge<2, 64>(blocks, 2 * SIZE)", validate.Launches},
	{"another launch's parts", named, "smux::merge<2, 64>(blocks,", "smux::merge<4, 64>(blocks,", validate.Launches},
	{"the length of the grid of another launch", named, "in, out, rounds, ", "in, out, rounds, 1 + ", validate.Launches},
	{"arguments changed places", named, "(in, out, rounds, ", "(out, in, rounds, ", validate.Launches},
	{"a turn without a barrier at its end", block, "sum = s[SIZE - 1 - t];\n        __syncthreads();", "sum = s[SIZE - 1 - t];", validate.Turns},
	{"a turn too few", block, "for (int turn = 0; turn < 2; ++turn) {  // turns with s\n        if", "for (int turn = 0; turn < 1; ++turn) {\n        if", validate.Erasure},
	{"a write in all turns", block, "        if (vtb.id == turn) s[t] = smux_v1;", "        s[t] = smux_v1;", validate.Turns},
	{"a sum in all turns", block, "if (vtb.id == turn) sum += s[(t + 1) % SIZE];", "sum += s[(t + 1) % SIZE];", validate.Turns},
	{"a barrier in the turn of one", block, "if (vtb.id == turn) s[t] = sum + r;\n            __syncthreads();", "if (vtb.id == turn) { s[t] = sum + r; __syncthreads(); }", validate.Turns},
	{"a turn of another", block, "if (vtb.id == turn) s[t] = sum + r;", "if (vtb.id == 0) s[t] = sum + r;", validate.Erasure},
	{"a loop that goes on in the next turn", block, "for (int r = 0; r < rounds; ++r) {\n        #pragma unroll\n        for (int turn = 0; turn < 2; ++turn) {  // turns with s\n",
		"#pragma unroll\n    for (int turn = 0; turn < 2; ++turn) {\n        for (; rounds > 0; --rounds) {\n", validate.Erasure},
	{"a number changed", named, "sum *= 2.0f;", "sum *= 2.1f;", validate.Erasure},
	{"a statement lost", named, "    sum *= 2.0f;\n", "", validate.Erasure},
	{"a statement moved past another", named, "    sum *= 2.0f;\n    for", "    for", validate.Erasure},
	{"another shape than the launch has", named, "vtb_named<2, 64>", "vtb_named<2, 32>", validate.Launches},
	{"more threads than a block may have", named, "vtb_named<2, 64>", "vtb_named<2, 1024>", validate.Numbers},
	{"more barriers than there are", named, "vtb_named<2, 64>", "vtb_named<15, 64>", validate.Numbers},
	{"a directive changed", named, "#define SIZE 64", "#define SIZE 65", validate.Erasure},
}

func TestWrongRewrites(t *testing.T) {
	refuseAll(t, twoTurns, rewritten, []rewrite.Variant{named, locks, slots, block, apart}, wrongs)
}

// refuseAll validates rewrites that are right, and the same with one thing wrong.
func refuseAll(t *testing.T, text string, rewritten func(*testing.T, rewrite.Variant) string, rights []rewrite.Variant, wrongs []wrong) {
	old := program(t, text)
	for _, v := range rights {
		r := validate.Programs(old, program(t, rewritten(t, v)))
		require.True(t, r.Proved(), "%v: %s\n%s", v, doubts(r), rewritten(t, v))
	}
	for _, w := range wrongs {
		t.Run(w.name, func(t *testing.T) {
			right := rewritten(t, w.variant)
			require.Contains(t, right, w.old)
			r := validate.Programs(old, program(t, strings.ReplaceAll(right, w.old, w.new)))
			refused(t, r, w.breaks)
		})
	}
}

// Programs that can't be multiplexed as they are, each with a rewrite that looks right.
func TestWhatMayNotBeMultiplexed(t *testing.T) {
	for _, c := range []struct {
		name     string
		variant  rewrite.Variant
		old, new string // a replacement in the original and in the rewrite
		breaks   validate.Condition
	}{
		{"v-TBs take turns a different number of times", named, "r < rounds", "r < rounds + blockIdx.x", validate.Uniform},
		{"some threads leave early", named, "    sum *= 2.0f;\n", "    sum *= 2.0f;\n    if (sum > 3.0f) return;\n", validate.Uniform},
		{"elements from the turn before", named, "        s[t] = sum + r;\n", "        if (r == 0) s[t] = sum + r;\n", validate.Content},
		{"some elements from the turn before", locks, "        s[t] = sum + r;\n", "        if (t > 3) s[t] = sum + r;\n", validate.Content},
		{"an element from the turn before, in a lambda that is called", named, "        s[t] = sum + r;\n", "        sum += [&] { return s[t]; }();\n        s[t] = sum + r;\n", validate.Content},
		{"an element beside those written", named, "        s[t] = sum + r;\n", "        s[t / 2] = sum + r;\n", validate.Content},
		{"waiting for another block", named, "    sum *= 2.0f;\n", "    sum *= 2.0f;\n    while (atomicAdd((int *)out, 0) == 0) ;\n", validate.Progress},
		{"waiting for another block by plain loads", named, "    sum *= 2.0f;\n", "    sum *= 2.0f;\n    int up = 0;\n    while (up == 0) { __threadfence(); up = out[0] > 0; }\n", validate.Progress},
		{"waiting for other blocks, one after the other", named, "    sum *= 2.0f;\n", "    sum *= 2.0f;\n    for (int b = 0; b < rounds;) { const float up = out[b]; __threadfence(); if (up > 0) b++; }\n", validate.Progress},
		{"waiting for another block by a function", named, "    sum *= 2.0f;\n", "    sum *= 2.0f;\n    auto seen = [](volatile int *p) { return *p; };\n    while (seen((int *)out) == 0) ;\n", validate.Progress},
		{"waiting for another block by a variable that is set", named, "    sum *= 2.0f;\n", "    sum *= 2.0f;\n    int up = 0;\n    while (!up) up = *(volatile int *)out;\n", validate.Progress},
		{"waiting for another block by a member", named, "    sum *= 2.0f;\n", "    sum *= 2.0f;\n    struct { volatile int *p; } f = {(int *)out};\n    while (*f.p == 0) ;\n", validate.Progress},
		{"waiting for another block by an uncached load", named, "    sum *= 2.0f;\n", "    sum *= 2.0f;\n    while (__ldcv((const int *)out) == 0) ;\n", validate.Progress},
		{"waiting for another block by a way out", named, "    sum *= 2.0f;\n", "    sum *= 2.0f;\n    for (int go = 1; go;) if (*(volatile int *)out) break;\n", validate.Progress},
		{"waiting for another block for a lock", named, "    sum *= 2.0f;\n", "    sum *= 2.0f;\n    int got = 0;\n    while (!got) got = atomicCAS((int *)out, 0, 1) == 0;\n", validate.Progress},
		{"waiting for another block by assembly", named, "    sum *= 2.0f;\n", "    sum *= 2.0f;\n    int up = 0;\n    do { asm volatile(\"ld.global.cv.s32 %0, [%1];\" : \"=r\"(up) : \"l\"(out)); } while (!up);\n", validate.Progress},
		{"shared memory by a deduced address, outside of a turn", named, "    sum *= 2.0f;\n", "    auto q = s;\n    sum *= *(q + t);\n", validate.Turns},
		{"shared memory by an address in a structure", named, "    sum *= 2.0f;\n", "    struct { const float *p; } q = {s};\n    sum *= q.p[t];\n", validate.Turns},
		{"an address of shared memory as a number", named, "    sum *= 2.0f;\n", "    long q = (long)s;\n    sum *= ((const float *)q)[t];\n", validate.Turns},
		{"an address that assembly reads by", named, "    sum *= 2.0f;\n", "    asm(\"ld.f32 %0, [%1];\" : \"=f\"(sum) : \"l\"(s + t));\n", validate.Turns},
		{"an address for assembly", named, "    sum *= 2.0f;\n", "    unsigned q = __cvta_generic_to_shared(s);\n    asm(\"ld.shared.f32 %0, [%1];\" : \"=f\"(sum) : \"r\"(q));\n", validate.Turns},
		{"a number of rounds that assembly sets", named, "    sum *= 2.0f;\n", "    sum *= 2.0f;\n    asm(\"mov.u32 %0, %%laneid;\" : \"=r\"(rounds));\n", validate.Uniform},
		{"a subscript that assembly sets", named, "        s[t] = sum + r;\n", "        int i = t;\n        asm(\"shr.u32 %0, %0, 1;\" : \"+r\"(i));\n        s[i] = sum + r;\n", validate.Content},
		{"a subscript that a function sets", named, "        s[t] = sum + r;\n", "        int i = t;\n        int *p = &i;\n        *p /= 2;\n        s[i] = sum + r;\n", validate.Content},
		{"a subscript that a lambda sets", named, "        s[t] = sum + r;\n", "        int i = t;\n        auto set = [&] { i /= 2; };\n        set();\n        s[i] = sum + r;\n", validate.Content},
		{"a number of rounds that a lambda sets", named, "    sum *= 2.0f;\n", "    auto set = [&] { rounds = t; };\n    set();\n    sum *= 2.0f;\n", validate.Uniform},
		{"a subscript that a reference sets", named, "        s[t] = sum + r;\n", "        int i = t;\n        int &j = i;\n        j /= 2;\n        s[i] = sum + r;\n", validate.Content},
		{"a subscript that a function out of view sets", named, "        s[t] = sum + r;\n", "        int i = t;\n        halve(i);\n        s[i] = sum + r;\n", validate.Content},
		{"the shape of the merged block", named, "sum + r;", "sum + r + threadIdx.z;", validate.Builtins},
		{"the grid's length", named, "sum + r;", "sum + r + gridDim.x;", validate.Builtins},
		{"assembly that asks for the block", named, "    sum *= 2.0f;\n", "    sum *= 2.0f;\n    asm(\"mov.u32 %0, %ctaid.x;\" : \"=r\"(rounds));\n", validate.Builtins},
	} {
		t.Run(c.name, func(t *testing.T) {
			right := rewritten(t, c.variant)
			require.Contains(t, twoTurns, c.old)
			require.Contains(t, right, c.old)
			r := validate.Programs(program(t, strings.Replace(twoTurns, c.old, c.new, 1)), program(t, strings.Replace(right, c.old, c.new, 1)))
			refused(t, r, c.breaks)
		})
	}
}

// A launch may be spelled with blanks.
func TestALaunchWithBlanks(t *testing.T) {
	spaced := strings.NewReplacer("<<<", "<< <", ">>>", ">> >")
	old := program(t, spaced.Replace(twoTurns))
	right := spaced.Replace(rewritten(t, named))
	r := validate.Programs(old, program(t, right))
	assert.True(t, r.Proved(), doubts(r))
	r = validate.Programs(old, program(t, strings.Replace(right, "smux_launch.grid, ", "blocks, ", 1)))
	assert.Contains(t, doubts(r), string(validate.Launches)+":")
}

// Where the original has a barrier in a loop all threads of a block take it equally often, whatever its condition
// is made of; blocks may differ in it, which locks bear and a ring does not.
func TestABarrierOfTheOriginalMakesALoopUniform(t *testing.T) {
	for v, right := range map[*rewrite.Variant]bool{&locks: true, &named: false} {
		change := func(text string) *parser.Program {
			return program(t, strings.Replace(text, "r < rounds", "r < rounds + in[t]", 1))
		}
		r := validate.Programs(change(twoTurns), change(rewritten(t, *v)))
		assert.Equal(t, right, r.Proved(), doubts(r))
	}
}

// The example of the code in its documentation gets it.
func TestTheExampleOfTheCode(t *testing.T) {
	doc, ok := diag.Lookup(validate.CodeUnproved)
	require.True(t, ok)
	a, b, _ := strings.Cut(strings.TrimPrefix(strings.TrimSpace(doc.Example), "// a.cu\n"), "// b.cu\n")
	r := validate.Programs(program(t, a), program(t, b))
	require.Len(t, r.Messages(), 1)
	assert.Contains(t, r.Messages()[0].Text, "moves: a barrier of the original stood before this")
}

// What a function out of view does is not known: it may meet at a barrier. So nothing is proved of a kernel that calls one by
// any name, whatever else in view has the name.
func TestCallsOutOfViewAreNotProved(t *testing.T) {
	const text = `
%s
__global__ void k(const float *in, float *out)
{
    __shared__ float s[64];
    s[threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x];
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = %s(s[63 - threadIdx.x]);
}
void run(const float *in, float *out) { k<<<9, 64>>>(in, out); }
`
	const inView = "struct A { static __device__ float f(float x) { return x + 1; } };\n__device__ float g(float x) { return x; }"
	old := program(t, fmt.Sprintf(text, inView, "A::f"))
	res, err := rewrite.Run(old, rewrite.Options{Variant: rewrite.Variant{Rewriter: "vtb", Sync: "named", Factor: 2}})
	require.NoError(t, err)
	right := string(res.Files[0].After)
	assert.True(t, validate.Programs(old, program(t, right)).Proved())
	for _, c := range []struct{ view, call string }{{inView, "B::f"}, {inView, "far"}, {"__device__ float g(float x);", "g"}} {
		new := strings.NewReplacer(inView, c.view, "A::f", c.call).Replace(right)
		r := validate.Programs(program(t, fmt.Sprintf(text, c.view, c.call)), program(t, new))
		assert.False(t, r.Proved(), c.call)
	}
}

// Blocks that take turns go round a loop as often: what decides that is the same for all of them, and stays so. Constant
// memory does, by what all subscripts lead to, and not what it points to.
func TestConstantMemoryIsWhatIsDeclared(t *testing.T) {
	const text = `
typedef int *pointer;
struct Row { int *p; __device__ int operator[](int i) const { return p[i]; } };
__constant__ int numbers[64], table[64][2];
__constant__ pointer one, pointers[2];
__constant__ Row rows[2];
__global__ void k(const float *in, float *out, int *n)
{
    __shared__ float s[64];
    const int t = threadIdx.x;
    for (int r = 0; r < numbers[0]; ++r) {
        s[t] = in[blockIdx.x * 64 + t + r];
        __syncthreads();
        out[blockIdx.x * 64 + t] += s[63 - t];
        __syncthreads();
    }
    if (t == 0) *n = blockIdx.x;
}
void run(float *a, int *n) { k<<<9, 64>>>(a, a + 640, n); }
`
	after := rewrittenOf(t, text, block)
	for count, proved := range map[string]bool{
		"numbers[0]": true, "table[3][1]": true, "numbers[blockIdx.x]": false, "table[blockIdx.x][1]": false, "table[threadIdx.x][1]": false,
		"one[0]": false, "*one": false, "pointers[0][0]": false, "rows[0][0]": false,
	} {
		put := func(text string) string { return strings.Replace(text, "r < numbers[0]", "r < "+count, 1) }
		r := validate.Programs(program(t, put(text)), program(t, put(after)))
		assert.Equal(t, proved, r.Proved(), "%s: %s", count, doubts(r))
	}
}

// TestAFunctionMayHaveTheKernelsName: who calls it does not call the kernel.
func TestAFunctionMayHaveTheKernelsName(t *testing.T) {
	text := strings.Replace(twoTurns, "void run", "void k(int n) { if (n > 1) k(n - 1); }\nvoid run", 1)
	require.NotEqual(t, twoTurns, text)
	r := validate.Programs(program(t, text), program(t, rewrittenOf(t, text, named)))
	assert.True(t, r.Proved(), "%s", doubts(r))
}

// TestGroupsAndLanesOfBothTexts: what both texts ask of the thread block, or do in a warp that blocks share, is not the same in a merged block.
func TestGroupsAndLanesOfBothTexts(t *testing.T) {
	const text = `#include <cooperative_groups.h>
namespace cg = cooperative_groups;
using namespace cooperative_groups;
__global__ void k(int *out, const int *in)
{
    __shared__ int s[64];
    cg::thread_block b = cg::this_thread_block();
    auto c = b;
    auto w = cg::tiled_partition<32>(b);
    s[threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x];
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = s[63 - threadIdx.x] + 1;
}
void run(const int *in, int *out) { k<<<9, 64>>>(out, in); }
`
	for _, v := range []rewrite.Variant{named, block, apart} {
		after := rewrittenOf(t, text, v)
		judged := func(value, threads string) *validate.Result {
			with := strings.NewReplacer("] + 1;", "] + "+value+";", "64", threads)
			return validate.Programs(program(t, with.Replace(text)), program(t, with.Replace(after)))
		}
		for _, asked := range []string{"cg::thread_rank(b)", "cg::group_size(b)", "cg::thread_rank(c)", "thread_rank(c)", "cg::thread_block::thread_rank()", "cg::thread_block::size()",
			"cg::details::cta::thread_rank()", "(cg::wait(b), 1)", "(b.barrier_wait(b.barrier_arrive()), 1)", "w.meta_group_rank()", "w.meta_group_size()", "c.thread_rank()", "b.num_threads()"} {
			r := judged(asked, "64")
			assert.False(t, r.Proved(), "%v: %s", v, asked)
		}
		for _, met := range []string{"w.thread_rank()", "w.any(threadIdx.x == 3)", "__shfl_sync(-1, threadIdx.x, 0)", "__activemask() != 0", "(__syncwarp(), 1)"} {
			r := judged(met, "64")
			assert.True(t, r.Proved(), "%v: %s: %s", v, met, doubts(r))
			refused(t, judged(met, "48"), validate.Uniform)
		}
	}
}

// TestHalvesAreNumbers: a check may allow CUDA's halves, unless the program has operators that take them; and nothing else.
func TestHalvesAreNumbers(t *testing.T) {
	const text = `#include <cuda_fp16.h>
template <class T> __global__ void k(const T *in, float *out)
{
    __shared__ float s[64];
    s[threadIdx.x] = (float)in[blockIdx.x * 64 + threadIdx.x];
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = s[63 - threadIdx.x];
}
template <class T> void run(const T *in, float *out) { k<<<9, 64>>>(in, out); }
`
	right := rewrittenOf(t, text, named)
	require.Contains(t, right, " || __is_same(T, __half),")
	r := validate.Programs(program(t, text), program(t, right))
	assert.True(t, r.Proved(), "%s", doubts(r))
	for _, wrong := range []string{" || __is_same(T, own),", " || __is_class(T),", " && __is_same(T, __half),"} {
		refused(t, validate.Programs(program(t, text), program(t, strings.Replace(right, " || __is_same(T, __half),", wrong, 1))), validate.Builtins)
	}
	for _, own := range []string{"__device__ half operator+(half a, int b) { return a; }\n", "template <class A> __device__ A operator+(A a, A b) { return a; }\n", "struct __half { __device__ operator float() const; };\n"} {
		with := func(s string) string {
			return strings.Replace(s, "template <class T> __global__", own+"template <class T> __global__", 1)
		}
		refused(t, validate.Programs(program(t, with(text)), program(t, with(right))), validate.Builtins)
	}
}
