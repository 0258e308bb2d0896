package foreign

import (
	"bytes"
	"encoding/json"

	"github.com/smux-cuda/smux/tune/record"
)

// Version is that of the schema.
const Version = "1.1.0"

// Document is the results of one subject.
type Document struct {
	Schema   string   `json:"schema_version"`
	Metadata Metadata `json:"metadata"`
	Results  []Result `json:"results"`
}

// Encode returns the document as the text of a file.
func (d Document) Encode() ([]byte, error) {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(d); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// Metadata says what was tuned on what.
type Metadata struct {
	API       string `json:"compute_api"`
	Platform  string `json:"platform,omitempty"` // the compiler and its version
	Device    string `json:"device,omitempty"`
	Autotuner string `json:"autotuner"`
	Timestamp string `json:"timestamp"` // of the first line
	TimeUnit  string `json:"timeunit"`
	// Subject is smux's own description. The schema lets further fields be.
	Subject record.Subject `json:"smux_subject"`
}

// Result is one form of the kernel.
type Result struct {
	Timestamp     string         `json:"timestamp"` // of its last line
	Configuration map[string]any `json:"configuration"`
	Objectives    []string       `json:"objectives"`
	Times         Times          `json:"times"`
	Invalidity    Invalidity     `json:"invalidity"`
	// Correctness is 1 where the outputs were not found to differ from the original's,
	// else 0; what of them was compared is among the measurements.
	Correctness  int           `json:"correctness"`
	Measurements []Measurement `json:"measurements"`
}

// Times are in milliseconds.
type Times struct {
	Compilation *float64 `json:"compilation_time,omitempty"`
	// Runtimes are all times of the form, in the order in which they were measured.
	Runtimes []float64 `json:"runtimes"`
	// Runs is the time of the runs of the form and of what it was compared with, all in
	// all.
	Runs *float64 `json:"profiling_runs,omitempty"`
}

// Measurement is a value with its unit, "" where it has none.
type Measurement struct {
	Name  string `json:"name"`
	Value any    `json:"value"` // a number or a string
	Unit  string `json:"unit"`
}

// objective is the measurement that is to be small.
const objective = "time"

// Invalidity is why a form doesn't count, or "correct".
type Invalidity string

// All of them.
const (
	Correct     Invalidity = "correct"
	Compile     Invalidity = "compile"
	Runtime     Invalidity = "runtime"
	Timeout     Invalidity = "timeout"
	Correctness Invalidity = "correctness"
	Constraints Invalidity = "constraints"
)

// reasons are the failures in the format's words.
var reasons = map[record.FailureKind]Invalidity{
	record.FailedRewrite:   Constraints, // no such form exists
	record.FailedCompile:   Compile,
	record.FailedResources: Constraints, // as of Kernel Tuner's configurations that ask for too much
	record.FailedRun:       Runtime,
	record.FailedCrash:     Runtime,
	record.FailedTimeout:   Timeout,
	record.FailedOutput:    Correctness,
	record.FailedUntimed:   Runtime,
	record.FailedUnsteady:  Correctness, // its outputs are not known to be right
}

// reasonOf returns the word for a failure, nil for none. A kind that is added one day ends up
// as one of the program's.
func reasonOf(f *record.Failure) Invalidity {
	if f == nil {
		return Correct
	}
	if why, ok := reasons[f.Kind]; ok {
		return why
	}
	return Runtime
}
