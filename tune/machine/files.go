package machine

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/smux-cuda/smux/tune/record"
	"github.com/smux-cuda/smux/verify"
)

// The files of a run's folder.
const (
	CopiesFile   = "copies"   // to the host, in the form of verify's logs
	StdoutFile   = "stdout"   // standard output
	LaunchesFile = "launches" // see readLaunches
)

// Files are the outputs of a run, in a folder of its own: they may be larger than memory.
type Files struct {
	dir      string
	exit     int
	original bool // a run of the original
	check    bool // a check run
	rules    Rules
}

// Rules say what of the outputs must be equal.
type Rules struct {
	// Tolerance bounds how far floating-point values of copies and of printed lines may be apart.
	Tolerance verify.Tolerance
	// Checksums says that lines of a kernel's own main hold checksums of copies, which don't count with a tolerance.
	Checksums bool
}

// Compare compares another run's outputs with these, the original's, first the copies, which say where. Two of the original's
// that differ aren't steady. Without any output there is no failure and no evidence.
func (f *Files) Compare(other Outputs) (record.Evidence, *record.Failure) {
	var seen record.Evidence
	if other == nil {
		return seen, &record.Failure{Kind: record.FailedUnsteady, Text: "there was not enough memory to check it as the original was"}
	}
	got, ok := other.(*Files)
	if !ok {
		return seen, &record.Failure{Kind: record.FailedUnsteady, Text: "the outputs are of different kinds of runs"}
	}
	var difference *verify.Difference
	err := both(got, f, CopiesFile, func(g, w io.Reader) (err error) {
		var equal verify.Compared
		difference, equal, err = verify.CompareCopies(g, w, f.rules.Tolerance)
		seen.Copies, seen.Bytes = equal.Copies, equal.Bytes
		if f.check {
			seen.Memory = equal.Changed
		}
		return err
	})
	why := ""
	if difference != nil {
		why = difference.String()
	} else if err == nil {
		err = both(got, f, StdoutFile, func(g, w io.Reader) (err error) {
			seen.Lines, why, err = f.rules.CompareLines(g, w)
			return err
		})
	}
	switch {
	case err != nil:
		return seen, &record.Failure{Kind: record.FailedUnsteady, Text: "the outputs can't be compared: " + err.Error()}
	case why != "":
		return seen, got.differs(why)
	case got.exit != f.exit:
		return seen, got.differs(fmt.Sprintf("the exit status is %d, in the original %d", got.exit, f.exit))
	}
	return seen, nil
}

// both opens a file of two runs. A program that copies nothing leaves no log of copies.
func both(got, want *Files, name string, compare func(g, w io.Reader) error) error {
	g, err := got.open(name)
	if err != nil {
		return err
	}
	defer g.Close()
	w, err := want.open(name)
	if err != nil {
		return err
	}
	defer w.Close()
	return compare(g, w)
}

func (f *Files) open(name string) (*os.File, error) {
	file, err := os.Open(f.path(name))
	if errors.Is(err, fs.ErrNotExist) {
		return os.Open(os.DevNull)
	}
	return file, err
}

// differs returns the failure of a run whose outputs are not the original's.
func (f *Files) differs(why string) *record.Failure {
	if f.original {
		return &record.Failure{Kind: record.FailedUnsteady, Text: "two equal runs of the original differ: " + why}
	}
	return &record.Failure{Kind: record.FailedOutput, Text: why}
}

func (f *Files) path(name string) string { return filepath.Join(f.dir, name) }

func (f *Files) Release() { _ = os.RemoveAll(f.dir) }
