package fidelity_test

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/analysis/cost"
	"github.com/smux-cuda/smux/analysis/passes"
	"github.com/smux-cuda/smux/lab/fidelity"
	"github.com/smux-cuda/smux/model/sim"
	"github.com/smux-cuda/smux/model/workload"
	"github.com/smux-cuda/smux/parser"
)

// profiled are the ten benchmarks as smux itself counts them, from the source.
func profiled(t *testing.T) []*workload.Kernel {
	var out []*workload.Kernel
	for _, name := range []string{"mv", "fft", "mc", "sto", "sp", "hg", "cv", "mm", "tp", "rd"} {
		prog, errs := parser.LoadProgram([]string{filepath.Join("..", "..", "examples", name, name+".cu")}, parser.Options{})
		require.Empty(t, errs)
		k := passes.NewProgram(prog, [3]int{}).Kernels()[0]
		w, err := cost.Of(k, nil, cost.Options{Registers: cost.Registers(k, nil, 16)})
		require.NoError(t, err, name)
		w.Name, w.Blocks = strings.ToUpper(name), 0 // a large grid, not the few blocks of a self-check
		out = append(out, w)
	}
	return out
}

func TestTheProfiledExamplesCanBeSimulated(t *testing.T) {
	kernels := profiled(t)
	for _, k := range kernels {
		t.Logf("%s: %d threads, %d registers, %d bytes: %s", k.Name, k.Threads, k.Registers, k.Shared, workload.Format(k.Body))
	}
	rows, err := fidelity.PACT12(kernels, sim.Options{})
	require.NoError(t, err)
	at := map[string]float64{}
	for _, r := range rows {
		at[r.GPU+" "+r.Policy] = r.Simulated
	}
	assert.Greater(t, at["gtx480@16 best of the three"], at["gtx480@48 best of the three"])
	assert.GreaterOrEqual(t, at["gtx285 hw, K+2"], at["gtx285 hw, K+1"])

	var b bytes.Buffer
	require.NoError(t, fidelity.WriteMarkdown(&b, sim.Options{}, fidelity.Set{Title: "the programs in examples/, counted by smux", Kernels: kernels}))
	_, text, _ := strings.Cut(b.String(), "counted by smux")
	t.Log(text)
}
