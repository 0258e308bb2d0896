package combine_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/lab/combine"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/rewrite/variant"
)

// TestEveryRewriterIsCombined: all rewriters are there, in all their sync modes,
// each way once, and no knob is set that a rewriter does not have.
func TestEveryRewriterIsCombined(t *testing.T) {
	for _, values := range []combine.Values{combine.Usual, combine.Full} {
		seen := map[rewrite.Variant]bool{}
		modes := map[[2]string]bool{}
		for _, w := range values.Ways() {
			assert.False(t, seen[w], "%s comes twice", w)
			seen[w], modes[[2]string{w.Rewriter, w.Sync}] = true, true
		}
		for _, r := range rewrite.Rewriters {
			if r.Searched {
				continue
			}
			for _, sync := range r.Syncs {
				assert.True(t, modes[[2]string{r.Name, sync}], "%s %s", r.Name, sync)
			}
			for w := range seen {
				if w.Rewriter == r.Name {
					assert.True(t, w.SharedSets == 0 || r.Has(variant.KnobSharedSets), "%s", w)
					assert.True(t, w.PrivateRows == 0 || r.Has(variant.KnobPrivateRows), "%s", w)
					assert.True(t, w.Stage == 0 || r.Has(variant.KnobStage), "%s", w)
					assert.True(t, w.GridAxis == "" || r.Has(variant.KnobGridAxis), "%s", w)
					for _, knob := range variant.Switches() {
						assert.True(t, !*w.Switch(knob) || r.Has(knob), "%s", w)
					}
				}
			}
		}
	}
}

// TestEqualTextsAreOneForm: what vtb with a lock and dyn with one set emit
// differs in a remark only, and is one form; every refused variant has a code.
func TestEqualTextsAreOneForm(t *testing.T) {
	prog, errs := parser.LoadProgram([]string{"../../examples/mm/mm.cu"}, parser.Options{})
	require.Empty(t, errs)
	ways := []rewrite.Variant{
		{Rewriter: "vtb", Sync: "lock", Factor: 4}, {Rewriter: "dyn", Sync: "lock", Factor: 4, SharedSets: 1},
		{Rewriter: "vtb", Sync: "block", Factor: 2}, {Rewriter: "vtb", Sync: "block", Factor: 8},
	}
	trial, err := combine.Try(prog, ways, rewrite.Options{})
	require.NoError(t, err)
	require.Len(t, trial.Forms, 2)
	assert.Equal(t, ways[:2], trial.Forms[0].Ways)
	assert.Equal(t, ways[2:3], trial.Forms[1].Ways)
	assert.Equal(t, "4 ways tried, 3 accepted with 2 different texts, 1 refused: block-too-large 1", trial.String())
}
