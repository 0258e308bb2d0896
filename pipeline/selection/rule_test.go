package selection

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// ranked is a rewrite with these ratios, one per place.
func ranked(factor int, ratios ...float64) RankedVariant {
	r := RankedVariant{Variant: Variant{Rewriter: "vtb", Sync: "named", Factor: factor}}
	for _, x := range ratios {
		r.Places = append(r.Places, Prediction{Ratio: x, Before: Standing{Blocks: 1}, After: Standing{Blocks: factor}})
	}
	r.Gain = geomean(r.Places)
	return r
}

func TestDecide(t *testing.T) {
	for _, c := range []struct {
		name    string
		minGain float64
		ranked  []RankedVariant
		want    int
	}{
		{"nothing to choose from", 5, nil, -1},
		{"the one that gains most", 5, []RankedVariant{ranked(2, 1.2), ranked(4, 1.5), ranked(8, 1.3)}, 1},
		{"just enough", 5, []RankedVariant{ranked(2, 1.05)}, 0},
		{"just not enough", 5, []RankedVariant{ranked(2, 1.0499)}, -1},
		{"any gain where none is asked for", 0, []RankedVariant{ranked(2, 1)}, 0},
		{"a loss is no gain", 0, []RankedVariant{ranked(2, 0.99)}, -1},
		{"a tie goes to the simpler", 5, []RankedVariant{ranked(2, 1.495), ranked(4, 1.5)}, 0},
		{"what is no tie does not", 5, []RankedVariant{ranked(2, 1.45), ranked(4, 1.5)}, 1},
		{"a tie with one that is not enough", 5, []RankedVariant{ranked(2, 1.045), ranked(4, 1.052)}, 1},
		{"the mean over GPUs counts", 5, []RankedVariant{ranked(2, 1.3, 1), ranked(4, 1.05, 1.1)}, 0},
		{"noise on one GPU is no loss", 5, []RankedVariant{ranked(2, 1.5, 0.98)}, 0},
		{"a loss on one GPU is", 5, []RankedVariant{ranked(2, 1.5, 0.96)}, -1},
		{"then the next best", 5, []RankedVariant{ranked(2, 1.06, 1.06), ranked(4, 2, 0.9)}, 0},
		{"what is excluded is not chosen", 5, []RankedVariant{{Variant: Variant{Factor: 2}, Excluded: "it can't run"}, ranked(4, 1.2)}, 1},
		{"a gain without more thread blocks is none", 5, []RankedVariant{ranked(1, 1.5), ranked(2, 1.2)}, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			assert.Equal(t, c.want, Decide(c.ranked, c.minGain))
		})
	}
}
