package instrument

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/lab/suite"
	"github.com/smux-cuda/smux/rewrite"
)

// examples are the ten programs by name.
func examples(t *testing.T) map[string][]byte {
	t.Helper()
	paths, err := filepath.Glob("../../examples/*/*.cu")
	require.NoError(t, err)
	require.Len(t, paths, 10)
	out := map[string][]byte{}
	for _, path := range paths {
		if out[filepath.Base(path)], err = os.ReadFile(path); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// tuned is the first kernel of a program that can be rewritten, and the program
// rewritten.
func tuned(t *testing.T, texts map[string][]byte, way rewrite.Variant) (string, map[string][]byte) {
	t.Helper()
	result, err := rewrite.Run(parsed(t, texts), rewrite.Options{Variant: way})
	require.NoError(t, err)
	require.Len(t, result.Files, 1, "%+v", result.Kernels)
	for _, k := range result.Kernels {
		if k.Rewriter != "" {
			return k.Name, with(texts, map[string][]byte{result.Files[0].Name: result.Files[0].After})
		}
	}
	require.Fail(t, "nothing was rewritten")
	return "", nil
}

// With nothing set a program does what it did; with the environment it tells of it;
// and so do rewrites.
func TestExamplesTellOfTheirLaunches(t *testing.T) {
	toolchain := engine(t)
	for name, text := range examples(t) {
		t.Run(name, func(t *testing.T) {
			suite.Sample(t, name, 4)
			t.Parallel()
			texts := map[string][]byte{name: text}
			kernel, merged := tuned(t, texts, rewrite.Variant{})
			original := compiled(t, toolchain, timed(t, texts, kernel))
			want := run(t, original, []string{EnvFlush + "=4096", EnvCheck + "=1"})
			require.NoError(t, want.err)
			assert.Empty(t, want.Unchecked)
			assert.Greater(t, len(records(t, want.copies)), 2*len(want.Launches), "memory behind each launch, and copies")
			if !slices.Contains([]string{"rd.cu", "mm.cu", "tp.cu"}, name) { // the others differ in no way that counts here
				return
			}
			assert.Equal(t, plain(t, compiled(t, toolchain, texts), nil), plain(t, original, nil))
			got := run(t, compiled(t, toolchain, timed(t, merged, kernel)), []string{EnvCheck + "=1"})
			require.NoError(t, got.err)
			assert.Equal(t, want.exit, got.exit, "a program whose launches build on one another finds its results wrong in a check")
			assert.Equal(t, want.stdout, got.stdout)
			assert.Len(t, got.Launches, len(want.Launches))
			assert.Equal(t, 2*want.Launches[0].Threads, got.Launches[0].Threads)
			found, _ := difference(t, got.copies, want.copies)
			assert.Empty(t, found)
		})
	}
}
