package pipeline

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/passes"
	"github.com/smux-cuda/smux/internal/console"
	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/nvcc"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/pipeline/resources"
	"github.com/smux-cuda/smux/rewrite"
)

// jobOf is a job for the texts of an example, on a GPU with little shared memory; what
// it says goes to the second result.
func jobOf(t *testing.T, glob string, opt rewrite.Options) (*Job, *bytes.Buffer) {
	t.Helper()
	names, err := filepath.Glob(glob)
	require.NoError(t, err)
	require.NotEmpty(t, names)
	var files []*parser.File
	for _, name := range names {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		f, err := parser.Parse(name, text, parser.Options{})
		require.NoError(t, err)
		files = append(files, f)
	}
	gpus, err := gpu.Default().Lookup("gtx480@16")
	require.NoError(t, err)
	var said bytes.Buffer
	return &Job{
		Console: console.New(strings.NewReader(""), &said, &said), Program: parser.NewProgram(files, parser.Options{}), Options: opt,
		Ask:      Ask{GPUs: func(bool) ([]*gpu.GPU, error) { return []*gpu.GPU{gpus}, nil }, Resources: resources.Estimate, MinGain: 5},
		FindNVCC: func() (*nvcc.Toolkit, error) { return nil, &nvcc.MissingError{Tool: "nvcc"} }, Rewrite: rewrite.RunAnalysed,
	}, &said
}

// countAnalyses counts how often the first pass looks at a kernel until the test ends.
func countAnalyses(t *testing.T) *int {
	n := new(int)
	first := passes.All[0]
	counting := *first
	counting.Run = func(k *analysis.Kernel) {
		if k.Prog.Given == nil { // to see what a rewrite rests on
			*n++
		}
		first.Run(k)
	}
	passes.All[0] = &counting
	t.Cleanup(func() { passes.All[0] = first })
	return n
}

func TestAProgramIsAnalysedOnce(t *testing.T) {
	for name, opt := range map[string]rewrite.Options{
		"the model chooses": {},
		"a person chooses":  {Variant: rewrite.Variant{Rewriter: "vtb"}},
		"rows are split":    {Variant: rewrite.Variant{Rewriter: "co-vtb"}},
	} {
		t.Run(name, func(t *testing.T) {
			analyses := countAnalyses(t)
			j, said := jobOf(t, "../examples/fft/*.cu", opt)
			done, err := j.Rewritten(Reduction{}, true, nil)
			require.NoError(t, err)
			_, err = done.Survey()
			require.NoError(t, err)
			assert.NotEmpty(t, done.Result.Kernels, said)
			looks := len(done.Result.Kernels)
			if opt.Rewriter == "" {
				// The model asks what a kernel with its exchanges in rounds takes, and coarsened ones, and what
				// is chosen is of two steps: the second reads what the first has left.
				looks *= 5
			}
			assert.Equal(t, looks, *analyses, "one look at each kernel")
		})
	}
}
