package kit

import (
	"strings"

	"github.com/smux-cuda/smux/validate/units"
)

// ToldShape notes what the units of a body tell the compiler, and reports whether that is anything.
func (o *Object) ToldShape(us []units.Unit) (found bool) {
	for i := range us {
		axis, n, exact := assumption(us[i:])
		if axis < 0 {
			continue
		}
		found = true
		if o.Block[axis] == 0 || n < o.Block[axis] {
			o.Block[axis] = n
		}
		if exact {
			o.Exact[axis] = n
		}
	}
	return found
}

// assumes recognises a statement that tells the compiler the shape of a block, as it is: merged blocks are stacked
// along z, so that of them blockDim has another z: builtinsFit sees to it that a variable of that name has the original's.
func (o *Object) assumes(us []units.Unit) bool {
	axis, n, exact := assumption(us)
	switch {
	case axis < 0 || us[len(us)-1].Text != ";" || units.IndexOf(us, ";") != len(us)-1 || o.Block[axis] == 0:
		return false
	case !exact:
		return n >= o.Block[axis]
	case o.Merged > 1 || o.Kind != "unmerged":
		return n == o.Block[axis]
	}
	return n == o.Exact[axis]
}

// assumption reads what the compiler is told of the shape of blocks: "__builtin_assume(threadIdx.x < 64);",
// "__builtin_assume(threadIdx.y == 0);" or "__builtin_assume(blockDim.x == 64);". It returns the axis, -1 for anything else.
func assumption(us []units.Unit) (axis, n int, exact bool) {
	if b, _, ok := units.Match(us, "__builtin_assume ( threadIdx . $ = = 0 ) ;"); ok && len(b[0]) == 1 {
		return strings.Index("xyz", b[0]), 1, false
	}
	b, _, ok := units.Match(us, "__builtin_assume ( threadIdx . $ < $ ) ;")
	if !ok {
		if b, _, exact = units.Match(us, "__builtin_assume ( blockDim . $ = = $ ) ;"); !exact {
			return -1, 0, false
		}
	}
	if len(b[0]) != 1 || units.Number(b[1]) <= 0 {
		return -1, 0, false
	}
	return strings.Index("xyz", b[0]), units.Number(b[1]), exact
}
