// Package foreign makes records of what other autotuners measured: the cache files of Kernel Tuner, results in the autotuning
// community's T4 format, and the results of KTT.
//
// A file is read to its end or refused with the place of what is wrong, but for a cache that Kernel Tuner left open, whose
// configurations are all whole. What no record has a place for is passed over: metrics that a tuner computes of times, what
// it spent on searching, the list of values that each parameter may have.
package foreign

import (
	"time"

	"github.com/smux-cuda/smux/tune/record"
)

type Format string

const (
	KernelTunerCache Format = "kernel-tuner-cache"
	T4               Format = "t4"
	KTT              Format = "ktt"
)

var Formats = []Format{KernelTunerCache, T4, KTT}

// Results holds the content of a file: the configurations of one kernel on one device.
type Results struct {
	Format  Format
	Tuner   string // such as "KTT 2.1.0"
	Kernel  string // "" where the file does not say it
	Device  string // the product's name, "" where the file does not say it
	Problem []int  // the problem's size in each dimension, nil where the file does not say it
	Runs    []Run  // in the order of the file
	// Open says that the file lacks only the braces that close it: it was copied while the tuner was measuring.
	Open bool
}

// Run holds what was measured of one configuration: times, or why there are none.
type Run struct {
	Configuration record.Configuration
	At            time.Time // zero where the file does not say it
	Times         []float64 // in milliseconds, one for each repetition
	Failure       *record.Failure
	Prepare       float64 // seconds to compile it, 0 if unknown
	Seconds       float64 // … and to measure it
	// What the compiler made of it; 0 if unknown. Local is local memory, spilled registers and arrays.
	Registers, Shared, Local, Spills int
	Launch                           *record.Grid
	Counters                         map[string]float64
}

// Counts counts the configurations, each once, and what became of the measurements.
type Counts struct{ Configurations, Ran, Failed int }

func (r *Results) Count() (n Counts) {
	seen := map[record.Configuration]bool{}
	for _, run := range r.Runs {
		seen[run.Configuration] = true
		if run.Failure == nil {
			n.Ran++
		} else {
			n.Failed++
		}
	}
	n.Configurations = len(seen)
	return n
}
