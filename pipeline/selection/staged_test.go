package selection

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/rewrite"
)

// stageGroup is the kernel of an example of stage.
func stageGroup(t *testing.T, name string) rewrite.Group {
	t.Helper()
	all := groupsIn(t, []string{"../../examples/stage/" + name + "/" + name + ".cu"})
	require.Len(t, all, 1)
	return all[0]
}

func staged(t *testing.T, name, board string) *Report {
	t.Helper()
	g, err := gpu.Lookup(board)
	require.NoError(t, err)
	return Group(stageGroup(t, name), Request{GPUs: []*gpu.GPU{g}, MinGain: 5, Source: Estimates{}})
}

// TestStagingIsChosenWhereNoCacheServesTheReuse: a K40 has no L1 for global loads; on a GTX 480 with 48 kB of L1 it
// serves what blocks read again, with 16 kB not all, and a 4090 waits for its DRAM, of which staging takes as much.
func TestStagingIsChosenWhereNoCacheServesTheReuse(t *testing.T) {
	for _, tt := range []struct {
		kernel, gpu string
		stages      bool
	}{
		{"product", "k40", true}, {"product", "gtx480@16", false}, {"product", "gtx480@48", true},
		{"convolution", "k40", true}, {"convolution", "gtx480@48", false}, {"convolution", "rtx4090", false},
		{"kmeans", "k40", false}, {"kmeans", "a100", false}, {"nbody", "a100", false},
		{"jacobi1", "a100", false}, {"jacobi2", "a100", false}, {"layer", "k40", false},
	} {
		r := staged(t, tt.kernel, tt.gpu)
		assert.Equal(t, tt.stages, r.Choice != nil && stages(*r.Choice), "%s on %s: %s", tt.kernel, tt.gpu, r.Summary())
		if !tt.stages {
			continue
		}
		p := r.Predicted(*r.Choice)[0]
		require.NotNil(t, p.Traffic)
		assert.Less(t, p.Traffic.After.L2, p.Traffic.Before.L2, "%s on %s", tt.kernel, tt.gpu)
		assert.Contains(t, r.Summary(), "loads of a thread block: ")
	}
}

// TestTilesGoThroughTheOccupancyInSteps: of what is staged each size that leaves one thread block less on
// an SM is looked at, as far as loops are as long.
func TestTilesGoThroughTheOccupancyInSteps(t *testing.T) {
	r := staged(t, "product", "k40")
	blocks, shared := map[int]bool{}, map[int]bool{}
	for _, o := range r.Ranking {
		if o.Rewriter != "stage" || o.Array != "" {
			continue
		}
		require.Empty(t, o.Excluded, o.Variant)
		p := o.Places[0].After
		blocks[p.Blocks] = true
		assert.False(t, shared[p.Shared], "no two forms take the same bytes: %s", o.Variant)
		shared[p.Shared] = true
	}
	assert.True(t, blocks[8] && blocks[6] && blocks[5], "%v", blocks)
	i := slices.IndexFunc(r.Ranking, func(o RankedVariant) bool { return o.Array == "a" })
	assert.GreaterOrEqual(t, i, 0, "an array alone")
}

// TestWhatIsStagedIsMergedWhereSharedMemoryLimitsIt: one choice and one recipe of both, which merges
// blocks of what staging left.
func TestWhatIsStagedIsMergedWhereSharedMemoryLimitsIt(t *testing.T) {
	r := staged(t, "matvec", "gtx480@16")
	i := slices.IndexFunc(r.Ranking, func(o RankedVariant) bool { return o.Staged && o.Rewriter == "vtb" && o.Excluded == "" })
	require.GreaterOrEqual(t, i, 0)
	both := r.Ranking[i]
	first, ok := resized(both.Variant)
	require.True(t, ok)
	assert.Equal(t, "stage", first.Rewriter)
	alone := r.Predicted(first)
	require.NotEmpty(t, alone)
	assert.Greater(t, both.Places[0].After.Blocks, alone[0].After.Blocks, "two blocks take the bytes of one")
	assert.Equal(t, "virtual thread block", both.Unit())
	assert.Contains(t, both.String(), " stage ")
}

// TestTheNextTileIsCopiedAheadWhereThatPays: an A100 hides the latency of a product's tiles behind computing, but
// larger tiles do as much without a second one (on an H100 they measured 1.22 for 1.06); the second tile of matvec takes its thread blocks; a K40 and a T4 have no such copies.
func TestTheNextTileIsCopiedAheadWhereThatPays(t *testing.T) {
	ahead := func(kernel, board string) (with, without float64) {
		for _, o := range staged(t, kernel, board).Ranking {
			switch {
			case o.Rewriter != "stage" || o.Excluded != "":
			case o.Async:
				with = max(with, o.Gain)
			default:
				without = max(without, o.Gain)
			}
		}
		return with, without
	}
	with, without := ahead("product", "a100")
	assert.Less(t, with, without)
	assert.InDelta(t, without, with, 0.05)
	assert.False(t, staged(t, "product", "a100").Choice.Async)
	with, without = ahead("matvec", "a100")
	assert.Positive(t, with)
	assert.Less(t, with, without)
	for _, board := range []string{"k40", "t4"} {
		with, _ := ahead("product", board)
		assert.Zero(t, with, board)
	}
}

// TestATileCostsWhatItsTextSays: without what staging saves, barriers and copies are all that is left.
func TestATileCostsWhatItsTextSays(t *testing.T) {
	text := func(stride string) string {
		return strings.ReplaceAll(`__global__ void k(const float *__restrict__ a, float *__restrict__ c, int n) {
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    float s = 0;
    for (int i = 0; i < n; i++) s += a[STRIDE] * a[STRIDE];
    c[row] = s;
}
void run(const float *a, float *c, int n) { k<<<10000, 128>>>(a, c, n); }`, "STRIDE", stride)
	}
	r := one(t, text("i"), "a100") // one element a turn for all threads: the L1 has it
	i := slices.IndexFunc(r.Ranking, func(o RankedVariant) bool { return o.Rewriter == "stage" })
	require.GreaterOrEqual(t, i, 0)
	assert.LessOrEqual(t, r.Ranking[i].Gain, 1.0)
	require.NotNil(t, r.Choice, r.Summary())
	assert.Equal(t, "coarsen", r.Choice.Rewriter, "that element is loaded once for two thread blocks")
}
