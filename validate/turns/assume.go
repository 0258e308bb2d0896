package turns

import (
	"strings"

	"github.com/smux-cuda/smux/validate/content"
	"github.com/smux-cuda/smux/validate/kit"
	"github.com/smux-cuda/smux/validate/units"
)

// shapeFits checks that launches have the blocks that the compiler is told of.
func (c merged) shapeFits(k *kit.Kernel, o *kit.Object) {
	shapes, known := content.ShapesOf(c.Comparison, k.Name)
	for _, s := range shapes {
		for axis, n := range s {
			if n > 0 && (o.Block[axis] > 0 && n > o.Block[axis] || o.Exact[axis] > 0 && n != o.Exact[axis]) {
				k.Doubt(kit.Launches, c.New.File, k.State.Main.New.View.Start, "a launch has blocks of %dx%dx%d threads, and the compiler is told others", s[0], s[1], s[2])
				return
			}
		}
	}
	shown := k.Show(kit.Launches, "what the compiler is told of threadIdx and blockDim is so in every launch in view")
	if !known {
		most := " at most"
		if o.Exact != [3]int{} {
			most = ""
		}
		shown.Assumes = "every launch has blocks of" + most + " " + extents(o.Block) + " threads"
	}
}

// extents writes a shape of blocks as far as it is told: "16x16".
func extents(block [3]int) string {
	var out []string
	for _, n := range block {
		if n > 0 {
			out = append(out, units.Itoa(n))
		}
	}
	return strings.Join(out, "x")
}
