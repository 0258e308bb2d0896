package finding

import (
	"strings"
	"unicode/utf8"

	"github.com/smux-cuda/smux/diag"
)

// Sources are the texts of a report's files, cut into lines once.
type Sources struct {
	text  func(string) []byte
	lines map[string][]string
}

// Sources opens the texts of a report.
func (r *Report) Sources() *Sources {
	return &Sources{text: r.Source, lines: map[string][]string{}}
}

// Line returns the text of a line, from 1, without its end; ok is false where it is not
// known.
func (s *Sources) Line(file string, line int) (text string, ok bool) {
	all, known := s.lines[file]
	if !known && s.text != nil {
		all = lines(string(s.text(file)))
		s.lines[file] = all
	}
	if line < 1 || line > len(all) {
		return "", false
	}
	return strings.TrimRight(all[line-1], "\r\n"), true
}

// UTF16 returns the column of a position in UTF-16 code units, as editors and code
// scanners count: from 1, without the mark at the start of a file. ok is false where
// the text of the line is not known.
func (s *Sources) UTF16(p diag.Position) (column int, ok bool) {
	text, ok := s.Line(p.File, p.Line)
	if !ok || p.Column < 1 || p.Column > len(text)+1 {
		return 0, false
	}
	return utf16Column(text, p.Column, p.Line == 1), true
}

// utf16Column counts the code units in front of a column of bytes. A byte that is
// not UTF-8 counts as one, as what stands for it when the file is shown.
func utf16Column(text string, column int, first bool) int {
	before := text[:column-1]
	if first {
		before = strings.TrimPrefix(before, bom)
	}
	n := 1
	for len(before) > 0 {
		r, size := utf8.DecodeRuneInString(before)
		n++
		if r > 0xffff {
			n++
		}
		before = before[size:]
	}
	return n
}
