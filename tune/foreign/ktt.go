package foreign

import (
	"cmp"
	"encoding/json"
	"fmt"

	"github.com/smux-cuda/smux/tune/record"
)

// kttResult is a result of KTT (its Source/Output/JsonConverters.cpp); a kernel may be of several functions (ComputationResults).
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

// readKTT reads the results of KTT, where local memory is shared, and private memory local, as in OpenCL.
func readKTT(t *text, r *Results) error {
	r.Tuner = "KTT"
	doc, err := t.document("results of KTT")
	if err != nil {
		return err
	}
	unit, size := 1e-3, "CUDA"
	var about struct{ Device, KttVersion, TimeUnit, Timestamp, GlobalSizeType string }
	if m, there := doc["Metadata"]; there {
		if err := t.read(m, &about); err != nil {
			return err
		}
		r.Device, size = about.Device, cmp.Or(about.GlobalSizeType, size)
		if about.KttVersion != "" {
			r.Tuner += " " + about.KttVersion
		}
		var ok bool
		if unit, ok = milliseconds(about.TimeUnit); !ok {
			return t.unknown(m.end-len(m.value), fmt.Sprintf("the unit of times is %q", about.TimeUnit))
		}
	}
	results, err := t.list(doc["Results"], "the results")
	if err != nil {
		return err
	}
	for _, m := range results {
		var of kttResult
		if err := t.read(m, &of); err != nil {
			return err
		}
		run, why := of.run()
		if why != "" {
			return t.unknown(m.at, why)
		}
		r.Kernel = cmp.Or(r.Kernel, of.KernelName)
		if of.KernelName != r.Kernel {
			return t.unknown(m.at, fmt.Sprintf("it is about kernel %s, and those before it about %s", of.KernelName, r.Kernel))
		}
		run.At, run.Times = stamp(about.Timestamp), times(run.Times, unit)
		if run.Failure == nil && len(run.Times) == 0 {
			run.Failure = failed(record.FailedUntimed, "no duration")
		}
		if run.Launch != nil && size == "OpenCL" { // where it counts threads
			for d := range run.Launch.Grid {
				run.Launch.Grid[d] = (run.Launch.Grid[d] + run.Launch.Block[d] - 1) / max(1, run.Launch.Block[d])
			}
		}
		r.Runs = append(r.Runs, run)
	}
	return nil
}

// run returns the facts about a configuration, its times in the unit of the file; why says what is wrong with it.
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
