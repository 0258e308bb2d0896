package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/pipeline/selection"
	"github.com/smux-cuda/smux/rewrite"
)

// Told returns what is said of a kernel. Figures of nvcc are told verbosely, or where there is nothing else: what is
// worse than before has codes of its own.
func Told(k rewrite.KernelResult, verbose bool) (out []diag.Message) {
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

// Folded returns what is said of a kernel as one message: the first of each code, and in how many places it holds.
func Folded(told []diag.Message) diag.Message {
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

// Advice returns help for the messages on kernels, once for all.
func Advice(kernels []rewrite.KernelResult) string {
	var told []diag.Message
	var codes []string
	for _, k := range kernels {
		for _, m := range Told(k, false) {
			if !slices.Contains(codes, string(m.Code)) {
				told, codes = append(told, m), append(codes, string(m.Code))
			}
		}
	}
	switch len(told) {
	case 0:
		return ""
	case 1:
		return told[0].Advice()
	}
	return fmt.Sprintf("run \"smux explain CODE\" with %s; smux rewrite -v tells more", strings.Join(codes, ", "))
}
