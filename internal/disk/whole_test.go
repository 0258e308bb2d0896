package disk

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAFileThatChangedMeanwhileIsNotReplaced(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x.cu")
	require.NoError(t, os.WriteFile(file, []byte("newer"), 0o666))
	_, err := StageOver(file, []byte("older"), []byte("ours"))
	require.ErrorContains(t, err, "the file has changed since it was read")
	requireFolder(t, filepath.Dir(file), "x.cu")
}

func TestDiscardLeavesNothingBehind(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x.cu")
	require.NoError(t, os.WriteFile(file, []byte("old"), 0o666))
	st, err := Stage(file, []byte("new"))
	require.NoError(t, err)
	st.Discard()
	requireFolder(t, filepath.Dir(file), "x.cu")
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, "old", string(text))
}

func TestWhatIsCommittedTogetherStaysAsItWasWhereOneFails(t *testing.T) {
	dir := t.TempDir()
	old := filepath.Join(dir, "a.cu")
	require.NoError(t, os.WriteFile(old, []byte("old"), 0o640))
	var staged []*Staged
	for _, name := range []string{"a.cu", "b.cu", "c.cu", "d.cu"} {
		st, err := Stage(filepath.Join(dir, name), []byte("new"))
		require.NoError(t, err)
		staged = append(staged, st)
	}
	// A folder took the place of c.cu meanwhile.
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "c.cu", "full"), 0o777))
	other, err := Stage(filepath.Join(dir, "e.cu"), []byte("new"))
	require.NoError(t, err)
	errs := CommitGroups([][]*Staged{staged, {other}})
	require.Len(t, errs, 2)
	require.Len(t, errs[0], 1)
	require.ErrorContains(t, errs[0][0], "c.cu")
	require.Empty(t, errs[1], "another group is not stopped")
	requireFolder(t, dir, "a.cu", "c.cu", "e.cu")
	text, err := os.ReadFile(old)
	require.NoError(t, err)
	require.Equal(t, "old", string(text))
	info, err := os.Stat(old)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o640), info.Mode())
}

// requireFolder checks that a folder holds these names and no more.
func requireFolder(t *testing.T, dir string, want ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	require.Equal(t, want, got)
}
