package project_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/smux-cuda/smux/project"
)

func TestGlobsMatchFilesAndTheirFolders(t *testing.T) {
	g := project.NewGlobs([]string{"old/", "*_test.cu", "!keep_test.cu", "/top.cu", "a/**/z.cu"})
	for path, want := range map[string]bool{
		"old/x.cu": true, "a/old/b/x.cu": true, "old.cu": false, "x_test.cu": true, "a/x_test.cu": true, "keep_test.cu": false,
		"old/keep_test.cu": true, "top.cu": true, "a/top.cu": false, "a/b/c/z.cu": true, "b/z.cu": false, "": false,
	} {
		assert.Equal(t, want, g.Match(path), path)
	}
}
