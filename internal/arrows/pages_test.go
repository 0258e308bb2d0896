package arrows

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/golangci/misspell"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	mostWordsInUse     = 40_000 // of docs/use
	mostWordsInDevelop = 15_000 // of docs/develop; it may only fall
	mostWordsOnAPage   = 1_200  // of the page of a command or a rewrite
	mostWordsOfACode   = 250    // of the text about a code, without its example

	mostWordsInSentence = 25
)

// tutorials are the pages of docs/use that take one program through many commands.
var tutorials = []string{"tutorial.md", "acc-tutorial.md"}

// pagesIn returns the text of each page of a folder, by path below it, or of one page.
func pagesIn(t *testing.T, folder string, least int) map[string]string {
	pages := map[string]string{}
	folder = filepath.Join(root, filepath.FromSlash(folder))
	require.NoError(t, filepath.WalkDir(folder, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		name, _ := filepath.Rel(folder, path)
		pages[filepath.ToSlash(name)] = string(text)
		return err
	}))
	require.GreaterOrEqual(t, len(pages), least, "the pages are no longer found")
	return pages
}

func pagesOfUse(t *testing.T) map[string]string { return pagesIn(t, "docs/use", 30) }

var (
	notProse = regexp.MustCompile("(?ms)^```.*?^```$|^<!-- written by.*?^<!-- end -->$|<!--.*?-->|^    [^\n]*$")
	ofTable  = regexp.MustCompile(`(?m)^\|[-:| ]+\|$`)
	link     = regexp.MustCompile(`\[([^\]]*)\]\([^)\s]*\)`)
	code     = regexp.MustCompile("`[^`]*`")
	parts    = regexp.MustCompile(`\n[ \t]*\n|\n[ \t]*(?:[-*]|\d+\.)[ \t]+|\n#+ |\n\||[^\\]\|`) // paragraphs, items of lists, headings, cells
	end      = regexp.MustCompile(`[.!?][*")]*\s+`)
	word     = regexp.MustCompile(`[\pL\pN]`)
)

// sentences returns those of a page, with X for what stands between backticks.
func sentences(page string) []string {
	page = ofTable.ReplaceAllString(notProse.ReplaceAllString("\n"+page, ""), "")
	page = link.ReplaceAllString(code.ReplaceAllString(page, "X"), "$1")
	var out []string
	for _, part := range parts.Split(page, -1) {
		for _, s := range end.Split(part, -1) {
			if s = strings.Join(strings.Fields(strings.TrimLeft(s, "*_#|- ")), " "); s != "" {
				out = append(out, s)
			}
		}
	}
	return out
}

// wrongIn returns what is wrong with a sentence, or "".
func wrongIn(sentence string) string {
	words := 0
	for _, w := range strings.Fields(sentence) {
		if word.MatchString(w) {
			words++
		}
	}
	switch first, _, _ := strings.Cut(sentence, " "); {
	case first == "Of" || first == "Where" || first == "What":
		return "begins with " + first
	case words > mostWordsInSentence:
		return "is too long"
	}
	for _, a := range avoided {
		if a.pattern.MatchString(behind.ReplaceAllString(sentence, "")) {
			return "write " + a.instead
		}
	}
	return ""
}

// withReadme adds README.md to the pages of docs/use.
func withReadme(t *testing.T) map[string]string {
	pages := pagesOfUse(t)
	text, err := os.ReadFile(filepath.Join(root, "README.md"))
	require.NoError(t, err)
	pages["README.md"] = string(text)
	return pages
}

// TestPagesArePlain holds pages to plain English: short sentences, and the subject first.
func TestPagesArePlain(t *testing.T) {
	for of, pages := range map[string]map[string]string{
		"users":      withReadme(t),
		"codes":      pagesIn(t, "diag/codes", 200),
		"codes.md":   pagesIn(t, "docs/codes.md", 1),
		"developers": pagesIn(t, "docs/develop", 9),
	} {
		t.Run(of, func(t *testing.T) {
			n := 0
			for name, page := range pages {
				for _, s := range sentences(page) {
					n++
					assert.Empty(t, wrongIn(s), "%s: %s", name, s)
				}
			}
			assert.Greater(t, n, 500, "the sentences are no longer found")
		})
	}
}

// TestHelpTextsArePlain holds the help of commands, constants of cmd that end in Long, to the same.
func TestHelpTextsArePlain(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(root, "cmd", "*.go"))
	require.NoError(t, err)
	n := 0
	for _, path := range files {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		ast.Inspect(file, func(node ast.Node) bool {
			s, ok := node.(*ast.ValueSpec)
			if !ok || len(s.Values) != 1 || !strings.HasSuffix(s.Names[0].Name, "Long") {
				return true
			}
			n++
			for _, sentence := range sentences(textOf(s.Values[0])) {
				if !strings.HasPrefix(sentence, "Exit codes") { // a list
					assert.Empty(t, wrongIn(sentence), "%s: %s", path, sentence)
				}
			}
			return false
		})
	}
	assert.Greater(t, n, 15, "the help texts are no longer found")
}

// textOf returns a constant text, with X for what is not written out.
func textOf(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.BinaryExpr:
		return textOf(e.X) + textOf(e.Y)
	case *ast.BasicLit:
		text, _ := strconv.Unquote(e.Value)
		return text
	}
	return "X"
}

func TestWrongSentencesAreFound(t *testing.T) {
	long := strings.Repeat("very ", 24) + "long"
	for page, wrong := range map[string]int{
		"# A page\n\nThis is [plain](x.md). So is `Of`.\n":     0,
		"It is plain. Of these one is not.\n":                  1,
		"- Where it is, nobody knows.\n- **What** is this?\n":  1,
		"\n| Of a | of b |\n|---|---|\n| it | What is it? |\n": 2,
		"```\nOf code\n```\n\n    Where code is\n":             0,
		"It is " + long + ".\n":                                1,
		"It stands behind the other.\n":                        1,
	} {
		found := 0
		for _, s := range sentences(page) {
			if wrongIn(s) != "" {
				found++
			}
		}
		assert.Equal(t, wrong, found, page)
	}
}

// TestPagesAreShort holds pages to their words: all of docs/use and of docs/develop, and the page of a command, a rewrite or
// a code.
func TestPagesAreShort(t *testing.T) {
	all := 0
	for name, page := range pagesOfUse(t) {
		words := len(strings.Fields(page))
		all += words
		if name != tutorials[0] && name != tutorials[1] {
			assert.LessOrEqual(t, words, mostWordsOnAPage, "words of docs/use/%s", name)
		}
	}
	assert.LessOrEqual(t, all, mostWordsInUse, "words of docs/use")
	all = 0
	for _, page := range pagesIn(t, "docs/develop", 9) {
		all += len(strings.Fields(page))
	}
	assert.LessOrEqual(t, all, mostWordsInDevelop, "words of docs/develop")
	for name, page := range pagesIn(t, "diag/codes", 200) {
		text, _, _ := strings.Cut(page, "\n## Example\n")
		assert.LessOrEqual(t, len(strings.Fields(text)), mostWordsOfACode, "words about %s", name)
	}

}

// TestExamplesAreOnTodaysGPUs finds GPUs that nobody has any more on pages for users.
func TestExamplesAreOnTodaysGPUs(t *testing.T) {
	old := regexp.MustCompile(`(?i)gtx ?(285|480|680)|\bk40\b`)
	for name, page := range withReadme(t) {
		assert.Empty(t, old.FindAllString(page, -1), name)
	}
}

// TestDocsAreSpelledRight looks for common misspellings on all pages of docs, in README.md and in the pages of the codes.
func TestDocsAreSpelledRight(t *testing.T) {
	speller := misspell.New()
	n := 0
	look := func(path string, e fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".md" {
			return err
		}
		n++
		text, err := os.ReadFile(path)
		_, wrong := speller.Replace(string(text))
		for _, w := range wrong {
			t.Errorf("%s:%d: %s: write %s", path, w.Line, w.Original, w.Corrected)
		}
		return err
	}
	for _, folder := range []string{"docs", "README.md", "examples", filepath.Join("diag", "codes")} {
		require.NoError(t, filepath.WalkDir(filepath.Join(root, folder), look))
	}
	assert.Greater(t, n, 100, "the pages are no longer found")
}
