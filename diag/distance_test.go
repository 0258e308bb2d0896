package diag_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/diag"
)

func TestEditDistanceIsSymmetric(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"", "abc", 3}, {"abc", "", 3}, {"abc", "abc", 0},
		{"kitten", "sitting", 3}, {"flaw", "lawn", 2}, {"ab", "ba", 2},
	} {
		require.Equal(t, tt.want, diag.EditDistance(tt.a, tt.b), "%q %q", tt.a, tt.b)
		require.Equal(t, tt.want, diag.EditDistance(tt.b, tt.a), "%q %q", tt.b, tt.a)
	}
}
