package verify_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/rewrite/variant"
	"github.com/smux-cuda/smux/verify"
)

// TestReshapedBlocksAreEqual: launches in blocks of other shapes do what they did, with no and with odd extents, and where they stay as they are.
func TestReshapedBlocksAreEqual(t *testing.T) {
	needCompiler(t)
	if testing.Short() {
		t.Skip("the program is not run with -short")
	}
	prog := loadProgram(t, "testdata/reshape.cu")
	p := matrixProgram{name: "reshape", path: "testdata/reshape.cu", args: [][]string{{"0"}, {"1"}, {"5"}, {"64"}, {"1000"}, {"1537"}}}
	var variants []verify.Variant
	for shape, launches := range map[string]int{"": 9, "4": 11, "24": 11, "64": 11, "8,4": 2, "32,8": 2, "16,1": 2} {
		res, err := rewrite.Run(prog, rewrite.Options{Variant: rewrite.Variant{Rewriter: variant.Reshape, Extents: shape}})
		require.NoError(t, err)
		require.Len(t, res.Files, 1)
		require.Equal(t, launches, strings.Count(string(res.Files[0].After), "= smux::reshape<"), "launches in view for %s", shape)
		variants = append(variants, verify.Variant{Name: "shape " + shape, Program: oneFile("reshape", res.Files[0].After), Checked: true})
	}
	requireEqual(t, p, prog, variants)
}
