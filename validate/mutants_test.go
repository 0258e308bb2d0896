package validate_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/validate"
	"github.com/smux-cuda/smux/verify/mutate"
)

func TestMutants(t *testing.T) {
	paths, err := filepath.Glob("../examples/*/*.cu")
	require.NoError(t, err)
	all, caught := 0, 0
	for _, path := range paths {
		prog, errs := parser.LoadProgram([]string{path}, parser.Options{})
		require.NoError(t, errors.Join(errs...))
		for _, v := range []rewrite.Variant{
			{Rewriter: "vtb", Sync: "named"}, {Rewriter: "vtb", Sync: "lock"}, {Rewriter: "dyn", Factor: 4, SharedSets: 2}, {Rewriter: "merge"},
		} {
			res, err := rewrite.Run(prog, rewrite.Options{Variant: v})
			require.NoError(t, err)
			if len(res.Files) == 0 {
				continue
			}
			now, err := res.After(prog)
			require.NoError(t, err)
			if r := validate.Programs(prog, now); !r.Proved() {
				t.Logf("%s %v: not proved: %s", path, v, doubts(r))
				continue
			}
			for _, m := range mutate.Mutants(now.Files[0]) {
				text := mutate.Apply(now.Files[0], m)
				bad, err := now.With(now.Files[0], text)
				require.NoError(t, err)
				r := validate.Programs(prog, bad)
				all++
				if !r.Proved() {
					caught++
					if os.Getenv("HOW") != "" {
						t.Logf("%s %v: %s: %s", filepath.Base(path), v, m.ID, strings.Split(doubts(r), "\n")[0])
					}
				} else {
					t.Errorf("%s %v: %s (%s) is proved", filepath.Base(path), v, m.ID, m.Text)
				}
			}
		}
	}
	t.Logf("%d of %d caught", caught, all)
}
