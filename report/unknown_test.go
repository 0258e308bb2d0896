package report_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/lab/cudatest"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/report"
)

func parsed(t *testing.T, src string) *parser.Program {
	t.Helper()
	return cudatest.Program(t, "k.cu", src)
}

func TestKernelsThatAreLostAreUnknownWhereTheyAreAskedFor(t *testing.T) {
	prog := parsed(t, "#define BODY(N) __global__ void N##+(int *a) { }\n__global__ void good() {}\nBODY(made)\n")
	all := report.Unparsed(prog, func(string) bool { return true })
	require.Len(t, all, 1)
	assert.Empty(t, all[0].Name, "## gives no name")
	assert.Equal(t, 3, all[0].Position.Line)
	assert.NotEmpty(t, all[0].Why)
	assert.Empty(t, report.Unparsed(prog, func(string) bool { return false }))
}
