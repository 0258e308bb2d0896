package occupancy

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/model/gpu"
)

// marchingCubes is PACT'12's example for co-vtb: 24 rows of 32 float3, and what
// else makes up the 9324 bytes of Table 1.
var marchingCubes = Rows{Rows: 24, RowBytes: 32 * 12, Other: 9324 - 24*32*12, Threads: 32}

// The paper has 16 private rows; 18 fit as well, with the granules of either GPU.
func TestMarchingCubesHostsTwoVTBsIn16kB(t *testing.T) {
	for _, g := range []*gpu.GPU{gtx285(), gtx480(16 << 10), lookup(t, "gtx285"), lookup(t, "gtx480@16")} {
		s, err := SplitCoVTB(g, marchingCubes, 2, 2)
		require.NoError(t, err)
		assert.GreaterOrEqual(t, s.Private, 16, "the paper's private rows")
		assert.Equal(t, 18, s.Private)
		assert.Equal(t, 6, s.Public)
		assert.Equal(t, 2, s.VTBs)
		assert.Equal(t, (2*18+6)*384+108, s.Demand.Shared)
		assert.Equal(t, 64, s.Demand.Threads)
	}
}

func TestFourVTBsOfMarchingCubesHaveFewerRowsEach(t *testing.T) {
	s, err := SplitCoVTB(gtx480(16<<10), marchingCubes, 4, 4)
	require.NoError(t, err)
	assert.Equal(t, 6, s.Private, "4 x 6 + 18 = 42 rows")
	assert.Equal(t, 4, s.VTBs)
}

// One private row more and the launched blocks no longer fit; one fewer would
// waste what could be private.
func TestSplitHasTheMostPrivateRows(t *testing.T) {
	for _, g := range ourBoards() {
		for n := 2; n <= 8; n++ {
			for vtbs := n; vtbs <= 16; vtbs++ {
				s, err := SplitCoVTB(g, marchingCubes, n, vtbs)
				if err != nil {
					continue
				}
				require.GreaterOrEqual(t, s.VTBs, vtbs)
				require.Equal(t, marchingCubes.Rows, s.Private+s.Public)
				if s.Public == 0 {
					continue
				}
				more := s.Demand
				more.Shared += (n - 1) * marchingCubes.RowBytes
				r, _ := Compute(g, more)
				require.Less(t, n*r.Blocks, vtbs, "%s, %d v-TBs, %d per block: %d private rows fit", g.Name, vtbs, n, s.Private+1)
			}
		}
	}
}

func TestTooManyVTBsAreRefused(t *testing.T) {
	// 16 kB hold one launched block with all rows public.
	_, err := SplitCoVTB(gtx285(), marchingCubes, 2, 4)
	var unhosted *UnhostedError
	require.ErrorAs(t, err, &unhosted)
	assert.EqualError(t, err, "4 v-TBs don't fit an SM of gtx285; 2 do, limited by shared memory")

	_, err = SplitCoVTB(gtx285(), marchingCubes, 17, 17)
	var impossible *ImpossibleError
	require.ErrorAs(t, err, &impossible)
	assert.Equal(t, Threads, impossible.Limit)

	_, err = SplitCoVTB(gtx285(), Rows{Threads: 32}, 2, 2)
	var invalid *InvalidError
	require.ErrorAs(t, err, &invalid)
}

func TestSplitsAreSortedByVTBsThenPrivateRows(t *testing.T) {
	list := Splits(gtx480(48<<10), marchingCubes, 8)
	require.NotEmpty(t, list)
	for i, s := range list {
		assert.Positive(t, s.Private)
		if i == 0 {
			continue
		}
		before := list[i-1]
		assert.GreaterOrEqual(t, before.VTBs, s.VTBs)
		if before.VTBs == s.VTBs {
			assert.GreaterOrEqual(t, before.Private, s.Private)
		}
	}
	// Every number of launched blocks has its split: two v-TBs in each, up to the
	// five blocks that 48 kB hold with a single private row.
	var hosted []int
	for _, s := range list {
		if s.N == 2 {
			hosted = append(hosted, s.VTBs)
		}
	}
	assert.Equal(t, []int{10, 8, 6, 4}, hosted)
	// With two v-TBs and one launched block the paper's case is among them.
	assert.Contains(t, privateRows(Splits(gtx285(), marchingCubes, 4)), [3]int{2, 18, 2})
}

func TestOfSplitsAlikeTheOneWithFewerVTBsInABlockComesFirst(t *testing.T) {
	alike := 0
	for rows := 1; rows < 60; rows++ {
		list := Splits(a100(), Rows{Rows: rows, RowBytes: 256, Threads: 64, Registers: 32}, 12)
		for i := 1; i < len(list); i++ {
			if a, b := list[i-1], list[i]; a.VTBs == b.VTBs && a.Private == b.Private {
				alike++
				assert.Less(t, a.N, b.N)
			}
		}
	}
	assert.Positive(t, alike)
}

// privateRows is the v-TBs per block, private rows and v-TBs per SM of each split.
func privateRows(list []Split) (all [][3]int) {
	for _, s := range list {
		all = append(all, [3]int{s.N, s.Private, s.VTBs})
	}
	return all
}
