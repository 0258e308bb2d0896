// Package workload describes what one thread block of a kernel does, as far as time is concerned: the common input of
// the closed-form model (timing) and of the simulation (sim). It holds counts, not code; who made them (package cost,
// a compiler's listing, or a person) does not matter here.
package workload

import (
	"encoding/binary"
	"strings"
)

// Kernel is the work of one thread block of the original kernel.
type Kernel struct {
	Name      string
	Threads   int    // per thread block
	Registers int    // per thread
	Shared    int    // static and dynamic bytes per thread block
	Blocks    int    // thread blocks of the grid, 0 if not known
	Grid      [3]int // the same by x, y and z; 0 if not known
	Body      []Step

	// Source is set if Body follows the source text: what a rewrite puts in front of a region stands there, and it is
	// not known where a compiler computes it. Without it the steps are where the machine code has them.
	Source bool

	// Footprint is the global memory that a thread block reads, in bytes, each
	// byte once: what a cache has to hold for it to find data again.
	Footprint float64
	// Arrays lists its arrays; nil if unknown.
	Arrays []Array
	// Again holds the distances between loads of the same bytes, nearest first; nil if unknown.
	Again []Reuse
	// Stored are the sectors that a thread block stores to, each once; nil if unknown. Joins is how far
	// apart stores to the same sector are.
	Stored []Array
	Joins  []Reuse
	// Assumptions are sentences about what had to be guessed, for reports.
	Assumptions []string
	// Guessed is set if one of them is how often a loop runs.
	Guessed bool
}

// Kind is the kind of a step.
type Kind uint8

// The kinds of steps.
const (
	KindWork    Kind = iota // Work
	KindBarrier             // all warps of the thread block meet
	KindLoop                // Body, Times times
	KindRegion              // Body, in which the shared arrays are live
)

// Step is one step of every warp of a thread block, in program order. Warps
// are assumed to be alike: divergence is an average.
type Step struct {
	Kind  Kind
	Label string // place in the source, "41" for line 41; for reports
	Work  Work
	Times float64 // KindLoop
	Body  []Step  // KindLoop, KindRegion

	// Early marks work at the start of a region's body that a rewrite moves in
	// front of the region: loads into registers.
	Early bool
}

// Work holds what one warp does between two points where it can be stopped by others. Within it, loads come in Waits
// batches: the warp issues its share of the instructions and loads, waits for the data, and goes on.
type Work struct {
	Issue float64 // warp instructions, loads and stores included
	// Of these, the ones that go to units with a rate of their own, if known.
	Float   float64 // additions and multiplications of single precision, and of integers where they multiply
	Integer float64 // other operations on integers, and comparisons
	Double  float64 // double precision
	Special float64 // special functions and conversions

	// Access are the loads, stores and atomics of shared and global memory among Issue, by instruction; 0 if unknown.
	Access float64

	Shared float64 // shared-memory wavefronts: 1 for a conflict-free access of 32-bit words
	Loads  float64 // bytes that its global loads move, whole 32-byte sectors
	Again  float64 // part of Loads that this thread block has loaded before
	Late   float64 // part of Again that another warp asks for at the same time, for the first time: it is waited for as long
	Lines  float64 // lines of 128 bytes of which they are, by instruction; 0 where only the bytes are known
	Stores float64 // bytes that its global stores and atomics move, whole sectors
	Joined float64 // part of Stores to sectors that this thread block has stored to before
	Partly float64 // part of Stores to sectors of which the warp's access covers a part
	Waits  float64 // times that it waits for global memory; 0 if it loads nothing
	Ahead  float64 // of these, for copies that are under way until it comes by again: it waits for those of the time before
}

// fields are the numbers of a work, in one order.
func (w *Work) fields() [16]*float64 {
	return [...]*float64{&w.Issue, &w.Float, &w.Integer, &w.Double, &w.Special, &w.Access, &w.Shared, &w.Loads, &w.Again, &w.Late, &w.Lines, &w.Stores, &w.Joined, &w.Partly, &w.Waits, &w.Ahead}
}

// letters are those of the parts of a work in the notation of Parse, in the order in which Format has them; M is followed by the batches.
const letters = "CFIDQSMAPW"

// part returns the number that a letter stands for.
func (w *Work) part(letter byte) *float64 {
	return [...]*float64{&w.Issue, &w.Float, &w.Integer, &w.Double, &w.Special, &w.Shared, &w.Loads, &w.Again, &w.Ahead, &w.Stores}[strings.IndexByte(letters, letter)]
}

// Add returns the sum of two works.
func (w Work) Add(o Work) Work {
	of := o.fields()
	for i, n := range w.fields() {
		*n += *of[i]
	}
	return w
}

// Scale returns the work done times times.
func (w Work) Scale(times float64) Work {
	for _, n := range w.fields() {
		*n *= times
	}
	return w
}

// OnUnits scales the parts of Issue that go to units of their own.
func (w Work) OnUnits(times float64) Work {
	all := w.fields()
	for _, n := range all[1:5] {
		*n *= times
	}
	return w
}

// Total returns the work of a warp over steps, loops counted out, and the part of it that is done in regions.
func Total(steps []Step) (all, inRegions Work) { return total(steps, false) }

func total(steps []Step, inside bool) (all, in Work) {
	for _, s := range steps {
		var a, r Work
		switch s.Kind {
		case KindWork:
			a = s.Work
			if inside {
				r = a
			}
		case KindLoop:
			a, r = total(s.Body, inside)
			a, r = a.Scale(s.Times), r.Scale(s.Times)
		case KindRegion:
			a, r = total(s.Body, true)
		}
		all, in = all.Add(a), in.Add(r)
	}
	return all, in
}

// Key holds all that a kernel's work is, as bytes: kernels that differ in their names alone,
// those of their steps, and what had to be guessed of them, have the same.
func (k *Kernel) Key() string {
	b := appendKey(nil, k.Source, int64(k.Threads), int64(k.Registers), int64(k.Shared), int64(k.Blocks), int64(k.Grid[0]), int64(k.Grid[1]), int64(k.Grid[2]))
	b = stepsKey(b, k.Body)
	b = appendKey(b, k.Footprint)
	for _, of := range [][]Array{k.Arrays, k.Stored} {
		b = appendKey(b, int64(len(of)), of)
	}
	for _, of := range [][]Reuse{k.Again, k.Joins} {
		b = appendKey(b, int64(len(of)), of)
	}
	return string(b)
}

func stepsKey(b []byte, of []Step) []byte {
	b = appendKey(b, int64(len(of)))
	for i := range of {
		s := &of[i]
		b = stepsKey(appendKey(b, s.Kind, s.Early, s.Times, &s.Work), s.Body)
	}
	return b
}

func appendKey(b []byte, of ...any) []byte {
	for _, x := range of {
		b, _ = binary.Append(b, binary.LittleEndian, x) // numbers of fixed sizes, which can't fail
	}
	return b
}
