package occupancy

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/model/gpu"
)

// The kernels of Hayes and Zhang on a GTX680 (64 K registers, 48 kB).
var demoted = []struct {
	name           string
	demand         Demand
	words, threads int // of the formula, by hand
}{
	// Two blocks need 32 registers and no more than 24576 bytes each: 11872 and
	// 6 x 4096 are more.
	{"heartwall", Demand{Threads: 1024, Registers: 38, Shared: 11872}, 0, 1024},
	{"hotspot", Demand{Threads: 1024, Registers: 36, Shared: 12288}, 0, 1024},
	// 65536 / 42 = 1560 threads: two blocks.
	{"image denoising", Demand{Threads: 768, Registers: 44}, 2, 1536},
	// Likewise, and 1536 x 8 words are just the 48 kB.
	{"particles", Demand{Threads: 768, Registers: 50}, 8, 1536},
	// 65536 / 36 = 1820 threads, 14 blocks; with 7 words 48 kB hold 13.
	{"recursive Gaussian", Demand{Threads: 128, Registers: 42}, 6, 1792},
}

// activeThreads is Hayes and Zhang's formula for the threads on an SM of g when
// that many words of each thread are demoted: registers and shared memory divide
// without granules, and whole blocks of them run. The slots for threads bound
// it here, too.
func activeThreads(g *gpu.GPU, d Demand, words int) int {
	threads := float64(g.Arch.ThreadsPerSM)
	if registers := d.Registers - words; registers > 0 {
		threads = min(threads, float64(g.Arch.RegistersPerSM)/float64(registers))
	}
	perThread := float64(d.Shared)/wordBytes/float64(d.Threads) + float64(words)
	if perThread > 0 {
		threads = min(threads, float64(carveout(g, d.Shared))/wordBytes/perThread)
	}
	return int(threads) / d.Threads * d.Threads
}

// formulaSweetPoint is the number of words at which activeThreads is greatest,
// the least of several, and the threads there.
func formulaSweetPoint(g *gpu.GPU, d Demand) (words, threads int) {
	threads = activeThreads(g, d, 0)
	for s := 1; s < d.Registers; s++ {
		if n := activeThreads(g, d, s); n > threads {
			words, threads = s, n
		}
	}
	return words, threads
}

func TestFormulaOfHayesAndZhang(t *testing.T) {
	for _, k := range demoted {
		words, threads := formulaSweetPoint(gtx680(), k.demand)
		assert.Equal(t, k.words, words, k.name)
		assert.Equal(t, k.threads, threads, k.name)
	}
}

// What granules leave of the formula: never more threads than it says.
func TestSweetPointIsTheBestDemotionThatRuns(t *testing.T) {
	g := gtx680()
	for _, k := range demoted {
		s, err := SweetPoint(g, k.demand)
		require.NoError(t, err)
		assert.LessOrEqual(t, s.After.Threads, k.threads, k.name)
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
	s, err := SweetPoint(gtx680(), demoted[2].demand)
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
