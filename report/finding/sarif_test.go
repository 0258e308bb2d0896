package finding

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/diag"
)

// sarifReport holds some of everything, in a file whose columns need care.
func sarifReport() Report {
	before := "\xef\xbb\xbf/* é𝕊 */ __global__ void tall(float *a);\r\nint b;\r\n\r\nvoid f() { tall<<<1, 2>>>(0); }"
	after := strings.NewReplacer("float *a", "float *ä𝕊", "int b;\r\n", "", "0); }", "0, 1); }\r\n").Replace(before)
	at := func(line int, of string) diag.Position {
		text := strings.Split(before, "\n")[line-1]
		return diag.Position{File: "src/a b:ü.cu", Line: line, Column: strings.Index(text, of) + 1}
	}
	kernel := at(1, "tall")
	end := kernel
	end.Column += len("tall")
	return Report{
		Version: "v1.2.3", Command: "rewrite",
		Path:   func(name string) string { return name },
		Source: func(name string) []byte { return map[string][]byte{"src/a b:ü.cu": []byte(before)}[name] },
		Findings: []Finding{
			{Rule: "chosen", Level: Warning, Kernel: "tall", Pos: kernel, End: end, Text: "it would run <<<1>>> & more", Help: "look",
				Fix:     &Fix{Text: "rewrite kernel tall", Files: []Change{{Name: "src/a b:ü.cu", Before: []byte(before), After: []byte(after)}, {Name: "same.cu"}}},
				Related: []Related{{Pos: at(4, "<<<"), Text: "launched here"}}},
			{Rule: "early-exit", Level: Note, Kernel: "tall", Pos: at(4, "0"), Text: "a thread leaves", Suppressed: "never does"},
			{Rule: "missing-file", Level: Error, Pos: diag.Position{File: "/elsewhere/x.cu"}, Text: "there is no such file", Unread: true},
			{Rule: "limiter", Level: Note, Kernel: "k", Pos: diag.Position{File: "h.cuh", Line: 7, Column: 3}, End: diag.Position{File: "h.cuh", Line: 7, Column: 4}, Text: "registers limit"},
		},
	}
}

// writeSARIF prints a report, holds it against the schema and reads it again.
func writeSARIF(t *testing.T, r Report) sarifRun {
	t.Helper()
	var out, again bytes.Buffer
	require.NoError(t, WriteSARIF(&out, r))
	require.NoError(t, WriteSARIF(&again, r))
	require.Equal(t, out.String(), again.String())
	instance, err := jsonschema.UnmarshalJSON(bytes.NewReader(out.Bytes()))
	require.NoError(t, err)
	require.NoError(t, sarifSchema(t).Validate(instance))
	var l sarifLog
	d := json.NewDecoder(&out)
	d.DisallowUnknownFields()
	require.NoError(t, d.Decode(&l))
	require.Len(t, l.Runs, 1)
	return l.Runs[0]
}

func sarifSchema(t *testing.T) *jsonschema.Schema {
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	s, err := c.Compile(filepath.Join("testdata", "sarif-schema-2.1.0.json"))
	require.NoError(t, err)
	return s
}

func TestTheSchemaFindsMistakes(t *testing.T) {
	for _, text := range []string{
		`{"version": "2.1.0"}`,
		`{"version": "2.1.0", "runs": [{"tool": {"driver": {"name": "x"}}, "results": [{"ruleId": "a"}]}]}`,
		`{"version": "2.1.0", "runs": [{"tool": {"driver": {"name": "x"}}, "columnKind": "bytes"}]}`,
	} {
		instance, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
		require.NoError(t, err)
		require.Error(t, sarifSchema(t).Validate(instance), text)
	}
}

func TestReportIsValidAndHoldsAll(t *testing.T) {
	r := writeSARIF(t, sarifReport())
	assert.Equal(t, "smux/rewrite/", r.Automation["id"])
	assert.Equal(t, "v1.2.3", r.Tool["driver"].Version)
	var ids []string
	for _, rule := range r.Tool["driver"].Rules {
		ids = append(ids, rule.ID+" "+rule.DefaultConfiguration["level"])
	}
	assert.Equal(t, []string{"chosen warning", "early-exit note", "limiter note", "missing-file error"}, ids)
	chosen := r.Results[0]
	assert.Equal(t, 0, chosen.RuleIndex)
	assert.Equal(t, `kernel "tall": it would run <<<1>>> & more. Help: look`, chosen.Message.Text)
	assert.Equal(t, artifactLocation{"src/a%20b%3A%C3%BC.cu", "%SRCROOT%"}, chosen.Locations[0].PhysicalLocation.ArtifactLocation)
	assert.Equal(t, &region{1, 27, 1, 31}, chosen.Locations[0].PhysicalLocation.Region)
	assert.Equal(t, logicalLocation{"tall", "tall", "function"}, chosen.Locations[0].LogicalLocations[0])
	assert.Equal(t, &region{StartLine: 4, StartColumn: 16}, chosen.RelatedLocations[0].PhysicalLocation.Region)
	assert.Equal(t, []suppression{{"inSource", "never does"}}, r.Results[1].Suppressions)
	assert.Equal(t, artifactLocation{URI: "file:///elsewhere/x.cu"}, r.Results[2].Locations[0].PhysicalLocation.ArtifactLocation)
	assert.Nil(t, r.Results[2].Locations[0].PhysicalLocation.Region)
	assert.Equal(t, &region{StartLine: 7}, r.Results[3].Locations[0].PhysicalLocation.Region, "the text is not known, so no column is")
	assert.False(t, r.Invocations[0].ExecutionSuccessful)
	assert.Equal(t, &ruleReference{"missing-file", 3}, r.Invocations[0].ToolExecutionNotifications[0].AssociatedRule)
}

func TestNothingFoundIsAnEmptyList(t *testing.T) {
	r := writeSARIF(t, Report{Command: "analyze"})
	assert.NotNil(t, r.Results)
	assert.Empty(t, r.Results)
	assert.True(t, r.Invocations[0].ExecutionSuccessful)
}

func TestFixesApply(t *testing.T) {
	in := sarifReport()
	c := in.Findings[0].Fix.Files[0]
	change := writeSARIF(t, in).Results[0].Fixes[0].ArtifactChanges
	require.Len(t, change, 1, "a file that stays is left out")
	require.Len(t, change[0].Replacements, 2)
	name, err := url.PathUnescape(change[0].ArtifactLocation.URI)
	require.NoError(t, err)
	require.Equal(t, c.Name, name)
	require.Equal(t, string(c.After), applied(string(c.Before), change[0].Replacements))
}

// applied does what an editor does: it keeps the mark at the start of the file to
// itself, and counts UTF-16 code units in lines.
func applied(text string, edits []replacement) string {
	text, marked := strings.CutPrefix(text, "\xef\xbb\xbf")
	units := utf16.Encode([]rune(text))
	offset := func(line, column int) int {
		at := 0
		for ; line > 1; line-- {
			for units[at] != '\n' {
				at++
			}
			at++
		}
		return at + column - 1
	}
	for i := len(edits) - 1; i >= 0; i-- {
		d, inserted := edits[i].DeletedRegion, ""
		if edits[i].InsertedContent != nil {
			inserted = edits[i].InsertedContent.Text
		}
		from, to := offset(d.StartLine, d.StartColumn), offset(d.EndLine, d.EndColumn)
		units = append(units[:from:from], append(utf16.Encode([]rune(inserted)), units[to:]...)...)
	}
	if text = string(utf16.Decode(units)); marked {
		text = "\xef\xbb\xbf" + text
	}
	return text
}

func TestFixesThatAreNoTextAreLeftOut(t *testing.T) {
	in := sarifReport()
	in.Findings[0].Fix.Files[0].After = []byte("/* \xe9 */\n")
	assert.Empty(t, writeSARIF(t, in).Results[0].Fixes)
}

func TestFingerprintsStayWhereLinesMove(t *testing.T) {
	in := Report{}
	prints := func(text string, lines ...int) (out []string) {
		in.Source = func(string) []byte { return []byte(text) }
		in.Findings = nil
		for _, l := range lines {
			in.Findings = append(in.Findings, Finding{Rule: "hoist", Level: Note, Kernel: "k", Pos: diag.Position{File: "a.cu", Line: l, Column: 1}, Text: "t"})
		}
		for _, r := range writeSARIF(t, in).Results {
			out = append(out, r.PartialFingerprints[fingerprintName])
		}
		return out
	}
	before := prints("x = 1;\ny = 2;\nx = 1;\n", 1, 2, 3)
	assert.Equal(t, before, prints("// new\n\n  x =  1;\r\ny = 2;\nx = 1;\n", 3, 4, 5))
	assert.Equal(t, strings.TrimSuffix(before[0], ":1")+":2", before[2], "the same line twice")
	assert.NotEqual(t, before[0], before[1])
	assert.NotEqual(t, before[0], prints("x = 2;\n", 1)[0])
	one := before[0]
	in.Path = func(string) string { return "b.cu" }
	assert.NotEqual(t, one, prints("x = 1;\n", 1)[0], "another file")
}

func TestLimitsOfCodeScanningAreKept(t *testing.T) {
	var in Report
	for i := range mostResults {
		in.Findings = append(in.Findings, Finding{Rule: "hoist", Level: Note, Text: fmt.Sprint(i), Pos: diag.Position{File: "a.cu", Line: i + 1, Column: 1}})
	}
	in.Findings = append(in.Findings, Finding{Rule: "chosen", Level: Warning, Text: "last", Pos: diag.Position{File: "a.cu", Line: 1, Column: 1}})
	d := sarifDocument(in, true).Runs[0]
	require.Len(t, d.Results, mostResults)
	assert.Equal(t, "last", d.Results[0].Message.Text, "the most important come first")
	assert.Equal(t, "1 more findings are left out: 25000 are as many as code scanning takes", d.Invocations[0].ToolExecutionNotifications[0].Message.Text)

	few := sarifReport()
	for range 1500 {
		few.Findings[0].Related = append(few.Findings[0].Related, few.Findings[0].Related[0])
	}
	d = sarifDocument(few, false).Runs[0]
	assert.Len(t, d.Results[0].RelatedLocations, mostRelated)
	assert.Empty(t, d.Results[0].Fixes)
	assert.Contains(t, d.Invocations[0].ToolExecutionNotifications[1].Message.Text, "the edits are left out")
}

func TestEveryDocumentedCodeMakesARuleThatGitHubTakes(t *testing.T) {
	var in Report
	for _, d := range diag.Docs() {
		in.Findings = append(in.Findings, Finding{Rule: d.Code, Level: Note, Text: "t", Pos: diag.Position{File: "a.cu"}})
	}
	for _, r := range writeSARIF(t, in).Tool["driver"].Rules {
		require.NotNil(t, r.FullDescription, r.ID)
		assert.LessOrEqual(t, len(r.FullDescription.Text), 1024, r.ID)
		assert.LessOrEqual(t, len(r.ShortDescription.Text), 1024, r.ID)
		assert.True(t, strings.HasSuffix(r.FullDescription.Text, "."), "%s: %s", r.ID, r.FullDescription.Text)
		assert.NotEmpty(t, r.Help.Markdown, r.ID)
	}
}
