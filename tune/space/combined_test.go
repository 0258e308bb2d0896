package space_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/lab/suite"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/rewrite/variant"
	"github.com/smux-cuda/smux/tune/record"
	"github.com/smux-cuda/smux/tune/space"
)

// neverBest reports whether a form is one of those that no GPU had as the best of a kernel.
func neverBest(c record.TunedVariant) bool {
	knobs := ofTurns(c.Variant)
	alone := len(knobs) == 1 && slices.Contains([]string{variant.KnobEarly, variant.KnobCompute, variant.KnobLate}, knobs[0])
	return c.Rewriter == variant.Dyn || c.Rewriter == variant.VTBPipe || alone || c.Carveout > 0 && !c.IsForm()
}

// TestWhatNeverPaidIsListedWhereItIsAskedFor: the list is that of all forms without them, unless one is named.
func TestWhatNeverPaidIsListedWhereItIsAskedFor(t *testing.T) {
	for _, path := range examples(t) {
		if !suite.InSample(filepath.Base(path), 4) {
			continue
		}
		all, _ := listed(t, path)
		entries, left := space.Enumerate(example(t, path, "h200", rewrite.Options{Runtime: "header"}))
		for _, e := range entries {
			assert.False(t, neverBest(e.TunedVariant), "%s", e.TunedVariant)
		}
		for _, l := range left {
			assert.False(t, neverBest(l.TunedVariant), "%s", l.TunedVariant)
		}
		for _, e := range all {
			if !neverBest(e.TunedVariant) && !e.Early && !e.Late && !e.Compute { // forms after the most promising may be others
				assert.Contains(t, names(append(entries, omitted(left)...)), e.TunedVariant.String())
			}
		}
		assert.Less(t, len(entries), len(all), path)
	}
	const path = "../../examples/mv/mv.cu"
	for _, w := range []rewrite.Variant{{Rewriter: variant.Dyn}, {Rewriter: variant.VTBPipe}, {Rewriter: variant.VTB, Early: true}} {
		entries, _ := space.Enumerate(example(t, path, "h200", rewrite.Options{Variant: w}))
		assert.True(t, slices.ContainsFunc(entries, func(e space.ListedVariant) bool { return e.Rewriter == w.Rewriter && e.Early == w.Early }), "%s", w)
	}
}

func omitted(left []space.OmittedVariant) (out []space.ListedVariant) {
	for _, l := range left {
		out = append(out, space.ListedVariant{TunedVariant: l.TunedVariant})
	}
	return out
}

// product is a kernel whose blocks share rows and columns.
const product = `
__global__ void product(const float *a, const float *b, float *out, int n)
{
    __shared__ float ta[16][16], tb[16][16];
    const int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
    float sum = 0;
    for (int t = 0; t < 64; t += 16) {
        ta[ty][tx] = a[row * 64 + t + tx];
        tb[ty][tx] = b[(t + ty) * 64 + col];
        __syncthreads();
        for (int k = 0; k < 16; ++k) sum += ta[ty][k] * tb[k][tx];
        __syncthreads();
    }
    out[row * 64 + col] = sum;
}
void run(float *a) { product<<<dim3(4, 4), dim3(16, 16)>>>(a, a, a, 64); }
`

// TestCombinationsWithCoarsenAreListedInTheModelsOrder: along two axes, with loads ahead and with loops unrolled, those first of which most
// is expected.
func TestCombinationsWithCoarsenAreListedInTheModelsOrder(t *testing.T) {
	entries, left := space.Enumerate(text(t, product, "h200"))
	var found []space.ListedVariant
	for _, e := range entries {
		if e.Rewriter == variant.Coarsen && len(e.Steps()) > 1 {
			found = append(found, e)
			assert.Positive(t, e.Predicted, "%s", e.TunedVariant)
			assert.Positive(t, e.VTBs, "%s", e.TunedVariant)
		}
	}
	require.NotEmpty(t, found)
	assert.LessOrEqual(t, len(found), 8)
	assert.True(t, slices.IsSortedFunc(found, func(a, b space.ListedVariant) int { return int(1e4*b.Predicted) - int(1e4*a.Predicted) }))
	all := names(append(found, omitted(left)...))
	for _, name := range []string{"coarsen N=2 y=2", "coarsen N=4 y=2", "coarsen N=2 unroll=4", "coarsen N=2 y=2 unroll=0"} {
		assert.Contains(t, all, name)
	}
	assert.True(t, slices.ContainsFunc(all, func(name string) bool { return strings.Contains(name, "K=") }), "%v", all)

	only, _ := space.Enumerate(input(t, program(t, product), rewrite.Options{Variant: rewrite.Variant{Rewriter: variant.Coarsen, FactorY: 2, Unroll: 4}}, "h200"))
	for _, e := range only {
		assert.True(t, e.Rewriter != variant.Coarsen || e.FactorY == 2 && e.Unroll == 4, "%s", e.TunedVariant)
	}
}

// TestCombinationsThatTakeTooManyRegistersAreLeftOut: by the estimate, a thread has no more than the GPU gives it.
func TestCombinationsThatTakeTooManyRegistersAreLeftOut(t *testing.T) {
	many := strings.ReplaceAll(registerLimited, "= in[", "= in[blockIdx.y * 64 + blockIdx.x + ")
	entries, left := space.Enumerate(text(t, many+"void run(float *a) { k<<<dim3(64, 64), 256>>>(a, a); }\n", "h200"))
	assert.NotContains(t, names(entries), "coarsen N=4 y=2")
	assert.Contains(t, why(left, "coarsen N=4 y=2"), "a thread needs all of 255 registers")
}
