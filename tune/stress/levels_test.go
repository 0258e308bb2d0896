package stress

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/model/occupancy"
)

func board(t *testing.T, name string) *gpu.GPU {
	t.Helper()
	g, err := gpu.Default().Lookup(name)
	require.NoError(t, err)
	return g
}

// Each level, asked of the occupancy model, runs as many blocks as it says; a
// capped one with the registers of its step.
func TestLevelsRunAsManyBlocksAsTheySay(t *testing.T) {
	below, above := 0, 0
	for _, g := range gpu.Default().All() {
		for _, d := range []occupancy.Demand{
			{Threads: 128, Registers: 32}, {Threads: 256, Registers: 60, Shared: 3000}, {Threads: 64, Registers: 20, Shared: 8736}, {Threads: 512, Registers: 40, Shared: 10},
		} {
			levels, err := Levels(g, d)
			if err != nil {
				continue
			}
			now, err := occupancy.Compute(g, d)
			require.NoError(t, err)
			require.True(t, levels[0].Original())
			require.Equal(t, now.Blocks, levels[0].Blocks)
			seen := map[int]bool{}
			for _, l := range levels[1:] {
				require.False(t, l.Original())
				require.False(t, seen[l.Blocks], "%s: %d twice", g.Name, l.Blocks)
				seen[l.Blocks] = true
				after := d
				after.Shared += l.Bytes
				if l.Cap > 0 {
					after.Registers = l.Registers
					above++
				} else if l.Bytes > 0 {
					below++
					require.Less(t, l.Blocks, now.Blocks)
					fewer := after
					fewer.Shared -= 16
					r, err := occupancy.Compute(g, fewer)
					require.NoError(t, err)
					require.Greater(t, r.Blocks, l.Blocks, "%s: fewer bytes would do", g.Name)
				}
				r, err := occupancy.Compute(g, after)
				require.NoError(t, err)
				require.Equal(t, l.Blocks, r.Blocks, "%s %+v: %+v", g.Name, d, l)
				require.Equal(t, l.Occupancy, r.Occupancy)
			}
		}
	}
	assert.Greater(t, below, 100)
	assert.Greater(t, above, 20)
}

func TestLevelsOfAKernelOnA100(t *testing.T) {
	levels, err := Levels(board(t, "a100"), occupancy.Demand{Threads: 256, Registers: 70})
	require.NoError(t, err)
	assert.Equal(t, []Level{
		{Blocks: 3, Occupancy: 0.375},
		// Two blocks of 82 kB fill the 164 kB, and three of 437 granules of 128 bytes; 1 kB
		// of each is reserved.
		{Blocks: 1, Occupancy: 0.125, Bytes: 81*1024 + 16, Carveout: true},
		{Blocks: 2, Occupancy: 0.25, Bytes: 437*128 - 1024 + 16, Carveout: true},
		{Blocks: 3, Occupancy: 0.375, Carveout: true},
		{Blocks: 4, Occupancy: 0.5, Cap: 4, Registers: 64, Carveout: true},
		{Blocks: 5, Occupancy: 0.625, Cap: 5, Registers: 48, Carveout: true},
		{Blocks: 6, Occupancy: 0.75, Cap: 6, Registers: 40, Carveout: true},
		{Blocks: 8, Occupancy: 1, Cap: 8, Registers: 32, Carveout: true},
	}, levels)
}

func TestOfManyLevelsSomeAreTaken(t *testing.T) {
	assert.Nil(t, below(1))
	assert.Equal(t, []int{1}, below(2))
	assert.Equal(t, []int{1, 2, 3}, below(4))
	for n := 12; n <= 32; n++ {
		all := below(n)
		require.Len(t, all, mostBelow)
		require.Equal(t, 1, all[0])
		require.Equal(t, n-1, all[mostBelow-1])
		require.IsIncreasing(t, all)
	}
}
