package validate_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/internal/suite"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/rewrite/combine"
	"github.com/smux-cuda/smux/validate"
)

// judge validates a rewritten text against the original.
func judge(t *testing.T, path string, result *rewrite.Result) *validate.Result {
	t.Helper()
	old, errs := parser.LoadProgram([]string{path}, parser.Options{})
	require.NoError(t, errors.Join(errs...))
	now, err := result.After(old)
	require.NoError(t, err)
	return validate.Programs(old, now)
}

func doubts(r *validate.Result) string {
	var out []string
	for _, d := range r.Doubts {
		out = append(out, fmt.Sprintf("%v: %s: %s", d.Pos, d.Condition, d.Text))
	}
	for _, k := range r.Kernels {
		for _, d := range k.Doubts {
			out = append(out, fmt.Sprintf("%v: %s: %s: %s", d.Pos, k.Name, d.Condition, d.Text))
		}
	}
	return strings.Join(out, "\n")
}

func TestExamples(t *testing.T) {
	paths, err := filepath.Glob("../examples/*/*.cu")
	require.NoError(t, err)
	table := map[string][2]int{}
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			prog, errs := parser.LoadProgram([]string{path}, parser.Options{})
			require.NoError(t, errors.Join(errs...))
			trial, err := combine.Try(prog, combine.Usual.Ways(), rewrite.Options{Runtime: "header"})
			require.NoError(t, err)
			for _, f := range trial.Forms {
				r := judge(t, path, f.Result)
				key := f.Ways[0].Rewriter + " " + f.Ways[0].Sync
				n := table[key]
				n[0]++
				if r.Proved() {
					n[1]++
				} else if os.Getenv("WHY") != "" && strings.HasPrefix(key, os.Getenv("WHY")) {
					t.Logf("%v\n%s", f.Ways[0], doubts(r))
				}
				table[key] = n
			}
		})
	}
	for k, n := range table {
		t.Logf("%-16s %d of %d", k, n[1], n[0])
	}
	_ = suite.Full
}
