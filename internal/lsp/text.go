package lsp

import (
	"net/url"
	"path/filepath"
	"strings"
	"unicode/utf16"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/lists"
	"github.com/smux-cuda/smux/report/finding"
)

// pathOf returns the path of a file by its address, "" for what is no file.
func pathOf(uri string) string {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" {
		return ""
	}
	return filepath.FromSlash(u.Path)
}

// uriOf returns the address of a file by its absolute path.
func uriOf(path string) string {
	return (&url.URL{Scheme: "file", Path: filepath.ToSlash(path)}).String()
}

// places turns places of files into those of the protocol.
type places struct{ *finding.Sources }

// newPlaces returns the places of files with these texts.
func newPlaces(text func(name string) []byte) places {
	return places{(&finding.Report{Source: text}).Sources()}
}

// at returns a place in UTF-16 code units. A column outside of the line, and the line after a last one that
// ends in a newline, begin the line.
func (p places) at(pos diag.Position) position {
	out := position{Line: max(0, pos.Line-1)}
	if column, ok := p.UTF16(pos); ok {
		out.Character = column - 1
	}
	return out
}

// span returns a range; one whose end is not known ends with its line.
func (p places) span(pos, end diag.Position) span {
	if !end.IsValid() {
		line, _ := p.Line(pos.File, pos.Line)
		end = diag.Position{File: pos.File, Line: pos.Line, Column: len(line) + 1}
	}
	return span{p.at(pos), p.at(end)}
}

// word returns the identifier at a place of a line, and its range.
func word(line string, at position) (string, span) {
	units := utf16.Encode([]rune(line))
	part := func(i int) bool {
		return i >= 0 && i < len(units) && (units[i] == '_' || units[i] < 128 && strings.ContainsRune(letters, rune(units[i])))
	}
	from, to := at.Character, at.Character
	for part(from - 1) {
		from--
	}
	for part(to) {
		to++
	}
	if from >= to {
		return "", span{}
	}
	return string(utf16.Decode(units[from:to])), span{position{at.Line, from}, position{at.Line, to}}
}

const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

// edits returns the edits of a change: the lines that change, and no others. The mark that a text may begin with
// is none of the editor's text.
func edits(c finding.Change) []textEdit {
	at := func(p finding.Point) position {
		line := strings.TrimPrefix(string(c.Before[p.Offset-p.Column+1:p.Offset]), "\ufeff")
		return position{p.Line - 1, len(utf16.Encode([]rune(line)))}
	}
	return lists.Map(c.Edits(), func(e finding.Edit) textEdit { return textEdit{span{at(e.Start), at(e.End)}, string(e.Text)} })
}
