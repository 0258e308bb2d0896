// Package finding holds what smux reports about places in source files, in the
// form that other tools ask for: a rule, a level, a range, a text and, where there
// is one, the edits that mend it. It prints findings for a code scanner
// (SARIF), for reviewdog and for GitHub.
//
// A rule is a code of package diag. It is documented there, never changes its
// meaning and is never used again for another, so that a tool may keep what it
// knows of a finding from one version of smux to the next.
package finding

import (
	"cmp"
	"slices"

	"github.com/smux-cuda/smux/diag"
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

// Fix is a change that does what a finding asks for. It is complete: applied to
// the files as they are, without any other fix, it gives a program that compiles.
// Fixes of two findings are alternatives: they may touch the same lines.
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
	var out []Finding
	for _, f := range all {
		if f.Suppressed == "" {
			out = append(out, f)
		}
	}
	return out
}

// byImportance are findings with errors first, then warnings, then notes; those of
// a level stay as they were.
func byImportance(all []Finding) []Finding {
	out := slices.Clone(all)
	slices.SortStableFunc(out, func(a, b Finding) int { return cmp.Compare(b.Level.weight(), a.Level.weight()) })
	return out
}

func (l Level) weight() int { return slices.Index([]Level{Note, Warning, Error}, l) }
