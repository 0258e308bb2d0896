package liveness_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/analysis/summary"
	"github.com/smux-cuda/smux/lab/kerneltest"
)

// TestWhatNobodyWroteYetIsNotLive: each body reads elements that it is not proved
// to write before. Where nothing has used the array before that is no value, and
// regions are found inside of the statement; where something has, it may be one.
func TestWhatNobodyWroteYetIsNotLive(t *testing.T) {
	const partly = "if (threadIdx.x < n) s[threadIdx.x] = g[threadIdx.x]; __syncthreads(); sum += s[m];"
	const later = " sum *= 2; out[0] = sum;"
	for _, c := range []struct {
		name, body string
		lines      [][2]int // of each region, from the body's first line on
	}{
		{"in a branch", "if (n > 0) {\n" + partly + "\n" + later + "\n}", [][2]int{{2, 2}}},
		{"in a branch, used before it", "s[threadIdx.x] = 0;\nif (n > 0) {\n" + partly + "\n" + later + "\n}", [][2]int{{1, 5}}},
		{"in a branch, another array used before it", "u[threadIdx.x] = 0;\nif (n > 0) {\n" + partly + "\n" + later + "\n}", [][2]int{{1, 1}, {3, 3}}},
		{"in a branch, its address taken before it", "float *p = s;\nif (n > 0) {\n" + partly + "\n" + later + "\n}", [][2]int{{3, 3}}},
		{"in the other branch, too", "if (n > 0) {\n" + partly + "\n" + later + "\n} else {\n" + partly + "\n}", [][2]int{{2, 2}, {5, 5}}},
		{"two phases of two arrays", "u[threadIdx.x] = g[threadIdx.x]; __syncthreads(); sum += u[m];\n" + partly, [][2]int{{1, 1}, {2, 2}}},
		{"two phases of one array", "s[threadIdx.x] = g[threadIdx.x]; __syncthreads(); sum += s[m];\n" + partly, [][2]int{{1, 2}}},
		{"in a loop, whose iterations follow each other", "for (int i = 0; i < n; i++) {\n" + partly + "\n" + later + "\n}", [][2]int{{1, 4}}},
		{"behind a use in a loop", "for (int i = 0; i < n; i++) {\nif (i > 0) {\n" + partly + "\n}\n" + later + "\n}", [][2]int{{1, 6}}},
		{"in a loop, of an array that is used behind it alone", "for (int i = 0; i < n; i++) {\nu[threadIdx.x] = g[i]; __syncthreads(); sum += u[threadIdx.x];\n" + later + "\n}\n" + partly, [][2]int{{2, 2}, {5, 5}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			k := kerneltest.Only(t, fmt.Sprintf(`__global__ void k(const float *g, float *out, int n, int m) { __shared__ float s[256], u[256]; float sum = 0;
%s
    out[threadIdx.x] = sum;
}
`, c.body))
			require.Empty(t, k.Hazards)
			var lines [][2]int
			for _, r := range summary.Report(k).Regions {
				lines = append(lines, [2]int{r.StartLine - 1, r.EndLine - 1})
			}
			assert.Equal(t, c.lines, lines)
		})
	}
}
