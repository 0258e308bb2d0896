package rewrite_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/rewrite/kit"
	"github.com/smux-cuda/smux/rewrite/merge"
	"github.com/smux-cuda/smux/rewrite/variant"
)

// told are the codes that a rewriter gave, and whether it refused a kernel by them
// or remarked on one.
type told struct{ refused, noted map[diag.Code]bool }

func (t told) add(refused, noted []diag.Code) {
	for _, c := range refused {
		t.refused[c] = true
	}
	for _, c := range noted {
		t.noted[c] = true
	}
}

// goldenLine is a line of a case's messages.
var goldenLine = regexp.MustCompile(`(?m)^\S+: (refused|note): (?:\S+:\d+:\d+: )?([a-z0-9-]+): `)

// toldInCases reads the codes off the goldens.
func toldInCases(t *testing.T, by map[string]told) {
	for _, c := range loadCases(t) {
		for _, f := range c.archive.Files {
			stem, ok := strings.CutSuffix(f.Name, ".messages")
			if !ok {
				continue
			}
			name := ""
			for _, r := range rewrite.Rewriters { // vtb-pipe-block-2 is none of vtb's
				if (stem == r.Name || strings.HasPrefix(stem, r.Name+"-") || strings.HasPrefix(stem, r.Name+" ")) && len(r.Name) > len(name) {
					name = r.Name
				}
			}
			require.Contains(t, by, name, "%s: section %s", c.name, f.Name)
			for _, m := range goldenLine.FindAllStringSubmatch(string(f.Data), -1) {
				list := by[name].refused
				if m[1] == "note" {
					list = by[name].noted
				}
				list[diag.Code(m[2])] = true
			}
		}
	}
}

// recipeOf matches the recipe in an example of a code.
var recipeOf = regexp.MustCompile(`--recipe '([^']*)'`)

// toldInExamples has every rewriter look at the example of every code.
func toldInExamples(t *testing.T, by map[string]told) {
	for _, d := range diag.Docs() {
		var input *parser.InputError
		f, err := parser.Parse("example.cu", []byte(d.Example), parser.Options{})
		if errors.As(err, &input) {
			continue
		}
		require.NoError(t, err)
		for _, r := range rewrite.Rewriters {
			recipe := recipeOf.FindStringSubmatch(d.Example)
			if r.Has(variant.KnobRecipe) && recipe == nil {
				continue
			}
			for _, sync := range r.Syncs {
				opt := rewrite.Options{Variant: rewrite.Variant{Rewriter: r.Name, Sync: sync, Factor: 2}, Block: [3]int{64, 1, 1}}
				switch {
				case r.Name == "dyn":
					opt.Factor, opt.SharedSets = 4, 2
				case r.Name == "co-vtb":
					opt.PrivateRows = 2
				case recipe != nil && r.Has(variant.KnobRecipe):
					opt.Recipe = recipe[1]
				}
				if d.Code == kit.CodeNoLaunch || d.Code == merge.CodeBlockUnknown {
					opt.Block = [3]int{}
				}
				opt.Persistent = d.Code == merge.CodePersistent && rewrite.Variant{Rewriter: r.Name}.Merges()
				if d.Code == merge.CodeBarrierIDs {
					opt.Factor = 8
				}
				res, err := rewrite.Run(parser.NewProgram([]*parser.File{f}, parser.Options{}), opt)
				require.NoError(t, err)
				for _, k := range res.Kernels {
					by[r.Name].add(codesIn(k.Refused), codesIn(k.Notes))
				}
			}
		}
	}
}

func codesIn(messages []diag.Message) []diag.Code {
	var out []diag.Code
	for _, m := range messages {
		out = append(out, m.Code)
	}
	return out
}

// refusalTable is the part of a rewriter's page that lists what it refuses and remarks on.
func refusalTable(of told) string {
	var b strings.Builder
	list := func(heading string, codes map[diag.Code]bool) {
		var links []string
		for _, d := range diag.Docs() { // in the order of their names
			if codes[d.Code] {
				links = append(links, fmt.Sprintf("[%s](../../codes.md#%s)", d.Code, d.Code))
			}
		}
		if len(links) > 0 {
			fmt.Fprintf(&b, "\n%s: %s.\n", heading, strings.Join(links, ", "))
		}
	}
	list("Refusals", of.refused)
	list("Remarks", of.noted)
	return b.String() + "\n"
}

// TestRefusalTables holds the pages of the rewriters to what they refuse in the
// cases of testdata and in the examples of the codes: no code stands on a page that
// no kernel ever got, and none is left out that one did. With -update the tables
// are written.
func TestRefusalTables(t *testing.T) {
	by := map[string]told{}
	for _, r := range rewrite.Rewriters {
		by[r.Name] = told{map[diag.Code]bool{}, map[diag.Code]bool{}}
	}
	toldInCases(t, by)
	toldInExamples(t, by)
	const begin, end = "<!-- written by go test ./rewrite -run RefusalTables -update -->\n", "<!-- end -->\n"
	for _, r := range rewrite.Rewriters {
		of := by[r.Name]
		assert.NotEmpty(t, of.refused, "%s never refuses anything", r.Name)
		name := "../docs/use/rewrites/" + r.Name + ".md"
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		before, rest, found := strings.Cut(string(text), begin)
		_, after, ended := strings.Cut(rest, end)
		require.True(t, found && ended, "%s has no place for the table", name)
		want := before + begin + refusalTable(of) + end + after
		if *update {
			require.NoError(t, os.WriteFile(name, []byte(want), 0o666))
			continue
		}
		assert.Equal(t, want, string(text), "%s is out of date: go test ./rewrite -run RefusalTables -update", name)
	}
}

// TestEveryRefusalOfTheRewritersIsOnAPage finds codes that the source declares and
// no page has: a refusal that no case and no example shows.
func TestEveryRefusalOfTheRewritersIsOnAPage(t *testing.T) {
	var pages strings.Builder
	for _, r := range rewrite.Rewriters {
		text, err := os.ReadFile("../docs/use/rewrites/" + r.Name + ".md")
		require.NoError(t, err)
		pages.Write(text)
	}
	files, err := filepath.Glob("*/*.go")
	require.NoError(t, err)
	var source strings.Builder
	for _, file := range files {
		if !strings.HasPrefix(file, "regreduce/") { // its codes are of choices, and on docs/evidence/registers.md
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			source.Write(text)
		}
	}
	declared := regexp.MustCompile(`diag\.Code = "([^"]*)"`).FindAllStringSubmatch(source.String(), -1)
	require.Greater(t, len(declared), 20, "the codes are no longer found")
	var missing []string
	for _, m := range declared {
		if !strings.Contains(pages.String(), "(../../codes.md#"+m[1]+")") {
			missing = append(missing, m[1])
		}
	}
	slices.Sort(missing)
	assert.Empty(t, missing)
}
