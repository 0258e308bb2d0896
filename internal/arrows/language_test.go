package arrows

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// avoided lists patterns that plain comments and docs do without. budget is the number of
// matches that are left: it may only fall.
var avoided = []struct {
	pattern *regexp.Regexp
	instead string
	budget  int
}{
	{regexp.MustCompile(`\b[Bb]ehind\b`), "after", 7},
	{regexp.MustCompile(`^\w+ (is|are) (what|where|which|whose|how|by what)\b`), `a verb ("returns …") or a noun ("number of …")`, 2},
	{regexp.MustCompile(`\bwhere nothing\b`), "if nothing", 2},
	{regexp.MustCompile(`\bhas its turn\b`), "takes its turn", 1},
	{regexp.MustCompile(`\bdesign §`), "the page of docs/ that says it", 0},
}

// behind matches places where it is the right word: of memory that a pointer leads to, of what a name
// or other work hides, of what stays when something ends, and as the name of a function.
var behind = regexp.MustCompile(`\b(what is|lies?|elements?|memory( of its own)?|array|allocation|allocates what is) behind\b|` +
	`\bbehind (a pointer|a parameter|the parameter|other names|the program's back|typedefs|a typedef|computing)\b|` +
	`\b(leaves?|left|stays?)( \w+){0,3} behind\b|^behind (is|returns|lists|keys)\b`)

// TestCommentsAndDocsArePlain counts the avoided patterns in the comments of all Go files and in docs/.
func TestCommentsAndDocsArePlain(t *testing.T) {
	found := make([][]string, len(avoided))
	look := func(place, line string) {
		for i, a := range avoided {
			if a.pattern.MatchString(behind.ReplaceAllString(line, "")) {
				found[i] = append(found[i], place+": "+line)
			}
		}
	}
	require.NoError(t, filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir() && path != root && (e.Name() == "testdata" || strings.HasPrefix(e.Name(), ".")):
			return filepath.SkipDir
		case strings.HasSuffix(path, ".go") && e.Name() != "language_test.go":
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments|parser.SkipObjectResolution)
			require.NoError(t, err)
			for _, group := range file.Comments {
				for _, c := range group.List {
					for _, line := range strings.Split(c.Text, "\n") {
						look(path, strings.TrimSpace(strings.TrimLeft(line, "/* \t")))
					}
				}
			}
		case strings.HasSuffix(path, ".md") && strings.HasPrefix(path, filepath.Join(root, "docs")):
			text, err := os.ReadFile(path)
			require.NoError(t, err)
			for _, line := range strings.Split(string(text), "\n") {
				look(path, line)
			}
		}
		return nil
	}))
	for i, a := range avoided {
		assert.LessOrEqual(t, len(found[i]), a.budget, "%s: write %s\n%s", a.pattern, a.instead, strings.Join(found[i], "\n"))
		if len(found[i]) < a.budget {
			t.Logf("%s: %d are left: lower the budget", a.pattern, len(found[i]))
		}
	}
}
