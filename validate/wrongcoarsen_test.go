package validate_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/validate"
)

// unprovedCoarsen are kernels of coarsen's cases that are not proved: a temporary is named after a member, bytes are
// stored through a cast, a program is ended, an object is copied into another one, memory is volatile, builds differ, and the
// shape of the blocks is checked.
var unprovedCoarsen = []string{"apart", "rows", "sums", "shape", "fluxes", "ordered", "builds"}

// Each other kernel of coarsen's cases is proved.
func TestCoarsenedCasesAreProved(t *testing.T) {
	n := 0
	for _, f := range caseForms(t, "coarsen*") {
		r := validate.Programs(f.old, f.now)
		assert.Empty(t, r.Doubts, f.program)
		for _, k := range r.Kernels {
			assert.Equal(t, slices.Contains(unprovedCoarsen, k.Name), len(k.Doubts) > 0, "%s: %v", k.Name, k.Doubts)
			if k.Variant == "coarsen" {
				n++
			}
		}
	}
	assert.GreaterOrEqual(t, n, 18)
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
	{"a shorter grid than its blocks", "dim3(grid.x > 0x7fffffff ? grid.x : (grid.x + 1) / 2, grid.y, grid.z)", "dim3(grid.x / 2, grid.y, grid.z)", validate.Launches},
	{"a grid that is shorter along another axis", "dim3(grid.x > 0x7fffffff ? grid.x : (grid.x + 1) / 2, grid.y, grid.z)", "dim3(grid.x, (grid.y + 1) / 2, grid.z)", validate.Launches},
	{"a grid that no GPU takes, shortened", "grid.x > 0x7fffffff", "grid.x > 0xffffffff", validate.Launches},
	{"any grid shortened", "grid.x > 0x7fffffff ? grid.x : ", "", validate.Launches},
	{"a grid without an axis", "dim3(grid.x > 0x7fffffff ? grid.x : (grid.x + 1) / 2, grid.y, grid.z)", "dim3(grid.x > 0x7fffffff ? grid.x : (grid.x + 1) / 2, grid.y, 1)", validate.Launches},
	{"the length of the shorter grid", "block>>>(a, b, out, n, grid.x)", "block>>>(a, b, out, n, (grid.x + 1) / 2)", validate.Launches},
	{"the length along another axis", "block>>>(a, b, out, n, grid.x)", "block>>>(a, b, out, n, grid.y)", validate.Launches},
	{"another block", "grid.z), block>>>", "grid.z), dim3(16, 8)>>>", validate.Launches},
	{"another argument", "block>>>(a, b, out, n, grid.x)", "block>>>(b, a, out, n, grid.x)", validate.Launches},
	{"another grid", "smux_launch2 = dim3(n)", "smux_launch2 = dim3(n + 1)", validate.Launches},
	{"the length of another launch's grid", "(i, i, i, n, smux_launch3.x)", "(i, i, i, n, smux_launch2.x)", validate.Launches},
	{"a launch as it was", "tiled<<<dim3(smux_launch2.x > 0x7fffffff ? smux_launch2.x : (smux_launch2.x + 1) / 2, smux_launch2.y, smux_launch2.z), 16>>>(a, b, out, n, smux_launch2.x)", "tiled<<<n, 16>>>(a, b, out, n, 1)", validate.Launches},
	{"the length is not the last parameter", "const float *b, float *out, int n, unsigned smux_grid_x) {\n    // smux coarsen along x: this block does the work of blocks 2 * blockIdx.x ... 2 * blockIdx.x + 1 of the original grid.\n    enum { COARSEN = 2 };\n    const int left = smux_grid_x - COARSEN * blockIdx.x;  // copies beyond these repeat the first, and store nothing\n    unsigned block[COARSEN];\n    #pragma unroll\n    for (int c = 0; c < COARSEN; ++c) block[c] = COARSEN * blockIdx.x + (c < left ? c : 0);\n    int col", "const float *b, unsigned smux_grid_x, float *out, int n) {\n    enum { COARSEN = 2 };\n    const int left = smux_grid_x - COARSEN * blockIdx.x;\n    unsigned block[COARSEN];\n    for (int c = 0; c < COARSEN; ++c) block[c] = COARSEN * blockIdx.x + (c < left ? c : 0);\n    int col", validate.Launches},
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

// apartKernels are kernels with what a rewriter could make of them, which each copy reads as the original: but copies
// have something in common, or not all threads come by. LOOP is a loop over copies, HAVE and ON[c] say which are at work.
var apartKernels = []struct {
	name, old, now string
	breaks         validate.Condition // "" for what is right
}{
	{"a store to memory", "x[i] = 1;", "LOOP HAVE x[i] = 1;", ""},
	{"a store of the line's number", "x[i] = __LINE__;", "LOOP HAVE x[i] = __LINE__;", validate.Erasure},
	{"a store to memory that is done once", "x[i] = 1;", "x[i] = 1;", validate.Copies},
	{"an atomic that is done once", "atomicAdd(x, 1);", "atomicAdd(x, 1);", validate.Copies},
	{"a store through a pointer that is done once", "float *p = x + i; *p = 1;", "float *p = x + i; *p = 1;", validate.Copies},
	{"a store to a global variable that is done once", "counted = i;", "counted = i;", validate.Copies},
	{"a store to a variable of which there is one", "int k = 0; k += BLOCK;", "int k = 0; LOOP HAVE k += block[c];", validate.Copies},
	{"a variable of which there is one by its address", "int k = 0; int *p = &k; *p = BLOCK; x[k] = 1;", "int k = 0; int *p = &k; LOOP HAVE *p = block[c]; LOOP HAVE x[k] = 1;", validate.Copies},
	{"a variable of which there is one by reference", "int k = 0; change(k, BLOCK); x[k] = 1;", "int k = 0; LOOP HAVE change(k, block[c]); LOOP HAVE x[k] = 1;", validate.Copies},
	{"an array of which there is one by a function", "int w[2]; fill(w, BLOCK); x[w[0]] = 1;", "int w[2]; LOOP HAVE fill(w, block[c]); LOOP HAVE x[w[0]] = 1;", validate.Copies},
	{"a static variable", "static int k; k = i;", "static int k; k = i;", validate.Copies},
	{"a shared array of which there is one", "__shared__ int s[64]; s[i] = BLOCK;", "__shared__ int s[64]; LOOP HAVE s[i] = block[c];", validate.Copies},
	{"a shared array of which there is one by a pointer", "__shared__ float s[64]; float *p = s + i; *p = BLOCK;", "__shared__ float s[64]; float *p = s + i; LOOP HAVE *p = block[c];", validate.Copies},
	{"a shared array of which there is one by pointers", "__shared__ float s[64]; float *p; p = s + BLOCK; *p = 1;", "__shared__ float s[64]; float *p[COARSEN]; LOOP p[c] = s + block[c]; LOOP HAVE *p[c] = 1;", validate.Copies},
	{"an atomic of shared memory of which there is one", "__shared__ int s[64]; atomicAdd(&s[i], BLOCK);", "__shared__ int s[64]; LOOP HAVE atomicAdd(&s[i], block[c]);", validate.Copies},
	{"a shared array that copies leave", "__shared__ int s[64]; s[i] = 0; if (BLOCK > n) return; s[i] = 1; x[BLOCK] = s[0];", "__shared__ int s[64]; s[i] = 0; LEAVE(block[c] > n) s[i] = 1; LOOP if (on[c]) x[block[c]] = s[0];", validate.Copies},
	{"a shared array for each copy", "__shared__ int s[64]; s[i] = 0; if (BLOCK > n) return; s[i] = 1; x[BLOCK] = s[0];", "__shared__ int s[COARSEN][64]; LOOP s[c][i] = 0; LEAVE(block[c] > n) LOOP if (on[c]) s[c][i] = 1; LOOP if (on[c]) x[block[c]] = s[c][0];", ""},
	{"a shared array in what some copies do", "__shared__ int s[64]; if (BLOCK > n) { s[i] = 1; }", "__shared__ int s[64]; SOME(block[c] > n) { s[i] = 1; }", validate.Copies},
	{"a variable in what some copies do", "int k = 1; if (BLOCK > n) { k = 2; } x[BLOCK] = k;", "int k = 1; SOME(block[c] > n) { k = 2; } LOOP HAVE x[block[c]] = k;", validate.Copies},
	{"a variable of what some copies do", "if (BLOCK > n) { int k = 2; k += n; x[BLOCK] = k; }", "SOME(block[c] > n) { int k = 2; k += n; LOOP if (in[c]) x[block[c]] = k; }", ""},
	{"a loop ends in what some copies do", "for (int k = 0; k < n; ++k) { if (BLOCK > k) { break; } x[BLOCK] = k; }", "for (int k = 0; k < n; ++k) { SOME(block[c] > k) { break; } LOOP HAVE x[block[c]] = k; }", validate.Copies},
	{"a return in what some copies do", "if (BLOCK > n) { return; } x[BLOCK] = 1;", "SOME(block[c] > n) { return; } LOOP HAVE x[block[c]] = 1;", validate.Copies},
	{"a return in a loop over copies", "if (BLOCK > n) return; x[BLOCK] = 1;", "LOOP if (block[c] > n) return; LOOP HAVE x[block[c]] = 1;", validate.Copies},
	{"a loop that copies leave in a loop over copies", "for (int k = 0; k < n; ++k) { if (BLOCK > k) continue; x[BLOCK] = k; }", "for (int k = 0; k < n; ++k) { LOOP if (block[c] > k) continue; LOOP HAVE x[block[c]] = k; }", validate.Copies},
	{"a barrier in what some copies do", "if (BLOCK > n) { __syncthreads(); }", "SOME(block[c] > n) { __syncthreads(); }", validate.Uniform},
	{"a barrier in a loop over copies", "x[BLOCK] = 1; __syncthreads();", "LOOP HAVE { x[block[c]] = 1; __syncthreads(); }", validate.Uniform},
	{"a barrier of a function in a loop over copies", "x[BLOCK] = 1; wait();", "LOOP HAVE { x[block[c]] = 1; wait(); }", validate.Uniform},
	{"a barrier after some left", "if (BLOCK * 64 + i > n) return; for (int k = 0; k < n; ++k) { x[BLOCK] = 1; __syncthreads(); }", "LEAVE(block[c] * 64 + i > n) for (int k = 0; k < n; ++k) { LOOP if (on[c]) x[block[c]] = 1; __syncthreads(); }", ""},
	{"a barrier that some threads come by after some left", "if (BLOCK * 64 + i > n) return; for (int k = 0; k < i; ++k) { x[BLOCK] = 1; __syncthreads(); }", "LEAVE(block[c] * 64 + i > n) for (int k = 0; k < i; ++k) { LOOP if (on[c]) x[block[c]] = 1; __syncthreads(); }", validate.Uniform},
	{"a barrier in as many rounds as all threads have, after some left", "if (BLOCK * 64 + i > n) return; for (int k = 1; k < blockDim.x; k *= 2) { x[BLOCK] = 1; __syncthreads(); }", "LEAVE(block[c] * 64 + i > n) for (int k = 1; k < blockDim.x; k *= 2) { LOOP if (on[c]) x[block[c]] = 1; __syncthreads(); }", ""},
	{"a barrier in as many rounds as a thread's number", "if (BLOCK * 64 + i > n) return; for (int k = 1; k < threadIdx.x; k *= 2) { x[BLOCK] = 1; __syncthreads(); }", "LEAVE(block[c] * 64 + i > n) for (int k = 1; k < threadIdx.x; k *= 2) { LOOP if (on[c]) x[block[c]] = 1; __syncthreads(); }", validate.Uniform},
	{"what each copy prints", "printf(\"%d\", BLOCK);", "LOOP HAVE printf(\"%d\", block[c]);", ""},
	{"what is printed once", "printf(\"%d\", n);", "printf(\"%d\", n);", validate.Copies},
	{"what copies that are not at work print", "printf(\"%d\", n);", "LOOP printf(\"%d\", n);", validate.Copies},
	{"a vote after some left", "if (BLOCK * 64 + i > n) return; int v = __syncthreads_count(1); x[BLOCK] = v;", "LEAVE(block[c] * 64 + i > n) int v = __syncthreads_count(1); LOOP if (on[c]) x[block[c]] = v;", validate.Uniform},
	{"lanes after some left", "if (BLOCK * 64 + i > n) return; x[BLOCK] = __shfl_xor_sync(0xffffffff, i, 1);", "LEAVE(block[c] * 64 + i > n) LOOP if (on[c]) x[block[c]] = __shfl_xor_sync(0xffffffff, i, 1);", validate.Uniform},
	{"lanes that are asked once after some left", "if (BLOCK * 64 + i > n) return; int v = __shfl_xor_sync(0xffffffff, i, 1); x[BLOCK] = v;", "LEAVE(block[c] * 64 + i > n) int v = __shfl_xor_sync(0xffffffff, i, 1); LOOP if (on[c]) x[block[c]] = v;", validate.Uniform},
	{"a load that is made once", "x[BLOCK] = y[i] + 1;", "const float same_y = y[i]; LOOP HAVE x[block[c]] = same_y + 1;", ""},
	{"a load that some need", "if (BLOCK > 3) x[BLOCK] = y[i];", "const float same_y = y[i]; LOOP HAVE if (block[c] > 3) x[block[c]] = same_y;", validate.Erasure},
	{"a load that some choose", "x[BLOCK] = BLOCK > 3 ? y[i] : 0;", "const float same_y = y[i]; LOOP HAVE x[block[c]] = block[c] > 3 ? same_y : 0;", validate.Erasure},
	{"a load before a store", "x[BLOCK] = 1; z[BLOCK] = x[i];", "const float same_x = x[i]; LOOP HAVE { x[block[c]] = 1; z[block[c]] = same_x; }", validate.Erasure},
	{"a load before a barrier", "__syncthreads(); z[BLOCK] = x[i];", "const float same_x = x[i]; __syncthreads(); LOOP HAVE z[block[c]] = same_x;", validate.Erasure},
	{"a load before some leave", "if (BLOCK > n) return; z[BLOCK] = x[i];", "const float same_x = x[i]; LEAVE(block[c] > n) LOOP if (on[c]) z[block[c]] = same_x;", validate.Erasure},
	{"a load before some threads need it", "if (i < n) { z[BLOCK] = x[i]; }", "const float same_x = x[i]; if (i < n) { LOOP HAVE z[block[c]] = same_x; }", validate.Erasure},
	{"a load before a function that stores", "z[BLOCK] = keep(x, BLOCK) + x[i];", "const float same_x = x[i]; LOOP HAVE z[block[c]] = keep(x, block[c]) + same_x;", validate.Erasure},
	{"a value of each copy before a counter", "int k = BLOCK; x[k++] = y[k];", "int k[COARSEN]; LOOP k[c] = block[c]; float x_value[COARSEN]; LOOP x_value[c] = y[k[c]]; LOOP HAVE x[k[c]++] = x_value[c];", validate.Erasure},
	{"copies beyond the grid load what the first one stored", "int k = y[BLOCK]; y[BLOCK] = -1; x[k] = 1;", "int k[COARSEN]; LOOP { k[c] = y[block[c]]; HAVE y[block[c]] = -1; } LOOP HAVE x[k[c]] = 1;", validate.Copies},
	{"copies beyond the grid read what they did not set", "int k = atomicAdd(w, 1); float v = y[k]; x[BLOCK] = v;", "int k[COARSEN]; LOOP HAVE k[c] = atomicAdd(w, 1); float v[COARSEN]; LOOP v[c] = y[k[c]]; LOOP HAVE x[block[c]] = v[c];", validate.Copies},
	{"copies beyond the grid read shared memory that they did not set", "__shared__ int s[64]; s[i] = BLOCK; __syncthreads(); float v = y[s[0]]; x[BLOCK] = v;", "__shared__ int s[COARSEN][64]; LOOP HAVE s[c][i] = block[c]; __syncthreads(); float v[COARSEN]; LOOP v[c] = y[s[c][0]]; LOOP HAVE x[block[c]] = v[c];", validate.Copies},
	{"copies beyond the grid read shared memory that a pointer set", "__shared__ int s[64]; int *p = s + i; *p = BLOCK; __syncthreads(); float v = y[s[0]]; x[BLOCK] = v;", "__shared__ int s[COARSEN][64]; int *p[COARSEN]; LOOP p[c] = s[c] + i; LOOP HAVE *p[c] = block[c]; __syncthreads(); float v[COARSEN]; LOOP v[c] = y[s[c][0]]; LOOP HAVE x[block[c]] = v[c];", validate.Copies},
	{"what copies that left load", "int k = BLOCK; if (k > n) return; float v = y[k]; x[BLOCK] = v;", "int k[COARSEN]; LOOP k[c] = block[c]; LEAVE(k[c] > n) float v[COARSEN]; LOOP v[c] = y[k[c]]; LOOP if (on[c]) x[block[c]] = v[c];", validate.Copies},
	{"a lock", "while (atomicCAS(w, 0, 1) != 0); x[BLOCK] += 1; atomicExch(w, 0);", "LOOP HAVE while (atomicCAS(w, 0, 1) != 0); LOOP HAVE x[block[c]] += 1; LOOP HAVE atomicExch(w, 0);", validate.Progress},
	{"a wait for another block", "volatile int *v = w; while (v[0] < BLOCK); x[BLOCK] = 1;", "volatile int *v = w; LOOP HAVE while (v[0] < block[c]); LOOP HAVE x[block[c]] = 1;", validate.Copies},
	{"a function that asks for its block", "x[BLOCK] = place();", "LOOP HAVE x[block[c]] = place();", validate.Builtins},
	{"the grid's blocks are asked for", "x[BLOCK] = cooperative_groups::this_grid().block_rank();", "LOOP HAVE x[block[c]] = cooperative_groups::this_grid().block_rank();", validate.Copies},
	{"a block is asked for its place", "auto b = cooperative_groups::this_thread_block(); x[BLOCK] = b.group_index().x;", "auto b = cooperative_groups::this_thread_block(); LOOP HAVE x[block[c]] = b.group_index().x;", validate.Copies},
	{"a function with shared memory", "x[BLOCK] = total(BLOCK);", "LOOP HAVE x[block[c]] = total(block[c]);", validate.Copies},
	{"a clock", "long long v = clock64(); x[BLOCK] = v;", "long long v = clock64(); LOOP HAVE x[block[c]] = v;", validate.Copies},
	{"a function that nobody knows", "x[BLOCK] = elsewhere(i);", "LOOP HAVE x[block[c]] = elsewhere(i);", validate.Copies},
	{"a name that another variable hides", "int k = BLOCK; { int k = 3; x[k] = 1; } x[k] = 2;", "int k[COARSEN]; LOOP k[c] = block[c]; { int k = 3; LOOP HAVE x[k] = 1; LOOP HAVE x[k] = 2; }", validate.Erasure},
	{"a macro that means something else", "x[BLOCK] = SIZE;", "\n#undef SIZE\n#define SIZE 65\nLOOP HAVE x[block[c]] = SIZE;", validate.Erasure},
	{"the extents of another array", "__shared__ int s[64]; s[i] = n; x[BLOCK] = s[0];", "__shared__ int s[32]; s[i] = n; LOOP HAVE x[block[c]] = s[0];", validate.Erasure},
	{"a size of all copies", "int k = BLOCK; x[BLOCK] = sizeof(k);", "int k[COARSEN]; LOOP k[c] = block[c]; LOOP HAVE x[block[c]] = sizeof(k);", validate.Erasure},
	{"a declaration before what it reads changes", "int k = 1, m = ++k; int v = k + m; x[BLOCK] = v;", "int k = 1; int v = k + 1; int m = ++k; LOOP HAVE x[block[c]] = v;", validate.Erasure},
	{"a variable of a loop's head", "for (int m = 0, at = BLOCK; m < n; m += 2, at += 3) { __syncthreads(); x[at] = m; }", "int at[COARSEN]; LOOP at[c] = block[c]; for (int m = 0; m < n; m += 2) { __syncthreads(); LOOP HAVE x[at[c]] = m; LOOP at[c] += 3; }", ""},
	{"a variable of a loop's head that changes too early", "for (int m = 0, at = BLOCK; m < n; m += 2, at += 3) { __syncthreads(); x[at] = m; }", "int at[COARSEN]; LOOP at[c] = block[c]; for (int m = 0; m < n; m += 2) { __syncthreads(); LOOP at[c] += 3; LOOP HAVE x[at[c]] = m; }", validate.Erasure},
	{"a variable of a loop's head that doesn't change", "for (int m = 0, at = BLOCK; m < n; m += 2, at += 3) { __syncthreads(); x[at] = m; }", "int at[COARSEN]; LOOP at[c] = block[c]; for (int m = 0; m < n; m += 2) { __syncthreads(); LOOP HAVE x[at[c]] = m; }", validate.Erasure},
	{"a variable of a loop's head that begins with another value", "for (int m = 0, at = BLOCK; m < n; m += 2, at += 3) { __syncthreads(); x[at] = m; }", "int at[COARSEN]; LOOP at[c] = block[c] + 1; for (int m = 0; m < n; m += 2) { __syncthreads(); LOOP HAVE x[at[c]] = m; LOOP at[c] += 3; }", validate.Erasure},
	{"the end of a loop's body that some iterations don't reach", "for (int m = 0, at = BLOCK; m < n; m += 2, at += 3) { __syncthreads(); if (m == 4) continue; x[at] = m; }", "int at[COARSEN]; LOOP at[c] = block[c]; for (int m = 0; m < n; m += 2) { __syncthreads(); if (m == 4) continue; LOOP HAVE x[at[c]] = m; LOOP at[c] += 3; }", validate.Erasure},
	{"the end of a loop's body before what the head changes", "for (int m = 0, at = BLOCK; m < n; m += 2, at += m) { __syncthreads(); x[at] = m; }", "int at[COARSEN]; LOOP at[c] = block[c]; for (int m = 0; m < n; m += 2) { __syncthreads(); LOOP HAVE x[at[c]] = m; LOOP at[c] += m; }", validate.Erasure},
	{"the beginning of a loop before what it reads", "for (int m = 1, at = BLOCK + m; m < n; m += 2, at += 3) { __syncthreads(); x[at] = m; }", "int m = 2, at[COARSEN]; LOOP at[c] = block[c] + m; for (int m = 1; m < n; m += 2) { __syncthreads(); LOOP HAVE x[at[c]] = m; LOOP at[c] += 3; }", validate.Erasure},
	{"a group", "auto all = cooperative_groups::this_thread_block(); int v = BLOCK; all.sync(); x[v] = all.size();", "auto all = cooperative_groups::this_thread_block(); int v[COARSEN]; LOOP v[c] = block[c]; all.sync(); LOOP HAVE x[v[c]] = all.size();", ""},
	{"a group that some threads don't come to", "auto all = cooperative_groups::this_thread_block(); int v = BLOCK; all.sync(); x[v] = 1;", "auto all = cooperative_groups::this_thread_block(); int v[COARSEN]; LOOP v[c] = block[c]; LOOP HAVE all.sync(); LOOP HAVE x[v[c]] = 1;", validate.Uniform},
	{"an object of data", "Pair p; p.a = BLOCK; __syncthreads(); x[BLOCK] = p.a;", "Pair p[COARSEN]; LOOP p[c].a = block[c]; __syncthreads(); LOOP HAVE x[block[c]] = p[c].a;", ""},
	{"an object of data of which there is one", "Pair p; p.a = BLOCK; __syncthreads(); x[BLOCK] = p.a;", "Pair p; LOOP p.a = block[c]; __syncthreads(); LOOP HAVE x[block[c]] = p.a;", validate.Copies},
	{"dynamic shared memory beside copies", "extern __shared__ float d[]; __shared__ int s[64]; d[i] = n; s[i] = BLOCK; __syncthreads(); x[BLOCK] = s[0] + d[0];", "extern __shared__ float d[]; __shared__ int s[COARSEN][64]; d[i] = n; LOOP s[c][i] = block[c]; __syncthreads(); LOOP HAVE x[block[c]] = s[c][0] + d[0];", validate.Numbers},
}

func TestCopiesStayApart(t *testing.T) {
	const before = `#include <cooperative_groups.h>
#define SIZE 64
struct Pair { float a, b; };
__device__ int counted;
extern __device__ int elsewhere(int);
__device__ void change(int &k, int v) { k = v; }
__device__ void fill(int *k, int v) { k[0] = v; }
__device__ void wait() { __syncthreads(); }
__device__ float keep(float *x, int i) { x[i] = 0; return 1; }
__device__ int place() { return blockIdx.x; }
__device__ int total(int v) { __shared__ int s; s = v; return s; }
__global__ void k(float *x, float *y, float *z, int *w, int n`
	const after = `}
void run(float *x, int *w, int n) {
`
	spell := strings.NewReplacer("LOOP", "for (int c = 0; c < COARSEN; ++c)", "HAVE", "if (c < left)", "BLOCK", "blockIdx.x")
	for _, k := range apartKernels {
		t.Run(k.name, func(t *testing.T) {
			now := k.now
			for word, form := range map[string]string{
				"LEAVE": "bool on[COARSEN], any_on = false; LOOP any_on |= on[c] = c < left && !(%); if (!any_on) return;",
				"SOME":  "bool in[COARSEN], any_in = false; LOOP any_in |= in[c] = c < left && %; if (any_in)",
			} {
				if head, rest, ok := strings.Cut(now, word+"("); ok {
					cond, rest, _ := strings.Cut(rest, ")")
					now = head + strings.Replace(form, "%", cond, 1) + rest
				}
			}
			old := before + ") {\n    int i = threadIdx.x;\n" + spell.Replace(k.old) + after + "    k<<<n, 64>>>(x, x, x, w, n);\n}\n"
			text := before + ", unsigned g) {\n    enum { COARSEN = 2 };\n    const int left = g - COARSEN * blockIdx.x;\n    unsigned block[COARSEN];\n" +
				spell.Replace("    LOOP block[c] = COARSEN * blockIdx.x + (c < left ? c : 0);\n    int i = threadIdx.x;\n"+now) + after +
				"    const auto l = dim3(n);\n    k<<<dim3(l.x > 0x7fffffff ? l.x : (l.x + 1) / 2, l.y, l.z), 64>>>(x, x, x, w, n, l.x);\n}\n"
			r := validate.Programs(program(t, old), program(t, text))
			if k.breaks == "" {
				assert.True(t, r.Proved(), "%s", doubts(r))
			} else {
				refused(t, r, k.breaks)
			}
		})
	}
}
