package reuse

import (
	"fmt"
	"slices"

	"github.com/smux-cuda/smux/analysis/affine"
)

// kind names the pattern.
func (s *search) kind(c *class, n nest, g *geometry) Kind {
	moved, shared := s.moves(c.first().Address)
	base, active := c.starts(s.shape)
	along := n.tiled != nil || len(n.taps) > 0
	switch {
	case moved == 0 && along:
		return Vector
	case shared > 0 && !along && moved > 0 && offsetsOverlap(c, s.shape):
		return stencil(c)
	case shared > 0 && !along:
		return Broadcast
	case shared > 0:
		step := g.step
		if n.tiled == nil {
			step = c.first().Address.Step(n.taps[0])
		}
		if step <= 4*g.bytes && step >= -4*g.bytes {
			return Rows
		}
		return Columns
	case len(base) < active:
		return Broadcast // by threadIdx.x % 32, for instance
	case len(c.offsets) > 1 && (!along || offsetsOverlap(c, s.shape)):
		return stencil(c)
	}
	return Convolution
}

// offsetsOverlap reports whether the places alone, without the loops, read
// elements more than once.
func offsetsOverlap(c *class, shape [3]int) bool {
	base, _ := c.starts(shape)
	all := newSet(len(base) * len(c.offsets))
	for _, b := range base {
		for _, o := range c.offsets {
			all.add(b + o)
		}
	}
	return float64(len(base)*len(c.offsets)) >= minReuse*float64(all.n)
}

// moves counts the dimensions of the block that move an address, and those
// that don't.
func (s *search) moves(f affine.Form) (moved, shared int) {
	at := f.Offsets(s.shape)
	stride := 1
	for d := range 3 {
		if s.shape[d] > 1 {
			m := false
			for i := stride; i < len(at); i++ {
				if i/stride%s.shape[d] > 0 && at[i] != at[i-stride] {
					m = true
					break
				}
			}
			if m {
				moved++
			} else {
				shared++
			}
		}
		stride *= s.shape[d]
	}
	return moved, shared
}

// stencil names a stencil by the number of directions in which its places lie.
func stencil(c *class) Kind {
	directions := map[string]bool{}
	for _, f := range c.forms {
		for _, t := range f.Terms {
			key := ""
			for _, s := range t.Symbols {
				key += s.Name + "*"
			}
			if key != "" {
				directions[key] = true
				continue
			}
			for _, d := range digits(t.Coef, c.first().Address) {
				directions[d] = true
			}
		}
	}
	switch len(directions) {
	case 0, 1:
		return Stencil1D
	case 2:
		return Stencil2D
	}
	return Stencil3D
}

// digits tells in which of the block's directions an offset lies that is a
// number, by the numbers that the thread axes are multiplied by.
func digits(offset int64, address affine.Form) []string {
	var coefs []int64
	for _, t := range address.Terms {
		if t.Axis != nil && len(t.Symbols) == 0 && t.Axis.Kind == affine.AxisThread {
			coefs = append(coefs, max(t.Coef, -t.Coef))
		}
	}
	slices.Sort(coefs)
	slices.Reverse(coefs)
	var out []string
	rest := max(offset, -offset)
	for i, c := range coefs {
		// Round: 2047 is one row of 2048 back and an element to the right.
		if q := (rest + c/2) / c; q > 0 {
			out = append(out, fmt.Sprint(i))
			rest = max(rest-q*c, q*c-rest)
		}
	}
	if out == nil && offset != 0 {
		out = append(out, "number")
	}
	return out
}
