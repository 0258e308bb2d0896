package verify_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/verify"
)

// gridArgs are arguments for an odd grid, whose last launched block is not full
// for any factor, and for one that every factor divides.
var gridArgs = map[string][][]string{
	"cv": {{"3", "2"}, {"4", "1"}}, "fft": {{"3"}, {"4"}}, "hg": {{"3", "2"}, {"4", "2"}}, "mc": {{"3"}, {"4"}}, "mm": {{"3"}, {"4"}},
	"mv": {{"3"}, {"4"}}, "rd": {{"5"}, {"8"}}, "sp": {{"3"}, {"4"}}, "sto": {{"3"}, {"4"}}, "tp": {{"3"}, {"4"}},
}

// otherWays are those with more knobs than an exampleVariant has.
var otherWays = []rewrite.Way{
	{Variant: "stage-loads"}, {Variant: "stage-loads", Stage: 4}, {Variant: "assume-shape"},
	{Variant: "vtb", Sync: "named", Factor: 2, Stage: 4, Assume: true},
}

// TestExamplesAreEqualToTheirRewrites: every variant of every example that
// rewrite offers passes, for odd and even grids, in all orders.
func TestExamplesAreEqualToTheirRewrites(t *testing.T) {
	needCompiler(t)
	if testing.Short() {
		t.Skip("eighty programs are not run with -short")
	}
	for name, args := range gridArgs {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			prog := loadExample(t, name)
			original := oneFile(name, prog.Files[0].Src)
			request := verify.Request{Original: original, Args: args, Timeout: 5 * time.Minute, Jobs: 1}
			variants := []exampleVariant{{"lock", 4, 2}}
			for _, factor := range []int{2, 4} {
				for _, sync := range rewrite.Syncs {
					variants = append(variants, exampleVariant{sync, factor, 0})
				}
			}
			var ways []rewrite.Way
			for _, v := range variants {
				ways = append(ways, v.options().Way)
			}
			for _, way := range append(ways, otherWays...) {
				res, err := rewrite.Run(prog, rewrite.Options{Way: way})
				require.NoError(t, err)
				if len(res.Files) > 0 {
					request.Variants = append(request.Variants, verify.Variant{Name: way.String(), Program: oneFile(name, res.Files[0].After)})
				}
			}
			for _, w := range []rewrite.Way{{Variant: "merge", Sync: "named", Factor: 2}, {Variant: "merge", Sync: "block", Factor: 4, Merge: "y"}} {
				res, err := rewrite.Run(prog, rewrite.Options{Way: w})
				require.NoError(t, err)
				if len(res.Files) > 0 {
					request.Variants = append(request.Variants, verify.Variant{Name: w.String(), Program: oneFile(name, res.Files[0].After)})
				}
			}
			require.NotEmpty(t, request.Variants, "no variant is offered")
			verdict, err := verify.Run(context.Background(), request)
			require.NoError(t, err)
			assert.Empty(t, verdict.Failures)
			for _, f := range verdict.Findings {
				assert.NotEqual(t, verify.Counts, f.Severity, "%s: %s", f.Variant, f.Message)
			}
			assert.Equal(t, verify.Equal, verdict.Outcome)
			for _, v := range request.Variants {
				assert.True(t, verdict.Passed(v.Name), v.Name)
			}
		})
	}
}
