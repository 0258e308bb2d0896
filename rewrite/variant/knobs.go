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
	KnobPin         = "pin-values"
	KnobEarly       = "early-loads"
	KnobCompute     = "compute-first"
	KnobLate        = "release-early"
	KnobNumbered    = "barrier-register"
	KnobPersistent  = "persistent"
	KnobGridAxis    = "merge"
	KnobFactorY     = "factor-y"
	KnobOf          = "of"
	KnobUnroll      = Unroll
	KnobRounds      = "rounds"
	KnobBy          = "by"
	KnobOverlay     = Overlay
	KnobStaged      = Stage
	KnobArray       = "array"
	KnobTile        = "tile"
	KnobScheme      = "scheme"
	KnobPad         = "pad"
	KnobAsync       = "async"
	KnobVector      = "vector"
	KnobShape       = "shape"
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
	{KnobOf, "of", func(w *Variant) any { return &w.Of }, "of=" + Threads, 0},
	{KnobFactorY, "y", func(w *Variant) any { return &w.FactorY }, "y=2", 2},
	{KnobUnroll, Unroll, func(w *Variant) any { return &w.Unroll }, "unroll=4", 0},
	{name: KnobAssume, at: func(w *Variant) any { return &w.Assume }, example: KnobAssume},
	{name: KnobPin, at: func(w *Variant) any { return &w.Pin }, example: KnobPin},
	{name: KnobEarly, at: func(w *Variant) any { return &w.Early }, example: KnobEarly},
	{name: KnobCompute, at: func(w *Variant) any { return &w.Compute }, example: KnobCompute},
	{name: KnobLate, at: func(w *Variant) any { return &w.Late }, example: KnobLate},
	{name: KnobNumbered, at: func(w *Variant) any { return &w.Numbered }, example: KnobNumbered},
	{name: KnobPersistent, at: func(w *Variant) any { return &w.Persistent }, example: KnobPersistent},
	{KnobRounds, "R", func(w *Variant) any { return &w.Rounds }, "R=2", 2},
	{KnobBy, "by", func(w *Variant) any { return &w.By }, "by=" + ByWindow, 0},
	{name: KnobOverlay, at: func(w *Variant) any { return &w.Overlay }, example: KnobOverlay},
	{name: KnobStaged, at: func(w *Variant) any { return &w.Staged }, example: KnobStaged},
	{KnobArray, "array", func(w *Variant) any { return &w.Array }, "array=a", 0},
	{KnobTile, "T", func(w *Variant) any { return &w.Tile }, "T=16", 1},
	{KnobScheme, "scheme", func(w *Variant) any { return &w.Scheme }, "scheme=" + SchemeTable, 0},
	{KnobPad, "pad", func(w *Variant) any { return &w.Pad }, "pad=1", 0},
	{KnobVector, "vector", func(w *Variant) any { return &w.Vector }, "vector=4", 2},
	{name: KnobAsync, at: func(w *Variant) any { return &w.Async }, example: KnobAsync},
	{KnobShape, "shape", func(w *Variant) any { return &w.Extents }, "shape=32,8", 0},
	{name: KnobRecipe, at: func(w *Variant) any { return &w.Recipe }},
}

// Switches are the knobs that are on or off, in the order of Variant.String.
func Switches() (out []string) {
	for _, k := range knobs {
		if _, is := k.at(&Variant{}).(*bool); is {
			out = append(out, k.name)
		}
	}
	return out
}

// OfTurns are the knobs that make turns shorter, in the order of Variant.String.
func OfTurns() []string {
	return []string{KnobPin, KnobEarly, KnobCompute, KnobLate, KnobNumbered}
}

// Switch returns where a variant has a knob that is on or off, nil for any other.
func (w *Variant) Switch(knob string) *bool {
	for _, k := range knobs {
		if at, is := k.at(w).(*bool); is && k.name == knob {
			return at
		}
	}
	return nil
}

// Agrees reports whether a variant has the knobs that are named as another one sets them; any value will do where that
// sets none.
func (w Variant) Agrees(o Variant, names []string) bool {
	return !slices.ContainsFunc(knobs, func(k knob) bool {
		asked := reflect.ValueOf(k.at(&o)).Elem()
		return slices.Contains(names, k.name) && !asked.IsZero() && !asked.Equal(reflect.ValueOf(k.at(&w)).Elem())
	})
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

// with returns a variant with the knobs that are named as another one has them.
func (w Variant) with(o Variant, names []string) Variant {
	for _, k := range knobs {
		if slices.Contains(names, k.name) {
			reflect.ValueOf(k.at(&w)).Elem().Set(reflect.ValueOf(k.at(&o)).Elem())
		}
	}
	return w
}
