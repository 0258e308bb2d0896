package occupancy

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestCensusOfKernels(t *testing.T) {
	kernels := []Kernel{
		{"full", Demand{Threads: 256, Registers: 24}},
		{"shared", Demand{Threads: 64, Registers: 16, Shared: 40 << 10}}, // 4 blocks, 32 without the limit
		{"registers", Demand{Threads: 256, Registers: 64}},               // 4 blocks, 8 without the limit
		{"tied", Demand{Threads: 256, Registers: 48, Shared: 31 << 10}},  // 5 blocks, 8 without both limits
		{"small", Demand{Threads: 32, Registers: 16}},                    // 32 blocks, 64 without the limit
		{"too large", Demand{Threads: 32, Shared: 200000}},
		{"shared too", Demand{Threads: 64, Registers: 16, Shared: 80 << 10}}, // 2 blocks, 32
	}
	c := Summary(a100(), kernels)
	assert.Equal(t, "a100", c.GPU)
	assert.Equal(t, 7, c.Kernels)
	assert.Equal(t, 1, c.Full)
	require.Len(t, c.Impossible, 1)
	assert.Equal(t, "too large", c.Impossible[0].Name)
	assert.Contains(t, c.Impossible[0].Reason, "200000 bytes of shared memory")

	assert.Equal(t, Of(Shared), c.Limits[0].Limiters, "the limit of the most kernels first")
	assert.Equal(t, 2, c.Limits[0].Kernels)
	total, share := 0, 0.0
	for _, l := range c.Limits {
		total, share = total+l.Kernels, share+l.Share
	}
	assert.Equal(t, 6, total, "each kernel that runs counts once, ties as their own")
	assert.InDelta(t, 1, share, 1e-9)

	var names []string
	var factors []float64
	for _, h := range c.Headroom {
		names = append(names, h.Name)
		factors = append(factors, h.Factor)
	}
	assert.Equal(t, []string{"shared too", "shared", "registers", "small", "tied", "full"}, names)
	assert.InDeltaSlice(t, []float64{16, 8, 2, 2, 1.6, 1}, factors, 1e-9)
}

func TestNothingLiftsTheSlotsForThreads(t *testing.T) {
	r, err := Compute(a100(), Demand{Threads: 256, Registers: 32})
	require.NoError(t, err)
	require.Equal(t, Of(Registers, Threads), r.Limiters)
	assert.Equal(t, 8, r.Lifted())
}
