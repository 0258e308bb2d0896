//go:build unix

package record_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/tune/record"
)

func TestOnlyARegularFileIsWritten(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	require.NoError(t, syscall.Mkfifo(pipe, 0o644))
	for path, what := range map[string]string{pipe: "a pipe", t.TempDir(): "a folder", os.DevNull: "a device"} {
		_, err := record.Open(path)
		assert.ErrorContains(t, err, "measurements can't be kept here: it is "+what)
	}
}

func TestSymbolicLinksAreFollowed(t *testing.T) {
	dir, target := t.TempDir(), filepath.Join(t.TempDir(), "s.jsonl")
	link := filepath.Join(dir, "link")
	require.NoError(t, os.Symlink(target, link))
	for range 2 { // the file is not there at first
		s := open(t, link)
		require.NoError(t, s.Append(variantLineOf(2)))
		require.NoError(t, s.Close())
	}
	assert.Equal(t, 2, strings.Count(read(t, target), "\n"))
	info, err := os.Lstat(link)
	require.NoError(t, err)
	assert.NotZero(t, info.Mode()&os.ModeSymlink)
}

func TestAFileThatWasTakenAwayIsNotWrittenTo(t *testing.T) {
	path, text := filled(t)
	s := open(t, path)
	require.NoError(t, os.Rename(path, path+".moved"))
	const gone = "it was removed, renamed or replaced"
	require.ErrorContains(t, s.Append(pairOf(2)), gone)
	require.NoError(t, os.WriteFile(path, nil, 0o644))
	require.ErrorContains(t, s.Append(pairOf(2)), gone)
	assert.Len(t, s.Lines(), 3)
	assert.Equal(t, text, read(t, path+".moved"))
	require.NoError(t, os.Rename(path+".moved", path))
	require.NoError(t, s.Append(pairOf(2)), "it is back")
	assert.Len(t, s.Lines(), 4)
}

func TestAMissingFolderIsSaid(t *testing.T) {
	_, err := record.Open(filepath.Join(t.TempDir(), "no", "s.jsonl"))
	assert.ErrorContains(t, err, "measurements can't be kept here")
	assert.ErrorIs(t, err, os.ErrNotExist)
	_, _, err = record.ReadTorn(filepath.Join(t.TempDir(), "s.jsonl"))
	assert.ErrorIs(t, err, os.ErrNotExist)
}
