package space_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/lab/combine"
	"github.com/smux-cuda/smux/lab/suite"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/rewrite/runtime"
	"github.com/smux-cuda/smux/tune/space"
)

// kinds are the forms that no rewriter alone writes, or not with these values: of
// each example the first of each kind is compiled, up to a number of them.
var kinds = []struct {
	name string
	most int
	is   func(space.ListedVariant) bool
}{
	{"carve-out", 10, func(e space.ListedVariant) bool { return !e.IsForm() && e.Carveout > 0 }},
	{"cap behind a merge", 10, func(e space.ListedVariant) bool { return !e.IsForm() && e.Blocks > 0 }},
	{"cap of the original", 3, func(e space.ListedVariant) bool { return e.IsForm() && e.Blocks > 0 }},
	{"private rows", 3, func(e space.ListedVariant) bool { return e.PrivateRows > 1 }},
	{"another dimension", 3, func(e space.ListedVariant) bool { return e.GridAxis != "" }},
	{"coarsened and more", 5, func(e space.ListedVariant) bool { return e.Rewriter == "coarsen" && len(e.Steps()) > 1 }},
	{"two forms", 3, func(e space.ListedVariant) bool { return e.IsForm() && e.Rewriter == "stage-loads" && e.Assume }},
}

// TestNewFormsOfTheExamplesCompile: nvcc takes what several passes write.
func TestNewFormsOfTheExamplesCompile(t *testing.T) {
	if _, err := exec.LookPath("nvcc"); err != nil {
		t.Skip("no nvcc on PATH: emitted code was not compiled (scripts/install-cuda.sh installs it)")
	}
	var parts [][]byte
	var of []string
	seen := map[string]int{}
	for _, path := range examples(t) {
		if !suite.InSample(filepath.Base(path), 6) {
			continue
		}
		in := example(t, path, "h200", rewrite.Options{Runtime: "header"})
		entries, _ := listed(t, path)
		for _, kind := range kinds {
			i := slices.IndexFunc(entries, kind.is)
			if i < 0 || seen[kind.name] == kind.most {
				continue
			}
			seen[kind.name]++
			r, err := space.Emit(in, entries[i].TunedVariant)
			require.NoError(t, err)
			require.Len(t, r.Files, 1)
			again, err := space.Emit(in, entries[i].TunedVariant)
			require.NoError(t, err)
			require.Equal(t, r, again, "twice the same")
			parts, of = append(parts, r.Files[0].After), append(of, filepath.Base(path)+" "+entries[i].TunedVariant.String())
		}
	}
	for _, kind := range kinds {
		assert.True(t, seen[kind.name] > 0 || !suite.Full(), "of %s there is one", kind.name)
	}
	require.NotEmpty(t, parts)
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "parts.cu"), combine.Pack(parts), 0o666))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "smux.cuh"), runtime.Header(), 0o666))
	cmd := exec.Command("nvcc", "-std=c++14", "-c", "-arch=sm_90", "-Xptxas", "-O0", "-Xcicc", "-O0", "-o", "parts.o", "parts.cu")
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	assert.NotContains(t, string(out), "error")
	t.Logf("%d compiled: %q", len(parts), of)
}
