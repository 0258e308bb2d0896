package judge_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/tune/judge"
	"github.com/smux-cuda/smux/tune/record"
)

// verdict is one on a kernel of three forms, of which the second is chosen.
func verdict() judge.Verdict {
	vtb := record.TunedVariant{Variant: rewrite.Variant{Rewriter: "vtb", Sync: "named", Factor: 2}}
	return judge.Verdict{
		Subject: record.Subject{Kernel: "k\x1b[2J", Args: []string{"1024", "16"}, Machine: record.Machine{On: "cpu", GPU: "a100"}},
		Rows: []judge.Row{
			{MeasuredVariant: record.MeasuredVariant{Name: "original", Registers: 32}, Time: 2},
			{MeasuredVariant: record.MeasuredVariant{Name: "vtb named N=2", Candidate: vtb, Predicted: 1.25}, Time: 1.6, Search: judge.Ratio{Pairs: 5, Median: 1.25, Low: 1.2, High: 1.3}},
			{MeasuredVariant: record.MeasuredVariant{Name: "vtb lock N=2", Candidate: vtb}, Failure: &record.Failure{Kind: record.FailedCompile, Text: "first line\nsecond line"}},
		},
		Chosen: 1, Why: "it is faster",
	}
}

func TestATableHasALineForEachForm(t *testing.T) {
	var out bytes.Buffer
	judge.NewReport([]judge.Verdict{verdict(), verdict()}).Text(&out)
	first, second, ok := strings.Cut(out.String(), "\n\n")
	require.True(t, ok, "a blank line between kernels")
	assert.Equal(t, first+"\n", second)
	lines := strings.Split(first, "\n")
	require.Len(t, lines, 6, first)
	assert.Contains(t, lines[0], "on the CPU engine, predicted for a100, run with 1024 16")
	assert.NotContains(t, first, "\x1b", "what a program is called doesn't steer the terminal")
	assert.Contains(t, lines[3], "vtb named N=2 *", "the chosen one has a star")
	assert.Contains(t, lines[3], "1.200..1.300")
	assert.Contains(t, lines[4], "first line")
	assert.NotContains(t, first, "second line")
	assert.Equal(t, "  it is faster", lines[5])
}

func TestATableOfManyFormsHasTheBest(t *testing.T) {
	v := verdict()
	for i := range 20 {
		gain := 1 + float64(i%10)/100
		v.Rows = append(v.Rows, judge.Row{MeasuredVariant: record.MeasuredVariant{Name: fmt.Sprintf("form %d", i), Candidate: v.Rows[1].Candidate}, Search: judge.Ratio{Pairs: 6, Median: gain, Low: gain, High: gain}})
	}
	report := judge.NewReport([]judge.Verdict{v})
	var short, long bytes.Buffer
	report.Text(&short)
	report.All = true
	report.Text(&long)
	assert.LessOrEqual(t, strings.Count(short.String(), "\n"), 16)
	for _, has := range []string{"original", "vtb named N=2 *", "form 9 ", "form 19 ", "  and 12 forms with less, 1 failed: compile; -v shows all\n"} {
		assert.Contains(t, short.String(), has)
	}
	assert.NotContains(t, short.String(), "form 0 ")
	for _, r := range v.Rows {
		assert.Contains(t, long.String(), r.Name)
	}
	assert.NotContains(t, long.String(), "shows all")
}

func TestADocumentOfNothingHasAList(t *testing.T) {
	text, err := json.Marshal(judge.NewReport(nil))
	require.NoError(t, err)
	assert.JSONEq(t, `{"schema": 1, "verdicts": []}`, string(text))
}
