package cmd

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestParseBlockTakesWhatAGPUCanRun(t *testing.T) {
	for text, want := range map[string][3]int{
		"1":        {1, 1, 1},
		"1024":     {1024, 1, 1},
		"16,16":    {16, 16, 1},
		"8, 4, 2":  {8, 4, 2},
		"1,1,64":   {1, 1, 64},
		"1,1024,1": {1, 1024, 1},
	} {
		got, err := parseBlock(text)
		require.NoError(t, err, text)
		require.Equal(t, want, got, text)
	}
	for _, bad := range []string{"", " ", "0", "-1", "x", "1.5", "1025", "32,33", "1,1,65", "1,2,3,4", "8,", ",8",
		"4294967296,4294967296", "99999999999999999999"} {
		_, err := parseBlock(bad)
		require.Error(t, err, bad)
	}
}

func TestDefinesNeedAName(t *testing.T) {
	for _, good := range []string{"A", "_a1", "A=", "A=1", "A=f(x) y", "A=\"s\""} {
		require.NoError(t, (&inputFlags{defines: []string{good}}).check(), good)
	}
	for _, bad := range []string{"", "=1", "1A", "A B", "F(x)=x", "-DA"} {
		require.Error(t, (&inputFlags{defines: []string{bad}}).check(), bad)
	}
}
