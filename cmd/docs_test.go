package cmd

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// shown is a command in a comment, and its output in the fenced block below it.
var shown = regexp.MustCompile("(?ms)^<!-- \\$ smux ([^\n]*) -->\n```(\\w*)\n(.*?)^```$")

// TestDocumentationShowsRealOutput runs each command that README.md and docs/
// show the output of. With -update the output in the files is renewed.
func TestDocumentationShowsRealOutput(t *testing.T) {
	t.Chdir("..")
	files, err := filepath.Glob("docs/*.md")
	require.NoError(t, err)
	n := 0
	for _, file := range append(files, "README.md") {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		renewed := shown.ReplaceAllStringFunc(string(text), func(block string) string {
			n++
			m := shown.FindStringSubmatch(block)
			var out, messages bytes.Buffer
			code := Main(strings.Fields(m[1]), strings.NewReader(""), &out, &messages)
			assert.LessOrEqual(t, code, ExitDiffers, "%s: smux %s: %s", file, m[1], messages.String())
			return "<!-- $ smux " + m[1] + " -->\n```" + m[2] + "\n" + out.String() + "```"
		})
		if f := flag.Lookup("update"); f != nil && f.Value.String() == "true" {
			require.NoError(t, os.WriteFile(file, []byte(renewed), 0o666))
			continue
		}
		assert.Equal(t, renewed, string(text), "%s is out of date: go test ./cmd -run Documentation -update", file)
	}
	assert.GreaterOrEqual(t, n, 3, "the commands are no longer found")
}

// TestDocumentationLinks checks that files named in links are there.
func TestDocumentationLinks(t *testing.T) {
	t.Chdir("..")
	files, err := filepath.Glob("docs/*.md")
	require.NoError(t, err)
	link := regexp.MustCompile(`\]\(([^)#:]+)\)`)
	for _, file := range append(files, "README.md", "examples/README.md") {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, m := range link.FindAllStringSubmatch(string(text), -1) {
			_, err := os.Stat(filepath.Join(filepath.Dir(file), m[1]))
			assert.NoError(t, err, "%s links to %s", file, m[1])
		}
	}
}
