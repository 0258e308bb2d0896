package residency_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/analysis/passes"
	"github.com/smux-cuda/smux/internal/console"
	"github.com/smux-cuda/smux/lab/cudatest"
	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/model/occupancy"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/pipeline/resources"
	"github.com/smux-cuda/smux/report/residency"
)

func gpus(t *testing.T, names ...string) []*gpu.GPU {
	t.Helper()
	var out []*gpu.GPU
	for _, n := range names {
		g, err := gpu.Default().Lookup(n)
		require.NoError(t, err)
		out = append(out, g)
	}
	return out
}

// reported is the report on the kernels of a text, by estimates.
func reported(t *testing.T, src string, on []*gpu.GPU) residency.Report {
	t.Helper()
	prog := cudatest.Program(t, "k.cu", src)
	c := console.New(strings.NewReader(""), &bytes.Buffer{}, &bytes.Buffer{})
	from, err := resources.New(c, nil, resources.Estimate, prog, parser.Options{})
	require.NoError(t, err)
	r, err := residency.Of(passes.NewProgram(prog, [3]int{}).Kernels(), on, from)
	require.NoError(t, err)
	return r
}

const source = `__global__ void k(float *a) { __shared__ float s[8192]; s[threadIdx.x] = a[threadIdx.x]; __syncthreads(); a[threadIdx.x] = s[64 - threadIdx.x]; }
__global__ void unseen(float *a) { a[0] = 1; }
void run(float *a) { k<<<8, 64>>>(a); k<<<8, 128>>>(a); }
`

func TestAKernelHasARowPerShapeAndGPU(t *testing.T) {
	r := reported(t, source, gpus(t, "a100", "t4"))
	require.Len(t, r.Kernels, 2)
	for i, threads := range []int{64, 128} {
		k := r.Kernels[i]
		assert.Equal(t, "k", k.Name)
		assert.Equal(t, [3]int{threads, 1, 1}, *k.Block)
		require.Len(t, k.Rows, 2)
		for _, row := range k.Rows {
			want, err := occupancy.Compute(gpus(t, row.GPU)[0], row.Demand)
			require.NoError(t, err)
			assert.Equal(t, want, *row.Result)
			assert.Equal(t, 32<<10, row.Demand.Shared)
		}
	}
	require.Len(t, r.Unknown, 1)
	assert.Equal(t, "unseen", r.Unknown[0].Name)
}

func TestASummaryCountsEachShapeOnEachGPU(t *testing.T) {
	on := gpus(t, "a100", "t4")
	s := reported(t, source, on).Summary(on)
	require.Len(t, s.GPUs, 2)
	for i, c := range s.GPUs {
		assert.Equal(t, on[i].String(), c.GPU)
		assert.Equal(t, 2, c.Kernels)
	}
	assert.Len(t, s.Unknown, 1)
}

func TestCurvesHaveASeriesPerGPUAndAMarkWhereTheKernelStands(t *testing.T) {
	rows, err := reported(t, source, gpus(t, "a100", "t4")).Curves()
	require.NoError(t, err)
	require.Len(t, rows, 2)
	for _, row := range rows {
		require.Len(t, row.Charts, 3)
		for _, c := range row.Charts {
			require.Len(t, c.Series, 2)
			assert.NotNil(t, c.Series[0].Mark)
		}
	}
}

func TestAThreadBlockByHandThatCanNotRunSaysWhatWouldLetIt(t *testing.T) {
	on := gpus(t, "a100")
	r, err := residency.ByHand(occupancy.Demand{Threads: 1024, Registers: 250}, on)
	require.NoError(t, err)
	row := r.Kernels[0].Rows[0]
	assert.Nil(t, row.Result)
	assert.NotEmpty(t, row.Impossible)
	assert.NotEmpty(t, row.Way())
	var out bytes.Buffer
	r.Text(&out)
	assert.Contains(t, out.String(), "can't run: ")
	_, err = residency.ByHand(occupancy.Demand{Threads: -1}, on)
	assert.Error(t, err)
}
