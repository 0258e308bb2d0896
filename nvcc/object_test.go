package nvcc

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// An object is compiled once, whatever is asked of it afterwards and of the cache, tells what
// Codes tells, and leaves no files.
func TestAnObjectIsCompiledOnce(t *testing.T) {
	toolkit := real(t)
	toolkit.CacheDir = t.TempDir()
	t.Setenv("TMPDIR", t.TempDir())
	r, _ := example(t, toolkit, "hg")
	o, err := toolkit.Object(t.Context(), r)
	require.NoError(t, err)
	assert.Equal(t, 1, toolkit.stepped)
	kernels, err := toolkit.Resources(t.Context(), r)
	require.NoError(t, err)
	assert.Equal(t, kernels, o.Kernels)
	runs := toolkit.runs
	codes, err := o.Codes(t.Context())
	require.NoError(t, err)
	o.Close()
	assert.Equal(t, runs+1, toolkit.runs, "the disassembler alone")

	again, err := toolkit.Object(t.Context(), r)
	require.NoError(t, err)
	defer again.Close()
	kept, err := again.Codes(t.Context())
	require.NoError(t, err)
	assert.Equal(t, codes, kept)
	assert.Equal(t, 1, toolkit.stepped)
	left, err := os.ReadDir(os.Getenv("TMPDIR"))
	require.NoError(t, err)
	assert.Empty(t, left)

	// What ptxas reports was kept by an object of which no code was asked.
	toolkit.CacheDir = t.TempDir()
	first, err := toolkit.Object(t.Context(), r)
	require.NoError(t, err)
	first.Close()
	second, err := toolkit.Object(t.Context(), r)
	require.NoError(t, err)
	assert.Equal(t, 2, toolkit.stepped)
	anew, err := second.Codes(t.Context())
	require.NoError(t, err)
	assert.Equal(t, codes, anew)
	assert.Equal(t, 3, toolkit.stepped)
}
