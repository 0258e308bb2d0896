package diag_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/diag"
)

var update = flag.Bool("update", false, "write docs/codes.md")

// codeGroups are the folders of the codes' pages, in the order of docs/codes.md, and their headings.
var codeGroups = []struct{ folder, title string }{
	{"choice", "Which rewrite a kernel gets"},
	{"hazard", "Refusals: what no rewrite may touch"},
	{"control", "Refusals: exits, barriers and control"},
	{"block", "Refusals: the size of thread blocks"},
	{"pipe", "Refusals: vtb-pipe"},
	{"launch", "Refusals: signatures, launches and files"},
	{"stage", "Loads ahead, block shapes and locks"},
	{"slice", "Exchanges in rounds"},
	{"staging", "Arrays staged in shared memory"},
	{"ladder", "Registers: what was found"},
	{"demote", "Registers: recipes"},
	{"cap", "Registers: caps, unroll factors and pins"},
	{"words", "Registers: words in shared memory"},
	{"nvcc", "What the compiler says"},
	{"input", "Input that can't be read"},
	{"config", "Settings"},
	{"directive", "Directives in the source"},
	{"baseline", "What a baseline shows"},
	{"finding", "Findings that other tools show"},
	{"request", "Requests: what came of a directive or setting"},
	{"race", "Findings: the order of threads"},
	{"memory", "Findings: wrong accesses"},
	{"verdict", "Findings: programs that differ"},
	{"translate", "Remarks: checked less"},
	{"run", "Programs that could not be run"},
	{"bench", "How to run a kernel without a program"},
	{"jobs", "Tuning on a cluster"},
	{"acc", "Directives of OpenACC"},
	{"overlay", "Shared arrays of the same bytes"},
	{"results", "Files of other tuners"},
	{"validate", "Proofs and certificates"},
}

// codesIn lists the codes whose pages lie in a folder.
func codesIn(t *testing.T, folder string) (out []diag.Code) {
	pages, err := filepath.Glob(filepath.Join("codes", folder, "*.md"))
	require.NoError(t, err)
	require.NotEmpty(t, pages)
	for _, p := range pages {
		out = append(out, diag.Code(strings.TrimSuffix(filepath.Base(p), ".md")))
	}
	return out
}

// codesPage is docs/codes.md.
func codesPage(t *testing.T) []byte {
	var out bytes.Buffer
	out.WriteString(`# Codes

Every message of smux has a code, which never changes its meaning: ` + "`file:line:col: CODE: message`" + `. This page is what
` + "`smux explain CODE`" + ` prints, for all of them. It is made from diag/codes: ` + "`go test ./diag -run CodesPage -update`" + ` writes it anew. Which
refusals a rewrite knows is on its own page ([the rewrites](README.md#the-rewrites)).

`)
	for _, g := range codeGroups {
		fmt.Fprintf(&out, "- %s:", g.title)
		for i, code := range codesIn(t, g.folder) {
			fmt.Fprintf(&out, "%s [%s](#%s)", map[bool]string{false: ","}[i == 0], code, code)
		}
		out.WriteString("\n")
	}
	for _, g := range codeGroups {
		fmt.Fprintf(&out, "\n## %s\n", g.title)
		for _, code := range codesIn(t, g.folder) {
			d, ok := diag.Lookup(code)
			require.True(t, ok, code)
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
