package space_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/rewrite/variant"
	"github.com/smux-cuda/smux/tune/space"
)

// TestWhatCanBeStagedIsListed: without knobs, with the tiles that the model compared, arrays alone, other
// schemes, and merged after that; each is read again as it is written.
func TestWhatCanBeStagedIsListed(t *testing.T) {
	for path, want := range map[string][]string{
		"../../examples/stage/product/product.cu": {"stage", "stage array=a", "stage array=b", "stage T=8"},
		"../../examples/stage/matvec/matvec.cu":   {"stage", "stage scheme=transpose", "stage T=16 scheme=transpose", "merge named N=2 stage scheme=transpose"},
	} {
		entries, left := space.Enumerate(example(t, path, "k40", rewrite.Options{Runtime: "header"}))
		all := names(entries)
		for _, name := range want {
			assert.Contains(t, all, name, "left out: %v", left)
		}
		for _, e := range entries {
			if !strings.Contains(e.TunedVariant.String(), "stage") || e.Rewriter == "stage-loads" {
				continue
			}
			w, err := variant.Parse(e.Variant.String())
			require.NoError(t, err)
			assert.Equal(t, e.Variant, w)
			assert.Contains(t, e.Traits, "stage", e.TunedVariant)
			assert.Positive(t, e.Predicted, e.TunedVariant)
		}
	}
}
