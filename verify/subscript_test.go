package verify

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/parser"
)

// TestSubscriptsThatLeaveAWholeArrayCount: of each line the bracket in front of /**/ closes a subscript of an array of the type after
// it, which "counts" or not. g++ names the bracket; from a place before it, the type tells the same where it can.
func TestSubscriptsThatLeaveAWholeArrayCount(t *testing.T) {
	const text = `__device__ float table[4];
struct box { int n; float v[3][2]; float last; };
__global__ void k(box *all, int i, float *out) {
    float a[4], m[4][5];
    __shared__ float s[4];
    out[0] = a[i]/**/; // float [4]: counts
    out[0] = table[out[i] > 0 ? i : 0]/**/; // float [4]: counts
    out[0] = m[i]/**/[0]; // float [4][5]: counts
    out[0] = m[0][i]/**/; // float [5]: goes on in the next row
    const float *row = m[i]/**/; // float [4][5]: counts
    out[0] = all[i].v[i]/**/[1]; // float [3][2]: counts
    out[0] = all->v[0][i]/**/; // float [2]: goes on in the next row
    out[0] = s[i]/**/; // float [4]: is looked at otherwise
    a[int(m[0][i])]/**/ = 1; // float [4]: counts
    a[int(m[0][i]/**/)] = 1; // float [5]: goes on in the next row
}
`
	f, err := parser.Parse("k.cu", []byte(text), parser.Options{})
	require.NoError(t, err)
	seen := 0
	for i, line := range strings.Split(text, "\n") {
		if _, comment, told := strings.Cut(line, " // "); told {
			typ, want, _ := strings.Cut(comment, ": ")
			at := diag.Position{File: "k.cu", Line: i + 1, Column: strings.Index(line, "/**/")}
			assert.Equal(t, want == "counts", leavesArray(f, at, typ), line)
			seen++
		}
	}
	assert.Equal(t, 10, seen)
	within := func(line, column int, typ string) bool {
		return leavesArray(f, diag.Position{File: "k.cu", Line: line, Column: column}, typ)
	}
	assert.True(t, within(6, 15, "float [4]"))
	assert.True(t, within(8, 14, "float [4][5]"))
	assert.False(t, within(9, 14, "float [5]"))
	assert.False(t, within(2, 30, "float [3][2]"), "outside of functions")
}
