package diag_test

import (
	"bytes"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/diag"
)

var update = flag.Bool("update", false, "write docs/codes.md")

// groupTitles are the headings of the page, by the name of the list of codes, in
// the order of the page. A list that is not here comes last, under its own name.
var groupTitles = []struct{ list, title string }{
	{"choiceDocs", "Which rewrite a kernel gets"},
	{"hazardDocs", "Refusals: what no rewrite may touch"},
	{"controlDocs", "Refusals: exits, barriers and control"},
	{"blockDocs", "Refusals: the size of thread blocks"},
	{"pipeDocs", "Refusals: vtb-pipe"},
	{"launchDocs", "Refusals: signatures, launches and files"},
	{"stageDocs", "Loads ahead, block shapes and locks"},
	{"sliceDocs", "Exchanges in rounds"},
	{"stagingDocs", "Arrays staged in shared memory"},
	{"ladderDocs", "Registers: what was found"},
	{"demoteDocs", "Registers: recipes"},
	{"capDocs", "Registers: caps, unroll factors and pins"},
	{"wordsDocs", "Registers: words in shared memory"},
	{"nvccDocs", "What the compiler says"},
	{"inputDocs", "Input that can't be read"},
	{"configDocs", "Settings"},
	{"directiveDocs", "Directives in the source"},
	{"baselineDocs", "What a baseline shows"},
	{"findingDocs", "Findings that other tools show"},
	{"requestDocs", "Requests: what came of a directive or setting"},
	{"raceDocs", "Findings: the order of threads"},
	{"memoryDocs", "Findings: wrong accesses"},
	{"verdictDocs", "Findings: programs that differ"},
	{"translateDocs", "Remarks: checked less"},
	{"runDocs", "Programs that could not be run"},
	{"benchDocs", "How to run a kernel without a program"},
	{"jobsDocs", "Tuning on a cluster"},
	{"accDocs", "Directives of OpenACC"},
}

// codeGroup is a list of codes as the source has it.
type codeGroup struct {
	list  string
	codes []diag.Code
}

// codeGroups reads the lists off the source: they are parted by what they are
// about, which Docs does not tell.
func codeGroups(t *testing.T) []codeGroup {
	files, err := filepath.Glob("docs_*.go")
	require.NoError(t, err)
	var out []codeGroup
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		for _, decl := range f.Decls {
			gen, ok := decl.(*ast.GenDecl)
			if !ok || gen.Tok != token.VAR {
				continue
			}
			spec := gen.Specs[0].(*ast.ValueSpec)
			g := codeGroup{list: spec.Names[0].Name}
			ast.Inspect(spec, func(n ast.Node) bool {
				if kv, ok := n.(*ast.KeyValueExpr); ok && fmt.Sprint(kv.Key) == "Code" {
					if lit, ok := kv.Value.(*ast.BasicLit); ok {
						code, err := strconv.Unquote(lit.Value)
						require.NoError(t, err)
						g.codes = append(g.codes, diag.Code(code))
					}
				}
				return true
			})
			if len(g.codes) > 0 {
				out = append(out, g)
			}
		}
	}
	place := func(g codeGroup) int {
		for i, title := range groupTitles {
			if title.list == g.list {
				return i
			}
		}
		return len(groupTitles)
	}
	slices.SortStableFunc(out, func(a, b codeGroup) int { return place(a) - place(b) })
	return out
}

func (g codeGroup) title() string {
	for _, title := range groupTitles {
		if title.list == g.list {
			return title.title
		}
	}
	name := strings.TrimSuffix(g.list, "Docs")
	return strings.ToUpper(name[:1]) + name[1:]
}

// codesPage is docs/codes.md.
func codesPage(t *testing.T) []byte {
	var out bytes.Buffer
	out.WriteString(`# Codes

Every message of smux has a code, which never changes its meaning: ` + "`file:line:col: CODE: message`" + `. This page is what
` + "`smux explain CODE`" + ` prints, for all of them. It is generated: ` + "`go test ./diag -run CodesPage -update`" + ` writes it anew. Which
refusals a rewrite knows is on its own page ([the rewrites](README.md#the-rewrites)).

`)
	groups := codeGroups(t)
	for _, g := range groups {
		fmt.Fprintf(&out, "- %s:", g.title())
		for i, code := range g.codes {
			fmt.Fprintf(&out, "%s [%s](#%s)", map[bool]string{false: ","}[i == 0], code, code)
		}
		out.WriteString("\n")
	}
	for _, g := range groups {
		fmt.Fprintf(&out, "\n## %s\n", g.title())
		for _, code := range g.codes {
			d, ok := diag.Lookup(code)
			require.True(t, ok, "%s is in %s and not in the list of all", code, g.list)
			fmt.Fprintf(&out, "\n### `%s`\n\n*%s*\n\n%s\n", d.Code, markdown(d.Title), markdown(d.Text))
			fence(&out, "", d.Example)
			fence(&out, "What to change:\n\n", d.Fix)
		}
	}
	return out.Bytes()
}

// markdown is plain text whose marks Markdown leaves alone.
func markdown(text string) string {
	return strings.NewReplacer(`\`, `\\`, "`", "\\`", "_", `\_`, "*", `\*`, "<", `\<`, "[", `\[`).Replace(strings.TrimSpace(text))
}

// fence writes a block of code below some words.
func fence(out *bytes.Buffer, words, code string) {
	if code = strings.Trim(code, "\n"); code != "" {
		fmt.Fprintf(out, "\n%s```\n%s\n```\n", words, code)
	}
}

// TestCodesPage holds docs/codes.md to the documentation of the codes.
func TestCodesPage(t *testing.T) {
	const name = "../docs/codes.md"
	page := codesPage(t)
	for _, d := range diag.Docs() {
		assert.Equal(t, 1, bytes.Count(page, []byte("\n### `"+d.Code+"`\n")), "code %s in %s", d.Code, name)
	}
	if *update {
		require.NoError(t, os.WriteFile(name, page, 0o666))
		return
	}
	got, err := os.ReadFile(name)
	require.NoError(t, err)
	assert.True(t, bytes.Equal(page, got), "%s is out of date: go test ./diag -run CodesPage -update", name)
}
