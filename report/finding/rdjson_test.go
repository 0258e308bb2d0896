package finding

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
)

// writeRDJSON prints findings, holds each line against the schema and reads it again.
func writeRDJSON(t *testing.T, found ...Finding) (all []diagnostic) {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, WriteRDJSON(&out, Report{Findings: found, Path: func(name string) string { return "src/" + name }}))
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

func rdChange(name, before, after string) Change {
	return Change{Name: name, Before: []byte(before), After: []byte(after)}
}

func TestDiagnosticSaysWhereAndWhat(t *testing.T) {
	d := writeRDJSON(t,
		Finding{Rule: "chosen", Level: Warning, Kernel: "k", Text: "it\u2028would <<<run>>>", Help: "look",
			Pos: diag.Position{File: "a b.cu", Line: 3, Column: 17}, End: diag.Position{File: "a b.cu", Line: 3, Column: 18},
			Related: []Related{{Pos: diag.Position{File: "m.cu", Line: 9, Column: 2}, Text: "launched here"}}},
		Finding{Rule: "hoist", Level: Note, Suppressed: "known", Pos: diag.Position{File: "a.cu", Line: 1, Column: 1}},
		Finding{Rule: "missing-file", Level: Error, Text: "there is no such file", Pos: diag.Position{File: "x.cu"}})
	require.Len(t, d, 2, "what is suppressed is not told")
	assert.Equal(t, diagnostic{
		Message:  "kernel \"k\": it\u2028would <<<run>>>\nhelp: look",
		Location: rdLocation{"src/a b.cu", &rdSpan{rdPosition{3, 17}, &rdPosition{3, 18}}}, Severity: "WARNING",
		Source: rdSource{"smux", home}, Code: rdCode{"chosen", URL("chosen")},
		Related: []rdRelated{{"launched here", rdLocation{"src/m.cu", &rdSpan{Start: rdPosition{9, 2}}}}},
	}, d[0])
	assert.Equal(t, rdLocation{Path: "src/x.cu"}, d[1].Location)
	assert.Equal(t, "ERROR", d[1].Severity)
}

func TestASuggestionIsTheWholeChangeOrNone(t *testing.T) {
	pos := diag.Position{File: "a.cu", Line: 2, Column: 1}
	for _, tt := range []struct {
		name  string
		files []Change
		want  []suggestion
		says  string
	}{
		{"two places of a file", []Change{rdChange("a.cu", "1\n2\n3\n4\n5\n", "1\nb\n3\nd\n5\n")},
			[]suggestion{{rdSpan{rdPosition{Line: 2}, &rdPosition{Line: 4}}, "b\n3\nd"}}, ""},
		{"two files", []Change{rdChange("a.cu", "1\n", "2\n"), rdChange("b.cu", "1\n", "2\n")}, nil,
			". The change lies in 2 files: smux rewrite -w --kernel 'k' makes it"},
		{"another file", []Change{rdChange("b.cu", "1\n", "2\n")}, nil, ". The change lies in src/b.cu: "},
		{"too long", []Change{rdChange("a.cu", "1\n", strings.Repeat("x", mostSuggested+1))}, nil, "is too long for a comment"},
		{"no text", []Change{rdChange("a.cu", "1\n", "\xff\n")}, nil, "holds bytes that are not UTF-8"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := writeRDJSON(t, Finding{Rule: "chosen", Kernel: "k", Level: Warning, Text: "text", Pos: pos, Fix: &Fix{Text: "rewrite", Files: tt.files}})
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
		first, last, lines := wholeLines(rdChange("a.cu", before, after))
		require.Equal(t, after, accepted(before, first, last, string(lines)), "%q -> %d-%d %q", before, first, last, lines)
	}
}
