package fidelity

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/model/sim"
	"github.com/smux-cuda/smux/model/timing"
	"github.com/smux-cuda/smux/model/workload"
)

// occupancies runs a kernel at every occupancy from one thread block to what other
// limits allow, and returns cycles by the closed form and by the simulation.
func occupancies(t *testing.T, g *gpu.GPU, k *workload.Kernel) []Cell {
	var cells []Cell
	seen := map[int]bool{}
	for n := 1; n <= g.Arch.BlocksPerSM; n++ {
		p := sim.Policy{Shared: g.Arch.SharedPerSM() / n / g.Arch.SharedGranularity * g.Arch.SharedGranularity}
		p.Shared = min(p.Shared, g.Arch.SharedPerBlockOptin) - g.Arch.SharedReserved
		place, err := sim.Place(g, k, p)
		if err != nil || seen[place.Resident] {
			continue
		}
		seen[place.Resident] = true
		blocks := 10 * place.Resident // whole waves: the closed form knows no last one
		r, err := sim.Run(g, k, p, sim.Options{Blocks: blocks})
		require.NoError(t, err)
		w := *k
		w.Blocks = blocks * g.SMs
		cells = append(cells, Cell{Kernel: g.Name + " " + k.Name, Measured: timing.Estimate(g, &w, r.Resident).Total / float64(blocks), Simulated: r.CyclesPerBlock})
	}
	return cells
}

// loss returns how much longer the occupancy that the closed form likes best takes than
// the best one, by the simulation.
func loss(cells []Cell) float64 {
	chosen, best := cells[0], cells[0]
	for _, c := range cells[1:] {
		if c.Measured < chosen.Measured*(1+1e-9) { // of equals the one with most thread blocks
			chosen = c
		}
		if c.Simulated < best.Simulated {
			best = c
		}
	}
	return chosen.Simulated / best.Simulated
}

// The closed form and the simulation are two answers to the same question: how
// long the original takes at an occupancy.
func TestTheClosedFormOrdersOccupanciesAsTheSimulation(t *testing.T) {
	kernels, err := Kernels()
	require.NoError(t, err)
	for _, name := range []string{"gtx480@48", "gtx680", "a100"} {
		g, err := gpu.Lookup(name)
		require.NoError(t, err)
		g.Carveout = g.Arch.SharedPerSM()
		var all []Cell
		logs, regrets, regret, worst := 0.0, 0.0, 0.0, Cell{}
		for _, k := range kernels {
			w := *k
			w.Registers = 16 // so that occupancies differ
			cells := occupancies(t, g, &w)
			c := Correlate(cells)
			t.Logf("%s %s: %d occupancies, Kendall %.2f, closed form over simulation %.2f at one thread block, %.2f at %d", name, k.Name, len(cells), c.Kendall,
				cells[0].Measured/cells[0].Simulated, cells[len(cells)-1].Measured/cells[len(cells)-1].Simulated, len(cells))
			all = append(all, cells...)
			regret = max(regret, loss(cells))
			regrets += math.Log(loss(cells))
			for _, c := range cells {
				off := math.Abs(math.Log(c.Measured / c.Simulated))
				logs += off
				if worst.Measured == 0 || off > math.Abs(math.Log(worst.Measured/worst.Simulated)) {
					worst = c
				}
			}
		}
		c := Correlate(all)
		t.Logf("%s: %d cells, Kendall %.2f, Spearman %.2f, within kernels %.2f; off by a factor of %.2f on average, at worst %.2f (%s)", name, c.Cells, c.Kendall, c.Spearman, c.Within,
			math.Exp(logs/float64(len(all))), worst.Measured/worst.Simulated, worst.Kernel)
		t.Logf("%s: the occupancy that the closed form likes best takes longer than the simulation's best by a factor of %.3f on average, %.3f at worst", name, math.Exp(regrets/10), regret)
		assert.Greater(t, c.Spearman, 0.85, name)
	}
}
