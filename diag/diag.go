// Package diag holds what smux reports to a person: positions in the original file, messages with a stable code, and
// the documentation of every code that `smux explain` prints.
//
// It imports nothing of smux, so that every package can speak in its terms.
package diag

import "fmt"

// Position is a place in an original source file. Line and Column count from
// 1; Column counts bytes, as compilers do. The zero Position means "no place".
type Position struct {
	File   string `json:"file"`
	Line   int    `json:"line"`
	Column int    `json:"column"`
}

// IsValid reports whether the position names a place in a file.
func (p Position) IsValid() bool { return p.Line > 0 }

// String returns file:line:col, or just the file where no line is known.
func (p Position) String() string {
	if !p.IsValid() {
		return p.File
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column)
}

// Code is the stable name of a kind of message, such as "early-exit". Codes
// are kebab-case, never change their meaning and are never reused.
type Code string

// Message is one thing to report: where, which code, what, and one line of help
// on what a person can do about it (may be empty).
type Message struct {
	Pos  Position `json:"pos"`
	Code Code     `json:"code"`
	Text string   `json:"message"`
	Help string   `json:"help,omitempty"`
}

// String returns the one-line form, file:line:col: CODE: message.
func (m Message) String() string {
	if m.Pos.File == "" {
		return fmt.Sprintf("%s: %s", m.Code, m.Text)
	}
	return fmt.Sprintf("%s: %s: %s", m.Pos, m.Code, m.Text)
}

// Error makes a Message usable as an error.
func (m Message) Error() string { return m.String() }

// Advice returns the help, and how to read more where the code is documented.
func (m Message) Advice() string {
	if _, documented := Lookup(m.Code); !documented {
		return m.Help
	}
	explain := fmt.Sprintf("run \"smux explain %s\"", m.Code)
	if m.Help != "" {
		return m.Help + "; " + explain
	}
	return explain
}
