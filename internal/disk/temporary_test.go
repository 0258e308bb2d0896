package disk

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestWhatIsMadeCanBeRemovedOrReleased(t *testing.T) {
	parent := t.TempDir()
	dir, err := TempDir(parent, "smux-test-")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "f"), nil, 0o666))
	require.NoError(t, Remove(dir))
	assert.NoDirExists(t, dir)

	path, f, err := TempBeside(filepath.Join(parent, "k.cu"))
	require.NoError(t, err)
	_, err = f.WriteString("text")
	require.NoError(t, err)
	require.NoError(t, Released(path))
	assert.Error(t, f.Close(), "it is closed")
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, "text", string(text))
}

// left makes a folder as an earlier process may have left it.
func left(t *testing.T, parent, name string, age time.Duration) string {
	path := filepath.Join(parent, name)
	require.NoError(t, os.Mkdir(path, 0o700))
	then := time.Now().Add(-age)
	require.NoError(t, os.Chtimes(path, then, then))
	return path
}

func TestWhatDeadProcessesLeftIsRemoved(t *testing.T) {
	if !LocksWork {
		t.Skip("there are no file locks on this system")
	}
	parent := t.TempDir()
	dead := left(t, parent, "smux-tune-17.tmp", time.Hour)
	killed := left(t, parent, "smux-tune-22.tmp", 0)
	young := left(t, parent, "smux-tune-18.new", 0)
	alive := left(t, parent, ".smux-export-19.tmp", time.Hour)
	f, err := os.Open(alive)
	require.NoError(t, err)
	defer f.Close()
	require.NoError(t, Lock(f, true, false))
	foreign := []string{left(t, parent, "smux-tune-20", time.Hour), left(t, parent, "tune-20.tmp", time.Hour), left(t, parent, "k.cu.smux-00000000.tmp", time.Hour)}
	staged := left(t, parent, ".k.cu.smux-0a1b2c3d.tmp", time.Hour)
	link := filepath.Join(parent, "smux-tune-21.tmp")
	require.NoError(t, os.Symlink(foreign[0], link))

	_, f, err = TempBeside(filepath.Join(parent, "k.cu"))
	require.NoError(t, err)
	defer f.Close()
	assert.NoDirExists(t, dead)
	assert.NoDirExists(t, staged)
	assert.NoDirExists(t, killed)
	for _, path := range append(foreign, young, alive, link) {
		_, err := os.Lstat(path)
		assert.NoError(t, err, path)
	}
}
