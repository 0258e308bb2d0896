package named

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/passes"
	"github.com/smux-cuda/smux/lab/cudatest"
	"github.com/smux-cuda/smux/parser"
)

func programOf(t *testing.T, src string) *analysis.Program {
	return passes.NewProgram(cudatest.Program(t, "k.cu", src), [3]int{})
}

// TestAChangedProgramIsReadOnce: variants of two steps take turns with
// a few first steps, and none of these is read again, as long as they are small.
func TestAChangedProgramIsReadOnce(t *testing.T) {
	p := programOf(t, "__global__ void k() {}\n")
	f := p.Parsed.Files[0]
	text := func(name string, size int) []byte {
		return []byte("__global__ void " + name + "() {}\n//" + strings.Repeat("x", size) + "\n")
	}
	with := func(text []byte) *analysis.Program {
		q, err := p.With(f, text)
		require.NoError(t, err)
		return q
	}
	one, two := with(text("k", 1)), with(text("k", 2))
	assert.Same(t, one, with(text("k", 1)))
	assert.Same(t, two, with(text("k", 2)))
	large := with(text("k", analysis.KeptText))
	assert.Same(t, large, with(text("k", analysis.KeptText)), "the last one is kept, however large")
	assert.NotSame(t, one, with(text("k", 1)), "what is kept has a limit")
}

func TestDeclarationsAreThoseOfTheKernel(t *testing.T) {
	p := programOf(t, "__global__ void k(int);\n__global__ void other(int);\n__global__ void k(int n) {}\n__global__ void k(int m);\n")
	var lines []int
	Declarations(p.Kernels()[0], func(f *parser.File, fn *parser.Function) { lines = append(lines, f.Position(fn.Start).Line) })
	assert.Equal(t, []int{1, 4}, lines)
}
