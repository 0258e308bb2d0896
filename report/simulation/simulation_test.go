package simulation_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/analysis/passes"
	"github.com/smux-cuda/smux/internal/console"
	"github.com/smux-cuda/smux/lab/cudatest"
	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/model/sim"
	"github.com/smux-cuda/smux/model/workload"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/pipeline/resources"
	"github.com/smux-cuda/smux/report/simulation"
)

func lookup(t *testing.T, name string) *gpu.GPU {
	t.Helper()
	g, err := gpu.Default().Lookup(name)
	require.NoError(t, err)
	return g
}

// byHand is a simulation of a warp's steps on a GPU.
func byHand(t *testing.T, steps string, shared int, policies ...string) (*simulation.Simulation, []string) {
	t.Helper()
	body, err := workload.Parse(steps)
	require.NoError(t, err)
	chosen, err := simulation.ParsePolicies(policies)
	require.NoError(t, err)
	threads := 64
	m := simulation.New(simulation.Options{GPUs: []*gpu.GPU{lookup(t, "gtx285")}, Policies: chosen, Threads: &threads, Shared: &shared, Body: body})
	return m, m.AddByHand()
}

const turns = "M256 x8(R(^M128 S64 B C400 B))"

func TestTheOriginalIsWhatOthersAreComparedWith(t *testing.T) {
	m, impossible := byHand(t, turns, 8192, "vtb:named:N=2")
	assert.Empty(t, impossible)
	require.Len(t, m.Report.Kernels, 1)
	runs := m.Report.Kernels[0].Runs
	require.Len(t, runs, 2)
	assert.Equal(t, "original", runs[0].Policy)
	assert.Equal(t, 1.0, *runs[0].Result.SpeedUp)
	assert.InEpsilon(t, runs[0].Result.PerBlock/runs[1].Result.PerBlock, *runs[1].Result.SpeedUp, 1e-3)
	var out bytes.Buffer
	m.Report.Text(&out)
	assert.Equal(t, 5, strings.Count(out.String(), "\n"), "a heading, two policies below theirs, and segments:\n%s", out.String())
}

func TestPoliciesThatDoNothingAreLeftOutUnlessTheyAreNamed(t *testing.T) {
	m, _ := byHand(t, "C100", 0)
	for _, r := range m.Report.Kernels[0].Runs {
		kind, _, _ := strings.Cut(r.Policy, " ")
		assert.Contains(t, []string{"original", "merge"}, kind)
	}
	assert.Len(t, m.Report.Kernels[0].Notes, 1)
	m, _ = byHand(t, "C100", 0, "hw:K+2")
	assert.Len(t, m.Report.Kernels[0].Runs, 2)
	assert.Empty(t, m.Report.Kernels[0].Notes)
}

func TestAThreadBlockThatCanNotRunSaysWhy(t *testing.T) {
	m, impossible := byHand(t, "C100", 1<<20)
	require.Len(t, impossible, 1)
	for _, r := range m.Report.Kernels[0].Runs {
		assert.Nil(t, r.Result)
		assert.NotEmpty(t, r.Reason)
	}
	_, err := m.Timeline()
	assert.ErrorContains(t, err, "--timeline: ")
}

func TestWrongPoliciesAreTold(t *testing.T) {
	for text, want := range map[string]string{"": "names no policy", "vtp": `"vtp" is not a policy`, "vtb:N=x": `"vtb:N=x": `} {
		_, err := simulation.ParsePolicies([]string{text})
		assert.ErrorContains(t, err, want)
	}
	none, err := simulation.ParsePolicies(nil)
	require.NoError(t, err)
	assert.Nil(t, none)
	first, err := simulation.ParsePolicies([]string{"hw:K+2,merge", "merge"})
	require.NoError(t, err)
	require.Len(t, first, 3, "each once")
	assert.Equal(t, sim.Policy{}, first[0])
}

func TestSlowerMemoryIsThatOfACopy(t *testing.T) {
	g := lookup(t, "a100")
	before := *g
	slow := simulation.WithMemory([]*gpu.GPU{g}, 2*g.Arch.MemoryLatency, g.Bandwidth/2)[0]
	assert.Equal(t, before, *g)
	assert.Equal(t, 2*g.Arch.MemoryLatency, slow.Arch.MemoryLatency)
	assert.Equal(t, g.Bandwidth/2, slow.Bandwidth)
	fast := simulation.WithMemory([]*gpu.GPU{g}, 1, 0)[0]
	assert.LessOrEqual(t, fast.Arch.L2Latency, 1.0)
}

const source = `__global__ void k(float *a) { __shared__ float s[64]; s[threadIdx.x] = a[threadIdx.x]; __syncthreads(); a[threadIdx.x] = s[63 - threadIdx.x]; }
__global__ void unseen(float *a) { a[0] = 1; }
void run(float *a) { k<<<8, 64>>>(a); }
`

func TestKernelsOfASourceAreSimulatedAsTheyAreLaunched(t *testing.T) {
	prog := cudatest.Program(t, "k.cu", source)
	c := console.New(strings.NewReader(""), &bytes.Buffer{}, &bytes.Buffer{})
	from, err := resources.New(c, nil, resources.Estimate, prog, parser.Options{})
	require.NoError(t, err)
	registers := 17
	m := simulation.New(simulation.Options{GPUs: []*gpu.GPU{lookup(t, "a100")}, Registers: &registers})
	for _, k := range passes.NewProgram(prog, [3]int{}).Kernels() {
		require.NoError(t, m.Add(k, from))
	}
	require.Len(t, m.Report.Kernels, 1)
	k := m.Report.Kernels[0]
	assert.Equal(t, []int{64, 17, 256}, []int{k.Threads, k.Registers, k.Shared})
	assert.Empty(t, k.RegistersFrom, "they are given")
	require.Len(t, m.Report.Unknown, 1)
	assert.Equal(t, "unseen", m.Report.Unknown[0].Name)

	drawn, err := m.Timeline()
	require.NoError(t, err)
	d := xml.NewDecoder(bytes.NewReader(drawn))
	for err == nil {
		_, err = d.Token()
	}
	assert.True(t, errors.Is(err, io.EOF), "it is well-formed: %v", err)
}
