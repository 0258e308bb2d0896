package reuse_test

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/reuse"
	"github.com/smux-cuda/smux/internal/cudatest"
	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/model/occupancy"
	"github.com/smux-cuda/smux/model/workload"
)

func all(t testing.TB, name string) []*analysis.Kernel {
	archive, err := txtar.ParseFile(filepath.Join("testdata", name+".txtar"))
	require.NoError(t, err)
	return kernels(t, archive)
}

// candidate returns the candidate for an array of the first kernel of a case.
func candidate(t testing.TB, name, array string) reuse.Candidate {
	t.Helper()
	k := all(t, name)[0]
	for _, c := range reuse.Candidates(k, k.Instances[0]) {
		if c.Array == array {
			return c
		}
	}
	require.Fail(t, "no candidate", "%s in %s", array, name)
	return reuse.Candidate{}
}

// product is the work of a thread block of a naive matrix product of n by n.
func product(n float64) *workload.Kernel {
	return &workload.Kernel{
		Name: "matmul", Threads: 256, Registers: 32, Blocks: 1 << 14, Footprint: 2 * 16 * n * 4,
		Body: []workload.Step{{Kind: workload.KindWork, Work: workload.Work{
			Issue: 6 * n, Loads: 4 * 32 * n, Again: 4*32*n - 16*n, Stores: 128, Waits: n / 4,
		}}},
	}
}

func forBoards(t *testing.T, f func(t *testing.T, g *gpu.GPU)) {
	for _, g := range gpu.All() {
		t.Run(g.Name, func(t *testing.T) { f(t, g) })
	}
}

func TestTilesFitTheirOccupancy(t *testing.T) {
	w := product(2048)
	for _, array := range []string{"a", "b"} {
		c := candidate(t, "matmul", array)
		forBoards(t, func(t *testing.T, g *gpu.GPU) {
			x, err := c.Tile(g, w)
			require.NoError(t, err)
			require.NotEmpty(t, x.Curve)
			last := x.Before.Blocks + 1
			shared := 0
			for _, p := range x.Curve {
				r, err := occupancy.Compute(g, occupancy.Demand{Threads: w.Threads, Registers: w.Registers, Shared: p.Shared})
				require.NoError(t, err)
				assert.Equal(t, r.Blocks, p.Blocks)
				assert.Less(t, p.Blocks, last, "one point for each number of blocks")
				assert.Greater(t, p.Shared, shared)
				last, shared = p.Blocks, p.Shared
			}
		})
	}
}

func TestTheBestTileIsTheFastest(t *testing.T) {
	c := candidate(t, "matmul", "b")
	forBoards(t, func(t *testing.T, g *gpu.GPU) {
		x, err := c.Tile(g, product(2048))
		require.NoError(t, err)
		if x.Best < 0 {
			assert.Equal(t, 1.0, x.Gain())
			return
		}
		for _, p := range x.Curve {
			assert.LessOrEqual(t, x.Curve[x.Best].Time.Total, 1.01*p.Time.Total)
		}
		assert.Greater(t, x.Gain(), 1.0)
		assert.Equal(t, len(x.Curve)-1, x.Largest)
	})
}

// TestTheBestTileNeedNotBeTheLargest is the point of choosing by time: large
// tiles cost thread blocks, and those cover latency.
func TestTheBestTileNeedNotBeTheLargest(t *testing.T) {
	c := candidate(t, "matmul", "b")
	smaller := 0
	for _, g := range gpu.All() {
		x, err := c.Tile(g, product(2048))
		require.NoError(t, err)
		if x.Best >= 0 && x.Best < x.Largest {
			smaller++
		}
	}
	assert.Positive(t, smaller)
}

func TestStagingPaysWhereMemoryBindsAndNotWhereItDoesNot(t *testing.T) {
	g, err := gpu.Lookup("k40")
	require.NoError(t, err)
	c := candidate(t, "matmul", "a")
	w := product(2048)
	x, err := c.Tile(g, w)
	require.NoError(t, err)
	assert.Greater(t, x.Gain(), 1.1)
	busy := *w
	busy.Body = []workload.Step{{Kind: workload.KindWork, Work: workload.Work{Issue: 1 << 22, Loads: w.Body[0].Work.Loads, Waits: 1}}}
	x, err = c.Tile(g, &busy)
	require.NoError(t, err)
	assert.Equal(t, -1, x.Best, "computing takes the time")
	assert.Equal(t, 1.0, x.Gain())
}

func TestTileOfAKernelThatCannotRun(t *testing.T) {
	g, err := gpu.Lookup("a100")
	require.NoError(t, err)
	w := product(64)
	w.Shared = 1 << 20
	_, err = candidate(t, "matmul", "a").Tile(g, w)
	assert.Error(t, err)
}

func TestATileNeverExceedsTheLoop(t *testing.T) {
	src := `__global__ void k(const float *__restrict__ x, float *__restrict__ y) {
	float s = 0;
	for (int i = 0; i < 100; i++) s += x[i];
	y[blockIdx.x * 256 + threadIdx.x] = s;
}`
	k := analysis.NewProgram(cudatest.Program(t, "k.cu", src), [3]int{256, 1, 1}).Kernels()[0]
	found := reuse.Candidates(k, k.Instances[0])
	require.Len(t, found, 1)
	c := found[0]
	require.NotNil(t, c.Loop)
	assert.Equal(t, 100, c.Loop.Iterations)
	assert.Equal(t, 400, c.Typical().Footprint)
	forBoards(t, func(t *testing.T, g *gpu.GPU) {
		x, err := c.Tile(g, product(100))
		require.NoError(t, err)
		for _, p := range x.Curve {
			assert.LessOrEqual(t, p.Tile, 100)
		}
	})
}

func TestSizesGrowWithTheTile(t *testing.T) {
	paths, err := filepath.Glob("testdata/*.txtar")
	require.NoError(t, err)
	seen := 0
	for _, path := range paths {
		archive, err := txtar.ParseFile(path)
		require.NoError(t, err)
		for _, k := range kernels(t, archive) {
			for _, c := range reuse.Candidates(k, k.Instances[0]) {
				for i, s := range c.Sizes {
					seen++
					assert.GreaterOrEqual(t, s.Requests, s.Elements)
					assert.GreaterOrEqual(t, s.Shared, s.Footprint)
					assert.LessOrEqual(t, s.After, s.Before)
					assert.LessOrEqual(t, s.Footprint, 32*s.After, "a sector holds 32 bytes")
					if i > 0 {
						assert.Greater(t, s.Footprint, c.Sizes[i-1].Footprint)
						assert.Greater(t, s.Saved(), c.Sizes[i-1].Saved())
					}
				}
			}
		}
	}
	assert.Positive(t, seen)
}

func TestCandidatesAreDeterministicData(t *testing.T) {
	for _, name := range []string{"matmul", "stencil-3d", "refused", "table"} {
		for i := range all(t, name) {
			var first []byte
			for range 3 {
				k := all(t, name)[i]
				got, err := json.Marshal(reuse.Candidates(k, k.Instances[0]))
				require.NoError(t, err)
				if first == nil {
					first = got
				}
				assert.JSONEq(t, string(first), string(got))
			}
			var back []reuse.Candidate
			require.NoError(t, json.Unmarshal(first, &back))
		}
	}
}

func BenchmarkCandidates(b *testing.B) {
	for _, name := range []string{"matvec", "matmul", "stencil-3d", "convolution", "nbody"} {
		k := all(b, name)[0]
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				reuse.Candidates(k, k.Instances[0])
			}
		})
	}
}

func BenchmarkTile(b *testing.B) {
	g, err := gpu.Lookup("a100")
	require.NoError(b, err)
	c := candidate(b, "matmul", "b")
	w := product(2048)
	for b.Loop() {
		_, err := c.Tile(g, w)
		require.NoError(b, err)
	}
}

func TestArraysOfOneLoopAreStagedTogether(t *testing.T) {
	k := all(t, "matmul")[0]
	found := reuse.Candidates(k, k.Instances[0])
	sets := reuse.Sets(found)
	require.Len(t, sets, 1)
	assert.Equal(t, "a, b", sets[0].Arrays())
	w := product(2048)
	better := 0
	for _, g := range gpu.All() {
		both, err := sets[0].Tile(g, w)
		require.NoError(t, err)
		one, err := found[0].Tile(g, w)
		require.NoError(t, err)
		if both.Gain() > one.Gain() {
			better++
		}
		for _, p := range both.Curve {
			assert.Equal(t, 2*16*4*p.Tile, p.Shared)
		}
	}
	assert.Positive(t, better)
	for _, name := range []string{"refused", "transpose", "stencil-2d"} {
		k := all(t, name)[0]
		assert.Empty(t, reuse.Sets(reuse.Candidates(k, k.Instances[0])), name)
	}
}

func TestStagedLoadsAreNeverNegative(t *testing.T) {
	for _, name := range []string{"matmul", "matvec", "stencil-3d", "table", "broadcast", "nbody", "convolution"} {
		for _, k := range all(t, name) {
			for _, c := range reuse.Candidates(k, k.Instances[0]) {
				forBoards(t, func(t *testing.T, g *gpu.GPU) {
					x, err := c.Tile(g, product(64))
					require.NoError(t, err)
					for _, p := range x.Curve {
						assert.GreaterOrEqual(t, p.Time.DRAM, 0.0)
						assert.GreaterOrEqual(t, p.Time.Latency, 0.0)
						assert.Positive(t, p.Time.Total)
					}
				})
			}
		}
	}
}

// TestStagingSavesNoMoreThanTheCandidateLoads has inner loops of known length in
// one that is not known: a turn loads 32 rows of 128 bytes, and a sector of x for
// each of 32 columns, so that x is a fifth of it.
func TestStagingSavesNoMoreThanTheCandidateLoads(t *testing.T) {
	const turns, rows, vector = 16, 32 * 128, 32 * 32
	k := kernels(t, &txtar.Archive{Comment: []byte("block: 32x1\n"), Files: []txtar.File{{Name: "mv.cu", Data: []byte(`
__global__ void mv(const float *__restrict__ a, const float *__restrict__ x, float *__restrict__ y, int cols) {
    __shared__ float tile[32][33];
    float sum = 0;
    for (int col = 0; col < cols; col += 32) {
        for (int r = 0; r < 32; ++r) tile[r][threadIdx.x] = a[(blockIdx.x * 32 + r) * cols + col + threadIdx.x];
        __syncthreads();
        for (int k = 0; k < 32; ++k) sum += tile[threadIdx.x][k] * x[col + k];
        __syncthreads();
    }
    y[blockIdx.x * 32 + threadIdx.x] = sum;
}
`)}}})[0]
	found := reuse.Candidates(k, k.Instances[0])
	require.Len(t, found, 1)
	require.Equal(t, "x", found[0].Array)
	w := &workload.Kernel{
		Threads: 32, Registers: 32, Shared: 32 * 33 * 4, Blocks: 1 << 14, Footprint: turns * (rows + vector/8),
		Body: []workload.Step{{Kind: workload.KindLoop, Times: turns, Body: []workload.Step{{Kind: workload.KindWork, Work: workload.Work{
			Issue: 64, Loads: rows + vector, Again: vector * 7 / 8, Waits: 8, Shared: 64,
		}}}}},
	}
	pays := 0
	forBoards(t, func(t *testing.T, g *gpu.GPU) {
		x, err := found[0].Tile(g, w)
		require.NoError(t, err)
		require.NotEmpty(t, x.Curve)
		assert.LessOrEqual(t, x.Curve[x.Largest].Tile, turns)
		assert.LessOrEqual(t, x.Gain(), float64(rows+vector)/rows)
		for _, p := range x.Curve {
			assert.Greater(t, p.Time.DRAM, 0.7*x.Before.Time.DRAM, "the rows are still loaded")
		}
		if x.Best >= 0 {
			pays++
		}
	})
	assert.Positive(t, pays)
}
