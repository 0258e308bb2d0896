package variant

import (
	"reflect"
	"slices"
)

// The knobs, by the names of their flags.
const (
	KnobFactor      = "factor"
	KnobSync        = "sync"
	KnobSharedSets  = "slots"
	KnobPrivateRows = "private"
	KnobStage       = "stage-loads"
	KnobAssume      = "assume-shape"
	KnobGridAxis    = "merge"
	KnobRounds      = "rounds"
	KnobBy          = "by"
	KnobRecipe      = "recipe"
)

// Has reports whether the rewriter has a knob.
func (r *Rewriter) Has(knob string) bool { return slices.Contains(r.Knobs, knob) }

// A knob is what a variant sets besides its rewriter.
type knob struct {
	name    string
	key     string             // which Variant.String puts in front of the value, "" for none
	at      func(*Variant) any // *int, *string or *bool
	example string             // for help
	least   int                // that a person may ask for, of numbers
}

// knobs are all of them, in the order of Variant.String.
var knobs = []knob{
	{name: KnobSync, at: func(w *Variant) any { return &w.Sync }},
	{KnobFactor, "N", func(w *Variant) any { return &w.Factor }, "N=2", 2},
	{KnobSharedSets, "M", func(w *Variant) any { return &w.SharedSets }, "M=2", 1},
	{KnobPrivateRows, "P", func(w *Variant) any { return &w.PrivateRows }, "P=16", 1},
	{KnobStage, "K", func(w *Variant) any { return &w.Stage }, "K=0", 0},
	{KnobGridAxis, "merge", func(w *Variant) any { return &w.GridAxis }, "merge=y", 0},
	{name: KnobAssume, at: func(w *Variant) any { return &w.Assume }, example: KnobAssume},
	{KnobRounds, "R", func(w *Variant) any { return &w.Rounds }, "R=2", 2},
	{KnobBy, "by", func(w *Variant) any { return &w.By }, "by=" + ByWindow, 0},
	{name: KnobRecipe, at: func(w *Variant) any { return &w.Recipe }},
}

// Own returns a variant with the knobs that the rewriter does not have left out.
func (r *Rewriter) Own(w Variant) Variant {
	for _, k := range knobs {
		if !r.Has(k.name) {
			reflect.ValueOf(k.at(&w)).Elem().SetZero()
		}
	}
	return w
}
