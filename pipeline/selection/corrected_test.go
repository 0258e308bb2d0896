package selection

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/smux-cuda/smux/model/profile"
	"github.com/smux-cuda/smux/rewrite/variant"
)

// TestMeasuredKernelsCorrectThePrediction: each step of a variant, on the GPU that was measured; the interval is that of the GPU's own forms.
func TestMeasuredKernelsCorrectThePrediction(t *testing.T) {
	all := []profile.Correction{
		{GPU: "h100", Rewriter: variant.Stage, Factor: 0.5, Gains: 12, Low: 0.25, High: 1},
		{GPU: "h100", Rewriter: variant.VTB, Factor: 1.5},
	}
	for name, c := range map[string]struct {
		variant          Variant
		gpu              string
		corrected, ratio float64
		interval         string
	}{
		"a step with gains":      {Variant{Rewriter: variant.Stage}, "h100", 0.5, 1, " (corrected by 0.50x on h100), 0.50x to 2.00x by 12 measured forms"},
		"one with too few gains": {Variant{Rewriter: variant.VTB}, "h100", 1.5, 3, " (corrected by 1.50x on h100)"},
		"two steps":              {Variant{Rewriter: variant.VTB, Staged: true}, "h100", 0.75, 1.5, " (corrected by 0.75x on h100)"},
		"of another rewriter":    {Variant{Rewriter: variant.Coarsen}, "h100", 0, 2, ""},
		"of another GPU":         {Variant{Rewriter: variant.VTB}, "a100", 0, 2, ""},
	} {
		t.Run(name, func(t *testing.T) {
			p := Prediction{GPU: c.gpu, Ratio: 2}
			p.correct(all, c.variant)
			assert.InDelta(t, c.corrected, p.Corrected, 1e-9)
			assert.InDelta(t, c.ratio, p.Ratio, 1e-9)
			assert.Equal(t, c.interval, RankedVariant{Variant: c.variant, Gain: p.Ratio, Places: []Prediction{p}}.interval())
		})
	}
}
