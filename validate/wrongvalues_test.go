package validate_test

import (
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/validate"
)

var (
	early = rewrite.Variant{Rewriter: "vtb", Sync: "named", Stage: 12, Early: true}
	split = rewrite.Variant{Rewriter: "co-vtb", Sync: "named", PrivateRows: 1}
)

// wrongValues are kernels whose values are loaded ahead of turns under conditions of their own, or have no type in the
// text, each with what rewriters could do wrong with it.
var wrongValues = []wrongMergeCase{
	{"a value that is stored, named ahead of the store", `__global__ void k(const float *__restrict__ in, const int *__restrict__ at, const float *__restrict__ weights, float *out, int n)
{
    __shared__ float s[64];
    __shared__ int own[64];
    const int t = threadIdx.x, i = blockIdx.x * 64 + t;
    int turned = t;
    for (int round = 0; round < n; ++round) {
        int where = i * 3 + round;
        s[t] = in[where];
        own[t] = where;
        __syncthreads();
        const int count = at[own[t] % 64];
        for (int j = 0; j < count; ++j) {
            out[i] += s[(t + j) % 64] * weights[where];
        }
        __syncthreads();
    }
}
void run(const float *in, const int *at, const float *w, float *out) { k<<<9, 64>>>(in, at, w, out, 5); }
`, early, []wrongMerge{
		{"another value", false, "at[where % 64]", "at[round % 64]", validate.Erasure},
		{"the element itself", false, "at[where % 64]", "at[own[t] % 64]", validate.Moves},
		{"the next value", false, "at[where % 64]", "at[(where + 1) % 64]", validate.Erasure},
		{"an element of another thread", true, "own[t] % 64", "own[t ^ 1] % 64", validate.Erasure},
		{"another store to the array", true, "        __syncthreads();\n    }", "        __syncthreads();\n        own[63 - t] = n;\n    }", validate.Erasure},
		{"a sum in the array", true, "        __syncthreads();\n    }", "        __syncthreads();\n        own[63 - t] += n;\n    }", validate.Erasure},
		{"an address of the array", true, "int turned = t;", "int turned = t, *all = own; all[63 - t] = n;", validate.Erasure},
		{"a reference to an element", true, "int turned = t;", "int turned = t, &one = own[5]; one = n;", validate.Erasure},
		{"an atomic operation on the array", true, "        s[t] = in", "        atomicAdd(&own[63 - t], n);\n        s[t] = in", validate.Erasure},
		{"a store by some threads", true, "        own[t] = where;", "        if (t < 60) own[t] = where;", validate.Erasure},
		{"a value that changes behind the store", true, "        own[t] = where;\n", "        own[t] = where;\n        where += n;\n", validate.Erasure},
		{"an index that changes behind the store", true, "own[t", "own[turned++", validate.Erasure},
		{"an array of shorter numbers", true, "int own[64]", "short own[64]", validate.Erasure},
		{"an array that anybody may change", true, "int own[64]", "volatile int own[64]", validate.Erasure},
		{"a load of what may be written before the barrier", true, "const int *__restrict__ at", "const int *at", validate.Moves},
		{"one iteration more", false, "(int)(0) < count", "(int)(0) <= count", validate.Moves},
		{"another beginning", false, "(int)(0) < count", "(int)(1) < count", validate.Moves},
		{"a condition of something else", false, "(int)(0) < count", "(int)(0) < n", validate.Moves},
		{"a loop that may end before the use", true, "            out[i] +=", "            if (s[j] > 3) break;\n            out[i] +=", validate.Moves},
		{"a use under a condition", true, "out[i] += s", "out[i] += s[j] > 3 && s", validate.Moves},
	}, ""},
	{"a value that a function changes", `__device__ int kept(int &x) { return ++x; }
__global__ void k(const float *__restrict__ in, float *out)
{
    __shared__ float s[64];
    int x = threadIdx.x;
    s[threadIdx.x] = in[blockIdx.x * 64 + x];
    const int c = kept(x);
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = s[63 - threadIdx.x] + c;
}
void run(const float *in, float *out) { k<<<9, 64>>>(in, out); }
`, named, []wrongMerge{
		{"before its first use", false, "    const float smux_v1 = in[blockIdx.x * 64 + x];\n    vtb.acquire();  // guards s\n    s[threadIdx.x] = smux_v1;\n    const int c = kept(x);\n",
			"    const int c = kept(x);\n    const float smux_v1 = in[blockIdx.x * 64 + x];\n    vtb.acquire();  // guards s\n    s[threadIdx.x] = smux_v1;\n", validate.Moves},
	}, ""},
	{"rows of a loop that may end early", `__global__ void k(const int *in, int *out)
{
    __shared__ int s[4][32];
    const int t = threadIdx.x;
    for (int i = 0; i < 3; ++i) {
        if (in[i] < 0) break;
        s[1 + i][t] = in[i + t];
    }
    s[0][t] = in[t];
    __syncthreads();
    out[blockIdx.x * 32 + t] = s[1][31 - t] + s[0][31 - t];
}
void run(const int *in, int *out) { k<<<9, 32>>>(in, out); }
`, split, []wrongMerge{
		{"a row more than there are", true, "i < 3", "i < 4", validate.Copies},
		{"a row before the first", true, "int i = 0", "int i = -1", validate.Copies},
		{"a counter that the body moves", true, "        if (in[i] < 0) break;", "        if (in[i] < 0) break;\n        if (in[i] > 7) i += 2;", validate.Copies},
		{"a counter that some iterations move", true, "        if (in[i] < 0) break;", "        if (in[i] < 0) { i += 2; continue; }", validate.Copies},
	}, ""},
	{"what auto says", `template <class T> __global__ void k(const T *in, T *out)
{
    __shared__ T s[64];
    __shared__ int one;
    const int t = threadIdx.x;
    if (t == 0) one = blockIdx.x;
    s[t] = in[blockIdx.x * 64 + t];
    __syncthreads();
    auto row = s + 1;
    out[t] += row[t & 7];
    auto b = one;
    __syncthreads();
    out[t] += b;
}
void run(const float *in, float *out) { k<<<9, 64>>>(in, out); }
`, block, []wrongMerge{
		{"a number of another type", false, "    int b;", "    short b;", validate.Erasure},
		{"a number without a sign", false, "    int b;", "    unsigned b;", validate.Erasure},
		{"an element whose type may be a class", false, "    static_assert(!__is_class(T) && !__is_union(T) && !__is_enum(T), \"smux rewrote this kernel for numbers\");\n", "", validate.Builtins},
		{"an element whose type is copied alone", false, "!__is_class(T) && !__is_union(T) && !__is_enum(T)", "__is_trivially_copyable(T)", validate.Builtins},
	}, ""},
	{"launches in templates", `template <int SIZE> __global__ void k(const float *in, float *out)
{
    __shared__ float s[SIZE];
    s[threadIdx.x] = in[blockIdx.x * SIZE + threadIdx.x];
    __syncthreads();
    out[blockIdx.x * SIZE + threadIdx.x] = s[SIZE - 1 - threadIdx.x];
}
template <int SIZE> void launch(const float *in, float *out, int n) { k<SIZE><<<n / SIZE, SIZE>>>(in, out); }
void run(const float *in, float *out, int n) { launch<64>(in, out, n); launch<96>(in, out, n); }
`, named, []wrongMerge{
		{"more blocks than the kernel merges", false, "try_merge<2, 32>", "try_merge<4, 32>", validate.Launches},
	}, ""},
	{"launches in templates that don't ask for whole warps", `template <int SIZE> __global__ void k(const float *in, float *out)
{
    __shared__ float s[SIZE];
    s[threadIdx.x] = in[blockIdx.x * SIZE + threadIdx.x];
    __syncthreads();
    out[blockIdx.x * SIZE + threadIdx.x] = s[SIZE - 1 - threadIdx.x];
}
template <int SIZE> void launch(const float *in, float *out, int n) { k<SIZE><<<n / SIZE, SIZE>>>(in, out); }
void run(const float *in, float *out, int n) { launch<64>(in, out, n); launch<96>(in, out, n); }
`, named, []wrongMerge{
		{"blocks of no whole warps", true, "launch<96>", "launch<80>", validate.Launches},
		{"blocks of a number that is not known", true, "launch<96>", "launch<BLOCK>", validate.Launches},
		{"blocks of a number that a default is", true, "template <int SIZE> void launch", "template <int SIZE = 48> void launch", validate.Launches},
		{"blocks of a number that a macro says", true, "void run", "#define LAUNCH launch<48>\nvoid run", validate.Launches},
	}, ", 32"},
	{"barriers with numbers", `__global__ void k(const float *in, float *out)
{
    __shared__ float s[64];
    s[threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x];
    __barrier_sync(1);
    out[blockIdx.x * 64 + threadIdx.x] = s[63 - threadIdx.x];
}
void run(const float *in, float *out) { k<<<9, 64>>>(in, out); }
`, block, []wrongMerge{
		{"of some threads", true, "__barrier_sync(1)", "__barrier_sync_count(1, 64)", validate.Numbers},
		{"that differ between threads", true, "__barrier_sync(1)", "__barrier_sync(1 + threadIdx.x / 64)", validate.Numbers},
	}, ""},
	{"a function with a barrier", `__device__ float wait(float x) { __syncthreads(); return x + 1; }
__global__ void k(const float *__restrict__ in, float *out)
{
    __shared__ float s[64];
    const int t = threadIdx.x;
    s[t] = in[blockIdx.x * 64 + t];
    const float y = wait(3.0f);
    out[blockIdx.x * 64 + t] = s[63 - t] + y;
}
void run(const float *in, float *out) { k<<<9, 64>>>(in, out); }
`, named, []wrongMerge{
		{"a store that waits until behind it", false, "    s[t] = smux_v1;\n    const float y = wait(vtb, 3.0f);\n", "    const float y = wait(vtb, 3.0f);\n    s[t] = smux_v1;\n", validate.Moves},
	}, ""},
	{"a barrier that the turn stands for", `__global__ void k(const float *a, float *b, int n)
{
    __shared__ float s[64];
    const int t = threadIdx.x;
    b[t] = a[t] * n;
    __syncthreads();
    s[t] = b[63 - t];
    __syncthreads();
    float y = 1;
    b[blockIdx.x * 64 + t] = s[63 - t] + y;
}
void run(const float *a, float *b, int n) { k<<<9, 64>>>(a, b, n); }
`, named, []wrongMerge{
		{"a load in front of it", false, "    vtb.sync();\n    const float smux_v1", "    const float smux_v1", validate.Moves},
		{"a store behind one that is gone", false, "    s[t] = smux_v1;\n    vtb.sync();\n    float y = 1;\n", "    float y = 1;\n    s[t] = smux_v1;\n", validate.Moves},
	}, ""},
	{"threads of a warp that wait", `__global__ void k(float *a, float *b)
{
    __shared__ float s[32];
    const int t = threadIdx.x;
    b[t] = a[t];
    float y = 0;
    __syncwarp();
    if (atomicAdd(&b[63 - t], 1.0f) > 3) y = 1;
    s[t] = b[31 - t];
    __syncwarp();
    a[t] = s[31 - t] + y;
    __syncthreads();
    s[t] = 1;
    a[t] += s[t];
}
void run(float *a, float *b) { k<<<9, 32>>>(a, b); }
`, named, []wrongMerge{
		{"a load in front of that", false, "    __syncwarp();\n    if (atomicAdd(&b[63 - t], 1.0f) > 3) y = 1;\n    const float smux_v1 = b[31 - t];\n", "    const float smux_v1 = b[31 - t];\n    __syncwarp();\n    if (atomicAdd(&b[63 - t], 1.0f) > 3) y = 1;\n", validate.Moves},
		{"a load in front of an atomic condition", false, "    if (atomicAdd(&b[63 - t], 1.0f) > 3) y = 1;\n    const float smux_v1 = b[31 - t];\n", "    const float smux_v1 = b[31 - t];\n    if (atomicAdd(&b[63 - t], 1.0f) > 3) y = 1;\n", validate.Moves},
		{"a store that waits behind it", false, "    s[t] = smux_v1;\n    __syncwarp();\n", "    __syncwarp();\n    s[t] = smux_v1;\n", validate.Moves},
	}, ""},
	{"values in braces", `struct pair { int x, y; };
__global__ void k(const int *in, int *out)
{
    __shared__ int s[64];
    const int t = threadIdx.x;
    s[t] = in[t];
    __syncthreads();
    pair p = {s[63 - t], t};
    __syncthreads();
    out[t] = p.x + p.y;
}
void run(const int *in, int *out) { k<<<9, 64>>>(in, out); }
`, rewrite.Variant{Rewriter: "co-vtb", Sync: "named", PrivateRows: 32}, []wrongMerge{
		{"a value more", false, ", t};", ", t, 0};", validate.Erasure},
		{"a value less", false, ", t};", "};", validate.Erasure},
		{"a member that is named", false, ", t};", ", .y = t};", validate.Erasure},
		{"another value", false, ", t};", ", t + 1};", validate.Erasure},
	}, ""},
	{"a turn that ends between a store to an object and a call of it", `struct Tile {
    int v[64];
    __device__ int &at(int i) { return v[i]; }
    __device__ int operator()(int i) const { return v[i]; }
};
__global__ void k(const int *in, int *out)
{
    __shared__ Tile s;
    const int t = threadIdx.x;
    s.at(t) = in[t];
    __syncthreads();
    int sum = 0;
    for (int j = 0; j < 8; j++) sum += s(j);
    __syncthreads();
    out[t] = sum;
}
void run(const int *in, int *out) { k<<<9, 64>>>(in, out); }
`, named, []wrongMerge{
		{"a turn for each", false, "    int sum = 0;", "    vtb.release();\n    int sum = 0;\n    vtb.acquire();", validate.Content},
	}, ""},
	{"a tile whose side is a template parameter", `template <int T> __global__ void k(const float *a, float *c, int w)
{
    __shared__ float s[T][T + 1];
    const int x = threadIdx.x, y = threadIdx.y;
    const int row = blockIdx.y * T + y;
    float sum = 0;
    for (int m = 0; m < w / T; ++m) {
        s[y][x] = a[row * w + m * T + x];
        __syncthreads();
        for (int q = 0; q < T; ++q) sum += s[q][x];
        __syncthreads();
    }
    c[row * w + blockIdx.x * T + x] = sum;
}
void run(const float *a, float *c, int w) { k<8><<<dim3(w / 8, w / 8), dim3(8, 8)>>>(a, c, w); }
`, named, []wrongMerge{
		{"no check of it", false, "    static_assert(T == 8, \"smux rewrote this kernel for T = 8\");\n", "", validate.Content},
		{"a check of another value", false, "static_assert(T == 8,", "static_assert(T == 9,", validate.Content},
		{"a check of an octal number", false, "static_assert(T == 8,", "static_assert(T == 011,", validate.Content},
		{"a check that rules the value out", false, "static_assert(T == 8,", "static_assert(T != 8,", validate.Content},
		{"a check of another value, too", false, "static_assert(T == 8,", "static_assert(T == 8 || T == 9,", validate.Content},
		{"a row that no thread writes", true, "q < T;", "q < T + 1;", validate.Content},
	}, ""},
	{"rows apart of an array whose length is a template parameter", `template <int B> __global__ void k(const int *in, int *out)
{
    __shared__ int s[B];
    const int t = threadIdx.x, i = blockIdx.x * B + t;
    s[t] = in[i];
    __syncthreads();
    out[i] = s[B - 1 - t];
}
void run(const int *in, int *out) { k<64><<<9, 64>>>(in, out); }
`, rewrite.Variant{Rewriter: "co-vtb", Sync: "named", PrivateRows: 32}, []wrongMerge{
		{"no check of it", false, "    static_assert(B == 64, \"smux rewrote this kernel for B = 64\");\n", "", validate.Erasure},
		{"a row less", false, "s_public[B - 32]", "s_public[B - 33]", validate.Erasure},
	}, ""},
	{"a fold over commas", `template <int... I> __device__ void scatter(int *s, int t, int v) { ((s[t * 2 + I] = v * (I + 1)), ...); }
template <class... Flags> __device__ void settle(int *s, Flags... flags) { while ((flags + ... + 0) > 9) s[0] = 1; }
__global__ void k(const int *in, volatile int *out)
{
    __shared__ int s[128];
    const int t = threadIdx.x, i = blockIdx.x * 64 + t;
    scatter<0, 1>(s, t, in[i]);
    __syncthreads();
    out[i] = s[t] + s[t + 64];
}
void run(const int *in, int *out) { k<<<9, 64>>>(in, out); }
`, named, []wrongMerge{
		{"a fold less", false, "scatter<0, 1>", "scatter<0>", validate.Erasure},
		{"a loop around it", true, "v * (I + 1)), ...);", "v * (I + 1)), ...); while (*(volatile int *)s > v) ;", validate.Progress},
		{"a fold in the condition of a loop", true, "    out[i] = s", "    settle(s, out[i], out[i + 1]);\n    out[i] = s", validate.Progress},
	}, ""},
	{"a function that is given the object", `__device__ int rev(int v)
{
    __shared__ int s[64];
    s[threadIdx.x] = v;
    __syncthreads();
    int r = s[63 - threadIdx.x];
    __syncthreads();
    return r;
}
__global__ void k(const int *in, int *out)
{
    const int i = blockIdx.x * 64 + threadIdx.x;
    int x = rev(in[i]);
    out[i] = rev(x + 1);
}
void run(const int *in, int *out) { k<<<9, 64>>>(in, out); }
`, named, []wrongMerge{
		{"a barrier of the launched block", false, "vtb.sync();\n    int r", "__syncthreads();\n    int r", validate.Uniform},
		{"another one", false, "vtb.sync();\n    return", "__syncthreads();\n    return", validate.Uniform},
	}, ""},
}
