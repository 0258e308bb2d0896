package arrows

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
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

// TestPackagesAreInstalledWithoutANetwork: of a program, a wheel and a Debian package are made, the same each time, and what
// they install runs.
func TestPackagesAreInstalledWithoutANetwork(t *testing.T) {
	dir := t.TempDir()
	run := func(name string, arg ...string) (string, error) {
		c := exec.Command(name, arg...)
		c.Env = append(os.Environ(), "SOURCE_DATE_EPOCH=1700000000", "PIP_NO_INDEX=1", "PIP_DISABLE_PIP_VERSION_CHECK=1", "http_proxy=http://127.0.0.1:9", "https_proxy=http://127.0.0.1:9")
		out, err := c.CombinedOutput()
		return string(out), err
	}
	if out, err := run("python3", "-m", "pip", "--version"); err != nil {
		t.Skip("there is no pip: ", out)
	}
	program := filepath.Join(dir, "program")
	require.NoError(t, os.WriteFile(program, []byte("#!/bin/sh\necho smux runs\n"), 0o666))
	pack := func(folder string) (files map[string]string) {
		folder = filepath.Join(dir, folder)
		require.NoError(t, os.Mkdir(folder, 0o777))
		out, err := run("python3", "../../scripts/package.py", program, "amd64", "v1.2.3-4-gabc", folder)
		require.NoError(t, err, out)
		files = map[string]string{}
		found, err := filepath.Glob(filepath.Join(folder, "*"))
		require.NoError(t, err)
		for _, name := range found {
			text, err := os.ReadFile(name)
			require.NoError(t, err)
			files[filepath.Base(name)] = string(text)
		}
		return files
	}
	packed := pack("one")
	assert.Equal(t, packed, pack("two"))
	const wheel = "smux-1.2.3+4.gabc-py3-none-manylinux_2_17_x86_64.manylinux2014_x86_64.musllinux_1_1_x86_64.whl"
	require.Contains(t, packed, wheel)
	runs := func(program string) {
		out, err := run(program)
		require.NoError(t, err, out)
		assert.Equal(t, "smux runs\n", out)
	}
	if runtime.GOOS == "linux" && runtime.GOARCH == "amd64" {
		out, err := run("python3", "-m", "pip", "install", "--no-deps", "--target", filepath.Join(dir, "target"), filepath.Join(dir, "one", wheel))
		require.NoError(t, err, out)
		runs(filepath.Join(dir, "target", "bin", "smux"))
	}
	if _, err := exec.LookPath("dpkg-deb"); err == nil {
		deb := filepath.Join(dir, "one", "smux_1.2.3+4.gabc_amd64.deb")
		out, err := run("dpkg-deb", "--extract", deb, filepath.Join(dir, "root"))
		require.NoError(t, err, out)
		runs(filepath.Join(dir, "root", "usr", "bin", "smux"))
		out, err = run("dpkg-deb", "--field", deb, "Version")
		require.NoError(t, err, out)
		assert.Equal(t, "1.2.3+4.gabc\n", out)
	}
	out, err := run("python3", "../../scripts/package.py", program, "amd64", "v1;x", dir)
	require.Error(t, err)
	assert.Contains(t, out, "is no version that git describe prints")
}
