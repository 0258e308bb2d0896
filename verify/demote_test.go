package verify_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/analysis/demotion"
	"github.com/smux-cuda/smux/analysis/passes"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/rewrite/variant"
	"github.com/smux-cuda/smux/verify"
)

// TestCheapMeansAreEqual runs a kernel with all kinds of statements under a cap,
// with every loop's unroll factor set, and with everything pinned that can be.
func TestCheapMeansAreEqual(t *testing.T) {
	needCompiler(t)
	prog, errs := parser.LoadProgram([]string{"testdata/demote.cu"}, parser.Options{})
	require.NoError(t, errors.Join(errs...))
	c := demotion.Of(passes.NewProgram(prog, [3]int{}).Kernels()[0], nil)
	require.Greater(t, len(c.Loops), 6)
	require.Greater(t, len(c.Pins), 10)
	all := variant.Recipe{Threads: 64, Blocks: 8, Spill: true}
	for _, l := range c.Loops {
		all.Unroll = append(all.Unroll, variant.UnrolledLoop{Loop: l.Name, Factor: 1})
	}
	for _, p := range c.Pins {
		all.Pins = append(all.Pins, p.Name)
	}
	request := verify.Request{Original: oneFile("demote", prog.Files[0].Src)}
	for _, recipe := range []variant.Recipe{{Pins: all.Pins}, all} {
		res, err := rewrite.Run(prog, rewrite.Options{Variant: rewrite.Variant{Rewriter: "demote", Recipe: recipe.String()}})
		require.NoError(t, err)
		require.Len(t, res.Files, 1, "%v", res.Kernels)
		request.Variants = append(request.Variants, verify.Variant{Name: recipe.String(), Program: oneFile("demote", res.Files[0].After)})
	}
	verdict, err := verify.Run(context.Background(), request)
	require.NoError(t, err)
	assert.Empty(t, verdict.Failures)
	assert.Empty(t, verdict.Findings)
	assert.Equal(t, verify.Equal, verdict.Outcome)
}
