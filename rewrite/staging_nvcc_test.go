package rewrite_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/analysis/passes"
	"github.com/smux-cuda/smux/analysis/summary"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/lab/suite"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/rewrite/variant"
)

// stagedWays are the ways in which the programs for stage are compiled, as far as any of their
// kernels can be staged so.
var stagedWays = []rewrite.Variant{
	{Rewriter: variant.Stage},
	{Rewriter: variant.Stage, Tile: 5},
	{Rewriter: variant.Stage, Async: true},
	{Rewriter: variant.Stage, Vector: 4},
	{Rewriter: variant.Stage, Vector: 2, Tile: 8},
	{Rewriter: variant.Stage, Scheme: variant.SchemeTable},
	{Rewriter: variant.Stage, Scheme: variant.SchemeTranspose},
	{Rewriter: variant.Stage, Scheme: variant.SchemeResize, Tile: 3},
}

// TestStagedProgramsCompile compiles the programs for stage as they are and staged in all
// schemes: without a warning that the original does not give.
func TestStagedProgramsCompile(t *testing.T) {
	needNVCC(t)
	paths, err := filepath.Glob("../examples/stage/*/*.cu")
	require.NoError(t, err)
	more, err := filepath.Glob("../verify/testdata/stage/*.cu")
	require.NoError(t, err)
	require.NotEmpty(t, more)
	for _, path := range append(paths, more...) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			suite.Sample(t, filepath.Base(path), 4)
			t.Parallel()
			src, err := os.ReadFile(path)
			require.NoError(t, err)
			parts := [][]byte{src}
			for _, w := range stagedWays {
				if after := rewriteStaged(t, path, w); after != nil && !slices.ContainsFunc(parts, func(p []byte) bool { return string(p) == string(after) }) {
					parts = append(parts, after)
				}
			}
			args, _ := architectures(true)
			compiled := nvccParts(t, parts, args...)
			for _, c := range compiled[1:] {
				for _, w := range c.warnings {
					assert.Contains(t, compiled[0].warnings, w, "a new warning")
				}
			}
		})
	}
}

// TestWhatIsStagedAndThenMergedCompiles: two steps, or three where registers are capped after them, are one
// text.
func TestWhatIsStagedAndThenMergedCompiles(t *testing.T) {
	needNVCC(t)
	merged := []rewrite.Variant{
		{Rewriter: "vtb", Sync: "named", Factor: 2, Staged: true}, {Rewriter: "vtb", Sync: "block", Factor: 2, Staged: true},
		{Rewriter: "dyn", Sync: "lock", Factor: 3, SharedSets: 2, Staged: true}, {Rewriter: "merge", Sync: "block", Factor: 2, Staged: true},
	}
	for _, name := range []string{"product", "matvec", "nbody", "convolution"} {
		t.Run(name, func(t *testing.T) {
			suite.Sample(t, name, 2)
			t.Parallel()
			path := filepath.Join("../examples/stage", name, name+".cu")
			src, err := os.ReadFile(path)
			require.NoError(t, err)
			parts := [][]byte{src, capped(t, path)}
			for _, w := range merged {
				if after := rewriteStaged(t, path, w); after != nil {
					parts = append(parts, after)
				}
			}
			assert.GreaterOrEqual(t, len(parts), 4)
			args, _ := architectures(true)
			nvccParts(t, parts, args...)
		})
	}
}

// capped is a program in which arrays are staged, and launch bounds are given to that.
func capped(t *testing.T, path string) []byte {
	t.Helper()
	prog, errs := parser.LoadProgram([]string{path}, parser.Options{})
	require.NoError(t, errors.Join(errs...))
	opt := rewrite.Options{Variant: rewrite.Variant{Rewriter: variant.Stage}, Then: map[diag.Position]rewrite.Decision{}}
	for _, k := range passes.NewProgram(prog, [3]int{}).Kernels() {
		opt.Then[summary.Position(k)] = rewrite.Decision{Variant: rewrite.Variant{Rewriter: variant.Demote, Recipe: "bounds=256,2"}}
	}
	res, err := rewrite.Run(prog, opt)
	require.NoError(t, err)
	require.Len(t, res.Files, 1)
	text := string(res.Files[0].After)
	assert.Contains(t, text, "__launch_bounds__(256, 2)")
	assert.Contains(t, text, "_tile[")
	return res.Files[0].After
}

// rewriteStaged is a program with what can be staged in a way, nil where that is nothing.
func rewriteStaged(t *testing.T, path string, w rewrite.Variant) []byte {
	t.Helper()
	prog, errs := parser.LoadProgram([]string{path}, parser.Options{})
	require.NoError(t, errors.Join(errs...))
	res, err := rewrite.Run(prog, rewrite.Options{Variant: w})
	require.NoError(t, err)
	if len(res.Files) == 0 {
		return nil
	}
	return res.Files[0].After
}
