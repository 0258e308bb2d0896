// Package finding is what smux has to say about places in source files, in the
// form that other tools ask for: a rule, a level, a range, a text and, where there
// is one, the edits that mend it. The folders below print findings for a code
// scanner (SARIF), for reviewdog and for GitHub.
//
// A rule is a code of package diag. It is documented there, never changes its
// meaning and is never used again for another, so that a tool may keep what it
// knows of a finding from one version of smux to the next.
package finding

import "github.com/smux-cuda/smux/diag"

// Level says how much a finding matters.
type Level string

// The levels, from what is good to know to what keeps smux from looking.
const (
	Note    Level = "note"    // what limits a kernel; why it was left alone
	Warning Level = "warning" // smux would change something
	Error   Level = "error"   // a file could not be read, a directive is wrong
)

// Finding is one thing that is said of one place.
type Finding struct {
	Rule   diag.Code
	Level  Level
	Kernel string        // that it is about, "" for none
	Pos    diag.Position // where it begins, as diag counts: columns are bytes
	End    diag.Position // behind its last byte; the zero value where only the beginning is known
	Text   string        // one line, without the kernel's name in front
	Help   string        // one line on what to do, "" for none
	Fix    *Fix          // nil for none
	// Suppressed is the reason that a person gave for not wanting to hear of it, ""
	// where it is to be told. Such a finding does not change the exit code.
	Suppressed string
}

// Fix is a change that does what a finding asks for. It is complete: applied to
// the files as they are, without any other fix, it gives a program that compiles.
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
	Version  string // of smux
	Findings []Finding
	// Path turns the name of a file, as in Finding.Pos, into the path that others
	// know it by: relative to the root of the repository, with slashes.
	Path func(name string) string
}
