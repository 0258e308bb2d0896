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
	for _, g := range diag.Groups {
		fmt.Fprintf(&out, "- %s:", g.Title)
		for i, code := range codesIn(t, g.Folder) {
			fmt.Fprintf(&out, "%s [%s](#%s)", map[bool]string{false: ","}[i == 0], code, code)
		}
		out.WriteString("\n")
	}
	for _, g := range diag.Groups {
		fmt.Fprintf(&out, "\n## %s\n", g.Title)
		for _, code := range codesIn(t, g.Folder) {
			d, ok := diag.Lookup(code)
			require.True(t, ok, code)
			fmt.Fprintf(&out, "\n### `%s`\n\n*%s*\n\n%s\n", d.Code, markdown(d.Title), markdown(d.Text))
			fence(&out, "", d.Example)
			if fix := strings.TrimSpace(d.Fix); strings.HasSuffix(fix, ".") && !strings.Contains(fix, "\n") {
				fmt.Fprintf(&out, "\nFix: %s\n", markdown(fix)) // a sentence
			} else {
				fence(&out, "Fix:\n\n", d.Fix)
			}
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
