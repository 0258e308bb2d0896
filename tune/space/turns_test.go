package space_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/lab/suite"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/rewrite/variant"
	"github.com/smux-cuda/smux/tune/space"
)

// ofTurns are the knobs of a form that make its turns shorter, or have its blocks stay for all.
func ofTurns(w rewrite.Variant) (out []string) {
	for _, knob := range append(variant.OfTurns(), variant.KnobPersistent) {
		if *w.Switch(knob) {
			out = append(out, knob)
		}
	}
	return out
}

// TestTurnsAreMadeShorterByEachKnobAndByAll: of the most promising form each knob that
// changes its text is listed, and all of these together; of the others all together.
func TestTurnsAreMadeShorterByEachKnobAndByAll(t *testing.T) {
	for _, path := range []string{"../../examples/mv/mv.cu", "../../examples/mc/mc.cu"} {
		entries, _ := listed(t, path)
		alone, together := map[string]bool{}, 0
		for _, e := range entries {
			knobs := ofTurns(e.Variant)
			if len(knobs) == 0 || e.IsForm() {
				continue
			}
			plain := e.Variant
			for _, knob := range knobs {
				*plain.Switch(knob) = false
				assert.Subset(t, e.Traits, []string{e.Rewriter})
			}
			assert.True(t, slices.ContainsFunc(entries, func(o space.ListedVariant) bool { return o.Variant == plain }), "%s without its knobs", e.Variant)
			if len(knobs) == 1 {
				alone[knobs[0]] = true
				continue
			}
			together++
			for _, knob := range knobs {
				assert.True(t, alone[knob] || e.Rewriter != "vtb", "%s: %s stands alone, too", e.Variant, knob)
			}
		}
		assert.GreaterOrEqual(t, len(alone), 2, path)
		assert.GreaterOrEqual(t, together, 2, path)
		assert.LessOrEqual(t, together, 3, path)
		assert.Equal(t, path == "../../examples/mc/mc.cu", alone[variant.KnobPin], "mv computes nothing that pins could hold: a text of that kind is another's")
	}
}

// TestAKnobThatIsGivenIsInAllThatMergesAndHasIt: it is asked for, not tried.
func TestAKnobThatIsGivenIsInAllThatMergesAndHasIt(t *testing.T) {
	suite.OnlyFull(t)
	entries, _ := space.Enumerate(example(t, "../../examples/mv/mv.cu", "h200", rewrite.Options{Variant: rewrite.Variant{Early: true}}))
	merging := 0
	for _, e := range entries {
		if e.IsForm() {
			continue
		}
		merging++
		assert.Equal(t, variant.Named(e.Rewriter).Has(variant.KnobEarly), e.Early, "%s", e.Variant)
	}
	assert.Positive(t, merging)
}

// TestFootprintsAreListed: what takes fewer shared bytes and merges nothing, with what the
// model expects; what can't be written is named with the reason.
func TestFootprintsAreListed(t *testing.T) {
	entries, left := listed(t, "../../examples/fft/fft.cu")
	i := slices.IndexFunc(entries, func(e space.ListedVariant) bool { return e.Rewriter == "slice" })
	require.GreaterOrEqual(t, i, 0)
	assert.Less(t, entries[i].Shared, entries[0].Shared)
	assert.GreaterOrEqual(t, entries[i].VTBs, entries[0].VTBs)
	assert.Positive(t, entries[i].Predicted)
	assert.Subset(t, entries[i].Traits, []string{"slice", "by=component"})
	assert.Contains(t, why(left, "overlay"), "no two shared variables")

	entries, _ = space.Enumerate(text(t, twoArrays, "h200"))
	assert.Contains(t, names(entries), "overlay")

	entries, _ = space.Enumerate(example(t, "../../examples/mv/mv.cu", "h200", rewrite.Options{Variant: rewrite.Variant{Rewriter: "slice", By: variant.ByWindow, Rounds: 4}}))
	for _, e := range entries {
		assert.True(t, e.Rewriter == "" || e.Rewriter == "slice" && e.Rounds == 4, "%s", e.TunedVariant)
	}
	assert.Contains(t, names(entries), "slice R=4 by=window")
}

// twoArrays is a kernel of which one array is needed no more when the other is filled.
const twoArrays = `
__global__ void k(const float *in, float *out)
{
    __shared__ float s[256];
    __shared__ float r[256];
    const int t = threadIdx.x;
    s[t] = in[blockIdx.x * 256 + t];
    __syncthreads();
    const float v = s[255 - t];
    __syncthreads();
    r[t] = v * v;
    __syncthreads();
    out[blockIdx.x * 256 + t] = r[(t + 1) % 256];
}
void run(float *a) { k<<<1000, 256>>>(a, a); }
`

// TestBlocksThatStayAreExpectedByTheModel: with the registers that a loop takes, and a gain of its
// own where few blocks are resident, of which one that is through can go on at once.
func TestBlocksThatStayAreExpectedByTheModel(t *testing.T) {
	entries, _ := space.Enumerate(example(t, "../../examples/mv/mv.cu", "gtx480@16", rewrite.Options{Variant: rewrite.Variant{Rewriter: "vtb"}}))
	stays := slices.DeleteFunc(slices.Clone(entries), func(e space.ListedVariant) bool { return len(ofTurns(e.Variant)) != 1 || !e.Persistent })
	require.NotEmpty(t, stays)
	for _, e := range stays {
		plain := e.Variant
		plain.Persistent = false
		i := slices.IndexFunc(entries, func(o space.ListedVariant) bool { return o.Variant == plain })
		require.GreaterOrEqual(t, i, 0)
		assert.Greater(t, e.Registers, entries[i].Registers, "%s", e.Variant)
		assert.NotEqual(t, entries[i].Predicted, e.Predicted, "%s", e.Variant)
	}
}
