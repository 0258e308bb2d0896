package report

import (
	"unicode/utf8"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/pipeline/selection"
	"github.com/smux-cuda/smux/report/finding"
	"github.com/smux-cuda/smux/rewrite"
)

// ChangesSchema is the version of Changes' JSON form. It grows when a field changes
// its meaning or is removed; new fields alone do not change it.
const ChangesSchema = 1

// Changes is the document that `smux rewrite -d --format json` prints.
type Changes struct {
	Schema   int             `json:"schema"` // ChangesSchema
	Programs []ProgramChange `json:"programs"`
	// Unread tells why files were left out.
	Unread []diag.Message `json:"unread"`
}

// ProgramChange holds what rewriting does to the files of one program.
type ProgramChange struct {
	Files   []string       `json:"files"`
	Kernels []KernelChange `json:"kernels"`
	// Directives holds what is wrong with directives in the files.
	Directives []diag.Message `json:"directives"`
	// Edits make the rewritten program of its files.
	Edits []FileEdits `json:"edits"`
}

// KernelChange is the outcome for one kernel.
type KernelChange struct {
	Name     string           `json:"name"`
	Position diag.Position    `json:"position"`
	Way      *rewrite.Variant `json:"way"` // null where the kernel was left alone
	// Predicted is the model's prediction for the variant, by GPU; empty where it was not asked.
	Predicted []selection.Prediction `json:"predicted"`
	Refused   []diag.Message         `json:"refused"` // why it was left alone
	Notes     []diag.Message         `json:"notes"`   // what to know of the rewrite
	// Judgement says how far the rewrite is confirmed to be right; null where the kernel was left alone.
	Judgement *Judgement `json:"judgement"`
	// Edits rewrite this kernel alone, with those that are rewritten with it.
	Edits []FileEdits `json:"edits"`
}

// FileEdits are the edits of one file. They do not touch one another.
type FileEdits struct {
	File  string `json:"file"`
	Edits []Edit `json:"edits"`
}

// Edit replaces whole lines: from StartLine on, EndLine not included, both from 1. StartByte and EndByte are the same
// place in bytes, from 0; a byte order mark at the start of a file is not part of the first line. A text that is not
// UTF-8 is in Bytes, in base64, and Text is null.
type Edit struct {
	StartLine int     `json:"startLine"`
	EndLine   int     `json:"endLine"`
	StartByte int     `json:"startByte"`
	EndByte   int     `json:"endByte"`
	Text      *string `json:"text"`
	Bytes     []byte  `json:"bytes,omitempty"`
}

// NewChanges puts what became of programs into one document.
func NewChanges(programs []Program, unread []diag.Message) Changes {
	out := Changes{Schema: ChangesSchema, Programs: []ProgramChange{}, Unread: append([]diag.Message{}, unread...)}
	for _, p := range programs {
		pc := ProgramChange{Files: []string{}, Kernels: []KernelChange{}, Edits: editsOf(p.Changed), Directives: append([]diag.Message{}, p.Directives...)}
		for _, f := range p.Files {
			pc.Files = append(pc.Files, f.Name)
		}
		for _, r := range p.Results {
			pc.Kernels = append(pc.Kernels, p.kernelChange(r))
		}
		out.Programs = append(out.Programs, pc)
	}
	return out
}

func (p Program) kernelChange(r rewrite.KernelResult) KernelChange {
	c := KernelChange{
		Name: r.Name, Position: r.Pos, Predicted: []selection.Prediction{}, Edits: []FileEdits{},
		Refused: append([]diag.Message{}, r.Refused...), Notes: append([]diag.Message{}, r.Notes...),
	}
	if r.Rewriter == "" {
		return c
	}
	c.Way = &r.Variant
	for _, k := range p.Kernels {
		if k.Position != r.Pos {
			continue
		}
		c.Edits, c.Judgement = editsOf(k.Fix), k.Judgement
		if k.Model != nil {
			c.Predicted = append(c.Predicted, k.Model.Predicted(r.Variant)...)
		}
	}
	return c
}

func editsOf(files []rewrite.FileResult) []FileEdits {
	out := []FileEdits{}
	for _, f := range files {
		c := finding.Change{Name: f.Name, Before: f.Before, After: f.After}
		edits := []Edit{}
		for _, e := range c.Edits() {
			edits = append(edits, editOf(e))
		}
		if len(edits) > 0 {
			out = append(out, FileEdits{f.Name, edits})
		}
	}
	return out
}

func editOf(e finding.Edit) Edit {
	out := Edit{StartLine: e.Start.Line, EndLine: e.End.Line, StartByte: e.Start.Offset, EndByte: e.End.Offset}
	if e.End.Column > 1 && e.End.Offset > e.Start.Offset {
		out.EndLine++ // the last line has no end
	}
	if text := string(e.Text); utf8.ValidString(text) {
		out.Text = &text
	} else {
		out.Bytes = e.Text
	}
	return out
}
