package variants

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/rewrite"
)

// each calls f for each rewrite that was compiled.
func each(t *testing.T, f func(*program, tabulated)) {
	t.Helper()
	n := 0
	for _, p := range programs(t) {
		for _, v := range p.variants {
			if len(v.refused) == 0 {
				f(p, v)
				n++
			}
		}
	}
	require.Greater(t, n, 50)
}

// A barrier whose number is in a register makes the compiler reserve all sixteen,
// which can limit how many thread blocks run.
func TestRewritesReserveOnlyTheBarriersThatTheyUse(t *testing.T) {
	each(t, func(p *program, v tabulated) {
		most := 1 // __syncthreads
		switch v.Sync {
		case "named":
			most = v.Factor + 3
			if p.name == "sp" && v.Rewriter == "co-vtb" {
				// Of a split array with rows of single elements some barriers are left
				// outside of regions, for which each v-TB needs a number of its own.
				most = 2*v.Factor + 1
			}
		case "lock":
			most = v.Factor + 1
		}
		assert.LessOrEqual(t, v.Barriers, most, "%s %s", p.name, v.Variant)
	})
}

func TestNoRewriteOfTheExamplesSpills(t *testing.T) {
	each(t, func(p *program, v tabulated) {
		assert.LessOrEqual(t, v.SpillStores+v.SpillLoads, p.original.SpillStores+p.original.SpillLoads, "%s %s", p.name, v.Variant)
		assert.LessOrEqual(t, v.Stack, p.original.Stack, "%s %s", p.name, v.Variant)
	})
}

// Turns among two thread blocks may cost at most 15 % of code in the kernels that
// were rewritten by hand before smux was written.
func TestTurnsCostLittleCode(t *testing.T) {
	byHand := []string{"fft", "mv", "sp", "mc"}
	found := 0
	each(t, func(p *program, v tabulated) {
		if slices.Contains(byHand, p.name) && v.Variant == (rewrite.Variant{Rewriter: "vtb", Sync: "named", Factor: 2}) {
			assert.LessOrEqual(t, p.growth(v), 15.0, p.name)
			found++
		}
	})
	assert.Equal(t, len(byHand), found)
}

// TestKnobsThatShortenTurnsDoNotSpill: nor does any take shared memory, and only barriers whose number
// is in a register are all reserved. Of blocks that stay the kernels spill whose launch bounds or
// threads leave them no more registers: what spills is not chosen.
func TestKnobsThatShortenTurnsDoNotSpill(t *testing.T) {
	changed := 0
	spill := []string{"sto vtb named N=4 persistent", "mm co-vtb named N=2 persistent"}
	for _, p := range programs(t) {
		for _, row := range slices.Concat(p.shorter, p.staying) {
			for _, v := range row {
				if v.instructions == 0 {
					continue
				}
				changed++
				name := p.name + " " + v.Variant.String()
				assert.Equal(t, slices.Contains(spill, name), v.SpillStores+v.SpillLoads > p.original.SpillStores+p.original.SpillLoads, name)
				assert.Equal(t, row[0].StaticShared, v.StaticShared, "%s %s", p.name, v.Variant)
				assert.Equal(t, v.Numbered, v.Barriers == 16, "%s %s", p.name, v.Variant)
			}
		}
	}
	assert.Greater(t, changed, 40)
}
