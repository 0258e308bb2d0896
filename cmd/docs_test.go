package cmd

import (
	"bytes"
	"flag"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/prose"
	"github.com/smux-cuda/smux/lab/suite"
	"github.com/smux-cuda/smux/verify/build"
)

// shown is a command in a comment, and in the fenced block below it the command again, for a
// reader, and its output, with the messages after it where the command ends in 2>&1.
var shown = regexp.MustCompile("(?ms)^<!-- \\$ smux ([^\n]*?)( 2>&1)? -->\n```(\\w*)\n(.*?)^```$")

// prepareRuntime has the runtime of package verify compiled, which smux remarks
// on when it does: once for all tests, so that none depends on being the first.
var prepareRuntime = sync.OnceFunc(func() {
	race := filepath.Join("testdata", "readme", "race.cu")
	if _, err := os.Stat(race); err != nil {
		race = filepath.Join("..", race)
	}
	Main([]string{"check", "--asan", "--order", "ascending", race}, strings.NewReader(""), io.Discard, io.Discard)
})

// documentation are the pages that a person reads, by path from the module's root,
// where the test has to be: README.md, those of the folders beside it, and docs/.
func documentation(t *testing.T) []string {
	files := []string{"README.md", "examples/README.md", "examples/registers/README.md"}
	err := filepath.WalkDir("docs", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && filepath.Ext(name) == ".md" {
			files = append(files, name)
		}
		return err
	})
	require.NoError(t, err)
	require.Greater(t, len(files), 20, "the pages are no longer found")
	return files
}

var addsHeader = regexp.MustCompile(`^--- /dev/null\n\+\+\+ \S*smux\.cuh\n`)

// withoutHeader leaves the header smux.cuh out of a diff, which adds it: a page that shows a
// kernel does not show it, too.
func withoutHeader(text string) string {
	from := strings.Index(text, "--- /dev/null\n")
	if from < 0 || !addsHeader.MatchString(text[from:]) {
		return text
	}
	to := strings.Index(text[from+1:], "\n--- ")
	if to < 0 {
		return text[:from]
	}
	return text[:from] + text[from+1+to+1:]
}

// TestDocumentationShowsRealOutput runs each command that README.md and docs/
// show the output of. With -update the output in the files is renewed.
func TestDocumentationShowsRealOutput(t *testing.T) {
	t.Chdir("..")
	prepareRuntime()
	n := 0
	for _, file := range documentation(t) {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		renewed := shown.ReplaceAllStringFunc(string(text), func(block string) string {
			n++
			m := shown.FindStringSubmatch(block)
			args, err := prose.Words(m[1])
			require.NoError(t, err)
			runs := args[0] == "check" || args[0] == "verify"
			if _, err := build.Find(""); runs && (err != nil || !suite.InSample(m[1], 5)) {
				return block
			}
			var out, messages bytes.Buffer
			s := newSession(strings.NewReader(""), &out, &messages)
			s.findNVCC = noNVCC // the documentation is the same everywhere
			code := s.main(args)
			assert.LessOrEqual(t, code, diag.ExitDiffers, "%s: smux %s: %s", file, m[1], messages.String())
			result := withoutHeader(out.String())
			if m[2] != "" {
				result += messages.String()
			}
			return "<!-- $ smux " + m[1] + m[2] + " -->\n```" + m[3] + "\n$ smux " + m[1] + "\n" + result + "```"
		})
		if f := flag.Lookup("update"); f != nil && f.Value.String() == "true" {
			require.NoError(t, os.WriteFile(file, []byte(renewed), 0o666))
			continue
		}
		assert.Equal(t, renewed, string(text), "%s is out of date: go test ./cmd -run Documentation -update", file)
	}
	assert.GreaterOrEqual(t, n, 3, "the commands are no longer found")
}
