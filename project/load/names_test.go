package load

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestFoldersAreSpelledLikeTheFiles(t *testing.T) {
	t.Chdir("/")
	for _, c := range []struct {
		name        string
		files, dirs []string
		want        []string
	}{
		{"relative files", []string{"src/a.cu"}, []string{"/src/inc", "lib"}, []string{"src/inc", "lib"}},
		{"absolute files", []string{"/src/a.cu"}, []string{"src/inc", "/lib"}, []string{"/src/inc", "/lib"}},
		{"no files", nil, []string{"lib"}, []string{"lib"}},
	} {
		assert.Equal(t, c.want, spelledLike(c.dirs, c.files), c.name)
	}
	t.Chdir("/usr")
	assert.Equal(t, []string{"/lib", "include"}, spelledLike([]string{"/lib", "/usr/include"}, []string{"a.cu"}), "what lies above")
	assert.Equal(t, []string{"../lib"}, spelledLike([]string{"/lib"}, []string{"../lib/a.cuh"}))
}
