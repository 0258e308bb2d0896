package verify_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/lab/suite"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/verify"
	"github.com/smux-cuda/smux/verify/execute"
)

// registerRecipes are those of testdata/registers/recipes.txt, by program.
func registerRecipes(t *testing.T) map[string][]string {
	t.Helper()
	text, err := os.ReadFile("../testdata/registers/recipes.txt")
	require.NoError(t, err)
	out := map[string][]string{}
	for _, line := range strings.Split(string(text), "\n") {
		words := strings.SplitN(line, " ", 3)
		if line != "" && !strings.HasPrefix(line, "#") {
			require.Len(t, words, 3, "%q is no program, rung and recipe", line)
			out[words[0]] = append(out[words[0]], words[2])
		}
	}
	return out
}

// TestRegisterExamplesAreEqualUnderTheirRecipes: each program of
// examples/registers is right, has no race and nothing else against it, and so has
// what the recorded recipes make of it, in several orders of threads and blocks.
func TestRegisterExamplesAreEqualUnderTheirRecipes(t *testing.T) {
	needCompiler(t)
	if testing.Short() {
		t.Skip("the programs are not run with -short")
	}
	recipes := registerRecipes(t)
	paths, err := filepath.Glob("../examples/registers/*/*.cu")
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(paths), 6)
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".cu")
		t.Run(name, func(t *testing.T) {
			suite.Sample(t, name, 3)
			t.Parallel()
			prog, errs := parser.LoadProgram([]string{path}, parser.Options{})
			require.NoError(t, errors.Join(errs...))
			request := verify.Request{
				Original: oneFile(name, prog.Files[0].Src), Timeout: 5 * time.Minute, Jobs: 1,
				Schedules:        []execute.Schedule{{Kind: "ascending"}, {Kind: "random", Seed: 1}},
				CheckedSchedules: []execute.Schedule{{Kind: "descending"}},
			}
			for _, recipe := range recipes[name] {
				res, err := rewrite.Run(prog, rewrite.Options{Variant: rewrite.Variant{Rewriter: "demote", Recipe: recipe}})
				require.NoError(t, err)
				require.Len(t, res.Kernels, 1)
				require.Empty(t, res.Kernels[0].Refused, recipe)
				require.Len(t, res.Files, 1, recipe)
				request.Variants = append(request.Variants, verify.Variant{Name: recipe, Program: oneFile(name, res.Files[0].After), Checked: !strings.Contains(recipe, "demote=")})
			}
			verdict, err := verify.Run(context.Background(), request)
			require.NoError(t, err)
			for _, f := range verdict.Failures {
				assert.Fail(t, "could not be run", "%s: %s\n%s", f.Variant, f.Message, f.Output)
			}
			for _, f := range verdict.Findings {
				assert.NotEqual(t, verify.Counts, f.Severity, "%s: %s", f.Variant, f.Message)
			}
			want := verify.Equal
			if len(request.Variants) == 0 {
				want = verify.Clean // nothing to compare it with
			}
			assert.Equal(t, want, verdict.Outcome)
			for _, v := range request.Variants {
				assert.True(t, verdict.Passed(v.Name), v.Name)
			}
		})
	}
}
