package page

import (
	"bytes"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/report"
)

func written(t testing.TB, programs []report.Program, opt Options) string {
	t.Helper()
	text, err := Write(programs, opt)
	require.NoError(t, err)
	return string(text)
}

func TestEqualInputGivesEqualBytes(t *testing.T) {
	a, opt := sample(t)
	b, _ := sample(t)
	first := written(t, a, opt)
	require.Equal(t, first, written(t, b, opt))
	assert.NotContains(t, first, "UTC")
	opt.Time = time.Unix(1700000000, 0)
	assert.Contains(t, written(t, a, opt), "2023-11-14 22:13 UTC")
}

func TestTextOfOthersStaysText(t *testing.T) {
	programs, opt := sample(t)
	text := written(t, programs, opt)
	assert.True(t, utf8.ValidString(text))
	assert.NotContains(t, text, "<img")
	assert.NotContains(t, text, "\u202e", "what turns text around is to be seen")
	assert.Equal(t, 1, strings.Count(text, "<script"))
	assert.Equal(t, 1, strings.Count(text, "</script"))
	assert.Equal(t, 1, strings.Count(text, "</style"))
	assert.Contains(t, text, "&lt;img")
}

func TestNothingIsFetched(t *testing.T) {
	programs, opt := sample(t)
	text := written(t, programs, opt)
	for _, way := range []string{" src=", "@import", "url(", "href=\"http", "<link", "<iframe"} {
		body := strings.ReplaceAll(text, "img src=x", "") // escaped, as the test above says
		assert.NotContains(t, body, way)
	}
	assert.Contains(t, text, `content="default-src &#39;none&#39;;`)
}

func TestEveryKernelAndEveryCodeIsThere(t *testing.T) {
	programs, opt := sample(t)
	v := newView(programs, opt)
	require.Len(t, v.Kernels, 7)
	text := written(t, programs, opt)
	for _, k := range v.Kernels {
		assert.Contains(t, text, `id="`+k.ID+`"`)
		assert.NotEmpty(t, k.Verdict, k.Name)
		if !k.Rewritten {
			assert.NotEmpty(t, k.Decided, k.Name)
		}
	}
	for _, g := range v.Codes {
		assert.NotEmpty(t, g.Title, g.Code)
		assert.Contains(t, text, `id="c-`+string(g.Code)+`"`)
	}
	for _, part := range []string{"Time line of an SM", "Thread blocks per SM", "Ranking", "What smux tune found", "measured on ", "What changes", "Not considered", "could not be parsed", "Not read"} {
		assert.Contains(t, text, part)
	}
}

func TestNothingAtAllIsAPageToo(t *testing.T) {
	assert.Contains(t, written(t, nil, Options{Title: "."}), "There are no kernels.")
}

func TestNotesStandBehindTheirLines(t *testing.T) {
	programs, opt := sample(t)
	k := newView(programs, opt).Kernels[0]
	require.Len(t, k.Notes, 1)
	assert.Equal(t, "a note on no line", k.Notes[0].Text)
	found := false
	for _, h := range k.Diff.Files[0].Hunks {
		line := 0
		for _, r := range h {
			if r.Note == nil {
				line = r.Old
				continue
			}
			found = true
			assert.Equal(t, line, r.Note.Pos.Line)
		}
	}
	assert.True(t, found)
}

func TestKernelsThatAreRewrittenTogetherShareADiff(t *testing.T) {
	programs, opt := sample(t)
	p := programs[0]
	p.Kernels = append(p.Kernels, p.Kernels[0])
	v := newView([]report.Program{p}, opt)
	require.Len(t, v.Kernels, 2)
	assert.Equal(t, "k1", v.Kernels[1].Diff.Same)
	assert.Empty(t, v.Kernels[1].Diff.Files)
}

// TestSideBySideHasBothTexts puts the lines of each side together again.
func TestSideBySideHasBothTexts(t *testing.T) {
	programs, _ := sample(t)
	fix := programs[0].Kernels[0].Fix[0]
	a, b := lines(fix.Before), lines(fix.After)
	f := newFileDiff(fix.Name, a, b, nil, nil)
	var seen [2]map[int]bool
	seen[0], seen[1] = map[int]bool{}, map[int]bool{}
	var walk func([]diffRow)
	walk = func(rows []diffRow) {
		for _, r := range rows {
			if r.Folded != nil {
				walk(r.Folded)
				continue
			}
			if r.Old > 0 {
				assert.Equal(t, a[r.Old-1], bare(string(r.Left)))
				seen[0][r.Old] = true
			}
			if r.New > 0 {
				assert.Equal(t, b[r.New-1], bare(string(r.Right)))
				seen[1][r.New] = true
			}
		}
	}
	for _, h := range f.Hunks {
		walk(h)
	}
	equal := map[string]int{}
	for i, l := range a {
		if !seen[0][i+1] {
			equal[l]++
		}
	}
	for i, l := range b {
		if !seen[1][i+1] {
			equal[l]--
		}
	}
	for l, n := range equal {
		assert.Zero(t, n, "a line that is not shown is the same on both sides: %q", l)
	}
}

// bare takes the marks and escapes away again.
func bare(html string) string {
	return strings.NewReplacer(`<span class="lead-in">`, "", "</span>", "", "<del>", "", "</del>", "", "<ins>", "", "</ins>", "",
		"&lt;", "<", "&gt;", ">", "&amp;", "&", "&#34;", `"`, "&#39;", "'").Replace(html)
}

func TestVisible(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"plain\n\t", "plain\n\t"},
		{"a\xffb", "a\ufffdb"},
		{"\x1b[31m", "\u241b[31m"},
		{"\u202ex\u2066", "\ufffdx\ufffd"},
		{"ü\u0085\x7f", "ü\ufffd\u2421"},
	} {
		assert.Equal(t, c.want, string(visible([]byte(c.in))), "%q", c.in)
	}
}

func TestLargePagesStaySmall(t *testing.T) {
	programs, opt := sample(t)
	var many []report.Program
	for range 60 {
		many = append(many, programs...)
	}
	text, err := Write(many, opt)
	require.NoError(t, err)
	assert.Equal(t, 420, bytes.Count(text, []byte(`class="kernel"`)))
	assert.Less(t, len(text), 10<<20)
}

func TestCodesAreCountedByKernel(t *testing.T) {
	twice := reason{Message: diag.Message{Code: "no-launch"}}
	a := &kernel{ID: "k1", Decided: []reason{twice, twice}}
	b := &kernel{ID: "k2", Partly: []reason{{Message: diag.Message{Code: "no-launch"}, Against: "vtb"}}}
	groups := groupByCode([]*kernel{b, a})
	require.Len(t, groups, 1)
	assert.Len(t, groups[0].Decided, 1)
	assert.Len(t, groups[0].Partly, 1)
}
