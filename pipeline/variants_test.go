package pipeline

import (
	"io"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/internal/console"
	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/verify"
)

func TestAllVariantsAreThoseThatChangeSomething(t *testing.T) {
	job, _ := jobOf(t, "../examples/mm/mm.cu", rewrite.Options{})
	program := verify.NewProgram(job.Program, job.Parse)
	all, err := job.AllVariants(program, false)
	require.NoError(t, err)
	names := map[string]bool{}
	for _, v := range all {
		assert.NotEqual(t, program.Files[0].Text, v.Program.Files[0].Text, v.Name)
		assert.NotEmpty(t, v.Rewritten, v.Name)
		assert.False(t, names[v.Name], "%s twice", v.Name)
		names[v.Name] = true
	}
	assert.Contains(t, names, "vtb named N=2")
	assert.Contains(t, names, "vtb named N=4")
	job.Options.Factor = 4
	four, err := job.AllVariants(program, true)
	require.NoError(t, err)
	assert.Less(t, len(four), len(all))
	for _, v := range four {
		assert.NotContains(t, v.Name, "N=2")
	}
}

func TestADecisionThatChangesNothingIsNoVariant(t *testing.T) {
	job, _ := jobOf(t, "../examples/mm/mm.cu", rewrite.Options{Kernels: []string{"none"}, Variant: rewrite.Variant{Rewriter: "vtb"}})
	done, err := job.Rewritten(Reduction{}, false, nil)
	require.NoError(t, err)
	got, result, err := done.Variant(job.Program, verify.NewProgram(job.Program, job.Parse))
	require.NoError(t, err)
	assert.Empty(t, got)
	assert.Empty(t, result.Files)
}

// TestAVariantIsWhatWasDecided: another launch in view would allow a sync mode that comes first.
func TestAVariantIsWhatWasDecided(t *testing.T) {
	const kernel = "__global__ void k(int *a) {\n    __shared__ int s[64];\n    s[threadIdx.x] = a[threadIdx.x];\n    __syncthreads();\n    a[threadIdx.x] = s[threadIdx.x ^ 1];\n}\n"
	parse := func(text string) *parser.Program {
		f, err := parser.Parse("k.cu", []byte(text), parser.Options{})
		require.NoError(t, err)
		return parser.NewProgram([]*parser.File{f}, parser.Options{})
	}
	alone, run := parse(kernel+"void r(int *a) { k<<<9, 50>>>(a); }\n"), parse(kernel+"void r(int *a) { k<<<9, 64>>>(a); }\n")
	vtb := rewrite.Options{Variant: rewrite.Variant{Rewriter: "vtb"}}
	job := &Job{Console: console.New(nil, io.Discard, io.Discard), Program: alone, Options: vtb, Quiet: true, Rewrite: rewrite.RunAnalysed,
		Ask: Ask{GPUs: func(bool) ([]*gpu.GPU, error) { return gpu.NamedSet(), nil }}}
	there, err := job.On(run).Apply(vtb)
	require.NoError(t, err)
	done, err := job.Rewritten(Reduction{}, false, nil)
	require.NoError(t, err)
	require.NotEqual(t, there.Kernels[0].Variant, done.Result.Kernels[0].Variant, "else the test shows nothing")
	_, result, err := done.Variant(run, verify.NewProgram(run, job.Parse))
	require.NoError(t, err)
	assert.Equal(t, done.Result.Kernels[0].Variant, result.Kernels[0].Variant)
}
