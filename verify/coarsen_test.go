package verify_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

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
