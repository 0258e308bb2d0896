package words

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/smux-cuda/smux/acc/directive"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/parser"
)

// Headers that have directives, ask for the language, or include openacc.h stand in the file before it is translated.

// Places holds the origin of each line of a file; it is nil where no header stands in it.
type Places []diag.Position

// Of is the place of a position of the file in what a person wrote.
func (from Places) Of(p diag.Position) diag.Position {
	if i := p.Line - 1; i >= 0 && i < len(from) {
		p.File, p.Line = from[i].File, from[i].Line
	}
	return p
}

// merging is a file on its way to one with headers in it.
type merging struct {
	headers map[string]*parser.File
	wanted  []string // of them, those that are to stand in it
	folder  string   // of the file: what a header of another folder includes is found there no more
	text    bytes.Buffer
	from    Places
	once    map[string]bool // headers that stand in it, for which that is enough
	open    map[string]bool // headers whose text is not over
}

// merged is a program whose file has the headers in it that can't be included.
func merged(prog *parser.Program, f *parser.File, inPlace []string) (*parser.Program, *parser.File, Places, error) {
	m := &merging{wanted: inPlace, folder: filepath.Dir(f.Name), headers: map[string]*parser.File{}, once: map[string]bool{}, open: map[string]bool{}}
	for _, h := range prog.Reach(f)[1:] {
		m.headers[h.Name] = h
	}
	m.file(f)
	if bytes.Equal(m.text.Bytes(), f.Src) {
		return prog, f, nil, nil
	}
	prog, err := prog.Reread(f, m.text.Bytes())
	if err != nil {
		return nil, nil, nil, err
	}
	return prog, prog.Files[0], m.from, nil
}

func (m *merging) file(f *parser.File) {
	done := 0
	for _, inc := range f.Includes {
		h := m.headers[inc.File]
		if h == nil || f.Macros.Dead(inc.Pos) || !m.standsIn(h, map[string]bool{}) && filepath.Dir(f.Name) == m.folder {
			continue
		}
		m.copy(f, done, inc.Pos)
		done = inc.End
		if m.once[h.Name] || m.open[h.Name] {
			continue
		}
		m.add(fmt.Sprintf("// what %s says to a C compiler:\n", inc.Path), f.Position(inc.Pos))
		m.open[h.Name] = true
		m.file(h)
		m.open[h.Name] = false
		m.add(fmt.Sprintf("// the end of %s", inc.Path), f.Position(inc.Pos))
	}
	m.copy(f, done, len(f.Src))
	if n := m.text.Len(); m.open[f.Name] && n > 0 && m.text.Bytes()[n-1] != '\n' {
		m.add("\n", f.Position(len(f.Src)))
	}
}

// copy writes a part of a file, without #pragma once.
func (m *merging) copy(f *parser.File, from, to int) {
	for line := range bytes.Lines(f.Src[from:to]) {
		if m.open[f.Name] && Spaceless(bytes.TrimSpace(line)) == "#pragmaonce" {
			m.once[f.Name] = true
		} else {
			m.add(string(line), f.Position(from))
		}
		from += len(line)
	}
}

func (m *merging) add(text string, from diag.Position) {
	if n := m.text.Len(); n == 0 || m.text.Bytes()[n-1] == '\n' {
		m.from = append(m.from, from)
	}
	m.text.WriteString(text)
}

// standsIn reports whether a header, or one that it includes, can't be included in the result.
func (m *merging) standsIn(f *parser.File, asked map[string]bool) bool {
	asked[f.Name] = true
	if len(Answers(f)) > 0 || slices.Contains(m.wanted, f.Name) {
		return true
	}
	for _, d := range parser.Directives(f.Src) {
		if _, ok := directive.After(string(f.Src[d[0]:d[1]])); ok && !f.Macros.Dead(d[0]) {
			return true
		}
	}
	return slices.ContainsFunc(f.Includes, func(inc parser.Include) bool {
		h := m.headers[inc.File]
		return !f.Macros.Dead(inc.Pos) && (inc.Path == "openacc.h" || h != nil && !asked[inc.File] && m.standsIn(h, asked))
	})
}
