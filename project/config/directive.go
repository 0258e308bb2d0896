package config

import (
	"regexp"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/lists"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite/variant"
)

// The codes of what is wrong with a directive. Package diag documents each.
const (
	CodeUnknown      diag.Code = "unknown-directive"
	CodeIgnoreCode   diag.Code = "ignore-code"
	CodeIgnoreReason diag.Code = "ignore-reason"
	CodePin          diag.Code = "pin-unknown"
	CodePlace        diag.Code = "directive-place"
	CodeTwo          diag.Code = "two-wishes"
	// CodeUnused is an ignore that stops no message. It is not an error.
	CodeUnused diag.Code = "unused-ignore"
)

// The codes of what becomes of a request, in a directive or a configuration.
const (
	CodePinned     diag.Code = "pinned"        // a pinned rewrite was applied
	CodePinRefused diag.Code = "pin-refused"   // … can't be proved
	CodeNotAllowed diag.Code = "not-allowed"   // all that can be proved is not allowed
	CodeLeft       diag.Code = "left-as-asked" // the kernel is to be left alone
)

// Chosen is the code of a kernel that smux would rewrite: to ignore it is to ask that the kernel be left alone.
const Chosen diag.Code = "chosen"

// Directives holds what a person writes into the source for smux: comments that begin with "smux:".
//
//	// smux:ignore hoist the loop is short      no message of this code
//	// smux:ignore-file no-gain old GPUs only   … about any kernel of the file
//	// smux:pin vtb-named N=2                   this rewrite, whatever the model says
//
// A comment directly above a kernel, on the lines of its head, or (a pin) inside its body is about that kernel; an
// ignore anywhere else is about the messages placed on its own line or the next. What can't be understood is an
// error: the kernel that it may be about is left alone.
//
// An ignore stops messages, and never switches off a proof. Two other directives are read elsewhere: smux:overlap by
// package rewrite, smux:bench by package verify/harness; here their names are known, so that a slip is reported.
type Directives struct {
	Ignores []Ignore
	Pins    []Pin
	Wrong   []Wrong
}

// Pin asks for a rewrite of a kernel.
type Pin struct {
	Way    variant.Variant
	Kernel diag.Position // of the kernel's name, as in rewrite.KernelResult
	Pos    diag.Position // of the directive
}

// Wrong is a directive that can't be obeyed.
type Wrong struct {
	diag.Message
	// Kernels are those that the directive may be about, by their names' positions: they are to be left alone.
	Kernels []diag.Position
}

// Pinned returns the pin of a kernel, nil for none.
func (s *Directives) Pinned(kernel diag.Position) *Pin {
	for i := range s.Pins {
		if s.Pins[i].Kernel == kernel {
			return &s.Pins[i]
		}
	}
	return nil
}

// Misunderstood returns what is wrong with a directive that may be about a kernel, nil where all can be obeyed.
func (s *Directives) Misunderstood(kernel diag.Position) *diag.Message {
	for i, w := range s.Wrong {
		if slices.Contains(w.Kernels, kernel) {
			return &s.Wrong[i].Message
		}
	}
	return nil
}

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

// notesOf returns the notes of a file, in order: those in comments, not in what looks like one inside a string.
func notesOf(f *parser.File) (out []directiveNote) {
	for n := range f.Root.All() {
		if n.Kind != parser.KindComment {
			continue
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
	}
	slices.SortStableFunc(out, func(a, b directiveNote) int { return a.at - b.at })
	return out
}

// read splits what stands after the mark. It reports whether that is a directive: with a blank after the mark it may
// be a sentence about smux, unless a directive's name follows.
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

// Scope says which messages an ignore is about.
type Scope string

// The scopes.
const (
	OfKernel Scope = "kernel" // about one kernel
	OfFile   Scope = "file"   // about the kernels of a file
	OfLine   Scope = "line"   // placed on the directive's line or the next
)

// Ignore stops the messages of one code.
type Ignore struct {
	Code   diag.Code     `json:"code"`
	Reason string        `json:"reason"`
	Pos    diag.Position `json:"position"` // of the directive
	Scope  Scope         `json:"scope"`

	kernel diag.Position // OfKernel: its name's
	last   int           // OfLine: the last line, the directive's being the first
	inside diag.Position // OfLine: the kernel in whose body it stands, if it does
}

// About reports whether an ignore may stop a message about a kernel, which is named by the position of its name.
func (i Ignore) About(kernel diag.Position) bool {
	switch i.Scope {
	case OfKernel:
		return i.kernel == kernel
	case OfFile:
		return i.Pos.File == kernel.File
	}
	return !i.inside.IsValid() || i.inside == kernel
}

// Stops reports whether an ignore is about a message, said of a kernel.
func (i Ignore) Stops(m diag.Message, kernel diag.Position) bool {
	if i.Code != m.Code || !i.About(kernel) {
		return false
	}
	return i.Scope != OfLine || i.Pos.File == m.Pos.File && i.Pos.Line <= m.Pos.Line && m.Pos.Line <= i.last
}

// Suppressed returns the reason that a person gave for not wanting to hear a message
// about a kernel; ok is false where it is to be reported.
func (s *Directives) Suppressed(m diag.Message, kernel diag.Position) (reason string, ok bool) {
	if s == nil {
		return "", false
	}
	return Suppressed(s.Ignores, m, kernel)
}

// Suppressed is Set.Suppressed for ignores that were taken out of a set.
func Suppressed(ignores []Ignore, m diag.Message, kernel diag.Position) (reason string, ok bool) {
	for _, i := range ignores {
		if i.Stops(m, kernel) {
			return i.Reason, true
		}
	}
	return "", false
}

// Of returns the ignores that may stop messages about a kernel.
func (s *Directives) Of(kernel diag.Position) []Ignore {
	return lists.Filter(s.Ignores, func(i Ignore) bool { return i.About(kernel) })
}

// Left returns the ignore that asks for a kernel to be left alone, nil for none.
func (s *Directives) Left(kernel diag.Position) *Ignore {
	for i := range s.Ignores {
		if g := &s.Ignores[i]; g.Code == Chosen && g.Scope != OfLine && g.About(kernel) {
			return g
		}
	}
	return nil
}
