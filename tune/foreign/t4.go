package foreign

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/smux-cuda/smux/tune/record"
)

// t4Result is a result as others write it: what ExportT4 writes, with the configuration's order and with times of 0.
type t4Result struct {
	Timestamp     string
	Configuration json.RawMessage
	Times         struct {
		Compilation float64 `json:"compilation_time"`
		Runtimes    []float64
	}
	Invalidity   Invalidity
	Measurements []struct {
		Name  string
		Value json.RawMessage
		Unit  string
	}
}

// readT4 reads results of the T4 format: of Kernel Tuner (whose file names neither kernel nor device), smux and others.
func readT4(t *text, r *Results) error {
	doc, err := t.document("results in T4")
	if err != nil {
		return err
	}
	var about struct {
		Device     string
		DeviceName string `json:"device_name"`
		Kernel     string `json:"kernel_name"`
		Autotuner  string
		TimeUnit   string
		Subject    struct{ Kernel string } `json:"smux_subject"`
	}
	m := doc["metadata"]
	if err := t.read(m, &about); err != nil {
		return err
	}
	r.Device, r.Kernel, r.Tuner = cmp.Or(about.Device, about.DeviceName), cmp.Or(about.Kernel, about.Subject.Kernel), cmp.Or(about.Autotuner, "T4")
	unit, ok := milliseconds(cmp.Or(about.TimeUnit, "milliseconds"))
	if !ok {
		return t.unknown(m.end-len(m.value), fmt.Sprintf("the unit of times is %q", about.TimeUnit))
	}
	return t.runs(r, doc["results"], unit, "no runtime", func(m member) (run Run, why string, err error) {
		var of t4Result
		if err = t.read(m, &of); err == nil {
			run, why = of.run()
		}
		run.Prepare *= unit / 1000
		return run, why, err
	})
}

// run returns the facts about a configuration, its times in the unit of the file; why says what is wrong with it.
func (of *t4Result) run() (run Run, why string) {
	members, _, err := (&text{src: of.Configuration}).members(0, '{', "")
	var constants []record.Constant // in their order
	for _, m := range members {
		v, ok := value(m.value)
		if !ok {
			err = errors.New("it is none")
		}
		constants = append(constants, record.Constant{Name: m.key, Value: v})
	}
	if err != nil {
		return run, "the configuration is not an object of numbers and texts"
	}
	run.Configuration = record.NewConfiguration(constants)
	run.At, run.Prepare, run.Times = stamp(of.Timestamp), of.Times.Compilation, of.Times.Runtimes
	for _, m := range of.Measurements {
		var n float64
		if json.Unmarshal(m.Value, &n) != nil {
			continue
		}
		switch {
		case m.Name == "time" && len(run.Times) == 0 && n > 0:
			run.Times = []float64{n}
		case m.Name == "registers":
			run.Registers = int(n)
		case m.Name == "shared_memory":
			run.Shared = int(n)
		case m.Name == "spills":
			run.Spills = int(n)
		}
	}
	kinds := map[Invalidity]record.FailureKind{
		Compile: record.FailedCompile, Runtime: record.FailedRun, Timeout: record.FailedTimeout,
		Correctness: record.FailedOutput, Constraints: record.FailedResources,
	}
	switch kind, known := kinds[of.Invalidity]; {
	case known:
		run.Failure, run.Times = failed(kind, string(of.Invalidity)), nil
	case of.Invalidity != Correct && of.Invalidity != "":
		return run, fmt.Sprintf("its invalidity is %q", of.Invalidity)
	}
	return run, ""
}

const Version = "1.1.0"

type Document struct {
	Schema   string   `json:"schema_version"`
	Metadata Metadata `json:"metadata"`
	Results  []Result `json:"results"`
}

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

type Result struct {
	Timestamp     string         `json:"timestamp"` // of its last line
	Configuration map[string]any `json:"configuration"`
	Objectives    []string       `json:"objectives"`
	Times         Times          `json:"times"`
	Invalidity    Invalidity     `json:"invalidity"`
	// Correctness is 1 where the outputs were not found to differ from the original's, else 0.
	Correctness  int           `json:"correctness"`
	Measurements []Measurement `json:"measurements"`
}

// Times are in milliseconds.
type Times struct {
	Compilation *float64 `json:"compilation_time,omitempty"`
	// Runtimes are all times of the form, in the order in which they were measured.
	Runtimes []float64 `json:"runtimes"`
	// Runs is the time of the runs of the form and of what it was compared with, all in all.
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

const (
	Correct     Invalidity = "correct"
	Compile     Invalidity = "compile"
	Runtime     Invalidity = "runtime"
	Timeout     Invalidity = "timeout"
	Correctness Invalidity = "correctness"
	Constraints Invalidity = "constraints"
)

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

// reasonOf returns the word for a failure, nil for none. A kind that is added one day ends up as one of the program's.
func reasonOf(f *record.Failure) Invalidity {
	if f == nil {
		return Correct
	}
	if why, ok := reasons[f.Kind]; ok {
		return why
	}
	return Runtime
}
