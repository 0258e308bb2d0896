package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"

	"github.com/smux-cuda/smux/diag"
)

// MaxBytes bounds the size of a file. Settings that people write are far smaller.
const MaxBytes = 1 << 20

// maxDepth bounds the depth of nested values; none that means anything is deeper
// than 4.
const maxDepth = 16

// parse returns the mapping that the text is, nil for one that says nothing and for
// one that is not YAML.
func (r *reader) parse(src []byte) *yaml.Node {
	if !r.readable(src) {
		return nil
	}
	src = bytes.TrimPrefix(src, []byte("\ufeff"))
	r.lines = strings.SplitAfter(string(src), "\n")
	d := yaml.NewDecoder(bytes.NewReader(src))
	var document, second yaml.Node
	if err := d.Decode(&document); err != nil {
		r.syntax(err)
		return nil
	}
	switch err := d.Decode(&second); {
	case err == nil:
		r.wrong(&second, CodeSyntax, `take the line "---" away, and what is after it`, "a second document begins here, and the file may have one")
		return nil
	case !errors.Is(err, io.EOF):
		r.syntax(err)
		return nil
	}
	if len(document.Content) == 0 {
		return nil
	}
	root := document.Content[0]
	if root.Kind == yaml.ScalarNode && root.ShortTag() == "!!null" && root.Anchor == "" {
		return nil // comments alone
	}
	r.plain(root, 0)
	return root
}

// readable refuses what is not a text in UTF-8, or too much of it.
func (r *reader) readable(src []byte) bool {
	at := func(line, column int, help, format string, args ...any) bool {
		r.messages = append(r.messages, diag.Message{
			Pos: diag.Position{File: r.file, Line: line, Column: column}, Code: CodeSyntax, Text: fmt.Sprintf(format, args...), Help: help,
		})
		return false
	}
	if len(src) > MaxBytes {
		return at(1, 1, "", "the file has more than %d kB, which no settings need", MaxBytes/1024)
	}
	if bytes.HasPrefix(src, []byte{0xff, 0xfe}) || bytes.HasPrefix(src, []byte{0xfe, 0xff}) {
		return at(1, 1, "save it as UTF-8", "the file is in UTF-16")
	}
	line := 1
	for text := range bytes.Lines(src) {
		for i := 0; i < len(text); {
			c, n := utf8.DecodeRune(text[i:])
			if c == utf8.RuneError && n == 1 {
				return at(line, i+1, "save it as UTF-8", "the file is not UTF-8")
			}
			i += n
		}
		line++
	}
	return true
}

// syntax notes what the YAML library has against the text.
func (r *reader) syntax(err error) {
	if errors.Is(err, io.EOF) {
		return // nothing but comments
	}
	pos := diag.Position{File: r.file, Line: 1, Column: 1}
	text, help := strings.TrimPrefix(err.Error(), "yaml: "), ""
	if load := (*yaml.LoadError)(nil); errors.As(err, &load) {
		text = load.Message
		if load.Mark.Line > 0 {
			pos = r.at(load.Mark.Line, max(1, load.Mark.Column))
		}
	}
	line := ""
	if pos.Line <= len(r.lines) {
		line = strings.TrimLeft(r.lines[pos.Line-1], " -")
	}
	switch {
	case strings.HasPrefix(line, "*") || strings.Contains(text, "unknown anchor"):
		help = `a glob that begins with * stands in quotes, such as "*_tile"`
	case strings.HasPrefix(line, "\t"):
		help = "YAML is indented with spaces, not with tabs"
	case strings.HasPrefix(line, "[") || strings.ContainsAny(line, "@`%"):
		help = "write texts with special characters in quotes"
	}
	r.messages = append(r.messages, diag.Message{Pos: pos, Code: CodeSyntax, Text: "this is not YAML: " + text, Help: help})
}

// plain refuses what YAML has and settings don't need: anchors and aliases, with
// which a small file can stand for a huge one, tags, and values nested without end.
func (r *reader) plain(n *yaml.Node, depth int) {
	switch {
	case depth > maxDepth:
		r.wrong(n, CodeSyntax, "", "values are nested deeper than any setting")
		return
	case n.Kind == yaml.AliasNode:
		r.wrong(n, CodeSyntax, `write it out; a glob that begins with * stands in quotes, such as "*_tile"`, "aliases (*%s) are not taken", n.Value)
		return
	case n.Anchor != "":
		r.wrong(n, CodeSyntax, "write it out where it is needed; texts that begin with & stand in quotes", "anchors (&%s) are not taken", n.Anchor)
		return
	case n.Style&yaml.TaggedStyle != 0 || n.Kind == yaml.ScalarNode && !coreTags[n.ShortTag()]:
		r.wrong(n, CodeSyntax, `a text that begins with ! stands in quotes, such as "!keep.cu"`, "tags (%s) are not taken", n.Tag)
		return
	}
	for _, c := range n.Content {
		r.plain(c, depth+1)
	}
}

// coreTags are those of plain values; a merge key (<<) is one of the rest.
var coreTags = map[string]bool{"!!str": true, "!!int": true, "!!float": true, "!!bool": true, "!!null": true, "!!timestamp": true}

// place returns where a node stands.
func (r *reader) place(n *yaml.Node) diag.Position { return r.at(n.Line, n.Column) }

// at returns a place that YAML counts in characters, in bytes.
func (r *reader) at(line, column int) diag.Position {
	pos := diag.Position{File: r.file, Line: max(1, line), Column: max(1, column)}
	if pos.Line <= len(r.lines) {
		chars := 0
		for i := range r.lines[pos.Line-1] {
			if chars++; chars == column {
				pos.Column = i + 1
			}
		}
	}
	return pos
}
