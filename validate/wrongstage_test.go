package validate_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/validate"
)

// stagedKernels are kernels of which stage copies something: in a loop over tiles, a neighbourhood, stores that go
// through a tile, planes that move along, a table. Each with its launch.
var stagedKernels = map[string]string{
	"product": `
__global__ void product(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c, int m, int n, int l)
{
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    const int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= m || col >= l) {
        return;
    }
    float sum = 0;
    for (int k = 0; k < n; ++k) {
        sum += a[row * n + k] * b[k * l + col];
    }
    c[row * l + col] = sum;
}
`,
	"within": `
__global__ void within(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c, int m, int n)
{
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < m) {
        float sum = c[row];
        for (int k = 0; k < n; ++k)
            sum += a[k * m + row] * b[k];
        c[row] = sum;
    }
}
`,
	"blur": `
__global__ void blur(const float *in, float *out, int w, int h)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x > 0 && x < w - 1 && y > 0 && y < h - 1) {
        float sum = 0;
        for (int i = -1; i <= 1; ++i)
            for (int j = -1; j <= 1; ++j) sum += in[(y + i) * w + x + j];
        out[y * w + x] = sum;
    }
}
`,
	"columns": `
__global__ void columns(const float *in, float *out, int w, int h)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h) {
        out[x * h + y] = in[y * w + x];
    }
}
`,
	"star": `
__global__ void star(const float *__restrict__ in, float *__restrict__ out, int w, int h, int d)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || x >= w - 1 || y < 1 || y >= h - 1) return;
    for (int z = 1; z < d - 1; ++z) {
        float sum = 0;
        for (int k = -1; k <= 1; ++k)
            for (int j = -1; j <= 1; ++j)
                for (int i = -1; i <= 1; ++i) sum += in[((z + k) * h + y + j) * w + x + i];
        out[(z * h + y) * w + x] = sum;
    }
}
`,
	"decode": `
__constant__ float codes[16];

__global__ void decode(const int *__restrict__ in, float *__restrict__ out, int n)
{
    float sum = 0;
    for (int i = 0; i < n; ++i) sum += codes[in[i * 32 + threadIdx.x] & 15];
    out[threadIdx.x] = sum;
}
`,
}

var stagedLaunches = map[string]string{
	"product": "product<<<dim3(4, 4), dim3(8, 8)>>>(a, b, c, w, h, d);",
	"within":  "within<<<4, 32>>>(a, b, c, w, h);",
	"blur":    "blur<<<dim3(4, 4), dim3(8, 4)>>>(a, b, w, h);",
	"columns": "columns<<<dim3(4, 4), dim3(8, 8)>>>(a, b, w, h);",
	"star":    "star<<<dim3(4, 4), dim3(8, 4)>>>(a, b, w, h, d);",
	"decode":  "decode<<<4, 32>>>(texts, c, w);",
}

// stagedProgram is one of the kernels with what launches it.
func stagedProgram(kernel string) string {
	return stagedKernels[kernel] + `
void run(int w, int h, int d)
{
    float *a, *b, *c;
    int *texts;
    cudaMalloc(&a, w * h * d * sizeof(float));
    cudaMalloc(&b, w * h * d * sizeof(float));
    cudaMalloc(&c, w * h * d * sizeof(float));
    cudaMalloc(&texts, w * sizeof(int));
    ` + stagedLaunches[kernel] + `
}
`
}

// wrongStages are mistakes that a rewriter could make with tiles: each a replacement wherever it fits, and the condition that
// it breaks.
var wrongStages = []struct {
	name, kernel, old, new string
	breaks                 validate.Condition
}{
	{"no barrier behind a copy", "product", "        __syncthreads();\n        if (inside)", "        if (inside)", validate.Turns},
	{"no barrier before the next copy", "product", "            }\n        __syncthreads();\n", "            }\n", validate.Turns},
	{"a barrier that some threads don't reach", "product", "        __syncthreads();\n        if (inside)", "        if (row < m) __syncthreads();\n        if (inside)", validate.Erasure},
	{"a barrier behind a return", "blur", "    __syncthreads();\n", "    if (x >= w) return;\n    __syncthreads();\n", validate.Erasure},
	{"threads that leave before the barrier", "product", "    const bool inside = row < m && col < l;\n", "    const bool inside = row < m && col < l;\n    if (row >= m) return;\n", validate.Erasure},
	{"an element one off", "product", "a_tile[threadIdx.y][k - k0]", "a_tile[threadIdx.y][k - k0 + 1]", validate.Content},
	{"rows for columns", "product", "a_tile[threadIdx.y][k - k0]", "a_tile[k - k0][threadIdx.y]", validate.Content},
	{"the other tile", "product", "a_tile[threadIdx.y][k - k0] * b_tile", "b_tile[threadIdx.y][k - k0] * b_tile", validate.Content},
	{"another array", "product", "a_tile[threadIdx.y][threadIdx.x] = a[row * n + k]", "a_tile[threadIdx.y][threadIdx.x] = b[row * n + k]", validate.Content},
	{"another pitch", "product", "= b[k * l + col]", "= b[k * n + col]", validate.Content},
	{"a copy without a guard", "product", "row < m && first_col < l && threadIdx.x < k_len", "row < m && first_col < l", validate.Copies},
	{"a guard of other threads", "product", "row < m && first_col < l && threadIdx.x < k_len", "row < m && col < l && threadIdx.x < k_len", validate.Content},
	{"a guard that leaves an element out", "product", "threadIdx.x < k_len", "threadIdx.x + 1 < k_len", validate.Content},
	{"a tile of less than is read", "product", "min(8, n - k0)", "min(9, n - k0)", validate.Content},
	{"an iteration that is left out", "product", "k < k0 + k_len; k++", "k + 1 < k0 + k_len; k++", validate.Moves},
	{"an iteration twice", "product", "k0 += k_len)", "k0 += k_len - 1)", validate.Moves},
	{"a loop that begins elsewhere", "product", "int k0 = 0, k_len", "int k0 = 1, k_len", validate.Moves},
	{"a last tile that is too long", "product", "min(8, n - k0)", "min(8, n + 1 - k0)", validate.Moves},
	{"tiles that are left out", "product", "k0 < n; k0", "k0 + 8 < n; k0", validate.Moves},
	{"a condition that is not the original's", "product", "const bool inside = row < m && col < l;", "const bool inside = row < m && col <= l;", validate.Moves},
	{"a statement that all threads come by", "product", "    if (inside) c[row * l + col] = sum;", "    c[row * l + col] = sum;", validate.Erasure},
	{"a store that is gone", "product", "    if (inside) c[row * l + col] = sum;\n", "", validate.Erasure},
	{"a store between a copy and what reads it", "product", "sum += a_tile", "c[k] = sum, sum += a_tile", validate.Erasure},
	{"a store that all threads make, without braces", "within", "    if (inside) c[row] = sum;", "    c[row] = sum;", validate.Erasure},
	{"a value that all threads read, without braces", "within", "float sum;\n    if (inside) sum = c[row];", "float sum = c[row];", validate.Erasure},
	{"a condition that is not the original's, without braces", "within", "const bool inside = row < m;", "const bool inside = row <= m;", validate.Moves},
	{"blocks of another shape", "blur", "dim3(8, 4)", "dim3(8, 8)", validate.Content},
	{"fewer threads than copy", "blur", "dim3(8, 4)", "dim3(8, 2)", validate.Content},
	{"blocks that are ended", "blur", "blockDim.y != 4", "blockDim.y != 5", validate.Launches},
	{"blocks that are ended where they are of the right shape", "columns", "blockDim.z != 1", "blockDim.z == 1", validate.Launches},
	{"a check of a number that is no shape", "blur", "blockDim.z != 1", "blockDim.z * w != 1", validate.Launches},
	{"a check of the grid", "decode", "blockDim.x != 32", "gridDim.x != 32", validate.Launches},
	{"an element less is copied", "blur", "i2 < 60", "i2 < 59", validate.Content},
	{"a step that leaves elements out", "blur", "first += 32", "first += 33", validate.Content},
	{"a pass less", "blur", "first < 60", "first < 32", validate.Content},
	{"a border that is one off", "blur", "tile_col - 1", "tile_col", validate.Content},
	{"columns of another tile", "blur", "in_tile[tile_row][tile_col]", "in_tile[i2 / 9][i2 % 9]", validate.Copies},
	{"a copy beyond the array", "blur", "in_x < w && in_y >= 0", "in_y >= 0", validate.Copies},
	{"a copy before the array", "blur", "in_y >= 0 && in_y < h", "in_y < h", validate.Copies},
	{"a copy of a picture that is too small", "blur", "h >= 3 && w >= 3 && in_x", "h >= 3 && in_x", validate.Copies},
	{"a tile that is written again", "blur", "        out[y * w + x] = sum;", "        in_tile[0][0] = sum;\n        out[y * w + x] = sum;", validate.Erasure},
	{"a store of another element", "columns", "out[out_x * h + out_y]", "out[out_y * h + out_x]", validate.Content},
	{"a store that leaves threads out", "columns", "out_x < w && out_y < h)", "out_x < w && out_y + 1 < h)", validate.Content},
	{"a store of what was not put aside", "columns", "if (out_x < w && out_y < h)", "if (out_x < w)", validate.Content},
	{"one element for several", "columns", "out_tile[threadIdx.x][threadIdx.y] =", "out_tile[threadIdx.x][0] =", validate.Content},
	{"no barrier before what was put aside is stored", "columns", "    __syncthreads();\n", "", validate.Turns},
	{"a plane that is read too early", "star", "in_tile[(z + k) % 3u]", "in_tile[(z + k + 1) % 3u]", validate.Content},
	{"a plane over one that is read", "star", "in_tile[(z + 1) % 3u]", "in_tile[(z + 2) % 3u]", validate.Turns},
	{"a plane too few before the loop", "star", "i2 < 120", "i2 < 60", validate.Content},
	{"planes of a ring that is too short", "star", "[(z + k) % 3u]", "[(z + k) % 2u]", validate.Content},
	{"a plane beyond", "star", "const int in_z = z + 1;", "const int in_z = z + 2;", validate.Content},
	{"planes without a barrier between iterations", "star", "        }\n        __syncthreads();\n    }\n", "        }\n    }\n", validate.Turns},
	{"a table that ends early", "decode", "threadIdx.x < 16", "threadIdx.x < 15", validate.Content},
	{"more than the table has", "decode", "if (threadIdx.x < 16)\n        codes_tile[threadIdx.x] = codes[threadIdx.x];", "if (threadIdx.x < 16)\n        codes_tile[threadIdx.x] = codes[threadIdx.x + 1];", validate.Content},
	{"an index that goes beyond", "decode", "codes_tile[in[i * 32 + threadIdx.x] & 15]", "codes_tile[in[i * 32 + threadIdx.x] & 31]", validate.Content},
}

// A wrong rewriter is caught, by the condition that it breaks.
func TestWrongStages(t *testing.T) {
	right := map[string]string{}
	for name := range stagedKernels {
		old := program(t, stagedProgram(name))
		res, err := rewrite.Run(old, rewrite.Options{Variant: rewrite.Variant{Rewriter: "stage"}, Runtime: "header"})
		require.NoError(t, err)
		require.Len(t, res.Files, 1, name)
		right[name] = string(res.Files[0].After)
		r := validate.Programs(old, program(t, right[name]))
		require.True(t, r.Proved(), "%s: %s", name, doubts(r))
	}
	for _, w := range wrongStages {
		t.Run(w.name, func(t *testing.T) {
			require.Contains(t, right[w.kernel], w.old)
			r := validate.Programs(program(t, strings.ReplaceAll(stagedProgram(w.kernel), w.old, w.new)), program(t, strings.ReplaceAll(right[w.kernel], w.old, w.new)))
			refused(t, r, w.breaks)
		})
	}
}

// A break leaves the loop over the iterations of a tile, and not the one over tiles; and -1 beside 1u is not less than 0.
func TestLoopsThatHaveNoSuchTiles(t *testing.T) {
	const text = `
__global__ void sums(const float *__restrict__ in, float *__restrict__ out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < n; k++) {
        sum += in[k];
    }
    out[i] = sum;
}
void run(const float *in, float *out, int n) { sums<<<n / 64, 64>>>(in, out, n); }
`
	old := program(t, text)
	res, err := rewrite.Run(old, rewrite.Options{Variant: rewrite.Variant{Rewriter: "stage"}, Runtime: "header"})
	require.NoError(t, err)
	require.Len(t, res.Files, 1)
	right := string(res.Files[0].After)
	require.True(t, validate.Programs(old, program(t, right)).Proved())
	left := func(text, element string) string {
		require.Contains(t, text, "sum += "+element)
		return strings.Replace(text, "sum += "+element, "if ("+element+" == 5) break;\n        sum += "+element, 1)
	}
	refused(t, validate.Programs(program(t, left(text, "in[k]")), program(t, left(right, "in_tile[k - k0]"))), validate.Moves)
	const first = "in[(threadIdx.x < 64 ? -1 : 1u) < 0 ? k : 0]"
	refused(t, validate.Programs(program(t, strings.Replace(text, "in[k]", first, 1)), program(t, right)), validate.Content)
}

// An unsigned number of 2^31 or more is negative as an int: then the original reads nothing.
func TestUnsignedNumbersThatTurnNegative(t *testing.T) {
	const old = `
__global__ void sums(const float *__restrict__ in, float *__restrict__ out, unsigned n)
{
    const int t = threadIdx.x, i = blockIdx.x * 64 + t;
    if (i > (int)n) return;
    float s = 0;
    for (int j = 0; j < 9; ++j) s += in[i + j];
    out[i] = s;
}
void run(const float *in, float *out, unsigned n) { sums<<<16, 64>>>(in, out, n); }
`
	now := strings.Replace(strings.Replace(strings.Replace(old, "    if (i >", `    __shared__ float in_tile[72];
    if (blockDim.x != 64 || blockDim.y * blockDim.z != 1) { printf("smux: sums was rewritten for blocks of 64 threads\n"); __trap(); }
    if (i >`, 1), "    if (i >", `    for (unsigned i2 = threadIdx.x; i2 < 72; i2 += 64) {
        const int in_t = i2;
        const int in_i = blockIdx.x * 64 + in_t;
        if ((int)n >= 0 && in_i - 8 <= (int)n)
            in_tile[i2] = in[in_i];
    }
    __syncthreads();
    if (i >`, 1), "in[i + j]", "in_tile[threadIdx.x + j]", 1)
	require.True(t, validate.Programs(program(t, old), program(t, now)).Proved(), "%s", doubts(validate.Programs(program(t, old), program(t, now))))
	refused(t, validate.Programs(program(t, old), program(t, strings.Replace(now, "(int)n >= 0 && ", "", 1))), validate.Copies)
}
