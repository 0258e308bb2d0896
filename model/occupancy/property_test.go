package occupancy

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/model/hardware"
)

const properties = 50_000

// ourBoards are the table's and those of the tests.
func ourBoards() []*gpu.GPU {
	return append(gpu.Default().All(), gtx285(), gtx480(0), gtx480(16<<10), gtx680(), a100(), h100())
}

// randomDemand is one that a board may or may not run.
func randomDemand(random *rand.Rand, a *gpu.Arch) Demand {
	d := Demand{Threads: randomThreads(random, a)}
	d.Registers = randomRegisters(random, a, d.Threads)
	d.Shared = randomShared(random, a)
	if random.IntN(3) == 0 {
		d.Barriers = random.IntN(hardware.BarriersPerBlock)
	}
	return d
}

func TestResultsHoldTogether(t *testing.T) {
	random := rand.New(rand.NewPCG(11, 12))
	boards := ourBoards()
	for i := range properties {
		g := *boards[i%len(boards)]
		if random.IntN(3) == 0 {
			g.Carveout = g.Arch.Carveouts[random.IntN(len(g.Arch.Carveouts))]
		}
		d := randomDemand(random, &g.Arch)
		r, err := Compute(&g, d)
		require.NotZero(t, r.Limiters, "something always limits")
		for l, n := range r.ByLimit {
			require.GreaterOrEqual(t, n, r.Blocks)
			require.Equal(t, n == r.Blocks, r.Limiters.Has(Limit(l)), "%s %+v", g.Name, d)
		}
		if err != nil {
			require.Zero(t, r.Blocks)
			continue
		}
		require.Positive(t, r.Blocks)
		require.LessOrEqual(t, r.Warps, g.Arch.WarpsPerSM)
		require.Equal(t, r.Blocks*d.Threads, r.Threads)
		require.Positive(t, r.Occupancy)
		require.LessOrEqual(t, r.Occupancy, 1.0)
		require.GreaterOrEqual(t, r.WastedShared, 0)
		require.Equal(t, r.Carveout, r.WastedShared+r.Blocks*r.BlockShared)
		require.GreaterOrEqual(t, r.BlockShared, d.Shared+g.Arch.SharedReserved)
		require.Contains(t, g.Arch.Carveouts, r.Carveout)
		require.Contains(t, g.Arch.Carveouts, r.Configured)
		require.LessOrEqual(t, r.Configured, r.Carveout)
		require.GreaterOrEqual(t, r.Configured, r.Blocks*r.BlockShared)
	}
}

// A carve-out that is set may give way to a larger one for a larger block, so
// that shared memory is monotone only where it is left to the driver.
func TestAskingForMoreNeverGivesMoreBlocks(t *testing.T) {
	random := rand.New(rand.NewPCG(13, 14))
	boards := ourBoards()
	for i := range properties {
		g := *boards[i%len(boards)]
		g.Carveout = 0
		d := randomDemand(random, &g.Arch)
		more := d
		more.Threads += random.IntN(3) * random.IntN(100)
		more.Shared += random.IntN(3) * random.IntN(4000)
		if d.Registers > 0 {
			more.Registers += random.IntN(3) * random.IntN(20)
		}
		if d.Barriers > 0 {
			more.Barriers += random.IntN(3)
		}
		r, _ := Compute(&g, d)
		s, _ := Compute(&g, more)
		require.LessOrEqual(t, s.Blocks, r.Blocks, "%s: %+v, then %+v", g.Name, d, more)
	}
}

func TestMaxSharedAndMaxRegistersAreTheMost(t *testing.T) {
	for _, g := range ourBoards() {
		for _, carveout := range append([]int{0}, g.Arch.Carveouts...) {
			g := *g
			g.Carveout = carveout
			for blocks := 1; blocks <= g.Arch.BlocksPerSM; blocks++ {
				shared := MaxShared(&g, blocks)
				if shared >= 0 {
					r, err := Compute(&g, Demand{Threads: 32, Shared: shared})
					require.NoError(t, err)
					require.GreaterOrEqual(t, r.ByLimit[Shared], blocks, "%s %d bytes", g.Name, shared)
				}
				for _, more := range []int{1, 100, 5000, 20000, 50000} {
					r, _ := Compute(&g, Demand{Threads: 32, Shared: shared + more})
					require.Less(t, r.ByLimit[Shared], blocks, "%s (carve-out %d): %d bytes are said to be the most for %d blocks, but %d fit",
						g.Name, carveout, shared, blocks, shared+more)
				}
				threads := 32 * (1 + blocks%5)
				n := MaxRegisters(&g, threads, blocks)
				if n > 0 {
					r, err := Compute(&g, Demand{Threads: threads, Registers: n})
					require.NoError(t, err)
					require.GreaterOrEqual(t, r.ByLimit[Registers], blocks)
				}
				r, _ := Compute(&g, Demand{Threads: threads, Registers: n + 1})
				require.Less(t, r.ByLimit[Registers], blocks)
			}
		}
	}
}

func TestCurvesPassThroughTheDemand(t *testing.T) {
	random := rand.New(rand.NewPCG(17, 18))
	for _, g := range ourBoards() {
		d := randomDemand(random, &g.Arch)
		want, _ := Compute(g, d)
		curves, err := Curves(g, d)
		require.NoError(t, err)
		require.Len(t, curves, 3)
		for i, own := range []int{d.Threads, d.Registers, d.Shared} {
			c := curves[i]
			require.Equal(t, own, c.Points[c.At].X, c.Axis)
			require.Equal(t, Point{own, want.Blocks, want.Warps, want.Occupancy, want.Limiters}, c.Points[c.At], c.Axis)
			require.True(t, slices.IsSortedFunc(c.Points, func(x, y Point) int { return x.X - y.X }), c.Axis)
			for k, p := range c.Points[1:] {
				require.LessOrEqual(t, p.Blocks, c.Points[k].Blocks, "%s: blocks fall with %s", g.Name, c.Axis)
			}
		}
	}
	_, err := Curves(a100(), Demand{})
	assert.ErrorIs(t, err, errInvalid)
}
