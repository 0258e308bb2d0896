package hazards_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/passes"
	"github.com/smux-cuda/smux/lab/cudatest"
	"github.com/smux-cuda/smux/lab/hardtext"
)

// TestAKernelThatIsTooDeepHarmsNoOther: it is given up with a place, and a small
// one in the same file is analysed as ever.
func TestAKernelThatIsTooDeepHarmsNoOther(t *testing.T) {
	for _, c := range []struct {
		name string
		text func(int) string
		n    int
	}{
		{"sum", hardtext.Sum, 3000}, {"signs", hardtext.Signs, 3000}, {"choices", hardtext.Choices, 2000}, {"casts", hardtext.Casts, 3000},
		{"members", hardtext.Members, 3000}, {"commas", hardtext.Commas, 2000}, {"assignments", hardtext.Assignments, 2000},
	} {
		t.Run(c.name, func(t *testing.T) {
			src := c.text(c.n) + "__global__ void small(float *a) { __shared__ float t[64]; t[threadIdx.x] = a[0]; __syncthreads(); a[threadIdx.x] = t[1]; }\n"
			ks := passes.NewProgram(cudatest.Program(t, "k.cu", src), [3]int{}).Kernels()
			require.Len(t, ks, 2)
			require.Len(t, ks[0].Hazards, 1)
			assert.Equal(t, analysis.CodeGaveUp, ks[0].Hazards[0].Code)
			assert.Greater(t, ks[0].Hazards[0].Pos.Line, 3)
			assert.True(t, ks[0].Unread())
			assert.Empty(t, ks[1].Hazards)
			assert.Len(t, ks[1].Regions, 1)
		})
	}
}
