package config

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// write makes files, and the folders that they are in.
func write(t *testing.T, root string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(root, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o777))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o666))
	}
}

func TestTheNearestFileUpToTheRepositoryCounts(t *testing.T) {
	root := t.TempDir()
	write(t, root, map[string]string{
		Name: "gpus: t4", "repo/.git/HEAD": "", "repo/" + Name: "gpus: a100", "repo/a/b/x.cu": "", "repo/a/c/" + Name: "min-gain: 1",
		"other/.git": "gitdir: elsewhere", "other/x.cu": "", "plain/x.cu": "",
	})
	f := NewFinder(root, nil)
	for dir, want := range map[string]string{
		"repo": "repo/" + Name, "repo/a": "repo/" + Name, "repo/a/b": "repo/" + Name, "repo/a/c": "repo/a/c/" + Name,
		"other": "", "plain": Name, "repo/none/there": "repo/" + Name,
	} {
		if want != "" {
			want = filepath.Join(root, want)
		}
		assert.Equal(t, want, f.Find(filepath.Join(root, dir)), dir)
	}
	assert.Equal(t, []string{filepath.Join(root, "repo/a/c", Name), filepath.Join(root, "repo", Name)}, f.Above(filepath.Join(root, "repo/a/c")))
	s, err := f.Read(f.Find(filepath.Join(root, "repo/a/c")))
	require.NoError(t, err)
	assert.Empty(t, s.GPUs, "files are not merged")
	assert.Equal(t, filepath.Join("repo", "a", "c", Name), s.File, "named as seen from where smux runs")
	again, _ := f.Read(filepath.Join(root, "repo/a/c", Name))
	assert.Same(t, s, again)
}

func TestManyFilesLookIntoEachFolderOnce(t *testing.T) {
	asked := map[string]int{}
	f := NewFinder("/", nil)
	f.stat = func(name string) (fs.FileInfo, error) {
		asked[name]++
		return nil, fs.ErrNotExist
	}
	for i := range 10_000 {
		assert.Empty(t, f.Find(fmt.Sprintf("/home/src/%d", i%100)))
	}
	assert.Len(t, asked, 2*(100+3), "two names in each of the folders")
	for name, n := range asked {
		assert.Equal(t, 1, n, name)
	}
}

func TestAFileThatIsNoneIsTold(t *testing.T) {
	root := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(root, Name), 0o777))
	f := NewFinder(root, nil)
	path := f.Find(root)
	require.NotEmpty(t, path)
	_, err := f.Read(path)
	assert.EqualError(t, err, Name+": config-syntax: this is not a regular file")
	require.NoError(t, os.Remove(path))
	require.NoError(t, os.Symlink("gone", path))
	assert.Empty(t, NewFinder(root, nil).Find(root))
}

func TestCommonFolder(t *testing.T) {
	for want, dirs := range map[string][]string{
		"": nil, "/a/b": {"/a/b"}, "/a": {"/a/b", "/a/c", "/a/b/d"}, "/": {"/a", "/b"}, "/x/a": {"/x/a", "/x/a/b"}, "/y": {"/y/ab", "/y/a"},
	} {
		assert.Equal(t, want, Common(dirs))
	}
}
