package arrows

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestAReleaseThatCannotBeBuiltSaysWhatIsMissing: before anything is built, and in words
// that one can act on.
func TestAReleaseThatCannotBeBuiltSaysWhatIsMissing(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("there is no bash")
	}
	script, err := os.ReadFile("../../scripts/release.sh")
	require.NoError(t, err)
	dir, bin := t.TempDir(), t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "scripts"), 0o777))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "scripts", "release.sh"), script, 0o777))
	for _, tool := range []string{"git", "dirname"} { // and no compiler
		path, err := exec.LookPath(tool)
		if err != nil {
			t.Skip("there is no " + tool)
		}
		require.NoError(t, os.Symlink(path, filepath.Join(bin, tool)))
	}
	run := func(name string, arg ...string) (string, error) {
		c := exec.Command(name, arg...)
		c.Dir = dir
		c.Env = []string{"PATH=" + bin, "HOME=" + dir}
		out, err := c.CombinedOutput()
		return string(out), err
	}
	_, err = run("git", "init", "-q")
	require.NoError(t, err)

	out, err := run(bash, "scripts/release.sh")
	require.Error(t, err)
	assert.Contains(t, out, "there are changes that no commit has")

	_, err = run("git", "add", ".")
	require.NoError(t, err)
	out, err = run("git", "-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-qm", "a")
	require.NoError(t, err, out)

	out, err = run(bash, "scripts/release.sh", "arm64")
	require.Error(t, err)
	assert.Contains(t, out, "there is no C compiler for arm64: install zig, or Debian's gcc-aarch64-linux-gnu and libc6-dev-arm64-cross, or set CC_arm64")
	out, err = run(bash, "scripts/release.sh", "mips")
	require.Error(t, err)
	assert.Contains(t, out, "mips is no architecture that smux is built for")
	assert.NoDirExists(t, filepath.Join(dir, "dist"))
}
