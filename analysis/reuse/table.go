package reuse

import (
	"fmt"
	"math"

	"github.com/smux-cuda/smux/analysis/affine"
	"github.com/smux-cuda/smux/model/hardware"
)

// largestTable is the most bytes of a table that any SM could hold.
const largestTable = 227 << 10

// assumedLookups is how often each thread looks something up in a loop whose
// length is not known.
const assumedLookups = 64

// table measures an array that is read at an index from data, where its size
// is known: by its declaration, or by a bound on the index. It is nil where it
// is not, or too large, or hardly read.
func (s *search) table(c *class, axis *affine.Axis, out *Candidate) *geometry {
	x := c.first()
	bytes := s.declaredBytes(x)
	if bytes == 0 && axis.Max >= 0 {
		for _, t := range x.Address.Terms {
			switch {
			case t.Axis == axis && len(t.Symbols) == 0 && t.Coef > 0:
				bytes = int(t.Coef*axis.Max) + x.Bytes
			case t.Axis != nil || len(t.Symbols) > 0:
				return nil // the table's place differs, or its size is not a number
			}
		}
	}
	if bytes <= 0 || bytes > largestTable {
		return nil
	}
	lookups := s.lookups(c, out)
	threads := s.shape[0] * s.shape[1] * s.shape[2]
	warps := warps(threads) * lookups
	sectors := (bytes + hardware.SectorBytes - 1) / hardware.SectorBytes
	size := Size{
		Elements: bytes / max(1, x.Bytes), Footprint: bytes, Shared: bytes,
		Requests: int(float64(threads) * lookups), Before: int(warps * spread(float64(sectors))), After: sectors,
	}
	if size.Reuse() < minReuse || float64(size.After) > maxAfter*float64(size.Before) {
		return nil
	}
	out.Assumptions = append(out.Assumptions, "indices from data are spread evenly over the table")
	return &geometry{active: threads, bytes: int64(x.Bytes), before: float64(size.Before), fixed: &size}
}

// spread is how many of n sectors the lanes of a warp touch if each picks one
// at random.
func spread(n float64) float64 {
	return n * (1 - math.Pow(1-1/n, hardware.WarpSize))
}

// lookups is how often a thread reads the table.
func (s *search) lookups(c *class, out *Candidate) float64 {
	n := float64(len(c.distinct))
	guessed := false
	for _, l := range c.first().Loops {
		t := s.iterations(l)
		if t == 0 {
			t, guessed = assumedLookups, true
		}
		n *= float64(t)
	}
	if guessed {
		out.Assumptions = append(out.Assumptions, fmt.Sprintf("loops of unknown length run %d times", assumedLookups))
	}
	return min(n, 1<<30)
}

// declaredBytes is the size of an array at namespace scope, 0 if not known.
func (s *search) declaredBytes(x *affine.Access) int {
	v := x.Array.Var
	if v == nil || len(v.Dims) == 0 || !x.Sized {
		return 0
	}
	bytes := s.facts.SizeOf(x.Func, v.Type)
	for _, d := range v.Dims {
		if d == nil {
			return 0
		}
		n, ok := s.facts.Constant(x.Func, d)
		if !ok || n <= 0 || n > largestTable {
			return 0
		}
		if bytes *= int(n); bytes > largestTable {
			return 0
		}
	}
	return bytes
}
