package cmd

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/pipeline/selection"
	"github.com/smux-cuda/smux/report"
	"github.com/smux-cuda/smux/rewrite"
)

// TestAKernelIsALine holds what is printed of kernels: a line for each, and the help once.
func TestAKernelIsALine(t *testing.T) {
	at := func(line int) diag.Position { return diag.Position{File: "k.cu", Line: line, Column: 1} }
	refused := rewrite.KernelResult{Name: "copies", Refused: []diag.Message{
		{Pos: at(3), Code: "async-copy", Text: "a copy"}, {Pos: at(4), Code: "async-copy", Text: "a barrier"}, {Pos: at(5), Code: "shared-escapes", Text: "an address"}}}
	rewritten := rewrite.KernelResult{Name: "tiles", Notes: []diag.Message{
		{Pos: at(9), Code: selection.CodeChosen, Text: "overlay"}, {Pos: at(9), Code: selection.CodeRegisters, Text: "8 -> 9"}, {Pos: at(9), Code: selection.CodeSpills, Text: "worse"}}}
	for _, c := range []struct {
		kernels []rewrite.KernelResult
		verbose bool
		want    string
	}{
		{[]rewrite.KernelResult{refused}, false, `k.cu:3:1: async-copy: kernel "copies" left alone: a copy (2 places); shared-escapes: an address
    help: run "smux explain CODE" with async-copy, shared-escapes; smux rewrite -v tells more
`},
		{[]rewrite.KernelResult{rewritten, rewritten}, false, `k.cu:9:1: chosen: kernel "tiles": overlay; spills: worse
k.cu:9:1: chosen: kernel "tiles": overlay; spills: worse
    help: run "smux explain CODE" with chosen, spills; smux rewrite -v tells more
`},
		{[]rewrite.KernelResult{rewritten}, true, `k.cu:9:1: chosen: kernel "tiles": overlay
    help: run "smux explain chosen"
k.cu:9:1: registers: kernel "tiles": 8 -> 9
    help: run "smux explain registers"
k.cu:9:1: spills: kernel "tiles": worse
    help: run "smux explain spills"
`},
	} {
		var errs bytes.Buffer
		s := newSession(strings.NewReader(""), &bytes.Buffer{}, &errs)
		s.kernelMessages(c.kernels, c.verbose)
		if !c.verbose {
			s.HelpLine(report.Advice(c.kernels))
		}
		assert.Equal(t, c.want, errs.String())
	}
}
