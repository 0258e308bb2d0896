package pipeline

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

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

func TestAVariantThatChangesNothingIsNone(t *testing.T) {
	job, _ := jobOf(t, "../examples/mm/mm.cu", rewrite.Options{Kernels: []string{"none"}})
	got, result, err := job.Variant(verify.NewProgram(job.Program, job.Parse))
	require.NoError(t, err)
	assert.Empty(t, got)
	assert.Empty(t, result.Files)
}
