package verify_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/verify"
)

// TestMergedAlongEachDimensionIsEqual merges blocks of three dimensions along
// each dimension of a grid that is odd in all of them, in every variant.
func TestMergedAlongEachDimensionIsEqual(t *testing.T) {
	needCompiler(t)
	if testing.Short() {
		t.Skip("fifteen programs are not run with -short")
	}
	prog, errs := parser.LoadProgram([]string{"testdata/merge.cu"}, parser.Options{})
	require.NoError(t, errors.Join(errs...))
	request := verify.Request{Original: oneFile("merge", prog.Files[0].Src)}
	for _, along := range []string{"", "y", "z"} {
		for _, w := range []rewrite.Variant{
			{Rewriter: "vtb", Sync: "named", Factor: 2}, {Rewriter: "vtb", Sync: "lock", Factor: 4}, {Rewriter: "vtb", Sync: "block", Factor: 2},
			{Rewriter: "merge", Sync: "named", Factor: 4}, {Rewriter: "merge", Sync: "block", Factor: 4},
		} {
			w.GridAxis = along
			res, err := rewrite.Run(prog, rewrite.Options{Variant: w})
			require.NoError(t, err)
			for _, k := range res.Kernels {
				if k.Name == "spread" || w.Rewriter == "merge" && w.Sync == "block" {
					assert.Equal(t, w.Rewriter, k.Rewriter, "%s: %v", w, k.Refused)
				}
			}
			request.Variants = append(request.Variants, verify.Variant{Name: w.String(), Program: oneFile("merge", res.Files[0].After)})
		}
	}
	verdict, err := verify.Run(context.Background(), request)
	require.NoError(t, err)
	assert.Empty(t, verdict.Failures)
	assert.Empty(t, verdict.Findings)
	assert.Equal(t, verify.Equal, verdict.Outcome)
}
