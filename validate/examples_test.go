package validate_test

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/smux-cuda/smux/lab/combine"
	"github.com/smux-cuda/smux/lab/suite"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/validate"
)

// form is a program and what a rewriter made of it.
type form struct {
	program  string // its file
	way      rewrite.Variant
	old, now *parser.Program
}

// kind is the class in which a form is counted: the rewriter and how v-TBs wait.
func (f form) kind() string { return strings.TrimSpace(f.way.Rewriter + " " + f.way.Sync) }

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

// refused holds that a result is no proof, by the condition that was broken.
func refused(t *testing.T, r *validate.Result, breaks validate.Condition) {
	t.Helper()
	assert.False(t, r.Proved())
	assert.Contains(t, doubts(r), string(breaks)+":", "another condition than the one that was broken")
	assert.NotContains(t, doubts(r), "internal error")
}

// exampleForms are the examples in every form that rewriters offer, with two values of each knob.
func exampleForms(t *testing.T, paths ...string) (out []form) {
	t.Helper()
	for _, path := range paths {
		old, errs := parser.LoadProgram([]string{path}, parser.Options{})
		require.NoError(t, errors.Join(errs...))
		trial, err := combine.Try(old, combine.Usual.Ways(), rewrite.Options{Runtime: "header"})
		require.NoError(t, err)
		for _, f := range trial.Forms {
			now, err := f.Result.After(old)
			require.NoError(t, err)
			out = append(out, form{path, f.Ways[0], old, now})
		}
	}
	return out
}

// formsBy are those that rewriters make of programs by themselves.
func formsBy(t *testing.T, rewriters []string, paths ...string) (out []form) {
	t.Helper()
	for _, path := range paths {
		old, errs := parser.LoadProgram([]string{path}, parser.Options{})
		require.NoError(t, errors.Join(errs...))
		for _, name := range rewriters {
			w := rewrite.Variant{Rewriter: name}
			res, err := rewrite.Run(old, rewrite.Options{Variant: w, Runtime: "header"})
			require.NoError(t, err)
			if len(res.Files) > 0 {
				now, err := res.After(old)
				require.NoError(t, err)
				out = append(out, form{path, w, old, now})
			}
		}
	}
	return out
}

// caseForms are the forms that the archives of testdata/cases show, with the settings in their comments
// (rewrite/golden_test.go says what they are).
func caseForms(t *testing.T, names string) (out []form) {
	t.Helper()
	paths, err := filepath.Glob("../testdata/cases/" + names + ".txtar")
	require.NoError(t, err)
	for _, path := range paths {
		archive, err := txtar.ParseFile(path)
		require.NoError(t, err)
		set := map[string]string{"variants": "vtb", "factor": "2"}
		for line := range strings.Lines(string(archive.Comment)) {
			if key, value, ok := strings.Cut(strings.TrimSpace(line), ": "); ok {
				set[key] = value
			}
		}
		number := func(key string) int { n, _ := strconv.Atoi(set[key]); return n }
		sources, named := map[string][]byte{}, strings.Fields(set["named"])
		for _, f := range archive.Files {
			if f.Name == "regions" || strings.HasSuffix(f.Name, ".messages") || strings.HasSuffix(f.Name, ".diff") {
				continue
			}
			sources[f.Name] = f.Data
			if strings.HasSuffix(f.Name, ".cu") && set["named"] == "" {
				named = append(named, f.Name)
			}
		}
		old, errs := parser.LoadProgram(named, parser.Options{ReadFile: func(name string) ([]byte, error) {
			if text, ok := sources[filepath.ToSlash(filepath.Clean(name))]; ok {
				return text, nil
			}
			return nil, fs.ErrNotExist
		}})
		require.NoError(t, errors.Join(errs...))
		var ways []rewrite.Variant
		shown := strings.Fields(set["variants"])
		if number("slots") > 0 {
			shown = append(shown, "dyn")
		}
		for _, r := range rewrite.Rewriters {
			if r.Searched || !slices.Contains(shown, r.Name) {
				continue
			}
			for _, sync := range r.Syncs {
				w := rewrite.Variant{Rewriter: r.Name, Sync: sync, Factor: number("factor"), SharedSets: number("slots"), GridAxis: set["along"],
					PrivateRows: number("private"), Stage: number("stage"), Assume: set["assume"] == "yes", Scheme: set["scheme"], Of: set["of"]}
				for _, knob := range strings.Fields(set["on"]) {
					*w.Switch(knob) = true
				}
				for _, word := range strings.Fields(set["cut"]) {
					if by, ok := strings.CutPrefix(word, "by="); ok {
						w.By = by
					} else {
						w.Rounds, _ = strconv.Atoi(strings.TrimPrefix(word, "R="))
					}
				}
				ways = append(ways, w)
			}
		}
		var block [3]int
		if n := number("block"); n > 0 {
			block = [3]int{n, 1, 1}
		}
		for _, w := range ways {
			res, err := rewrite.Run(old, rewrite.Options{Variant: w, Block: block, Runtime: "header"})
			require.NoError(t, err)
			if len(res.Files) == 0 {
				continue
			}
			now, err := res.After(old)
			require.NoError(t, err)
			out = append(out, form{filepath.Base(path), w, old, now})
		}
	}
	return out
}

// count judges forms, and counts by kind how many there are and how many are shown; any are those that are shown for
// any shape of blocks. With WHY=KIND the doubts of those that are not shown are printed.
func count(t *testing.T, forms []form) (rows map[string][2]int, any int) {
	t.Helper()
	rows = map[string][2]int{}
	why, asked := os.LookupEnv("WHY")
	for _, f := range forms {
		r := validate.Programs(f.old, f.now)
		n := rows[f.kind()]
		n[0]++
		if r.Proved() {
			n[1]++
			if !slices.ContainsFunc(r.Kernels, func(k *validate.Kernel) bool {
				return slices.ContainsFunc(k.Shown, func(o validate.Obligation) bool { return strings.HasPrefix(o.Method, "run for ") })
			}) {
				any++
			}
		} else if asked && strings.HasPrefix(f.kind(), why) {
			t.Logf("NOT %s\t%v\n%s", f.program, f.way, doubts(r))
		}
		rows[f.kind()] = n
	}
	return rows, any
}

// The page says what is shown of the examples' forms, and of those that the cases show.
func TestThePageSaysWhatIsShown(t *testing.T) {
	if !suite.Full() {
		t.Skip("validates a few hundred forms: make test-full")
	}
	paths, err := filepath.Glob("../examples/*/*.cu")
	require.NoError(t, err)
	examples, anyOfExamples := count(t, exampleForms(t, paths...))
	cases, anyOfCases := count(t, caseForms(t, "*"))
	shown := 0
	for _, rows := range []map[string][2]int{examples, cases} {
		for _, n := range rows {
			shown += n[1]
		}
	}
	examples["demote"], cases["demote"] = shownRecipes(t, nil)
	overlaid, _ := count(t, overlayForms(t))
	examples["overlay"] = overlaid["overlay"]
	more, _ := count(t, stageForms(t))
	examples["stage"] = [2]int{examples["stage"][0] + more["stage"][0], examples["stage"][1] + more["stage"][1]}
	programs, err := filepath.Glob("../testdata/rewrites/*.cu")
	require.NoError(t, err)
	others, _ := count(t, formsBy(t, []string{"reshape", "swizzle"}, slices.Concat(paths, programs)...))
	maps.Copy(examples, others)
	all := map[string]bool{}
	for _, rows := range []map[string][2]int{examples, cases} {
		for key := range rows {
			all[key] = true
		}
	}
	var table strings.Builder
	table.WriteString("| rewrite | forms of examples | proved | forms of cases | proved |\n|---|---:|---:|---:|---:|\n")
	var sum, merged [4]int
	for _, key := range slices.Sorted(maps.Keys(all)) {
		row := [4]int{examples[key][0], examples[key][1], cases[key][0], cases[key][1]}
		fmt.Fprintf(&table, "| %s | %d | %d | %d | %d |\n", key, row[0], row[1], row[2], row[3])
		for i, n := range row {
			if sum[i] += n; strings.Contains(key, "vtb") || strings.HasPrefix(key, "merge") || strings.HasPrefix(key, "dyn") {
				merged[i] += n
			}
		}
	}
	fmt.Fprintf(&table, `
That is %d of %d forms of the examples and %d of %d of the cases, %.1f %% of all; of those in which blocks are merged %d of %d and %d of %d, %.1f %%.
%d of the %d that are proved of the ten examples and of the cases other than demote's hold for any shape of blocks; for the others the kernel
is run for the threads of one block, whose shape the new text names.
`, sum[1], sum[0], sum[3], sum[2], 100*float64(sum[1]+sum[3])/float64(sum[0]+sum[2]), merged[1], merged[0], merged[3], merged[2],
		100*float64(merged[1]+merged[3])/float64(merged[0]+merged[2]), anyOfExamples+anyOfCases, shown)
	const page = "../docs/evidence/validate.md"
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
