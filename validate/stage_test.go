package validate_test

import (
	"errors"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/lab/mutate"
	"github.com/smux-cuda/smux/lab/suite"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/validate"
)

// stageForms are the programs of examples/stage, all or those of some names, in the ways of stage.
func stageForms(t *testing.T, names ...string) (out []form) {
	t.Helper()
	if len(names) == 0 {
		names = []string{"*"}
	}
	for _, name := range names {
		paths, err := filepath.Glob("../examples/stage/" + name + "/*.cu")
		require.NoError(t, err)
		for _, path := range paths {
			old, errs := parser.LoadProgram([]string{path}, parser.Options{})
			require.NoError(t, errors.Join(errs...))
			for _, way := range []rewrite.Variant{{Rewriter: "stage"}, {Rewriter: "stage", Scheme: "planes"}} {
				res, err := rewrite.Run(old, rewrite.Options{Variant: way, Runtime: "header"})
				require.NoError(t, err)
				if len(res.Files) == 0 {
					continue
				}
				now, err := res.After(old)
				require.NoError(t, err)
				out = append(out, form{path, way, old, now})
			}
		}
	}
	return out
}

// equalStage are mutants that do what the original does.
var equalStage = map[string]string{
	"jacobi2 stage jacobi:short#1":               "the last element is a corner, which no thread reads",
	"jacobi3 stage jacobi:short#1":               "the same",
	"jacobi3 stage scheme=planes jacobi:short#1": "the same",
	"jacobi3 stage scheme=planes jacobi:short#2": "the same",
}

// mutated are the examples of which mutants are tried: one of each scheme, and none that takes long.
var mutated = []string{"jacobi1", "product", "jacobi2", "needle", "transpose", "kmeans"}

// What stage makes of the examples is shown, but for some, and no mutant of it is.
func TestStageIsShown(t *testing.T) {
	forms := stageForms(t, "jacobi1", "product")
	if suite.Full() {
		forms = stageForms(t)
	}
	shown, mutants := 0, 0
	for _, f := range forms {
		r := validate.Programs(f.old, f.now)
		name := filepath.Base(filepath.Dir(f.program)) + " " + f.way.String()
		if !assert.True(t, r.Proved(), "%s: %s", name, doubts(r)) {
			continue
		}
		shown++
		if !slices.Contains(mutated, filepath.Base(filepath.Dir(f.program))) {
			continue
		}
		for _, m := range mutate.Mutants(f.now.Files[0]) {
			bad, err := f.now.With(f.now.Files[0], mutate.Apply(f.now.Files[0], m))
			require.NoError(t, err)
			if validate.Programs(f.old, bad).Proved() {
				assert.NotEmpty(t, equalStage[name+" "+m.ID], "%s %s (%s) is shown", name, m.ID, m.Text)
				continue
			}
			mutants++
		}
	}
	t.Logf("%d of %d forms shown, %d mutants refused", shown, len(forms), mutants)
}
