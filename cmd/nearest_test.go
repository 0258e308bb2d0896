package cmd

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestEditDistance(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"", "abc", 3}, {"abc", "", 3}, {"abc", "abc", 0},
		{"kitten", "sitting", 3}, {"flaw", "lawn", 2}, {"ab", "ba", 2},
	} {
		require.Equal(t, tt.want, editDistance(tt.a, tt.b), "%q %q", tt.a, tt.b)
		require.Equal(t, tt.want, editDistance(tt.b, tt.a), "%q %q", tt.b, tt.a)
	}
}

func TestNearestOffersWhatMayBeMeant(t *testing.T) {
	names := []string{"reduce", "reduceFinal", "scan", "transpose", "x"}
	for _, tt := range []struct {
		word string
		want []string
	}{
		{"redcue", []string{"reduce"}},
		{"REDUCE", []string{"reduce", "reduceFinal"}},
		{"reduce_kernel", []string{"reduce"}},
		{"pose", []string{"scan", "transpose"}[1:]},
		{"convolve", nil},
	} {
		require.Equal(t, tt.want, nearest(tt.word, names), tt.word)
	}
	require.Empty(t, nearest("anything", nil))
}

func TestDidYouMeanFallsBackToTheList(t *testing.T) {
	require.Equal(t, `did you mean "scan"?`, didYouMean("scna", []string{"scan", "transpose"}, "there are"))
	require.Equal(t, "there are: scan, transpose", didYouMean("convolve", []string{"scan", "transpose"}, "there are"))
	require.Empty(t, didYouMean("convolve", nil, "there are"))
	require.Equal(t, `"a", "b" or "c"`, orList([]string{"a", "b", "c"}))
}
