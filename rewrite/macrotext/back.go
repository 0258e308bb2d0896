// Package macrotext brings what was changed in kernels that macros make back to the text that a person wrote: to the
// body of the macro, or to the argument that a use hands to it.
//
// The parser writes such uses out (parser.MacroUse), and rewriters change what they are written out to as any other
// text. Back aligns the tokens of the two texts and makes each change where its neighbours are spelled. What it gives
// is right by a check of its own: read again and written out, it must have the tokens of the text that was proved
// right, in all files, and no use of a changed macro may be left that is not written out. So a change that all
// kernels of a macro need alike is made, and one that they need differently, or that some of them do not need, is
// refused.
//
// What differs between the uses of a macro as their arguments do is written with the
// parameter. A pragma becomes a _Pragma; what needs another directive in a macro's body is left
// out, and so are macros in headers: files out of sight may use them.
package macrotext

import (
	"bytes"
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite/edit"
)

// Error says why a change can't be made in the text that a person wrote.
type Error struct {
	Pos  diag.Position
	Text string
}

func (e *Error) Error() string { return e.Pos.String() + ": " + e.Text }

// Needed reports whether a program has files whose rewritten texts Back must be asked about.
func Needed(prog *parser.Program) bool {
	return slices.ContainsFunc(prog.Files, func(f *parser.File) bool { return len(f.MacroUses()) > 0 })
}

// Back takes the texts of files after a rewrite, by name, as they became of File.Src, and returns the texts that
// these files, and those whose macros changed, are to have. The error is an *Error where there are none.
func Back(prog *parser.Program, texts map[string][]byte) (map[string][]byte, error) {
	b := &back{prog: prog, edits: map[*parser.File]*edit.Buffer{}, bodies: map[bodyPlace][]inserted{}}
	for _, f := range prog.Files {
		if text, changed := texts[f.Name]; changed {
			if err := b.file(f, text); err != nil {
				return nil, err
			}
		}
	}
	if err := b.bodyEdits(); err != nil {
		return nil, err
	}
	out := map[string][]byte{}
	for f, edits := range b.edits {
		text, err := edits.Apply(f.Original())
		if err != nil {
			return nil, b.refuse(f, 0, "the changes of its kernels touch the same text of a macro")
		}
		if !bytes.Equal(text, f.Original()) {
			out[f.Name] = realigned(f.Original(), text)
		}
	}
	return out, b.check(texts, out)
}

// back is one call of Back.
type back struct {
	prog   *parser.Program
	edits  map[*parser.File]*edit.Buffer
	bodies map[bodyPlace][]inserted
}

func (b *back) refuse(f *parser.File, at int, format string, args ...any) error {
	if uses := f.MacroUses(); at == 0 && len(uses) > 0 {
		at = uses[0].Tokens[0].Start
	}
	return &Error{f.Position(at), fmt.Sprintf(format, args...)}
}

func (b *back) buffer(f *parser.File) *edit.Buffer {
	if b.edits[f] == nil {
		b.edits[f] = &edit.Buffer{}
	}
	return b.edits[f]
}

// check reads the texts again: written out they must be what was proved right.
func (b *back) check(texts, out map[string][]byte) error {
	again, err := b.prog.WithTexts(out)
	if err != nil { // a brace in an argument and its fellow in the macro, say
		return b.refuse(b.prog.Files[0], 0, "the change can't be divided between macros and their arguments")
	}
	changed := map[string]*parser.Macro{}
	for place := range b.bodies {
		changed[place.macro.Name] = place.macro
	}
	for i, f := range b.prog.Files {
		want := f.Src
		if text, changed := texts[f.Name]; changed {
			want = text
		}
		if !slices.Equal(code(again.Files[i].Src, changed), code(want, changed)) {
			return b.refuse(f, 0, "the kernels that it makes would have to change in different ways, or some of them not at all")
		}
	}
	for _, f := range b.prog.All() {
		names := users(f, changed)
		for _, t := range f.Tokens() {
			if m := names[string(f.Src[t.Start:t.End])]; m != nil {
				return &Error{f.Position(t.Start), "macro " + m.Name + " is also used here, and smux can't expand it"}
			}
		}
	}
	return nil
}

// users are the macros in view of a file that lead to changed ones.
func users(f *parser.File, changed map[string]*parser.Macro) map[string]*parser.Macro {
	if len(changed) == 0 {
		return nil
	}
	out := maps.Clone(changed)
	for grown := true; grown; {
		grown = false
		for _, m := range f.Macros.All() {
			if out[m.Name] != nil {
				continue
			}
			for _, t := range parser.TokensBetween([]byte(m.Body), 0, len(m.Body)) {
				if found := out[m.Body[t.Start:t.End]]; found != nil {
					out[m.Name], grown = found, true
					break
				}
			}
		}
	}
	return out
}

// fileOf returns the file that a macro's body may be changed in.
func (b *back) fileOf(m *parser.Macro) (*parser.File, error) {
	for _, f := range b.prog.Files {
		if filepath.Clean(f.Name) == filepath.Clean(m.File) {
			if parser.IsHeader(f.Name) {
				return nil, &Error{place(f, m.Pos), "macro " + m.Name + " is in a header, and files out of sight may use it"}
			}
			return f, nil
		}
	}
	return nil, &Error{diag.Position{File: m.File, Line: 1, Column: 1}, "macro " + m.Name + " is in a file that was not named for rewriting"}
}

// place is the place of an offset in the original text.
func place(f *parser.File, at int) diag.Position {
	before := f.Original()[:at]
	line := bytes.LastIndexByte(before, '\n') + 1
	return diag.Position{File: f.Name, Line: bytes.Count(before, []byte{'\n'}) + 1, Column: at - line + 1}
}
