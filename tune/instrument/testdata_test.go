package instrument

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/passes"
	"github.com/smux-cuda/smux/lab/cudatest"
)

// everywhere launches kernels in each place that a launch may stand in.
var everywhere = func() string {
	text, err := os.ReadFile("testdata/everywhere.cu")
	if err != nil {
		panic(err)
	}
	return string(text)
}()

// kernelOf parses a text and returns its kernel of that name.
func kernelOf(t *testing.T, text, name string) *analysis.Kernel {
	t.Helper()
	prog := passes.NewProgram(cudatest.Program(t, "p.cu", text), [3]int{})
	for _, k := range prog.Kernels() {
		if k.Name == name {
			return k
		}
	}
	require.Fail(t, "no such kernel", name)
	return nil
}
