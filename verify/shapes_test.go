package verify_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/lab/combine"
	"github.com/smux-cuda/smux/lab/suite"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/verify"
)

// TestShapesOfRealCodeAreEqual: programs written as real ones are, in styles
// that were refused once, are rewritten into each variant that their first line names,
// and do the same as before, without a race or a deadlock.
func TestShapesOfRealCodeAreEqual(t *testing.T) {
	needCompiler(t)
	if testing.Short() {
		t.Skip("programs are not compiled with -short")
	}
	paths, err := filepath.Glob("testdata/shapes/*.cu")
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".cu")
		t.Run(name, func(t *testing.T) {
			suite.Sample(t, name, 3)
			t.Parallel()
			prog, errs := parser.LoadProgram([]string{path}, parser.Options{})
			require.Empty(t, errs)
			line, _, _ := strings.Cut(string(prog.Files[0].Src), "\n")
			list, ok := strings.CutPrefix(line, "// ways: ")
			require.True(t, ok, "the first line names the ways")
			var variants []verify.Variant
			for _, text := range strings.Split(list, ", ") {
				variant, sync, _ := strings.Cut(text, " ")
				way := rewrite.Variant{Rewriter: variant, Sync: sync, Factor: 2}
				if variant == "dyn" {
					way.Factor, way.SharedSets = 3, 2
				}
				trial, err := combine.Try(prog, []rewrite.Variant{way}, rewrite.Options{})
				require.NoError(t, err)
				if assert.Len(t, trial.Forms, 1, "%s: %v", text, trial.Refused) {
					for _, k := range trial.Forms[0].Result.Kernels {
						assert.NotEmpty(t, k.Rewriter, "%s: %s: %v", text, k.Name, k.Refused)
					}
					variants = append(variants, verify.Variant{Name: text, Program: oneFile(name, trial.Forms[0].Result.Files[0].After), Checked: true})
				}
			}
			requireEqual(t, matrixProgram{name: name}, prog, variants)
		})
	}
}
