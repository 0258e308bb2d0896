package profile_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/model/profile"
)

// forms are samples of a kernel, of which pairs are predicted and measured ratios.
func forms(rewriter, kernel string, pairs ...[2]float64) (out []profile.Sample) {
	for _, p := range pairs {
		out = append(out, profile.Sample{GPU: "h100", Rewriter: rewriter, Kernel: kernel, Predicted: p[0], Measured: p[1]})
	}
	return out
}

func together(of ...[]profile.Sample) (out []profile.Sample) {
	for _, s := range of {
		out = append(out, s...)
	}
	return out
}

func TestKernelsCorrectARewriter(t *testing.T) {
	for name, c := range map[string]struct {
		samples []profile.Sample
		factor  float64 // 0 for no correction
	}{
		"three kernels that are twice as fast":  {together(forms("stage", "a", [2]float64{1, 2}), forms("stage", "b", [2]float64{1, 2}), forms("stage", "c", [2]float64{2, 4})), math.Pow(2, 0.6)},
		"two kernels say nothing":               {together(forms("stage", "a", [2]float64{1, 2}, [2]float64{1, 2}), forms("stage", "b", [2]float64{1, 2})), 0},
		"many forms of a kernel count once":     {together(forms("stage", "a", [2]float64{1, 4}, [2]float64{1, 4}, [2]float64{1, 4}), forms("stage", "b", [2]float64{1, 1}), forms("stage", "c", [2]float64{1, 1})), 1},
		"of four kernels the middle":            {together(forms("stage", "a", [2]float64{1, 1}), forms("stage", "b", [2]float64{1, 1}), forms("stage", "c", [2]float64{1, 4}), forms("stage", "d", [2]float64{1, 9})), math.Pow(4, 0.5*4/6)},
		"what was not predicted does not count": {together(forms("stage", "a", [2]float64{0, 2}), forms("stage", "b", [2]float64{1, 0}), forms("stage", "c", [2]float64{1, 2})), 0},
		"rewriters apart":                       {together(forms("stage", "a", [2]float64{1, 2}), forms("merge", "b", [2]float64{1, 2}), forms("vtb", "c", [2]float64{1, 2})), 0},
	} {
		t.Run(name, func(t *testing.T) {
			got := profile.Corrections(c.samples)
			if c.factor == 0 {
				assert.Empty(t, got)
				return
			}
			require.Len(t, got, 1)
			assert.InDelta(t, c.factor, got[0].Factor, 1e-4)
			assert.Zero(t, got[0].High, "fewer than ten gains have no interval")
		})
	}
}

// TestTenGainsHaveAnInterval: of what was predicted to gain, and as far off as one in ten is.
func TestTenGainsHaveAnInterval(t *testing.T) {
	var samples []profile.Sample
	for i := range 11 {
		kernel := string(rune('a' + i))
		samples = append(samples, forms("stage", kernel, [2]float64{1.1, 1.1 * math.Pow(2, float64(i-5))}, [2]float64{1, 100})...)
	}
	got := profile.Corrections(samples)
	require.Len(t, got, 1)
	assert.Equal(t, 11, got[0].Gains)
	assert.Equal(t, 22, got[0].Forms)
	assert.InDelta(t, math.Pow(2, -4), got[0].Low, 1e-4)
	assert.InDelta(t, math.Pow(2, 4), got[0].High, 1e-4)
}
