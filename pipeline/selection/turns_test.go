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

// neighbours is a kernel of which what is put in front of the exchange is computed in a
// turn, unless it is pinned, and that loads what no thread writes after it.
const neighbours = `__global__ void k(const float *__restrict__ a, const float *__restrict__ w, float *b, int n) {
    __shared__ float s[64][64];
    float v = a[blockIdx.x * 64 + threadIdx.x];
    for (int i = 0; i < 20; ++i) v = v * v + i;
    float sum = 0;
    for (int r = 0; r < 64; ++r) {
        s[r][threadIdx.x] = v * r;
    }
    __syncthreads();
    for (int r = 0; r < 8; ++r) sum += s[r][63 - threadIdx.x] * w[r * 64 + threadIdx.x];
    for (int i = 0; i < 200; ++i) sum += a[(blockIdx.x * 64 + threadIdx.x + i * 4096) % n];
    b[blockIdx.x * 64 + threadIdx.x] = sum;
}
void run(float *a, float *b, int n) { k<<<100000, 64>>>(a, a, b, n); }`

// TestTurnsOfWhatIsChosenAreMadeShorter: by knobs that change something, with more gained by
// them, and only of what would be chosen without.
func TestTurnsOfWhatIsChosenAreMadeShorter(t *testing.T) {
	g := groups(t, source(t, neighbours))
	require.Len(t, g, 1)
	g[0].Variants = slices.DeleteFunc(g[0].Variants, func(o rewrite.CheckedVariant) bool { return o.Sync != "named" })
	r := Group(g[0], Request{GPUs: []*gpu.GPU{board(t, "gtx480@16")}, MinGain: 5, Source: Estimates{}})
	require.NotNil(t, r.Choice, r.Summary())
	i := slices.IndexFunc(r.Ranking, func(o RankedVariant) bool { return o.Early })
	require.GreaterOrEqual(t, i, 0, "%s", strings.Join(r.Lines(func(Variant) bool { return true }), "\n"))
	with := r.Ranking[i]
	plain := with.Variant
	plain.Pin, plain.Early, plain.Compute, plain.Late, plain.Numbered = false, false, false, false, false
	without := r.find(plain)
	assert.Greater(t, with.Gain, without.Gain)
	assert.Greater(t, with.Places[0].After.Registers, without.Places[0].After.Registers, "what is loaded early waits in registers")
	for _, o := range r.Ranking {
		base := o.Variant
		base.Pin, base.Early, base.Compute, base.Late, base.Numbered = false, false, false, false, false
		assert.True(t, o.Variant == base || base == plain, "%s: knobs of one variant are looked at", o.Variant)
	}
}

// spilling is a compiler that spills for what waits in registers.
type spilling struct{ Estimates }

func (spilling) Costly() bool { return true }

func (s spilling) Variant(p Place, w Variant) (Resources, error) {
	r, err := s.Estimates.Variant(p, w)
	if w.Early {
		r.Spills = 8
	}
	return r, err
}

// TestKnobsThatSpillAreNotChosen: those for which nothing waits in registers may be.
func TestKnobsThatSpillAreNotChosen(t *testing.T) {
	g := groups(t, source(t, neighbours))
	require.Len(t, g, 1)
	r := Group(g[0], Request{GPUs: []*gpu.GPU{board(t, "gtx480@16")}, MinGain: 5, Source: spilling{}})
	require.NotNil(t, r.Choice, r.Summary())
	assert.False(t, r.Choice.Early)
	spills := r.find(*r.Choice).Places[0]
	assert.LessOrEqual(t, spills.After.Spills, spills.Before.Spills)
	r = Group(g[0], Request{GPUs: []*gpu.GPU{board(t, "gtx480@16")}, MinGain: 5, Source: Estimates{}, Plain: true})
	assert.False(t, slices.ContainsFunc(r.Ranking, func(o RankedVariant) bool { return o.Early || o.Pin || o.Numbered }), "they are left off where that is asked")
}
