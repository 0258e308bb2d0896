package occupancy

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/model/hardware"
)

func TestNextStepsInWords(t *testing.T) {
	for _, c := range []struct {
		name   string
		demand Demand
		steps  []string
	}{
		// 6 blocks of 8 warps could take 42 registers, but granules of 8 leave
		// 40; and no other block size gets more than the 40 warps of 48 registers.
		{"registers alone", Demand{Threads: 256, Registers: 48, Shared: 2000},
			[]string{"8 registers fewer gives 6 thread blocks"}},
		// 164 kB hold 9 blocks of 18560 bytes, the system's 1024 among them.
		{"shared memory alone", Demand{Threads: 128, Registers: 32, Shared: 18560 - 1024 + 2200},
			[]string{"2.2 kB less gives 9 thread blocks", "blocks of 160 threads give 8 thread blocks, 40 warps"}},
		// Blocks of 12 warps fill 60 of 64 slots, of 9 fill 63.
		{"threads alone", Demand{Threads: 384, Registers: 16},
			[]string{"blocks of 288 threads give 7 thread blocks, 63 warps", "blocks of 512 threads give 4 thread blocks, 64 warps"}},
	} {
		var words []string
		for _, s := range Next(a100(), c.demand) {
			words = append(words, s.String())
		}
		assert.Equal(t, c.steps, words, c.name)
	}
}

func TestTiedLimitsMustChangeTogether(t *testing.T) {
	g := a100()
	// 5 blocks by registers (48 x 256) and 5 by shared memory (164 kB / 32 kB).
	d := Demand{Threads: 256, Registers: 48, Shared: 31 << 10}
	r, err := Compute(g, d)
	require.NoError(t, err)
	require.Equal(t, Of(Shared, Registers), r.Limiters)
	steps := Next(g, d)
	require.NotEmpty(t, steps)
	s := steps[0]
	assert.Equal(t, 8, s.Registers)
	assert.Positive(t, s.Shared)
	assert.Equal(t, 6, s.Blocks)
	for _, half := range []Demand{{Threads: 256, Registers: 40, Shared: d.Shared}, {Threads: 256, Registers: 48, Shared: d.Shared - s.Shared}} {
		r, err := Compute(g, half)
		require.NoError(t, err)
		assert.Equal(t, 5, r.Blocks, "one of the two alone")
	}
	assert.Regexp(t, `^8 registers fewer and [0-9.]+ kB less together give 6 thread blocks$`, s.String())
}

// 33 registers count as 40, of which an SM holds 48 warps: the two blocks of 24
// that it also has slots for. No block size alone gives more.
func TestSlotsTiedWithAnotherLimitMustChangeWithIt(t *testing.T) {
	g := a100()
	d := Demand{Threads: 768, Registers: 33}
	r, err := Compute(g, d)
	require.NoError(t, err)
	require.Equal(t, Of(Registers, Threads), r.Limiters)
	steps := Next(g, d)
	require.Len(t, steps, 1)
	s := steps[0]
	assert.NotZero(t, s.Threads)
	assert.Equal(t, 1, s.Registers)
	assert.Greater(t, s.Warps, r.Warps)
	assert.Regexp(t, `^blocks of [0-9]+ threads and 1 register fewer together give [0-9]+ thread blocks, [0-9]+ warps$`, s.String())
}

// Of the block sizes with which a tie gives way, the step has the one that takes
// the least off the rest, and of those the one with the most warps.
func TestTheStepFromATieTakesLeast(t *testing.T) {
	for _, c := range []struct {
		demand Demand
		tie    Limits
		text   string
	}{
		// 32 slots and 32 times 64 registers. 56 registers leave 36 warps.
		{Demand{Threads: 32, Registers: 64}, Of(Registers, Blocks),
			"blocks of 64 threads and 8 registers fewer together give 18 thread blocks, 36 warps"},
		// Two blocks by three limits; two larger ones need no fewer bytes.
		{Demand{Threads: 768, Registers: 33, Shared: 80 << 10}, Of(Shared, Registers, Threads),
			"blocks of 1024 threads and 1 register fewer together give 2 thread blocks, 64 warps"},
	} {
		now, err := Compute(a100(), c.demand)
		require.NoError(t, err)
		require.Equal(t, c.tie, now.Limiters)
		steps := Next(a100(), c.demand)
		require.Len(t, steps, 1)
		assert.Equal(t, c.text, steps[0].String())
	}
}

func TestNoStepWhereTheSMIsFull(t *testing.T) {
	assert.Empty(t, Next(a100(), Demand{Threads: 256, Registers: 32}))
}

func TestSlotsForBlocksLeaveOnlyLargerBlocks(t *testing.T) {
	steps := Next(a100(), Demand{Threads: 32, Registers: 16})
	require.Len(t, steps, 1)
	assert.Equal(t, 32, steps[0].Threads)
	assert.Equal(t, "blocks of 64 threads give 32 thread blocks, 64 warps", steps[0].String())
}

func TestAnImpossibleDemandIsToldWhatLetsItRun(t *testing.T) {
	steps := Next(a100(), Demand{Threads: 1024, Registers: 72, Shared: 170000})
	require.NotEmpty(t, steps)
	assert.Equal(t, "8 registers fewer and 3.1 kB less together give 1 thread block", steps[0].String())
	steps = Next(a100(), Demand{Threads: 5000})
	require.NotEmpty(t, steps)
	assert.Equal(t, 1024, steps[0].Demand.Threads)
}

// A step must not ask for more than it has to: with one register, byte or
// barrier less of a change it doesn't reach as many blocks as before one fewer.
func TestStepsAreTheSmallest(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	boards := ourBoards()
	steps := 0
	for i := range 20_000 {
		g := boards[i%len(boards)]
		d := randomDemand(random, &g.Arch)
		now, _ := Compute(g, d)
		for _, s := range Next(g, d) {
			steps++
			after, err := Compute(g, s.Demand)
			require.NoError(t, err)
			require.Equal(t, after.Blocks, s.Blocks)
			if s.Threads != 0 {
				require.Greater(t, after.Warps, now.Warps, "%s %+v", g.Name, d)
				continue
			}
			require.Greater(t, after.Blocks, now.Blocks, "%s %+v", g.Name, d)
			for _, less := range oneLess(s) {
				r, _ := Compute(g, less)
				require.LessOrEqual(t, r.Blocks, now.Blocks, "%s %+v: %s, but %+v will do", g.Name, d, s, less)
			}
		}
	}
	assert.Greater(t, steps, 10_000)
}

// oneLess is the demands after s with one of its changes smaller by one.
func oneLess(s Step) []Demand {
	var list []Demand
	add := func(change int, part func(*Demand) *int) {
		if change > 0 {
			d := s.Demand
			*part(&d)++
			list = append(list, d)
		}
	}
	add(s.Registers, func(d *Demand) *int { return &d.Registers })
	add(s.Shared, func(d *Demand) *int { return &d.Shared })
	add(s.Barriers, func(d *Demand) *int { return &d.Barriers })
	return list
}

// Where there is no step, no blocks of any size with a single register and no
// shared memory fill more of the SM than those of the demand.
func TestNoStepMeansThatNothingHelps(t *testing.T) {
	random := rand.New(rand.NewPCG(21, 22))
	boards := ourBoards()
	none := 0
	for i := range 20_000 {
		g := boards[i%len(boards)]
		d := randomDemand(random, &g.Arch)
		if len(Next(g, d)) > 0 {
			continue
		}
		none++
		now, _ := Compute(g, d)
		for threads := hardware.WarpSize; threads <= g.Arch.ThreadsPerBlock; threads += hardware.WarpSize {
			r, err := Compute(g, Demand{Threads: threads, Registers: min(d.Registers, 1)})
			require.NoError(t, err)
			require.LessOrEqual(t, r.Warps, now.Warps, "%s %+v: blocks of %d threads", g.Name, d, threads)
		}
	}
	assert.Greater(t, none, 1000)
}

func TestNoBytesAreEnoughForMoreBlocksThanTheReserveAllows(t *testing.T) {
	// Each block takes 1 kB for the system: 164 kB hold 164 of them.
	assert.Equal(t, 0, MaxShared(a100(), 164))
	assert.Equal(t, -1, MaxShared(a100(), 165))
	assert.Equal(t, -1, MaxShared(a100(), 1<<30))
}
