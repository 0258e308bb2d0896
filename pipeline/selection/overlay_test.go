package selection

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/model/gpu"
)

// phases is a kernel that fills one array, and then another; between stands what is given.
func phases(between string) string {
	return fmt.Sprintf(`__global__ void k(const float *in, float *out) {
    __shared__ float a[4096], b[4096];
    for (int i = threadIdx.x; i < 4096; i += 128) a[i] = in[blockIdx.x * 4096 + i];
    __syncthreads();
    float x[32];
    for (int i = 0; i < 32; i++) x[i] = a[4095 - threadIdx.x - i * 128];
    %s
    for (int i = 0; i < 32; i++) b[threadIdx.x * 32 + i] = x[i];
    __syncthreads();
    for (int i = 0; i < 32; i++) out[blockIdx.x * 4096 + i * 128 + threadIdx.x] = b[(i * 128 + threadIdx.x) ^ 1];
}
void run(const float *in, float *out, int n) { k<<<n, 128>>>(in, out); }
`, between)
}

// TestOverlayIsRankedByWhatItsTextTakes: bytes and barriers are those of the kernel that
// overlay writes.
func TestOverlayIsRankedByWhatItsTextTakes(t *testing.T) {
	found := func(text string) Prediction {
		g := groups(t, source(t, text))
		require.Len(t, g, 1)
		r := Group(g[0], Request{GPUs: []*gpu.GPU{board(t, "a100")}, MinGain: 5, Source: Estimates{}, Plain: true})
		for _, w := range r.Ranking {
			if w.Rewriter == "overlay" {
				require.Len(t, w.Places, 1, w.Excluded)
				return w.Places[0]
			}
		}
		require.Fail(t, "overlay is not ranked")
		return Prediction{}
	}
	ordered, added := found(phases("__syncthreads();")), found(phases(""))
	assert.Equal(t, 32768, ordered.Before.Shared)
	assert.Equal(t, 16384, ordered.After.Shared)
	assert.Greater(t, ordered.After.Blocks, ordered.Before.Blocks)
	assert.Greater(t, ordered.Ratio, 0.9)
	assert.Equal(t, ordered.After.Blocks, added.After.Blocks)
	assert.InDelta(t, ordered.Ratio, added.Ratio, 0.2, "a barrier is not the kernel's work")
}

// TestOverlayIsChosenWhereNothingMerges: two blocks of 1024 threads are one too many.
func TestOverlayIsChosenWhereNothingMerges(t *testing.T) {
	text := strings.NewReplacer("128", "1024", "32", "4").Replace(phases("__syncthreads();"))
	g := groups(t, source(t, text))[0]
	assert.True(t, g.Can())
	for _, o := range g.Variants {
		assert.False(t, o.Can && o.Merges(), o.Variant.String())
	}
	r := one(t, text, "a100@64")
	require.NotNil(t, r.Choice, r.Summary())
	assert.Equal(t, "overlay", r.Choice.Rewriter)
	assert.NotContains(t, r.Summary(), "virtual")
}
