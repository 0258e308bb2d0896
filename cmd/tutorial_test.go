package cmd

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/verify/build"
)

// TestTutorialEndsInACommit does what docs/use/tutorial.md says, in a repository of its
// own: the file is written once it has passed, the diff is the one that was reviewed,
// and nothing is left to change.
func TestTutorialEndsInACommit(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git here")
	}
	if _, err := build.Find(""); err != nil {
		t.Skip("no C++ compiler here")
	}
	text, err := os.ReadFile("../testdata/readme/phases.cu")
	require.NoError(t, err)
	t.Chdir(t.TempDir())
	src := filepath.Join("src", "features.cu")
	require.NoError(t, os.Mkdir("src", 0o777))
	require.NoError(t, os.WriteFile(src, text, 0o666))
	run := func(stdin string, words ...string) string {
		c := exec.Command(words[0], words[1:]...)
		c.Stdin = strings.NewReader(stdin)
		out, err := c.CombinedOutput()
		require.NoError(t, err, "%v: %s", words, out)
		return string(out)
	}
	smux := func(words string) (string, int) {
		var out bytes.Buffer
		s := newSession(strings.NewReader(""), &out, io.Discard)
		s.findNVCC = noNVCC
		code := s.main(strings.Fields(words))
		return out.String(), code
	}
	run("", "git", "init", "-q")
	run("", "git", "add", ".")
	run("", "git", "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "begin")

	patch, code := smux("rewrite -d --gpu t4 --resources estimate src/features.cu")
	assert.Equal(t, diag.ExitDiffers, code)
	run(patch, "git", "apply", "--check")
	_, code = smux("rewrite -w --gpu t4 --resources estimate --verify --order ascending src/features.cu")
	assert.Equal(t, diag.ExitOK, code)
	run(patch, "git", "apply", "--check", "--reverse")
	assert.Contains(t, run("", "git", "diff"), "+    auto &tile = smux_shared.tile;")

	again, code := smux("rewrite -d --gpu t4 --resources estimate src/features.cu")
	assert.Empty(t, again)
	assert.Equal(t, diag.ExitOK, code)
}
