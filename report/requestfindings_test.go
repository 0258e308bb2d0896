package report

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/analysis/summary"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/project/config"
	"github.com/smux-cuda/smux/report/finding"
	"github.com/smux-cuda/smux/rewrite"
)

func TestFindingsSayWhatAPersonWantsToHear(t *testing.T) {
	f, err := parser.Parse("k.cu", []byte("// smux:ignore no-gain old GPUs\n__global__ void k(float *a) {}\n// smux:pun\n"), parser.Options{})
	require.NoError(t, err)
	set := config.ReadDirectives(parser.NewProgram([]*parser.File{f}, parser.Options{}))
	at := diag.Position{File: "k.cu", Line: 2, Column: 17}
	k := Kernel{KernelReport: summary.KernelReport{Name: "k", Position: at}, Ignored: set.Of(at)}
	require.Len(t, k.Ignored, 1)
	var wrong []diag.Message
	for _, w := range set.Wrong {
		wrong = append(wrong, w.Message)
	}
	p := speaker{Program: Program{Directives: append(wrong, diag.Message{Code: config.CodeUnused, Pos: diag.Position{File: "k.cu", Line: 1, Column: 4}})}}
	p.sources = (&finding.Report{Source: p.Source}).Sources()

	var told []string
	about := func(code diag.Code, pos diag.Position) finding.Finding {
		return p.about(k, diag.Message{Code: code, Pos: pos}, finding.Note)
	}
	for _, f := range p.beside([]finding.Finding{
		about("no-gain", at), about("goto", at), about(config.CodePinRefused, at),
		about(config.CodeUnknown, wrong[0].Pos), // said as an error
	}) {
		told = append(told, string(f.Rule)+"|"+string(f.Level)+"|"+f.Suppressed)
	}
	assert.Equal(t, []string{"no-gain|note|old GPUs", "goto|note|", "pin-refused|warning|"}, told)

	k.Request = &Request{Leave: "tuned by hand"}
	assert.Equal(t, "tuned by hand", about(config.CodeLeft, at).Suppressed)

	levels := map[diag.Code]finding.Level{}
	for _, f := range p.directives() {
		levels[f.Rule] = f.Level
	}
	assert.Equal(t, map[diag.Code]finding.Level{config.CodeUnknown: finding.Error, config.CodeUnused: finding.Warning}, levels)

	k.Request = &Request{Pin: "vtb N=2", By: &at, Refused: []diag.Message{{Code: "goto", Text: "goto"}}}
	assert.Len(t, p.known(k), 1, "told once")
	k.Request.Refused = []diag.Message{{Code: rewrite.CodeAlready}}
	assert.Empty(t, p.known(k), "it is done")
}
