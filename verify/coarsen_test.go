package verify_test

import (
	"fmt"
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

// coarsenedText is testdata/coarsen.cu with thread blocks that do the work of n.
func coarsenedText(t *testing.T, n int) []byte {
	t.Helper()
	res, err := rewrite.Run(loadProgram(t, "testdata/coarsen.cu"), rewrite.Options{Variant: rewrite.Variant{Rewriter: variant.Coarsen, Factor: n}})
	require.NoError(t, err)
	require.Len(t, res.Files, 1)
	require.Equal(t, 5, strings.Count(string(res.Files[0].After), "// smux coarsen:"), "all kernels are rewritten")
	return res.Files[0].After
}

// TestCoarsenedBlocksAreEqual: thread blocks that do the work of several do what these did, where the last has fewer.
func TestCoarsenedBlocksAreEqual(t *testing.T) {
	needCompiler(t)
	if testing.Short() {
		t.Skip("the program is not run with -short")
	}
	prog := loadProgram(t, "testdata/coarsen.cu")
	p := matrixProgram{name: "coarsen", path: "testdata/coarsen.cu", args: [][]string{{"1"}, {"5"}, {"6"}, {"8"}}}
	var variants []verify.Variant
	for _, n := range []int{2, 4, 8} {
		variants = append(variants, verify.Variant{Name: fmt.Sprintf("N=%d", n), Program: oneFile("coarsen", coarsenedText(t, n)), Checked: true})
	}
	requireEqual(t, p, prog, variants)
}

// leastCoarsenedKilled is the share of mutants that verify must kill. Others do the same: what a copy that has left, or is
// beyond the grid, computes for itself doesn't matter.
const leastCoarsenedKilled = 0.75

// TestCoarsenedMutantsAreKilled: a copy left out, a guard that holds for all, the first copy's element in the place of
// another's, and a wrong number of blocks that are left are found.
func TestCoarsenedMutantsAreKilled(t *testing.T) {
	needCompiler(t)
	suite.OnlyFull(t)
	prog, text := loadProgram(t, "testdata/coarsen.cu"), coarsenedText(t, 2)
	killed := map[string]bool{}
	var mutants []mutate.Mutant
	for _, blocks := range []string{"3", "4"} {
		var deaths [][]string
		mutants, deaths = deathsOf(t, prog, "coarsen", text, blocks)
		for i, m := range mutants {
			killed[m.ID] = killed[m.ID] || len(deaths[i+1]) > 0
		}
	}
	dead := 0
	for _, m := range mutants {
		if killed[m.ID] {
			dead++
		} else {
			t.Logf("%s survives: %s: %s", m.ID, m.Pos, m.Text)
		}
	}
	t.Logf("%d of %d mutants killed", dead, len(mutants))
	assert.GreaterOrEqual(t, float64(dead), leastCoarsenedKilled*float64(len(mutants)))
}
