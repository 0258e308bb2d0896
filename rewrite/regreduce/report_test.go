package regreduce

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/analysis/demotion"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/model/occupancy"
)

// full is a report of all rungs.
func full(t *testing.T) *Report {
	f := registerLimited()
	f.spills, f.pins = 80, each(16, "p")
	f.words = each(16, "w0", "w1", "w2", "w3", "w4", "w5", "w6", "w7")
	r := climb(t, f, func(_ *Subject, o *Options) { o.GPUs = gpus(t, "a100", "h100") })
	require.Equal(t, CodeDemoted, r.Code, r.Why)
	require.True(t, tried(r, RungUnroll) && tried(r, RungPin) && tried(r, RungDemote))
	return r
}

func TestAReportHasAllAttemptsInItsJSON(t *testing.T) {
	r := full(t)
	text, err := json.Marshal(r)
	require.NoError(t, err)
	var back struct{ Attempts []struct{ Recipe string } }
	require.NoError(t, json.Unmarshal(text, &back))
	require.Len(t, back.Attempts, len(r.Attempts))
	for i, a := range r.Attempts {
		assert.Equal(t, a.Recipe, back.Attempts[i].Recipe)
	}
	assert.Contains(t, string(text), `{"schema":1,"code":"demoted","gpu":"a100","step":{"registers":8,`)
}

func TestTheOrderIsThatOfThePredictedStalls(t *testing.T) {
	r := full(t)
	require.Greater(t, len(r.Order), 5)
	assert.Equal(t, Order(r), r.Order)
	for i, at := range r.Order {
		a := r.Attempts[at]
		assert.InDelta(t, a.Figures.Stall/float64(a.Occupancy.Warps), a.Predicted, 1e-9)
		if i > 0 {
			assert.LessOrEqual(t, r.Attempts[r.Order[i-1]].Predicted, a.Predicted)
		}
	}
	r.Attempts[2].Predicted = 0
	assert.NotContains(t, Order(r), 2, "nothing is known of it")
}

func TestMessagesSayWhatCameOfIt(t *testing.T) {
	pos := diag.Position{File: "k.cu", Line: 3, Column: 5}
	m := Message(full(t), pos)
	assert.Equal(t, "k.cu:3:5: demoted: demote: 56 -> 48 registers, 4 -> 5 thread blocks per SM on a100, 0 -> 4096 bytes of shared memory, no spills", m.String())
	assert.NotEmpty(t, m.Help)
}

func TestAPlanListsTheRungsInOrder(t *testing.T) {
	opt := Options{GPUs: gpus(t, "t4", "a100"), Rules: Usual}
	s := subject()
	trials, on, why := Plan(s, occupancy.Demand{Threads: 256, Registers: 53}, opt)
	require.Empty(t, why)
	assert.Equal(t, "a100", on.Name)
	assert.Equal(t, []Trial{
		{RungCap, "bounds=256,5"},
		{RungUnroll, "bounds=256,5 unroll=20:1"},
		{RungPin, "bounds=256,5 pin=i,j,p,q"},
		{RungDemote, "bounds=256,5 demote=w0,w1,w2,w3,w4"},
	}, trials)
	m := Planned(trials[:2], "nvcc not found", diag.Position{})
	assert.Equal(t, "no-nvcc: nvcc not found; nothing is changed. It would try cap (bounds=256,5), then unroll (bounds=256,5 unroll=20:1)", m.String())

	s.Bounded, s.Candidates = false, &demotion.Candidates{}
	trials, _, _ = Plan(s, occupancy.Demand{Threads: 256, Registers: 53}, opt)
	assert.Equal(t, []Trial{{RungCap, "maxnreg=48"}}, trials)

	trials, _, why = Plan(s, occupancy.Demand{Threads: 256, Registers: 32}, opt)
	assert.Empty(t, trials)
	assert.Equal(t, "t4: 4 thread blocks per SM, and fewer registers give no more: the SM is full", why)
}
