package variant_test

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/rewrite/variant"
)

// randomVariant is a variant with every knob that its rewriter has set to something that
// may be asked for.
func randomVariant(r *rand.Rand) variant.Variant {
	rw := variant.Rewriters[r.IntN(len(variant.Rewriters))]
	w := variant.Variant{Rewriter: rw.Name}
	if rw.Has(variant.KnobFactor) {
		w.Factor = 2 + r.IntN(variant.MostBlocks-1)
	}
	if rw.Has(variant.KnobSync) && r.IntN(4) > 0 {
		w.Sync = rw.Syncs[r.IntN(len(rw.Syncs))]
	}
	if rw.Has(variant.KnobSharedSets) {
		w.SharedSets = 1 + r.IntN(w.Factor-1)
	}
	if rw.Has(variant.KnobPrivateRows) {
		w.PrivateRows = r.IntN(100)
	}
	if rw.Has(variant.KnobStage) {
		w.Stage = variant.NoStage + r.IntN(8)
	}
	for _, knob := range variant.Switches() {
		*w.Switch(knob) = rw.Has(knob) && r.IntN(2) == 0
	}
	if rw.Has(variant.KnobGridAxis) {
		w.GridAxis = []string{"", "y", "z"}[r.IntN(3)]
	}
	if rw.Has(variant.KnobFactorY) && w.GridAxis != "y" {
		w.FactorY = []int{0, 2, variant.MostBlocks}[r.IntN(3)]
	}
	if rw.Has(variant.KnobUnroll) {
		w.Unroll = []int{0, 1, 4, variant.Full}[r.IntN(4)]
	}
	if rw.Has(variant.KnobBy) {
		w.By = variant.By[r.IntN(len(variant.By))]
		w.Rounds = 2 + r.IntN(variant.MostRounds-1)
	}
	if rw.Has(variant.KnobScheme) {
		w.Scheme = append(variant.Schemes, "")[r.IntN(len(variant.Schemes)+1)]
		w.Array, w.Tile = []string{"", "a"}[r.IntN(2)], r.IntN(3)*8
		w.Staged = rw.Has(variant.KnobStaged) && (w.Staged || w.Scheme+w.Array != "" || w.Tile != 0) // any of them asks for it
	}
	if rw.Has(variant.KnobRecipe) {
		w.Recipe = []string{
			"", "bounds=256", "bounds=256,3 unroll=57:1,80.2:4", "maxnreg=40 pin=i,p@41",
			"demote=sum,acc@33 form=asm", "demote=sum spill=shared", "spill=shared",
		}[r.IntN(7)]
	}
	return w
}

func TestAVariantIsReadAsItIsWritten(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 5000 {
		w := randomVariant(r)
		got, err := variant.Parse(w.String())
		require.NoError(t, err, w.String())
		require.Equal(t, w, got, w.String())
		if w.Sync != "" {
			joined := strings.Replace(w.String(), w.Rewriter+" "+w.Sync, w.Rewriter+"-"+w.Sync, 1)
			got, err := variant.Parse(joined)
			require.NoError(t, err, joined)
			require.Equal(t, w, got, joined)
		}
	}
	for _, o := range rewrite.Variants(rewrite.Options{}) { // and each that is offered
		got, err := variant.Parse(o.Variant.String())
		require.NoError(t, err)
		require.Equal(t, o.Variant, got)
	}
}

// What has become of a kernel in the steps of a variant of coarsen, one after the other, is that variant.
func TestAVariantIsItsStepsOneAfterTheOther(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	several := 0
	for range 5000 {
		w := randomVariant(r)
		require.Equal(t, w.Rewriter, w.Steps()[w.Main()].Rewriter)
		if w.Rewriter != variant.Coarsen || w.Stage == variant.NoStage { // which is no step
			continue
		}
		var now variant.Variant
		for i, step := range w.Steps() {
			if i > 0 {
				step, several = step.After(now), several+1
			}
			now = step
			require.Equal(t, w.Steps()[:i+1], now.Steps(), w.String())
		}
		require.Equal(t, w, now)
	}
	require.Greater(t, several, 100)
}

func TestWhatAVariantLeavesOpenIsAsOnTheCommandLine(t *testing.T) {
	for text, want := range map[string]variant.Variant{
		"vtb":                                {Rewriter: "vtb", Factor: 2},
		"vtb-named":                          {Rewriter: "vtb", Sync: "named", Factor: 2},
		"  vtb   N=4\tblock ":                {Rewriter: "vtb", Sync: "block", Factor: 4},
		"vtb-pipe":                           {Rewriter: "vtb-pipe", Factor: 2},
		"vtb-pipe-block":                     {Rewriter: "vtb-pipe", Sync: "block", Factor: 2},
		"co-vtb-lock P=63 N=4":               {Rewriter: "co-vtb", Sync: "lock", Factor: 4, PrivateRows: 63},
		"dyn":                                {Rewriter: "dyn", Factor: 2, SharedSets: 1},
		"merge merge=y":                      {Rewriter: "merge", Factor: 2, GridAxis: "y"},
		"vtb merge=x K=0":                    {Rewriter: "vtb", Factor: 2, Stage: variant.NoStage},
		"stage-loads compute-first":          {Rewriter: "stage-loads", Compute: true},
		"stage-loads K=3":                    {Rewriter: "stage-loads", Stage: 3},
		"unroll":                             {Rewriter: "unroll", Factor: 4},
		"unroll N=1":                         {Rewriter: "unroll", Factor: 1},
		"reshape shape=32,8":                 {Rewriter: "reshape", Extents: "32,8"},
		"unroll N=0":                         {Rewriter: "unroll", Factor: variant.Full},
		"coarsen y=4 N=2 unroll=0 K=8":       {Rewriter: "coarsen", Factor: 2, FactorY: 4, Unroll: variant.Full, Stage: 8},
		"assume-shape":                       {Rewriter: "assume-shape"},
		"vtb assume-shape":                   {Rewriter: "vtb", Factor: 2, Assume: true},
		"dyn early-loads pin-values M=2 N=4": {Rewriter: "dyn", Factor: 4, SharedSets: 2, Pin: true, Early: true},
		"demote unroll=57:1 bounds=256,3":    {Rewriter: "demote", Recipe: "bounds=256,3 unroll=57:1"},
		"demote demote=sum form=volatile":    {Rewriter: "demote", Recipe: "demote=sum"},
		"demote pin=i,p@41 spill=shared":     {Rewriter: "demote", Recipe: "pin=i,p@41 spill=shared"},
		"demote demote=a maxnreg=40 pin=bc":  {Rewriter: "demote", Recipe: "maxnreg=40 pin=bc demote=a"},
	} {
		got, err := variant.Parse(text)
		require.NoError(t, err, text)
		assert.Equal(t, want, got, text)
	}
}

func TestATextThatIsNotAVariantIsRefusedWithASuggestion(t *testing.T) {
	for _, tt := range []struct{ text, says, help string }{
		{"", "no rewrite is named", "vtb-named N=2"},
		{"vtbn", `"vtbn" is not a rewrite`, `did you mean "vtb"`},
		{"vtb-nmaed N=2", `"vtb-nmaed" is not a rewrite`, `"vtb-named"`},
		{"dyn-named", `"dyn-named" is not a rewrite`, `or "dyn"`},
		{"vtb n=2", `"n=2" is not a knob`, `did you mean "N=2"?`},
		{"vtb factor=4", `"factor=4" is not a knob`, `did you mean "N=4"?`},
		{"vtb nammed", `"nammed" is not a knob`, `did you mean "named"?`},
		{"vtb N=two", "N=two is not a number", "write N=2"},
		{"vtb N=+2", "N=+2 is not a number", ""},
		{"vtb N=", "N= is not a number", ""},
		{"vtb N=1", "N=1 is too small", "2 or more"},
		{"vtb N=0", "N=0 is too small", "2 or more"},
		{"unroll N=-1", "N=-1 is too small", "0 or more"},
		{"reshape shape=32x8", `"32x8" is not a positive number`, "shape=32,8"},
		{"vtb shape=32", `vtb does not have what "shape=32" sets`, ""},
		{"vtb N=65", "N=65 is too large", "from 2 to 64"},
		{"coarsen y=65", "y=65 is too large", "from 2 to 64"},
		{"coarsen y=2 merge=y", "are the same axis", "omit"},
		{"vtb unroll=4", `vtb does not have what "unroll=4" sets`, ""},
		{"vtb N=99999999999999999999", "is not a number", ""},
		{"vtb N=2 N=4", "factor is said twice", ""},
		{"vtb-named lock", "sync is said twice", ""},
		{"vtb M=2", `vtb does not have what "M=2" sets`, "vtb takes: named, lock, block, N=2, K=0, merge=y, assume-shape, pin-values, early-loads, compute-first, release-early, barrier-register"},
		{"stage-loads N=2", `stage-loads does not have`, "stage-loads takes: K=0, compute-first"},
		{"assume-shape K=0", `assume-shape does not have`, "write assume-shape alone"},
		{"dyn named", "dyn does not take turns by named", "dyn takes: lock"},
		{"dyn N=3 M=3", "M=3 is not less than N=3", ""},
		{"co-vtb P=0", "P=0 is too small", ""},
		{"vtb K=-1", "K=-1 is too small", ""},
		{"vtb merge=w", `"w" is not a dimension`, ""},
		{"demote bounds=x", "the recipe can't be read", ""},
		{"demote pin=i pin=j", "pin is said twice", ""},
		{"vtb pin=i", `vtb does not have what "pin=i" sets`, ""},
	} {
		_, err := variant.Parse(tt.text)
		var said *variant.Error
		require.True(t, errors.As(err, &said), tt.text)
		assert.Contains(t, said.Text, tt.says, tt.text)
		assert.Contains(t, said.Help, tt.help, tt.text)
	}
}

func FuzzParse(f *testing.F) {
	for _, text := range []string{"vtb named N=2", "co-vtb-lock N=4 P=63 K=0 merge=y assume-shape", "demote bounds=256,3 unroll=57:1 pin=i", "dyn N=3 M=3"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		w, err := variant.Parse(text)
		if err != nil {
			require.NotContains(t, err.Error(), "%!")
			return
		}
		again, err := variant.Parse(w.String())
		require.NoError(t, err, w.String())
		require.Equal(t, w, again)
	})
}
