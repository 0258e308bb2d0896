package occupancy

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The kernels of Hayes and Zhang on a GTX680: 65536 registers, 12288 words of
// shared memory, 2048 threads per SM. All counts by hand.
var hayesKernels = []struct {
	name                  string
	demand                Demand
	before, words, active int
	flat                  FlatCase
	exactBefore, exact    int // by the limits of the hardware, in granules
	exactWords            int
}{
	// 65536/38 = 1724: one block of 1024. Two need 32 registers, s = 6; but then
	// 12288/(11872/4/1024 + 6) = 1381: one block. No s gives two.
	{"heartwall", Demand{Threads: 1024, Registers: 38, Shared: 11872}, 1024, 0, 1024, FlatNoRoom, 1024, 1024, 0},
	// 65536/36 = 1820; s = 4 gives 2048, but 12288/(3 + 4) = 1755.
	{"hotspot", Demand{Threads: 1024, Registers: 36, Shared: 12288}, 1024, 0, 1024, FlatNoRoom, 1024, 1024, 0},
	// 65536/44 = 1489: one block of 768. 65536/42 = 1560 and 12288/2: two, 1536.
	// Three would be 2304. In granules 48 warps have 1365 registers each: 40 a thread.
	{"image denoising", Demand{Threads: 768, Registers: 44}, 768, 2, 1536, "", 768, 1536, 4},
	// 65536/50 = 1310; 65536/42 = 1560 and 12288/8 = 1536: two blocks, and no word to
	// spare. In granules 40 registers are needed, 10 words, and 48 kB hold one block.
	{"particles", Demand{Threads: 768, Registers: 50}, 768, 8, 1536, "", 768, 768, 0},
	// 65536/42 = 1560: 12 blocks of 128. s = 6: 65536/36 = 1820 and 12288/6 = 2048: 14.
	// s = 7: 12288/7 = 1755, 13. In granules 48 registers run 10 blocks and 40 run 12.
	{"recursive Gaussian", Demand{Threads: 128, Registers: 42}, 1536, 6, 1792, "", 1280, 1536, 2},
}

func TestActiveThreadsOfTheKernelsOfHayesAndZhang(t *testing.T) {
	for _, k := range hayesKernels {
		p, err := Hayes(gtx680(), k.demand, 0)
		require.NoError(t, err)
		assert.Equal(t, k.before, p.Before, "%s: before", k.name)
		assert.Equal(t, k.words, p.Words, "%s: s", k.name)
		assert.Equal(t, k.active, p.Threads, "%s: at the best s", k.name)
		assert.Equal(t, k.active, HayesThreads(gtx680(), k.demand, p.Words), k.name)
		assert.Equal(t, k.flat, p.Flat.Case, k.name)
		assert.Equal(t, k.exactBefore, p.Exact.Before.Threads, "%s: exactly, before", k.name)
		assert.Equal(t, k.exact, p.Exact.After.Threads, "%s: exactly, at the best s", k.name)
		assert.Equal(t, k.exactWords, p.Exact.Words, "%s: exactly, s", k.name)
	}
}

// The formula as it stands in the paper, in real numbers.
func TestHayesThreadsIsThePapersFormula(t *testing.T) {
	g := gtx680()
	for _, k := range hayesKernels {
		d := k.demand
		for s := range d.Registers {
			threads := min(float64(g.Arch.ThreadsPerSM), 65536/float64(d.Registers-s))
			if words := float64(d.Shared)/4/float64(d.Threads) + float64(s); words > 0 {
				threads = min(threads, 12288/words)
			}
			assert.Equal(t, int(threads)/d.Threads*d.Threads, HayesThreads(g, d, s), "%s, s = %d", k.name, s)
		}
	}
}

// Of equally many threads the point keeps the most registers; no s does better.
func TestHayesPointIsTheBestWithTheMostRegisters(t *testing.T) {
	random := rand.New(rand.NewPCG(25, 26))
	boards := ourBoards()
	found := 0
	for i := range 3000 {
		g := boards[i%len(boards)]
		d := randomDemand(random, &g.Arch)
		p, err := Hayes(g, d, 0)
		if err != nil {
			continue
		}
		require.Equal(t, p.Words == 0, p.Flat.Case != "")
		require.GreaterOrEqual(t, p.Threads, p.Before)
		for s := range d.Registers {
			n := HayesThreads(g, d, s)
			require.LessOrEqual(t, n, p.Threads, "%s %+v: %d words do better", g.Name, d, s)
			if s < p.Words {
				require.Less(t, n, p.Threads, "%s %+v: %d words do as well", g.Name, d, s)
			}
		}
		if p.Words > 0 {
			found++
		}
	}
	assert.Positive(t, found)
}

func TestFlatCurveEndsDemotion(t *testing.T) {
	gaussian := Demand{Threads: 128, Registers: 42} // 12 blocks; 14 at s = 6
	for _, c := range []struct {
		flat, words, threads int
		reason               FlatCase
	}{
		{0, 6, 1792, ""},
		{14, 6, 1792, ""},
		{13, 3, 1664, ""}, // 65536/39 = 1680: 13 blocks are enough
		{12, 0, 1536, FlatMeasured},
		{4, 0, 1536, FlatMeasured},
	} {
		p, err := Hayes(gtx680(), gaussian, c.flat)
		require.NoError(t, err)
		assert.Equal(t, c.words, p.Words, "flat from %d blocks on", c.flat)
		assert.Equal(t, c.threads, p.Threads, "flat from %d blocks on", c.flat)
		assert.Equal(t, c.reason, p.Flat.Case, "flat from %d blocks on", c.flat)
	}
}

func TestWhyHayesDemotesNothing(t *testing.T) {
	for _, c := range []struct {
		demand Demand
		want   Flat
	}{
		{Demand{Threads: 256, Registers: 32}, Flat{FlatFull, Of(Registers, Threads)}},
		{Demand{Threads: 256, Registers: 32, Shared: 40000}, Flat{FlatOther, Of(Shared)}},
		{Demand{Threads: 256, Registers: 64, Shared: 40000}, Flat{FlatTogether, Of(Shared, Registers)}},
		{Demand{Threads: 256, Registers: 64, Shared: 31000}, Flat{FlatNoRoom, Of(Registers)}},
	} {
		p, err := Hayes(a100(), c.demand, 0)
		require.NoError(t, err)
		assert.Equal(t, c.want, p.Flat, "%+v", c.demand)
	}
	_, err := Hayes(a100(), Demand{}, 0)
	assert.Error(t, err)
}
