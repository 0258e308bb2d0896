package rdjson

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/report/finding"
)

// write prints findings, holds each line against the schema and reads it again.
func write(t *testing.T, found ...finding.Finding) (all []diagnostic) {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, Write(&out, finding.Report{Findings: found, Path: func(name string) string { return "src/" + name }}))
	schema, err := jsonschema.NewCompiler().Compile(filepath.Join("testdata", "Diagnostic.json"))
	require.NoError(t, err)
	for line := range strings.Lines(out.String()) {
		instance, err := jsonschema.UnmarshalJSON(strings.NewReader(line))
		require.NoError(t, err)
		require.NoError(t, schema.Validate(instance))
		var d diagnostic
		require.NoError(t, json.Unmarshal([]byte(line), &d))
		all = append(all, d)
	}
	return all
}

func change(name, before, after string) finding.Change {
	return finding.Change{Name: name, Before: []byte(before), After: []byte(after)}
}

func TestDiagnosticSaysWhereAndWhat(t *testing.T) {
	d := write(t,
		finding.Finding{Rule: "chosen", Level: finding.Warning, Kernel: "k", Text: "it\u2028would <<<run>>>", Help: "look",
			Pos: diag.Position{File: "a b.cu", Line: 3, Column: 17}, End: diag.Position{File: "a b.cu", Line: 3, Column: 18},
			Related: []finding.Related{{Pos: diag.Position{File: "m.cu", Line: 9, Column: 2}, Text: "launched here"}}},
		finding.Finding{Rule: "hoist", Level: finding.Note, Suppressed: "known", Pos: diag.Position{File: "a.cu", Line: 1, Column: 1}},
		finding.Finding{Rule: "missing-file", Level: finding.Error, Text: "there is no such file", Pos: diag.Position{File: "x.cu"}})
	require.Len(t, d, 2, "what is suppressed is not told")
	assert.Equal(t, diagnostic{
		Message:  "kernel \"k\": it\u2028would <<<run>>>\nhelp: look",
		Location: location{"src/a b.cu", &span{position{3, 17}, &position{3, 18}}}, Severity: "WARNING",
		Source: source{"smux", finding.Home}, Code: code{"chosen", finding.URL("chosen")},
		Related: []related{{"launched here", location{"src/m.cu", &span{Start: position{9, 2}}}}},
	}, d[0])
	assert.Equal(t, location{Path: "src/x.cu"}, d[1].Location)
	assert.Equal(t, "ERROR", d[1].Severity)
}

func TestASuggestionIsTheWholeChangeOrNone(t *testing.T) {
	pos := diag.Position{File: "a.cu", Line: 2, Column: 1}
	for _, tt := range []struct {
		name  string
		files []finding.Change
		want  []suggestion
		says  string
	}{
		{"two places of a file", []finding.Change{change("a.cu", "1\n2\n3\n4\n5\n", "1\nb\n3\nd\n5\n")},
			[]suggestion{{span{position{Line: 2}, &position{Line: 4}}, "b\n3\nd"}}, ""},
		{"two files", []finding.Change{change("a.cu", "1\n", "2\n"), change("b.cu", "1\n", "2\n")}, nil,
			". The change lies in 2 files: smux rewrite -w --kernel 'k' makes it"},
		{"another file", []finding.Change{change("b.cu", "1\n", "2\n")}, nil, ". The change lies in src/b.cu: "},
		{"too long", []finding.Change{change("a.cu", "1\n", strings.Repeat("x", mostSuggested+1))}, nil, "is too long for a comment"},
		{"no text", []finding.Change{change("a.cu", "1\n", "\xff\n")}, nil, "holds bytes that are not UTF-8"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := write(t, finding.Finding{Rule: "chosen", Kernel: "k", Level: finding.Warning, Text: "text", Pos: pos, Fix: &finding.Fix{Text: "rewrite", Files: tt.files}})
			require.Equal(t, tt.want, d[0].Suggestions)
			require.Contains(t, d[0].Message, tt.says)
		})
	}
}

// accepted returns what a reviewer who accepts a suggestion gets: whole lines replaced,
// each kept with its end.
func accepted(before string, first, last int, text string) string {
	lines := strings.SplitAfter(before, "\n")
	old, end := strings.Join(lines[first-1:last], ""), ""
	switch {
	case text == "":
	case strings.HasSuffix(old, "\r\n"):
		end = "\r\n"
	case strings.HasSuffix(old, "\n"):
		end = "\n"
	}
	return strings.Join(lines[:first-1], "") + text + end + strings.Join(lines[last:], "")
}

func TestAcceptedSuggestionsMakeTheChange(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 2))
	for range 3000 {
		end := []string{"\n", "\r\n"}[rng.IntN(2)]
		text := func() string {
			out := []string{"", "\xef\xbb\xbf"}[rng.IntN(2)]
			for range 1 + rng.IntN(8) {
				out += string(rune('a'+rng.IntN(3))) + end
				if rng.IntN(3) == 0 {
					out += end
				}
			}
			return out
		}
		before, after := text(), text()
		if before == after {
			continue
		}
		first, last, lines := wholeLines(change("a.cu", before, after))
		require.Equal(t, after, accepted(before, first, last, string(lines)), "%q -> %d-%d %q", before, first, last, lines)
	}
}
