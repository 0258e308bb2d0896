package affine

import (
	"hash/fnv"
	"slices"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/model/hardware"
)

// Sectors returns how many 32-byte sectors the access touches per warp, on
// average over the warps of a block of the given shape. Unknown strides are
// taken for large multiples of a sector, and everything that is the same for
// the whole block for a multiple of one, so that rows are aligned. Threads
// whose address comes from data have a sector each. exact is false where that
// was needed or where the size or shape is not known (then an element of 4
// bytes, and a block as wide as a warp).
func (x *Access) Sectors(shape [3]int) (perWarp float64, exact bool) {
	if shape[0] <= 0 {
		shape, exact = [3]int{hardware.WarpSize, 1, 1}, false
		n, _ := x.Sectors(shape)
		return n, false
	}
	exact = x.Sized
	threads := shape[0] * max(1, shape[1]) * max(1, shape[2])
	size := int64(max(1, x.Bytes))
	if x.Bytes == 0 {
		size = 4
	}
	var terms []laneTerm
	start := int64(0)
	for _, t := range x.Address.Terms {
		switch {
		case t.Axis == nil && len(t.Symbols) == 0:
			start = t.Coef
		case t.Axis == nil || t.Axis.Kind == AxisBlock || t.Axis.Kind == AxisCounter:
		case t.Axis.Kind == AxisData && t.Axis.Level < analysis.ThreadVarying:
		default:
			exact = exact && t.Axis.Kind != AxisData
			terms = append(terms, laneTerm{t.Coef * symbolsValue(t.Symbols), t.Axis})
		}
	}
	total, warps := 0, 0
	sectors := make([]int64, 0, 2*hardware.WarpSize)
	for first := 0; first < threads; first += hardware.WarpSize {
		sectors = sectors[:0]
		for i := first; i < min(first+hardware.WarpSize, threads); i++ {
			if i < len(x.Active) && !x.Active[i] {
				continue
			}
			at := start
			for _, t := range terms {
				at += t.value(i, shape)
			}
			for s := at >> 5; s <= (at+size-1)>>5; s++ {
				sectors = append(sectors, s)
			}
		}
		slices.Sort(sectors)
		total += len(slices.Compact(sectors))
		warps++
	}
	return float64(total) / float64(warps), exact
}

// laneTerm is a term that differs among the threads of a block.
type laneTerm struct {
	coef int64
	axis *Axis
}

func (t laneTerm) value(i int, shape [3]int) int64 {
	switch {
	case t.axis.Kind == AxisData:
		// No two threads alike.
		return int64(scatter(uint64(i)+uint64(t.axis.id)<<32)) &^ (hardware.SectorBytes - 1)
	case t.axis.Kind == AxisLane && i >= len(t.axis.Lanes):
		return 0
	}
	return t.coef * t.axis.lane(i, shape)
}

// Value returns a number that stands for a symbol: odd but for a factor of 64,
// and so large that sums of small multiples of different symbols differ.
func (s *Symbol) Value() int64 {
	h := fnv.New64a()
	h.Write([]byte(s.Name))
	return int64(scatter(h.Sum64())&(1<<40-1)|1) << 6
}

func symbolsValue(symbols []*Symbol) int64 {
	v := int64(1)
	for _, s := range symbols {
		v *= s.Value()
	}
	return v
}

// scatter spreads the bits of a number (the finaliser of splitmix64).
func scatter(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// Offsets returns what a form adds to an address for each thread of a block, by
// linear number, in the numbers that stand for symbols (Symbol.Value). Only
// terms that differ among the threads count.
func (f Form) Offsets(shape [3]int) []int64 {
	out := make([]int64, shape[0]*max(1, shape[1])*max(1, shape[2]))
	for _, t := range f.Terms {
		if t.Axis == nil || t.Axis.level() < analysis.ThreadVarying {
			continue
		}
		l := laneTerm{t.Coef * symbolsValue(t.Symbols), t.Axis}
		for i := range out {
			out[i] += l.value(i, shape)
		}
	}
	return out
}

// Step returns what one iteration of a loop adds to an address, in the numbers
// that stand for symbols.
func (f Form) Step(l *Loop) int64 {
	n := int64(0)
	for _, t := range f.Terms {
		if t.Axis == l.Axis {
			n += t.Coef * symbolsValue(t.Symbols)
		}
	}
	return n
}

// Fixed returns the sum of the terms that are numbers and symbols alone, in the
// numbers that stand for symbols.
func (f Form) Fixed() int64 {
	n := int64(0)
	for _, t := range f.Terms {
		if t.Axis == nil {
			n += t.Coef * symbolsValue(t.Symbols)
		}
	}
	return n
}
