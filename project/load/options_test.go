package load

import (
	"testing"

	"github.com/smux-cuda/smux/project/config"
	"github.com/smux-cuda/smux/rewrite"
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
		got, err := ParseBlock(text)
		require.NoError(t, err, text)
		require.Equal(t, want, got, text)
	}
	for _, bad := range []string{"", " ", "0", "-1", "x", "1.5", "1025", "32,33", "1,1,65", "1,2,3,4", "8,", ",8",
		"4294967296,4294967296", "99999999999999999999"} {
		_, err := ParseBlock(bad)
		require.Error(t, err, bad)
	}
}

func TestDefinesNeedAName(t *testing.T) {
	for _, good := range []string{"A", "_a1", "A=", "A=1", "A=f(x) y", "A=\"s\""} {
		require.NoError(t, (&Options{Defines: []string{good}}).Check(), good)
	}
	for _, bad := range []string{"", "=1", "1A", "A B", "F(x)=x", "-DA"} {
		require.Error(t, (&Options{Defines: []string{bad}}).Check(), bad)
	}
}

func TestSettingsCountWhereAFlagWasNotGiven(t *testing.T) {
	set := &config.Settings{Include: []string{"theirs"}, Define: []string{"THEIRS"}, Block: "64", CompileCommands: "build"}
	given := Options{Includes: []string{"mine"}, Block: "32", Changed: func(flag string) bool { return flag == "include" || flag == "block" }}
	got := given.With(set)
	require.Equal(t, []string{"mine"}, got.Includes, "a list that was given is all there is")
	require.Equal(t, []string{"THEIRS"}, got.Defines)
	require.Equal(t, "32", got.Block)
	require.Equal(t, "build", got.CompileCommands)

	opt, err := given.RewriteOptionsWith(rewrite.Options{Block: [3]int{32, 1, 1}, Runtime: "inline"}, &config.Settings{Block: "64", Runtime: "header"})
	require.NoError(t, err)
	require.Equal(t, [3]int{32, 1, 1}, opt.Block)
	require.Equal(t, "header", opt.Runtime)
}
