package reuse

import (
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/affine"
)

// class is a set of loads of one array, in the same loops, whose addresses
// differ by amounts that are the same for all threads: one pattern.
type class struct {
	loads    []*affine.Access // every place
	distinct []*affine.Access // one place per address
	offsets  []int64          // of distinct, from the first
	forms    []affine.Form    // the same as forms
}

func (c *class) first() *affine.Access { return c.loads[0] }

// classes groups the loads from global memory.
func classes(k *affine.Kernel) []*class {
	var out []*class
	for _, x := range k.Accesses {
		if x.Kind != affine.Load || x.Array.Space != affine.SpaceGlobal || x.Array.Var == nil || handle(x) {
			continue
		}
		i := slices.IndexFunc(out, func(c *class) bool { return c.alike(x) })
		if i < 0 {
			i = len(out)
			out = append(out, &class{})
		}
		out[i].add(x)
	}
	return out
}

// handle reports whether what is loaded is a texture or surface: the hardware
// wants those uniform, and a copy would hide it.
func handle(x *affine.Access) bool {
	return strings.HasSuffix(x.Array.Var.Type.Base, "Object_t")
}

func (c *class) alike(x *affine.Access) bool {
	f := c.first()
	if f.Array != x.Array || f.Field != x.Field || f.Bytes != x.Bytes || !slices.Equal(f.Loops, x.Loops) {
		return false
	}
	return slices.Equal(f.Active, x.Active) && x.Address.Sub(f.Address).Uniform()
}

func (c *class) add(x *affine.Access) {
	c.loads = append(c.loads, x)
	d := x.Address.Sub(c.first().Address)
	if at := d.Fixed(); !slices.Contains(c.offsets, at) {
		c.distinct = append(c.distinct, x)
		c.offsets = append(c.offsets, at)
		c.forms = append(c.forms, d)
	}
}

// mostTaps is how many iterations of a loop are taken as one pattern; longer
// loops are cut into tiles.
const mostTaps = 64

// nest holds the effect of the loops around a class on its addresses.
type nest struct {
	tiled   *affine.Loop   // the innermost that is long, or of unknown length; nil if there is none
	taps    []*affine.Loop // short ones that move the address
	outer   []*affine.Loop // long ones around the tiled one that move it
	again   []*affine.Loop // around all of those; the address does not move
	scatter bool           // an iteration moves the address by what is not known
}

// nestOf sorts the loops around a class, innermost first.
func (c *class) nestOf() nest {
	var n nest
	x := c.first()
	moved := false
	for i := len(x.Loops) - 1; i >= 0; i-- {
		l := x.Loops[i]
		if !x.Address.DependsOn(l) {
			if moved {
				n.again = append(n.again, l)
			}
			continue // inside of all that move it, a register holds the value
		}
		moved = true
		switch {
		case x.Address.Step(l) == 0:
			n.scatter = true
		case l.Known && l.Trip.Uniform() && tripOf(l) > 0 && tripOf(l) <= mostTaps:
			n.taps = append(n.taps, l)
		case n.tiled == nil:
			n.tiled = l
		default:
			n.outer = append(n.outer, l)
		}
		for _, t := range x.Address.Terms {
			if t.Axis != nil && t.Axis.Kind == affine.AxisData && slices.Contains(t.Axis.Loops, l) {
				n.scatter = true
			}
		}
	}
	return n
}

// tripOf is the number of iterations of a loop, 0 if it is not a number.
func tripOf(l *affine.Loop) int64 {
	if n, ok := l.Trip.Constant(); ok && l.Known {
		return n
	}
	return 0
}

// tableAxis returns the data that the address of a class depends on, if there
// is exactly one such value.
func (c *class) tableAxis() (*affine.Axis, int) {
	var axis *affine.Axis
	n := 0
	for _, t := range c.first().Address.Terms {
		if t.Axis != nil && t.Axis.Kind == affine.AxisData && t.Axis.Level == analysis.ThreadVarying {
			axis = t.Axis
			n++
		}
	}
	return axis, n
}
