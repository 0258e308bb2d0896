package selection

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/model/sim"
)

var (
	split2 = Variant{Rewriter: "co-vtb", Sync: "named", Factor: 2}
	lock2  = Variant{Rewriter: "co-vtb", Sync: "lock", Factor: 2}
)

// divisible are places of a kernel with 24 rows of 384 bytes, and 256 bytes more.
func divisible(t *testing.T, gpus ...string) []Place {
	p := places(t, waiting(32, 24*384+256), gpus...)
	for i := range p {
		p[i].Rows = &Rows{Rows: 24, RowBytes: 384, Other: 256, apart: map[int]bool{}}
		for n := range 24 {
			p[i].Rows.apart[n] = true
		}
	}
	return p
}

// On an SM of 16 kB 42 rows fit: twice 18, and 6 in turns.
func TestPrivateRowsFillWhatTheSMWouldWaste(t *testing.T) {
	p := divisible(t, "gtx480@16")
	r := study(p, []Variant{split2}, request(fake{registers: 20}, p), nil)
	require.NotNil(t, r.Choice, r.Summary())
	assert.Equal(t, 18, r.Choice.PrivateRows)
	best := r.find(*r.Choice).Places[0]
	assert.Equal(t, (2*18+6)*384+256, best.After.Shared)
	assert.LessOrEqual(t, best.After.Shared, 16<<10)
	assert.Equal(t, []int{1, 2}, []int{best.Before.Blocks, best.After.Blocks})
}

func TestOtherSharedBytesLeaveFewerRowsPrivate(t *testing.T) {
	p := divisible(t, "gtx480@16")
	free, err := p[0].private(split2, 0)
	require.NoError(t, err)
	locked, err := p[0].private(lock2, 0)
	require.NoError(t, err)
	assert.Equal(t, free-1, locked, "the lock takes 12 bytes of the last 256")
	p[0].Rows.Own = 3 * 384
	owned, err := p[0].private(split2, 0)
	require.NoError(t, err)
	assert.Equal(t, free-6, owned, "each of the two has 3 rows' worth of its own")
}

// Each GPU counts: what is best on one of them is compared on all.
func TestWhatIsBestOnAnyGPUIsCompared(t *testing.T) {
	p := divisible(t, "gtx480@16", "a100")
	r := study(p, []Variant{split2}, request(fake{registers: 20}, p), nil)
	var all []int
	for _, o := range r.Ranking {
		all = append(all, o.PrivateRows)
		if o.Excluded == "" {
			assert.Len(t, o.Places, 2, o.Variant)
		}
	}
	assert.Contains(t, all, 18)
	assert.Greater(t, len(all), 1)
	for _, n := range all {
		assert.True(t, n >= 1 && n < 24, "%d rows: one is private and one public at least", n)
	}
}

func TestPrivateRowsThatAreGivenAreKept(t *testing.T) {
	p := divisible(t, "gtx480@16")
	w := split2
	w.PrivateRows = 7
	r := study(p, []Variant{w}, request(fake{registers: 20}, p), nil)
	require.Len(t, r.Ranking, 1)
	assert.Equal(t, w, r.Ranking[0].Variant)
	assert.Equal(t, (2*7+17)*384+256, r.Ranking[0].Places[0].After.Shared)
}

func TestAVariantWithoutPrivateRowsIsExcludedWithTheReason(t *testing.T) {
	none := places(t, waiting(32, 9344), "gtx480@16")
	r := study(none, []Variant{split2}, request(fake{registers: 20}, none), nil)
	require.Len(t, r.Ranking, 1)
	assert.Equal(t, errUnsplit.Error(), r.Ranking[0].Excluded)
	assert.Nil(t, r.Choice)

	p := divisible(t, "gtx480@16")
	r = study(p, []Variant{split2}, request(fake{registers: 20}, p), func(w Variant) error {
		assert.Equal(t, 18, w.PrivateRows)
		return errors.New("row 17 and row 18 are one")
	})
	require.Len(t, r.Ranking, 1)
	assert.Equal(t, "row 17 and row 18 are one", r.Ranking[0].Excluded)

	p[0].Rows = &Rows{Rows: 2, RowBytes: 8192} // 16 kB: a second private row does not fit
	p[0].Work = waiting(32, 2*8192)
	r = study(p, []Variant{split2}, request(fake{registers: 20}, p), nil)
	require.Len(t, r.Ranking, 1)
	assert.Equal(t, "on gtx480@16 a private row would cost a thread block", r.Ranking[0].Excluded)
}

func TestNewVariantsAreRankedByWhatTheyDo(t *testing.T) {
	p := divisible(t, "gtx480@16")[0]
	for _, c := range []struct {
		way  Variant
		want sim.Policy
	}{
		{Variant{Rewriter: "vtb-pipe", Sync: "block", Factor: 2}, sim.Policy{Kind: sim.Pipe, Sync: sim.Block, N: 2}},
		{Variant{Rewriter: "merge", Sync: "named", Factor: 4}, sim.Policy{Kind: sim.Merge, Sync: sim.Named, N: 4}},
		{Variant{Rewriter: "merge", Sync: "block", Factor: 2, GridAxis: "y"}, sim.Policy{Kind: sim.Merge, Sync: sim.Block, N: 2}},
		{Variant{Rewriter: "vtb", Sync: "named", Factor: 2, Assume: true, Stage: 4}, sim.Policy{Kind: sim.VTB, Sync: sim.Named, N: 2}},
		{Variant{Rewriter: "co-vtb", Sync: "block", Factor: 2, PrivateRows: 18}, sim.Policy{Kind: sim.CoVTB, Sync: sim.Block, N: 2, Private: 0.75, Shared: 42*384 + 256}},
	} {
		got, err := p.policy(c.way)
		require.NoError(t, err, c.way)
		assert.Equal(t, c.want, got, c.way.String())
	}
}

// What merges nothing is the original in another form: nobody's choice, but where it is
// faster, gains count against it.
func TestGainsAreOverTheOriginalsBestForm(t *testing.T) {
	p := places(t, waiting(64, 8000), "gtx480@16", "gtx480")
	stage, assume := Variant{Rewriter: "stage-loads"}, Variant{Rewriter: "assume-shape", Assume: true}
	ways := []Variant{stage, assume, named2}
	req := request(fake{registers: 20}, p)
	staged := 100.0
	req.Clock = func(_ Place, policy sim.Policy) (float64, error) {
		switch {
		case policy.Ahead:
			return staged, nil
		case policy.Kind == sim.Baseline:
			return 100, nil
		}
		return 80, nil
	}
	r := study(p, ways, req, nil)
	assert.Equal(t, &named2, r.Choice)
	assert.Equal(t, Prediction{Ratio: 1.25}, Prediction{Ratio: r.Ranking[0].Places[0].Ratio, Against: r.Ranking[0].Places[0].Against})
	require.Len(t, r.Ranking, 1, "forms of the original are not ranked")

	staged = 60
	r = study(p, ways, req, nil)
	assert.Nil(t, r.Choice)
	assert.Equal(t, 0.75, r.Ranking[0].Places[0].Ratio)
	assert.Equal(t, "stage-loads", r.Ranking[0].Places[0].Against)

	spilled := request(fake{registers: 20, spills: map[Variant]int{stage: 4}}, p)
	spilled.Clock = req.Clock
	assert.Equal(t, &named2, study(p, ways, spilled, nil).Choice, "a form that spills is none")

	r = study(p, []Variant{stage, assume}, req, nil)
	assert.Nil(t, r.Choice)
	assert.Empty(t, r.Ranking)
}

func TestEstimatedRegistersOfNewVariants(t *testing.T) {
	p := divisible(t, "a100")[0]
	p.Work.Registers, p.Ahead = 30, 7
	registers := func(w Variant) int { return Estimate(p, w).Registers }
	assert.Equal(t, 39, registers(Variant{Rewriter: "vtb", Factor: 2}))
	assert.Equal(t, 32, registers(Variant{Rewriter: "merge", Factor: 2}), "loads stay where they are")
	assert.Equal(t, 30, registers(Variant{Rewriter: "assume-shape"}))
	assert.Equal(t, 37, registers(Variant{Rewriter: "stage-loads"}))
	assert.Equal(t, 34, registers(Variant{Rewriter: "vtb", Factor: 2, Stage: 2}))
	assert.Equal(t, 32, registers(Variant{Rewriter: "vtb", Factor: 2, Stage: -1}))
	assert.Equal(t, 39+6*3, registers(Variant{Rewriter: "co-vtb", Factor: 2, PrivateRows: 18}), "6 public rows of 3 words a thread wait")
}
