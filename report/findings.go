package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/prose"
	"github.com/smux-cuda/smux/pipeline/selection"
	"github.com/smux-cuda/smux/project/config"
	"github.com/smux-cuda/smux/report/finding"
)

// The codes of findings that are not refusals. diag documents each.
const (
	CodeLimiter diag.Code = "limiter"
	CodeAsked   diag.Code = "as-asked"
)

// mostRefusals is the number of reasons against a kernel that are findings of their own: a
// reader mends one and looks again.
const mostRefusals = 3

// Findings returns what is to be reported of programs in the places where it stands, in
// their order. With changes that is what rewriting would do: a warning with a fix for
// each kernel that it changes, and a note for one that it leaves alone. Without, it
// is what is known: what limits a kernel, and why it can't be rewritten.
//
// A kernel without shared memory has nothing that thread blocks could share, so
// no reason is given why it is left alone. A reason that stands against several
// rewrites is reported once, and no more than three of a kernel; `smux analyze` as text
// has them all.
func Findings(programs []Program, changes bool) []finding.Finding {
	var out []finding.Finding
	for _, program := range programs {
		p := speaker{Program: program}
		p.sources = (&finding.Report{Source: p.Source}).Sources()
		var of []finding.Finding
		for _, k := range p.Kernels {
			if changes {
				of = append(of, p.changed(k)...)
			} else {
				of = append(of, p.known(k)...)
			}
		}
		of = append(p.beside(of), p.directives()...)
		for _, l := range p.Lost {
			rule, text := analysis.CodeSyntax, "smux can't parse this kernel"
			if l.Macro != "" {
				rule, text = analysis.CodeMacroContext, "macro "+l.Macro+" makes this kernel"
			}
			of = append(of, finding.Finding{Rule: rule, Level: finding.Note, Kernel: l.Name, Pos: l.Position, Text: text, Help: diag.Help(rule)})
		}
		out = append(out, p.sorted(once(of))...)
	}
	return out
}

// speaker describes what is to be said of a program.
type speaker struct {
	Program
	sources *finding.Sources
}

// once joins findings of one rule that stand in one place, such as what several
// kernels have against a device function that all of them call.
func once(found []finding.Finding) []finding.Finding {
	var out []finding.Finding
	also := make([][]string, len(found)) // kernels, beside the one of a finding in out
	for _, f := range found {
		i := slices.IndexFunc(out, func(o finding.Finding) bool {
			return o.Rule == f.Rule && o.Pos == f.Pos && o.Suppressed == f.Suppressed
		})
		switch {
		case i < 0 || f.Fix != nil:
			out = append(out, f)
		case out[i].Kernel != "" && out[i].Kernel != f.Kernel && !slices.Contains(also[i], f.Kernel):
			also[i] = append(also[i], f.Kernel)
		}
	}
	for i, names := range also[:len(out)] {
		if len(names) > 0 {
			out[i].Text += "; the same goes for " + strings.Join(names, ", ")
		}
	}
	return out
}

// Unread are findings about files that could not be read.
func Unread(messages []diag.Message) []finding.Finding {
	var out []finding.Finding
	for _, m := range messages {
		f := message(m, finding.Error)
		f.Unread = true
		out = append(out, f)
	}
	return out
}

// sorted puts findings into the order of files and places.
func (p speaker) sorted(found []finding.Finding) []finding.Finding {
	file := func(f finding.Finding) int {
		i := slices.IndexFunc(p.Files, func(t Text) bool { return t.Name == f.Pos.File })
		if i < 0 {
			return len(p.Files) // a header
		}
		return i
	}
	slices.SortStableFunc(found, func(a, b finding.Finding) int {
		if d := file(a) - file(b); d != 0 {
			return d
		}
		if d := a.Pos.Line - b.Pos.Line; d != 0 {
			return d
		}
		return a.Pos.Column - b.Pos.Column
	})
	return found
}

// message returns a message as a finding.
func message(m diag.Message, level finding.Level) finding.Finding {
	help := m.Help
	if help == "" {
		help = diag.Help(m.Code)
	}
	return finding.Finding{Rule: m.Code, Level: level, Pos: m.Pos, Text: m.Text, Help: help}
}

// at returns a finding about a kernel, at its name, with its launches.
func (p speaker) at(k Kernel, m diag.Message, level finding.Level) finding.Finding {
	m.Pos = k.Position
	f := message(m, level)
	f.Kernel, f.End = k.Name, p.behindName(k)
	for _, l := range k.Launches {
		f.Related = append(f.Related, finding.Related{Pos: l.Position, Text: "kernel " + k.Name + " is launched here"})
	}
	return f
}

// behindName returns where a kernel's name ends, the zero value where the text at its
// place is not known or another.
func (p speaker) behindName(k Kernel) diag.Position {
	line, ok := p.sources.Line(k.Position.File, k.Position.Line)
	from, end := k.Position.Column-1, k.Position
	end.Column += len(k.Name)
	if !ok || end.Column-1 > len(line) || line[from:from+len(k.Name)] != k.Name {
		return diag.Position{}
	}
	return end
}

// Source returns the text of one of the program's files, nil where it is not among them.
func (p Program) Source(name string) []byte {
	for _, t := range p.Files {
		if t.Name == name {
			return t.Src
		}
	}
	return nil
}

// about returns a message about a kernel as a finding, where it stands.
func (p speaker) about(k Kernel, m diag.Message, level finding.Level) finding.Finding {
	f := message(m, level)
	if m.Pos == k.Position {
		f = p.at(k, m, level)
	}
	f.Kernel = k.Name
	return k.wanted(f)
}

// changed reports what rewriting does to a kernel.
func (p speaker) changed(k Kernel) []finding.Finding {
	switch {
	case k.Result == nil:
		return nil
	case k.Result.Rewriter == "":
		if len(k.Shared) == 0 && !k.Request.Decides() {
			return nil
		}
		var out []finding.Finding
		for _, m := range k.Result.Refused {
			out = append(out, p.about(k, m, finding.Note))
		}
		return capped(out)
	}
	way := k.Result.Variant.String()
	warning := p.at(k, diag.Message{Code: CodeAsked, Text: way + " can be applied"}, finding.Warning)
	var out []finding.Finding
	for _, m := range k.Result.Notes {
		if m.Code == selection.CodeChosen || m.Code == config.CodePinned {
			warning = p.at(k, m, finding.Warning)
			continue
		}
		out = append(out, p.about(k, m, finding.Note))
	}
	if k.Judgement != nil {
		warning.Text += "; " + k.Judgement.Text()
	}
	warning.Fix = &finding.Fix{Text: "rewrite kernel " + k.Name + " as " + way}
	for _, f := range k.Fix {
		warning.Fix.Files = append(warning.Fix.Files, finding.Change{Name: f.Name, Before: f.Before, After: f.After})
	}
	return append([]finding.Finding{k.wanted(warning)}, out...)
}

// capped returns the reasons against a kernel, each once and not too many; the last
// tells how many more. What is suppressed does not count.
func capped(found []finding.Finding) []finding.Finding {
	type place struct {
		rule diag.Code
		pos  diag.Position
	}
	seen := map[place]bool{}
	var out []finding.Finding
	told, last := 0, 0
	for _, f := range found {
		at := place{f.Rule, f.Pos}
		if seen[at] {
			continue
		}
		seen[at] = true
		if f.Suppressed == "" {
			if told++; told > mostRefusals {
				continue
			}
			last = len(out)
		}
		out = append(out, f)
	}
	if n := told - mostRefusals; n > 0 {
		out[last].Text += fmt.Sprintf("; %s more: smux analyze as text has all", prose.Count(n, "reason"))
	}
	return out
}
