package timeline

import (
	"bytes"
	"encoding/xml"
	"errors"
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

func draw(t *testing.T, r *sim.Result, opt Options) string {
	var b bytes.Buffer
	require.NoError(t, WriteTimelineSVG(&b, r, opt))
	return b.String()
}

func TestDrawingsAreWellFormedAndRepeat(t *testing.T) {
	for _, policy := range []string{"baseline", "vtb:block", "vtb:named", "pipe", "dyn:N=4", "hw:K+2"} {
		text := draw(t, result(t, policy), Options{})
		assert.Equal(t, text, draw(t, result(t, policy), Options{}))
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
	text := draw(t, result(t, "vtb:named:N=4"), Options{Title: "four & more"})
	for _, want := range []string{"slot 0, v-TB 0<", "slot 1, v-TB 3<", `class="region"`, `class="compute"`, `class="memory"`, `class="wait"`, "four &amp; more", "cycles"} {
		assert.True(t, strings.Contains(text, want), want)
	}
	assert.True(t, strings.Contains(text, "region, 15, cycles"), "the region's line")
	assert.True(t, strings.Contains(text, "a&lt;b"), "labels are text")
}

func TestOnlyTheAskedCyclesAreDrawn(t *testing.T) {
	r := result(t, "baseline")
	all := draw(t, r, Options{From: 0, To: r.Cycles})
	some := draw(t, r, Options{From: 100, To: 200})
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

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func TestErrorsOfTheWriterAreToldOf(t *testing.T) {
	r := result(t, "baseline")
	assert.ErrorContains(t, WriteTimelineSVG(full{}, r, Options{}), "disk full")
	r.Timeline = nil
	assert.ErrorContains(t, WriteTimelineSVG(io.Discard, r, Options{}), "no timeline")
}
