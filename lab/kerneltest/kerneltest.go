// Package kerneltest analyses kernels that tests write.
package kerneltest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/passes"
	"github.com/smux-cuda/smux/lab/cudatest"
)

// All analyses the kernels of one file; there is one at least.
func All(t testing.TB, src string) []*analysis.Kernel {
	t.Helper()
	kernels := passes.NewProgram(cudatest.Program(t, "k.cu", src), [3]int{}).Kernels()
	require.NotEmpty(t, kernels)
	return kernels
}

// First analyses the first kernel of one file.
func First(t testing.TB, src string) *analysis.Kernel {
	t.Helper()
	return All(t, src)[0]
}

// Only analyses the one kernel of one file.
func Only(t testing.TB, src string) *analysis.Kernel {
	t.Helper()
	kernels := All(t, src)
	require.Len(t, kernels, 1)
	return kernels[0]
}
