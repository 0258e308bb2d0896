package validate

import "strings"

// shapeFits checks that launches have the blocks that the compiler is told of.
func (c merged) shapeFits(k *Kernel, o *object) {
	shapes, known := shapesOf(c.comparison, k.Name)
	for _, s := range shapes {
		for axis, n := range s {
			if n > 0 && (o.block[axis] > 0 && n > o.block[axis] || o.exact[axis] > 0 && n != o.exact[axis]) {
				k.doubt(Launches, c.b.file, k.state.main.b.View.Start, "a launch has blocks of %dx%dx%d threads, and the compiler is told others", s[0], s[1], s[2])
				return
			}
		}
	}
	k.shown(Launches, "what the compiler is told of threadIdx and blockDim is so in every launch in view")
	if !known {
		most := " at most"
		if o.exact != [3]int{} {
			most = ""
		}
		k.Shown[len(k.Shown)-1].Assumes = "every launch has blocks of" + most + " " + extents(o.block) + " threads"
	}
}

// extents writes a shape of blocks as far as it is told: "16x16".
func extents(block [3]int) string {
	var out []string
	for _, n := range block {
		if n > 0 {
			out = append(out, itoa(n))
		}
	}
	return strings.Join(out, "x")
}
