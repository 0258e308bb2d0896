package rewrite_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What nvcc says of a text it has seen is kept in the user's cache folder, under
// a hash of all that went into it: after most changes of the rewriter most
// emitted texts are as they were.

// nvccVersion tells compilers apart.
var nvccVersion = sync.OnceValues(func() (string, error) {
	out, err := exec.Command("nvcc", "--version").Output()
	return string(out), err
})

// nvccKey names a call of nvcc in a folder: by the compiler, its arguments and
// all files there.
func nvccKey(dir string, args []string) (string, error) {
	version, err := nvccVersion()
	if err != nil {
		return "", err
	}
	sum := sha256.New()
	fmt.Fprintf(sum, "%q %q", version, args)
	err = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path)
		fmt.Fprintf(sum, "%q %d:%s", path[len(dir):], len(text), text)
		return err
	})
	return hex.EncodeToString(sum.Sum(nil))[:32], err
}

// remembered returns what was kept under a key, or what ask says, which is kept
// unless it is an error.
func remembered(key string, ask func() (string, error)) (string, error) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return ask()
	}
	dir = filepath.Join(dir, "smux", "nvcc-tests")
	file := filepath.Join(dir, key)
	if text, err := os.ReadFile(file); err == nil {
		return string(text), nil
	}
	said, err := ask()
	if err != nil || os.MkdirAll(dir, 0o755) != nil {
		return said, err
	}
	// Under another name first: tests run side by side, and may be killed.
	if fresh, err := os.CreateTemp(dir, "new-"); err == nil {
		_, err = fresh.WriteString(said)
		if fresh.Close() != nil || err != nil || os.Rename(fresh.Name(), file) != nil {
			os.Remove(fresh.Name())
		}
	}
	return said, nil
}

// TestOnlyTheSameCallIsRemembered: another text, file or argument is asked about
// anew, and so is what failed.
func TestOnlyTheSameCallIsRemembered(t *testing.T) {
	needNVCC(t)
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	dir := t.TempDir()
	asked := 0
	call := func(args ...string) {
		key, err := nvccKey(dir, args)
		require.NoError(t, err)
		said, err := remembered(key, func() (string, error) { asked++; return fmt.Sprint("answer ", asked), nil })
		require.NoError(t, err)
		again, err := remembered(key, func() (string, error) { panic("it is known") })
		require.NoError(t, err)
		assert.Equal(t, said, again)
	}
	call("-cubin")
	call("-cubin")
	assert.Equal(t, 1, asked)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.cu"), []byte("one"), 0o666))
	call("-cubin")
	call("-cubin", "-arch=sm_80")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.cu"), []byte("two"), 0o666))
	call("-cubin")
	assert.Equal(t, 4, asked)
	for range 2 {
		_, err := remembered("failing", func() (string, error) { asked++; return "", fs.ErrInvalid })
		assert.ErrorIs(t, err, fs.ErrInvalid)
	}
	assert.Equal(t, 6, asked)
}
