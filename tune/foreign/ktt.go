package foreign

import (
	"cmp"
	"encoding/json"
	"fmt"
	"time"

	"github.com/smux-cuda/smux/tune/record"
)

// kttResult is a result of KTT (its Source/Output/JsonConverters.cpp): of a kernel that
// may be made of several functions, in ComputationResults.
type kttResult struct {
	KernelName         string
	Status             string
	TotalDuration      float64
	Configuration      []kttPair
	ComputationResults []struct {
		Duration              float64
		GlobalSize, LocalSize struct{ X, Y, Z int }
		CompilationData       struct {
			RegistersCount, LocalMemorySize, PrivateMemorySize int
		}
		ProfilingData struct {
			Counters []struct {
				Name  string
				Value json.RawMessage
			}
		}
	}
}

type kttPair struct {
	Name  string
	Value json.RawMessage
}

// readKTT reads the results of KTT. What it calls local memory is shared, and what it calls
// private is local, as in OpenCL.
func readKTT(t *text, r *Results) error {
	r.Tuner = "KTT"
	unit, size, began := 1e-3, "CUDA", time.Time{}
	err := t.object("results of KTT", func(key string, at int) error {
		switch key {
		case "Metadata":
			var m struct{ Device, KttVersion, TimeUnit, Timestamp, GlobalSizeType string }
			at = t.offset()
			if err := t.value(&m); err != nil {
				return err
			}
			r.Device = m.Device
			if m.KttVersion != "" {
				r.Tuner += " " + m.KttVersion
			}
			began = stamp(m.Timestamp)
			if m.GlobalSizeType != "" {
				size = m.GlobalSizeType
			}
			var ok bool
			if unit, ok = milliseconds(m.TimeUnit); !ok {
				return t.unknown(at, fmt.Sprintf("the unit of times is %q", m.TimeUnit))
			}
			return nil
		case "Results":
			return t.array("the results", func(at int) error {
				var of kttResult
				if err := t.value(&of); err != nil {
					return err
				}
				run, why := of.run()
				if why != "" {
					return t.unknown(at, why)
				}
				r.Kernel = cmp.Or(r.Kernel, of.KernelName)
				if of.KernelName != r.Kernel {
					return t.unknown(at, fmt.Sprintf("it is about kernel %s, and those before it about %s", of.KernelName, r.Kernel))
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
	for i := range r.Runs { // "Metadata" may stand after them
		run := &r.Runs[i]
		run.At, run.Times = began, times(run.Times, unit)
		if run.Failure == nil && len(run.Times) == 0 {
			run.Failure = failed(record.FailedUntimed, "no duration")
		}
		if run.Launch != nil && size == "OpenCL" { // where it counts threads
			for d := range run.Launch.Grid {
				run.Launch.Grid[d] = (run.Launch.Grid[d] + run.Launch.Block[d] - 1) / max(1, run.Launch.Block[d])
			}
		}
	}
	return t.end()
}

// run returns the facts about a configuration, its times in the unit of the file; why says
// what is wrong with it.
func (of *kttResult) run() (run Run, why string) {
	var constants []record.Constant
	for _, p := range of.Configuration {
		v, ok := value(p.Value)
		if !ok || p.Name == "" {
			return run, "a parameter has no name or no value"
		}
		constants = append(constants, record.Constant{Name: p.Name, Value: v})
	}
	run.Configuration = record.NewConfiguration(constants)
	switch of.Status {
	case "Ok":
		run.Times = []float64{of.TotalDuration}
	case "ComputationFailed":
		run.Failure = failed(record.FailedRun, of.Status)
	case "CompilationFailed":
		run.Failure = failed(record.FailedCompile, of.Status)
	case "DeviceLimitsExceeded":
		run.Failure = failed(record.FailedResources, of.Status)
	case "ValidationFailed":
		run.Failure = failed(record.FailedOutput, of.Status)
	default:
		return run, fmt.Sprintf("its status is %q", of.Status)
	}
	if len(of.ComputationResults) != 1 { // of several functions no figure is that of the kernel
		return run, ""
	}
	c := of.ComputationResults[0]
	run.Registers, run.Shared, run.Local = c.CompilationData.RegistersCount, c.CompilationData.LocalMemorySize, c.CompilationData.PrivateMemorySize
	g, l := c.GlobalSize, c.LocalSize
	if l.X > 0 {
		run.Launch = &record.Grid{Block: [3]int{l.X, l.Y, l.Z}, Grid: [3]int{g.X, g.Y, g.Z}}
	}
	for _, counter := range c.ProfilingData.Counters {
		var n float64
		if counter.Name != "" && json.Unmarshal(counter.Value, &n) == nil {
			if run.Counters == nil {
				run.Counters = map[string]float64{}
			}
			run.Counters[counter.Name] = n
		}
	}
	return run, ""
}
