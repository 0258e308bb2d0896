package space_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/tune/record"
	"github.com/smux-cuda/smux/tune/space"
)

// tiled has a size that the launch follows.
const tiled = `#define TILE 16
__global__ void k(float *p) {
    __shared__ float s[TILE][TILE];
    s[threadIdx.y][threadIdx.x] = p[threadIdx.x];
    __syncthreads();
    p[threadIdx.y * TILE + threadIdx.x] = s[threadIdx.x][threadIdx.y];
}
void run(float *p) { k<<<100, dim3(TILE, TILE)>>>(p); }
`

func TestSizesAreListedWhereTheyAreAskedFor(t *testing.T) {
	in := input(t, program(t, tiled), rewrite.Options{}, "a100")
	without, _ := space.Enumerate(in)
	for _, e := range without {
		require.False(t, e.Tested(), e)
	}
	in.Sizes = true
	entries, left := space.Enumerate(in)
	var sized, omitted []string
	for _, e := range entries {
		if e.Tested() {
			sized = append(sized, e.String())
			assert.Contains(t, e.Traits, "TILE")
			assert.True(t, e.IsForm())
			assert.Zero(t, e.Predicted, "the model says nothing of it")
		}
	}
	for _, o := range left {
		if o.Tested() {
			omitted = append(omitted, o.String()+": "+o.Why)
		}
	}
	assert.Equal(t, []string{"TILE=4", "TILE=8", "TILE=32"}, sized)
	assert.Equal(t, []string{
		"TILE=48: the size of its thread blocks is not known then, or above 1024 threads",
		"TILE=64: the size of its thread blocks is not known then, or above 1024 threads",
	}, omitted)
}

func TestAnotherSizeIsOneChangedLine(t *testing.T) {
	in := input(t, program(t, tiled), rewrite.Options{}, "a100")
	result, err := space.Emit(in, record.TunedVariant{Configuration: "TILE=32"})
	require.NoError(t, err)
	require.Len(t, result.Files, 1)
	assert.Equal(t, strings.Replace(tiled, "TILE 16", "TILE 32", 1), string(result.Files[0].After))

	merged := record.TunedVariant{Variant: rewrite.Variant{Rewriter: "merge", Factor: 2, Sync: "named"}, Configuration: "TILE=8"}
	result, err = space.Emit(in, merged)
	require.NoError(t, err)
	assert.Contains(t, string(result.Files[0].After), "#define TILE 8\n")
	assert.Contains(t, string(result.Files[0].After), "smux")

	for _, wrong := range []record.Configuration{"SIZE=3", "TILE"} {
		_, err = space.Emit(in, record.TunedVariant{Configuration: wrong})
		var failed *record.Failure
		require.ErrorAs(t, err, &failed, wrong)
		assert.Equal(t, record.FailedRewrite, failed.Kind)
	}
}
