package cost_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/smux-cuda/smux/analysis/cost"
	"github.com/smux-cuda/smux/model/workload"
)

var update = flag.Bool("update", false, "write what the code does into the goldens")

// TestGolden compares the workload of each kernel in testdata with what stands there: input.cu and, per kernel and
// instance, the steps as workload.Format writes them, one a line. Run with -update to write them anew.
func TestGolden(t *testing.T) {
	paths, err := filepath.Glob("testdata/*.txtar")
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(path)
			require.NoError(t, err)
			require.Equal(t, "input.cu", archive.Files[0].Name)
			got := &txtar.Archive{Comment: archive.Comment, Files: slices.Clip(archive.Files[:1])}
			for _, k := range kernelsOf(t, "input.cu", string(archive.Files[0].Data)) {
				for _, in := range k.Instances {
					w, err := cost.Of(k, in, cost.Options{})
					require.NoError(t, err)
					got.Files = append(got.Files, txtar.File{Name: k.Name + " " + in.String(), Data: []byte(text(w))})
				}
			}
			if *update {
				require.NoError(t, os.WriteFile(path, txtar.Format(got), 0o644))
				return
			}
			assert.Equal(t, string(txtar.Format(archive)), string(txtar.Format(got)))
		})
	}
}

// text writes a workload for a person: numbers to a tenth.
func text(w *workload.Kernel) string {
	var b strings.Builder
	fmt.Fprintf(&b, "threads %d, registers %d, shared %d, blocks %d, footprint %.0f\n", w.Threads, w.Registers, w.Shared, w.Blocks, w.Footprint)
	tree(&b, w.Body, "")
	for _, a := range w.Assumptions {
		if !strings.Contains(a, "estimate") && !strings.Contains(a, "static") {
			fmt.Fprintf(&b, "assumed: %s\n", a)
		}
	}
	return b.String()
}

func tree(b *strings.Builder, steps []workload.Step, indent string) {
	for _, s := range steps {
		body := s.Body
		s.Body = nil
		line := workload.Format(workload.Rounded([]workload.Step{s}, 1))
		fmt.Fprintf(b, "%s%s\n", indent, strings.TrimSuffix(line, "()"))
		tree(b, body, indent+"  ")
	}
}
