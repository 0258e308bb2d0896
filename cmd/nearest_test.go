package cmd

import (
	"testing"

	"github.com/stretchr/testify/require"
)

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
