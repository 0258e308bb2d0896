package verify_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/rewrite/variant"
	"github.com/smux-cuda/smux/verify"
)

// coarsened is the text of a program in testdata with the thread blocks of so many kernels coarsened in a way.
func coarsened(t *testing.T, name string, kernels int, w rewrite.Variant) []byte {
	t.Helper()
	w.Rewriter = variant.Coarsen
	res, err := rewrite.Run(loadProgram(t, "testdata/"+name+".cu"), rewrite.Options{Variant: w})
	require.NoError(t, err)
	require.Len(t, res.Files, 1)
	want := kernels
	if w.FactorY > 0 {
		want *= 2
	}
	require.Equal(t, want, strings.Count(string(res.Files[0].After), "// smux coarsen along"), "kernels that are rewritten: %v", res.Kernels)
	return res.Files[0].After
}

// TestCoarsenedBlocksAreEqual: thread blocks that do the work of several, along one axis or two, after arrays were staged and
// before loops are unrolled, do what these did, where the last has fewer.
func TestCoarsenedBlocksAreEqual(t *testing.T) {
	needCompiler(t)
	if testing.Short() {
		t.Skip("the program is not run with -short")
	}
	for _, c := range []struct {
		name    string
		args    [][]string
		kernels int
		ways    []rewrite.Variant
	}{
		{"coarsen", [][]string{{"1"}, {"5"}, {"6"}, {"8"}}, 5, []rewrite.Variant{{Factor: 2}, {Factor: 4}, {Factor: 8}}},
		{"coarsenaxes", [][]string{{"1", "1"}, {"3", "5"}, {"8", "2"}}, 4, []rewrite.Variant{
			{Factor: 2, FactorY: 2}, {Factor: 4, FactorY: 2}, {Factor: 2, GridAxis: "z", FactorY: 4},
		}},
		{"coarsenaxes", [][]string{{"3", "2"}, {"2", "5"}}, 2, []rewrite.Variant{
			{Factor: 2, Unroll: 2}, {Factor: 2, FactorY: 2, Unroll: variant.Full},
		}},
		{"coarsenaxes", [][]string{{"3", "2"}, {"2", "5"}}, 1, []rewrite.Variant{
			{Factor: 2, Staged: true}, {Factor: 2, FactorY: 2, Staged: true, Unroll: 2}, {Factor: 2, FactorY: 2, Stage: 4},
		}},
	} {
		var variants []verify.Variant
		for _, w := range c.ways {
			variants = append(variants, verify.Variant{Name: w.String(), Program: oneFile(c.name, coarsened(t, c.name, c.kernels, w)), Checked: true})
		}
		p := matrixProgram{name: c.name, path: "testdata/" + c.name + ".cu", args: c.args}
		requireEqual(t, p, loadProgram(t, p.path), variants)
	}
}
