package record

import "fmt"

// FormatError reports that a file is not a record.
type FormatError struct {
	File string
	Line int // 1-based; 0 for all of the file
	Why  string
}

func (e *FormatError) Error() string {
	if e.Line == 0 {
		return e.File + ": " + e.Why
	}
	return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Why)
}

// NewerError reports that a newer smux has written to a file, in a schema that this one
// does not know.
type NewerError struct {
	File   string
	Line   int // 1-based
	Schema int
}

func (e *NewerError) Error() string {
	return fmt.Sprintf("%s:%d: written by a newer smux, in schema %d; this one reads up to %d", e.File, e.Line, e.Schema, Schema)
}

// InvalidError reports that a line can't be written, since it could not be read again.
type InvalidError struct {
	Index int // of the line among those to be written
	Why   string
}

func (e *InvalidError) Error() string { return "this is not a line of a record: " + e.Why }
