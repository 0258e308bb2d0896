package lsp

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/sourcegraph/jsonrpc2"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/model/occupancy"
	"github.com/smux-cuda/smux/pipeline/selection"
	"github.com/smux-cuda/smux/project"
	"github.com/smux-cuda/smux/report"
	"github.com/smux-cuda/smux/report/finding"
)

// publish sends the diagnostics that build returns under the server's lock; nil for none.
func (s *server) publish(build func() *published) {
	s.sending.Lock()
	defer s.sending.Unlock()
	s.mu.Lock()
	p := build()
	s.mu.Unlock()
	if p != nil {
		_ = s.conn.Notify(s.ctx, "textDocument/publishDiagnostics", p) // a client that has left gets none
	}
}

// publish sends all that is known of the run's text, if it is still the editor's.
func (r *run) publish() {
	r.doc.server.publish(func() *published {
		d := r.doc
		seen, _ := r.seen()
		if d.run != r || !r.limits.ended() {
			return nil
		}
		all := append(report.Unread(seen.Unread), report.Findings(seen.Programs, false)...)
		for _, f := range report.Findings(seen.Programs, true) {
			if f.Fix != nil {
				all = append(all, f)
			}
		}
		at := newPlaces(r.textOf(seen))
		old := newPlaces(func(string) []byte { return d.checkedOf })
		for _, f := range d.checked { // what stood there when it was run
			was, _ := old.Line(f.Pos.File, f.Pos.Line)
			if is, ok := at.Line(f.Pos.File, f.Pos.Line); ok && is == was {
				all = append(all, f)
			}
		}
		out := &published{URI: d.uri, Version: &r.version, Diagnostics: []diagnostic{}}
		told := map[string]bool{}
		for _, f := range finding.Told(all) {
			if key := fmt.Sprint(f.Rule, f.Pos, f.Text); d.has(f.Pos.File) && !told[key] {
				told[key] = true
				out.Diagnostics = append(out.Diagnostics, r.diagnostic(f, at))
			}
		}
		return out
	})
}

// textOf gives the texts of a run's programs, that of its own file included.
func (r *run) textOf(seen Seen) func(name string) []byte {
	return func(name string) []byte {
		if r.doc.has(name) {
			return r.text
		}
		for _, p := range seen.Programs {
			if text := p.Source(name); text != nil {
				return text
			}
		}
		return nil
	}
}

// diagnostic returns a finding as the protocol has it. A rewrite that is possible is no defect, and what is good to know
// is a hint.
func (r *run) diagnostic(f finding.Finding, at places) diagnostic {
	severity := map[finding.Level]int{finding.Error: severityError, finding.Warning: severityWarning, finding.Note: severityHint}[f.Level]
	if f.Fix != nil {
		severity = severityInformation
	}
	out := diagnostic{Range: at.span(f.Pos, f.End), Severity: severity, Code: string(f.Rule), Source: source, Message: f.Message()}
	if f.Help != "" {
		out.Message += "\n" + f.Help
	}
	if _, documented := diag.Lookup(f.Rule); documented {
		out.CodeDescription = &codeDescription{finding.URL(f.Rule)}
	}
	for _, o := range f.Related {
		uri := uriOf(project.Absolute(o.Pos.File))
		if r.doc.has(o.Pos.File) {
			uri = r.doc.uri
		}
		out.RelatedInformation = append(out.RelatedInformation, relatedInformation{location{uri, at.span(o.Pos, diag.Position{})}, o.Text})
	}
	return out
}

// lenses says at each kernel how many of its thread blocks run at once, and what limits them.
func (s *server) lenses(ctx context.Context, r *run, _ textParams) (any, error) {
	seen, err := r.known(ctx)
	if err != nil {
		return nil, err
	}
	out := []codeLens{}
	at := newPlaces(r.textOf(seen))
	for _, k := range r.about(seen) {
		out = append(out, codeLens{at.span(k.Position, nameEnd(k)), command{standing(k.Model), explain, []string{string(report.CodeLimiter)}}})
	}
	return out, nil
}

// nameEnd returns where the name of a kernel ends.
func nameEnd(k report.Kernel) diag.Position {
	end := k.Position
	end.Column += len(k.Name)
	return end
}

// standing says how many of a kernel's thread blocks an SM runs, of how many that its threads allow, and what limits them;
// with the GPUs where they differ.
func standing(m *selection.Report) string {
	if m == nil || len(m.Originals) == 0 {
		why := "its resources are not known"
		if m != nil && m.Unranked != "" {
			why = m.Unranked
		}
		return "thread blocks: " + why
	}
	var texts []string
	gpus := map[string][]string{}
	for i, o := range m.Originals {
		text := fmt.Sprintf("%d of %d thread blocks: %s", o.Blocks, most(m, i), o.Limiters)
		if o.Occupancy >= 1 {
			text = fmt.Sprintf("%d of %d thread blocks: full", o.Blocks, most(m, i))
		}
		if gpus[text] == nil {
			texts = append(texts, text)
		}
		if !slices.Contains(gpus[text], o.GPU) {
			gpus[text] = append(gpus[text], o.GPU)
		}
	}
	if len(texts) > 1 {
		for i, text := range texts {
			texts[i] = text + " on " + strings.Join(gpus[text], ", ")
		}
	}
	return strings.Join(texts, " · ")
}

// most returns how many thread blocks an SM runs of a place whose threads alone limit them.
func most(m *selection.Report, place int) int {
	o := m.Originals[place]
	r, err := occupancy.Compute(m.Places()[place].GPU, occupancy.Demand{Threads: o.Threads})
	if err != nil {
		return o.Blocks
	}
	return r.Blocks
}

// hover tells of the kernel whose name is under the cursor: how it stands on each GPU, and what would be chosen.
func (s *server) hover(ctx context.Context, r *run, p textParams) (any, error) {
	seen, err := r.known(ctx)
	if err != nil {
		return nil, err
	}
	line, _ := newPlaces(r.textOf(seen)).Line(r.doc.path, p.Position.Line+1)
	name, at := word(line, p.Position)
	for _, program := range seen.Programs {
		for _, k := range program.Kernels {
			if name != "" && k.Name == name {
				return hover{map[string]string{"kind": "markdown", "value": described(k)}, at}, nil
			}
		}
	}
	return nil, nil
}

// described returns what is known of a kernel as Markdown.
func described(k report.Kernel) string {
	m := k.Model
	if m == nil || len(m.Originals) == 0 {
		return "kernel `" + k.Name + "`: " + standing(m)
	}
	var out strings.Builder
	fmt.Fprintf(&out, "kernel `%s`\n\n| GPU | block | thread blocks per SM | occupancy | limited by | registers | shared |\n|---|---|---|---|---|---|---|\n", k.Name)
	for i, o := range m.Originals {
		registers := fmt.Sprint(o.Registers)
		if !o.Compiled() {
			registers += " (est.)"
		}
		fmt.Fprintf(&out, "| %s | %s | %d of %d | %.0f %% | %s | %s | %d B |\n", o.GPU, o.Block, o.Blocks, most(m, i), 100*o.Occupancy, o.Limiters, registers, o.Shared)
	}
	if k.Result != nil {
		fmt.Fprintf(&out, "\n%s\n", m.Verdict())
	}
	for _, a := range m.Assumptions {
		fmt.Fprintf(&out, "\nassumed: %s\n", a)
	}
	return out.String()
}

// actions are the rewrites of the kernels in a range that smux rewrite would apply, and the documentation of the
// diagnostics there.
func (s *server) actions(ctx context.Context, r *run, p textParams) (any, error) {
	out := []codeAction{}
	if only := p.Context.Only; len(only) > 0 && !slices.ContainsFunc(only, func(kind string) bool { return kind == "" || kind == quickFix }) {
		return out, nil
	}
	seen, err := r.wait(ctx, &r.decided)
	if err != nil {
		return nil, err
	}
	for _, k := range r.about(seen) {
		if len(k.Fix) == 0 || p.Range.End.Line < k.Position.Line-1 || p.Range.Start.Line > k.End.Line-1 {
			continue
		}
		if edit := s.edit(k); edit != nil {
			out = append(out, codeAction{Title: title(k), Kind: quickFix, IsPreferred: true, Edit: edit})
		}
	}
	for _, d := range p.Context.Diagnostics {
		var code string
		if d.Source != source || json.Unmarshal(d.Code, &code) != nil {
			continue
		}
		doc, documented := diag.Lookup(diag.Code(code))
		same := func(a codeAction) bool { return a.Command != nil && a.Command.Arguments[0] == code }
		if documented && !slices.ContainsFunc(out, same) {
			text := "Explain " + code + ": " + doc.Title
			out = append(out, codeAction{Title: text, Kind: quickFix, Command: &command{text, explain, []string{code}}})
		}
	}
	return out, nil
}

// title says what an action does, and the evidence for it.
func title(k report.Kernel) string {
	out := fmt.Sprintf("Rewrite %s as %s", k.Name, k.Result.Variant)
	var evidence []string
	if k.Model != nil {
		for _, w := range k.Model.Ranking {
			if w.Variant == k.Result.Variant && w.Gain > 0 {
				evidence = append(evidence, fmt.Sprintf("predicted %.2fx", w.Gain))
			}
		}
	}
	if k.Judgement != nil {
		evidence = append(evidence, k.Judgement.Short())
	}
	if len(evidence) > 0 {
		out += ": " + strings.Join(evidence, ", ")
	}
	return out
}

// edit returns the edit that rewrites a kernel; nil where a text has changed since, or where it has no form in the protocol.
func (s *server) edit(k report.Kernel) *workspaceEdit {
	var out workspaceEdit
	for _, f := range k.Fix {
		now, err := s.text(f.Name)
		returns := bytes.Count(now, []byte("\r")) != bytes.Count(now, []byte("\r\n")) // which end lines in the protocol
		if err != nil || !bytes.Equal(now, f.Before) || !utf8.Valid(f.Before) || !utf8.Valid(f.After) || returns {
			return nil
		}
		of := versioned{URI: uriOf(project.Absolute(f.Name))}
		s.mu.Lock()
		if d := s.docs[project.Resolved(f.Name)]; d != nil {
			of = versioned{d.uri, &d.run.version}
		}
		s.mu.Unlock()
		out.DocumentChanges = append(out.DocumentChanges, documentEdit{of, edits(finding.Change{Name: f.Name, Before: f.Before, After: f.After})})
	}
	return &out
}

// execute shows the documentation of a code.
func (s *server) execute(ctx context.Context, r *jsonrpc2.Request) error {
	var p struct {
		Command   string
		Arguments []string
	}
	if err := read(r, &p); err != nil {
		return err
	}
	if p.Command != explain || len(p.Arguments) != 1 {
		return &jsonrpc2.Error{Code: jsonrpc2.CodeInvalidParams, Message: "the command is " + explain + " CODE"}
	}
	doc, ok := diag.Lookup(diag.Code(p.Arguments[0]))
	if !ok {
		return &jsonrpc2.Error{Code: jsonrpc2.CodeInvalidParams, Message: "no such code " + p.Arguments[0]}
	}
	text := fmt.Sprintf("%s: %s\n\n%s\n\n%s", doc.Code, doc.Title, strings.TrimSpace(doc.Text), finding.URL(doc.Code))
	return s.conn.Notify(ctx, "window/showMessage", map[string]any{"type": severityInformation, "message": text})
}
