package motion_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/analysis/motion"
	"github.com/smux-cuda/smux/lab/kerneltest"
)

// TestWhatARegionComputesFirst: each text begins a region; wanted is how many stores of which
// statements can be computed before the first is made, in how many registers each.
func TestWhatARegionComputesFirst(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       string
	}{
		{"a loop", "for (int i = t; i < 256; i += 64) s[i] = a[i] * 2;", "4"},
		{"a loop that some threads leave before others", "for (int i = t; i < 200; i += 64) s[i] = a[i] * 2;", "4 or fewer"},
		{"one whose condition may hold again", "for (int i = t; (i & 127) < 100; i += 64) s[i] = a[i] * 2;", ""},
		{"a loop of more than one store", "for (int i = t; i < 256; i += 64) { const float v = a[i]; s[i] = v * v; u[i] = v + 1; }", "4 4"},
		{"a loop in a loop", "for (int i = t; i < 256; i += 64) { float v = 0; for (int j = 0; j < n; ++j) v += a[i + j]; s[i] = v; }", "4"},
		{"two loops, and what is between", "for (int i = t; i < 256; i += 64) s[i] = a[i] * 2; float v = a[t]; u[t] = v * n; for (int i = t; i < 128; i += 64) u[i] = a[i + n];", "4 1 2"},
		{"an assignment of arithmetic", "s[t] = x * 2;", "1"},
		{"copies and loads alone, which move anyway", "s[t] = x; u[t] = a[t];", ""},
		{"a loop of loads alone, which move anyway", "for (int i = 0; i < 4; ++i) s[i * 64 + t] = a[i * 64 + t];", ""},
		{"zeros", "for (int i = t; i < 256; i += 64) s[i] = 0;", ""},
		{"a loop of too many trips", "for (int i = t; i < 256 * 64; i += 64) s[i % 256] = a[i] * 2;", ""},
		{"a loop of unknown trips", "for (int i = t; i < n; i += 64) s[i] = a[i] * 2;", ""},
		{"a loop that reads shared memory", "for (int i = t; i < 256; i += 64) s[i] = a[i] * u[t];", ""},
		{"a subscript from the body", "for (int i = t; i < 256; i += 64) { int j = i ^ 3; s[j] = a[i] * 2; }", ""},
		{"a subscript that is loaded", "for (int i = t; i < 256; i += 64) s[at[i]] = a[i] * 2;", ""},
		{"a store in a branch", "for (int i = t; i < 256; i += 64) if (i > n) s[i] = a[i] * 2;", ""},
		{"a trip cut short", "for (int i = t; i < 256; i += 64) { if (i == n) continue; s[i] = a[i] * 2; }", ""},
		{"a store to global memory", "for (int i = t; i < 256; i += 64) { a[i] = i; s[i] = a[i + n] * 2; }", ""},
		{"a store through a pointer of its own", "for (int i = t; i < 256; i += 64) { float *p = a + i; *p = i; s[i] = a[i] * 2; }", ""},
		{"a variable from outside", "for (int i = t; i < 256; i += 64) { x += a[i]; s[i] = x * 2; }", ""},
		{"a barrier", "for (int i = t; i < 256; i += 64) { s[i] = a[i] * 2; __syncthreads(); }", ""},
		{"an atomic", "for (int i = t; i < 256; i += 64) { float v = atomicAdd(a, 1.0f); s[i] = v; }", ""},
		{"a volatile load", "for (int i = t; i < 256; i += 64) s[i] = w[i] * 2;", ""},
		{"a counter of unknown type", "for (auto i = t; i < 256; i += 64) s[i] = a[i] * 2;", ""},
		{"a sum", "s[t] = x * 2; for (int i = t; i < 256; i += 64) s[i] += a[i] * 2;", "1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			k := kerneltest.Only(t, `
__global__ void k(float *a, const int *at, const volatile float *w, int n, float x) {
    __shared__ float s[256], u[256];
    const int t = threadIdx.x;
    `+c.text+`
    __syncthreads();
    a[t] = s[63 - t] + u[t ^ 1];
}
void run(float *a) { k<<<8, 64>>>(a, 0, a, 3, 1); }
`)
			require.NotEmpty(t, k.Regions)
			all, last := motion.ComputedStores(k, k.Regions[0])
			got := ""
			for _, s := range all {
				for range s.Stores {
					got += fmt.Sprintf(" %d", max(1, s.Trips))
				}
				if s.Uneven {
					got += " or fewer"
				}
			}
			if c.want != "" {
				c.want = " " + c.want
			}
			assert.Equal(t, c.want, got)
			assert.Equal(t, c.want == "", last == nil)
		})
	}
}
