package reuse_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/reuse"
	"github.com/smux-cuda/smux/parser"
)

var update = flag.Bool("update", false, "write what the code does into the goldens")

// kernels analyses the source of an archive; "block: 16x16" in its comment is
// the shape from the command line.
func kernels(t testing.TB, archive *txtar.Archive) []*analysis.Kernel {
	t.Helper()
	var block [3]int
	for _, line := range strings.Split(string(archive.Comment), "\n") {
		if shape, ok := strings.CutPrefix(line, "block: "); ok {
			block = [3]int{1, 1, 1}
			for i, s := range strings.Split(shape, "x") {
				_, err := fmt.Sscan(s, &block[i])
				require.NoError(t, err)
			}
		}
	}
	f, err := parser.Parse(archive.Files[0].Name, archive.Files[0].Data, parser.Options{})
	require.NoError(t, err)
	return analysis.NewProgram(parser.NewProgram([]*parser.File{f}, parser.Options{}), block).Kernels()
}

// TestCandidates compares what is found with the goldens.
func TestCandidates(t *testing.T) {
	paths, err := filepath.Glob("testdata/*.txtar")
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(path)
			require.NoError(t, err)
			var b bytes.Buffer
			for _, k := range kernels(t, archive) {
				found := reuse.Candidates(k, k.Instances[0])
				if len(found) == 0 {
					fmt.Fprintf(&b, "%s: none\n", k.Name)
				}
				for _, c := range found {
					fmt.Fprintf(&b, "%s: %s", k.Name, c)
				}
			}
			if *update {
				archive.Files = append(archive.Files[:1], txtar.File{Name: "candidates", Data: b.Bytes()})
				require.NoError(t, os.WriteFile(path, txtar.Format(archive), 0o666))
				return
			}
			require.Len(t, archive.Files, 2, "-update writes the golden")
			require.Equal(t, string(archive.Files[1].Data), b.String(), "-update writes what the code does")
		})
	}
}
