package occupancy

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/smux-cuda/smux/model/gpu"
)

// Rows is the shared array of a kernel that co-vtb may split along its first
// dimension (PACT'12 §4.3), and the rest of what one virtual thread block (v-TB)
// asks for.
type Rows struct {
	Rows      int // along the first dimension
	RowBytes  int
	Other     int // shared bytes of a launched thread block besides the array
	Threads   int // per v-TB
	Registers int // per thread
}

// Split divides the rows of an array into private ones, which each v-TB has for
// itself, and public ones, which the v-TBs of a launched thread block take turns with.
type Split struct {
	N       int    `json:"n"`       // v-TBs in a launched thread block
	Private int    `json:"private"` // rows of each v-TB
	Public  int    `json:"public"`  // rows in turns
	Demand  Demand `json:"demand"`  // of a launched thread block
	Result  Result `json:"result"`  // of launched thread blocks on an SM
	VTBs    int    `json:"vtbs"`    // v-TBs on an SM
}

// UnhostedError reports that an SM doesn't run as many v-TBs as asked for, however
// the array is split.
type UnhostedError struct {
	GPU            string
	Wanted, Hosted int
	Limiters       Limits // of the split with no private rows
}

func (e *UnhostedError) Error() string {
	return fmt.Sprintf("%d v-TBs don't fit an SM of %s; %d do, limited by %s", e.Wanted, e.GPU, e.Hosted, e.Limiters)
}

// SplitCoVTB is the split with the most private rows with which an SM of g runs
// at least vtbs v-TBs, n in each launched thread block; a vtbs of 0 means n. A
// launched block takes n times the private rows, the public rows, and the other
// bytes once. The error is an *ImpossibleError, *InvalidError or *UnhostedError.
func SplitCoVTB(g *gpu.GPU, a Rows, n, vtbs int) (Split, error) {
	if n < 1 || a.Rows < 1 || a.RowBytes < 1 {
		return Split{}, &InvalidError{"rows, bytes of a row or v-TBs", min(n, a.Rows, a.RowBytes), 1}
	}
	blocks := max(1, ceilDiv(vtbs, n))
	least, err := a.split(g, n, 0)
	if err != nil {
		return Split{}, err
	}
	if least.Result.Blocks < blocks {
		return Split{}, &UnhostedError{g.String(), max(vtbs, n), least.VTBs, least.Result.Limiters}
	}
	private := a.Rows
	if n > 1 {
		// Private rows fill the carve-out; they don't justify a larger one.
		fit := (sharedWithin(&g.Arch, least.Result.Carveout, blocks) - a.Other) / a.RowBytes
		private = min(a.Rows, (fit-a.Rows)/(n-1))
	}
	return a.split(g, n, private)
}

// split returns the split with private rows for each of n v-TBs.
func (a Rows) split(g *gpu.GPU, n, private int) (Split, error) {
	s := Split{N: n, Private: private, Public: a.Rows - private}
	s.Demand = Demand{
		Threads:   n * a.Threads,
		Registers: a.Registers,
		Shared:    (n*s.Private+s.Public)*a.RowBytes + a.Other,
	}
	var err error
	s.Result, err = Compute(g, s.Demand)
	s.VTBs = n * s.Result.Blocks
	return s, err
}

// Splits lists the splits with 2 to maxN v-TBs per launched block and at least
// one private row, one for each number of launched blocks that an SM of g can
// run: the one with the most private rows. The most v-TBs per SM come first,
// then the most private rows, then the fewest v-TBs per block. Many v-TBs with
// few private rows queue for the public ones; the time model
// decides which split is fastest.
func Splits(g *gpu.GPU, a Rows, maxN int) []Split {
	var list []Split
	for n := 2; n <= maxN; n++ {
		for blocks := 1; ; {
			s, err := SplitCoVTB(g, a, n, n*blocks)
			if err != nil || s.Private == 0 {
				break
			}
			list = append(list, s)
			blocks = s.Result.Blocks + 1
		}
	}
	slices.SortStableFunc(list, func(x, y Split) int {
		return cmp.Or(cmp.Compare(y.VTBs, x.VTBs), cmp.Compare(y.Private, x.Private), cmp.Compare(x.N, y.N))
	})
	return list
}
