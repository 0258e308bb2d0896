package record

import (
	"fmt"
	"time"

	"github.com/smux-cuda/smux/rewrite"
)

// Schema is the version of the lines. It grows when a field changes its name or meaning, or goes away: then migrations gets a
// step. A field that is added leaves it as it is, since older versions of smux pass over what they don't know.
const Schema = 2

// Line is a line of a record. Exactly one of the pointers is set.
type Line struct {
	Schema  int              `json:"schema"`
	Key     string           `json:"key"` // of the variant, as Variant.Key gives it
	Time    time.Time        `json:"time"`
	Variant *MeasuredVariant `json:"variant,omitempty"`
	Pair    *Pair            `json:"pair,omitempty"`
	Failure *Failure         `json:"failure,omitempty"`
}

// Variant says what was measured. It stands before its measurements.
type MeasuredVariant struct {
	Subject   Subject      `json:"subject"`
	Candidate TunedVariant `json:"candidate"`
	Name      string       `json:"name"` // Candidate.String, for people
	Text      string       `json:"text"` // hash of the texts that were compiled
	// Predicted is the time of the original over that of the variant, as the model expects it; 0 where it says nothing.
	Predicted float64 `json:"predicted,omitempty"`
	// What the compiler made of it.
	Registers int    `json:"registers,omitempty"`   // per thread
	Shared    int    `json:"sharedBytes,omitempty"` // of a launched thread block
	Local     int    `json:"localBytes,omitempty"`  // local memory per thread, arrays and spills, where Subject.Tuner says no more
	Spills    int    `json:"spillBytes,omitempty"`  // per thread
	Launch    *Grid  `json:"launch,omitempty"`      // as it was launched, where Subject.Tuner says it
	VTBs      int    `json:"virtualTBsPerSM,omitempty"`
	Limiter   string `json:"limiter,omitempty"`
}

// Configuration returns the values of the kernel's constants, those of Subject.Base of an original.
func (v *MeasuredVariant) Configuration() Configuration {
	if v.Candidate.IsOriginal() {
		return v.Subject.Base
	}
	return v.Candidate.Configuration
}

type Grid struct {
	Block [3]int `json:"block"` // threads of a thread block in x, y, z
	Grid  [3]int `json:"grid"`  // thread blocks
}

const (
	Search  = "search"  // variants are compared to find the best
	Confirm = "confirm" // the best ones are measured anew, to be sure
)

// Pair is one measurement: a run of the original and a run of the variant, one directly after the other.
type Pair struct {
	Phase string `json:"phase"`
	Turn  int    `json:"turn"` // from 0, within the phase
	// Against is the name of what stands in the original's place, "" for the original itself.
	Against string `json:"against,omitempty"`
	// Base and Variant are the kernel's times in milliseconds, or in a metric's unit, one for each repetition within the run.
	Base    []float64 `json:"baseTimes"`
	Variant []float64 `json:"variantTimes"`
	// VariantFirst says that the variant ran before the original.
	VariantFirst bool   `json:"variantFirst,omitempty"`
	Device       int    `json:"device"`
	State        *State `json:"state,omitempty"`
	// Seconds is the time that the two runs took, and Prepare that to choose the variant, build and check it, 0 if built.
	Seconds float64 `json:"seconds"`
	Prepare float64 `json:"prepareSeconds,omitempty"`
	// Checked says what of the outputs was compared with the original's.
	Checked Evidence `json:"checked"`
	// Apart says that the two were not run one after the other: the times are those of Subject.Tuner.
	Apart bool `json:"apart,omitempty"`
	// Counters are the hardware counters of the variant's run, by their profiler's names.
	Counters map[string]float64 `json:"counters,omitempty"`
}

// Evidence says what was compared of a run's outputs.
type Evidence struct {
	Copies int   `json:"copies"` // from the device to the host
	Bytes  int64 `json:"bytes"`  // in them
	Lines  int   `json:"lines"`  // of standard output, those aside that speak of time
	// Memory is the bytes that were compared in check runs, of copies and of memory that launches changed.
	Memory int64 `json:"memory,omitempty"`
}

// State is the state of a GPU, read and never set.
type State struct {
	ClockSM     int `json:"smMHz,omitempty"`
	ClockMemory int `json:"memoryMHz,omitempty"`
	Temperature int `json:"celsius,omitempty"`
	// Throttled names what holds the clocks down, "" for nothing.
	Throttled string `json:"throttled,omitempty"`
}

type FailureKind string

const (
	FailedRewrite   FailureKind = "rewrite"   // it could not be had
	FailedCompile   FailureKind = "compile"   // the compiler refused it
	FailedResources FailureKind = "resources" // a launch asks for more than the GPU has
	FailedRun       FailureKind = "run"       // it ended with an error
	FailedCrash     FailureKind = "crash"     // a signal, or an error of the GPU that nothing survives
	FailedTimeout   FailureKind = "timeout"
	FailedOutput    FailureKind = "output"   // its outputs are not the original's
	FailedUntimed   FailureKind = "untimed"  // no launch of the kernel was timed, or no metric printed
	FailedUnsteady  FailureKind = "unsteady" // outputs of equal runs of the original differ, or it can't be judged
)

// Failure reports why a variant is not measured any further. It is an error.
type Failure struct {
	Kind FailureKind `json:"kind"`
	Text string      `json:"text"`
	// Seconds is the time that it took to find out, if known.
	Seconds float64 `json:"seconds,omitempty"`
}

func (f *Failure) Error() string { return f.Text }

// TunedVariant is one form of a kernel: a rewrite, and what is done besides. The zero value is the original.
type TunedVariant struct {
	rewrite.Variant
	// Blocks is the launched thread blocks per SM for which launch bounds cap the registers, 0 for no cap.
	Blocks int `json:"cap,omitempty"`
	// Registers caps all kernels' registers per thread by -maxrregcount, where launch bounds can't be given. 0 for no cap.
	Registers int `json:"maxrregcount,omitempty"`
	// Carveout is the percentage of an SM's storage that launches prefer as shared memory; 0 leaves it to the driver.
	Carveout int `json:"carveout,omitempty"`
	// Configuration is the values of the program's constants; "" for those of the source, or of Subject.Base. Another autotuner
	// gave the kernel macros, smux changes numbers in the source (analysis/sizes).
	Configuration Configuration `json:"configuration,omitempty"`
}

func (c TunedVariant) IsOriginal() bool { return c == TunedVariant{} }

// OneStep reports whether one rewrite is done and nothing besides.
func (c TunedVariant) OneStep() bool {
	return c == TunedVariant{Variant: c.Variant} && !c.IsOriginal() && len(c.Steps()) == 1
}

// Tested reports whether a constant has another value: only runs show that the program computes the same.
func (c TunedVariant) Tested() bool { return c.Configuration != "" }

// IsForm reports whether no thread blocks are merged: an original form, which any gain has to be compared with, too.
func (c TunedVariant) IsForm() bool { return c.Rewriter == "" || !c.Merges() }

// String is "original", "vtb named N=2" or "vtb named N=2 cap=3 carveout=100". It tells candidates apart.
func (c TunedVariant) String() string {
	text := c.Variant.String()
	switch {
	case c.Rewriter == "" && c.Configuration != "":
		text = string(c.Configuration)
	case c.Rewriter == "":
		text = "original"
	case c.Configuration != "":
		text += " " + string(c.Configuration)
	}
	if c.Blocks > 0 {
		text += fmt.Sprintf(" cap=%d", c.Blocks)
	}
	if c.Registers > 0 {
		text += fmt.Sprintf(" maxrregcount=%d", c.Registers)
	}
	if c.Carveout > 0 {
		text += fmt.Sprintf(" carveout=%d", c.Carveout)
	}
	return text
}
