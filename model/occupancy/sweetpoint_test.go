package occupancy

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What granules leave of the formula: never more threads than it gives.
func TestSweetPointIsTheBestDemotionThatRuns(t *testing.T) {
	g := gtx680()
	for _, k := range hayesKernels {
		s, err := SweetPoint(g, k.demand)
		require.NoError(t, err)
		assert.LessOrEqual(t, s.After.Threads, k.active, k.name)
		assert.GreaterOrEqual(t, s.After.Threads, s.Before.Threads, k.name)
		assert.Equal(t, k.demand.Demote(s.Words), s.Demand, k.name)
		for words := range k.demand.Registers {
			r, err := Compute(g, k.demand.Demote(words))
			if err != nil {
				continue
			}
			if words < s.Words {
				assert.Less(t, r.Threads, s.After.Threads, "%s: %d words do as well", k.name, words)
			}
			assert.LessOrEqual(t, r.Threads, s.After.Threads, "%s: %d words do better", k.name, words)
		}
	}
}

// 40 registers are what 48 warps can have in granules of 8.
func TestSweetPointOfImageDenoising(t *testing.T) {
	s, err := SweetPoint(gtx680(), hayesKernels[2].demand)
	require.NoError(t, err)
	assert.Equal(t, 4, s.Words)
	assert.Equal(t, 2, s.After.Blocks)
	assert.Equal(t, 4*768*4, s.Demand.Shared)
}

func TestNoDemotionWhereRegistersDontLimit(t *testing.T) {
	s, err := SweetPoint(a100(), Demand{Threads: 256, Registers: 32, Shared: 4000})
	require.NoError(t, err)
	assert.Zero(t, s.Words)
	assert.Equal(t, s.Before, s.After)
}

func TestDemotedWordsFollowTheAlignedBytes(t *testing.T) {
	d := Demand{Threads: 64, Registers: 40, Shared: 10}
	assert.Equal(t, Demand{Threads: 64, Registers: 37, Shared: 12 + 3*64*4}, d.Demote(3))
	assert.Equal(t, d, d.Demote(0))
}
