package stress

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/model/occupancy"
	"github.com/smux-cuda/smux/tune/record"
)

// Read reads a record by subject, in their order. The last row of a level counts. The error may be an *fs.PathError.
func Read(file string) ([]Series, error) {
	src, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return Parse(file, src)
}

func Parse(file string, src []byte) ([]Series, error) {
	var out []Series
	n := 0
	for line := range bytes.Lines(src) {
		n++
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		row, why := parseRow(line)
		if why != "" {
			return nil, fmt.Errorf("%s:%d: %s", file, n, why)
		}
		i := slices.IndexFunc(out, func(s Series) bool {
			return s.Source == row.Source && s.Kernel == row.Kernel && s.Threads == row.Threads && s.GPU == row.GPU && slices.Equal(s.Args, row.Args)
		})
		if i < 0 {
			i, out = len(out), append(out, Series{Subject: row.Subject})
		}
		s := &out[i]
		if k := slices.IndexFunc(s.Rows, func(o Row) bool { return o.Level == row.Level }); k >= 0 {
			s.Rows[k] = row
		} else {
			s.Rows = append(s.Rows, row)
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%s: it holds no measurement", file)
	}
	return out, nil
}

// parseRow also says what is wrong with a line, "" if nothing.
func parseRow(line []byte) (Row, string) {
	var r Row
	if err := json.Unmarshal(line, &r); err != nil {
		return r, "this is not a measurement: " + err.Error()
	}
	switch {
	case r.Schema == 0:
		return r, "this is not a measurement: it has no schema"
	case r.Schema != Schema:
		return r, fmt.Sprintf("it has schema %d; this smux reads %d", r.Schema, Schema)
	case r.Kernel == "" || r.GPU == "":
		return r, "it names no kernel or no GPU"
	case r.Level.Blocks < 1:
		return r, "it has no thread blocks per SM"
	case r.Failure == nil && len(r.Milliseconds) == 0:
		return r, "it has neither times nor a failure"
	case slices.ContainsFunc(r.Milliseconds, func(t float64) bool { return t < 0 }):
		return r, "a time is below nothing"
	}
	return r, ""
}

type Series struct {
	Subject
	Rows []Row // as they were recorded
}

// Curve returns the points of the rows that count: where levels have the largest carve-out, those with it.
func (s Series) Curve() []Point {
	carveout := slices.ContainsFunc(s.Rows, func(r Row) bool { return r.Level.Carveout && r.Failure == nil })
	var out []Point
	for _, r := range s.Rows {
		if r.Failure != nil || carveout && !r.Level.Carveout {
			continue
		}
		if p, ok := NewPoint(r.Blocks(), r.Level.Cap > 0, r.Milliseconds); ok {
			out = append(out, p)
		}
	}
	return out
}

func (s Series) Flat(tolerance float64) Flatness { return Flat(s.Curve(), tolerance) }

// For returns the last series of a kernel on a GPU; an empty source or 0 threads stand for any.
func For(all []Series, source, kernel string, threads int, gpu string) (s Series, ok bool) {
	for _, s := range slices.Backward(all) {
		if s.Kernel == kernel && s.GPU == gpu && (source == "" || s.Source == source) && (threads == 0 || s.Threads == threads) {
			return s, true
		}
	}
	return Series{}, false
}

// Schema is the version of the records. It grows when a field changes its meaning or goes away.
const Schema = 1

// Row holds what was measured of one level. As a line of a record it says all that is needed to judge it.
type Row struct {
	Schema int `json:"schema"`
	Subject
	Level Level `json:"level"`
	// Active is the thread blocks per SM that the CUDA runtime says can run; 0 where it wasn't asked.
	Active int `json:"active,omitempty"`
	// Milliseconds are the times of the kernel in each run, over all its launches.
	Milliseconds []float64 `json:"milliseconds,omitempty"`
	Launches     int       `json:"launches,omitempty"` // in a run
	// Failure says why the level isn't counted; nil where it is.
	Failure *record.Failure `json:"failure,omitempty"`
}

type Subject struct {
	Source  string           `json:"source"` // record.HashSource of the program's files
	Kernel  string           `json:"kernel"`
	Threads int              `json:"threads"`        // per thread block
	GPU     string           `json:"gpu"`            // as --gpu takes it
	Demand  occupancy.Demand `json:"demand"`         // of the original
	Args    []string         `json:"args,omitempty"` // of the program
}

// failedCap says that the registers could not be capped in the source.
const failedCap record.FailureKind = "cap"

// failed returns why a level is not counted.
func failed(kind record.FailureKind, format string, args ...any) *record.Failure {
	return &record.Failure{Kind: kind, Text: fmt.Sprintf(format, args...)}
}

// Blocks returns the thread blocks per SM of a row: what the CUDA runtime said, or else what was planned.
func (r Row) Blocks() int {
	if r.Active > 0 {
		return r.Active
	}
	return r.Level.Blocks
}

func Encode(rows []Row) ([]byte, error) {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	for _, r := range rows {
		r.Schema = Schema
		if err := e.Encode(r); err != nil {
			return nil, err
		}
	}
	return out.Bytes(), nil
}

// Appendable returns why measurements can't be added to a file, nil for a record, an empty or missing file, or "".
func Appendable(file string) error {
	if file == "" {
		return nil
	}
	there, err := os.Stat(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		_, err = os.Stat(filepath.Dir(file))
	case err != nil:
	case !there.Mode().IsRegular():
		return diag.Usagef("name another file", "--record %s is not a regular file", file)
	case there.Size() == 0:
	default:
		if _, err := Read(file); err != nil {
			return diag.Usagef("name another file", "--record would add to a file that is not a record: %w", err)
		}
	}
	if err != nil {
		return diag.Usagef("check the path", "--record %s: %w", file, diag.PlainCause(err))
	}
	return nil
}

// Append adds measurements to a record, which is made if it is not there.
func Append(file string, rows []Row) error {
	text, err := Encode(rows)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o666)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	return errors.Join(err, f.Close())
}
