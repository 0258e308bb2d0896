package rewrite

import "slices"

// The knobs, by the names of their flags.
const (
	KnobFactor  = "factor"
	KnobSync    = "sync"
	KnobSlots   = "slots"
	KnobPrivate = "private"
	KnobStage   = "stage-loads"
	KnobAssume  = "assume-shape"
	KnobMerge   = "merge"
	KnobRecipe  = "recipe"
)

// Has reports whether the rewriter has a knob.
func (r *Rewriter) Has(knob string) bool { return slices.Contains(r.Knobs, knob) }

// own returns a way with the knobs that the rewriter does not have left out.
func (r *Rewriter) own(w Way) Way {
	for knob, clear := range map[string]func(){
		KnobFactor:  func() { w.Factor = 0 },
		KnobSync:    func() { w.Sync = "" },
		KnobSlots:   func() { w.Slots = 0 },
		KnobPrivate: func() { w.Private = 0 },
		KnobStage:   func() { w.Stage = 0 },
		KnobAssume:  func() { w.Assume = false },
		KnobMerge:   func() { w.Merge = "" },
		KnobRecipe:  func() { w.Recipe = "" },
	} {
		if !r.Has(knob) {
			clear()
		}
	}
	return w
}
