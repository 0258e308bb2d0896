package rewrite_test

import (
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/rewrite/variant"
)

// TestRowsOfATileArePaddedAsFarAsConflictsTake: where the threads of a warp read down a column of an even number
// of words, and nowhere else; a person has it otherwise.
func TestRowsOfATileArePaddedAsFarAsConflictsTake(t *testing.T) {
	dimensions := regexp.MustCompile(`_tile((?:\[\d+\])+);`)
	for _, tt := range []struct {
		example string
		variant.Variant
		want []string
	}{
		{"matvec", variant.Variant{Array: "a"}, []string{"[128][9]"}},
		{"matvec", variant.Variant{Array: "a", Tile: 7}, []string{"[128][7]"}},
		{"matvec", variant.Variant{Array: "a", Pad: variant.NoStage}, []string{"[128][16]"}},
		{"matvec", variant.Variant{Array: "a", Tile: 8, Pad: 3}, []string{"[128][11]"}},
		{"product", variant.Variant{}, []string{"[16][16]", "[16][16]"}},
		{"product", variant.Variant{Pad: 1}, []string{"[16][17]", "[16][17]"}},
		{"jacobi2", variant.Variant{}, []string{"[10][34]"}},
		{"nbody", variant.Variant{Pad: 4}, []string{"[64]"}}, // one row
		{"transpose", variant.Variant{Scheme: variant.SchemeTranspose, Pad: variant.NoStage}, nil},
	} {
		tt.Rewriter = variant.Stage
		after := string(rewriteStaged(t, "../examples/stage/"+tt.example+"/"+tt.example+".cu", rewrite.Variant(tt.Variant)))
		var got []string
		for _, m := range dimensions.FindAllStringSubmatch(after, -1) {
			got = append(got, m[1])
		}
		if tt.want != nil {
			assert.Equal(t, tt.want, got, "%s %s", tt.example, tt.Variant)
			continue
		}
		for _, d := range got {
			assert.Regexp(t, `\[(8|16|32)\]$`, d, "no row is longer")
		}
		assert.NotEmpty(t, got)
	}
}
