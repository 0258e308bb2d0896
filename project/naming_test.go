package project

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/parser"
)

func TestFilesAreNamedFromTheTopOfTheRepository(t *testing.T) {
	top := t.TempDir()
	inner := filepath.Join(top, "outer", "module")
	require.NoError(t, os.MkdirAll(filepath.Join(inner, "src"), 0o777))
	require.NoError(t, os.Mkdir(filepath.Join(top, "outer", ".git"), 0o777))
	require.NoError(t, os.WriteFile(filepath.Join(inner, ".git"), []byte("gitdir: ../.git/modules/module\n"), 0o666))
	require.NoError(t, os.Symlink(filepath.Join(top, "outer"), filepath.Join(top, "link")))
	t.Chdir(filepath.Join(top, "outer"))
	name := filepath.Join("module", "src", "k.cu")
	assert.Equal(t, "module/src/k.cu", RepositoryPath(name))
	assert.Equal(t, "src/k.cu", DiffName(name), "git apply is run in the submodule")
	assert.Equal(t, "module/src/k.cu", RepositoryPath(filepath.Join(top, "link", name)), "by another way")
	outside := filepath.Join(top, "k.cu")
	assert.Equal(t, filepath.ToSlash(outside), RepositoryPath(outside))
	assert.Equal(t, "stdin", RepositoryPath(parser.StdinName))
	assert.Equal(t, "stdin", DiffName(parser.StdinName))
}
