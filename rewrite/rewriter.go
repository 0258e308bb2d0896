package rewrite

import (
	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/diag"
)

// Rewriter is one way to rewrite a kernel. Check proves that the rewrite keeps
// the kernel's meaning or says why not; what it proves on the way is the plan,
// from which edits follow mechanically.
type Rewriter struct {
	Name  string
	Doc   string
	Knobs []string // what a person can set, of the names in knobs.go
	// Syncs, Factors and Slots are the values of the knobs that are worth
	// comparing. Slots is nil where that knob means nothing.
	Syncs   []string
	Factors []int
	Slots   []int
	Check   func(*analysis.Kernel, Options) (*Plan, []diag.Message)
}

// Rewriters are all rewriters, the preferred first.
var Rewriters = []*Rewriter{
	{
		Name:  "vtb",
		Doc:   "merge N thread blocks, which take turns with one set of shared arrays (PACT'12 §4.1)",
		Knobs: []string{KnobFactor, KnobSync},
		Syncs: Syncs, Factors: []int{2, 3, 4, 6, 8},
		Check: checkVTB,
	},
	{
		Name:  "vtb-pipe",
		Doc:   "merge two thread blocks, of which one works outside of the regions while the other has its turn (PACT'12 §4.2)",
		Knobs: []string{KnobFactor, KnobSync, KnobStage, KnobAssume, KnobMerge},
		Syncs: []string{"block"}, Factors: []int{2},
		Check: checkPipe,
	},
	{
		Name:  "dyn",
		Doc:   "merge N thread blocks, which take one of M sets of shared arrays for each region (PACT'12 §5, in software)",
		Knobs: []string{KnobFactor, KnobSync, KnobSlots},
		// One set is what vtb with a lock has.
		Syncs: []string{"lock"}, Factors: []int{3, 4, 6, 8}, Slots: []int{2},
		Check: checkDyn,
	},
}

// rewriter returns the rewriter of a name, the preferred one for any other.
func rewriter(name string) *Rewriter {
	for _, r := range Rewriters {
		if r.Name == name {
			return r
		}
	}
	return Rewriters[0]
}

// Syncs are the ways in which virtual thread blocks take turns, the preferred
// first (design §5, "Sync modes").
var Syncs = []string{"named", "lock", "block"}

// Offer says whether a rewriter can be applied to a kernel with a sync mode.
type Offer struct {
	Way
	Can     bool           `json:"can"`
	Refused []diag.Message `json:"refused,omitempty"`
}

// slots are the values of the knob of that name, as far as opt leaves it open.
func (r *Rewriter) slots(opt Options) []int {
	switch {
	case r.Slots == nil:
		return []int{0}
	case opt.Slots != 0:
		return []int{opt.Slots}
	case opt.Variant == r.Name:
		return []int{1} // as Run does
	}
	return r.Slots
}

// offer is what the options ask for, which can be had or not.
func (o Options) offer(can bool) Offer {
	return Offer{Way: o.Way, Can: can}
}

func (o Options) withDefaults() Options {
	if o.Factor == 0 {
		o.Factor = 2
	}
	if o.Variant == "" {
		o.Variant = "vtb"
	}
	o.Way = rewriter(o.Variant).own(o.Way)
	if rewriter(o.Variant).Slots != nil && o.Slots == 0 {
		o.Slots = 1
	}
	if o.Runtime == "" {
		o.Runtime = "inline"
	}
	return o
}
