package stress

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestMeasurementsAreAddedToARecordOfTheirOwn(t *testing.T) {
	file := filepath.Join(t.TempDir(), "r.jsonl")
	rows := rowsOf("k", "a100", 20, 10)
	for i := range rows {
		require.NoError(t, Appendable(file))
		require.NoError(t, Append(file, rows[i:i+1]))
	}
	all, err := Read(file)
	require.NoError(t, err)
	require.Len(t, all, 1)
	assert.Equal(t, rows, all[0].Rows)
}

func TestNothingIsAddedToWhatIsNoRecord(t *testing.T) {
	dir := t.TempDir()
	assert.ErrorContains(t, Appendable(dir), "is not a regular file")
	assert.ErrorIs(t, Appendable(filepath.Join(dir, "none", "r.jsonl")), fs.ErrNotExist)
	file := filepath.Join(dir, "text")
	require.NoError(t, os.WriteFile(file, nil, 0o666))
	assert.NoError(t, Appendable(file), "an empty file becomes a record")
	require.NoError(t, os.WriteFile(file, []byte("text\n"), 0o666))
	assert.ErrorContains(t, Appendable(file), "a file that is not a record: "+file+":1: ")
}
