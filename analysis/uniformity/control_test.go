package uniformity_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/lab/kerneltest"
)

// TestTheControlAroundABarrierCountsEveryWayPastIt: a barrier is as uniform as the least uniform way in which a
// thread can miss it, or reach it more often than others do. "@" is the barrier.
func TestTheControlAroundABarrierCountsEveryWayPastIt(t *testing.T) {
	const functions = `
__device__ int leavesByLoop(int n) {
    for (;;) { if (threadIdx.x & 1) break; if (n == 3) return 1; }
    return 0;
}
__device__ void set(int &x) { x = threadIdx.x; }
__device__ void fill(int *x) { x[0] = threadIdx.x; }
`
	for _, c := range []struct {
		name, body string
		want       analysis.Uniformity
	}{
		{"a guard", "if (t < n) { @; }", analysis.ThreadVarying},
		{"a guard of the block", "if (blockIdx.x < n) { @; }", analysis.BlockUniform},
		{"an else", "if (t < n) { a[t] = 0; } else { @; }", analysis.ThreadVarying},
		{"behind a guard", "if (t < n) { a[t] = 0; } @;", analysis.GridUniform},
		{"a switch", "switch (t) { case 1: @; break; }", analysis.ThreadVarying},
		{"a trip count", "for (int i = 0; i < t; i++) { @; }", analysis.ThreadVarying},
		{"a counter moved under a guard", "int i = 0; while (i < n) { @; if (t) i++; i++; }", analysis.ThreadVarying},
		{"a break", "for (int i = 0; i < n; i++) { if (t > i) break; @; }", analysis.ThreadVarying},
		{"a break behind it", "for (int i = 0; i < n; i++) { @; if (t > i) break; }", analysis.ThreadVarying},
		{"a continue", "for (int i = 0; i < n; i++) { if (t > i) continue; @; }", analysis.ThreadVarying},
		{"a break of a switch that keeps from a continue", "for (int i = 0; i < n; i++) { switch (n) { case 1: if (t) break; continue; } @; }", analysis.ThreadVarying},
		{"a variable of a loop that threads leave at different times", "int i = 0; for (;;) { i++; if (i > t) break; } if (i > 3) { @; }", analysis.ThreadVarying},
		{"behind a loop that threads leave at different times", "int i = 0; for (;;) { i++; if (i > t) break; } @;", analysis.GridUniform},
		{"an operand", "if (t < n && __syncthreads_or(n)) a[t] = 0;", analysis.ThreadVarying},
		{"a choice", "a[t] = t < n ? __syncthreads_count(n) : 0;", analysis.ThreadVarying},
		{"the condition of its own if", "if (__syncthreads_or(n) && t < n) a[t] = 0;", analysis.GridUniform},
		{"the condition of its own switch", "switch (__syncthreads_count(n) + t) { case 1: a[t] = 0; }", analysis.GridUniform},
		{"the condition of its own loop", "while (__syncthreads_or(n) && t < n) a[t] = 0;", analysis.ThreadVarying},
		{"the condition of a loop around its if", "while (t < n) { if (__syncthreads_or(n)) t++; }", analysis.ThreadVarying},
		{"a return of a function's loop", "if (leavesByLoop(n)) { @; }", analysis.ThreadVarying},
		{"an assignment through a reference", "int i = n; set(i); if (i) { @; }", analysis.ThreadVarying},
		{"an assignment through a pointer", "int i[2] = {n, n}; fill(i); if (i[0]) { @; }", analysis.ThreadVarying},
		{"an assignment through a part's pointer", "int i[2] = {n, n}; int *p = i; p[1] = t; if (i[1]) { @; }", analysis.ThreadVarying},
		{"an assignment by assembly", `int i = n; asm("mov.u32 %0, %%laneid;" : "=r"(i)); if (i) { @; }`, analysis.ThreadVarying},
		{"an assignment by a lambda", "int i = n; auto f = [&]() { i = threadIdx.x; }; f(); if (i) { @; }", analysis.ThreadVarying},
		{"a part of a struct", "int2 i = {n, n}; i.y = t; if (i.x) { @; }", analysis.ThreadVarying},
		{"an element under a guard", "int i[2] = {n, n}; if (t) i[0] = 3; if (i[0]) { @; }", analysis.ThreadVarying},
		{"a pointer to one of two", "int *p = t ? a : a + 1; if (p[0]) { @; }", analysis.ThreadVarying},
		{"a vote of a warp", "if (__any_sync(~0u, n)) { @; }", analysis.ThreadVarying},
		{"a vote of the block", "if (__syncthreads_or(t)) { @; }", analysis.BlockUniform},
	} {
		t.Run(c.name, func(t *testing.T) {
			k := kerneltest.First(t, functions+"__global__ void k(int *a, int n) { int t = threadIdx.x; "+barrierText(c.body)+" }\nvoid run(int *a, int n) { k<<<2 * n, 32>>>(a, n); }")
			require.NotEmpty(t, k.Barriers)
			got := analysis.GridUniform
			for _, b := range k.Barriers {
				got = max(got, b.Control)
			}
			assert.Equal(t, c.want, got)
		})
	}
}

func barrierText(body string) string { return strings.ReplaceAll(body, "@", "__syncthreads()") }

// TestTheControlAroundABarrierOfAFunctionCountsItsReturns: threads that returned
// from a device function do not come to the barriers after.
func TestTheControlAroundABarrierOfAFunctionCountsItsReturns(t *testing.T) {
	for _, c := range []struct {
		name, body string
		want       analysis.Uniformity
	}{
		{"none", "@;", analysis.GridUniform},
		{"of all", "if (n) return; @;", analysis.GridUniform},
		{"of some", "if (threadIdx.x < n) return; @;", analysis.ThreadVarying},
		{"behind it", "@; if (threadIdx.x < n) return;", analysis.GridUniform},
		{"behind it, in a loop", "for (int i = 0; i < n; i++) { @; if (threadIdx.x < i) return; }", analysis.ThreadVarying},
		{"of those that did not break", "for (;;) { if (threadIdx.x & 1) break; if (n == 3) return; } @;", analysis.ThreadVarying},
		{"of those that stay in an inner loop", "for (int i = 0; i < n; i++) { for (;;) { if (threadIdx.x & 1) break; if (n == 3) return; } @; }", analysis.ThreadVarying},
	} {
		t.Run(c.name, func(t *testing.T) {
			k := kerneltest.First(t, "__device__ void f(int n) { "+barrierText(c.body)+" }\n__global__ void k(int *a, int n) { f(n); a[0] = 0; }\nvoid run(int *a, int n) { k<<<2 * n, 32>>>(a, n); }")
			require.Len(t, k.Barriers, 1)
			assert.Equal(t, c.want, k.Barriers[0].Control)
		})
	}
}

// TestAGuardAroundTheRestOfAKernelIsAnExit: an if that threads pass by counts
// among those that stay only where the others may still meet somebody.
func TestAGuardAroundTheRestOfAKernelIsAnExit(t *testing.T) {
	for _, c := range []struct {
		name, body string
		want       analysis.Uniformity // among the threads that have not left
	}{
		{"the rest", "if (t < n) { @; }", analysis.GridUniform},
		{"the rest but for memory of its own", "if (t < n) { @; } a[t] = t;", analysis.GridUniform},
		{"the rest but for a guard without a barrier", "if (t < n) { @; } if (n) a[t] = t;", analysis.GridUniform},
		{"the rest, in the other branch", "if (t < n) a[t] = 0; else { @; }", analysis.GridUniform},
		{"the rest, one in the other", "if (t < n) { @; if (t < 8) { @; } }", analysis.GridUniform},
		{"the rest of a branch that all take", "if (n > 3) { if (t < n) { @; } }", analysis.GridUniform},
		{"the rest of a branch that some blocks take", "if (blockIdx.x > 3) { if (t < n) { @; } }", analysis.BlockUniform},
		{"a barrier behind it", "if (t < n) { @; } @;", analysis.ThreadVarying},
		{"shared memory behind it", "if (t < n) { @; } a[t] = s[0];", analysis.ThreadVarying},
		{"a barrier behind the branch around it", "if (n > 3) { if (t < n) { @; } } @;", analysis.ThreadVarying},
		{"barriers in both branches", "if (t < n) { @; } else { @; }", analysis.ThreadVarying},
		{"shared memory in the other branch", "if (t < n) { @; } else a[t] = s[0];", analysis.ThreadVarying},
		{"a loop around it", "for (int i = 0; i < n; i++) if (t < n) { @; }", analysis.ThreadVarying},
		{"a loop inside that threads leave", "if (t < n) { for (int i = 0; i < t; i++) { @; } }", analysis.ThreadVarying},
		{"a condition on shared memory", "if (s[t]) { @; }", analysis.ThreadVarying},
	} {
		t.Run(c.name, func(t *testing.T) {
			k := kerneltest.First(t, "__global__ void k(int *a, int n) { __shared__ int s[32]; int t = threadIdx.x; "+barrierText(c.body)+" }\nvoid run(int *a, int n) { k<<<2 * n, 32>>>(a, n); }")
			got := analysis.GridUniform
			for _, b := range k.Barriers {
				got = max(got, b.Among)
			}
			assert.Equal(t, c.want, got)
		})
	}
}
