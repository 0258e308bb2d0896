package cmd

import (
	"slices"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/prose"
	"github.com/smux-cuda/smux/pipeline/selection"
	"github.com/smux-cuda/smux/report"
	"github.com/smux-cuda/smux/rewrite"
)

// kernelMessages prints why each refused kernel was left alone, and what the reader should know of each rewritten one:
// in a line for each, or verbosely in a message for each place.
func (s *session) kernelMessages(kernels []rewrite.KernelResult, verbose bool) {
	for _, k := range kernels {
		told := report.Told(k, verbose)
		switch {
		case verbose:
			for _, m := range told {
				s.Message(m)
			}
		case len(told) > 0:
			s.MessageLine(report.Folded(told))
		}
	}
}

// warnings prints what is said of rewritten kernels even if nothing else is: what is expected to be lost.
func (s *session) warnings(kernels []rewrite.KernelResult) {
	var out []rewrite.KernelResult
	for _, k := range kernels {
		k.Refused = nil
		k.Notes = slices.DeleteFunc(slices.Clone(k.Notes), func(m diag.Message) bool { return m.Code != selection.CodeExpectedLoss })
		out = append(out, k)
	}
	s.kernelMessages(out, true)
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
