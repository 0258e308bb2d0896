package cmd

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var (
	// linkTarget matches a Markdown link and its target.
	linkTarget = regexp.MustCompile(`\]\(([^()\s]+)\)`)
	// heading is a line with a heading, of any level.
	heading = regexp.MustCompile(`(?m)^#+ +(.*?) *$`)
	// fenced is a block of code between fences, indented or not.
	fenced = regexp.MustCompile("(?ms)^( *)```.*?^ *```$")
)

// TestDocumentationLinks checks that files that pages link to are there, and the
// headings in them.
func TestDocumentationLinks(t *testing.T) {
	t.Chdir("..")
	anchors := map[string]map[string]bool{}
	n := 0
	for _, file := range documentation(t) {
		for _, m := range linkTarget.FindAllStringSubmatch(unfenced(t, file), -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			n++
			target, anchor, _ := strings.Cut(m[1], "#")
			to := file
			if target != "" {
				to = path.Join(path.Dir(file), target)
			}
			if _, err := os.Stat(filepath.FromSlash(to)); !assert.NoError(t, err, "%s links to %s", file, m[1]) || anchor == "" {
				continue
			}
			if anchors[to] == nil {
				anchors[to] = headings(unfenced(t, to))
			}
			assert.True(t, anchors[to][anchor], "%s links to %s, and no heading there is called so", file, m[1])
		}
	}
	assert.Greater(t, n, 50, "the links are no longer found")
}

// unfenced is a page without its blocks of code.
func unfenced(t *testing.T, file string) string {
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	return fenced.ReplaceAllString(string(text), "")
}

// headings are the anchors of a page: the words of its headings in small letters,
// joined by hyphens, without marks. A heading that is there before gets a number.
func headings(text string) map[string]bool {
	out := map[string]bool{}
	for _, m := range heading.FindAllStringSubmatch(text, -1) {
		anchor := strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
				return unicode.ToLower(r)
			}
			return -1
		}, m[1])
		for out[anchor] {
			anchor += "-1"
		}
		out[anchor] = true
	}
	return out
}

func TestHeadingsAreAnchors(t *testing.T) {
	got := headings("# One\n\ntext\n\n## `early-exit`\n### A, b & *c*: d\n## One\n#no heading\n")
	assert.Equal(t, map[string]bool{"one": true, "early-exit": true, "a-b--c-d": true, "one-1": true}, got)
}
