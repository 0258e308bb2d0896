package reuse

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/affine"
	"github.com/smux-cuda/smux/model/hardware"
)

// What a candidate must come to.
const (
	minReuse = 1.5  // threads per element
	maxAfter = 0.75 // of the sectors left
)

// Candidates finds the arrays of a kernel that staging would serve, in the
// order of the text. The block's shape is that of the instance; where it is not
// known, one is assumed, and said.
func Candidates(k *analysis.Kernel, in *analysis.Instance) []Candidate {
	if k.Unread() {
		return nil
	}
	shape, assumed := Shape(k, in)
	s := &search{k: k, in: in, shape: shape, assumed: assumed, found: affine.Of(k, in, shape), facts: k.Facts(in)}
	if s.found.GaveUp {
		return nil // loads may be missing, and stores to what is loaded
	}
	var out []Candidate
	for _, c := range classes(s.found) {
		if x, ok := s.candidate(c); ok && !slices.ContainsFunc(out, x.same) {
			if assumed {
				x.Assumptions = append(x.Assumptions, fmt.Sprintf("a block of %dx%dx%d threads", shape[0], shape[1], shape[2]))
			}
			out = append(out, x)
		}
	}
	slices.SortStableFunc(out, func(a, b Candidate) int {
		p, q := a.Places[0], b.Places[0]
		return cmp.Or(cmp.Compare(p.File, q.File), cmp.Compare(p.Line, q.Line), cmp.Compare(p.Column, q.Column))
	})
	return out
}

// Shape returns the block shape of an instance, or one to assume: 256 threads
// in as many dimensions as the kernel uses.
func Shape(k *analysis.Kernel, in *analysis.Instance) (shape [3]int, assumed bool) {
	if in != nil {
		if d, ok := in.BlockShape(); ok {
			return d, false
		}
	}
	dims := 1
	for _, x := range affine.Of(k, in, [3]int{}).Accesses {
		for _, t := range x.Address.Terms {
			if t.Axis != nil && t.Axis.Kind == affine.AxisThread {
				dims = max(dims, t.Axis.Dim+1)
			}
		}
	}
	return [...][3]int{{256, 1, 1}, {16, 16, 1}, {8, 8, 4}}[dims-1], true
}

// search is the state of one call of Candidates.
type search struct {
	k       *analysis.Kernel
	in      *analysis.Instance
	shape   [3]int
	assumed bool // the shape
	found   *affine.Kernel
	facts   *analysis.Facts
}

// candidate judges one class of loads.
func (s *search) candidate(c *class) (Candidate, bool) {
	n := c.nestOf()
	x := c.first()
	out := Candidate{Array: x.Array.Name() + x.Field, ElementBytes: x.Bytes, Block: s.shape}
	var g *geometry
	if axis, data := c.tableAxis(); data > 0 {
		if data > 1 {
			return out, false
		}
		if g = s.table(c, axis, &out); g == nil {
			return out, false
		}
		out.Kind = Table
		n.tiled = nil
	} else {
		if n.scatter {
			return out, false
		}
		if g = geometryOf(c, n, s.shape); g == nil {
			return out, false
		}
		if !s.worth(g, n) {
			return out, false
		}
		out.Kind = s.kind(c, n, g)
	}
	out.geometry = g
	for _, l := range c.loads {
		if p := l.Func.File.Position(l.Expr.Range.Start); !slices.Contains(out.Places, p) {
			out.Places = append(out.Places, p)
		}
	}
	s.describeLoop(&out, n)
	s.sizes(&out)
	out.Reuse = out.Typical().Reuse()
	if slices.ContainsFunc(c.loads, func(x *affine.Access) bool { return x.Address.Clamped }) {
		out.Assumptions = append(out.Assumptions, "threads at a boundary read what the inner ones do")
	}
	s.judge(&out, c, n)
	return out, true
}

// same reports whether another candidate is of the same loads: in a function
// that is called twice.
func (c Candidate) same(o Candidate) bool {
	return c.Array == o.Array && c.Kind == o.Kind && slices.Equal(c.Places, o.Places)
}

// typicalTile is the tile on which candidates are judged.
const typicalTile = 16

// worth reports whether staging would save enough to be a candidate.
func (s *search) worth(g *geometry, n nest) bool {
	tile := 0
	if n.tiled != nil {
		tile = typicalTile
		if t := s.iterations(n.tiled); t > 0 {
			tile = min(tile, int(t))
		}
	}
	if s.assumed && n.tiled != nil && len(g.pattern) > 1 && max(g.step, -g.step) > 4*g.bytes && s.slides(g) {
		return false // a loop that strides by the block's size, which is not the one assumed
	}
	size := g.size(tile)
	if size.Reuse() < minReuse || float64(size.After) > maxAfter*float64(size.Before) {
		return false
	}
	// One value for all threads is a matter for a register.
	return n.tiled != nil || size.Footprint > hardware.SectorBytes
}

// slides reports whether iterations read what others have read.
func (s *search) slides(g *geometry) bool {
	one, more := g.at(1), g.at(len(g.counts))
	return more.elements < one.elements*len(g.counts)
}

// describeLoop fills in the loop that is cut.
func (s *search) describeLoop(c *Candidate, n nest) {
	if n.tiled == nil {
		return
	}
	l := n.tiled
	c.Loop = &Loop{Pos: l.Func.File.Position(l.Stmt.Range.Start)}
	if l.Known {
		c.Loop.Trip = l.Trip.String()
	}
	if t := s.iterations(l); t > 0 {
		c.Loop.Iterations = int(t)
	}
}

// iterations is the number of iterations of a loop, with the numbers that the
// launch passes for parameters; 0 if it is not known.
func (s *search) iterations(l *affine.Loop) int64 {
	if l.Most > 0 {
		return l.Most
	}
	if !l.Known {
		return 0
	}
	n := int64(0)
	for _, t := range l.Trip.Terms {
		v := t.Coef
		for _, y := range t.Symbols {
			a, ok := s.argument(y.Name)
			if !ok {
				return 0
			}
			v *= a
		}
		n += v
	}
	return max(0, n)
}

func (s *search) argument(name string) (int64, bool) {
	if s.in == nil {
		return 0, false
	}
	for i, p := range s.k.Func.Params {
		if p.Name == name {
			return s.k.Argument(s.in, i)
		}
	}
	return 0, false
}

// sizes lists what staging takes for a few tile sizes.
func (s *search) sizes(c *Candidate) {
	if c.Loop == nil {
		c.Sizes = []Size{c.geometry.size(0)}
		return
	}
	for _, tile := range []int{8, 32, 128} {
		if n := c.Loop.Iterations; n > 0 && tile >= n {
			c.Sizes = append(c.Sizes, c.geometry.size(n))
			return
		}
		c.Sizes = append(c.Sizes, c.geometry.size(tile))
	}
}
