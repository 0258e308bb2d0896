package diff

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// plain takes the escape sequences away again.
func plain(painted []byte) string {
	return strings.NewReplacer(bold, "", red, "", green, "", cyan, "", reset, "").Replace(string(painted))
}

func TestColorPaintsAsGitDoes(t *testing.T) {
	unified := Unified("f", "f", []byte("same\n-- x\r\n"), []byte("same\n++ y\n\n"))
	want := bold + "--- a/f" + reset + "\n" +
		bold + "+++ b/f" + reset + "\n" +
		cyan + "@@ -1,2 +1,3 @@" + reset + "\n" +
		" same\n" +
		red + "--- x" + reset + "\r\n" + // a deleted "-- x" is no file header
		green + "+++ y" + reset + "\n" +
		green + "+" + reset + "\n"
	require.Equal(t, want, string(Color(unified)))
}

func TestColorTakesSeveralFiles(t *testing.T) {
	one := Unified("f", "f", []byte("a"), []byte("b"))
	two := Unified("g", "g", []byte("a\n"), []byte("b\n"))
	both := append(append([]byte(nil), one...), two...)
	require.Equal(t, string(Color(one))+string(Color(two)), string(Color(both)))
	require.Equal(t, string(both), plain(Color(both)))
}

func TestColorOfNothingIsNothing(t *testing.T) {
	require.Empty(t, Color(nil))
}
