package datasets

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/tune/record"
	"github.com/smux-cuda/smux/tune/search"
)

func TestAReplayCountsWhatASearchWouldMeasure(t *testing.T) {
	items := []search.Variant{{Predicted: 1, Form: true}, {Predicted: 1.1}, {Predicted: 1.2}, {Predicted: 1.3}}
	measured := [][]float64{{1, 1, 1}, {1.5, 1.5, 1.5}, nil, {1.4, 1.4, 1.6}}
	o := Replay(search.Exhaustive{}, items, measured)
	assert.Equal(t, Outcome{
		Forms: 4, Pairs: 9, AllForms: 4, AllPairs: 9, Share: 1, Found: 1, Best: 1, Why: "everything has been looked at",
	}, o)
	o = Replay(limited(search.Exhaustive{}, 1), items, measured)
	assert.Equal(t, 3, o.Pairs)
	assert.InDelta(t, 1.0/3, o.Share, 1e-12)
	assert.Zero(t, o.Found)
	assert.InDelta(t, 100.0/3, o.Loss, 1e-9)
	assert.Equal(t, -1, Replay(search.Exhaustive{}, nil, nil).Best)
}

// looks has a look at one item, and measures another in full.
type looks struct{ search.Exhaustive }

func (looks) Pairs(_ []search.Seen, item int) int { return item }

func TestAReplayOfALookTakesOnlyItsPairs(t *testing.T) {
	items := []search.Variant{{Predicted: 1, Form: true}, {Predicted: 1.1}}
	o := Replay(looks{}, items, [][]float64{{1, 1, 1}, {2, 1, 1}})
	assert.Equal(t, 4, o.Pairs)
	assert.Zero(t, o.Found, "a look finds nothing")
}

func TestSetsAreWhatALineBelongsTo(t *testing.T) {
	var lines []record.Line
	add := func(kernel string, c record.TunedVariant, ratios ...float64) string {
		v := record.MeasuredVariant{Subject: record.Subject{Kernel: kernel}, Candidate: c, Predicted: 1.5}
		l := record.Line{Key: v.Key(), Time: time.Unix(0, 0), Variant: &v}
		lines = append(lines, l)
		for _, r := range ratios {
			l.Variant, l.Pair = nil, &record.Pair{Phase: record.Search, Base: []float64{r}, Variant: []float64{1}}
			lines = append(lines, l)
		}
		return v.Key()
	}
	vtb := record.TunedVariant{Variant: rewrite.Variant{Rewriter: "vtb", Factor: 2}}
	add("a", record.TunedVariant{}, 1, 1)
	key := add("a", vtb, 1.2, 1.4)
	add("b", vtb, 2)
	add("a", record.TunedVariant{Variant: vtb.Variant, Carveout: 100})
	failed := add("a", record.TunedVariant{Variant: vtb.Variant, Blocks: 3}, 1.1)
	lines = append(lines,
		record.Line{Key: failed, Failure: &record.Failure{Kind: record.FailedRun}},
		record.Line{Key: key, Pair: &record.Pair{Phase: record.Confirm, Base: []float64{9}, Variant: []float64{1}}},
		record.Line{Key: key, Pair: &record.Pair{Phase: record.Search, Against: "stage-loads", Base: []float64{9}, Variant: []float64{1}}},
		record.Line{Key: "unknown", Pair: &record.Pair{Phase: record.Search, Base: []float64{9}, Variant: []float64{1}}})
	sets := Sets(lines, func(c record.TunedVariant) []string { return []string{c.Rewriter} })
	require.Len(t, sets, 1, "b has no original")
	assert.Equal(t, [][]float64{{1, 1}, {1.2, 1.4}, nil}, sets[0].Measured)
	assert.Equal(t, search.Variant{Predicted: 1.5, Traits: []string{"vtb"}}, sets[0].Items[1])
	assert.True(t, sets[0].Items[0].Form)
}
