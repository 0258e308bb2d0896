package validate_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/lab/mutate"
	"github.com/smux-cuda/smux/lab/suite"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/validate"
)

// slicedForms are the examples and cases that are shown in rounds.
func slicedForms(t *testing.T, examples ...string) (out []form) {
	t.Helper()
	var all []form
	for _, name := range examples {
		all = append(all, exampleForms(t, "../examples/"+name+"/"+name+".cu")...)
	}
	if len(examples) > 1 {
		all = append(all, caseForms(t, "slice-*")...)
	}
	for _, f := range all {
		if f.way.Rewriter == "slice" {
			out = append(out, f)
		}
	}
	return out
}

// rightMutants are mutants that do what the form does, with the reason.
var rightMutants = map[string]string{
	"fft.cu fft1024:barrier#12":           "each thread reads and writes its own elements from here on",
	"fft.cu fft1024:barrier#13":           "the last exchange stays within each thread",
	"fft.cu fft1024:barrier#14":           "the last exchange stays within each thread",
	"fft.cu fft1024:barrier#15":           "the last exchange stays within each thread",
	"mc.cu generateTriangles:barrier#2":   "each thread has a column of its own",
	"slice-own.txtar stays:both#4":        "what is read once more nobody needs",
	"slice-windows.txtar twice:barrier#4": "nothing is in the third window of the first exchange, so that other barriers follow",
	"slice-windows.txtar twice:barrier#5": "nothing is in the third window of the first exchange",
	"slice-windows.txtar twice:barrier#6": "nothing is in the third window of the first exchange",
	"slice-windows.txtar twice:barrier#7": "nothing is in the first window of the second exchange",
	"slice-windows.txtar twice:barrier#8": "nothing is in the first window of the second exchange",
	"slice-windows.txtar twice:bound#5":   "nothing is in this window",
	"slice-windows.txtar twice:bound#6":   "nothing is in this window",
	"slice-windows.txtar twice:bound#7":   "nothing is in this window",
	"slice-windows.txtar twice:bound#8":   "nothing is in this window",
	"slice-windows.txtar twice:start#3":   "nothing is in this window",
	"slice-windows.txtar twice:start#4":   "nothing is in this window",
}

// unshownSlices are the forms that are right and can't be shown, with the reason.
var unshownSlices = map[string]string{"slice-local-names.txtar": "types of a kernel's own"}

// Every form that slice makes of examples and cases is shown, but for what is named, and no mutant of one, but for those
// that are right.
func TestMutantsOfSlice(t *testing.T) {
	forms := slicedForms(t, "tp")
	if suite.Full() {
		forms = slicedForms(t, "tp", "mv", "fft", "mc")
	}
	mutants := 0
	for _, f := range forms {
		r := validate.Programs(f.old, f.now)
		if why := unshownSlices[filepath.Base(f.program)]; why != "" {
			require.False(t, r.Proved(), "%s are followed now: take it in", why)
			continue
		}
		require.True(t, r.Proved(), "%s: %s", f.program, doubts(r))
		for i, m := range mutate.Mutants(f.now.Files[0]) {
			name := filepath.Base(f.program) + " " + m.ID
			every := 3
			if strings.HasSuffix(f.program, ".cu") {
				every = 12 // those of examples take a second each
			}
			if i%every != 0 && rightMutants[name] == "" {
				continue
			}
			bad, err := f.now.With(f.now.Files[0], mutate.Apply(f.now.Files[0], m))
			require.NoError(t, err)
			mutants++
			assert.Equal(t, rightMutants[name] != "", validate.Programs(f.old, bad).Proved(), "%s (%s)", name, m.Text)
		}
	}
	t.Logf("%d forms shown, %d mutants judged", len(forms), mutants)
}

// slicedKernels are kernels with an exchange, each with the way in which it is cut.
var slicedKernels = map[string]struct{ by, text string }{
	"order": {"component", `
__global__ void order(const float2 *points, const int *ranks, float2 *ordered, int n)
{
    __shared__ float2 sorted[64];
    const int t = threadIdx.x;
    float2 v = points[64 * blockIdx.x + t];
    for (int i = 0; i < n; ++i) {
        sorted[t ^ 1] = v;
        __syncthreads();
        v = sorted[63 - t];
        __syncthreads();
    }
    ordered[ranks[t]] = v;
}
void run(const float2 *p, const int *r, float2 *o, int n) { order<<<9, 64>>>(p, r, o, n); }
`},
	"before": {"component", `
__global__ void before(const float2 *points, float2 *turned, int n)
{
    __shared__ float2 s[64];
    const int t = threadIdx.x;
    s[t] = points[t];
    __syncthreads();
    float2 v = s[63 - t];
    __syncthreads();
    for (int i = 0; i < n; ++i) {
        s[t ^ 1] = v;
        __syncthreads();
        v = s[63 - t];
        __syncthreads();
    }
    s[t ^ 2] = v;
    __syncthreads();
    turned[t] = s[t];
}
void run(const float2 *p, float2 *o, int n) { before<<<1, 64>>>(p, o, n); }
`},
	"often": {"window", `
__global__ void often(const float *in, const int *ranks, float *out, int *more)
{
    __shared__ float s[16][17];
    const int t = threadIdx.x;
    float v = in[t];
    const int k = ranks[t];
    s[t / 16][t % 16] = v;
    __syncthreads();
    v = s[15 - t / 16][t % 16];
    __syncthreads();
    more[t] = k;
    out[ranks[t]] = v;
}
void run(const float *in, const int *r, float *o, int *m) { often<<<1, 256>>>(in, r, o, m); }
`},
	"turn": {"window", `
__global__ void turn(const float *in, float *out, int w)
{
    __shared__ float tile[16][17];
    const int x = threadIdx.x, y = threadIdx.y;
    for (int i = 0; i < 16; i += 4) tile[y + i][x] = in[(y + i) * w + x];
    __syncthreads();
    for (int i = 0; i < 16; i += 4) out[(y + i) * w + x] = tile[x][y + i];
}
void run(const float *in, float *out, int w) { turn<<<9, dim3(16, 4)>>>(in, out, w); }
`},
	"back": {"component", `
__global__ void back(float2 *data)
{
    __shared__ float2 s[64];
    const int t = threadIdx.x;
    const float2 v = data[t];
    s[t] = v;
    __syncthreads();
    data[t ^ 1] = make_float2(s[63 - t].x + v.x, s[63 - t].y);
}
void run(float2 *data) { back<<<1, 64>>>(data); }
`},
	"sort": {"component", `
struct Pair { float key; float value; };

__global__ void sort(Pair *data, const int *ranks)
{
    __shared__ Pair s[64];
    const int t = threadIdx.x;
    s[ranks[t] & 63] = data[t];
    __syncthreads();
    const Pair other = s[t];
    data[t] = other;
}
void run(Pair *data, const int *ranks) { sort<<<1, 64>>>(data, ranks); }
`},
	"sums": {"array", `
__global__ void sums(const float *__restrict__ in, float *__restrict__ out, int n)
{
    __shared__ float rows[8][64];
    const int t = threadIdx.x;
    for (int i = 0; i < 4; ++i) {
        rows[i][t] = in[64 * i + t];
        rows[i + 4][t] = in[64 * (i + 4) + t] * 2.0f;
    }
    __syncthreads();
    float low = 0.0f, high = 0.0f;
    for (int k = 0; k < n; ++k) {
        const int at = (t + k) & 63;
        for (int i = 0; i < 4; ++i) {
            low += rows[i][at];
            high += rows[i + 4][at];
        }
    }
    out[t] = low;
    out[64 + t] = high;
}
void run(const float *in, float *out, int n) { sums<<<9, 64>>>(in, out, n); }
`},
}

// wrongSlices are mistakes that a rewriter could make with rounds: a replacement of the first place where it fits, and the
// condition that it breaks.
var wrongSlices = []struct {
	name, kernel, old, new string
	breaks                 validate.Condition
}{
	{"no barrier behind the stores of a round", "order", "v.x;\n        __syncthreads();\n", "v.x;\n", validate.Turns},
	{"no barrier between rounds", "order", "        __syncthreads();\n        sorted[t ^ 1] = v.y", "        sorted[t ^ 1] = v.y", validate.Turns},
	{"no barrier behind the last stores", "order", "v.y;\n        __syncthreads();\n", "v.y;\n", validate.Turns},
	{"no barrier before the next iteration", "order", "63 - t];\n        __syncthreads();\n    }", "63 - t];\n    }", validate.Turns},
	{"no barrier before the first iteration", "before", "63 - t];\n    __syncthreads();\n    for", "63 - t];\n    for", validate.Turns},
	{"a barrier that some threads don't reach", "order", "v.x;\n        __syncthreads();\n", "v.x;\n        if (t > 3) __syncthreads();\n", validate.Uniform},
	{"a barrier that some blocks don't reach", "order", "v.x;\n        __syncthreads();\n", "v.x;\n        if (blockIdx.x > 3) __syncthreads();\n", validate.Uniform},
	{"a component twice", "order", "sorted[t ^ 1] = v.x", "sorted[t ^ 1] = v.y", validate.Content},
	{"components exchanged", "order", "v.x = sorted", "v.y = sorted", validate.Content},
	{"an element one off", "order", "sorted[63 - t]", "sorted[t]", validate.Content},
	{"an array too short", "order", "float sorted[64]", "float sorted[63]", validate.Copies},
	{"a round that is forgotten", "order", "v.x = sorted[63 - t];", ";", validate.Content},
	{"a loop that goes round less", "order", "i < n", "i + 1 < n", validate.Uniform},
	{"another launch", "order", "<<<9, 64>>>", "<<<9, 32>>>", validate.Launches},
	{"a value of the round before", "turn", "x >= 8 ? tile[x - 8][y + i] : smux_r1", "x >= 4 ? tile[x >= 8 ? x - 8 : x][y + i] : smux_r1", validate.Content},
	{"a window too short", "turn", "tile[8][17]", "tile[7][17]", validate.Copies},
	{"rows that are too short", "turn", "tile[8][17]", "tile[8][15]", validate.Copies},
	{"an index one off", "turn", "tile[y + i - 8][x]", "tile[y + i - 9][x]", validate.Copies},
	{"a window that begins a row later", "turn", "if (x < 8) smux_r1", "if (x < 7) smux_r1", validate.Content},
	{"a window that ends a row earlier", "turn", "if (y + i < 8)", "if (y + i < 7)", validate.Content},
	{"a read before the barrier", "turn", "    __syncthreads();\n    #pragma unroll", "    #pragma unroll", validate.Turns},
	{"a load that the original does not make", "turn", "y = threadIdx.y;\n", "y = threadIdx.y;\n    const float beyond = in[y * w + 16];\n", validate.Moves},
	{"a load of all threads that some make", "sums", "    float low = 0.0f", "    const float first = n > 0 ? in[64 * 8 + t] : 0.0f;\n    float low = 0.0f", validate.Moves},
	{"a load behind what overwrites it", "back", "smux_r1 + v.x", "smux_r1 + data[t].x", validate.Moves},
	{"a load beside stores that a barrier parted from it", "often", "    more[t] = k;", "    const float late = in[t];\n    more[t] = k;", validate.Moves},
	{"an array too short for what is not known", "sort", "float s[64]", "float s[63]", validate.Copies},
	{"an element that memory chooses, of another thread", "sort", "s[ranks[t] & 63] =", "s[ranks[t] & 31] =", validate.Turns},
	{"no barrier between rounds that memory chooses", "sort", "s[t];\n    __syncthreads();\n", "s[t];\n", validate.Turns},
	{"another array", "turn", "] = (x >=", "] += (x >=", validate.Content},
	{"rows of the other group", "sums", "rows[i][t] = in[64 * (i + 4) + t]", "rows[i][t] = in[64 * i + t]", validate.Content},
	{"a store that is lost", "sums", "    out[64 + t] = high;\n", "", validate.Content},
	{"a store of another value", "sums", "out[64 + t] = high;", "out[64 + t] = low;", validate.Content},
	{"a loop of fewer iterations", "sums", "        const int at = (t + k) & 63;\n        for (int i = 0; i < 4; ++i) {\n            high", "        const int at = (t + k) & 63;\n        for (int i = 0; i < 3; ++i) {\n            high", validate.Content},
	{"a group too short", "sums", "rows[4][64]", "rows[3][64]", validate.Copies},
	{"no barrier before the next group", "sums", "    }\n    __syncthreads();\n    for (int i = 0; i < 4; ++i) {\n        rows", "    }\n    for (int i = 0; i < 4; ++i) {\n        rows", validate.Turns},
	{"an element that no round writes", "sums", "i < 4; ++i) {\n        rows[i][t] = in[64 * i + t];", "i < 3; ++i) {\n        rows[i][t] = in[64 * i + t];", validate.Content},
}

// A wrong rewriter is caught, by the condition that it breaks.
func TestWrongSlices(t *testing.T) {
	right := map[string]string{}
	for name, k := range slicedKernels {
		old := program(t, k.text)
		res, err := rewrite.Run(old, rewrite.Options{Variant: rewrite.Variant{Rewriter: "slice", By: k.by}, Runtime: "header"})
		require.NoError(t, err)
		require.Len(t, res.Files, 1, name)
		right[name] = string(res.Files[0].After)
		r := validate.Programs(old, program(t, right[name]))
		require.True(t, r.Proved(), "%s: %s\n%s", name, doubts(r), right[name])
		assert.Equal(t, "slice", r.Kernels[0].Variant)
	}
	for _, w := range wrongSlices {
		t.Run(w.name, func(t *testing.T) {
			require.Contains(t, right[w.kernel], w.old)
			r := validate.Programs(program(t, slicedKernels[w.kernel].text), program(t, strings.Replace(right[w.kernel], w.old, w.new, 1)))
			if w.breaks == "" {
				assert.True(t, r.Proved(), doubts(r))
				return
			}
			refused(t, r, w.breaks)
		})
	}
}

// Threads may store one value in one place at a time, and nothing else.
func TestSlicedStoresOfOneValue(t *testing.T) {
	was := program(t, `
__global__ void k(const float2 *in, float2 *out)
{
    __shared__ float2 s[2];
    const int t = threadIdx.x;
    s[0] = make_float2(0.0f, 1.0f);
    __syncthreads();
    if (t == 5) s[0] = in[t];
    __syncthreads();
    out[t] = s[0];
}
void run(const float2 *in, float2 *out) { k<<<1, 64>>>(in, out); }
`)
	const now = `
__global__ void k(const float2 *in, float2 *out)
{
    __shared__ float s[2];
    const int t = threadIdx.x;
    float2 v;
    s[0] = 0.0f;
    __syncthreads();
    if (t == 5) s[0] = in[t].x;
    __syncthreads();
    v.x = s[0];
    __syncthreads();
    s[0] = 1.0f;
    __syncthreads();
    if (t == 5) s[0] = in[t].y;
    __syncthreads();
    v.y = s[0];
    out[t] = v;
}
void run(const float2 *in, float2 *out) { k<<<1, 64>>>(in, out); }
`
	r := validate.Programs(was, program(t, now))
	require.True(t, r.Proved(), doubts(r))
	const barrier = "    __syncthreads();\n"
	for i := range strings.Count(now, barrier) {
		parts := strings.SplitN(now, barrier, i+2)
		r := validate.Programs(was, program(t, strings.Join(parts[:i+1], barrier)+parts[i+1]))
		assert.Contains(t, doubts(r), string(validate.Turns)+":", "without barrier %d", i)
	}
	r = validate.Programs(was, program(t, strings.Replace(now, "s[0] = 1.0f", "s[0] = t", 1)))
	assert.False(t, r.Proved())
}

// Texts that differ from a right one in what no rewriter makes are refused, too: a kernel, what stands in both texts, what
// the wrong one has instead, and the condition that this breaks. The array is one element longer, so that both are judged by runs.
func TestWrongRuns(t *testing.T) {
	const kernel = `
__global__ void k(const float *__restrict__ in, float *__restrict__ out, int n)
{
    __shared__ float s[64];
    const int t = threadIdx.x;
    s[t] = in[t];
    __syncthreads();
    BODY
}
void run(const float *in, float *out, int n) { k<<<1, 64>>>(in, out, n); }
`
	for _, w := range []struct {
		name, body, old, new string
		breaks               validate.Condition
	}{
		{"a barrier of warps between threads of two", "const float v = s[63 - t] + out[63 - t];\n    __syncthreads();\n    out[t] = v;", "__syncthreads();\n    out", "__syncwarp();\n    out", validate.Moves},
		{"a loop that never ends", "out[t] = s[63 - t];", "out[t]", "for (int j = 0; j < n;) { int z = 1; }\n    out[t]", validate.Uniform},
		{"a loop that goes round more often", "float v = 0;\n    for (int j = 0; j < n; j++) v += s[63 - t];\n    out[t] = v;", "out[t] = v", "for (int j = 0; j < n; j--) { int z = 1; }\n    out[t] = v", validate.Uniform},
		{"a loop of some threads that all run", "float v = 0;\n    if (in[t] > 0) for (int j = 0; j < n; j++) v += s[63 - t];\n    out[t] = v;", "out[t] = v", "for (int j = 0; j < n; j++) { int z = 1; }\n    out[t] = v", validate.Uniform},
		{"what an iteration leaves in an array of the loop's", "float v = 0;\n    for (int i = 0; i < n; i++) {\n        __shared__ float u[64];\n        if (i > 0) v += u[t];\n        u[t] = s[63 - t] + i;\n    }\n    out[t] = v;", "v += u[t];", "{ float z; v += z; }", validate.Content},
		{"the size of an array", "out[t] = s[63 - t];", "63 - t", "sizeof(s) / sizeof(float) - 1 - t", validate.Erasure},
		{"a type of another name", "typedef float T;\n    T v = s[63 - t];\n    out[t] = v * v;", "float T", "double T", validate.Erasure},
		{"an array that is volatile no longer", "__shared__ volatile float w[64];\n    w[t] = s[63 - t];\n    __syncthreads();\n    out[t] = w[t ^ 1];", "volatile ", "", validate.Copies},
		{"a quotient of some threads that all compute", "float v = s[63 - t];\n    if (n > 0) v = v / n;\n    out[t] = v;", "if (n > 0) v = v / n", "const float q = v / n;\n    v = n > 0 ? q : v", validate.Moves},
	} {
		t.Run(w.name, func(t *testing.T) {
			old := strings.Replace(kernel, "BODY", w.body, 1)
			right := strings.Replace(old, "s[64]", "s[65]", 1)
			require.Contains(t, w.body, w.old)
			wrong := strings.Replace(right, w.body, strings.Replace(w.body, w.old, w.new, 1), 1)
			if w.breaks != validate.Erasure {
				r := validate.Programs(program(t, old), program(t, right))
				require.True(t, r.Proved(), doubts(r))
			}
			r := validate.Programs(program(t, old), program(t, wrong))
			refused(t, r, w.breaks)
		})
	}
}

// The shape of a block is known where its width is set once, among the statements where it is declared.
func TestWidthsThatAreSetOnce(t *testing.T) {
	was := slicedKernels["back"].text
	res, err := rewrite.Run(program(t, was), rewrite.Options{Variant: rewrite.Variant{Rewriter: "slice"}, Runtime: "header"})
	require.NoError(t, err)
	now := string(res.Files[0].After)
	for set, known := range map[string]bool{
		"int n; n = 64;":                         true,
		"int n = 64;":                            true,
		"int n; n = 64; n = 32;":                 false,
		"int n; n = 64; n += 1;":                 false,
		"int n; if (data) n = 64;":               false,
		"int n; n = 64; int &m = n; m = 32;":     false,
		"int n; for (;;) { n = 64; break; }":     false,
		"static int n; n = 64;":                  false,
		"int n; goto go; n = 64; go: n = n + 0;": false,
	} {
		change := func(text string) string {
			return strings.Replace(text, "{ back<<<1, 64>>>", "{ "+set+" back<<<1, n>>>", 1)
		}
		require.NotEqual(t, was, change(was))
		r := validate.Programs(program(t, change(was)), program(t, change(now)))
		assert.Equal(t, known, r.Proved(), "%s: %s", set, doubts(r))
	}
}

// What is computed for both texts is what C++ computes: -1 beside 1u is not less than 0.
func TestABranchOfBothTextsIsNotTaken(t *testing.T) {
	const text = `
__global__ void sums(const float *in, float *out)
{
    __shared__ float s[64];
    __shared__ float u[64];
    s[threadIdx.x] = in[threadIdx.x];
    u[threadIdx.x] = in[threadIdx.x + 64];
    __syncthreads();
    out[threadIdx.x] = s[63 - threadIdx.x] + u[63 - threadIdx.x];
    if ((threadIdx.x < 64 ? -1 : 1u) < 0) out[threadIdx.x] += 1; else out[threadIdx.x] += 2;
}
void run(const float *in, float *out) { sums<<<1, 64>>>(in, out); }
`
	old := program(t, text)
	res, err := rewrite.Run(old, rewrite.Options{Variant: rewrite.Variant{Rewriter: "slice", By: "array"}})
	require.NoError(t, err)
	require.Len(t, res.Files, 1)
	right := string(res.Files[0].After)
	require.True(t, validate.Programs(old, program(t, right)).Proved())
	refused(t, validate.Programs(old, program(t, strings.Replace(right, "+= 2", "+= 3", 1))), validate.Content)
}
