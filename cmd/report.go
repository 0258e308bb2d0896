package cmd

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/prose"
	"github.com/smux-cuda/smux/pipeline/selection"
	"github.com/smux-cuda/smux/rewrite"
)

// kernelMessages prints why each refused kernel was left alone, and what the reader should know of each rewritten one:
// in a line for each, or verbosely in a message for each place.
func (s *session) kernelMessages(kernels []rewrite.KernelResult, verbose bool) {
	for _, k := range kernels {
		told := toldOf(k, verbose)
		switch {
		case verbose:
			for _, m := range told {
				s.Message(m)
			}
		case len(told) > 0:
			s.MessageLine(folded(told))
		}
	}
}

// toldOf returns what is said of a kernel. Figures of nvcc are told verbosely, or where there is nothing else: what is
// worse than before has codes of its own.
func toldOf(k rewrite.KernelResult, verbose bool) (out []diag.Message) {
	for _, m := range k.Refused {
		m.Text = fmt.Sprintf("kernel %q left alone: %s", k.Name, m.Text)
		m.Help = cmp.Or(m.Help, diag.Help(m.Code))
		out = append(out, m)
	}
	for _, m := range k.Notes {
		if m.Code == selection.CodeRegisters && !verbose && len(k.Notes) > 1 {
			continue
		}
		m.Text = fmt.Sprintf("kernel %q: %s", k.Name, m.Text)
		out = append(out, m)
	}
	return out
}

// folded returns what is said of a kernel as one message: the first of each code, and in how many places it holds.
func folded(told []diag.Message) diag.Message {
	out, text := told[0], ""
	for i, m := range told {
		same := func(o diag.Message) bool { return o.Code == m.Code }
		if slices.ContainsFunc(told[:i], same) {
			continue
		}
		if i > 0 {
			_, about, _ := strings.Cut(m.Text, ": ") // the kernel, which has been named
			m.Text = fmt.Sprintf("; %s: %s", m.Code, about)
		}
		if text += m.Text; slices.ContainsFunc(told[i+1:], same) {
			places := slices.DeleteFunc(slices.Clone(told), func(o diag.Message) bool { return !same(o) })
			text += fmt.Sprintf(" (%d places)", len(places))
		}
	}
	out.Text = text
	return out
}

// kernelHelp prints once what a person can do about messages on kernels.
func (s *session) kernelHelp(kernels []rewrite.KernelResult) {
	var told []diag.Message
	var codes []string
	for _, k := range kernels {
		for _, m := range toldOf(k, false) {
			if !slices.Contains(codes, string(m.Code)) {
				told, codes = append(told, m), append(codes, string(m.Code))
			}
		}
	}
	switch len(told) {
	case 0:
	case 1:
		s.MessageHelp(told[0])
	default:
		s.HelpLine(fmt.Sprintf("run \"smux explain CODE\" with %s; smux rewrite -v tells more", strings.Join(codes, ", ")))
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
