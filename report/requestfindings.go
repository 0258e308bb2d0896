package report

import (
	"slices"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/project/config"
	"github.com/smux-cuda/smux/report/finding"
)

// wanted returns a finding as a person wants to hear of it: what was ignored is marked
// with the reason, and a pin that can't be proved is a warning.
func (k Kernel) wanted(f finding.Finding) finding.Finding {
	if f.Rule == config.CodePinRefused {
		f.Level = finding.Warning
	}
	if reason, ok := config.Suppressed(k.Ignored, diag.Message{Code: f.Rule, Pos: f.Pos}, k.Position); ok {
		f.Suppressed = reason
	} else if f.Rule == config.CodeLeft && k.Request != nil && k.Request.Leave != "" {
		f.Suppressed = k.Request.Leave
		f.External = !slices.ContainsFunc(k.Ignored, func(i config.Ignore) bool { return k.Request.By != nil && i.Pos == *k.Request.By })
	}
	return f
}

// beside omits findings about a directive itself.
func (p speaker) beside(found []finding.Finding) []finding.Finding {
	return slices.DeleteFunc(found, func(f finding.Finding) bool {
		return slices.ContainsFunc(p.Directives, func(m diag.Message) bool { return m.Code == f.Rule && m.Pos == f.Pos })
	})
}

// refusedPin reports that a pin can't be proved, unless an earlier run has done it.
func (p speaker) refusedPin(k Kernel) []finding.Finding {
	if k.Request == nil || len(k.Request.Refused) == 0 || k.Request.Done() {
		return nil
	}
	return []finding.Finding{p.about(k, diag.Message{Pos: k.Position, Code: config.CodePinRefused, Text: k.Request.Text()}, finding.Warning)}
}

// directives reports what is wrong with directives, and which stop nothing.
func (p speaker) directives() []finding.Finding {
	var out []finding.Finding
	for _, m := range p.Directives {
		level := finding.Error
		if m.Code == config.CodeUnused {
			level = finding.Warning
		}
		out = append(out, message(m, level))
	}
	return out
}
