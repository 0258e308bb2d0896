package config

import (
	"regexp"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/parser"
)

// directiveMark begins every directive.
const directiveMark = "smux:"

// The names of directives.
const (
	nameIgnore     = "ignore"
	nameIgnoreFile = "ignore-file"
	namePin        = "pin"
	nameOverlap    = "overlap"
	nameBench      = "bench"
)

var directiveNames = []string{nameIgnore, nameIgnoreFile, namePin, nameOverlap, nameBench}

// directiveNote is a line of a comment that begins with the mark.
type directiveNote struct {
	file     *parser.File
	comment  *parser.Node
	at       int    // where the mark stands
	name     string // after the mark
	blank    bool   // between mark and name
	text     string // after the name, without blanks around it
	oneLiner bool   // the comment is a // one
}

// directiveWord is the name of a directive, as far as a person may have slipped.
var directiveWord = regexp.MustCompile(`^[\pL\pN_.-]+`)

// notesOf returns the notes of a file, in order: those in comments, not in what looks
// like one inside a string.
func notesOf(f *parser.File) (out []directiveNote) {
	f.Root.Walk(func(n *parser.Node) bool {
		if n.Kind != parser.KindComment {
			return true
		}
		text := f.Text(n)
		line := strings.HasPrefix(text, "//")
		at := int(n.Start)
		for l := range strings.SplitAfterSeq(strings.TrimSuffix(text, "*/"), "\n") {
			begin := len(l) - len(strings.TrimLeft(l, "/*! \t"))
			if rest, ok := strings.CutPrefix(l[begin:], directiveMark); ok {
				c := directiveNote{file: f, comment: n, at: at + begin, oneLiner: line}
				if c.read(rest) {
					out = append(out, c)
				}
			}
			at += len(l)
		}
		return true
	})
	slices.SortStableFunc(out, func(a, b directiveNote) int { return a.at - b.at })
	return out
}

// read splits what stands after the mark. It reports whether that is a directive:
// with a blank after the mark it may be a sentence about smux, unless a
// directive's name follows.
func (c *directiveNote) read(rest string) bool {
	trimmed := strings.TrimLeft(rest, " \t")
	c.blank = len(trimmed) < len(rest)
	c.name = directiveWord.FindString(trimmed)
	if c.name == "" {
		return false // smux::, or nothing
	}
	c.text = strings.TrimSpace(trimmed[len(c.name):])
	if !c.blank || slices.Contains(directiveNames, c.name) {
		return true
	}
	return c.text == "" && len(diag.Nearest(c.name, []string{nameOverlap})) > 0
}

func (c *directiveNote) pos() diag.Position { return c.file.Position(c.at) }
