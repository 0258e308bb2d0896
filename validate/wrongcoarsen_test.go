package validate_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/validate"
)

// Each kernel of coarsen's cases is proved.
func TestCoarsenedCasesAreProved(t *testing.T) {
	n := 0
	for _, f := range caseForms(t, "coarsen*") {
		r := validate.Programs(f.old, f.now)
		assert.True(t, r.Proved(), "%s: %s", f.program, doubts(r))
		for _, k := range r.Kernels {
			if k.Variant == "coarsen" {
				n++
			}
		}
	}
	assert.GreaterOrEqual(t, n, 12)
}

// wrongCoarsen are mistakes that a rewriter could make when thread blocks do the work of several: each a replacement in
// what is right, and the condition that it breaks.
var wrongCoarsen = []struct {
	name, old, new string
	breaks         validate.Condition
}{
	{"one block too few left", "const int left = smux_grid_x - COARSEN * blockIdx.x;", "const int left = smux_grid_x - COARSEN * blockIdx.x - 1;", validate.Erasure},
	{"one block too many left", "const int left = smux_grid_x - COARSEN * blockIdx.x;", "const int left = smux_grid_x + 1 - COARSEN * blockIdx.x;", validate.Erasure},
	{"left along another axis", "smux_grid_x - COARSEN * blockIdx.x", "smux_grid_x - COARSEN * blockIdx.y", validate.Erasure},
	{"blocks that are not neighbours", "block[c] = COARSEN * blockIdx.x + (c < left ? c : 0)", "block[c] = blockIdx.x + (c < left ? c : 0)", validate.Erasure},
	{"copies beyond the grid", "(c < left ? c : 0)", "(c <= left ? c : 0)", validate.Erasure},
	{"a copy too few", "for (int c = 0; c < COARSEN; ++c) col[c]", "for (int c = 0; c < COARSEN - 1; ++c) col[c]", validate.Erasure},
	{"the first copy is left out", "for (int c = 0; c < COARSEN; ++c) col[c]", "for (int c = 1; c < COARSEN; ++c) col[c]", validate.Erasure},
	{"another number of copies than the launch's", "enum { COARSEN = 2 }", "enum { COARSEN = 4 }", validate.Launches},
	{"a copy's block is that of the launch", "col[c] = block[c] * blockDim.x", "col[c] = blockIdx.x * blockDim.x", validate.Erasure},
	{"the first copy's block", "col[c] = block[c] * blockDim.x", "col[c] = block[0] * blockDim.x", validate.Erasure},
	{"the first copy's variable", "b[k * n + col[c]]", "b[k * n + col[0]]", validate.Erasure},
	{"the next copy's variable", "b[k * n + col[c]]", "b[k * n + col[c ^ 1]]", validate.Erasure},
	{"no copy's variable", "a[row * n + k];\n", "a[row * n + k + (int)col];\n", validate.Erasure},
	{"a guard of another copy", "if (on[c]) sum[c] += same_a", "if (on[0]) sum[c] += same_a", validate.Erasure},
	{"a guard is gone", "if (on[c]) out[row", "out[row", validate.Copies},
	{"a guard is gone where nothing left yet", "if (c < left) out[block[c] * 16 + t]", "out[block[c] * 16 + t]", validate.Copies},
	{"a guard that only says that there is a copy", "if (on[c]) out[row", "if (c < left) out[row", validate.Erasure},
	{"a guard of what came before", "if (in[c]) out[col[c]]", "if (on[c]) out[col[c]]", validate.Erasure},
	{"a guard of what is over", "if (on[c]) out[row", "if (in[c]) out[row", validate.Erasure},
	{"a load without a guard", "if (on[c]) sum[c] += same_a", "sum[c] += same_a", validate.Copies},
	{"a condition is negated", "c < left && !(row >= n || col[c] >= n)", "c < left && (row >= n || col[c] >= n)", validate.Erasure},
	{"a condition without the copies that there are", "on[c] = c < left && !(row", "on[c] = !(row", validate.Erasure},
	{"another condition", "col[c] >= n)", "col[c] > n)", validate.Erasure},
	{"half a condition", "!(row >= n || col[c] >= n)", "!(col[c] >= n)", validate.Erasure},
	{"copies leave where one does", "if (!any_on) return;", "if (any_on) return;", validate.Erasure},
	{"nobody leaves", "    if (!any_on) return;\n", "", validate.Erasure},
	{"the answer of the last copy alone", "any_on |= on[c]", "any_on = on[c]", validate.Erasure},
	{"what some copies do is done by all", "in[c] = on[c] && sum[c] > 1", "in[c] = on[c] && sum[c] > 0", validate.Erasure},
	{"what some copies do changes what others have", "        int q = n;\n", "        row = n;\n        int q = n;\n", validate.Erasure},
	{"a value is loaded from another place", "const float same_a = a[row * n + k];", "const float same_a = a[row + k];", validate.Erasure},
	{"a value is loaded before its loop", "    for (int k = 0; k < n; ++k) {\n        const float same_a = a[row * n + k];", "    const float same_a = a[row * n + n];\n    for (int k = 0; k < n; ++k) {", validate.Erasure},
	{"a value of another type", "const float same_a", "const int same_a", validate.Erasure},
	{"a value that nobody needs", "        const float same_a", "        const float same_b = b[k * n];\n        const float same_a", validate.Erasure},
	{"an operator is another one", "sum[c] += same_a * b", "sum[c] += same_a + b", validate.Erasure},
	{"a type is another one", "as<float>(sum[c])", "as<int>(sum[c])", validate.Erasure},
	{"a size is that of another type", "sizeof(float)", "sizeof(double)", validate.Erasure},
	{"a variable of another type", "    float sum[COARSEN];\n    #pragma unroll\n    for (int c = 0; c < COARSEN; ++c) if (on[c])", "    int sum[COARSEN];\n    #pragma unroll\n    for (int c = 0; c < COARSEN; ++c) if (on[c])", validate.Erasure},
	{"one variable for all copies", "    int col[COARSEN];\n    #pragma unroll\n    for (int c = 0; c < COARSEN; ++c) col[c] = block[c]", "    int col;\n    #pragma unroll\n    for (int c = 0; c < COARSEN; ++c) col = block[c]", validate.Erasure},
	{"copies fill one shared array", "rows[16], columns[COARSEN][16]", "rows[16], columns[16]", validate.Erasure},
	{"copies fill one shared array as if each had one", "rows[t] = a[m + t];", "#pragma unroll\n        for (int c = 0; c < COARSEN; ++c) rows[t] = a[m + t];", validate.Copies},
	{"one shared array is read as another", "sum[c] += rows[k] * columns[c][k]", "sum[c] += columns[c][k] * rows[k]", validate.Erasure},
	{"a barrier is gone", "        __syncthreads();\n        for", "        for", validate.Erasure},
	{"a barrier in a loop over copies", "columns[c][t] = b[m * n + block[c]];\n        __syncthreads();", "{ columns[c][t] = b[m * n + block[c]];\n        __syncthreads(); }", validate.Uniform},
	{"a barrier after the loop", "        }\n        __syncthreads();\n    }\n", "        }\n    }\n    __syncthreads();\n", validate.Erasure},
	{"statements are swapped", "        q += k;\n        ", "", validate.Erasure},
	{"a statement is done once", "if (in[c]) out[col[c]] = sum[c];", ";\n        out[col[0]] = sum[0];", validate.Erasure},
	{"a loop goes round once less", "for (int m = 0; m < n; m += 16)", "for (int m = 16; m < n; m += 16)", validate.Erasure},
	{"a store is gone", "    for (int c = 0; c < COARSEN; ++c) if (c < left) out[i[c]] = out_value[c];\n", "    for (int c = 0; c < COARSEN; ++c) ;\n", validate.Erasure},
	{"a value is loaded before a store", "if (c < left) out[i[c]] = out_value[c];\n    #pragma unroll\n    for (int c = 0; c < COARSEN; ++c) if (c < left) last[c] = out[i[c] + 1];", "if (c < left) last[c] = out[i[c] + 1];\n    #pragma unroll\n    for (int c = 0; c < COARSEN; ++c) if (c < left) out[i[c]] = out_value[c];", validate.Erasure},
	{"a value is stored after something changed it", "if (c < left) out_value[c] = in[i[c]] + at[c];", "if (c < left) { out_value[c] = in[i[c]] + at[c]; at[c] = 0; }", validate.Erasure},
	{"a value goes through a narrower type", "int out_value[COARSEN]", "short out_value[COARSEN]", validate.Erasure},
	{"all copies leave a loop", "if (c < left) last[c] = out[i[c] + 1];", "if (c < left) { last[c] = out[i[c] + 1]; break; }", validate.Erasure},
	{"a fence is gone", "    __threadfence();\n", "", validate.Erasure},
	{"an atomic is done once", "    int ticket[COARSEN];\n    #pragma unroll\n    for (int c = 0; c < COARSEN; ++c) if (c < left) ticket[c] = atomicAdd(total, last[c]);", "    int ticket[COARSEN];\n    const int once = atomicAdd(total, 1);\n    #pragma unroll\n    for (int c = 0; c < COARSEN; ++c) if (c < left) ticket[c] = once;", validate.Erasure},
	{"an atomic by copies that are not there", "if (c < left) ticket[c] = atomicAdd", "ticket[c] = atomicAdd", validate.Copies},
	{"the length of the launched grid", "ticket[c] == smux_grid_x - 1", "ticket[c] == gridDim.x - 1", validate.Erasure},
	{"a copy that is not there reads what it never set", "if (c < left) out_value[c] = in[i[c]] + at[c];", "out_value[c] = in[i[c]] + at[c];", validate.Copies},
	{"a parameter that copies share", "own_x[c][threadIdx.x] = v[c]", "x[threadIdx.x] = v[c]", validate.Erasure},
	{"a parameter that begins otherwise", "own_x[c] = x;", "own_x[c] = x + 1;", validate.Erasure},
	{"lanes of another copy", "__shfl_down_sync(0xffffffff, v[c], 16)", "__shfl_down_sync(0xffffffff, v[0], 16)", validate.Erasure},
	{"a statement more", "    float v[COARSEN];\n", "    float v[COARSEN];\n    x[0] = 1;\n", validate.Erasure},
	{"a shorter grid than its blocks", "dim3((grid.x + 1) / 2, grid.y, grid.z)", "dim3(grid.x / 2, grid.y, grid.z)", validate.Launches},
	{"a grid that is shorter along another axis", "dim3((grid.x + 1) / 2, grid.y, grid.z)", "dim3(grid.x, (grid.y + 1) / 2, grid.z)", validate.Launches},
	{"a grid without an axis", "dim3((grid.x + 1) / 2, grid.y, grid.z)", "dim3((grid.x + 1) / 2, grid.y, 1)", validate.Launches},
	{"the length of the shorter grid", "block>>>(a, b, out, n, grid.x)", "block>>>(a, b, out, n, (grid.x + 1) / 2)", validate.Launches},
	{"the length along another axis", "block>>>(a, b, out, n, grid.x)", "block>>>(a, b, out, n, grid.y)", validate.Launches},
	{"another block", "grid.z), block>>>", "grid.z), dim3(16, 8)>>>", validate.Launches},
	{"another argument", "block>>>(a, b, out, n, grid.x)", "block>>>(b, a, out, n, grid.x)", validate.Launches},
	{"another grid", "smux_launch2 = dim3(n)", "smux_launch2 = dim3(n + 1)", validate.Launches},
	{"the length of another launch's grid", "(i, i, i, n, smux_launch3.x)", "(i, i, i, n, smux_launch2.x)", validate.Launches},
	{"a launch as it was", "tiled<<<dim3((smux_launch2.x + 1) / 2, smux_launch2.y, smux_launch2.z), 16>>>(a, b, out, n, smux_launch2.x)", "tiled<<<n, 16>>>(a, b, out, n, 1)", validate.Launches},
	{"the length is not the last parameter", "const float *b, float *out, int n, unsigned smux_grid_x) {\n    // smux coarsen: this block does the work of blocks 2 * blockIdx.x ... 2 * blockIdx.x + 1 of the original grid.\n    enum { COARSEN = 2 };\n    const int left = smux_grid_x - COARSEN * blockIdx.x;  // copies beyond these repeat the first, and store nothing\n    unsigned block[COARSEN];\n    #pragma unroll\n    for (int c = 0; c < COARSEN; ++c) block[c] = COARSEN * blockIdx.x + (c < left ? c : 0);\n    int col", "const float *b, unsigned smux_grid_x, float *out, int n) {\n    enum { COARSEN = 2 };\n    const int left = smux_grid_x - COARSEN * blockIdx.x;\n    unsigned block[COARSEN];\n    for (int c = 0; c < COARSEN; ++c) block[c] = COARSEN * blockIdx.x + (c < left ? c : 0);\n    int col", validate.Launches},
}

// A wrong rewriter is caught, by the condition that it breaks.
func TestWrongCoarsen(t *testing.T) {
	text := func(name string) string {
		b, err := os.ReadFile("testdata/" + name)
		require.NoError(t, err)
		return string(b)
	}
	old, right := text("coarsen.before.cu"), text("coarsen.after.cu")
	r := validate.Programs(program(t, old), program(t, right))
	require.True(t, r.Proved(), "%s", doubts(r))
	for _, w := range wrongCoarsen {
		t.Run(w.name, func(t *testing.T) {
			require.Contains(t, right, w.old)
			refused(t, validate.Programs(program(t, old), program(t, strings.Replace(right, w.old, w.new, 1))), w.breaks)
		})
	}
}
