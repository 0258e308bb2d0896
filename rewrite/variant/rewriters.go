package variant

import (
	"cmp"
	"slices"

	"github.com/smux-cuda/smux/internal/lists"
)

// Rewriter describes what a person can ask of a rewriter.
type Rewriter struct {
	Name  string
	Doc   string
	Knobs []string // what a person can set, of the names in knobs.go
	// InPlace says that the rewriter changes nothing but bodies of kernels: no blocks are merged, and launches and
	// signatures stay as they are. It has neither a factor (0) nor a sync mode ("").
	InPlace bool
	// Closed says of a rewriter in place that every launch must be in view all the same.
	Closed bool
	// Footprint says of a rewriter that merges no thread blocks that one of the rewritten kernel
	// takes another number of shared bytes, or has other work.
	Footprint bool
	// Searched says that the rewriter is offered only where it is asked for by name: it does nothing without knobs
	// that another package searches for, or only a measurement tells what it gains.
	Searched bool
	// Syncs, Factors and SharedSets are the values of the knobs that are worth
	// comparing. SharedSets is nil where that knob means nothing.
	Syncs      []string
	Factors    []int
	SharedSets []int
	// Cuts are the ways to exchange in rounds that are worth comparing, nil where there are none.
	Cuts []Cut
}

// Cut is a way to exchange in rounds: by what, and in how many, 0 for as many as an
// element has components, or as there are arrays or groups of rows.
type Cut struct {
	By     string
	Rounds int
}

// The things by which an exchange is cut into rounds.
const (
	ByComponent = "component" // of the elements: x, then y
	ByWindow    = "window"    // of the first subscript: the first half, then the second
	ByArray     = "array"     // one array after the other, or groups of rows of one
)

// By are all of them, the preferred first.
var By = []string{ByComponent, ByWindow, ByArray}

// The rewriters, by the names that people give them.
const (
	VTB         = "vtb"          // merges thread blocks, which take turns with one set of shared arrays
	VTBPipe     = "vtb-pipe"     // merges two, of which one works ahead
	CoVTB       = "co-vtb"       // merges thread blocks that have a part of an array for themselves
	Dyn         = "dyn"          // merges thread blocks that take one of several sets
	Merge       = "merge"        // merges thread blocks, each with a set of its own
	StageLoads  = "stage-loads"  // loads before the region that stores what was loaded
	Overlay     = "overlay"      // lets shared arrays have the same bytes
	AssumeShape = "assume-shape" // tells the compiler the shape of the blocks
	Slice       = "slice"        // makes exchanges in rounds
	Stage       = "stage"        // copies to shared memory what a thread block reads again
	Demote      = "demote"       // brings registers down by a recipe
	Coarsen     = "coarsen"      // gives each thread block the work of several
	Reshape     = "reshape"      // launches blocks of another shape
	Swizzle     = "swizzle"      // has the blocks of a 2-D grid run in another order
	Unroll      = "unroll"       // puts unroll factors before loops
)

// The forms in which stage copies arrays to shared memory.
const (
	SchemeLoop          = "loop"          // a tile for some iterations of a loop at a time
	SchemeNeighbourhood = "neighbourhood" // a tile of the block's elements and its border
	SchemePlanes        = "planes"        // the planes with their border that an iteration of a loop reads, which move on with it
	SchemeTranspose     = "transpose"     // stores of a block in another order of its threads
	SchemeTable         = "table"         // a small array as a whole
	SchemeResize        = "resize"        // several strips at a time of a loop that stages by hand
)

// What coarsen puts together: the work of thread blocks, or of threads of one.
const (
	Blocks  = "blocks"
	Threads = "threads"
)

// Schemes are all of them, in the order in which they are tried; the last only where it is asked for.
var Schemes = []string{SchemeLoop, SchemeNeighbourhood, SchemePlanes, SchemeTranspose, SchemeTable, SchemeResize}

// The modes in which virtual thread blocks take turns.
const (
	SyncNamed = "named" // with named barriers, in a ring
	SyncLock  = "lock"  // by a lock in shared memory
	SyncBlock = "block" // at barriers of the whole block
)

// Syncs are all of them, the preferred first.
var Syncs = []string{SyncNamed, SyncLock, SyncBlock}

// stageKnobs are those of stage, sliceKnobs those of slice: also where these go first.
var (
	stageKnobs = []string{KnobArray, KnobTile, KnobScheme, KnobPad}
	sliceKnobs = []string{KnobRounds, KnobBy}
)

// firstKnobs are the knobs of what merges thread blocks that say what goes first.
var firstKnobs = slices.Concat(sliceKnobs, []string{KnobOverlay, KnobStaged}, stageKnobs)

// Full is the factor of a loop that is unrolled to its end, N=0 as a person writes it.
const Full = -1

// UnrollFactors are the unroll factors that are worth comparing, the preferred first.
var UnrollFactors = []int{4, 8, 2, Full, 1}

// BlockShapes are the shapes of thread blocks that are worth comparing, for kernels with one and with two axes, the preferred first.
var BlockShapes = [][]string{{"128", "64", "256", "512"}, {"32,8", "16,16", "32,4", "64,4"}}

// Rewriters are all rewriters, the preferred first. Package rewrite has the proof of each.
var Rewriters = []*Rewriter{
	{
		Name:  VTB,
		Doc:   "merge N thread blocks, which take turns with one set of shared arrays (PACT'12 §4.1)",
		Knobs: slices.Concat([]string{KnobFactor, KnobSync, KnobStage, KnobAssume, KnobGridAxis, KnobPin, KnobEarly, KnobCompute, KnobLate, KnobNumbered, KnobPersistent}, firstKnobs),
		Syncs: Syncs, Factors: []int{2, 3, 4, 6, 8},
	},
	{
		Name:  VTBPipe,
		Doc:   "merge two thread blocks, of which one works outside of the regions while the other takes its turn (PACT'12 §4.2)",
		Knobs: slices.Concat([]string{KnobFactor, KnobSync, KnobStage, KnobAssume, KnobGridAxis}, firstKnobs),
		Syncs: []string{SyncBlock}, Factors: []int{2},
	},
	{
		Name:  CoVTB,
		Doc:   "split a shared array: each merged block has P of its rows for itself, and takes turns with the rest (PACT'12 §4.3)",
		Knobs: slices.Concat([]string{KnobFactor, KnobSync, KnobPrivateRows, KnobStage, KnobAssume, KnobGridAxis, KnobPin, KnobEarly, KnobCompute, KnobNumbered, KnobPersistent}, firstKnobs),
		Syncs: Syncs, Factors: []int{2, 4},
	},
	{
		Name:  Dyn,
		Doc:   "merge N thread blocks, which take one of M sets of shared arrays for each region (PACT'12 §5, in software)",
		Knobs: slices.Concat([]string{KnobFactor, KnobSync, KnobSharedSets, KnobStage, KnobAssume, KnobGridAxis, KnobPin, KnobEarly, KnobCompute, KnobLate, KnobPersistent}, firstKnobs),
		// One set is what vtb with a lock has.
		Syncs: []string{SyncLock}, Factors: []int{3, 4, 6, 8}, SharedSets: []int{2},
	},
	{
		Name:  Merge,
		Doc:   "merge N thread blocks, each with shared arrays of its own: for kernels of small blocks",
		Knobs: slices.Concat([]string{KnobFactor, KnobSync, KnobAssume, KnobGridAxis}, firstKnobs),
		Syncs: []string{SyncNamed, SyncBlock}, Factors: []int{2, 4, 8},
	},
	{
		Name:  StageLoads,
		Doc:   "make the global loads that fill shared arrays before the stores, and merge nothing",
		Knobs: slices.Concat([]string{KnobStage, KnobCompute, KnobStaged}, stageKnobs),
		Syncs: []string{""}, Factors: []int{0},
		InPlace: true,
	},
	{
		Name:  Overlay,
		Doc:   "let shared arrays whose values are never needed together have the same bytes, and merge nothing",
		Syncs: []string{""}, Factors: []int{0},
		InPlace: true, Footprint: true,
	},
	{
		Name:  AssumeShape,
		Doc:   "tell the compiler the block shape that every launch has, and merge nothing",
		Syncs: []string{""}, Factors: []int{0},
		InPlace: true, Closed: true,
	},
	{
		Name:  Slice,
		Doc:   "exchange through shared arrays in R rounds, with a part of each array's bytes, and merge nothing",
		Knobs: sliceKnobs,
		Syncs: []string{""}, Factors: []int{0},
		InPlace: true, Footprint: true,
		Cuts: []Cut{{ByComponent, 0}, {ByArray, 0}, {ByWindow, 2}, {ByWindow, 4}},
	},
	{
		Name:  Stage,
		Doc:   "copy parts of global arrays that a block's threads read repeatedly to shared memory, and merge nothing (Xie et al., ICCAD)",
		Knobs: slices.Concat(stageKnobs, []string{KnobAsync, KnobVector}), // no turns and no other rewrite after copies that go on
		Syncs: []string{""}, Factors: []int{0},
		InPlace: true, Closed: true, Footprint: true,
	},
	{
		Name:  Demote,
		Doc:   "bring the registers down to the next occupancy step: a cap, smaller unroll factors, pins, words in shared memory (Hayes & Zhang; RegDem)",
		Knobs: []string{KnobRecipe},
		Syncs: []string{""}, Factors: []int{0},
		InPlace: true, Searched: true,
	},
	{
		Name:  Coarsen,
		Doc:   "give each thread block, or each thread, the work of N, statement by statement: more loads in flight, and what the N share is loaded once (Volkov & Demmel, SC'08; Magni et al., SC'13)",
		Knobs: slices.Concat([]string{KnobFactor, KnobOf, KnobGridAxis, KnobFactorY, KnobStage, KnobUnroll, KnobStaged}, stageKnobs),
		Syncs: []string{""}, Factors: []int{2, 4, 8},
		Footprint: true,
	},
	{
		Name:  Swizzle,
		Doc:   "have the thread blocks of N columns of a 2-D grid run before those of the next: what they share stays in the L2 cache",
		Knobs: []string{KnobFactor},
		Syncs: []string{""}, Factors: []int{8, 4},
		InPlace: true, Searched: true,
	},
	{
		Name:  Unroll,
		Doc:   "put #pragma unroll N before innermost loops that have none, and before short ones around them; N=0 unrolls those of known length fully",
		Knobs: []string{KnobFactor},
		Syncs: []string{""}, Factors: UnrollFactors,
		InPlace: true, Searched: true,
	},
	{
		Name:  Reshape,
		Doc:   "launch thread blocks of another shape if the kernel asks only for its thread's number in the grid",
		Knobs: []string{KnobShape},
		Syncs: []string{""}, Factors: []int{0},
		InPlace: true, Closed: true, Searched: true,
	},
}

// LeastFactor is the smallest factor that a person may ask for.
func (r *Rewriter) LeastFactor() int {
	if slices.Contains(r.Factors, Full) {
		return 0
	}
	return 2
}

// Named returns the rewriter of a name, nil for any other.
func Named(name string) *Rewriter {
	i := slices.IndexFunc(Rewriters, func(r *Rewriter) bool { return r.Name == name })
	if i < 0 {
		return nil
	}
	return Rewriters[i]
}

// Names are the names of all rewriters, the preferred first.
func Names() []string {
	return lists.Map(Rewriters, func(r *Rewriter) string { return r.Name })
}

// Merges reports whether a variant merges thread blocks. One without a rewriter counts as the preferred rewriter's.
func (w Variant) Merges() bool {
	r := Named(cmp.Or(w.Rewriter, Rewriters[0].Name))
	return r != nil && !r.InPlace && !r.Footprint
}

// Resizes reports whether a variant merges nothing and changes how many shared bytes a thread block takes.
func (w Variant) Resizes() bool {
	r := Named(w.Rewriter)
	return r != nil && r.Footprint
}

// Steps are the rewrites that a variant is made of, one of what the other leaves: most often itself alone, else what
// a thread block has of shared arrays is changed first: they are added, share bytes, or become smaller. Then comes
// what the rewriter is named for (Main), and after coarsen another axis, loads ahead of regions and unroll factors.
func (w Variant) Steps() (out []Variant) {
	var after []Variant
	if w.Rewriter == Coarsen {
		if w.FactorY > 0 {
			after = append(after, Variant{Rewriter: Coarsen, Factor: w.FactorY, GridAxis: "y", Of: w.Of})
		}
		if w.Stage > 0 {
			after = append(after, Variant{Rewriter: StageLoads, Stage: w.Stage})
		}
		if w.Unroll != 0 {
			after = append(after, Variant{Rewriter: Unroll, Factor: w.Unroll})
		}
		w.FactorY, w.Stage, w.Unroll = 0, 0, 0
	}
	if w.Staged {
		out = append(out, w.of(Stage, stageKnobs))
		w = w.with(Variant{}, stageKnobs)
		w.Staged = false
	}
	if w.Overlay {
		out, w.Overlay = append(out, Variant{Rewriter: Overlay}), false
	}
	if w.By != "" && w.Merges() {
		out = append(out, w.of(Slice, sliceKnobs))
		w = w.with(Variant{}, sliceKnobs)
	}
	return append(append(out, w), after...)
}

// Main is the index of the step that a variant's rewriter is named for.
func (w Variant) Main() int {
	return slices.IndexFunc(w.Steps(), func(s Variant) bool { return s.Rewriter == w.Rewriter })
}

// of is a rewriter with the knobs of a variant that are named.
func (w Variant) of(rewriter string, knobs []string) Variant {
	return Variant{Rewriter: rewriter}.with(w, knobs)
}

// After is a variant of what another one left, which merged nothing: its Steps are those of both.
func (w Variant) After(first Variant) Variant {
	if first.Rewriter == Coarsen {
		switch w.Rewriter {
		case Coarsen:
			first.FactorY = w.Factor
		case StageLoads:
			first.Stage = w.Stage
		case Unroll:
			first.Unroll = w.Factor
		}
		return first
	}
	w.Overlay = w.Overlay || first.Overlay || first.Rewriter == Overlay
	switch first.Rewriter {
	case Slice:
		w = w.with(first, sliceKnobs)
	case Stage:
		w = w.with(first, stageKnobs)
		w.Staged = true
	}
	return w
}

// Unit names what a variant keeps resident: virtual TBs where it merges thread blocks, else these as they are.
func (w Variant) Unit() string {
	if w.Merges() {
		return "virtual thread block"
	}
	return "thread block"
}

// Axis is the dimension of the grid along which blocks are merged.
func (w Variant) Axis() string { return cmp.Or(w.GridAxis, "x") }

// WithDefaults returns a variant with what is not said as it is on the command line: the preferred rewriter, N = 2,
// one set of shared arrays, and no knob that the rewriter does not have.
func (w Variant) WithDefaults() Variant {
	w.Rewriter = cmp.Or(w.Rewriter, Rewriters[0].Name)
	r := Named(w.Rewriter)
	if w.Factor == 0 {
		w.Factor = 2
		if r != nil && r.InPlace {
			w.Factor = r.Factors[0]
		}
	}
	if r != nil {
		w = r.Own(w)
		if r.SharedSets != nil && w.SharedSets == 0 {
			w.SharedSets = 1
		}
		if (r.Cuts != nil || w.Rounds != 0) && w.By == "" {
			w.By = ByComponent
		}
		if r.Has(KnobStaged) && w.with(Variant{}, stageKnobs) != w {
			w.Staged = true
		}
		if w.By == ByWindow && w.Rounds == 0 {
			w.Rounds = 2
		}
	}
	if w.GridAxis == "x" {
		w.GridAxis = ""
	}
	if w.Of == Blocks {
		w.Of = ""
	}
	return w
}
