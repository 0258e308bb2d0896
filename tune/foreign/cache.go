package foreign

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/smux-cuda/smux/tune/record"
)

// unmeasured is from which time on old versions of Kernel Tuner mean a failure.
const unmeasured = 1e19

// readCache reads a cache of Kernel Tuner (kernel_tuner.util.store_cache): an object with the names of the parameters and, in
// "cache", a member for each configuration. While Kernel Tuner measures, the file ends after the comma of the last one.
func readCache(t *text, r *Results) error {
	r.Tuner = "Kernel Tuner"
	src := bytes.TrimRight(t.src, " \t\r\n,")
	if !json.Valid(t.src) && json.Valid(append(bytes.Clone(src), "}}"...)) {
		t, r.Open = &text{t.name, append(bytes.Clone(src), "}}"...)}, true
	}
	doc, err := t.document("a cache")
	if err != nil {
		return err
	}
	var keys []string
	if err := cmp.Or(t.read(doc["device_name"], &r.Device), t.read(doc["kernel_name"], &r.Kernel), t.read(doc["tune_params_keys"], &keys)); err != nil {
		return err
	}
	var one int // a size is a number, or a list of them; what else it is says nothing of a grid
	if size := doc["problem_size"].value; json.Unmarshal(size, &one) == nil {
		r.Problem = []int{one}
	} else if json.Unmarshal(size, &r.Problem) != nil {
		r.Problem = nil
	}
	cache := doc["cache"]
	switch {
	case cache.value == nil:
		return t.unknown(len(t.src), `it has no configurations in "cache"`)
	case keys == nil:
		return t.unknown(cache.at, `"tune_params_keys" does not stand before "cache"`)
	}
	configurations, _, err := t.members(cache.end-len(cache.value), '{', "the configurations")
	if err != nil {
		return err
	}
	for _, m := range configurations {
		run, err := t.cached(m, keys)
		if err != nil {
			return err
		}
		r.Runs = append(r.Runs, run)
	}
	if r.Runs == nil {
		return t.unknown(len(t.src), `it has no configurations in "cache"`)
	}
	return nil
}

func (t *text) cached(m member, keys []string) (run Run, err error) {
	at := m.end - len(m.value)
	var members map[string]json.RawMessage
	if err := t.read(m, &members); err != nil {
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

// cacheFailure returns why a configuration has no time: Kernel Tuner writes a class's name, or a time that no kernel takes.
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
