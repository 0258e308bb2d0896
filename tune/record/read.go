package record

import (
	"os"
)

// Read reads a file that another process may be writing. The error is a
// *record.FormatError, a *record.NewerError or that of reading the file.
func Read(path string) ([]Line, error) {
	lines, _, err := ReadTorn(path)
	return lines, err
}

// ReadTorn is Read that also says how many bytes at the end were left out: a line
// that is being written, or that a killed process did not finish.
func ReadTorn(path string) (lines []Line, torn int, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, 0, err
	}
	got, err := ParseTorn(path, text)
	if err != nil {
		return nil, 0, err
	}
	return got.Lines, len(text) - got.Whole, nil
}
