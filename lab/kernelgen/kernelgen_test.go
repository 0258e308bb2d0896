package kernelgen_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/passes"
	"github.com/smux-cuda/smux/analysis/uniformity"
	"github.com/smux-cuda/smux/lab/kernelgen"
	"github.com/smux-cuda/smux/parser"
)

// TestAKernelDependsOnItsNumberAlone: what one run finds another one finds again,
// whichever kernels it asks for.
func TestAKernelDependsOnItsNumberAlone(t *testing.T) {
	for i := range 2000 {
		assert.Equal(t, kernelgen.New(1, i), kernelgen.New(1, i))
		assert.Equal(t, kernelgen.NewWithObjects(1, i), kernelgen.NewWithObjects(1, i))
	}
	assert.NotEqual(t, kernelgen.New(1, 3).Text, kernelgen.New(2, 3).Text)
}

// TestEachKindOfControlIsWritten: among a few hundred kernels there are those
// with each level of control around a barrier, and with each level of exit.
func TestEachKindOfControlIsWritten(t *testing.T) {
	var kernels []kernelgen.Kernel
	matched := 0
	for i := range 300 {
		kernels = append(kernels, kernelgen.New(1, i))
		if kernels[i].Matched {
			matched++
		}
	}
	f, err := parser.Parse("k.cu", kernelgen.Source(kernels), parser.Options{})
	require.NoError(t, err)
	barriers, exits, guards := map[analysis.Uniformity]int{}, map[analysis.Uniformity]int{}, 0
	for _, k := range passes.NewProgram(parser.NewProgram([]*parser.File{f}, parser.Options{}), [3]int{}).Kernels() {
		for _, h := range k.Hazards { // a loop that ends by what it loads and changes nothing
			assert.Equal(t, analysis.CodeSpin, h.Code, k.Name)
		}
		for _, b := range append(uniformity.BarrierCalls(k), k.Barriers...) {
			barriers[b.Control]++
			if b.Control > b.Among {
				guards++
			}
		}
		for _, x := range k.Exits {
			exits[x.Control]++
		}
	}
	for _, l := range []analysis.Uniformity{analysis.GridUniform, analysis.BlockUniform, analysis.ThreadVarying} {
		assert.Greater(t, barriers[l], 20, "barriers under %s control", l)
		assert.Greater(t, exits[l], 10, "exits under %s control", l)
	}
	assert.Greater(t, guards, 20, "barriers in a guard around the rest")
	assert.Greater(t, matched, 10, "barriers in both branches")
}
