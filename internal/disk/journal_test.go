package disk

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// cutOff is a write of three files in two folders by a process that is killed after so
// many of them, with its journal as it is then.
const cutOff = "SMUX_TEST_CUT_OFF"

var three = []string{"x/a.cu", "y/b.cu", "x/c.cu"}

// cutOffAt writes the files old, and has a process killed that writes them new.
func cutOffAt(t *testing.T, moment string) (dir string) {
	if !LocksWork {
		t.Skip("there are no file locks on this system")
	}
	dir = t.TempDir()
	for _, name := range three {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o777))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte("old"), 0o640))
	}
	self, err := os.Executable()
	require.NoError(t, err)
	c := exec.Command(self, "-test.run", "^TestCutOff$")
	c.Env = append(os.Environ(), cutOff+"="+moment)
	c.Dir = dir
	out, _ := c.CombinedOutput()
	require.Contains(t, c.ProcessState.String(), "killed", string(out))
	return dir
}

// TestCutOff is the process of cutOffAt.
func TestCutOff(t *testing.T) {
	moment := os.Getenv(cutOff)
	if moment == "" {
		return // other tests start it
	}
	die := func() {
		self, _ := os.FindProcess(os.Getpid())
		self.Kill()
		select {}
	}
	var staged []*Staged
	for _, name := range three {
		st, err := Stage(name, []byte("new"))
		require.NoError(t, err)
		staged = append(staged, st)
	}
	if moment == "staged" {
		die()
	}
	j, err := record(staged)
	require.NoError(t, err)
	if moment == "no copy that counts" {
		os.Remove(j[len(j)-1].path)
		die()
	}
	for i, st := range staged {
		if moment == fmt.Sprint(i) {
			die()
		}
		require.NoError(t, st.rename())
	}
	if moment == "ending" {
		os.Remove(j[len(j)-1].path)
	}
	die()
}

// TestTheNextRunEndsWhatWasCutOff: at each moment, from each folder, there are all files
// as they were or all as they were to be, and nothing beside them.
func TestTheNextRunEndsWhatWasCutOff(t *testing.T) {
	for moment, want := range map[string]string{"staged": "old", "no copy that counts": "old", "0": "old", "1": "new", "2": "new", "all": "new", "ending": "new"} {
		for _, folders := range [][]string{{"x", "y"}, {"y", "x"}} {
			t.Run(moment+" "+folders[0], func(t *testing.T) {
				dir := cutOffAt(t, moment)
				var said []string
				for _, f := range folders {
					said = append(said, Mend(filepath.Join(dir, f))...)
				}
				for _, name := range three {
					text, err := os.ReadFile(filepath.Join(dir, name))
					require.NoError(t, err)
					assert.Equal(t, want, string(text), name)
					info, err := os.Stat(filepath.Join(dir, name))
					require.NoError(t, err)
					assert.EqualValues(t, 0o640, info.Mode().Perm())
				}
				requireFolder(t, filepath.Join(dir, "x"), "a.cu", "c.cu")
				requireFolder(t, filepath.Join(dir, "y"), "b.cu")
				if moment == "1" || moment == "2" {
					require.Len(t, said, 1)
					assert.Contains(t, said[0], "after it wrote "+moment+" of 3 files")
					assert.Contains(t, said[0], "c.cu")
				} else {
					assert.Empty(t, said)
				}
			})
		}
	}
}

func TestWhatAPersonChangedSinceStays(t *testing.T) {
	dir := cutOffAt(t, "1")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "y/b.cu"), []byte("mine"), 0o666))
	said := Mend(filepath.Join(dir, "y"))
	require.Len(t, said, 1)
	assert.Regexp(t, `after it wrote \S*a\.cu; \S*b\.cu changed since, .*, and \S*c\.cu not written`, said[0])
	for name, want := range map[string]string{"x/a.cu": "new", "y/b.cu": "mine", "x/c.cu": "old"} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		require.NoError(t, err)
		assert.Equal(t, want, string(text), name)
	}
	requireFolder(t, filepath.Join(dir, "x"), "a.cu", "c.cu")
	requireFolder(t, filepath.Join(dir, "y"), "b.cu")
}

func TestWhatALivingProcessWritesIsLeftToIt(t *testing.T) {
	if !LocksWork {
		t.Skip("there are no file locks on this system")
	}
	dir := t.TempDir()
	var staged []*Staged
	for _, name := range []string{"a.cu", "b.cu"} {
		st, err := Stage(filepath.Join(dir, name), []byte("new"))
		require.NoError(t, err)
		staged = append(staged, st)
	}
	j, err := record(staged)
	require.NoError(t, err)
	require.NoError(t, staged[0].rename())
	assert.Empty(t, Mend(dir))
	require.NoError(t, staged[1].rename())
	j.remove()
	requireFolder(t, dir, "a.cu", "b.cu")
}

// TestAJournalReachesNothingBesideItsFiles: one comes with a folder from elsewhere.
func TestAJournalReachesNothingBesideItsFiles(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "rc")
	require.NoError(t, os.WriteFile(outside, []byte("old"), 0o666))
	for i, e := range []string{
		`{"target": "` + outside + `", "temp": ".rc.smux-00000000.tmp"`,
		`{"target": "../` + filepath.Base(filepath.Dir(outside)) + `/rc", "temp": "../x/.rc.smux-00000000.tmp"`,
		`{"target": "../rc", "temp": "evil"`,
	} {
		dir := t.TempDir()
		text := fmt.Sprintf(`{"first": ".", "files": [%s, "before": "%s", "after": "%s"}]}`, e, hashOf([]byte("old")), hashOf([]byte("new")))
		require.NoError(t, os.WriteFile(filepath.Join(dir, fmt.Sprintf(".smux-0000000%d.journal", i)), []byte(text), 0o666))
		said := Mend(dir)
		require.Len(t, said, 1)
		assert.True(t, strings.HasSuffix(said[0], "it is not a record of smux's"), said[0])
	}
	text, err := os.ReadFile(outside)
	require.NoError(t, err)
	assert.Equal(t, "old", string(text))
}
