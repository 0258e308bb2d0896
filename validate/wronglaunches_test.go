package validate_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/validate"
)

// launchedWays is a kernel with a default argument and one with dynamic shared memory, launched in many ways.
const launchedWays = `#define CHECK(call) do { cudaError_t e = (call); if (e != cudaSuccess) throw e; } while (0)
#define AGAIN(call) for (int n = 0; n < 2; ++n) call

__global__ void k(const float *in, float *out, int n = 9)
{
    __shared__ float s[64];
    s[threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x];
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = s[63 - threadIdx.x] * n;
}

__global__ void d(float *a, int n)
{
    extern __shared__ float s[];
    s[threadIdx.x] = a[blockIdx.x * 64 + threadIdx.x];
    __syncthreads();
    a[blockIdx.x * 64 + threadIdx.x] = s[63 - threadIdx.x] * n;
}

void run(const float *in, float *out, int n, cudaStream_t stream)
{
    k<<<n, 64>>>(in, out);
    if (n > 3)
        k<<<n++, 64>>>(in, out, 5);
    void *args[] = {&in, &out, &n};
    CHECK(cudaLaunchKernel((const void *)k, n, 64, args, 0, stream));
    cudaLaunchConfig_t config = {0};
    config.gridDim = n;
    config.blockDim = 64;
    cudaError_t e = cudaLaunchKernelEx(&config, k, in, out, 3);
    config.dynamicSmemBytes = 256;
    void *more[] = {&out, &n};
    if (cudaLaunchKernelExC(&config, (const void *)d, more) != cudaSuccess) return;
    d<<<n, 64, 256, stream>>>(out, n);
}
`

func TestWrongLaunches(t *testing.T) {
	write := func(t *testing.T, v rewrite.Variant) string { return rewrittenOf(t, launchedWays, v) }
	const braces = "        {\n            const auto smux_launch2 = smux::merge<2, 64>(n++, 64);\n"
	refuseAll(t, launchedWays, write, []rewrite.Variant{named, locks, apart}, []wrong{
		{"the grid's length behind the arguments by default", named, "in, out, smux_launch.whole)", "in, out, 9, smux_launch.whole)", validate.Launches},
		{"no length of the grid", named, "in, out, smux_launch.whole)", "in, out)", validate.Launches},
		{"a parameter that is not where launches pass it", named, "uint3 smux_grid, int n = 9", "int n, uint3 smux_grid", validate.Erasure},
		{"the grid's length along another axis", named, "vtb(smux_grid.x)", "vtb(smux_grid.y)", validate.Erasure},
		{"a launch outside of the branch", named, braces, "        const auto smux_launch2 = smux::merge<2, 64>(n++, 64);\n        {\n", validate.Erasure},
		{"more than the launch in its braces", named, "            k<<<smux_launch2", "            n += 2;\n            k<<<smux_launch2", validate.Erasure},
		{"a launch by the parts of the one before", named, braces, "        {\n            const auto smux_launch7 = smux::merge<2, 64>(n++, 64);\n", validate.Launches},
		{"addresses in another order", named, "smux::arguments<2, 3>(args", "smux::arguments<1, 3>(args", validate.Launches},
		{"an address too few", named, "smux::arguments<2, 3>(args", "smux::arguments<2, 2>(args", validate.Launches},
		{"addresses without the grid's length", named, "smux::arguments<2, 3>(args, smux_launch3.whole)", "args", validate.Launches},
		{"another kernel by a call", named, "(const void *)k", "(const void *)d", validate.Launches},
		{"a call with its own grid", named, "(const void *)k, smux_launch3.grid", "(const void *)k, n", validate.Launches},
		{"bytes more in a call", named, "smux_launch3.whole), 0, stream", "smux_launch3.whole), 8, stream", validate.Launches},
		{"a configuration without the merged grid", named, "smux::configured(config, smux_launch4)", "&config", validate.Launches},
		{"the configuration of another launch", named, "smux::configured(config, smux_launch4)", "smux::configured(config, smux_launch5)", validate.Launches},
		{"a grid that is asked for too early", named, "    config.gridDim = n;\n    config.blockDim = 64;\n    const auto smux_launch4 = smux::merge<2, 64>(config.gridDim, config.blockDim);\n",
			"    config.gridDim = n;\n    const auto smux_launch4 = smux::merge<2, 64>(config.gridDim, config.blockDim);\n    config.blockDim = 64;\n", validate.Erasure},
		{"the sets of a configuration forgotten", apart, "smux_launch5 = smux::sets<2>(smux::merge<2, 64>(config.gridDim, config.blockDim), config.dynamicSmemBytes)", "smux_launch5 = smux::merge<2, 64>(config.gridDim, config.blockDim)", validate.Launches},
		{"sets that hold another number of bytes", apart, "vtb.id, smux_shared)", "vtb.id, n)", validate.Copies},
		{"the bytes of a set and the grid's length changed places", apart, "unsigned smux_grid_x, unsigned smux_shared", "unsigned smux_shared, unsigned smux_grid_x", validate.Erasure},
	})
	// What may run before the launch in its statement, or again, must not matter for its grid.
	for name, c := range map[string][2]string{
		"a macro that evaluates its argument in a loop": {"CHECK(cuda", "AGAIN(cuda"},
		"a condition before the launch":                 {"    CHECK(cudaLaunchKernel((const void *)k, n, 64, args, 0, stream));", "    if (n++ && cudaLaunchKernel((const void *)k, n, 64, args, 0, stream)) return;"},
		"a loop's condition":                            {"    if (cudaLaunchKernelExC", "    while (cudaLaunchKernelExC"},
		"a kernel named by an address":                  {"    void *more[]", "    const void *f = (const void *)k; void *more[]"},
		"a macro that launches":                         {"#define AGAIN", "#define START k<<<9, 64>>>\n#define AGAIN"},
	} {
		t.Run(name, func(t *testing.T) {
			right := strings.ReplaceAll(write(t, named), "    const auto smux_launch3 = smux::merge<2, 64>(n, 64);\n    CHECK(cudaLaunchKernel((const void *)k, smux_launch3.grid, smux_launch3.block,\n        smux::arguments<2, 3>(args, smux_launch3.whole), 0, stream));",
				"    const auto smux_launch3 = smux::merge<2, 64>(n, 64);\n    CHECK(cudaLaunchKernel((const void *)k, smux_launch3.grid, smux_launch3.block, smux::arguments<2, 3>(args, smux_launch3.whole), 0, stream));")
			made := strings.NewReplacer("(const void *)k, n, 64, args", "(const void *)k, smux_launch3.grid, smux_launch3.block, smux::arguments<2, 3>(args, smux_launch3.whole)")
			require.Contains(t, launchedWays, c[0])
			require.Contains(t, right, made.Replace(c[0]))
			r := validate.Programs(program(t, strings.Replace(launchedWays, c[0], c[1], 1)), program(t, strings.Replace(right, made.Replace(c[0]), made.Replace(c[1]), 1)))
			assert.False(t, r.Proved())
		})
	}
}

// A variable or a member of a kernel's name is not the kernel.
func TestNamesOfKernels(t *testing.T) {
	for text, right := range map[string]bool{
		"    for (int k = 0; k < rounds; ++k) in += k;\n":                                    true,
		"    in += limits.k;\n":                                                              true,
		"    for (int k = 0; k < rounds; ++k) in += k;\n    start((void *)k);\n":             false,
		"    { int k = 7; in += k; } void *f = (void *)k;\n":                                 false,
		"    void *f = (void *)::k;\n":                                                       false,
		"    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&rounds, k, 64, 0);\n":            true,
		"    cudaFuncAttributes a; cudaFuncGetAttributes(&a, (const void *)k);\n":            true,
		"    cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536);\n": false,
		"    cudaGraphAdd(cudaOccupancyOf(rounds), k);\n":                                    false,
	} {
		now := strings.Replace(rewritten(t, named), "    const auto smux_launch", text+"    const auto smux_launch", 1)
		old := strings.Replace(twoTurns, "    k<<<", text+"    k<<<", 1)
		r := validate.Programs(program(t, old), program(t, now))
		assert.Equal(t, right, r.Proved(), text+doubts(r))
	}
}

// A launch may be of any kernel of its name: of each that is merged, and of one that is not.
func TestLaunchesOfOverloads(t *testing.T) {
	const kernel = `
__global__ void k(const int *in, int *out)
{
    __shared__ int s[64];
    s[threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x];
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = s[63 - threadIdx.x];
}
`
	const launches = "void run(const int *a, int *b, const float *x, float *y) { k<<<9, 64>>>(a, b); k<<<9, 64>>>(x, y); }\n"
	old := kernel + strings.ReplaceAll(kernel, "int", "float") + launches
	right := rewrittenOf(t, old, locks)
	require.True(t, validate.Programs(program(t, old), program(t, right)).Proved(), "%s", right)
	for _, n := range []int{0, 1} { // the first, and the second
		parts := strings.SplitAfter(right, "smux::vtb_lock<")
		require.GreaterOrEqual(t, len(parts), 3)
		at := len(parts) - 2 + n
		require.True(t, strings.HasPrefix(parts[at], "2,"))
		parts[at] = "3" + parts[at][1:]
		refused(t, validate.Programs(program(t, old), program(t, strings.Join(parts, ""))), validate.Launches)
	}
	const plain = "__global__ void k(const float *in, float *out, unsigned n = 3) { out[blockIdx.x] = in[blockIdx.x] * n; }\n"
	one := rewrittenOf(t, kernel+"void run(const int *a, int *b) { k<<<9, 64>>>(a, b); }\n", locks)
	was, now := kernel+plain+launches, strings.Replace(one, "void run(", plain+"void run(", 1)
	now = strings.Replace(now, "const int *a, int *b)", "const int *a, int *b, const float *x, float *y)", 1)
	end := strings.LastIndex(now, "}")
	now = now[:end] + "    const auto smux_launch2 = smux::merge<2, 64>(9, 64);\n    k<<<smux_launch2.grid, smux_launch2.block>>>(x, y, smux_launch2.blocks);\n}\n"
	refused(t, validate.Programs(program(t, was), program(t, now)), validate.Launches)
}
