package selection

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/model/occupancy"
)

// stands is a kernel of so many registers that was compiled.
func stands(registers, blocks int) Standing {
	return Standing{Resources: Resources{Registers: registers, Source: "ptxas sm_80"}, Blocks: blocks}
}

func TestFeedbackSaysWhatChanged(t *testing.T) {
	at := diag.Position{File: "k.cu", Line: 3, Column: 17}
	got := Feedback(at, []Prediction{{GPU: "a100", Before: stands(72, 8), After: stands(77, 10)}})
	require.Len(t, got, 1)
	assert.Equal(t, diag.Message{Pos: at, Code: "registers", Text: "72 -> 77 registers, no spills, 8 -> 10 thread blocks per SM on a100"}, got[0])

	got = Feedback(at, []Prediction{
		{GPU: "a100", Before: stands(72, 8), After: stands(77, 10)},
		{GPU: "t4", Before: stands(72, 4), After: stands(77, 6)},
		{GPU: "h100", Before: stands(72, 8), After: stands(77, 10)},
	})
	require.Len(t, got, 1)
	assert.Equal(t, "72 -> 77 registers, no spills, 8 -> 10 thread blocks per SM on a100 and h100; 72 -> 77 registers, no spills, 4 -> 6 thread blocks per SM on t4", got[0].Text)
}

func TestFeedbackSaysWhatGotWorse(t *testing.T) {
	worse := Prediction{GPU: "t4", Before: stands(72, 8), After: stands(128, 6)}
	worse.After.Limiters = 1 << occupancy.Registers
	worse.After.Spills, worse.After.Stack = 24, 16
	got := Feedback(diag.Position{}, []Prediction{{GPU: "a100", Before: stands(72, 8), After: stands(77, 8)}, worse})
	require.Len(t, got, 3)
	assert.Contains(t, got[0].Text, "0 -> 24 bytes spilled")
	assert.Equal(t, CodeOccupancyLost, got[1].Code)
	assert.Equal(t, "fewer thread blocks run at once than before: 8 -> 6 per SM, limited by registers on t4", got[1].Text)
	assert.Equal(t, CodeSpills, got[2].Code)
	assert.Equal(t, "the compiler spills 24 bytes per thread more than before, and the stack frame has 16 bytes per thread, 0 before on t4", got[2].Text)
	for _, m := range got[1:] {
		assert.NotEmpty(t, m.Help, m.Code)
	}
}

func TestSpillsOfTheOriginalAreNotTheRewritesFault(t *testing.T) {
	p := Prediction{GPU: "a100", Before: stands(255, 2), After: stands(255, 2)}
	p.Before.Spills, p.Before.Stack, p.After.Spills, p.After.Stack = 24, 16, 20, 16
	got := Feedback(diag.Position{}, []Prediction{p})
	require.Len(t, got, 1)
	assert.Contains(t, got[0].Text, "24 -> 20 bytes spilled")
}

func TestEstimatesAreNoFeedback(t *testing.T) {
	p := Prediction{GPU: "a100", Before: stands(72, 8), After: stands(77, 6)}
	p.After.Source = "estimate"
	assert.Empty(t, Feedback(diag.Position{}, []Prediction{p}))
	assert.Empty(t, Feedback(diag.Position{}, nil))
}

func TestOneGPUWithTwoBlockSizesIsToldApart(t *testing.T) {
	got := Feedback(diag.Position{}, []Prediction{
		{GPU: "a100", Block: "64", Before: stands(72, 8), After: stands(77, 10)},
		{GPU: "a100", Block: "128", Before: stands(72, 4), After: stands(77, 6)},
	})
	require.Len(t, got, 1)
	assert.Contains(t, got[0].Text, " on a100 with block 64; ")
	assert.Contains(t, got[0].Text, " on a100 with block 128")
}
