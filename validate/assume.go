package validate

import "strings"

// assumption reads what the compiler is told of the shape of blocks: "__builtin_assume(threadIdx.x < 64);",
// "__builtin_assume(threadIdx.y == 0);" or "__builtin_assume(blockDim.x == 64);". It returns the axis, -1 for anything else.
func assumption(us []unit) (axis, n int, exact bool) {
	if b, _, ok := match(us, "__builtin_assume ( threadIdx . $ = = 0 ) ;"); ok && len(b[0]) == 1 {
		return strings.Index("xyz", b[0]), 1, false
	}
	b, _, ok := match(us, "__builtin_assume ( threadIdx . $ < $ ) ;")
	if !ok {
		if b, _, exact = match(us, "__builtin_assume ( blockDim . $ = = $ ) ;"); !exact {
			return -1, 0, false
		}
	}
	if len(b[0]) != 1 || number(b[1]) <= 0 {
		return -1, 0, false
	}
	return strings.Index("xyz", b[0]), number(b[1]), exact
}

// told notes what the units of a body tell the compiler, and reports whether that is anything.
func (o *object) told(us []unit) (found bool) {
	for i := range us {
		axis, n, exact := assumption(us[i:])
		if axis < 0 {
			continue
		}
		found = true
		if o.block[axis] == 0 || n < o.block[axis] {
			o.block[axis] = n
		}
		if exact {
			o.exact[axis] = n
		}
	}
	return found
}

// assumes recognises a statement that tells the compiler the shape of a block, as it is: merged blocks are stacked
// along z, so that of them blockDim has another z: builtinsFit sees to it that a variable of that name has the original's.
func (o *object) assumes(us []unit) bool {
	axis, n, exact := assumption(us)
	switch {
	case axis < 0 || us[len(us)-1].text != ";" || indexOf(us, ";") != len(us)-1 || o.block[axis] == 0:
		return false
	case !exact:
		return n >= o.block[axis]
	case o.merged > 1 || o.kind != "unmerged":
		return n == o.block[axis]
	}
	return n == o.exact[axis]
}

// shapeFits checks that launches have the blocks that the compiler is told of.
func (c *comparison) shapeFits(k *Kernel, o *object) {
	shapes, known := c.shapes(k.Name)
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
