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

var kttFailures = map[string]record.FailureKind{
	"ComputationFailed": record.FailedRun, "CompilationFailed": record.FailedCompile,
	"DeviceLimitsExceeded": record.FailedResources, "ValidationFailed": record.FailedOutput,
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
	return t.runs(r, doc["Results"], unit, "no duration", func(m member) (run Run, why string, err error) {
		var of kttResult
		if err := t.read(m, &of); err != nil {
			return run, "", err
		}
		if run, why = of.run(); why != "" {
			return run, why, nil
		}
		r.Kernel = cmp.Or(r.Kernel, of.KernelName)
		if of.KernelName != r.Kernel {
			return run, fmt.Sprintf("it is about kernel %s, and those before it about %s", of.KernelName, r.Kernel), nil
		}
		run.At = stamp(about.Timestamp)
		if run.Launch != nil && size == "OpenCL" { // where it counts threads
			for d := range run.Launch.Grid {
				run.Launch.Grid[d] = (run.Launch.Grid[d] + run.Launch.Block[d] - 1) / max(1, run.Launch.Block[d])
			}
		}
		return run, "", nil
	})
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
	kind, known := kttFailures[of.Status]
	switch {
	case of.Status == "Ok":
		run.Times = []float64{of.TotalDuration}
	case !known:
		return run, fmt.Sprintf("its status is %q", of.Status)
	default:
		run.Failure = failed(kind, of.Status)
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
