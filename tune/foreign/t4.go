package foreign

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"

	"github.com/smux-cuda/smux/tune/record"
)

// t4Result is a result of the T4 format as others write it: what ExportT4 writes, with
// the order of the configuration and with times of 0 kept.
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

// readT4 reads results of the T4 format: of Kernel Tuner (whose file names neither kernel
// nor device), of smux and of others.
func readT4(t *text, r *Results) error {
	unit, tuner := 1.0, "T4"
	err := t.object("results in T4", func(key string, _ int) error {
		switch key {
		case "metadata":
			at := t.offset()
			var m struct {
				Device     string
				DeviceName string `json:"device_name"`
				Kernel     string `json:"kernel_name"`
				Autotuner  string
				TimeUnit   string
				Subject    struct{ Kernel string } `json:"smux_subject"`
			}
			if err := t.value(&m); err != nil {
				return err
			}
			r.Device, r.Kernel = cmp.Or(m.Device, m.DeviceName), cmp.Or(m.Kernel, m.Subject.Kernel)
			tuner = cmp.Or(m.Autotuner, tuner)
			var ok bool
			if unit, ok = milliseconds(cmp.Or(m.TimeUnit, "milliseconds")); !ok {
				return t.unknown(at, fmt.Sprintf("the unit of times is %q", m.TimeUnit))
			}
			return nil
		case "results":
			return t.array("the results", func(at int) error {
				var of t4Result
				if err := t.value(&of); err != nil {
					return err
				}
				run, why := of.run()
				if why != "" {
					return t.unknown(at, why)
				}
				r.Runs = append(r.Runs, run)
				return nil
			})
		}
		return t.skip()
	})
	if err != nil {
		return err
	}
	r.Tuner = tuner
	for i := range r.Runs {
		run := &r.Runs[i]
		run.Prepare *= unit / 1000
		if run.Times = times(run.Times, unit); run.Failure == nil && len(run.Times) == 0 {
			run.Failure = failed(record.FailedUntimed, "no runtime")
		}
	}
	return t.end()
}

// run returns the facts about a configuration, its times in the unit of the file; why says
// what is wrong with it.
func (of *t4Result) run() (run Run, why string) {
	constants, ok := ordered(of.Configuration)
	if !ok {
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

// ordered returns the members of an object in its order; ok is false where it is none, or
// a member is neither a number nor a text nor a truth value.
func ordered(raw json.RawMessage) (out []record.Constant, ok bool) {
	d := json.NewDecoder(bytes.NewReader(raw))
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return nil, false
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil, false
		}
		var member json.RawMessage
		if err := d.Decode(&member); err != nil {
			return nil, false
		}
		v, ok := value(member)
		if !ok {
			return nil, false
		}
		out = append(out, record.Constant{Name: key.(string), Value: v})
	}
	return out, true
}
