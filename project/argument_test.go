package project

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestArgumentsThatNameFolders(t *testing.T) {
	t.Chdir(plant(t, "src/a.cu", "...x"))
	for arg, folder := range map[string]string{
		".": ".", "src": "src", "src/": "src/", "...": ".", "./...": ".", "src/...": "src", "none/...": "none",
	} {
		assert.True(t, IsFolder(arg), arg)
		assert.Equal(t, folder, Folder(arg), arg)
	}
	for _, arg := range []string{"src/a.cu", "-", "none", "...x"} {
		assert.False(t, IsFolder(arg), arg)
		assert.Equal(t, arg, Folder(arg), arg)
	}
}

func TestResolvedFollowsLinksBeforeParents(t *testing.T) {
	dir := plant(t, "real/deep/", "real/a.cu")
	require.NoError(t, os.Symlink("real/deep", filepath.Join(dir, "link")))
	t.Chdir(dir)
	assert.Equal(t, dir+"/real/a.cu", Resolved("link/../a.cu"), "not a.cu beside the link")
	assert.Equal(t, dir+"/gone.cu", Resolved("gone.cu"))
}

func TestWithinComparesWholeNames(t *testing.T) {
	for file, want := range map[string]bool{"/a/b": true, "/a/b/c.cu": true, "/a/bc": false, "/a": false} {
		assert.Equal(t, want, Within(file, []string{"/x", "/a/b"}), file)
	}
	assert.True(t, Within("/a", []string{"/"}))
}
