package validate_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/validate"
)

// wrongThreads are mistakes that a rewriter could make when threads of a block do the work of several: each a replacement in
// what is right, and the condition that it breaks.
var wrongThreads = []struct {
	name, old, new string
	breaks         validate.Condition
}{
	{"another stride", "threadIdx.x + c * blockDim.x;", "threadIdx.x + c * blockDim.y;", validate.Erasure},
	{"neighbours", "threadIdx.x + c * blockDim.x;", "COARSEN * threadIdx.x + c;", validate.Erasure},
	{"a stride of the original's extent", "threadIdx.x + c * blockDim.x;", "threadIdx.x + c * smux_block_x;", validate.Erasure},
	{"another axis", "thread[c] = threadIdx.x", "thread[c] = threadIdx.y", validate.Erasure},
	{"a copy left out", "for (int c = 0; c < COARSEN; ++c) if (thread[c] < smux_block_x) s[t[c]]", "for (int c = 0; c < COARSEN - 1; ++c) if (thread[c] < smux_block_x) s[t[c]]", validate.Erasure},
	{"a copy of none", "c < COARSEN; ++c) thread[c]", "c < COARSEN - 1; ++c) thread[c]", validate.Erasure},
	{"no guard of a store", "if (thread[c] < smux_block_x) s[t[c]] = in", "s[t[c]] = in", validate.Copies},
	{"no guard of a load", "if (thread[c] < smux_block_x) v[c] =", "v[c] =", validate.Copies},
	{"no guard of an atomic operation", "if (thread[c] < smux_block_x) atomicAdd", "atomicAdd", validate.Copies},
	{"a guard of one too many", "if (thread[c] < smux_block_x) v[c]", "if (thread[c] <= smux_block_x) v[c]", validate.Erasure},
	{"a guard of another extent", "if (thread[c] < smux_block_x) v[c]", "if (thread[c] < blockDim.x) v[c]", validate.Erasure},
	{"a guard of another copy", "if (thread[c] < smux_block_x) v[c]", "if (thread[0] < smux_block_x) v[c]", validate.Erasure},
	{"a guard that no copy has after some left", "if (on[c]) out[", "out[", validate.Copies},
	{"a guard that is weaker after some left", "if (on[c]) out[", "if (thread[c] < smux_block_x) out[", validate.Erasure},
	{"a copy that leaves for all", "any_on |= on[c] = thread[c] < smux_block_x && !(i[c] >= n); if (!any_on) return;", "any_on |= on[c] = thread[c] < smux_block_x && !(i[c] >= n); if (any_on) return;", validate.Erasure},
	{"the place of the launched thread", "t[c] = thread[c]; i[c]", "t[c] = threadIdx.x; i[c]", validate.Erasure},
	{"the extent of the launched block", "i[c] = blockIdx.x * smux_block_x + t[c]", "i[c] = blockIdx.x * blockDim.x + t[c]", validate.Erasure},
	{"the extent of the launched block in a loop", "for (int d = smux_block_x / 2;", "for (int d = blockDim.x / 2;", validate.Erasure},
	{"a barrier for each copy", "v[c] = s[smux_block_x - 1 - t[c]]; __syncthreads();", "{ v[c] = s[smux_block_x - 1 - t[c]]; __syncthreads(); }", validate.Uniform},
	{"a barrier too few", "v[c] = s[smux_block_x - 1 - t[c]]; __syncthreads();", "v[c] = s[smux_block_x - 1 - t[c]];", validate.Erasure},
	{"a load before a barrier", "__syncthreads();\n        const float same_in = in[d];", "const float same_in = in[d];\n        __syncthreads();", validate.Erasure},
	{"an array for each copy", "__shared__ float s[256];", "__shared__ float s[COARSEN][256];", validate.Erasure},
	{"a launch that is not shortened", "dim3(l.x * l.y * l.z > 1024 ? l.x : (l.x + 1) / 2, l.y, l.z)", "dim3(l.x, l.y, l.z)", validate.Launches},
	{"a launch that is shortened, and not up", "(l.x + 1) / 2", "l.x / 2", validate.Launches},
	{"a block that no GPU takes, shortened", "l.x * l.y * l.z > 1024", "l.x > 1024", validate.Launches},
	{"any block shortened", "l.x * l.y * l.z > 1024 ? l.x : ", "", validate.Launches},
	{"a launch that is shortened along another axis", "dim3(l.x * l.y * l.z > 1024 ? l.x : (l.x + 1) / 2, l.y, l.z)", "dim3(l.x, (l.y + 1) / 2, l.z)", validate.Launches},
	{"a grid that is shortened", "k<<<n, dim3(l.x * l.y * l.z > 1024 ? l.x : (l.x + 1) / 2, l.y, l.z), 64>>>", "k<<<dim3(l.x * l.y * l.z > 1024 ? l.x : (l.x + 1) / 2, l.y, l.z), n, 64>>>", validate.Launches},
	{"a launch that passes no extent", "(x, x, n, l.x)", "(x, x, n)", validate.Launches},
	{"a launch that passes the shorter extent", "(x, x, n, l.x)", "(x, x, n, (l.x + 1) / 2)", validate.Launches},
	{"a launch that passes another extent", "(x, x, n, l.x)", "(x, x, n, l.y)", validate.Launches},
	{"a launch of another block", "l = dim3(m)", "l = dim3(n)", validate.Launches},
	{"bytes of the shorter block", ", 64>>>(x, x, n, l.x)", ", 32>>>(x, x, n, l.x)", validate.Launches},
	{"another number of copies than the launch's", "enum { COARSEN = 2 }", "enum { COARSEN = 4 }", validate.Launches},
}

func TestWrongCoarsenedThreads(t *testing.T) {
	const old = `__global__ void k(const float *in, float *out, int n) {
    __shared__ float s[256];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    s[t] = in[t];
    __syncthreads();
    for (int d = blockDim.x / 2; d > 0; d /= 2) {
        float v = s[blockDim.x - 1 - t]; __syncthreads();
        s[t] += v + in[d];
        __syncthreads();
    }
    atomicAdd(out, s[t]);
    __syncthreads();
    if (i >= n) return;
    out[i] = s[t] + s[0];
}
void run(float *x, int n, int m) {
    k<<<n, m, 64>>>(x, x, n);
}
`
	spell := strings.NewReplacer("LOOP", "for (int c = 0; c < COARSEN; ++c)", "HAVE", "if (thread[c] < smux_block_x)")
	right := spell.Replace(`__global__ void k(const float *in, float *out, int n, unsigned smux_block_x) {
    enum { COARSEN = 2 };
    unsigned thread[COARSEN];
    LOOP thread[c] = threadIdx.x + c * blockDim.x;
    __shared__ float s[256];
    int t[COARSEN], i[COARSEN];
    LOOP HAVE { t[c] = thread[c]; i[c] = blockIdx.x * smux_block_x + t[c]; }
    LOOP HAVE s[t[c]] = in[t[c]];
    __syncthreads();
    for (int d = smux_block_x / 2; d > 0; d /= 2) {
        float v[COARSEN];
        LOOP HAVE v[c] = s[smux_block_x - 1 - t[c]]; __syncthreads();
        const float same_in = in[d];
        LOOP HAVE s[t[c]] += v[c] + same_in;
        __syncthreads();
    }
    LOOP HAVE atomicAdd(out, s[t[c]]);
    __syncthreads();
    bool on[COARSEN], any_on = false;
    LOOP any_on |= on[c] = thread[c] < smux_block_x && !(i[c] >= n); if (!any_on) return;
    const float same_s = s[0];
    LOOP if (on[c]) out[i[c]] = s[t[c]] + same_s;
}
void run(float *x, int n, int m) {
    const auto l = dim3(m);
    k<<<n, dim3(l.x * l.y * l.z > 1024 ? l.x : (l.x + 1) / 2, l.y, l.z), 64>>>(x, x, n, l.x);
}
`)
	r := validate.Programs(program(t, old), program(t, right))
	require.True(t, r.Proved(), "%s", doubts(r))
	for _, w := range wrongThreads {
		t.Run(w.name, func(t *testing.T) {
			require.Contains(t, right, w.old)
			refused(t, validate.Programs(program(t, old), program(t, strings.Replace(right, w.old, w.new, 1))), w.breaks)
		})
	}
	for _, bounds := range []string{"__global__ void __launch_bounds__(256) k(", "__global__ void __maxnreg__(64) k("} {
		capped := strings.NewReplacer("__global__ void k(", bounds)
		refused(t, validate.Programs(program(t, capped.Replace(old)), program(t, capped.Replace(right))), validate.Launches)
	}
}

// togetherKernels are kernels in which each thread reads as the original's, but threads of a block or a warp do something
// together. PLACE is the thread's place in the original.
var togetherKernels = []struct {
	name, old, now string
	breaks         validate.Condition // "" for what is right
}{
	{"a store to memory", "x[PLACE] = 1;", "LOOP HAVE x[PLACE] = 1;", ""},
	{"a store that is done once", "x[0] = 1;", "x[0] = 1;", validate.Copies},
	{"a store to shared memory that is done once", "__shared__ int s[64]; s[0] = n; __syncthreads(); x[PLACE] = s[0];", "__shared__ int s[64]; s[0] = n; __syncthreads(); LOOP HAVE x[PLACE] = s[0];", validate.Copies},
	{"a store to shared memory", "__shared__ int s[64]; s[0] = n; __syncthreads(); x[PLACE] = s[0];", "__shared__ int s[64]; LOOP HAVE s[0] = n; __syncthreads(); LOOP HAVE x[PLACE] = s[0];", ""},
	{"an atomic of shared memory", "__shared__ int s[64]; atomicAdd(&s[n], 1);", "__shared__ int s[64]; LOOP HAVE atomicAdd(&s[n], 1);", ""},
	{"a pointer to shared memory", "__shared__ float s[64]; float *p = s + PLACE; *p = 1;", "__shared__ float s[64]; float *p[COARSEN]; LOOP HAVE p[c] = s + PLACE; LOOP HAVE *p[c] = 1;", ""},
	{"a function with shared memory", "x[PLACE] = kept(n);", "LOOP HAVE x[PLACE] = kept(n);", ""},
	{"a variable of which there is one", "int k = n; k += PLACE; x[k] = 1;", "int k = n; LOOP HAVE k += PLACE; LOOP HAVE x[k] = 1;", validate.Copies},
	{"volatile shared memory", "volatile __shared__ int s[64]; s[PLACE] = n; x[PLACE] = s[n];", "volatile __shared__ int s[64]; LOOP HAVE s[PLACE] = n; LOOP HAVE x[PLACE] = s[n];", validate.Copies},
	{"a function with volatile memory", "__shared__ int s[64]; fold(s, PLACE); x[PLACE] = s[n];", "__shared__ int s[64]; LOOP HAVE fold(s, PLACE); LOOP HAVE x[PLACE] = s[n];", validate.Builtins},
	{"lanes", "x[PLACE] = __shfl_xor_sync(0xffffffff, PLACE, 1);", "LOOP HAVE x[PLACE] = __shfl_xor_sync(0xffffffff, PLACE, 1);", validate.Copies},
	{"a vote", "if (__any_sync(0xffffffff, n)) x[PLACE] = 1;", "LOOP HAVE if (__any_sync(0xffffffff, n)) x[PLACE] = 1;", validate.Copies},
	{"a barrier of a warp", "x[PLACE] = 1; __syncwarp(); y[PLACE] = 1;", "LOOP HAVE x[PLACE] = 1; __syncwarp(); LOOP HAVE y[PLACE] = 1;", validate.Copies},
	{"who runs together", "x[PLACE] = __activemask();", "LOOP HAVE x[PLACE] = __activemask();", validate.Copies},
	{"the size of a warp", "x[PLACE] = warpSize;", "LOOP HAVE x[PLACE] = warpSize;", validate.Copies},
	{"a function of lanes", "x[PLACE] = lanes(n);", "LOOP HAVE x[PLACE] = lanes(n);", validate.Builtins},
	{"a function that asks for its place", "x[PLACE] = place();", "LOOP HAVE x[PLACE] = place();", validate.Builtins},
	{"assembly", "int l; asm(\"mov.u32 %0, %%laneid;\" : \"=r\"(l)); x[PLACE] = l;", "int l; asm(\"mov.u32 %0, %%laneid;\" : \"=r\"(l)); LOOP HAVE x[PLACE] = l;", validate.Erasure},
	{"a count", "int v = __syncthreads_count(n); x[PLACE] = v;", "int v = __syncthreads_count(n); LOOP HAVE x[PLACE] = v;", validate.Copies},
	{"a group's barrier", "auto all = cooperative_groups::this_thread_block(); x[PLACE] = 1; all.sync(); y[PLACE] = 1;", "auto all = cooperative_groups::this_thread_block(); LOOP HAVE x[PLACE] = 1; all.sync(); LOOP HAVE y[PLACE] = 1;", ""},
	{"a group's size", "auto all = cooperative_groups::this_thread_block(); x[PLACE] = all.size();", "auto all = cooperative_groups::this_thread_block(); LOOP HAVE x[PLACE] = all.size();", validate.Copies},
	{"a place in a group", "auto all = cooperative_groups::this_thread_block(); x[PLACE] = all.thread_rank();", "auto all = cooperative_groups::this_thread_block(); LOOP HAVE x[PLACE] = all.thread_rank();", validate.Copies},
	{"a tile", "auto t = cooperative_groups::tiled_partition<4>(cooperative_groups::this_thread_block()); x[PLACE] = t.meta_group_rank();", "auto t = cooperative_groups::tiled_partition<4>(cooperative_groups::this_thread_block()); LOOP HAVE x[PLACE] = t.meta_group_rank();", validate.Copies},
	{"a lock", "__shared__ int s; while (atomicCAS(&s, 0, 1) != 0); x[n] += 1; atomicExch(&s, 0);", "__shared__ int s; LOOP HAVE while (atomicCAS(&s, 0, 1) != 0); LOOP HAVE x[n] += 1; LOOP HAVE atomicExch(&s, 0);", validate.Progress},
	{"a wait for another thread", "__shared__ int s[64]; while (s[0] < n); x[PLACE] = 1;", "__shared__ int s[64]; LOOP HAVE while (s[0] < n); LOOP HAVE x[PLACE] = 1;", validate.Progress},
	{"a barrier that some come by", "if (PLACE < n) __syncthreads();", "LOOP HAVE if (PLACE < n) __syncthreads();", validate.Uniform},
	{"a barrier after some left", "if (PLACE > n) return; x[PLACE] = 1; __syncthreads(); y[PLACE] = 1;", "LEAVE(PLACE > n) LOOP if (on[c]) x[PLACE] = 1; __syncthreads(); LOOP if (on[c]) y[PLACE] = 1;", ""},
}

func TestThreadsStayApart(t *testing.T) {
	const before = `#include <cooperative_groups.h>
__device__ int place() { return threadIdx.x; }
__device__ int lanes(int v) { return __shfl_xor_sync(0xffffffff, v, 1); }
__device__ void fold(volatile int *s, int t) { s[t] += s[t + 16]; }
__device__ int kept(int v) { __shared__ int s[64]; return s[v]; }
__global__ void k(float *x, float *y, int n`
	const after = "}\nvoid run(float *x, int n, dim3 b) {\n"
	for _, k := range togetherKernels {
		t.Run(k.name, func(t *testing.T) {
			now := k.now
			if head, rest, ok := strings.Cut(now, "LEAVE("); ok {
				cond, rest, _ := strings.Cut(rest, ")")
				now = head + "bool on[COARSEN], any_on = false; LOOP any_on |= on[c] = thread[c] < g && !(" + cond + "); if (!any_on) return;" + rest
			}
			spell := strings.NewReplacer("LOOP", "for (int c = 0; c < COARSEN; ++c)", "HAVE", "if (thread[c] < g)", "PLACE", "thread[c]")
			old := before + ") {\n    " + strings.ReplaceAll(k.old, "PLACE", "threadIdx.x") + after + "    k<<<n, b>>>(x, x, n);\n}\n"
			text := before + ", unsigned g) {\n    enum { COARSEN = 2 };\n    unsigned thread[COARSEN];\n" +
				spell.Replace("    LOOP thread[c] = threadIdx.x + c * blockDim.x;\n    "+now) + after + "    k<<<n, dim3(b.x * b.y * b.z > 1024 ? b.x : (b.x + 1) / 2, b.y, b.z)>>>(x, x, n, b.x);\n}\n"
			r := validate.Programs(program(t, old), program(t, text))
			if k.breaks == "" {
				assert.True(t, r.Proved(), "%s", doubts(r))
			} else {
				refused(t, r, k.breaks)
			}
		})
	}
}
