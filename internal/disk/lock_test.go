package disk

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func open(t *testing.T, path string) *os.File {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644)
	require.NoError(t, err)
	t.Cleanup(func() { f.Close() })
	return f
}

func TestALockExcludesOthersUntilTheFileIsClosed(t *testing.T) {
	if !LocksWork {
		t.Skip("there are no file locks on this system")
	}
	path := filepath.Join(t.TempDir(), "f")
	a, b, c := open(t, path), open(t, path), open(t, path)
	require.NoError(t, Lock(a, true, false))
	assert.ErrorIs(t, Lock(b, true, false), ErrHeld)
	assert.ErrorIs(t, Lock(b, false, false), ErrHeld)
	require.NoError(t, a.Close())
	require.NoError(t, Lock(b, false, false))
	require.NoError(t, Lock(c, false, false), "shared locks go together")
	assert.ErrorIs(t, Lock(c, true, false), ErrHeld)
}

func TestAClosedFileCannotBeLocked(t *testing.T) {
	if !LocksWork {
		t.Skip("there are no file locks on this system")
	}
	f := open(t, filepath.Join(t.TempDir(), "f"))
	require.NoError(t, f.Close())
	err := Lock(f, true, false)
	require.Error(t, err)
	assert.NotErrorIs(t, err, ErrHeld)
}

func TestTheHolderIsNamed(t *testing.T) {
	if _, err := os.Stat("/proc/locks"); err != nil || !LocksWork {
		t.Skip("this system doesn't say who holds a lock")
	}
	f := open(t, filepath.Join(t.TempDir(), "f"))
	assert.Empty(t, Holder(f))
	require.NoError(t, Lock(f, true, false))
	assert.Contains(t, Holder(f), fmt.Sprintf("process %d (", os.Getpid()))
}

func TestCommandsAreShownOnALine(t *testing.T) {
	assert.Equal(t, "smux tune a b.cu", shown([]byte("smux\x00tune\x00a b.cu\x00")))
	assert.Equal(t, "smux [31m ?", shown([]byte("smux\x00\x1b[31m\n\xff\x00")))
	assert.Equal(t, strings.Repeat("é", 80)+"...", shown([]byte(strings.Repeat("é", 81))))
}

func TestTheTableOfLocksIsReadByTheFile(t *testing.T) {
	const table = "1: POSIX  ADVISORY  WRITE 11 fe:00:7 0 EOF\n" +
		"2: FLOCK  ADVISORY  WRITE 12 fe:00:70 0 EOF\n" +
		"3: FLOCK  ADVISORY  WRITE 13 fe:00:7 0 EOF\n" +
		"3: -> FLOCK  ADVISORY  WRITE 14 fe:00:8 0 EOF\n4: FLOCK\n"
	for id, want := range map[string]int{"fe:00:7": 13, "fe:00:70": 12, "fe:00:8": 0, "fe:01:7": 0} {
		assert.Equal(t, want, holder(table, id), id)
	}
}
