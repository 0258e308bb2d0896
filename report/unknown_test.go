package report_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/report"
)

func parsed(t *testing.T, src string) *parser.Program {
	t.Helper()
	f, err := parser.Parse("k.cu", []byte(src), parser.Options{})
	require.NoError(t, err)
	return parser.NewProgram([]*parser.File{f}, parser.Options{})
}

func TestAKernelWithoutAShapeSaysWhy(t *testing.T) {
	for src, want := range map[string]string{
		"__global__ void k() {}": "no launch in view tells its block shape",
		"__global__ void k() {}\nvoid run(int n) { k<<<1, n>>>(); }": "the block shapes of its launches are computed at run time",
	} {
		kernels := analysis.NewProgram(parsed(t, src), [3]int{}).Kernels()
		require.Len(t, kernels, 1)
		assert.Equal(t, want, report.WhyNoShape(kernels[0]))
	}
}

func TestKernelsThatAreLostAreUnknownWhereTheyAreAskedFor(t *testing.T) {
	prog := parsed(t, "#define BODY(N) __global__ void N(int *a) { }\n__global__ void good() {}\nBODY(made)\n")
	all := report.Unparsed(prog, func(string) bool { return true })
	require.Len(t, all, 1)
	assert.Equal(t, "made", all[0].Name)
	assert.Equal(t, 3, all[0].Position.Line)
	assert.NotEmpty(t, all[0].Why)
	assert.Empty(t, report.Unparsed(prog, func(string) bool { return false }))
}
