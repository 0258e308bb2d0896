package diag_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/diag"
)

var codeLiteral = regexp.MustCompile(`diag\.Code = "([^"]*)"|\bCode:\s*"([^"]*)"`)

// declared are the codes once they were read: each documented code asks for them.
var declared map[string]string

// declaredCodes reads the codes off the source of the packages that use them.
func declaredCodes(t *testing.T) map[string]string {
	if declared != nil {
		return declared
	}
	codes := map[string]string{}
	dirs := []string{"../parser", "../analysis", "../analysis/demotion", "../rewrite", "../rewrite/regreduce", "../pipeline", "../pipeline/selection", "../pipeline/resources", "../cmd", "../project/config", "../validate", "../acc", "../acc/directive", "../verify", "../verify/build", "../verify/translate", "../verify/harness", "../project/load", "../report/baseline", "../report", "../tune/foreign", "../tune/slurm"}
	for _, dir := range dirs {
		files, err := filepath.Glob(dir + "/*.go")
		require.NoError(t, err)
		require.NotEmpty(t, files)
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			src, err := os.ReadFile(file)
			require.NoError(t, err)
			for _, m := range codeLiteral.FindAllStringSubmatch(string(src), -1) {
				codes[m[1]+m[2]] = file
			}
		}
	}
	declared = codes
	return codes
}

func TestEveryCodeIsDocumentedAndEveryDocumentedCodeIsUsed(t *testing.T) {
	declared := declaredCodes(t)
	require.Greater(t, len(declared), 30, "the codes are no longer found in the source")
	for code, file := range declared {
		_, ok := diag.Lookup(diag.Code(code))
		assert.True(t, ok, "%s declares code %q, which package diag does not document", file, code)
	}
	for _, d := range diag.Docs() {
		assert.Contains(t, declared, string(d.Code), "code is documented but declared nowhere")
	}
}

func TestDocsAreSortedAndComplete(t *testing.T) {
	docs := diag.Docs()
	assert.True(t, slices.IsSortedFunc(docs, func(a, b diag.Doc) int { return strings.Compare(string(a.Code), string(b.Code)) }))
	kebab := regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)
	seen := map[diag.Code]bool{}
	for _, d := range docs {
		t.Run(string(d.Code), func(t *testing.T) {
			assert.False(t, seen[d.Code], "documented twice")
			seen[d.Code] = true
			assert.Regexp(t, kebab, string(d.Code))
			for name, text := range map[string]string{"Title": d.Title, "Help": d.Help, "Text": d.Text, "Example": d.Example, "Fix": d.Fix} {
				assert.NotEmpty(t, strings.TrimSpace(text), name)
				assert.NotContains(t, text, "\t", "%s: a tab has no fixed width", name)
			}
			for name, line := range map[string]string{"Title": d.Title, "Help": d.Help} {
				assert.NotContains(t, line, "\n", "%s is one line", name)
				assert.NotRegexp(t, `[.\s]$`, line, "%s is no sentence", name)
				assert.Regexp(t, `^([a-zN]|CUDA)`, line, "%s begins with a small letter", name)
			}
			for line := range strings.Lines(d.Text) {
				assert.LessOrEqual(t, len(strings.TrimRight(line, "\n")), 82, "text line is too wide: %s", line)
			}
			for line := range strings.Lines(d.Example + "\n" + d.Fix) {
				assert.LessOrEqual(t, len(strings.TrimRight(line, "\n")), 88, "line is too wide: %s", line)
			}
			assert.Equal(t, d.Help, diag.Help(d.Code))
		})
	}
}

func TestLookupOfUnknownCode(t *testing.T) {
	_, ok := diag.Lookup("no-such-code")
	assert.False(t, ok)
	assert.Empty(t, diag.Help("no-such-code"))
}

func TestMessageForms(t *testing.T) {
	pos := diag.Position{File: "k.cu", Line: 3, Column: 5}
	assert.Equal(t, "k.cu:3:5", pos.String())
	assert.Equal(t, "k.cu", diag.Position{File: "k.cu"}.String())
	assert.Equal(t, "k.cu:3:5: goto: goto", diag.Message{Pos: pos, Code: "goto", Text: "goto"}.Error())
	assert.Equal(t, "goto: goto", diag.Message{Code: "goto", Text: "goto"}.Error())
}
