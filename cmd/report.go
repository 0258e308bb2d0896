package cmd

import (
	"fmt"
	"slices"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/prose"
	"github.com/smux-cuda/smux/pipeline/selection"
	"github.com/smux-cuda/smux/rewrite"
)

// kernelMessages prints why each refused kernel was left alone, and what the reader should know of each rewritten one.
func (s *session) kernelMessages(kernels []rewrite.KernelResult) {
	for _, k := range kernels {
		for _, m := range k.Refused {
			m.Text = fmt.Sprintf("kernel %q left alone: %s", k.Name, m.Text)
			if m.Help == "" {
				m.Help = diag.Help(m.Code)
			}
			s.Message(m)
		}
		for _, m := range k.Notes {
			m.Text = fmt.Sprintf("kernel %q: %s", k.Name, m.Text)
			s.Message(m)
		}
	}
}

// warnings prints what is said of rewritten kernels even if nothing else is: what is expected
// to be lost.
func (s *session) warnings(kernels []rewrite.KernelResult) {
	var out []rewrite.KernelResult
	for _, k := range kernels {
		k.Refused = nil
		k.Notes = slices.DeleteFunc(slices.Clone(k.Notes), func(m diag.Message) bool { return m.Code != selection.CodeExpectedLoss })
		out = append(out, k)
	}
	s.kernelMessages(out)
}

// kernelSummary counts kernels, where there are several.
func (s *session) kernelSummary(kernels []rewrite.KernelResult) {
	rewritten := 0
	for _, k := range kernels {
		if k.Rewriter != "" {
			rewritten++
		}
	}
	if len(kernels) > 1 {
		s.Remark("%s rewritten, %d left alone", prose.Count(rewritten, "kernel"), len(kernels)-rewritten)
	}
}
