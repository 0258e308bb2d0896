package passes_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/analysis/launches"
	"github.com/smux-cuda/smux/analysis/passes"
	"github.com/smux-cuda/smux/lab/cudatest"
)

func TestAKernelWithoutAShapeSaysWhy(t *testing.T) {
	for src, want := range map[string]string{
		"__global__ void k() {}":                                     "no launch in view tells its block shape",
		"__global__ void k() {}\nvoid run(int n) { k<<<1, n>>>(); }": "the block shapes of its launches are computed at run time",
	} {
		kernels := passes.NewProgram(cudatest.Program(t, "k.cu", src), [3]int{}).Kernels()
		require.Len(t, kernels, 1)
		assert.Equal(t, want, launches.WhyNoShape(kernels[0]))
	}
}
