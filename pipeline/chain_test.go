package pipeline

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/rewrite"
)

// TestWhatFollowsARewriteIsToldOfThePersonsFile: bringing registers down is looked for in
// what the first rewrite left, where the kernel stands further down.
func TestWhatFollowsARewriteIsToldOfThePersonsFile(t *testing.T) {
	j, said := jobOf(t, "../examples/mm/*.cu", rewrite.Options{Variant: rewrite.Variant{Rewriter: "vtb", Factor: 2}})
	done, err := j.Rewritten(Reduction{After: true}, false, nil)
	require.NoError(t, err)
	rewritten := 0
	for _, k := range done.Result.Kernels {
		if k.Rewriter == "" {
			continue
		}
		rewritten++
		found := false
		for _, n := range k.Notes {
			if n.Code == "no-nvcc" {
				found = true
				assert.Equal(t, k.Pos, n.Pos, "where the kernel stands in the file, %s", said)
			}
		}
		assert.True(t, found, "%v", k.Notes)
	}
	assert.Positive(t, rewritten)
	assert.Equal(t, "vtb", j.Options.Rewriter, "the job stays what it was")
}

func TestAJobStaysWhatItWasWhereNothingIsRewritten(t *testing.T) {
	j, _ := jobOf(t, "../examples/mm/*.cu", rewrite.Options{Variant: rewrite.Variant{Rewriter: "vtb", Factor: 64}})
	done, err := j.Rewritten(Reduction{After: true}, false, nil)
	require.NoError(t, err)
	assert.Empty(t, done.Result.Files)
	assert.Equal(t, "vtb", j.Options.Rewriter)
	assert.Equal(t, 64, j.Options.Factor)
}
