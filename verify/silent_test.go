package verify_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/lab/suite"
	"github.com/smux-cuda/smux/verify"
	"github.com/smux-cuda/smux/verify/build"
)

// check runs a program in the first order, once for each argument.
func check(t *testing.T, text string, arguments ...string) *verify.Verdict {
	t.Helper()
	needCompiler(t)
	r := verify.Request{Original: verify.Program{Files: []verify.File{verify.NewFile("a.cu", []byte(text))}}, Schedules: verify.DefaultSchedules(1)[:1]}
	for _, a := range arguments {
		r.Args = append(r.Args, []string{a})
	}
	v, err := verify.Run(context.Background(), r)
	require.NoError(t, err)
	return v
}

// codesAt lists codes with their lines, each once.
func codesAt(v *verify.Verdict) (found, failed []string) {
	for _, f := range v.Findings {
		found = append(found, fmt.Sprintf("%s:%d", f.Message.Code, f.Message.Pos.Line))
	}
	for _, f := range v.Failures {
		failed = append(failed, fmt.Sprintf("%s:%d", f.Message.Code, f.Message.Pos.Line))
	}
	return found, failed
}

const endings = `#include <cassert>
#include <csignal>
#include <cstdlib>
#include <stdexcept>
#include <unistd.h>
extern "C" int cublasCreate_v2(void **); extern "C" int cublasSetStream_v2(void *, void *); extern "C" int cublasDestroy_v2(void *);
extern "C" int cublasSscal_v2(void *, int, const float *, float *, int); extern "C" int cufftPlan1d(int *, int, int, int);
__global__ void shift(int *a) { a[threadIdx.x] = a[threadIdx.x + 1] + 1; }
__global__ void timed(int *a) { a[threadIdx.x] = clock64() != 0; }
__global__ void last(int *a) { a[threadIdx.x] = 1; } __global__ void shifted(int *a) { a[threadIdx.x] = a[threadIdx.x] >> (threadIdx.x + 1); }
int main(int, char **argv) {
    int *d, h[65] = {}, plan = 0, how = atoi(argv[1]);
    void *blas = nullptr;
    float two = 2;
    cudaMalloc(&d, sizeof h);
    cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);
    if (how == 1) assert(!"before any kernel");
    if (how < 10) shift<<<1, 64>>>(d);
    if (how == 2) abort();
    if (how == 3) throw std::runtime_error("no");
    if (how == 4) *(volatile int *)nullptr = 1;
    if (how == 5) raise(SIGKILL);
    if (how == 6) cublasSscal_v2(blas, 1, &two, &two, 1);
    if (how == 7) srandom(unsigned(getpid())), printf("%ld\n", random());
    if (how == 10) timed<<<1, 32>>>(d); else if (how > 12) shifted<<<1, how>>>(d);
    if (how == 11) assert(cublasCreate_v2(&blas) == 0 && blas && cublasSetStream_v2(blas, nullptr) == 0 && cufftPlan1d(&plan, 8, 0, 1) == 0 && plan && cublasDestroy_v2(blas) == 0);
    last<<<1, 64>>>(d);
    cudaDeviceSynchronize();
}
`

// TestAnEndHidesNothing: what was found before host code ends a program, or a library does that runs on GPUs only, is told beside that;
// and so are the findings of a program that prints something else in each run.
func TestAnEndHidesNothing(t *testing.T) {
	for how, want := range map[string]struct{ found, failed string }{
		"0": {"race:8", ""},
		"1": {"", "crashes:17"},
		"2": {"race:8", "crashes:19"},
		"3": {"race:8", "crashes:20"},
		"4": {"race:8", "crashes:21"},
		"5": {"race:8", "crashes:0"},
		"6": {"race:8", "needs-library:23"},
		"7": {"race:8", "not-deterministic:0"},
	} {
		v := check(t, endings, how)
		found, failed := codesAt(v)
		assert.Equal(t, want.found, strings.Join(found, " "), how)
		assert.Equal(t, want.failed, strings.Join(failed, " "), how)
		assert.Equal(t, want.found != "", v.Outcome == verify.Found, how)
	}
}

const waiting = `#include <cstdlib>
__global__ void wait(volatile int *flag, int *a) { while (*flag == 0) {} a[threadIdx.x] = a[threadIdx.x + 1]; }
int main(int, char **argv) {
    int *flag, *pinned, *a;
    cudaMalloc(&flag, 4), cudaMallocHost(&pinned, 4), cudaMalloc(&a, 256);
    cudaMemset(flag, 0, 4);
    wait<<<1, 32>>>(atoi(argv[1]) ? pinned : flag, a);
    *(volatile int *)pinned = 1;
    cudaDeviceSynchronize();
}
`

// TestAKernelThatWaitsForTheHostIsNotJudged: but one that waits for device memory makes no progress.
func TestAKernelThatWaitsForTheHostIsNotJudged(t *testing.T) {
	needCompiler(t)
	for how, want := range map[string]struct{ found, failed string }{"0": {"no-progress:2", ""}, "1": {"", "not-supported:2"}} {
		v, err := verify.Run(context.Background(), verify.Request{Original: oneFile("wait", []byte(waiting)), Args: [][]string{{how}},
			Schedules: verify.DefaultSchedules(1)[:1], Watchdog: time.Second})
		require.NoError(t, err)
		found, failed := codesAt(v)
		assert.Equal(t, want.found, strings.Join(found, " "), how)
		assert.Equal(t, want.failed, strings.Join(failed, " "), how)
	}
}

// TestWhatIsNotModelledIsListed: each once, and only where it is used; a handle of a library is no reason not to run.
func TestWhatIsNotModelledIsListed(t *testing.T) {
	for how, want := range map[string][]string{
		"10": {"time in kernels: clocks are virtual"},
		"11": {"cuBLAS has handles alone: a call that computes ends the run", "cuFFT has handles alone: a call that computes ends the run"},
		"12": nil,
		"31": nil,
		"32": {"shifts by the width of a number or more: a GPU shifts all bits out"},
	} {
		v := check(t, endings, how)
		assert.Empty(t, v.Failures, how)
		assert.Empty(t, v.Findings, how)
		var got []string
		for _, m := range v.Remarks {
			if m.Code == verify.CodeNotModelled {
				got = append(got, m.Text)
			}
		}
		assert.Equal(t, want, got, how)
	}
}

// TestTimeIsTheSameInEveryOrder: of the order of threads, no clock tells.
func TestTimeIsTheSameInEveryOrder(t *testing.T) {
	needCompiler(t)
	v, err := verify.Run(context.Background(), verify.Request{Schedules: verify.DefaultSchedules(1), Original: verify.Program{Files: []verify.File{verify.NewFile("a.cu", []byte(`
__global__ void timed(long long *t) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    long long begun = clock64();
    while (clock64() - begun < 5000) { }
    __syncthreads();
    t[2 * i] = begun;
    t[2 * i + 1] = clock64();
}
int main() {
    long long h[256], *d;
    cudaMalloc(&d, sizeof h);
    timed<<<2, 64>>>(d);
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    long long first = h[1];
    timed<<<2, 64>>>(d);
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    return h[0] <= first || h[1] <= h[0];
}
`))}}})
	require.NoError(t, err)
	assert.Equal(t, "nothing found", v.Summary())
}

// TestAProgramThatHangsShowsNothing: of what it would have made of memory that nobody wrote.
func TestAProgramThatHangsShowsNothing(t *testing.T) {
	needCompiler(t)
	v, err := verify.Run(context.Background(), verify.Request{Timeout: time.Second, Schedules: verify.DefaultSchedules(1)[:1], Original: verify.Program{Files: []verify.File{verify.NewFile("a.cu", []byte(`
int main() {
    int h[64], *d;
    cudaMalloc(&d, sizeof h);
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    for (volatile int i = 0;; i = i) { }
}
`))}}})
	require.NoError(t, err)
	found, failed := codesAt(v)
	assert.Equal(t, []string{"unwritten:5"}, found)
	assert.Equal(t, verify.Note, v.Findings[0].Severity)
	assert.Equal(t, []string{"hangs:0"}, failed)
	assert.Equal(t, diag.ExitNotRun, v.ExitCode())
}

// TestKernelsThatNoRunLaunchesAreNamed: whatever the form of the launches of the others.
func TestKernelsThatNoRunLaunchesAreNamed(t *testing.T) {
	const text = `#define RUN(k) k<<<1, 1>>>(x)
#define LAST RUN(inMacro)
__global__ void direct(int *x) { *x = 1; }
__global__ void inMacro(int *x) { *x = 2; }
__global__ void byCall(int *x) { *x = 3; }
namespace n { template <class T> __global__ void generic(T *x) { *x = 4; } }
__global__ void never(int *x) { *x = 5; }
static __global__ void inTable(int *x) { *x = 7; }
__global__ void asArgument(int *x) { *x = 8; }
__global__ void asParameter(int *x) { *x = 9; }
__global__ void local(int *x) { *x = 10; }
#ifdef OTHER
__global__ void compiledOut(int *x) { *x = 6; }
#endif
template <class F> void run(F f, int *x) { f<<<1, 1>>>(x); }
template <void (*K)(int *)> void run(int *x) { K<<<1, 1>>>(x); }
int main(int argc, char **argv) {
    int *x;
    cudaMalloc(&x, 4);
    direct<<<1, 1>>>(x);
    void (*table[])(int *) = {never, inTable}, (*pointer)(int *) = local;
    table[1]<<<1, 1>>>(x);
    pointer<<<1, 1>>>(x);
    run(asArgument, x);
    run<asParameter>(x);
    LAST;
    void *arguments[] = {&x};
    cudaLaunchKernel((const void *)byCall, 1, 1, arguments);
    n::generic<int><<<1, 1>>>(x);
    if (argv[1][0] == '1') never<<<1, 1>>>(x);
    cudaDeviceSynchronize();
}
`
	of := func(v *verify.Verdict) (all []string) {
		for _, m := range v.Remarks {
			if m.Code == verify.CodeNotExercised {
				all = append(all, m.String())
			}
		}
		return all
	}
	v := check(t, text, "0")
	assert.Equal(t, []string{"a.cu:7:17: not-exercised: 1 of 9 kernels was not launched: never"}, of(v))
	assert.Equal(t, "nothing found; 1 of 9 kernels was not launched", v.Summary())
	assert.Equal(t, diag.ExitOK, v.ExitCode())
	v = check(t, text, "0", "1")
	assert.Empty(t, of(v))
	assert.Equal(t, "nothing found", v.Summary())
	require.Len(t, v.Kernels, 9)
	assert.EqualValues(t, 2, v.Kernels[0].Launches)
	assert.EqualValues(t, 1, v.Kernels[4].Launches)
}

// TestBuiltinCopiesAreSeen: in every length, and by the names of the C library's functions and of the compiler's own.
func TestBuiltinCopiesAreSeen(t *testing.T) {
	const text = `#include <cstring>
__global__ void c1(double *to, const double *from, int n) { __builtin_memcpy(to + threadIdx.x, from + threadIdx.x, n); }
__global__ void c2(double *to, const double *from, int n) { __builtin_memcpy(to + threadIdx.x, from + threadIdx.x, 12); }
__global__ void c3(double *to, const double *from, int n) { __builtin_memmove(to + threadIdx.x, from + threadIdx.x, n); }
__global__ void c4(double *to, const double *from, int n) { __builtin_memset(to + threadIdx.x, threadIdx.x, n); }
__global__ void c5(double *to, const double *from, int n) { memcpy(to + threadIdx.x, from + threadIdx.x, n); }
__global__ void right(double *to, const double *from, int n) { __builtin_memcpy(to + 2 * threadIdx.x, from + threadIdx.x, n); }
int main() {
    double *a, *b, h[32];
    for (int i = 0; i < 32; i++) h[i] = i;
    cudaMalloc(&a, sizeof h);
    cudaMalloc(&b, sizeof h);
    cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice);
    cudaMemcpy(b, h, sizeof h, cudaMemcpyHostToDevice);
    c1<<<1, 8>>>(a, b, 16);
    c2<<<1, 8>>>(a, b, 16);
    c3<<<1, 8>>>(a, b, 16);
    c4<<<1, 8>>>(a, b, 16);
    c5<<<1, 8>>>(a, b, 16);
    right<<<1, 8>>>(a, b, 16);
    cudaDeviceSynchronize();
}
`
	found, failed := codesAt(check(t, text))
	assert.ElementsMatch(t, []string{"race:2", "race:3", "race:4", "race:5", "race:6"}, found)
	assert.Empty(t, failed)
}

// TestProgramsThatNVCCTakesRun: names of std that a file does not include are the file's, a function that is to be inlined may be
// called by a pointer and call itself, and cuda::std is there.
func TestProgramsThatNVCCTakesRun(t *testing.T) {
	const text = `#include <cuda/std/array>
#include <cuda/std/limits>
#include <cuda/std/tuple>
__device__ __forceinline__ int larger(int a, int b) { return a > b ? a : b; }
__device__ __forceinline__ int sumTo(int n) { return n ? n + sumTo(n - 1) : 0; }
template <class F> __device__ int fold(const int *a, F f) { return f(a[0], a[1]); }
__global__ void k(int *x) {
    cuda::std::array<int, 2> a{1, 2};
    x[threadIdx.x] = fold(a.data(), larger) + sumTo(threadIdx.x) + cuda::std::get<1>(cuda::std::make_tuple(1, 2));
}
int main() { int *x; cudaMalloc(&x, 128); k<<<1, 32>>>(x); cudaDeviceSynchronize(); }
`
	const names = `#include <iostream>
using namespace std;
float *array, *tuple, *shared_ptr, *tie, *optional;
__global__ void k(float *x) { x[threadIdx.x] = 1; }
int main() { cudaMalloc(&array, 128); k<<<1, 32>>>(array); cudaDeviceSynchronize(); }
`
	for _, text := range []string{text, names} {
		v := check(t, text)
		assert.Empty(t, v.Failures)
		assert.Empty(t, v.Findings)
	}
}

// TestEachFileHasDeviceVariablesOfItsOwn: as nvcc makes them without -rdc; where one file declares another one's they are shared.
func TestEachFileHasDeviceVariablesOfItsOwn(t *testing.T) {
	needCompiler(t)
	const header = `#pragma once
__constant__ float table[2] = {1, 2}; __device__ int counter = 5, other; namespace n { __managed__ int m = 7; } static __device__ int s;
struct S { int a; }; __device__ S one = {1}; template <class T> __device__ T generic; __device__ int f(int);
`
	const first, second = `#include "v.h"
#include <cassert>
void run(int *x);
__global__ void k(int *x) { x[0] = counter++ + n::m + one.a + s; generic<int> = int(table[0]); }
int main() {
    int *x, h[2];
    cudaMalloc(&x, 8);
    n::m = 10;
    k<<<1, 1>>>(x);
    run(x);
    cudaMemcpy(h, x, 8, cudaMemcpyDeviceToHost);
    assert(h[0] == 16 && h[1] == 13);
}
`, `#include "v.h"
__global__ void k2(int *x) { x[1] = counter + n::m + one.a; }
void run(int *x) { k2<<<1, 1>>>(x); }
`
	const owner, user = `#include <cassert>
__device__ int counter = 5;
void run(int *x);
int main() { int *x, h; cudaMalloc(&x, 4); run(x); cudaMemcpyFromSymbol(&h, counter, 4); assert(h == 6); }
`, `extern __device__ int counter;
__global__ void k(int *x) { *x = counter++; }
void run(int *x) { k<<<1, 1>>>(x); }
`
	for _, texts := range [][2]string{{first, second}, {owner, user}} {
		v, err := verify.Run(context.Background(), verify.Request{Schedules: verify.DefaultSchedules(1)[:1], Original: verify.Program{Files: []verify.File{
			verify.NewFile("a.cu", []byte(texts[0])), verify.NewFile("b.cu", []byte(texts[1])), verify.NewFile("v.h", []byte(header))}}})
		require.NoError(t, err)
		assert.Empty(t, v.Failures)
		assert.Empty(t, v.Findings)
	}
}

// TestVariablesThatNobodyHasSet: what a function reads before it has set it changes the output, or nobody notices.
func TestVariablesThatNobodyHasSet(t *testing.T) {
	needCompiler(t)
	if c, err := build.Find(""); err != nil || exec.Command(c.Path, "-ftrivial-auto-var-init=pattern", "-fsyntax-only", "-x", "c++", os.DevNull).Run() != nil {
		t.Skip("the compiler can't fill variables: what nobody has set was not looked for")
	}
	const wrong, right = "// want: uninitialised", ""
	for i, c := range []struct{ body, want string }{
		{"int v; if (i < 16) v = in[i]; out[i] = v;", wrong},
		{"int v; if (i < 16) v = in[i]; out[i] = i < 16 ? v : 0; int all = __shfl_down_sync(~0u, v, 16); if (i == 99) out[0] = all;", right},
		{"int sum; for (int j = 0; j < 3; ++j) sum += in[i + j]; out[i] = sum;", wrong},
		{"int a[4]; for (int j = 0; j < 3; ++j) a[j] = in[i + j]; out[i] = a[in[1] * 3];", wrong},
		{"int a[4]; for (int j = 0; j < 3; ++j) a[j] = in[i + j]; out[i] = a[in[1] * 2];", right},
		{"struct { int x, y; } p; p.x = in[i]; out[i] = p.x + p.y;", wrong},
	} {
		if !suite.InSample(fmt.Sprint("unset", i), 2) {
			continue
		}
		assertMarked(t, fmt.Sprintf("unset%d.cu", i), `__global__ void k(const int *in, int *out) { const int i = threadIdx.x; `+c.body+` }
int main() {
    int host[64] = {}, *in, *out;
    for (int i = 0; i < 64; ++i) host[i] = i;
    cudaMalloc(&in, sizeof host), cudaMalloc(&out, 32 * sizeof *out);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    k<<<1, 32>>>(in, out);
    cudaMemcpy(host, out, 32 * sizeof *out, cudaMemcpyDeviceToHost);  `+c.want+`
    return 0;
}
`, "")
	}
}
