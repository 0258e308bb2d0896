package simulation

import (
	"encoding/xml"
	"io"
	"strings"
	"testing"

	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/model/sim"
	"github.com/smux-cuda/smux/model/workload"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func result(t *testing.T, policy string) *sim.Result {
	g, err := gpu.Lookup("gtx480@16")
	require.NoError(t, err)
	body, err := workload.Parse("C90@12 M512@13 x3(R@15(S64 B C10+S2) C200)")
	require.NoError(t, err)
	body[0].Label = `a<b & "c"`
	p, err := sim.ParsePolicy(policy)
	require.NoError(t, err)
	r, err := sim.Run(g, &workload.Kernel{Threads: 64, Registers: 20, Shared: 8000, Body: body}, p, sim.Options{Blocks: 20, Timeline: true})
	require.NoError(t, err)
	return r
}

func drawn(t *testing.T, r *sim.Result, title string, to float64) string {
	p, err := draw(r, title, to)
	require.NoError(t, err)
	return p.text.String()
}

func TestDrawingsAreWellFormedAndRepeat(t *testing.T) {
	for _, policy := range []string{"baseline", "vtb:block", "vtb:named", "pipe", "dyn:N=4", "hw:K+2"} {
		text := drawn(t, result(t, policy), policy, 5000)
		assert.Equal(t, text, drawn(t, result(t, policy), policy, 5000))
		d := xml.NewDecoder(strings.NewReader(text))
		for {
			_, err := d.Token()
			if err == io.EOF {
				break
			}
			require.NoError(t, err, policy)
		}
		assert.False(t, strings.Contains(text, "NaN") || strings.Contains(text, "Inf"), policy)
	}
}

func TestEveryVTBHasARowAndEveryKindIsSeen(t *testing.T) {
	text := drawn(t, result(t, "vtb:named:N=4"), "four & more", 5000)
	for _, want := range []string{"slot 0, v-TB 0<", "slot 1, v-TB 3<", `class="region"`, `class="compute"`, `class="memory"`, `class="wait"`, "four &amp; more", "cycles"} {
		assert.True(t, strings.Contains(text, want), want)
	}
	assert.True(t, strings.Contains(text, "region, 15, cycles"), "the region's line")
	assert.True(t, strings.Contains(text, "a&lt;b"), "labels are text")
}

func TestOnlyTheAskedCyclesAreDrawn(t *testing.T) {
	r := result(t, "baseline")
	all, some := drawn(t, r, "", r.Cycles), drawn(t, r, "", 200)
	assert.Less(t, strings.Count(some, "<title>"), strings.Count(all, "<title>"))
	assert.Positive(t, strings.Count(some, "<title>"))
}

func TestRegionsOfTurnsDoNotOverlap(t *testing.T) {
	r := result(t, "vtb:named:N=2")
	last := map[int]float64{}
	for _, s := range r.Timeline {
		if s.Kind != sim.Region {
			continue
		}
		assert.GreaterOrEqual(t, s.Start, last[s.TB]-1e-9, "thread block %d", s.TB)
		last[s.TB] = s.End
	}
	assert.Len(t, last, 10)
}

func TestWhatHasNoTimelineIsAnError(t *testing.T) {
	_, err := draw(&sim.Result{}, "", 1)
	assert.ErrorContains(t, err, "no timeline")
}
