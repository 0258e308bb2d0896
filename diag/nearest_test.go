package diag_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/diag"
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
		require.Equal(t, tt.want, diag.Nearest(tt.word, names), tt.word)
	}
	require.Empty(t, diag.Nearest("anything", nil))
}

func TestDidYouMeanFallsBackToTheList(t *testing.T) {
	require.Equal(t, `did you mean "scan"?`, diag.DidYouMean("scna", []string{"scan", "transpose"}, "there are"))
	require.Equal(t, "there are: scan, transpose", diag.DidYouMean("convolve", []string{"scan", "transpose"}, "there are"))
	require.Empty(t, diag.DidYouMean("convolve", nil, "there are"))
	require.Equal(t, `"a", "b" or "c"`, diag.OrList([]string{"a", "b", "c"}))
}
