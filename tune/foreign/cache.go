package foreign

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/smux-cuda/smux/tune/record"
)

// unmeasured is from which time on old versions of Kernel Tuner mean a failure.
const unmeasured = 1e19

// readCache reads a cache of Kernel Tuner (kernel_tuner.util.store_cache): one object with
// the names of the parameters and, in "cache", a member for each configuration. While
// Kernel Tuner measures, the file ends after the comma of the last one.
func readCache(t *text, r *Results) error {
	r.Tuner = "Kernel Tuner"
	var keys []string
	whole := fmt.Errorf("open")
	err := t.object("a cache", func(key string, at int) error {
		switch key {
		case "device_name":
			return t.value(&r.Device)
		case "kernel_name":
			return t.value(&r.Kernel)
		case "problem_size":
			return t.problem(&r.Problem)
		case "tune_params_keys":
			return t.value(&keys)
		case "cache":
			if keys == nil {
				return t.unknown(at, `"tune_params_keys" does not stand before "cache"`)
			}
			return t.object("the configurations", func(string, int) error {
				run, err := t.cached(keys)
				if err != nil {
					return err
				}
				r.Runs = append(r.Runs, run)
				rest := t.src[t.d.InputOffset():]
				if len(bytes.Trim(rest, " \t\r\n,")) == 0 {
					r.Open = true
					return whole
				}
				return nil
			})
		}
		return t.skip()
	})
	switch {
	case r.Open:
		return nil
	case err != nil:
		return err
	case r.Runs == nil:
		return t.unknown(len(t.src), `it has no configurations in "cache"`)
	}
	return t.end()
}

// problem reads a size: a number, or a list of them. What else it is says nothing of a
// grid.
func (t *text) problem(into *[]int) error {
	var raw json.RawMessage
	if err := t.value(&raw); err != nil {
		return err
	}
	var one int
	var many []int
	if json.Unmarshal(raw, &one) == nil {
		many = []int{one}
	} else if json.Unmarshal(raw, &many) != nil {
		many = nil
	}
	*into = many
	return nil
}

// cached reads a configuration of a cache.
func (t *text) cached(keys []string) (run Run, err error) {
	at := t.offset()
	var members map[string]json.RawMessage
	if err := t.value(&members); err != nil {
		return run, err
	}
	var constants []record.Constant
	for _, name := range keys {
		v, ok := value(members[name])
		if !ok {
			return run, t.unknown(at, fmt.Sprintf("the configuration has no value of %s", name))
		}
		constants = append(constants, record.Constant{Name: name, Value: v})
	}
	run.Configuration = record.NewConfiguration(constants)
	number := func(name string) (n float64) {
		_ = json.Unmarshal(members[name], &n) // 0 where it is none: what it says is not needed
		return n
	}
	var when string
	_ = json.Unmarshal(members["timestamp"], &when)
	run.At, run.Prepare, run.Seconds = stamp(when), number("compile_time")/1000, number("benchmark_time")/1000
	if run.Failure = cacheFailure(members); run.Failure != nil {
		return run, nil
	}
	var repeated []float64
	_ = json.Unmarshal(members["times"], &repeated)
	if run.Times = times(repeated, 1); len(run.Times) == 0 {
		run.Times = times([]float64{number("time")}, 1)
	}
	if len(run.Times) == 0 {
		return run, t.unknown(at, `the configuration has neither "time" nor "times" nor a failure`)
	}
	return run, nil
}

// cacheFailure returns why a configuration has no time: Kernel Tuner writes the name of a
// class there, or a time that no kernel takes.
func cacheFailure(members map[string]json.RawMessage) *record.Failure {
	var word string
	var long float64
	for _, name := range []string{"__error__", "time"} {
		if json.Unmarshal(members[name], &word) != nil || members[name] == nil {
			continue
		}
		kind := record.FailedRun
		switch {
		case strings.HasPrefix(word, "Compilation"):
			kind = record.FailedCompile
		case strings.HasPrefix(word, "Invalid"):
			kind = record.FailedResources
		}
		return failed(kind, word)
	}
	if json.Unmarshal(members["time"], &long) == nil && long >= unmeasured {
		return failed(record.FailedRun, string(members["time"]))
	}
	return nil
}
