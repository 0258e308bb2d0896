package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/lists"
	"github.com/smux-cuda/smux/internal/prose"
	"github.com/smux-cuda/smux/model/occupancy"
	"github.com/smux-cuda/smux/model/sim"
	"github.com/smux-cuda/smux/pipeline/selection"
	"github.com/smux-cuda/smux/project/config"
	"github.com/smux-cuda/smux/report/finding"
	"github.com/smux-cuda/smux/rewrite"
)

// The codes of findings that are not refusals. diag documents each.
const (
	CodeLimiter diag.Code = "limiter"
	CodeAsked   diag.Code = "as-asked"
)

// mostRefusals is the number of reasons against a kernel that are findings of their own: a
// reader mends one and looks again.
const mostRefusals = 3

// Findings returns what is to be reported of programs in the places where it stands, in their order. With changes
// they say what rewriting would do: a warning with a fix for each kernel that it changes, and a note for one that it
// leaves alone. Without changes they say what is known: what limits a kernel, and why it can't be rewritten.
//
// A kernel without shared memory has nothing that thread blocks could share, so no reason is given why it is left
// alone. A reason that stands against several rewrites is reported once, and no more than three of a kernel; `smux
// analyze` as text has them all.
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
		return cmp.Or(file(a)-file(b), a.Pos.Line-b.Pos.Line, a.Pos.Column-b.Pos.Column)
	})
	return found
}

// message returns a message as a finding.
func message(m diag.Message, level finding.Level) finding.Finding {
	help := cmp.Or(m.Help, diag.Help(m.Code))
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

// behindName returns where a kernel's name ends, the zero value where the text at its place is not known or another.
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
		out := lists.Map(k.Result.Refused, func(m diag.Message) finding.Finding { return p.about(k, m, finding.Note) })
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

// refusals returns why a kernel with shared memory can't be rewritten at all. Where some
// rewrite is available there is no reason to tell why another isn't.
func (p speaker) refusals(k Kernel) []finding.Finding {
	if len(k.Shared) == 0 || rewrite.CanGain(k.Offers) {
		return nil
	}
	var out []finding.Finding
	for _, r := range reasonsOf(k) {
		m := r.Message
		if len(r.against) > 0 {
			m.Text += " (stands against " + strings.Join(r.against, ", ") + ")"
		}
		out = append(out, p.about(k, m, finding.Note))
	}
	return capped(out)
}

// reason is one thing against a kernel, with the rewriters that it stops.
type reason struct {
	diag.Message
	against []string
}

// reasonsOf returns what the preferred rewriter has against a kernel, each once, with what else it stops; what only
// others have against it would not help to know. A kernel that is rewritten already has none.
func reasonsOf(k Kernel) []reason {
	var out []reason
	find := func(m diag.Message) *reason {
		for i := range out {
			if out[i].Code == m.Code && out[i].Pos == m.Pos {
				return &out[i]
			}
		}
		return nil
	}
	for _, m := range k.Hazards {
		if find(m) == nil {
			out = append(out, reason{Message: m})
		}
	}
	for _, o := range k.Offers {
		if !o.Merges() {
			continue
		}
		for _, m := range o.Refused {
			if m.Code == rewrite.CodeAlready {
				return nil
			}
			r := find(m)
			if r == nil {
				if o.Rewriter != rewrite.Rewriters[0].Name {
					continue
				}
				out = append(out, reason{Message: m})
				r = &out[len(out)-1]
			}
			r.against = lists.Add(r.against, o.Rewriter)
		}
	}
	return out
}

// known reports what limits a kernel and what would move it, or why that is not known, and why it can't be rewritten.
func (p speaker) known(k Kernel) []finding.Finding {
	var out []finding.Finding
	if text := limiterText(k.Model, k.Request); text != "" {
		out = append(out, p.about(k, diag.Message{Pos: k.Position, Code: CodeLimiter, Text: text}, finding.Note))
	}
	out = append(out, p.refusedPin(k)...)
	refusals := p.refusals(k)
	if k.Model != nil && k.Model.Unranked != "" && len(k.Shared) > 0 && len(refusals) == 0 {
		out = append(out, p.about(k, diag.Message{Pos: k.Position, Code: selection.CodeNotRanked, Text: k.Model.Summary()}, finding.Note))
	}
	return append(out, refusals...)
}

// limiterText returns, for each GPU that a kernel does not fill, what limits it there and the least change that puts
// more on an SM, then what a rewrite would do; "" where every GPU is full or nothing is known.
func limiterText(m *selection.Report, w *Request) string {
	if m == nil {
		return ""
	}
	var gpus prose.Groups
	for i, o := range m.Originals {
		if o.Occupancy >= 1 {
			continue
		}
		text := o.Limit() + fmt.Sprintf(" (occupancy %.0f %%)", 100*o.Occupancy)
		if step := nextStep(m.Places()[i]); step != "" {
			text += ", " + step
		}
		name := o.GPU
		if slices.ContainsFunc(m.Originals, func(other selection.Original) bool { return other.GPU == o.GPU && other.Block != o.Block }) {
			name += " block " + o.Block
		}
		gpus.Add(text, name)
	}
	texts := gpus.Lines(func(text string, of []string) string { return strings.Join(of, ", ") + ": " + text })
	for _, measured := range m.Profile {
		texts = append(texts, measured.String())
	}
	if len(texts) == 0 {
		return ""
	}
	if w.Decides() {
		texts = append(texts, w.Text())
	} else if text := rewriteText(m); text != "" {
		texts = append(texts, text)
	}
	return strings.Join(texts, "; ")
}

// nextStep returns the smallest change with which more thread blocks fit, "" for none.
func nextStep(p selection.Place) string {
	placed, err := sim.Place(p.GPU, p.Work, sim.Policy{})
	if err != nil {
		return ""
	}
	steps := occupancy.Next(p.GPU, placed.Demand)
	if len(steps) == 0 {
		return ""
	}
	return steps[0].String()
}

// rewriteText reports what the chosen rewrite would do, or the one from which most is
// expected if it runs more thread blocks.
func rewriteText(m *selection.Report) string {
	for _, r := range m.Ranking {
		if r.Excluded != "" || m.Choice != nil && r.Variant != *m.Choice {
			continue
		}
		more := slices.ContainsFunc(r.Places, func(p selection.Prediction) bool { return p.After.Blocks > p.Before.Blocks })
		if m.Choice == nil && (!more || r.Gain <= 1) {
			return "" // the others are expected to do worse
		}
		text := fmt.Sprintf("%s would run %s", r.Variant, blocksText(r))
		if text += fmt.Sprintf(", predicted %.2fx", r.Gain); len(r.Places) > 1 {
			text += " on average"
		}
		if m.Choice != nil {
			text += ": smux rewrite applies it"
		}
		return text
	}
	return ""
}

// blocksText is "8 virtual TBs", or from how many to how many.
func blocksText(r selection.RankedVariant) string {
	least, most := r.Places[0].After.Blocks, r.Places[0].After.Blocks
	for _, p := range r.Places {
		least, most = min(least, p.After.Blocks), max(most, p.After.Blocks)
	}
	if least < most {
		return fmt.Sprintf("%d to %d %ss", least, most, r.Unit())
	}
	return prose.Count(most, r.Unit())
}
