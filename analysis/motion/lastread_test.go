package motion_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/analysis/motion"
	"github.com/smux-cuda/smux/lab/kerneltest"
)

// TestStatementsThatCanRunBehindARegion: each text ends a region; the statements that
// can run when the turn is over are those after the mark.
func TestStatementsThatCanRunBehindARegion(t *testing.T) {
	checkLate(t, false, []lateCase{
		{"adds to global memory", "| g[t] += s[63 - t];"},
		{"loads global memory", "| g[t] = s[63 - t] * h[t];"},
		{"loads nothing", "g[t] = s[63 - t];"},
		{"loads nothing, before one that does", "g[t] = s[63 - t]; | g[t] += s[t];"},
		{"loads nothing, behind one that does", "| g[t] += s[63 - t]; g[t + 1] = s[t];"},
		{"a scalar", "| g[t] += one;"},
		{"an array by its name", "g[t] += *s;"},
		{"under a condition of the thread", "| if (t < n) g[t] += s[t];"},
		{"under a condition that memory decides", "if (h[t] < n) g[t] += s[t];"},
		{"under a condition that shared memory decides", "if (s[t] < n) g[t] += s[t];"},
		{"with another branch", "if (t < n) g[t] += s[t]; else g[t] = 0;"},
		{"two statements under a condition", "if (t < n) { g[t] += s[t]; g[t + 1] += s[t + 1]; }"},
		{"read under a condition in the statement", "g[t] += t < n ? s[t] : 0;"},
		{"read under a condition, one that is not", "g[t] += x > 0 && s[t] > 0;"},
		{"a subscript that memory decides", "g[t] += s[p[t]];"},
		{"a subscript that the statement before sets", "x += g[t]; i = h[t]; | g[t] += s[i];"},
		{"a subscript that the one before it sets, by a shared element", "i = p[t] + (int)s[t]; | g[t] += s[i];"},
		{"a condition that the one before it sets", "i = p[t] + (int)s[t]; | if (i < n) g[t] += s[t];"},
		{"a value that the one before it sets", "| x = g[t] + s[t]; g[t + 1] = x * s[t + 1];"},
		{"a store to shared memory", "s[t] = g[t]; x += s[t]; u[t] = x * s[t];"},
		{"an atomic operation", "atomicAdd(&g[t], s[t] * h[t]);"},
		{"an atomic operation between", "g[t] += s[t]; atomicAdd(&g[0], 1); | g[t] += s[t + 1];"},
		{"a fence between", "g[t] += s[t]; __threadfence(); | g[t + 1] += s[t + 1];"},
		{"a barrier between", "g[t] += s[t]; __syncthreads(); | g[t + 1] += s[t + 1];"},
		{"volatile global memory", "v[t] += s[t];"},
		{"where the element is", "g[t] += *(float *)&s[t];"},
		{"an element as another type", "g[t] += reinterpret_cast<int &>(s[t]);"},
		{"two elements at once", "g[t] += (*(float2 *)(s + 2 * t)).x;"},
		{"an unknown function", "g[t] += f(s[t]);"},
		{"a function of mathematics", "| g[t] += sqrtf(s[t]);"},
		{"a variable that others may change", "*q = t; g[t] += s[j];"},
	})
}

// TestAllStatementsThatCanRunBehindARegion: the same where a statement need not load anything
// for that, and loops count.
func TestAllStatementsThatCanRunBehindARegion(t *testing.T) {
	checkLate(t, true, []lateCase{
		{"loads nothing", "| g[t] = s[63 - t];"},
		{"loads nothing, before one that does", "| g[t] = s[63 - t]; g[t] += s[t];"},
		{"under a condition", "| if (t == 0) g[t] = s[0];"},
		{"a loop", "| for (int k = 0; k < 4; ++k) g[t + k] = s[t + k];"},
		{"a loop of steps, and what follows", "| for (int k = 0; k < 8; k += 2) { g[t + k] = s[t + k] * u[t]; } g[t] = s[t];"},
		{"a loop that sums", "| for (int k = 0; k < 4; ++k) x += s[t + k];"},
		{"a loop of two statements", "for (int k = 0; k < 4; ++k) { x += s[t + k]; g[t + k] = s[k]; }"},
		{"a loop of too many reads", "for (int k = 0; k < 64; ++k) g[t + k] = s[t + k];"},
		{"a loop that may not run", "for (int k = 0; k < n; ++k) g[t + k] = s[t + k];"},
		{"a loop that does not begin at nothing", "for (int k = 1; k < 5; ++k) g[t + k] = s[t + k];"},
		{"a loop under another pragma", "\n#pragma unroll 2\nfor (int k = 0; k < 4; ++k) g[t + k] = s[t + k];"},
		{"a subscript that an earlier iteration sets", "for (int k = 0; k < 4; ++k) i = s[i + k];"},
		{"a subscript that a loop sets for what follows", "for (int k = 0; k < 4; ++k) i = s[t + k]; | g[t] = s[i];"},
		{"a store to shared memory", "for (int k = 0; k < 4; ++k) s[t] = s[t + k]; | g[t] = s[t];"},
		{"a barrier between", "for (int k = 0; k < 4; ++k) g[t + k] = s[t + k]; __syncthreads(); | g[t + 1] = s[t + 1];"},
	})
}

type lateCase struct{ name, text string }

// checkLate expects the statements after a mark to be those that can run late.
func checkLate(t *testing.T, all bool, cases []lateCase) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			text := strings.Replace(c.text, "| ", "", 1)
			k := kerneltest.Only(t, `
__device__ float f(float x) { return x; }
__global__ void k(float *g, const float *h, const int *p, volatile float *v, int n) {
    __shared__ float s[128], u[64], one;
    const int t = threadIdx.x; int i = t, j = 0; int *q = &j; float x = 0;
    s[t] = h[t]; s[t + 64] = 0; if (t == 0) one = h[0];
    __syncthreads();
    `+text+`
    if (i < 0) g[i] = x;
}
void run(float *g) { k<<<8, 64>>>(g, g, 0, g, 3); }
`)
			require.Empty(t, k.Hazards)
			last := k.Regions[len(k.Regions)-1]
			var got []string
			for _, l := range motion.LateStatements(k, last, all) {
				got = append(got, string(k.File.Src[l.Stmt.Range.Start:l.Stmt.Range.End]))
			}
			_, want, _ := strings.Cut(c.text, "| ")
			assert.Equal(t, want, strings.Join(got, " "))
		})
	}
}
