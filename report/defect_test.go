package report

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/passes"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/lab/cudatest"
	"github.com/smux-cuda/smux/pipeline/selection"
	"github.com/smux-cuda/smux/rewrite"
)

// TestADefectLeavesTheReportOfOtherKernels: what is told of one kernel panics.
func TestADefectLeavesTheReportOfOtherKernels(t *testing.T) {
	prog := passes.NewProgram(cudatest.Program(t, "a.cu", "__global__ void bad(float *a) {\n"+shared+"}\n__global__ void good(float *a) {\n"+shared+"}\nvoid f(float *a) { bad<<<1, 64>>>(a); good<<<1, 64>>>(a); }\n"), [3]int{})
	p := Analyze(prog, prog.Kernels(), rewrite.Options{}, func(at diag.Position) *selection.Report {
		if at.Line == 1 {
			panic("no model")
		}
		return nil
	}, func(string) bool { return true })
	require.Len(t, p.Kernels, 2)
	require.Len(t, p.Kernels[0].Hazards, 1)
	assert.Equal(t, analysis.CodeInternal, p.Kernels[0].Hazards[0].Code)
	assert.Contains(t, p.Kernels[0].Hazards[0].Text, "no model")
	assert.Empty(t, p.Kernels[1].Hazards)
	assert.Len(t, p.Kernels[1].Regions, 1)
}
