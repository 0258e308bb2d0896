package stress

import (
	"bytes"
	"encoding/json"

	"github.com/smux-cuda/smux/model/occupancy"
)

// Schema is the version of the records. It grows when a field changes its meaning
// or goes away.
const Schema = 1

// Row holds what was measured of one level. As a line of a record it says all that
// is needed to judge it.
type Row struct {
	Schema int `json:"schema"`
	Subject
	Level Level `json:"level"`
	// Active is the thread blocks per SM that the CUDA runtime says can run; 0 where
	// it wasn't asked.
	Active int `json:"active,omitempty"`
	// Milliseconds are the times of the kernel in each run, over all its launches.
	Milliseconds []float64 `json:"milliseconds,omitempty"`
	Launches     int       `json:"launches,omitempty"` // in a run
	// Failure says why the level isn't counted; nil where it is.
	Failure *Failure `json:"failure,omitempty"`
}

// Subject names what is measured.
type Subject struct {
	Source  string           `json:"source"` // record.HashSource of the program's files
	Kernel  string           `json:"kernel"`
	Threads int              `json:"threads"`        // per thread block
	GPU     string           `json:"gpu"`            // as --gpu takes it
	Demand  occupancy.Demand `json:"demand"`         // of the original
	Args    []string         `json:"args,omitempty"` // of the program
}

// FailureKind is why a level was not measured.
type FailureKind string

// The kinds.
const (
	FailedCap     FailureKind = "cap"     // the registers could not be capped in the source
	FailedCompile FailureKind = "compile" // nvcc refused the program
	FailedRun     FailureKind = "run"     // the program ended with an error
	FailedTimeout FailureKind = "timeout"
	FailedOutput  FailureKind = "output"  // it printed something else than the original
	FailedUntimed FailureKind = "untimed" // no launch of the kernel was timed
)

// Failure reports why a level is not counted.
type Failure struct {
	Kind FailureKind `json:"kind"`
	Text string      `json:"text"`
}

func (f *Failure) Error() string { return f.Text }

// Blocks returns the thread blocks per SM of a row: what the CUDA runtime said, or
// else what was planned.
func (r Row) Blocks() int {
	if r.Active > 0 {
		return r.Active
	}
	return r.Level.Blocks
}

// Encode writes rows as lines of JSON.
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
