package uniformity_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/evaluate"
	"github.com/smux-cuda/smux/lab/kerneltest"
)

// levelOfV returns the uniformity of the kernel's variable v.
func levelOfV(t *testing.T, src string) analysis.Uniformity {
	k := kerneltest.First(t, src)
	for _, v := range k.Func.Vars {
		if v.Name == "v" {
			return evaluate.VarUniformity(k, v)
		}
	}
	require.Fail(t, "there is no v")
	return 0
}

func TestWhatAFunctionReturnsIsAsUniformAsWhatItReturnsItFrom(t *testing.T) {
	for _, c := range []struct {
		name, functions string
		want            analysis.Uniformity
	}{
		{"its parameter", "__device__ int f(int n) { return n + 1; }", analysis.GridUniform},
		{"the block's number", "__device__ int f(int n) { return n + blockIdx.x; }", analysis.BlockUniform},
		{"the thread's number", "__device__ int f(int n) { return n + threadIdx.x; }", analysis.ThreadVarying},
		{"one of two by the thread's number", "__device__ int f(int n) { if (threadIdx.x) return n; return 1; }", analysis.ThreadVarying},
		{"through another", "__device__ int g() { return blockIdx.x; }\n__device__ int f(int n) { return g(); }", analysis.BlockUniform},
		{"through itself", "__device__ int f(int n) { return n < 2 ? blockIdx.x : f(n - 1); }", analysis.BlockUniform},
		{"through two that call each other", `__device__ int g(int n);
__device__ int f(int n) { return n < 2 ? n : g(n - 1); }
__device__ int g(int n) { return n < 2 ? threadIdx.x : f(n - 1); }`, analysis.ThreadVarying},
		{"through two of which only one is asked first", `__device__ int g(int n);
__device__ int f(int n) { return n < 2 ? blockIdx.x : g(n - 1); }
__device__ int g(int n) { return n < 2 ? n : f(n - 1); }`, analysis.BlockUniform},
	} {
		t.Run(c.name, func(t *testing.T) {
			assert.Equal(t, c.want, levelOfV(t, c.functions+"\n__global__ void k(float *a, int n) { int v = f(n); a[v] = 0; }\nvoid run(float *a) { k<<<1, 32>>>(a, 1); }"))
		})
	}
}

// Sixty functions that each call the next one twice hold 2^60 ways through them: to follow each would take years.
func TestManyWaysThroughTheCallsCostNoMoreThanTheirText(t *testing.T) {
	var src strings.Builder
	src.WriteString("__device__ int f60(int n) { return n; }\n")
	for i := 59; i >= 0; i-- {
		fmt.Fprintf(&src, "__device__ int f%d(int n) { return f%d(n) + f%d(n + 1); }\n", i, i+1, i+1)
	}
	src.WriteString("__global__ void k(float *a, int n) { int v = f0(n); a[v] = 0; }\nvoid run(float *a) { k<<<1, 32>>>(a, 1); }")
	assert.Equal(t, analysis.GridUniform, levelOfV(t, src.String()))
}

// A variable that an lvalue of several may be is changed in ways that are not
// followed, and a pointer that is a member leads to memory that anyone may write.
func TestWhatCannotBeFollowedIsNotUniform(t *testing.T) {
	for _, c := range []struct {
		name, body string
		want       analysis.Uniformity
	}{
		{"one of two is assigned", "int v = n, w = n; (n > 2 ? v : w) = threadIdx.x;", analysis.ThreadVarying},
		{"one of two is counted", "int v = n, w = n; ++(n > 2 ? w : v);", analysis.ThreadVarying},
		{"one of two is assigned in a part", "int2 v = {n, n}, w = v; (n > 2 ? v : w).x = threadIdx.x;", analysis.ThreadVarying},
		{"what was assigned is assigned again", "int v = n; (v = 2) = threadIdx.x;", analysis.ThreadVarying},
		{"one of two is bound", "int v = n, w = n; int &r = n > 2 ? v : w; r = threadIdx.x;", analysis.ThreadVarying},
		{"one of two is passed", "int v = n, w = n; set(n > 2 ? v : w);", analysis.ThreadVarying},
		{"one of two is read", "int w = n; int v = n > 2 ? w : n;", analysis.GridUniform},
		{"constant memory", "int v = c.numbers;", analysis.GridUniform},
		{"memory that a constant points to", "int v = c.p[n];", analysis.BlockUniform},
		{"memory that a constant points to, by a pointer", "int v = *c.p;", analysis.BlockUniform},
	} {
		t.Run(c.name, func(t *testing.T) {
			assert.Equal(t, c.want, levelOfV(t, `struct S { int numbers; int *p; };
__constant__ S c;
__device__ void set(int &x) { x = threadIdx.x; }
__global__ void k(float *a, int n) { `+c.body+` a[0] = 0; }
void run(float *a) { k<<<1, 32>>>(a, 1); }`))
		})
	}
}

// TestACounterThatALoopSetsAnewIsAsUniformThereAsTheLoopMakesIt: each body has a
// barrier in a loop of i, and elsewhere another loop of i that differs from thread to
// thread, or something that lets its i come to the barrier's loop.
func TestACounterThatALoopSetsAnewIsAsUniformThereAsTheLoopMakesIt(t *testing.T) {
	const own = " if (threadIdx.x == 3) for (i = threadIdx.x; i < n; i++) a[i] = 0; "
	for _, c := range []struct {
		name, body string
		want       analysis.Uniformity
	}{
		{"a loop behind it", "for (i = 2; i <= 64; i = 2 * i) __syncthreads();" + own, analysis.GridUniform},
		{"a loop before it", own + "for (i = 2; i <= 64; i = 2 * i) __syncthreads();", analysis.GridUniform},
		{"a limit that a loop sets", own + "int m = 0; for (i = 2; i <= 64; i = 2 * i) if (n >= i) m = i; for (i = 0; i < m; i++) __syncthreads();", analysis.GridUniform},
		{"begun by the block", own + "for (i = blockIdx.x; i < n; i += 2) __syncthreads();", analysis.BlockUniform},
		{"two counters", own + "for (i = 0, j = 1; i < n; i++, j++) __syncthreads();", analysis.GridUniform},
		{"a head that sets another", own + "for (j = 0; i < n; i++) __syncthreads();", analysis.ThreadVarying},
		{"a head that sets nothing", own + "for (; i < n; i++) __syncthreads();", analysis.ThreadVarying},
		{"a head that adds", own + "for (i += 0; i < n; i++) __syncthreads();", analysis.ThreadVarying},
		{"a head that begins with what was before", own + "for (i = i; i < n; i++) __syncthreads();", analysis.ThreadVarying},
		{"a head that sets it in one of two cases", own + "for (j = n > 3 ? (i = 0) : 1; i < n; i++) __syncthreads();", analysis.ThreadVarying},
		{"the other loop inside of it", "for (i = 0; i < n; i++) {" + own + "__syncthreads(); }", analysis.ThreadVarying},
		{"changed in it by some threads", own + "for (i = 0; i < n; i++) { if (threadIdx.x > 5) i++; __syncthreads(); }", analysis.ThreadVarying},
		{"left by some threads", own + "for (i = 0; i < n; i++) { if (a[threadIdx.x] > 5) break; __syncthreads(); }", analysis.ThreadVarying},
		{"used behind the loop that some threads ran", own + "for (j = 0; j < i; j++) __syncthreads();", analysis.ThreadVarying},
		{"its address taken", own + "int *p = &i; *p = threadIdx.x; for (i = 0; i < n; i++) __syncthreads();", analysis.ThreadVarying},
		{"entered at a case", own + "switch (n) { case 1: for (i = 0; i < n; i++) { case 2: __syncthreads(); } }", analysis.ThreadVarying},
	} {
		t.Run(c.name, func(t *testing.T) {
			k := kerneltest.First(t, "__global__ void k(float *a, int n) { __shared__ float s[1]; s[0] = 1; int i = 0, j = 0; "+c.body+" a[j] = s[0]; }\nvoid run(float *a) { k<<<1, 32>>>(a, 1); }")
			require.Len(t, k.Barriers, 1)
			assert.Equal(t, c.want, k.Barriers[0].Control)
		})
	}
}

// What is declared as constant stays as it is: not what an element of it points to, by whatever name, or an operator reads.
func TestWhatIsBehindConstantsMayChange(t *testing.T) {
	for load, want := range map[string]analysis.Uniformity{
		"numbers[1]": analysis.GridUniform, "table[1][2]": analysis.GridUniform, "own[1]": analysis.GridUniform, "given[3]": analysis.GridUniform,
		"cells[1].n": analysis.GridUniform, "values[1]": analysis.GridUniform,
		"one[0]": analysis.BlockUniform, "*one": analysis.BlockUniform, "pointers[0][0]": analysis.BlockUniform, "fixed[0]": analysis.BlockUniform,
		"cells[1].p[0]": analysis.BlockUniform, "*cells[1].p": analysis.BlockUniform, "cells[1][0]": analysis.BlockUniform, "**pointers": analysis.BlockUniform,
		"held[0][0]": analysis.BlockUniform, "ways[0][0]": analysis.BlockUniform, "values[1][1]": analysis.BlockUniform,
	} {
		assert.Equal(t, want, levelOfV(t, `
typedef int *pointer;
struct Cell { int n, *p; __device__ int operator[](int i) const { return p[i]; } };
__constant__ int numbers[4], table[4][4];
__constant__ pointer one, pointers[2];
__constant__ Cell cells[2];
__device__ const pointer fixed = 0;
template <class T> __global__ void k(int *n, const int *__restrict__ given, const pointer *__restrict__ ways, const T *__restrict__ values)
{
    int own[2] = {1, 2};
    pointer held[2] = {n, n};
    int v = `+load+`;
    *n = v + own[1] + *held[1];
}
void run(int *n, const pointer *w) { k<pointer><<<1, 32>>>(n, n, w, w); }`), load)
	}
}
