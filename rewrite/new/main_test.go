package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestTheSkeletonCompiles lays the skeleton over the sources and builds what imports it.
func TestTheSkeletonCompiles(t *testing.T) {
	root, err := filepath.Abs("../..")
	require.NoError(t, err)
	files, err := skeleton("shuffle", func(path string) ([]byte, error) { return os.ReadFile(filepath.Join(root, path)) })
	require.NoError(t, err)
	dir, replaced := t.TempDir(), map[string]string{}
	for path, text := range files {
		own := filepath.Join(dir, filepath.FromSlash(path))
		require.NoError(t, os.MkdirAll(filepath.Dir(own), 0o777))
		require.NoError(t, os.WriteFile(own, []byte(text), 0o666))
		replaced[filepath.Join(root, path)] = own
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replaced})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "overlay.json"), overlay, 0o666))
	build := exec.Command("go", "build", "-overlay", filepath.Join(dir, "overlay.json"), "./rewrite/shuffle", "./rewrite")
	build.Dir = root
	out, err := build.CombinedOutput()
	assert.NoError(t, err, "%s", out)
}

func TestWrongNamesAreRefused(t *testing.T) {
	none := func(string) ([]byte, error) { return nil, os.ErrNotExist }
	for _, name := range []string{"", "Coarsen", "co-arsen", "../x"} {
		_, err := skeleton(name, none)
		assert.ErrorContains(t, err, "is no name", name)
	}
	_, err := skeleton("merge", func(string) ([]byte, error) { return nil, nil })
	assert.ErrorContains(t, err, "is there already")
}
