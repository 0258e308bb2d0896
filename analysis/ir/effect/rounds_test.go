package effect_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/smux-cuda/smux/analysis/ir"
)

// TestLoopsThatWait: a loop goes on by what others write, in all of its rounds or in some.
func TestLoopsThatWait(t *testing.T) {
	const view = `
struct Two { int a, b; };
struct Flag { int *p; __device__ int get() const { return *p; } };
__device__ int up;
__device__ int look(int *p) { return p[0]; }
__device__ void fetch(int *p, int *v) { *v = p[0]; }
__device__ void refer(int *p, int &v) { v = p[0]; }
__device__ int next(const int *p, int i) { return p[i]; }
__device__ int most(int *p, int x) { return atomicMax(p, x); }
`
	for _, c := range []struct {
		body  string
		waits bool
	}{
		{"while (*flag == 0) out[5]++;", true},
		{"int v = 0; while (v == 0) { __threadfence(); v = flag[0]; }", true},
		{"int v; do { v = flag[0]; __threadfence(); } while (!v);", true},
		{"for (;;) { const int v = flag[0]; if (v) break; }", true},
		{"int v = 0; for (;;) { v = flag[0]; if (v) return; }", true},
		{"int v = 0; while (v == 0) { const int now = flag[0]; v = now; }", true},
		{"int v = 0, w = 0; while (v == 0) { v = w; w = *flag; }", true},
		{"bool up = false; while (!up) if (flag[0] == 1) up = true;", true},
		{"while (true) { if (look(flag)) break; }", true},
		{"int v = 0; while (v == 0) fetch(flag, &v);", true},
		{"int v = 0; while (v == 0) refer(flag, v);", true},
		{"int v = 0, n = 0; while (v == 0) { v = flag[0]; n++; } out[0] = n;", true},
		{"int v = 0; while (v == 0) { out[5]++; v = flag[0]; }", true},
		{"int v = 0; for (; v == 0; v = flag[0]) __threadfence();", true},
		{"Two v = {0, 0}; while (!v.a) v.a = *flag;", true},
		{"Two v = {0, 0}; while (!v.a) v = *(Two *)flag;", true},
		{"int v = 0; while (!v) v |= *flag;", true},
		{"int v = 0; while (v < 1) v += *flag;", true},
		{"int v = 0; while (v < 1) v = max(v, *flag);", true},
		{"Flag f = {flag}; while (!f.get()) __threadfence();", true},
		{"while (up == 0) __threadfence();", true},
		{"int v = 0; auto get = [&]() { v = flag[0]; }; while (v == 0) get();", true},
		{"int v = 0; while (v == 0) memcpy(&v, flag, 4);", true},
		{"int up = 0, k = n; while (!up && k >= 0) { int s = flag[k]; if (s == 2) up = 1; else if (s == 1) k--; }", true},
		{"int up = 0, k = n, s; while (!up && k >= 0) { s = flag[k]; if (s == 2) up = 1; else if (s == 1) k--; }", true},
		{"int k = n; while (k >= 0) { int s = flag[k]; if (s == 0) continue; if (s == 2) break; k--; }", true},
		{"int k = 0; while (k < n) { if (flag[k]) k++; }", true},
		{"int k = 0; while (k < n) { while (flag[k]) k++; }", true},
		{"int k = 0; while (k < n) k += flag[k] != 0;", true},
		{"int k = 0; while (k < n) { const int f = flag[k]; k = f ? k + 1 : k; }", true},
		{"int k = 0, s = 0; while (s < n) { s = k; if (flag[k]) k = flag[k]; }", true},
		{"for (bool go = true; go;) switch (flag[0]) { case 1: go = false; }", true},
		{"bool go = true; while (go) flag[0] ? go = false : 0;", true},
		{"bool go = true; while (go) flag[0] && (go = false);", true},

		{"while (n > 0) n--;", false},
		{"int i = 0; for (; i < 64; i++) { int v = flag[i]; if (v == 3) break; }", false},
		{"for (int i = 0; i < 64; i++) { if (flag[0]) break; }", false},
		{"int v = flag[0]; while (v != 0) v = flag[v];", false},
		{"int v = 0; while (next(flag, v) > v) v = next(flag, v);", false},
		{"int v = 0, p; while (true) { p = flag[v]; if (p == v) break; v = p; }", false},
		{"int lo = 0, hi = n; while (lo < hi) { int m = (lo + hi) / 2; if (flag[m] < n) lo = m + 1; else hi = m; }", false},
		{"int a = flag[0], b = flag[1]; while (b) { int r = a % b; a = b; b = r; }", false},
		{"int i = 0; while (i < 64) { int d = flag[i]; if (d == 0) { i++; continue; } i += d; }", false},
		{"int h = n; while (flag[h] != n) h = (h + 1) % 64;", false},
		{"int i = 0, j = 0; while (i < n && j < n) { if (flag[i] < out[j]) i++; else j++; }", false},
		{"int i; while ((i = atomicAdd(out, 1)) < *flag) out[i + 1] = 0;", false},
		{"for (int old = 0; old < *flag;) old = most(out, n);", false},
		{"int old = *out, seen; do { seen = old; old = atomicCAS(out, seen, max(n, seen)); } while (seen != old);", false},
		{"while (*flag++) ;", false},
		{"for (int i = 0; i < n; i += UNSEEN) if (flag[0]) out[i] = 1;", false},
	} {
		v := read(t, fmt.Sprintf("%s\n__global__ void k(int *flag, int *out, int n) { %s }\n", view, c.body))
		fn := v.function(t, "k")
		waits := fn.Body.Any(func(s *ir.Stmt) bool {
			return s.IsLoop() && v.scope.Idles(fn, s, func(*ir.Expr) bool { return false })
		})
		assert.Equal(t, c.waits, waits, c.body)
	}
}

// TestCallsOfTheFunctionItself: with other arguments it gets on.
func TestCallsOfTheFunctionItself(t *testing.T) {
	for _, c := range []struct {
		call  string
		again bool
	}{
		{"f(p, n)", true},
		{"f(p, n - 1)", false},
		{"f(p + n, n)", false},
		{"g(p, n)", false},
	} {
		v := read(t, fmt.Sprintf("__device__ void g(int *p, int n);\n__device__ void f(int *p, int n) { if (p[0]) %s; }\n", c.call))
		fn := v.function(t, "f")
		assert.Equal(t, c.again, v.scope.Again(fn, fn.Body.List[0].Body.Expr), c.call)
	}
}
