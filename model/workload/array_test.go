package workload

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// product is a tiled product of matrices of 64x64 tiles: a row of tiles is read by all
// thread blocks of a row of the grid, a column by all of a column.
func product() *Kernel {
	return &Kernel{Blocks: 64 * 64, Grid: [3]int{64, 64, 1}, Footprint: 2000,
		Arrays: []Array{{1000, [3]float64{0, 1, 1}}, {1000, [3]float64{1, 0, 1}}}}
}

func TestAUnionHasEachByteOnce(t *testing.T) {
	k := product()
	assert.InDelta(t, 2000, k.Union(1), 1e-9)
	assert.InDelta(t, 1000+64*1000, k.Union(64), 1e-9, "a row of the grid: one row of tiles, all columns")
	assert.InDelta(t, 2*1000+64*1000, k.Union(65), 1e-9)
	assert.InDelta(t, 64*1000+64*1000, k.Union(64*64), 1e-9, "both matrices")
	k.Arrays = nil
	assert.InDelta(t, 65*2000, k.Union(65), 1e-9, "nothing is known to be shared")
}

func TestWhatIsCommonGrowsWithTheCache(t *testing.T) {
	k := product()
	all := 1 - 1./64
	assert.InDelta(t, all/2, k.Common(1, 3000), 0.05, "rows of tiles, but no column stays for a row of the grid")
	assert.InDelta(t, all, k.Common(100, 1e6), 1e-9, "both matrices are loaded once")
	last := 0.0
	for cache := 1.0; cache < 1e6; cache *= 1.5 {
		c := k.Common(100, cache)
		assert.GreaterOrEqual(t, c, last)
		assert.LessOrEqual(t, c, 1.0)
		last = c
	}
	assert.Zero(t, k.Common(100, 0))
	k.Grid = [3]int{}
	assert.Zero(t, k.Common(100, 1e6), "the grid is not known")
}

// What lies between two loads of a byte has to fit, however much is loaded in all.
func TestWhatIsLoadedAgainSoonIsKept(t *testing.T) {
	k := &Kernel{Footprint: 1 << 20, Again: []Reuse{{1 << 10, 0.75}, {1 << 18, 0.25}}}
	all := k.Footprint * 8
	far := &Kernel{Footprint: k.Footprint}
	assert.InDelta(t, 0.75+0.25/32, k.Kept(8, all, 64<<10), 1e-9)
	assert.InDelta(t, 64./8192, far.Kept(8, all, 64<<10), 1e-9, "nothing is known of when")
	assert.Zero(t, k.Kept(8, all, 0))
	last := 0.0
	for cache := 1.0; cache < 1e8; cache *= 1.5 {
		kept := k.Kept(8, all, cache)
		assert.GreaterOrEqual(t, kept, last)
		assert.GreaterOrEqual(t, kept, far.Kept(8, all, cache))
		assert.LessOrEqual(t, kept, 1.0)
		last = kept
	}
	assert.Equal(t, 1.0, last)
}
