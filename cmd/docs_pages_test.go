package cmd

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/internal/usage"
	"github.com/smux-cuda/smux/rewrite"
)

// TestEachRewriteHasAPage checks that the pages of docs/use/rewrites are those of the
// rewriters, and that each names its knobs.
func TestEachRewriteHasAPage(t *testing.T) {
	t.Chdir("..")
	var pages []string
	for _, r := range rewrite.Rewriters {
		pages = append(pages, filepath.Join("docs", "use", "rewrites", r.Name+".md"))
		text, err := os.ReadFile(pages[len(pages)-1])
		if !assert.NoError(t, err) {
			continue
		}
		page := string(text)
		assert.True(t, strings.HasPrefix(page, "# "+r.Name+"\n"), "%s has another title", r.Name)
		for _, part := range []string{"When to use it", "Example", "Knobs", "Limits", "Refusals"} {
			assert.True(t, strings.Contains(page, "\n## "+part+"\n"), "%s has no section %q", r.Name, part)
		}
		_, knobs, _ := strings.Cut(page, "\n## Knobs\n")
		knobs, _, _ = strings.Cut(knobs, "\n## ")
		for _, knob := range r.Knobs {
			assert.Contains(t, knobs, "`--"+knob, "%s says nothing of a knob", r.Name)
		}
		assert.True(t, strings.Contains(page, "<!-- $ smux rewrite -d --variant "+r.Name+" "), "%s shows no diff", r.Name)
	}
	found, err := filepath.Glob("docs/use/rewrites/*.md")
	require.NoError(t, err)
	slices.Sort(pages)
	assert.Equal(t, pages, found, "pages of no rewriter, or none")
}

// TestEachCommandHasAPage checks that docs/use has a page for each command, which names it in its title.
func TestEachCommandHasAPage(t *testing.T) {
	for _, c := range usage.Below(newSession(strings.NewReader(""), io.Discard, io.Discard).rootCommand()) {
		if c.Name() == "help" {
			continue
		}
		text, err := os.ReadFile(filepath.Join("..", "docs", "use", c.Name()+".md"))
		if assert.NoError(t, err) {
			assert.True(t, strings.HasPrefix(string(text), "# "+c.Name()+"\n"), "the page of %s has another title", c.Name())
		}
	}
}

// TestIndexLeadsToAllPages checks that each page in docs/ can be found.
func TestIndexLeadsToAllPages(t *testing.T) {
	t.Chdir("..")
	index, err := os.ReadFile("docs/README.md")
	require.NoError(t, err)
	for _, file := range documentation(t) {
		if rel, ok := strings.CutPrefix(file, "docs/"); ok && rel != "README.md" {
			assert.True(t, strings.Contains(string(index), "("+rel+")"), "docs/README.md does not lead to %s", rel)
		}
	}
}
