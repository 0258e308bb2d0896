package validate_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/lab/mutate"
	"github.com/smux-cuda/smux/lab/suite"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/validate"
)

// cores are the forms that take turns, without a knob: everything is shown of them, and nothing of a mutant.
var cores = []rewrite.Variant{
	{Rewriter: "vtb", Sync: "named"}, {Rewriter: "vtb", Sync: "lock"}, {Rewriter: "dyn", Factor: 4, SharedSets: 2}, {Rewriter: "merge", Sync: "named"},
	{Rewriter: "vtb", Sync: "block"}, {Rewriter: "merge", Sync: "block"},
	{Rewriter: "co-vtb", Sync: "named"}, {Rewriter: "co-vtb", Sync: "block"}, {Rewriter: "vtb-pipe", Sync: "block"},
	{Rewriter: "vtb", Sync: "named", Stage: 4, Pin: true, Early: true, Late: true, Numbered: true, Persistent: true},
}

// Every example in every core form is shown, and no mutant of it: a validator that tells none of them from the
// right text is no good.
func TestMutants(t *testing.T) {
	paths, err := filepath.Glob("../examples/*/*.cu")
	require.NoError(t, err)
	if !suite.Full() {
		paths = []string{"../examples/sp/sp.cu"}
	}
	all, forms := 0, 0
	for _, path := range paths {
		prog, errs := parser.LoadProgram([]string{path}, parser.Options{})
		require.NoError(t, errors.Join(errs...))
		for _, v := range cores {
			res, err := rewrite.Run(prog, rewrite.Options{Variant: v})
			require.NoError(t, err)
			if len(res.Files) == 0 {
				continue
			}
			now, err := res.After(prog)
			require.NoError(t, err)
			r := validate.Programs(prog, now)
			require.True(t, r.Proved(), "%s %v: %s", path, v, doubts(r))
			forms++
			for _, m := range mutate.Mutants(now.Files[0]) {
				if strings.HasPrefix(m.ID, "runtime:") && !strings.HasSuffix(path, "/sp.cu") {
					continue // the same ones in each file, and refused by their hashes
				}
				bad, err := now.With(now.Files[0], mutate.Apply(now.Files[0], m))
				require.NoError(t, err)
				all++
				assert.False(t, validate.Programs(prog, bad).Proved(), "%s %v: %s (%s) is shown", path, v, m.ID, m.Text)
			}
		}
	}
	require.NotZero(t, all)
	t.Logf("%d forms shown, %d mutants refused", forms, all)
}
