// Package variant names the ways in which a kernel can be rewritten: the rewriters, their
// knobs, and the text that a person writes for both, in flags, settings and directives.
// It proves nothing and changes no text; that is package rewrite.
package variant

import (
	"reflect"
	"strconv"
)

// Variant is a rewriter with its knobs set. A knob at its zero value is left to the rewriter, or means nothing to it.
type Variant struct {
	Rewriter string `json:"variant"` // the Rewriter's name; "" if nothing is chosen
	Sync     string `json:"sync"`    // "named", "lock" or "block", how v-TBs take turns
	// Factor is N, original thread blocks per launched block, of unroll the factor, and of swizzle the columns in a group.
	Factor     int `json:"factor"`
	SharedSets int `json:"slots,omitempty"` // M, sets of shared arrays; of dyn
	// PrivateRows is P, the rows of the split array that each v-TB owns; of co-vtb.
	PrivateRows int `json:"private,omitempty"`
	// Stage is K, how many global loads per thread are at most made ahead of a
	// region: 0 for as many as can be, NoStage for none. Coarsen makes none ahead in the text that it leaves, unless K is given.
	Stage int `json:"stageLoads,omitempty"`
	// Assume tells the compiler the block shape that every launch has.
	Assume bool `json:"assumeShape,omitempty"`
	// Pin has what a turn reads of earlier values computed before the turn begins.
	Pin bool `json:"pinValues,omitempty"`
	// Early makes loads ahead of a turn that stand after other uses of shared memory.
	Early bool `json:"earlyLoads,omitempty"`
	// Compute has what fills shared arrays computed, into registers, before the first store.
	Compute bool `json:"computeFirst,omitempty"`
	// Late ends a turn at its last read of shared memory, into registers, whatever follows.
	Late bool `json:"releaseEarly,omitempty"`
	// Numbered puts the numbers of barriers into registers; of sync mode named.
	Numbered bool `json:"barrierRegister,omitempty"`
	// Persistent launches as many blocks as are resident at once, which loop over all others.
	Persistent bool `json:"persistent,omitempty"`
	// GridAxis is the dimension of the grid along which blocks are merged: "y", "z", or "" for x.
	GridAxis string `json:"merge,omitempty"`
	// FactorY is Factor along y of what coarsen left that did so along another axis.
	FactorY int `json:"factorY,omitempty"`
	// Of says whose work coarsen puts together: Threads of a block, or "" for thread blocks.
	Of string `json:"of,omitempty"`
	// Unroll is the factor of loops in what coarsen left, as Factor is of unroll.
	Unroll int `json:"unroll,omitempty"`
	// Rounds is R, in how many rounds an exchange is made; of slice. By component there
	// are as many as an element has components.
	Rounds int `json:"rounds,omitempty"`
	// By says what the rounds of an exchange are of: "component" or "window"; of slice.
	// Where blocks are merged, By and Rounds are of a slice before that.
	By string `json:"by,omitempty"`
	// Overlay has shared arrays take the same bytes, as the rewriter of that name does, before blocks are merged.
	Overlay bool `json:"overlay,omitempty"`
	// Staged has arrays staged, as the rewriter stage does, before the rest.
	Staged bool `json:"staged,omitempty"`
	// Array is the one array to stage, "" for all that can be; of stage, as Tile is, or of the stage before the rest.
	Array string `json:"array,omitempty"`
	// Tile is T, how many iterations of a loop are staged at a time, 0 for as many as suit the block's shape.
	Tile int `json:"tile,omitempty"`
	// Scheme is the form in which arrays are staged, one of Schemes, "" for the first that fits; of stage.
	Scheme string `json:"scheme,omitempty"`
	// Pad is the number of elements by which the rows of a tile are longer, against bank conflicts: 0 for as many as
	// these take, NoStage for none; of stage.
	Pad int `json:"pad,omitempty"`
	// Vector is the number of elements of a row that are copied at a time, 0 for one; of stage.
	Vector int `json:"vector,omitempty"`
	// Async copies the next tile of a loop while one is used, with two of each; of stage.
	Async bool `json:"async,omitempty"`
	// Extents are those of thread blocks, X[,Y[,Z]], of which those that are not given stay; "" for some that suit the
	// kernel; of reshape.
	Extents string `json:"shape,omitempty"`
	// Recipe says what demote does to the kernel, as Recipe.String writes it.
	Recipe string `json:"recipe,omitempty"`
}

// NoStage is the value of Variant.Stage that makes no load ahead of a region, and that of Variant.Pad that pads nothing.
const NoStage = -1

// String returns "vtb named N=2" or "dyn lock N=4 M=2", as tables and messages
// show it; a knob that is not set is left out.
func (w Variant) String() string {
	text := w.Rewriter
	for _, k := range knobs {
		value := k.at(&w)
		if reflect.ValueOf(value).Elem().IsZero() {
			continue
		}
		text += " "
		if k.key != "" {
			text += k.key + "="
		}
		switch v := value.(type) {
		case *int:
			text += strconv.Itoa(max(*v, 0)) // NoStage is K=0, or pad=0
		case *string:
			text += *v
		case *bool:
			text += k.name
		}
	}
	return text
}
