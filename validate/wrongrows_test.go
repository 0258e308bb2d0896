package validate_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/validate"
)

// eightRows is a kernel whose blocks fill an array in each iteration and read it, with rows that no compiler knows.
const eightRows = `#define ROWS 8

__global__ void rows(const float *__restrict__ in, float *__restrict__ out, int rounds)
{
    __shared__ float s[ROWS][64];
    const int t = threadIdx.x;
    float sum = 0.0f;
    for (int r = 0; r < rounds; ++r) {
        for (int i = 0; i < ROWS; ++i) {
            s[i][t] = in[(r * ROWS + i) * 64 + t];
        }
        __syncthreads();
        for (int i = 0; i < ROWS; ++i) {
            sum += s[(i + r) % ROWS][63 - t] * s[i][t];
        }
        __syncthreads();
    }
    if (sum > 1.0f) out[blockIdx.x] = sum;
}

void run(const float *in, float *out, int blocks, int rounds)
{
    rows<<<blocks, 64>>>(in, out, rounds);
}
`

var (
	parted  = rewrite.Variant{Rewriter: "co-vtb", Sync: "named", PrivateRows: 4}
	stays   = rewrite.Variant{Rewriter: "co-vtb", Sync: "lock", PrivateRows: 4, Pin: true, Persistent: true}
	steps   = rewrite.Variant{Rewriter: "vtb-pipe", Sync: "block"}
	partial = rewrite.Variant{Rewriter: "vtb", Sync: "lock", Stage: 4}
)

// wrongRows are mistakes that rewriters could make with parts of arrays, steps, blocks that stay and a part of the loads:
// each a replacement wherever it fits, and the condition that it breaks.
var wrongRows = []wrong{
	{"a private row where any is asked for", parted, "(i < 4 ? s_private[i][t] : s_public[i - 4][t])", "s_private[i][t]", validate.Copies},
	{"a public row where any is asked for", parted, "(i < 4 ? s_private[i][t] : s_public[i - 4][t])", "s_public[i - 4][t]", validate.Copies},
	{"an array parted elsewhere in a read", parted, "* (i < 4 ?", "* (i < 3 ?", validate.Erasure},
	{"parts that changed places", parted, "(i < 4 ? s_private[i][t] : s_public[i - 4][t])", "(i >= 4 ? s_private[i][t] : s_public[i - 4][t])", validate.Erasure},
	{"a public row one off", parted, "s_public[i - 4][t])", "s_public[i - 3][t])", validate.Erasure},
	{"another column", parted, "% ROWS - 4][63 - t]", "% ROWS - 4][62 - t]", validate.Erasure},
	{"private rows for one v-TB", parted, "smux_s_private[2][4][64]", "smux_s_private[1][4][64]", validate.Erasure},
	{"a private row too few", parted, "smux_s_private[2][4][64]", "smux_s_private[2][3][64]", validate.Erasure},
	{"the same private rows for all", parted, "smux_s_private[vtb.id]", "smux_s_private[0]", validate.Erasure},
	{"a public row too few", parted, "s_public[ROWS - 4]", "s_public[ROWS - 5]", validate.Erasure},
	{"a row that waits for ever", parted, "for (int i = 4; i < ROWS; ++i)", "for (int i = 5; i < ROWS; ++i)", validate.Moves},
	{"rows that wait in one place", parted, "s_waits[i - 4]", "s_waits[0]", validate.Moves},
	{"rows that are stored the other way round", parted, "s_public[i - 4][t] = s_waits[i - 4]", "s_public[i - 4][t] = s_waits[7 - i]", validate.Moves},
	{"a row that neither waits nor is stored", parted, "if (i < 4) s_private[i][t] = s_value;", "if (i < 5) s_private[i][t] = s_value;", validate.Moves},
	{"rows that are stored before the turn", parted, "        vtb.acquire();  // guards s_public\n        #pragma unroll\n        for (int i = 4; i < ROWS; ++i) {\n            s_public[i - 4][t] = s_waits[i - 4];\n        }\n",
		"        for (int i = 4; i < ROWS; ++i) {\n            s_public[i - 4][t] = s_waits[i - 4];\n        }\n        vtb.acquire();\n", validate.Turns},
	{"the next block writes while this one reads", stays, "vtb.sync(), vtb.next()", "vtb.next()", validate.Copies},
	{"one group of blocks only", stays, "for (; vtb.active; vtb.sync(), vtb.next())", "for (; vtb.active; vtb.sync())", validate.Erasure},
	{"a variable that outlasts a block", stays, "        float sum = 0.0f;\n", "        static float sum = 0.0f;\n", validate.Erasure},
	{"as many blocks as there is room for of another size", stays, "smux::resident<128>", "smux::resident<64>", validate.Launches},
	{"as many blocks as there is room for of another kernel", stays, "(rows, smux::merge", "(other, smux::merge", validate.Launches},
	{"a value that is changed where it is pinned", stays, "            vtb.acquire();", "            smux::pin(sum += 1.0f);\n            vtb.acquire();", validate.Erasure},
	{"work ahead in the turn of another", steps, "if (vtb.id == step) {", "if (vtb.id == 0) {", validate.Erasure},
	{"a turn in the step ahead of it", steps, "            if (vtb.id + 1 == step) {\n                for", "            if (vtb.id == step) {\n                for", validate.Erasure},
	{"steps without a barrier between them", steps, "            if (step > 0) __syncthreads();\n", "", validate.Erasure},
	{"a step too few", steps, "step < 3", "step < 2", validate.Erasure},
	{"a turn in the first step", steps, "            if (step == 0) continue;\n", "", validate.Erasure},
	{"steps that nothing separates from what is behind", steps, "    __syncthreads();  // the last iteration's\n", "", validate.Moves},
	{"a barrier that some threads don't reach", steps, "    __syncthreads();  // the last iteration's\n", "    if (sum > 0.5f) __syncthreads();\n", validate.Erasure},
	{"a load ahead too few", partial, "for (int i = 0; i < 4; ++i) smux_v1", "for (int i = 0; i < 3; ++i) smux_v1", validate.Moves},
	{"a use of what was not loaded ahead", partial, "i < 4 ? smux_v1", "i < 5 ? smux_v1", validate.Moves},
	{"a use of another iteration's load", partial, "i < 4 ? smux_v1[i]", "i < 4 ? smux_v1[3 - i]", validate.Erasure},
	{"another load behind those ahead", partial, "smux_v1[i] : in[(r * ROWS + i)", "smux_v1[i] : in[(r * ROWS + i + 1)", validate.Erasure},
}

// rewrittenRows is eightRows in one of smux's forms.
func rewrittenRows(t *testing.T, v rewrite.Variant) string {
	t.Helper()
	return rewrittenOf(t, eightRows, v)
}

func TestWrongRows(t *testing.T) {
	refuseAll(t, eightRows, rewrittenRows, []rewrite.Variant{parted, stays, steps, partial}, wrongRows)
}

// Programs that can't be multiplexed so, each with a rewrite that looks right.
func TestWhatMayNotBePartedOrStay(t *testing.T) {
	for _, c := range []struct {
		name     string
		variant  rewrite.Variant
		old, new string // a replacement in the original and in the rewrite
		breaks   validate.Condition
	}{
		{"memory that is read behind a turn, before a barrier", steps, "r < rounds;", "r < rounds + (int)out[r];", validate.Moves},
		{"a parameter that changes", stays, "float sum = 0.0f;", "float sum = rounds--;", validate.Moves},
		{"a return that leaves out the next blocks", stays, "float sum = 0.0f;", "float sum = 0.0f; if (rounds == 7) return;", validate.Turns},
		{"a variable that outlasts a block", stays, "float sum = 0.0f;", "static float last; float sum = last;", validate.Moves},
	} {
		t.Run(c.name, func(t *testing.T) {
			right := rewrittenRows(t, c.variant)
			require.Contains(t, eightRows, c.old)
			require.Contains(t, right, c.old)
			r := validate.Programs(program(t, strings.Replace(eightRows, c.old, c.new, 1)), program(t, strings.Replace(right, c.old, c.new, 1)))
			refused(t, r, c.breaks)
		})
	}
}

// halves is a kernel whose array is parted between threads, and sums one that calls a function with barriers.
const (
	halves = `__global__ void halves(const float *__restrict__ in, float *out, int n)
{
    __shared__ float s[64];
    const int t = threadIdx.x;
    for (int r = 0; r < n; ++r) {
        s[t] = in[r * 64 + t];
        __syncthreads();
        out[t] += s[63 - t];
        __syncthreads();
    }
}

void run(const float *in, float *out) { halves<<<9, 64>>>(in, out, 5); }
`
	sums = `__device__ float sum(float *s, float v)
{
    const int t = threadIdx.x;
    s[t] = v;
    __syncthreads();
    for (int d = 32; d > 0; d >>= 1) {
        if (t < d) s[t] += s[t + d];
        __syncthreads();
    }
    return s[0];
}

__global__ void sums(const float *in, float *out)
{
    __shared__ float s[64];
    const int i = blockIdx.x * 64 + threadIdx.x;
    const float v = in[i];
    const float length = sum(s, v * v);
    out[i] = v * rsqrtf(length);
}

void run(const float *in, float *out) { sums<<<9, 64>>>(in, out); }
`
)

func TestWrongStoresAndCalls(t *testing.T) {
	rows := rewrite.Variant{Rewriter: "co-vtb", Sync: "named", PrivateRows: 32}
	for _, c := range []struct {
		name, of string
		variant  rewrite.Variant
		old, new string // none: it is right
		breaks   validate.Condition
	}{
		{"parted between threads", halves, rows, "", "", ""},
		{"a store that a thread makes twice", halves, rows, "if (t >= 32) s_public", "if (t >= 31) s_public", validate.Moves},
		{"a store that a thread doesn't make", halves, rows, "if (t < 32) s_private", "if (t < 31) s_private", validate.Moves},
		{"the second store without a condition", halves, rows, "if (t >= 32) s_public[t - 32] = s_waits;", "s_public[t - 32] = s_waits;", validate.Erasure},
		{"a function with barriers", sums, block, "", "", ""},
		{"a result of another turn", sums, block, "if (vtb.id == turn) length = smux_r1;", "length = smux_r1;", validate.Turns},
		{"a call that is always in its turn", sums, block, "sum(vtb.id == turn, ", "sum(true, ", validate.Erasure},
		{"a function that leaves before a barrier", sums, block, "    __syncthreads();\n    for", "    if (!mine) return {};\n    __syncthreads();\n    for", validate.Uniform},
		{"a function that sums in each turn", sums, block, "        if (mine) {\n            if (t < d) s[t] += s[t + d];\n        }\n", "        if (t < d) s[t] += s[t + d];\n", validate.Turns},
		{"a function that stores in each turn", sums, block, "        s[t] = v;\n    }\n", "    }\n    s[t] = v;\n", validate.Turns},
	} {
		t.Run(c.name, func(t *testing.T) {
			old := program(t, c.of)
			res, err := rewrite.Run(old, rewrite.Options{Variant: c.variant, Runtime: "header"})
			require.NoError(t, err)
			require.Len(t, res.Files, 1)
			right := string(res.Files[0].After)
			require.Contains(t, right, c.old)
			r := validate.Programs(old, program(t, strings.Replace(right, c.old, c.new, 1)))
			assert.Equal(t, c.old == "", r.Proved(), "%s\n%s", doubts(r), right)
			assert.Contains(t, doubts(r), string(c.breaks))
		})
	}
}
