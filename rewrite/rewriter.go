package rewrite

import (
	"cmp"
	"fmt"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/rewrite/runtime"
)

// Rewriter is one way to rewrite a kernel. Check proves that the rewrite keeps
// the kernel's meaning or says why not; the edits follow mechanically from the proof.
type Rewriter struct {
	Name  string
	Doc   string
	Knobs []string // what a person can set, of the names in knobs.go
	// InPlace says that the rewriter changes nothing but bodies of kernels: no
	// blocks are merged, and launches and signatures stay as they are. It has
	// neither a factor (0) nor a sync mode ("").
	InPlace bool
	// Closed says of a rewriter in place that every launch must be in view all the
	// same.
	Closed bool
	// Searched says that the rewriter does nothing without knobs that another
	// package searches for: it is offered only where it is asked for by name.
	Searched bool
	// Syncs, Factors and Slots are the values of the knobs that are worth
	// comparing. Slots is nil where that knob means nothing.
	Syncs      []string
	Factors    []int
	SharedSets []int
	// Check proves the rewrite of a kernel, or gives the reasons against it.
	Check func(*analysis.Kernel, Options) (Proof, []diag.Message)
}

// Demote is the rewriter that brings registers down by a recipe.
const Demote = "demote"

// Rewriters are all rewriters, the preferred first.
var Rewriters = []*Rewriter{
	{
		Name:  "vtb",
		Doc:   "merge N thread blocks, which take turns with one set of shared arrays (PACT'12 §4.1)",
		Knobs: []string{KnobFactor, KnobSync, KnobStage, KnobAssume, KnobGridAxis},
		Syncs: Syncs, Factors: []int{2, 3, 4, 6, 8},
		Check: checkVTB,
	},
	{
		Name:  "vtb-pipe",
		Doc:   "merge two thread blocks, of which one works outside of the regions while the other has its turn (PACT'12 §4.2)",
		Knobs: []string{KnobFactor, KnobSync, KnobStage, KnobAssume, KnobGridAxis},
		Syncs: []string{"block"}, Factors: []int{2},
		Check: checkPipe,
	},
	{
		Name:  "co-vtb",
		Doc:   "split a shared array: each merged block has P of its rows for itself, and takes turns with the rest (PACT'12 §4.3)",
		Knobs: []string{KnobFactor, KnobSync, KnobPrivateRows, KnobStage, KnobAssume, KnobGridAxis},
		Syncs: Syncs, Factors: []int{2, 4},
		Check: checkCoVTB,
	},
	{
		Name:  "dyn",
		Doc:   "merge N thread blocks, which take one of M sets of shared arrays for each region (PACT'12 §5, in software)",
		Knobs: []string{KnobFactor, KnobSync, KnobSharedSets, KnobStage, KnobAssume, KnobGridAxis},
		// One set is what vtb with a lock has.
		Syncs: []string{"lock"}, Factors: []int{3, 4, 6, 8}, SharedSets: []int{2},
		Check: checkDyn,
	},
	{
		Name:  "merge",
		Doc:   "merge N thread blocks, each with shared arrays of its own: for kernels of small blocks",
		Knobs: []string{KnobFactor, KnobSync, KnobAssume, KnobGridAxis},
		Syncs: []string{"named", "block"}, Factors: []int{2, 4, 8},
		Check: checkMerge,
	},
	{
		Name:  "stage-loads",
		Doc:   "make the global loads that fill shared arrays before the stores, and merge nothing",
		Knobs: []string{KnobStage},
		Syncs: []string{""}, Factors: []int{0},
		InPlace: true,
		Check:   checkStage,
	},
	{
		Name:  "assume-shape",
		Doc:   "tell the compiler the block shape that every launch has, and merge nothing",
		Syncs: []string{""}, Factors: []int{0},
		InPlace: true, Closed: true,
		Check: checkAssume,
	},
	{
		Name:  Demote,
		Doc:   "bring the registers down to the next occupancy step: a cap, smaller unroll factors, pins, words in shared memory (Hayes & Zhang; RegDem)",
		Knobs: []string{KnobRecipe},
		Syncs: []string{""}, Factors: []int{0},
		InPlace: true, Searched: true,
		Check: checkDemote,
	},
}

// Merges reports whether a variant merges thread blocks. One without a rewriter counts as
// the preferred rewriter's.
func (w Variant) Merges() bool {
	r := rewriter(w.Rewriter)
	return r != nil && !r.InPlace
}

// Named returns the rewriter of a name, nil for any other.
func Named(name string) *Rewriter {
	for _, r := range Rewriters {
		if r.Name == name {
			return r
		}
	}
	return nil
}

// rewriter is Named, with the preferred one for "".
func rewriter(name string) *Rewriter { return Named(cmp.Or(name, Rewriters[0].Name)) }

// Names are the names of all rewriters, the preferred first.
func Names() (out []string) {
	for _, r := range Rewriters {
		out = append(out, r.Name)
	}
	return out
}

// noRewriter is the error that a name is of no rewriter.
func noRewriter(name string) error { return fmt.Errorf("there is no rewriter %q", name) }

// Syncs are the modes in which virtual thread blocks take turns, the preferred
// first (design §5, "Sync modes").
var Syncs = []string{"named", "lock", "block"}

// CheckedVariant says whether a rewriter can be applied to a kernel with a sync mode.
type CheckedVariant struct {
	Variant
	Can     bool           `json:"can"`
	Refused []diag.Message `json:"refused,omitempty"`
}

// sharedSets are the values of the knob of that name, as far as opt leaves it open.
func (r *Rewriter) sharedSets(opt Options) []int {
	switch {
	case r.SharedSets == nil:
		return []int{0}
	case opt.SharedSets != 0:
		return []int{opt.SharedSets}
	case opt.Rewriter == r.Name:
		return []int{1} // as Run does
	}
	return r.SharedSets
}

// checked is what the options ask for, which can be had or not.
func (o Options) checked(can bool) CheckedVariant {
	return CheckedVariant{Variant: o.Variant, Can: can}
}

func (o Options) withDefaults() Options {
	if o.Factor == 0 {
		o.Factor = 2
	}
	if o.Rewriter == "" {
		o.Rewriter = Rewriters[0].Name
	}
	if r := rewriter(o.Rewriter); r != nil {
		o.Variant = r.own(o.Variant)
		if r.SharedSets != nil && o.SharedSets == 0 {
			o.SharedSets = 1
		}
	}
	if o.GridAxis == "x" {
		o.GridAxis = ""
	}
	if o.Runtime == "" {
		o.Runtime = runtime.Inline
	}
	return o
}
