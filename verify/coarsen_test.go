package verify_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/lab/mutate"
	"github.com/smux-cuda/smux/lab/suite"
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

// TestCoarsenedBlocksAreEqual: thread blocks, or threads, that do the work of several, along one axis or two, after arrays were
// staged and before loops are unrolled, do what these did, where the last has fewer.
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
		{"coarsen", [][]string{{"1"}, {"5"}, {"6"}, {"8"}}, 8, []rewrite.Variant{{Factor: 2}, {Factor: 4}, {Factor: 8}}},
		{"coarsenaxes", [][]string{{"1", "1"}, {"3", "5"}, {"8", "2"}}, 4, []rewrite.Variant{
			{Factor: 2, FactorY: 2}, {Factor: 4, FactorY: 2}, {Factor: 2, GridAxis: "z", FactorY: 4},
		}},
		{"coarsenaxes", [][]string{{"3", "2"}, {"2", "5"}}, 2, []rewrite.Variant{
			{Factor: 2, Unroll: 2}, {Factor: 2, FactorY: 2, Unroll: variant.Full},
		}},
		{"coarsenaxes", [][]string{{"3", "2"}, {"2", "5"}}, 1, []rewrite.Variant{
			{Factor: 2, Staged: true}, {Factor: 2, FactorY: 2, Staged: true, Unroll: 2}, {Factor: 2, FactorY: 2, Stage: 4},
		}},
		{"coarsenthreads", [][]string{{"1", "1"}, {"3", "2"}, {"100", "3"}, {"256", "4"}}, 4, []rewrite.Variant{
			{Factor: 2, Of: variant.Threads}, {Factor: 4, Of: variant.Threads}, {Factor: 8, Of: variant.Threads},
		}},
		{"coarsenaxes", [][]string{{"3", "5"}}, 3, []rewrite.Variant{{Factor: 2, FactorY: 2, Of: variant.Threads}}},
		{"coarsenthreads", [][]string{{"7", "1"}, {"10", "3"}}, 1, []rewrite.Variant{
			{Factor: 2, Of: variant.Threads, GridAxis: "y"}, {Factor: 4, Of: variant.Threads, FactorY: 2},
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

// leastCoarsenedKilled is the share of mutants that verify must kill, of those that don't do what the original does.
const leastCoarsenedKilled = 0.95

// TestCoarsenedMutantsAreKilled: a copy left out, a guard that holds for all, the first copy's element in the place of
// another's, and a wrong number of blocks that are left are found.
func TestCoarsenedMutantsAreKilled(t *testing.T) {
	needCompiler(t)
	suite.OnlyFull(t)
	listed := readEquivalent(t, "testdata/mutants/coarsened.txt")
	const name = "coarsenmutants"
	for _, c := range []struct {
		way  rewrite.Variant
		args [][]string
	}{
		{rewrite.Variant{Rewriter: variant.Coarsen, Factor: 2}, [][]string{{"5", "2"}, {"4", "1"}, {"3", "2"}}},
		{rewrite.Variant{Rewriter: variant.Coarsen, Factor: 2, FactorY: 2}, [][]string{{"5", "5"}, {"4", "4"}, {"3", "3"}}},
		{rewrite.Variant{Rewriter: variant.Coarsen, Factor: 3, Of: variant.Threads}, [][]string{{"5", "2"}, {"3", "3"}}}, // of 8
	} {
		way := strings.ReplaceAll(c.way.String(), " ", "-")
		t.Run(way, func(t *testing.T) {
			prog, text := loadProgram(t, "testdata/"+name+".cu"), coarsened(t, name, 3, c.way)
			killed := map[string]bool{}
			var mutants []mutate.Mutant
			for _, args := range c.args {
				var deaths [][]string
				mutants, deaths = deathsOf(t, prog, name, text, args...)
				for i, m := range mutants {
					killed[m.ID] = killed[m.ID] || len(deaths[i+1]) > 0
				}
			}
			dead, wrong := 0, 0
			for _, m := range mutants {
				reason := listed.reason(name, way, m.ID)
				switch {
				case killed[m.ID]:
					dead, wrong = dead+1, wrong+1
					assert.Empty(t, reason, "%s is listed as equivalent, but is killed", m.ID)
				case reason == "":
					wrong++
					assert.Fail(t, "not found", "%s survives: %s: %s", m.ID, m.Pos, m.Text)
				}
			}
			t.Logf("%d of %d mutants killed, %d of which do what the original does", dead, len(mutants), len(mutants)-wrong)
			assert.GreaterOrEqual(t, float64(dead), leastCoarsenedKilled*float64(wrong))
		})
	}
}
