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
)

func all(t testing.TB, name string) []*analysis.Kernel {
	archive, err := txtar.ParseFile(filepath.Join("testdata", name+".txtar"))
	require.NoError(t, err)
	return kernels(t, archive)
}

func TestATileIsNoLongerThanTheLoop(t *testing.T) {
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
	for _, s := range c.Sizes {
		assert.LessOrEqual(t, s.Tile, 100)
	}
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
