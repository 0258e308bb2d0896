package verify

import (
	"errors"
	"io/fs"
	"os"
)

// Compared is how much of a log of copies was compared.
type Compared struct {
	Copies int   // to the host
	Bytes  int64 // in them
}

// CompareLogs compares the log of a run's copies with the original's, both of
// them files, and returns the first difference or nil. A file that isn't there is an
// empty log. Both are read as streams. The error says that a log can't be read.
func CompareLogs(got, want string, tolerance Tolerance) (*Difference, Compared, error) {
	g, err := openLog(got)
	if err != nil {
		return nil, Compared{}, err
	}
	defer g.Close()
	w, err := openLog(want)
	if err != nil {
		return nil, Compared{}, err
	}
	defer w.Close()
	logG, logW := newCopyLog(g), newCopyLog(w)
	d, err := compareRecords(logG, logW, tolerance)
	return d, Compared{logW.read, int64(logW.sum)}, err
}

// openLog opens a log; no file is an empty one.
func openLog(name string) (*os.File, error) {
	f, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return os.Open(os.DevNull)
	}
	return f, err
}
