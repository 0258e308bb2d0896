package reuse

import (
	"slices"

	"github.com/smux-cuda/smux/analysis/affine"
	"github.com/smux-cuda/smux/model/hardware"
)

// traffic holds what the kernel's global loads move per warp, by how often they
// run: it turns counts per iteration into parts of a workload.
type traffic struct {
	once  float64          // bytes of loads that run a known number of times, in all
	each  float64          // bytes of loads in loops of unknown length, for each time that the candidate's iteration runs
	runs  float64          // how often the candidate's own iteration runs, 0 if not known
	loads []*affine.Access // the candidate's
	nest  []*affine.Access // all that its innermost loop loads
}

// traffic measures the loads around a class.
func (s *search) traffic(c *class, n nest) traffic {
	t := traffic{loads: c.loads}
	own := moving(c.first())
	again := n.again // the loops around the candidate's own iteration
	if n.tiled != nil {
		again = slices.Concat([]*affine.Loop{n.tiled}, n.outer, n.again)
	}
	for _, x := range s.found.Accesses {
		if x.Kind != affine.Load || x.Array.Space == affine.SpaceShared || x.Array.Space == affine.SpaceConstant {
			continue
		}
		sectors, _ := x.Sectors(s.shape)
		bytes := sectors * hardware.SectorBytes
		if times := s.times(moving(x)); times > 0 {
			t.once += bytes * times
		} else {
			t.each += bytes * s.per(moving(x), again)
		}
		if slices.Equal(moving(x), own) {
			t.nest = append(t.nest, x)
		}
	}
	t.runs = s.times(again)
	return t
}

// per is how often the body of some loops runs for each time that the body of
// others does, as far as the loops that the two do not share are of known length.
func (s *search) per(loops, others []*affine.Loop) float64 {
	n := 1.0
	for _, l := range loops {
		if !slices.Contains(others, l) {
			n *= max(1, float64(s.iterations(l)))
		}
	}
	for _, l := range others {
		if !slices.Contains(loops, l) {
			n /= max(1, float64(s.iterations(l)))
		}
	}
	return n
}

// moving returns the loops whose every iteration does the access: all around
// it but the innermost ones that don't move its address, where a register
// holds the value.
func moving(x *affine.Access) []*affine.Loop {
	n := len(x.Loops)
	for n > 0 && !x.Address.DependsOn(x.Loops[n-1]) {
		n--
	}
	return x.Loops[:n]
}

// times is how often the body of nested loops runs, 0 if that is not known.
func (s *search) times(loops []*affine.Loop) float64 {
	n := 1.0
	for _, l := range loops {
		n *= float64(s.iterations(l))
	}
	return n
}

// iterationsOf is how often the candidate's iteration runs in a thread block
// whose warps load so many bytes.
func (t traffic) iterationsOf(loads float64) float64 {
	switch {
	case t.runs > 0:
		return t.runs
	case t.each > 0:
		return max(1, (loads-t.once)/t.each)
	}
	return 1
}

// total returns what all loads move per warp if those of unknown number run so often.
func (t traffic) total(runs float64) float64 { return t.once + t.each*runs }
