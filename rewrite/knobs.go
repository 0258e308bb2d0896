package rewrite

import "slices"

// The knobs, by the names of their flags.
const (
	KnobFactor      = "factor"
	KnobSync        = "sync"
	KnobSharedSets  = "slots"
	KnobPrivateRows = "private"
	KnobStage       = "stage-loads"
	KnobAssume      = "assume-shape"
	KnobGridAxis    = "merge"
	KnobRecipe      = "recipe"
)

// Has reports whether the rewriter has a knob.
func (r *Rewriter) Has(knob string) bool { return slices.Contains(r.Knobs, knob) }

// own returns a variant with the knobs that the rewriter does not have left out.
func (r *Rewriter) own(w Variant) Variant {
	for knob, clear := range map[string]func(){
		KnobFactor:      func() { w.Factor = 0 },
		KnobSync:        func() { w.Sync = "" },
		KnobSharedSets:  func() { w.SharedSets = 0 },
		KnobPrivateRows: func() { w.PrivateRows = 0 },
		KnobStage:       func() { w.Stage = 0 },
		KnobAssume:      func() { w.Assume = false },
		KnobGridAxis:    func() { w.GridAxis = "" },
		KnobRecipe:      func() { w.Recipe = "" },
	} {
		if !r.Has(knob) {
			clear()
		}
	}
	return w
}
