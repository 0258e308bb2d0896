package validate_test

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
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

// exampleRows are how many forms there are of the examples, and how many are shown, by rewrite.
func exampleRows(t *testing.T, paths []string) map[string][2]int {
	t.Helper()
	rows := map[string][2]int{}
	for _, path := range paths {
		prog, errs := parser.LoadProgram([]string{path}, parser.Options{})
		require.NoError(t, errors.Join(errs...))
		trial, err := combine.Try(prog, combine.Usual.Ways(), rewrite.Options{Runtime: "header"})
		require.NoError(t, err)
		for _, f := range trial.Forms {
			r := judge(t, path, f.Result)
			key := strings.TrimSpace(f.Ways[0].Rewriter + " " + f.Ways[0].Sync)
			n := rows[key]
			n[0]++
			if r.Proved() {
				n[1]++
			} else if why := os.Getenv("WHY"); why != "" && strings.HasPrefix(key, why) {
				t.Logf("%s %v\n%s", path, f.Ways[0], doubts(r))
			}
			rows[key] = n
		}
	}
	return rows
}

// The page says what is shown of the examples' forms: all of those that take turns without a knob, see
// TestMutants.
func TestThePageSaysWhatIsShown(t *testing.T) {
	if !suite.Full() {
		t.Skip("validates a few hundred forms: make test-full")
	}
	paths, err := filepath.Glob("../examples/*/*.cu")
	require.NoError(t, err)
	rows := exampleRows(t, paths)
	var table strings.Builder
	table.WriteString("| rewrite | forms | shown |\n|---|---:|---:|\n")
	for _, key := range slices.Sorted(maps.Keys(rows)) {
		fmt.Fprintf(&table, "| %s | %d | %d |\n", key, rows[key][0], rows[key][1])
	}
	const page = "../docs/validate.md"
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	before, rest, _ := strings.Cut(string(text), "<!-- examples -->\n")
	was, after, _ := strings.Cut(rest, "<!-- /examples -->")
	if *update {
		require.NoError(t, os.WriteFile(page, []byte(before+"<!-- examples -->\n"+table.String()+"<!-- /examples -->"+after), 0o644))
		was = table.String()
	}
	require.Equal(t, table.String(), was, "SMUX_TEST_FULL=1 go test ./validate -run ThePage -update renews it")
}
