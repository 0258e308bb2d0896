package modelcheck

import (
	"bytes"
	"context"
	"encoding/xml"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/model/occupancy"
	"github.com/smux-cuda/smux/tune/foreign"
	"github.com/smux-cuda/smux/tune/record"
	"github.com/smux-cuda/smux/verify/harness"
)

// at is a configuration with one constant, n, and both times in milliseconds.
func at(n int, measured, predicted float64) *point {
	return of([]record.Constant{{Name: "n", Value: strconv.Itoa(n)}}, measured, predicted, 1)
}

func of(constants []record.Constant, measured, predicted float64, blocks int) *point {
	v := &record.MeasuredVariant{}
	v.Candidate.Configuration = record.NewConfiguration(constants)
	return &point{variant: v, constants: constants, measured: measured,
		predicted: &Prediction{Milliseconds: predicted, Static: occupancy.Result{Blocks: blocks}}}
}

func TestTheRegretIsWhatAChoiceLoses(t *testing.T) {
	points := []*point{at(1, 4, 1), at(2, 3, 2), at(3, 2.2, 3), at(4, 2, 40), at(5, 8, 50)}
	r := regret(points)
	assert.InDelta(t, 1.0, r.First, 1e-12)
	assert.InDelta(t, 0.1, r.Three, 1e-12)
	assert.InDelta(t, 0, r.Ten, 1e-12)
	assert.InDelta(t, 0.5, r.Random, 1e-12)
	assert.Equal(t, "n=1", r.Chosen)
	assert.Equal(t, "n=4", r.Best)
	assert.Nil(t, regret(nil))
	assert.Equal(t, "n=7", regret([]*point{at(7, 1, 3), at(8, 2, 3)}).Chosen, "of equals the first")
}

func TestChangesAreOfOneConstantByOneStep(t *testing.T) {
	pt := func(a, b string, measured, predicted float64, blocks int) *point {
		return of([]record.Constant{{Name: "a", Value: a}, {Name: "b", Value: b}, {Name: "same", Value: "1"}}, measured, predicted, blocks)
	}
	got := changes([]*point{
		pt("16", "x", 1, 1, 4), pt("2", "x", 2, 3, 2), pt("4", "x", 3, 2, 2),
		pt("4", "y", 3.01, 1, 1), pt("16", "y", 1, 1.0001, 4),
	})
	assert.Equal(t, []Change{
		// 2 to 4: wrong; 4 to 16 of x: right; of y: no difference predicted.
		{Of: "a", Pairs: 3, Right: 1, Wrong: 1, Faster: 2},
		// at 4 and at 16 nothing was measured to differ.
		{Of: "b"},
		{Of: BlocksPerSM, Pairs: 2, Right: 1, Faster: 2},
	}, got)
}

func TestOccupancyAndTheGPUMayContradictEachOther(t *testing.T) {
	g, err := gpu.Lookup("rtx2080ti")
	require.NoError(t, err)
	// 96 threads of 255 registers: two blocks of three warps, and room for eight warps.
	demand := occupancy.Demand{Threads: 96, Registers: 255, Shared: 1024}
	static, err := occupancy.Compute(g, demand)
	require.NoError(t, err)
	require.Equal(t, 6, static.Warps)
	ran := func(active float64) point {
		return point{variant: &record.MeasuredVariant{}, measured: 1, counters: map[string]float64{warpsActive: active},
			predicted: &Prediction{Registers: 255, Recorded: true, Shared: 1024, Static: static, Milliseconds: 1}}
	}
	failed := func(threads, shared int, impossible string) point {
		return point{variant: &record.MeasuredVariant{}, failure: &record.Failure{Kind: record.FailedRun},
			predicted: &Prediction{Launch: record.Grid{Block: [3]int{threads, 1, 1}}, Shared: shared, Impossible: impossible}}
	}
	r := residency([]point{
		ran(18), ran(18.75), ran(19.4), ran(25), ran(25.2),
		failed(64, 70000, "70000 bytes of shared memory; …"),
		failed(64, 50000, "50000 bytes of static shared memory; …"),
		failed(512, 0, ""), failed(64, 0, ""),
		{variant: &record.MeasuredVariant{}, measured: 1, predicted: &Prediction{Recorded: true, Impossible: "255 registers"}},
	}, g)
	assert.Equal(t, []int{5, 2, 1}, []int{r.Active, r.Early, r.Over})
	assert.Equal(t, []int{4, 1, 1}, []int{r.Failed, r.Possible, r.Unknown}, "512 threads of 255 registers don't fit, 64 do")
	assert.ElementsMatch(t, []Reason{{"shared memory", 1}, {"static shared memory", 1}}, r.Explained)
	assert.Equal(t, 1, r.Denied)
	assert.Equal(t, 3, r.Contradictions())
	assert.Len(t, r.Examples, 3)
}

func TestCountersAreComparedByTheirRatio(t *testing.T) {
	pt := func(model, hardware float64) *point {
		p := at(1, 1, 1)
		p.predicted.Counts.Instructions = model
		p.counters = map[string]float64{"smsp__inst_executed.sum": hardware}
		return p
	}
	got := counters([]*point{pt(100, 100), pt(50, 100), pt(110, 100), pt(0, 100), pt(0, 0), at(2, 1, 1)})
	require.Len(t, got, 1)
	assert.Equal(t, "instructions of warps", got[0].Of)
	assert.Equal(t, []int{3, 1}, []int{got[0].Configurations, got[0].Absent})
	assert.InDelta(t, 1, got[0].Ratio, 1e-12)
	assert.InDelta(t, 0.1, got[0].Median, 1e-12)
	assert.InDelta(t, 0.1, got[0].Ninety, 1e-12)
}

func judged(t *testing.T) Report {
	t.Helper()
	folder := filepath.Join("..", "..", "testdata", "judged")
	src, err := os.ReadFile(filepath.Join(folder, "window.json"))
	require.NoError(t, err)
	results, err := foreign.Read("window.json", src, "")
	require.NoError(t, err)
	lines, err := results.Lines("rtx2080ti")
	require.NoError(t, err)
	cu, err := os.ReadFile(filepath.Join(folder, "window.cu"))
	require.NoError(t, err)
	block, err := harness.ParseExprs("BLOCK")
	require.NoError(t, err)
	r, err := Of(context.Background(), lines, &Predictor{Name: "window.cu", Source: cu, Shapes: Shapes{Block: block}},
		func(s record.Subject) *gpu.GPU { g, _ := gpu.Lookup(s.Machine.GPU); return g })
	require.NoError(t, err)
	require.Len(t, r.Kernels, 1)
	return r
}

func TestARecordIsJudged(t *testing.T) {
	r := judged(t)
	k := r.Kernels[0]
	assert.Equal(t, []int{50, 49, 49, 49}, []int{k.Configurations, k.Ran, k.Predicted, k.Recorded})
	require.NotNil(t, k.Spearman)
	assert.Equal(t, "BLOCK=64 ROWS=16 SHARED=1", k.Regret.Best)
	assert.Zero(t, k.Residency.Contradictions())
	assert.Equal(t, []Reason{{"shared memory", 1}}, k.Residency.Explained)
	var text bytes.Buffer
	r.Text(&text)
	assert.Contains(t, text.String(), "window on rtx2080ti")
	assert.NotContains(t, text.String(), "NaN")
	assert.Equal(t, r.Kernels[0].Regret, judged(t).Kernels[0].Regret, "equal records have equal reports")
}

func TestTheChartIsWellFormedAndHasADotForEachKind(t *testing.T) {
	svg := judged(t).SVG()
	for d := xml.NewDecoder(bytes.NewReader(svg)); ; {
		if _, err := d.Token(); err == io.EOF {
			break
		} else {
			require.NoError(t, err)
		}
	}
	for _, part := range []string{"with shared memory", "without", "predicted, ms", "measured, ms", "<circle"} {
		assert.Contains(t, string(svg), part)
	}
	assert.Contains(t, string(Report{}.SVG()), "</svg>")
}

func TestTheEffortIsCountedUntilAGoodOneIsMeasured(t *testing.T) {
	points := []point{*at(1, 9, 1), *at(2, 1.04, 2), *at(3, 1, 3), *at(4, 5, 4), *at(5, 6, 5), *at(6, 0, 0)}
	assert.Equal(t, []Effort{{ByChance, 2, 3}, {ByModel, 2, 3}}, efforts(points),
		"two of five: 0.4 with one draw, 0.7 with two; one of five: 0.4 with two, 0.6 with three")
	assert.Empty(t, efforts(nil))
}

func TestTheSearchOfTuneIsReplayed(t *testing.T) {
	var k Kernel
	for n := range 60 {
		far := math.Abs(float64(n - 41))
		k.points = append(k.points, *at(n, 1+far, 1+far))
	}
	k.points[0].measured = 0 // it failed
	k.points = append(k.points, *at(100, 0, 0))
	silent := k
	k.Predicted = 59
	r := Report{Kernels: []Kernel{k, silent, {}}}
	require.NoError(t, r.Search(context.Background()))
	require.Len(t, r.Kernels[0].Efforts, 2)
	assert.Less(t, r.Kernels[0].Efforts[0].One, 25)
	assert.Less(t, r.Kernels[0].Efforts[1].One, 5, "the model is right")
	assert.Len(t, r.Kernels[1].Efforts, 1, "nothing is predicted")
	assert.Zero(t, r.Kernels[2].Efforts[0].One)
	ended, end := context.WithCancel(context.Background())
	end()
	assert.ErrorIs(t, r.Search(ended), context.Canceled)
}

// Contradictions are the configurations in which the occupancy and the GPU contradict each
// other.
func (r Residency) Contradictions() int { return r.Over + r.Denied + r.Unknown }
