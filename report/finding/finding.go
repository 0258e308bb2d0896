// Package finding holds what smux reports about places in source files, in the form that other tools ask for: a rule,
// a level, a range, a text and, where there is one, the edits that mend it. It prints findings for a code scanner
// (SARIF), for reviewdog and for GitHub.
//
// A rule is a code of package diag. It is documented there, never changes its meaning and is never used again for
// another, so that a tool may keep what it knows of a finding from one version of smux to the next.
package finding

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/diff"
	"github.com/smux-cuda/smux/internal/lists"
)

// Level says how much a finding matters.
type Level string

// The levels, from what is good to know to what keeps smux from looking.
const (
	Note    Level = "note"    // what limits a kernel; why it was left alone
	Warning Level = "warning" // smux would change something
	Error   Level = "error"   // a file could not be read, a directive is wrong
)

// Finding is one message about one place.
type Finding struct {
	Rule   diag.Code
	Level  Level
	Kernel string        // that it is about, "" for none
	Pos    diag.Position // where it begins, as diag counts: columns are bytes
	End    diag.Position // after its last byte; the zero value where only the beginning is known
	Text   string        // one line, without the kernel's name in front
	Help   string        // one line on what to do, "" for none
	Fix    *Fix          // nil for none
	// Related are other places that belong to it, such as a kernel's launches.
	Related []Related
	// Unread is set if smux has not looked at the file, since it could not be read.
	Unread bool
	// Suppressed is the reason that a person gave for suppressing it, ""
	// where it is reported. Such a finding does not change the exit code.
	Suppressed string
	// External is set if the reason stands elsewhere than in the source.
	External bool
}

// Related is a place with what stands there.
type Related struct {
	Pos  diag.Position
	Text string
}

// Fix is a change that does what a finding asks for. It is complete: applied to the files as they are, without any
// other fix, it gives a program that compiles. Fixes of two findings are alternatives: they may touch the same lines.
type Fix struct {
	Text  string // begins with a verb: "rewrite kernel sums as vtb named N=2"
	Files []Change
}

// Change is one file before and after a fix.
type Change struct {
	Name          string
	Before, After []byte
}

// Report is everything that a run of smux found.
type Report struct {
	Version  string // of smux, such as "v1.2.0"
	Command  string // of smux, that found it: "analyze" or "rewrite"
	Findings []Finding
	// Path turns the name of a file, as in Finding.Pos, into the path that others
	// know it by, with slashes: relative to the folder that they start from (the
	// root of the repository, say), and absolute for a file that lies elsewhere.
	Path func(name string) string
	// Source is the text of a file by its name, nil if unknown. Tools that
	// count columns in something other than bytes need it.
	Source func(name string) []byte
}

// Name is Path where there is one, else the name as it is.
func (r *Report) Name(name string) string {
	if r.Path == nil {
		return name
	}
	return r.Path(name)
}

// home is the address of smux and its documentation.
const home = "https://github.com/smux-cuda/smux"

// URL returns the address of the documentation of a rule.
func URL(rule diag.Code) string { return home + "/blob/main/docs/codes.md#" + string(rule) }

// Message returns the finding's text with the name of the kernel in front.
func (f Finding) Message() string {
	if f.Kernel == "" {
		return f.Text
	}
	return `kernel "` + f.Kernel + `": ` + f.Text
}

// Told returns the findings that are not suppressed.
func Told(all []Finding) []Finding {
	return lists.Filter(all, func(f Finding) bool { return f.Suppressed == "" })
}

// byImportance are findings with errors first, then warnings, then notes; those of a level stay as they were.
func byImportance(all []Finding) []Finding {
	out := slices.Clone(all)
	slices.SortStableFunc(out, func(a, b Finding) int { return cmp.Compare(b.Level.weight(), a.Level.weight()) })
	return out
}

func (l Level) weight() int { return slices.Index([]Level{Note, Warning, Error}, l) }

// Sources are the texts of a report's files, cut into lines once.
type Sources struct {
	text  func(string) []byte
	lines map[string][]string
}

// Sources opens the texts of a report.
func (r *Report) Sources() *Sources {
	return &Sources{text: r.Source, lines: map[string][]string{}}
}

// Line returns the text of a line, from 1, without its end; ok is false where it is not known.
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

// UTF16 returns the column of a position in UTF-16 code units, as editors and code scanners count: from 1, without
// the mark at the start of a file. ok is false where the text of the line is not known.
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

// Edit replaces the bytes [Start, End) of a file by Text. It begins at the start of
// a line and ends at one, or at the end of the file.
type Edit struct {
	Start, End Point
	Text       []byte
}

// Point is a place in the text before a change.
type Point struct {
	Offset int // in bytes
	Line   int // from 1; after a last line that ends in a newline there is one more
	Column int // from 1, in bytes
}

// bom is the mark that some editors put at the start of a file. No edit touches it where it stands before and after.
const bom = "\xef\xbb\xbf"

// Edits returns the changed lines, as few as there can be, in their order. They do not touch one another: between two
// stands a line that stays. Applied from the last to the first, or all at once, they make After of Before.
func (c Change) Edits() []Edit {
	before, after, skip := string(c.Before), string(c.After), 0
	if strings.HasPrefix(before, bom) && strings.HasPrefix(after, bom) {
		skip = len(bom)
		before, after = before[skip:], after[skip:]
	}
	a, b := lines(before), lines(after)
	starts := offsets(a, skip)
	point := func(line int) Point {
		p := Point{Offset: starts[line], Line: line + 1, Column: 1}
		if line == 0 {
			p.Column += skip
		}
		if line == len(a) && line > 0 && !strings.HasSuffix(a[line-1], "\n") {
			last := a[line-1] // there is no line after one without an end
			p.Line, p.Column = line, len(last)+1
			if line == 1 {
				p.Column += skip
			}
		}
		return p
	}
	return lists.Map(diff.Changes(a, b), func(h diff.Change) Edit {
		return Edit{point(h.ALo), point(h.AHi), []byte(strings.Join(b[h.BLo:h.BHi], ""))}
	})
}

// whole returns the change as a single Edit, from the first line that changes to the last: what a tool is given that
// applies edits one by one. ok is false if nothing changes.
func (c Change) whole() (e Edit, ok bool) {
	edits := c.Edits()
	if len(edits) == 0 {
		return e, false
	}
	first, last := edits[0], edits[len(edits)-1]
	behind := len(c.Before) - last.End.Offset // the same in After
	return Edit{first.Start, last.End, c.After[first.Start.Offset : len(c.After)-behind]}, true
}

// changes returns the files that a fix changes indeed.
func (f *Fix) changes() []Change {
	if f == nil {
		return nil
	}
	return lists.Filter(f.Files, func(c Change) bool { return !bytes.Equal(c.Before, c.After) })
}

// lines cuts a text after each newline.
func lines(text string) []string {
	out := strings.SplitAfter(text, "\n")
	if out[len(out)-1] == "" {
		out = out[:len(out)-1]
	}
	return out
}

// offsets returns where lines begin, and where the last one ends, in a text that begins at the first offset.
func offsets(lines []string, first int) []int {
	out := []int{first}
	for _, l := range lines {
		first += len(l)
		out = append(out, first)
	}
	return out
}
