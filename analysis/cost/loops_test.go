package cost_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestLoadsUnderAShortConditionGoTogether(t *testing.T) {
	waits := func(body string) float64 {
		return total(profileOf(t, "float v = 0; for (int i = 0; i < n; ++i) { "+body+" } b[threadIdx.x] = v;")).Waits
	}
	assert.EqualValues(t, 4, waits("v += a[i * 64 + threadIdx.x];"), "16 turns, four laid out in a row")
	assert.EqualValues(t, 4, waits("if (i * 64 + threadIdx.x < n) v += a[i * 64 + threadIdx.x];"), "predicates")
	assert.EqualValues(t, 16, waits("if (i * 64 + threadIdx.x < n) { v += a[i * 64 + threadIdx.x]; v = sinf(v); }"), "a branch")
	assert.InDelta(t, 16, waits("v += a[(int)v];"), 1, "each address is the load before")
}

func TestLoopsThatStepByAVariableAreNotUnrolled(t *testing.T) {
	of := func(step string) float64 {
		return total(profileOf(t, "float v = 0; for (int i = 0; i < n; "+step+") v = v * v + 2.0f; b[threadIdx.x] = v;")).Issue
	}
	assert.Greater(t, of("i += gridDim.x")-of("i += 2"), 12.0)
}

func TestInnerLoopsOfVaryingLengthStayLoops(t *testing.T) {
	// The compiler does not know s, though it knows all values that s takes.
	w := profileOf(t, "float v = a[0];\n#pragma unroll 1\nfor (int s = 1; s < 16; s <<= 1) for (int i = 0; i < s; ++i) v = v * v + 2.0f; b[threadIdx.x] = v;")
	assert.Greater(t, total(w).Issue, 15*(1+2.0/4)+4*3)
}

func TestALoneSampleStandsInTheMiddle(t *testing.T) {
	// 1 + 2 + … + 100 turns: few of the outer loop's turns are walked.
	w := profileOf(t, `float v = 0;
for (int p = 0; p < 20; ++p) for (int q = 0; q < 20; ++q)
    for (int i = 0; i < 100; ++i)
        for (int j = 0; j <= i; ++j) v += a[(j * 100 + i) * 64 + threadIdx.x];
b[threadIdx.x] = v;`)
	assert.InEpsilon(t, 400*5050*128, total(w).Loads, 0.1)
}

func TestTurnsAreCountedWhateverElseTheHeadHolds(t *testing.T) {
	of := func(head string) float64 {
		return total(profileOf(t, "float v = 0; int k = 0;\n#pragma unroll 1\nfor ("+head+") v = v * v + a[k]; b[threadIdx.x] = v;")).Loads
	}
	want := of("int i = 0; i < 600; i++") // a[0], again in each turn
	for _, head := range []string{"int i = 0; i < min(600, 1000); i++", "int i = 0; i < 600; i++, v += 1", "int i = 600; i > 0; v = i--"} {
		assert.Equal(t, want, of(head), head)
	}
	load := func(head string) float64 {
		return total(profileOf(t, "float v = 0; int k = 599; for ("+head+") v = v * v + a[k * 64 + threadIdx.x]; b[threadIdx.x] = v;")).Loads
	}
	assert.InEpsilon(t, 600*128, load("int i = 0; i < 600; k = i++"), 0.02)
}
