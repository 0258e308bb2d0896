package validate_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/validate"
)

// around is a kernel with some statements in it.
func around(body string) string {
	return "__global__ void k(const float *in, float *out, int *n) {\n    __shared__ float s[64];\n    const int t = threadIdx.x;\n" + body + "    __syncthreads();\n    out[t] = s[63 - t];\n}\n"
}

// Loads that stand earlier, and what they may not pass.
func TestEarlierLoads(t *testing.T) {
	const early = "    const float smux_v1 = in[t];\n"
	for _, c := range []struct {
		name, old, new string
		right          bool
	}{
		{"past a store to shared memory", "    s[t] = 0.0f;\n    s[t] = in[t];\n", early + "    s[t] = 0.0f;\n    s[t] = smux_v1;\n", true},
		{"past a store that may be to what is loaded", "    out[t] = 0.0f;\n    s[t] = in[t];\n", early + "    out[t] = 0.0f;\n    s[t] = smux_v1;\n", false},
		{"past a barrier", "    s[t] = 0.0f;\n    __syncthreads();\n    s[t] = in[t];\n", early + "    s[t] = 0.0f;\n    __syncthreads();\n    s[t] = smux_v1;\n", false},
		{"past a condition", "    if (t < *n) s[t] = in[t];\n", early + "    if (t < *n) s[t] = smux_v1;\n", false},
		{"past one inside an expression", "    s[t] = t < 7 ? in[t] : 0.0f;\n", early + "    s[t] = t < 7 ? smux_v1 : 0.0f;\n", false},
		{"past a return", "    if (*n) return;\n    s[t] = in[t];\n", early + "    if (*n) return;\n    s[t] = smux_v1;\n", false},
		{"past a change of its subscript", "    int i = t;\n    i = 63 - t;\n    s[t] = in[i];\n", "    int i = t;\n    const float smux_v1 = in[i];\n    i = 63 - t;\n    s[t] = smux_v1;\n", false},
		{"in another type", "    s[t] = in[t];\n", "    const int smux_v1 = in[t];\n    s[t] = smux_v1;\n", false},
		{"torn out of a product", "    s[t] = 2.0f * in[t] + in[t + 1];\n", "    const float smux_v1 = in[t] + in[t + 1];\n    s[t] = 2.0f * smux_v1;\n", false},
		{"of another loop", "    for (int r = 0; r < 4; ++r) s[t] += in[t + r];\n",
			"    float smux_v1[4];\n    for (int r = 0; r < 3; ++r) smux_v1[r] = in[t + r];\n    for (int r = 0; r < 4; ++r) s[t] += smux_v1[r];\n", false},
		{"of a loop", "    for (int r = 0; r < 4; ++r) s[t] += in[t + r];\n",
			"    float smux_v1[4];\n    for (int r = 0; r < 4; ++r) smux_v1[r] = in[t + r];\n    for (int r = 0; r < 4; ++r) s[t] += smux_v1[r];\n", true},
		{"into an array that is too short", "    for (int r = 0; r < 4; ++r) s[t] += in[t + r];\n",
			"    float smux_v1[3];\n    for (int r = 0; r < 4; ++r) smux_v1[r] = in[t + r];\n    for (int r = 0; r < 4; ++r) s[t] += smux_v1[r];\n", false},
		{"into one element for two", "    for (int r = 0; r < 4; ++r) s[t] += in[t + r];\n",
			"    float smux_v1[4];\n    for (int r = 0; r < 4; ++r) smux_v1[r / 2] = in[t + r];\n    for (int r = 0; r < 4; ++r) s[t] += smux_v1[r / 2];\n", false},
		{"of a loop that changes behind the use what it loads", "    int i = t;\n    for (int r = 0; r < 4; ++r) { s[t] += in[i + r]; i += 2; }\n",
			"    int i = t;\n    float smux_v1[4];\n    for (int r = 0; r < 4; ++r) smux_v1[r] = in[i + r];\n    for (int r = 0; r < 4; ++r) { s[t] += smux_v1[r]; i += 2; }\n", false},
		{"past a change of an element", "    float a[2];\n    a[0] = in[t];\n    a[0] = 2.0f;\n    s[t] = a[0] * 3.0f;\n", "    float a[2];\n    a[0] = in[t];\n    const float smux_v1 = a[0];\n    a[0] = 2.0f;\n    s[t] = smux_v1 * 3.0f;\n", false},
		{"past a change of an element by a pointer", "    float a[2];\n    a[0] = in[t];\n    float *b = a;\n    b[0] = 2.0f;\n    s[t] = a[0] * 3.0f;\n", "    float a[2];\n    a[0] = in[t];\n    float *b = a;\n    const float smux_v1 = a[0];\n    b[0] = 2.0f;\n    s[t] = smux_v1 * 3.0f;\n", false},
		{"of an exchange out of its condition", "    const float v = in[t];\n    if (t < 32) s[t] = __shfl_xor_sync(0xffffffff, v, 1) * 2.0f;\n", "    const float v = in[t];\n    const float smux_v1 = __shfl_xor_sync(0xffffffff, v, 1);\n    if (t < 32) s[t] = smux_v1 * 2.0f;\n", false},
		{"past a store to another array", "    out[t] = 0.0f;\n    s[t] = t * 2.0f + 1.0f;\n", "    const float smux_v1 = t * 2.0f;\n    out[t] = 0.0f;\n    s[t] = smux_v1 + 1.0f;\n", true},
		{"of a sum torn apart", "    s[t] = in[t] + in[t + 1] * 2.0f;\n", "    const float smux_v1 = in[t] + in[t + 1];\n    s[t] = smux_v1 * 2.0f;\n", false},
		{"under its condition", "    s[t] = 0.0f;\n    if (t < 7) s[t] = in[t];\n", "    float smux_v1;\n    if (t < 7) smux_v1 = in[t];\n    s[t] = 0.0f;\n    if (t < 7) s[t] = smux_v1;\n", true},
		{"under another condition", "    s[t] = 0.0f;\n    if (t < 7) s[t] = in[t];\n", "    float smux_v1;\n    if (t < 8) smux_v1 = in[t];\n    s[t] = 0.0f;\n    if (t < 7) s[t] = smux_v1;\n", false},
		{"under a condition that changed", "    int i = t;\n    i += 3;\n    if (i < 7) s[t] = in[t];\n", "    int i = t;\n    float smux_v1;\n    if (i < 7) smux_v1 = in[t];\n    i += 3;\n    if (i < 7) s[t] = smux_v1;\n", false},
		{"of shared memory past a store to it", "    s[t] = 1.0f;\n    s[t] = s[t] + 2.0f;\n", "    const float smux_v1 = s[t];\n    s[t] = 1.0f;\n    s[t] = smux_v1 + 2.0f;\n", false},
		{"that is set twice", "    s[t] = in[t];\n", "    float smux_v1;\n    smux_v1 = in[t];\n    smux_v1 = in[t + 1];\n    s[t] = smux_v1;\n", false},
		{"that nobody uses", "    s[t] = 0.0f;\n", early + "    s[t] = 0.0f;\n", false},
		{"under a name that means another variable", "    s[t] = 0.0f;\n    { const float *in = out; s[t] = in[t]; }\n", early + "    s[t] = 0.0f;\n    { const float *in = out; s[t] = smux_v1; }\n", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := validate.Programs(program(t, around(c.old)), program(t, around(c.new)))
			assert.Equal(t, c.right, r.Proved(), doubts(r))
		})
	}
}

// Barriers that the original has and the new text has not, and what stands between them and the ones that are left.
func TestBarriersThatCount(t *testing.T) {
	const head = "struct S { float x; };\nstruct Q { float *p; };\n__device__ void make_row(float *p, int t) { p[t] = 1; }\n__device__ void give(Q q, int t) { q.p[t] = 1; }\n" +
		"__global__ void k(S *p, float *out, cudaSurfaceObject_t b) {\n    __shared__ float s[64];\n    const int t = threadIdx.x;\n    Q q = {out};\n    s[t] = 1;\n    __syncthreads();\n    float here = s[63 - t];\n"
	const behind = "    __syncthreads();\n    out[t] = v;\n}\n"
	for _, c := range []struct{ name, store, load string }{
		{"a member by a pointer", "p->x = here;", "float v = p->x;"},
		{"an element by a deduced pointer", "auto a = out; a[t] = here;", "float v = a[63 - t];"},
		{"an address with a number added to a deduced pointer", "auto a = out; *(t + a) = here;", "float v = *(a + 63 - t);"},
		{"an element by a pointer in a structure", "q.p[t] = here;", "float v = q.p[63 - t];"},
		{"a surface", "surf2Dwrite(here, b, t, t);", "float v = surf2Dread<float>(b, t, 63 - t);"},
		{"a function with a name like one of CUDA's", "make_row(out, t);", "float v = out[63 - t];"},
		{"a function that is given a structure with a pointer", "give(q, t);", "float v = q.p[63 - t];"},
	} {
		t.Run(c.name, func(t *testing.T) {
			old := program(t, head+"    "+c.store+"\n    __syncthreads();\n    "+c.load+"\n"+behind)
			now := validate.Programs(old, program(t, head+"    "+c.store+"\n    "+c.load+"\n"+behind))
			assert.Contains(t, doubts(now), string(validate.Moves)+":")
			now = validate.Programs(program(t, head+"    "+c.store+"\n    "+c.load+"\n"+behind), program(t, head+"    "+c.load+"\n    "+c.store+"\n"+behind))
			assert.False(t, now.Proved(), "a load passed a store")
		})
	}
}

// A loop that counts makes as many iterations as the original's only where nothing changes what that one asks.
func TestLoopsThatCount(t *testing.T) {
	for _, c := range []struct {
		name, before string
		right        bool
	}{
		{"nothing changes the end", "", true},
		{"an assignment changes it", "m += 64;", false},
		{"a function changes it by a reference", "more(m);", false},
		{"one that only computes is given its value", "s[t] = min(m, 3);", true},
	} {
		const head = "__device__ void more(int &n) { n += 64; }\n"
		text := func(loop string) string {
			return head + around("    int m = 128;\n    "+c.before+"\n    s[t] = 0.0f;\n    for ("+loop+") s[t] += i;\n")
		}
		old, now := text("int i = 0; i < m; i += 64"), text("int i = 0, smux_n1 = 0; smux_n1 < 2; i += 64, ++smux_n1")
		r := validate.Programs(program(t, old), program(t, now))
		assert.Equal(t, c.right, r.Proved(), "%s: %s", c.name, doubts(r))
	}
}

// A value may be kept in a type that the program names, if what it holds is declared with that name.
func TestValuesKeepTheTypeThatTheProgramNames(t *testing.T) {
	typed := func(text string) string { return "typedef float real;\n" + strings.ReplaceAll(text, "float", "real") }
	right := typed(rewritten(t, named))
	require.Contains(t, right, "const real smux_v1")
	r := validate.Programs(program(t, typed(twoTurns)), program(t, right))
	assert.True(t, r.Proved(), doubts(r))
	r = validate.Programs(program(t, typed(twoTurns)), program(t, strings.Replace(right, "const real smux_v1", "const int smux_v1", 1)))
	refused(t, r, validate.Moves)
}
