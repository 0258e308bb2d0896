package build

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/internal/disk"
	"github.com/smux-cuda/smux/verify/translate"
)

// builderVariable makes this test program build a program and end: tests start
// it as another process, and kill it.
const builderVariable = "SMUX_TEST_BUILD_IN"

func TestBuilderProcess(t *testing.T) {
	cache := os.Getenv(builderVariable)
	if cache == "" {
		t.Skip("is started by other tests")
	}
	dir := t.TempDir()
	p, err := openSmall(t, cache).Build(context.Background(), Request{Units: []*translate.Unit{unit(dir, "a.cu", answers)}, Dir: dir})
	require.NoError(t, err)
	assert.Equal(t, "84 0 1\n", output(t, p))
}

func builder(t *testing.T, cache string) *exec.Cmd {
	self, err := os.Executable()
	require.NoError(t, err)
	c := exec.Command(self, "-test.run=^TestBuilderProcess$")
	c.Env = append(os.Environ(), builderVariable+"="+cache)
	return c
}

func TestProcessesShareACache(t *testing.T) {
	compiler(t)
	cache := t.TempDir()
	var started []*exec.Cmd
	for range 3 {
		c := builder(t, cache)
		c.Stdout = os.Stdout
		require.NoError(t, c.Start())
		started = append(started, c)
	}
	for _, c := range started {
		assert.NoError(t, c.Wait())
	}
	assert.Empty(t, unfinished(t, cache))
}

// unfinished lists what was begun in a cache and not ended.
func unfinished(t *testing.T, cache string) []string {
	var out []string
	for _, pattern := range []string{"*/*.new-*", "*/programs/*.new-*", "*.old-*"} {
		found, err := filepath.Glob(filepath.Join(cache, pattern))
		require.NoError(t, err)
		out = append(out, found...)
	}
	return out
}

func TestAKilledProcessLeavesAUsableCache(t *testing.T) {
	compiler(t)
	cache := t.TempDir()
	for _, after := range []time.Duration{30, 100, 200, 400, 700} {
		c := builder(t, cache)
		require.NoError(t, c.Start())
		time.Sleep(after * time.Millisecond)
		c.Process.Kill()
		c.Wait()
	}
	out, err := builder(t, cache).CombinedOutput()
	assert.NoError(t, err, string(out))

	// What the killed ones left is swept away once it is old enough.
	for _, left := range unfinished(t, cache) {
		old := time.Now().Add(-2 * abandoned)
		require.NoError(t, os.Chtimes(left, old, old))
	}
	openSmall(t, cache)
	assert.Empty(t, unfinished(t, cache))
}

func TestOldToolchainsArePrunedUnlessInUse(t *testing.T) {
	if !disk.LocksWork {
		t.Skip("there are no file locks on this system")
	}
	c := compiler(t)
	cache := t.TempDir()
	var tools []*Toolchain
	for i := range mostToolchains + 2 {
		x, err := open(c, cache, tree{os.DirFS("testdata/shim"), strings.Repeat("x", i+1)})
		require.NoError(t, err)
		defer x.Close()
		tools = append(tools, x)
		used := time.Now().Add(time.Duration(i-10) * time.Hour)
		require.NoError(t, os.Chtimes(filepath.Join(x.CacheDir, usedMark), used, used))
	}
	for _, x := range tools {
		assert.DirExists(t, x.CacheDir, "all are in use")
	}
	require.NoError(t, tools[0].Close())
	require.NoError(t, tools[2].Close())
	pruneToolchains(cache, filepath.Base(tools[4].CacheDir))
	assert.NoDirExists(t, tools[0].CacheDir, "it was the oldest, and nobody uses it")
	assert.DirExists(t, tools[1].CacheDir, "it is in use")
	assert.DirExists(t, tools[2].CacheDir, "it is one of the newest")
	assert.Empty(t, unfinished(t, cache))
}

func TestProgramsAreBoundedByAge(t *testing.T) {
	s := store{t.TempDir()}
	for _, name := range []string{"old", "new"} {
		_, err := s.get(name, func(dir string) error { markUsed(dir); return nil })
		require.NoError(t, err)
	}
	old := time.Now().Add(-2 * oldest)
	require.NoError(t, os.Chtimes(filepath.Join(s.dir, "old", usedMark), old, old))
	prunePrograms(s)
	assert.NoDirExists(t, filepath.Join(s.dir, "old"))
	assert.DirExists(t, filepath.Join(s.dir, "new"))
}

func TestAnEntryThatCannotBeMadeLeavesNothing(t *testing.T) {
	s := store{t.TempDir()}
	_, err := s.get("x", func(dir string) error {
		require.NoError(t, os.WriteFile(filepath.Join(dir, "half"), nil, 0o666))
		return assert.AnError
	})
	assert.ErrorIs(t, err, assert.AnError)
	assert.NoDirExists(t, filepath.Join(s.dir, "x"))
	made, err := filepath.Glob(filepath.Join(s.dir, "x.new-*"))
	require.NoError(t, err)
	assert.Empty(t, made)
}

func TestACacheThatCannotBeWrittenIsReplaced(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o666))
	_, err := Open(compiler(t), filepath.Join(file, "cache"))
	assert.Error(t, err, "the folder was asked for")

	t.Setenv("XDG_CACHE_HOME", filepath.Join(file, "cache"))
	t.Setenv("HOME", filepath.Join(file, "home"))
	tools, err := Open(compiler(t), "")
	require.NoError(t, err)
	assert.DirExists(t, tools.include())
	require.NoError(t, tools.Close())
	assert.NoDirExists(t, tools.CacheDir)
}
