package occupancy

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/model/gpu"
)

// stepsByForce are the steps that trying every number of registers finds.
func stepsByForce(g *gpu.GPU, d Demand) []RegisterStep {
	before, _ := Compute(g, d)
	blocks := before.Blocks
	var steps []RegisterStep
	for registers := d.Registers - 1; registers > 0; registers-- {
		after := d
		after.Registers = registers
		if r, _ := Compute(g, after); r.Blocks > blocks {
			blocks = r.Blocks
			steps = append(steps, RegisterStep{Blocks: blocks, Registers: registers, Words: d.Registers - registers, Warps: r.Warps, Occupancy: r.Occupancy})
		}
	}
	return steps
}

func TestRegisterStepsEqualBruteForce(t *testing.T) {
	random := rand.New(rand.NewPCG(21, 22))
	boards := ourBoards()
	cases, with, demotable, not := map[FlatCase]int{}, 0, 0, 0
	for i := range 6000 {
		g := *boards[i%len(boards)]
		if random.IntN(4) == 0 {
			g.Carveout = g.Arch.Carveouts[random.IntN(len(g.Arch.Carveouts))]
		}
		d := randomDemand(random, &g.Arch)
		if random.IntN(2) == 0 {
			d.Shared /= 8
		}
		want := stepsByForce(&g, d)
		steps, flat := RegisterSteps(&g, d)
		require.Equal(t, len(steps) == 0, flat.Case != "", "%s %+v", g.Name, d)
		require.Len(t, steps, len(want), "%s %+v: %v", g.Name, d, flat)
		cases[flat.Case]++
		for k, s := range steps {
			with++
			require.Equal(t, want[k], RegisterStep{Blocks: s.Blocks, Registers: s.Registers, Words: s.Words, Warps: s.Warps, Occupancy: s.Occupancy})
			after, err := Compute(&g, d.Demote(s.Words))
			require.Equal(t, err == nil && after.Blocks >= s.Blocks, s.Demotable, "%s %+v: %+v", g.Name, d, s)
			require.Equal(t, d.Demote(s.Words).Shared-d.Shared, s.WordBytes)
			if s.Demotable {
				demotable++
				require.LessOrEqual(t, s.WordBytes, s.SharedLeft, "%s %+v: %+v", g.Name, d, s)
			} else {
				not++
			}
		}
	}
	assert.Positive(t, with)
	assert.Positive(t, demotable)
	assert.Positive(t, not)
	for _, c := range []FlatCase{"", FlatImpossible, FlatFull, FlatOther, FlatTogether} {
		assert.Positive(t, cases[c], "no demand was %q", c)
	}
	assert.Zero(t, cases[FlatNone], "no GPU has registers that limit for ever")
}

// The shared bytes that are left can be taken, and not one granule more.
func TestSharedLeftAtAStepIsAllThereIs(t *testing.T) {
	random := rand.New(rand.NewPCG(23, 24))
	for i := range 2000 {
		g := gpu.Default().All()[i%len(gpu.Default().All())]
		d := randomDemand(random, &g.Arch)
		steps, _ := RegisterSteps(g, d)
		for _, s := range steps {
			full := d
			full.Registers, full.Shared = s.Registers, d.Shared+s.SharedLeft
			r, err := Compute(g, full)
			require.NoError(t, err)
			require.Equal(t, s.Blocks, r.Blocks, "%s %+v: %+v", g.Name, d, s)
			full.Shared++
			r, _ = Compute(g, full)
			require.Less(t, r.Blocks, s.Blocks, "%s %+v: %+v", g.Name, d, s)
		}
	}
}

func TestRegisterStepsOfAKernelOnA100(t *testing.T) {
	steps, flat := RegisterSteps(a100(), Demand{Threads: 256, Registers: 70})
	assert.Zero(t, flat)
	require.Len(t, steps, 4)
	// Four blocks are 32 warps, 8 for each register file of 16384: 64 registers a
	// thread. Each may have 41 of the 164 kB, 1 kB of it reserved. Five are 10 warps
	// for a file: 51 registers, 48 in granules of 8.
	assert.Equal(t, RegisterStep{
		Blocks: 4, Registers: 64, Words: 6, SharedLeft: 41*1024 - 1024, WordBytes: 6 * 1024, Demotable: true, Warps: 32, Occupancy: 0.5,
	}, steps[0])
	assert.Equal(t, 48, steps[1].Registers)
	assert.Equal(t, 5, steps[1].Blocks)
	assert.Equal(t, "6 registers fewer gives 4 thread blocks; as words in shared memory they take 6 kB, which fit", steps[0].String())

	// With 32 registers the SM is full: of the 164 kB each of eight has 20.5, 1 kB of it
	// reserved; 38 words take 38. Seven blocks need 32 registers just as eight do.
	last := steps[len(steps)-1]
	assert.Equal(t, 8, last.Blocks)
	assert.Equal(t, 32, last.Registers)
	assert.False(t, last.Demotable)
	assert.Equal(t, "38 registers fewer gives 8 thread blocks; as words in shared memory they take 38 kB, and 19.5 kB are left", last.String())
}

func TestWhyFewerRegistersGiveNothing(t *testing.T) {
	for _, c := range []struct {
		name   string
		demand Demand
		want   Flat
		text   string
	}{
		{"full", Demand{Threads: 256, Registers: 32}, Flat{FlatFull, Of(Registers, Threads)}, "the SM is full"},
		{"shared memory", Demand{Threads: 256, Registers: 32, Shared: 40000}, Flat{FlatOther, Of(Shared)}, "shared memory limits, registers don't"},
		{"block slots", Demand{Threads: 32, Registers: 32}, Flat{FlatOther, Of(Blocks)}, "thread blocks limit, registers don't"},
		{"together", Demand{Threads: 256, Registers: 64, Shared: 40000}, Flat{FlatTogether, Of(Shared, Registers)}, "shared memory and registers limit together"},
		{"too much of another", Demand{Threads: 256, Registers: 64, Shared: 1 << 20}, Flat{FlatImpossible, Of(Shared)}, "no thread block can run, for its shared memory"},
		{"not known", Demand{Threads: 768}, Flat{FlatOther, Of(Threads)}, "threads limit, registers don't"},
		{"no block", Demand{}, Flat{Case: FlatInvalid}, "there is no such thread block"},
	} {
		steps, flat := RegisterSteps(a100(), c.demand)
		assert.Empty(t, steps, c.name)
		assert.Equal(t, c.want, flat, c.name)
		assert.Equal(t, c.text, flat.String(), c.name)
	}
}

// 1024 threads with 80 registers find none to run with; with 64 they do.
func TestFirstRegisterStepLetsAKernelRun(t *testing.T) {
	steps, flat := RegisterSteps(a100(), Demand{Threads: 1024, Registers: 80})
	assert.Zero(t, flat)
	require.Len(t, steps, 2)
	assert.Equal(t, 1, steps[0].Blocks)
	assert.Equal(t, 64, steps[0].Registers)
	assert.True(t, steps[0].Demotable)
}
