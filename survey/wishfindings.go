package survey

import (
	"slices"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/directive"
	"github.com/smux-cuda/smux/finding"
	"github.com/smux-cuda/smux/rewrite"
)

// wished are the findings about a kernel as a person wants to hear of them: what was
// ignored is marked with the reason, a pin that can't be proved is a warning, and what
// is said of a directive itself is left out.
func (p speaker) wished(k Kernel, found []finding.Finding) []finding.Finding {
	var out []finding.Finding
	for _, f := range found {
		if slices.ContainsFunc(p.Directives, func(m diag.Message) bool { return m.Code == f.Rule && m.Pos == f.Pos }) {
			continue
		}
		if f.Rule == directive.CodePinRefused {
			f.Level = finding.Warning
		}
		switch reason, ok := directive.Suppressed(k.Ignored, diag.Message{Pos: f.Pos, Code: f.Rule}, k.Position); {
		case ok:
			f.Suppressed = reason
		case f.Rule == directive.CodeLeft && k.Wish != nil:
			f.Suppressed = k.Wish.Leave
		}
		out = append(out, f)
	}
	return out
}

// refusedPin says that a pin can't be proved, unless an earlier run has done it.
func (p speaker) refusedPin(k Kernel) []finding.Finding {
	if k.Wish == nil || len(k.Wish.Refused) == 0 ||
		slices.ContainsFunc(k.Wish.Refused, func(m diag.Message) bool { return m.Code == rewrite.CodeAlready }) {
		return nil
	}
	return []finding.Finding{p.at(k, diag.Message{Code: directive.CodePinRefused, Text: k.Wish.Text()}, finding.Warning)}
}

// directives says what is wrong with directives, and which stop nothing.
func (p speaker) directives() []finding.Finding {
	var out []finding.Finding
	for _, m := range p.Directives {
		level := finding.Error
		if m.Code == directive.CodeUnused {
			level = finding.Warning
		}
		out = append(out, message(m, level))
	}
	return out
}
