package validate_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/validate"
)

// The compiler is told the shape of blocks that launches have, and none else; where a launch's is not known, that is
// assumed, and said.
func TestTheCompilerIsToldTheTruth(t *testing.T) {
	const text = `
__global__ void k(float *a)
{
    __shared__ float s[64];
    s[threadIdx.y * blockDim.x + threadIdx.x] = a[threadIdx.x];
    __syncthreads();
    a[threadIdx.x] = s[threadIdx.x];
}
void run(float *a) { k<<<9, dim3(16, 4)>>>(a); }
`
	old := program(t, text)
	res, err := rewrite.Run(old, rewrite.Options{Variant: rewrite.Variant{Rewriter: "assume-shape"}})
	require.NoError(t, err)
	require.Len(t, res.Files, 1)
	right := string(res.Files[0].After)
	for _, c := range []struct {
		name, old, new string
		shown          bool
		assumed        string
	}{
		{"as it is", "", "", true, ""},
		{"fewer threads along x", "threadIdx.x < 16", "threadIdx.x < 8", false, ""},
		{"fewer threads along y", "threadIdx.y < 4", "threadIdx.y < 2", false, ""},
		{"more threads than there are", "threadIdx.x < 16", "threadIdx.x < 32", true, ""},
		{"other blocks", "blockDim.x == 16", "blockDim.x == 32", false, ""},
		{"something else", "threadIdx.x < 16", "threadIdx.x < a[0]", false, ""},
		{"of another variable", "blockDim.x == 16", "gridDim.x == 16", false, ""},
		{"a launch that is not followed", "dim3(16, 4)", "dim3(16, int(a[0]))", true, "every launch has blocks of 16x4 threads"},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.Contains(t, right, c.old)
			was := old
			if strings.HasPrefix(c.old, "dim3") {
				was = program(t, strings.Replace(text, c.old, c.new, 1))
			}
			r := validate.Programs(was, program(t, strings.Replace(right, c.old, c.new, 1)))
			assert.Equal(t, c.shown, r.Proved(), doubts(r)+right)
			said := ""
			for _, k := range r.Kernels {
				for _, o := range k.Shown {
					said += o.Assumes
				}
			}
			if c.shown {
				assert.Equal(t, c.assumed, said)
			}
		})
	}
}
