package selection

import (
	"errors"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/analysis/passes"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/lab/suite"
	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/model/sim"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite"
)

// groups are the kernels of a program with what can be done to them.
func groups(t testing.TB, files ...*parser.File) []rewrite.Group {
	t.Helper()
	prog := passes.NewProgram(parser.NewProgram(files, parser.Options{}), [3]int{})
	return rewrite.Groups(prog, prog.Kernels(), rewrite.Options{})
}

func source(t testing.TB, text string) *parser.File {
	t.Helper()
	f, err := parser.Parse("k.cu", []byte(text), parser.Options{})
	require.NoError(t, err)
	return f
}

// choose ranks the only group of a program for GPUs.
func one(t *testing.T, text string, gpus ...string) *Report {
	t.Helper()
	g := groups(t, source(t, text))
	require.Len(t, g, 1)
	req := Request{MinGain: 5, Source: Estimates{}}
	for _, name := range gpus {
		req.GPUs = append(req.GPUs, board(t, name))
	}
	return Group(g[0], req)
}

// TestExamplesGetTheirCode chooses for the example of each documented code, on
// the GPU that its first line names.
func TestExamplesGetTheirCode(t *testing.T) {
	named := regexp.MustCompile(`--gpu (\S+)`)
	for _, code := range []diag.Code{CodeChosen, CodeNoGain, CodeNotRanked} {
		t.Run(string(code), func(t *testing.T) {
			doc, ok := diag.Lookup(code)
			require.True(t, ok)
			board := named.FindStringSubmatch(doc.Example)
			require.NotNil(t, board)
			r := one(t, doc.Example, board[1])
			require.Len(t, r.Decision(diag.Position{}).Why, 1)
			assert.Equal(t, code, r.Decision(diag.Position{}).Why[0].Code, r.Summary())
		})
	}
}

const exchange = `
__global__ void k(const float *in, float *out, int n) {
    __shared__ float s[3072];
    float sum = 0;
    for (int i = 0; i < n; ++i) sum += in[(blockIdx.x * n + i) * 64 + threadIdx.x];
    s[threadIdx.x * 48] = sum;
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = s[(63 - threadIdx.x) * 48];
}
`

func TestSeveralLaunchesAreAllLookedAt(t *testing.T) {
	r := one(t, exchange+`void run(float *a, float *b) { k<<<100000, 64>>>(a, b, 64); k<<<100000, 128>>>(a, b, 64); }`, "gtx480@16")
	assert.Len(t, r.Originals, 2)
	assert.Equal(t, []string{"64", "128"}, []string{r.Originals[0].Block, r.Originals[1].Block})
	assert.Contains(t, r.Summary(), " on gtx480@16 with block 64 and gtx480@16 with block 128")
}

func TestALaunchThatIsNotKnownIsSaid(t *testing.T) {
	r := one(t, exchange+`void run(float *a, float *b, int n) { k<<<100000, 64>>>(a, b, 64); k<<<100000, n>>>(a, b, 64); }`, "gtx480@16")
	assert.Len(t, r.Originals, 1)
	assert.Contains(t, strings.Join(r.Assumptions, "\n"), "a launch was not looked at: the block size is not known")
	r = one(t, exchange+`void run(float *a, float *b, int n) { k<<<100000, n>>>(a, b, 64); }`, "gtx480@16")
	assert.Contains(t, r.Unranked, "the block size is not known")
	assert.Nil(t, r.Choice)
}

// Namesakes that a launch may both mean are decided on together, on the places
// of both.
func TestNamesakesAreDecidedOnTogether(t *testing.T) {
	r := one(t, exchange+strings.ReplaceAll(exchange, "float *out", "double *out")+
		`void run(float *a, float *b, double *c) { k<<<100000, 64>>>(a, b, 64); k<<<100000, 64>>>(a, c, 64); }`, "gtx480@16")
	assert.Len(t, r.Originals, 2)
}

// TestEveryExampleIsRanked shows what is chosen for the ten benchmarks.
func TestEveryExampleIsRanked(t *testing.T) {
	for _, g := range exampleGroups(t) {
		req := Request{MinGain: 5, Source: Estimates{}}
		for _, name := range []string{"gtx285", "gtx480@16", "a100"} {
			req.GPUs = append(req.GPUs, board(t, name))
		}
		r := Group(g, req)
		assert.Empty(t, r.Unranked, g.Kernels[0].Name)
		assert.NotEmpty(t, r.Ranking, g.Kernels[0].Name)
		for _, way := range r.Ranking {
			for _, p := range way.Places {
				assert.Greater(t, p.Ratio, 0.1, "%s: %s on %s", g.Kernels[0].Name, way.Variant, p.GPU)
				assert.Less(t, p.Ratio, 10.0, "%s: %s on %s", g.Kernels[0].Name, way.Variant, p.GPU)
			}
		}
		t.Logf("%s: %s", g.Kernels[0].File.Name, r.Summary())
	}
}

// What is chosen for the ten benchmarks and for what can be staged is not expected to be slower than any form of the
// original without merged blocks, on any GPU.
func TestNoChoiceLosesToTheOriginalsBestForm(t *testing.T) {
	chosen := 0
	names := []string{"k40", "gtx480@16", "gtx480@48"}
	for _, name := range []string{"t4", "a100", "h100", "rtx4090"} {
		if suite.InSample(name, 2) {
			names = append(names, name)
		}
	}
	all := append(exampleGroups(t), stageGroups(t)...)
	for _, name := range names {
		for _, g := range all {
			kernel := g.Kernels[0].Name
			if kernel != "fft1024" && !suite.InSample(kernel+name, 2) {
				continue
			}
			r := Group(g, Request{GPUs: []*gpu.GPU{board(t, name)}, MinGain: 5, Source: Estimates{}})
			if r.Choice == nil {
				continue
			}
			require.Len(t, r.Places(), 1, kernel)
			assert.False(t, name == "gtx480@48" && kernel == "fft1024" && r.Choice.Merges(), "registers bind, and the SM issues most of the time: %s", r.Choice)
			chosen++
			if _, other := resized(*r.Choice); other { // its kernel is another
				assert.Greater(t, r.Predicted(*r.Choice)[0].Ratio, 1.0, "%s on %s: %s", kernel, name, r.Choice)
				continue
			}
			p := r.Places()[0]
			before := p
			p.moved = movedBy(*r.Choice)
			p, err := p.counted(Resources{})
			require.NoError(t, err)
			cycles := func(p Place, policy sim.Policy) float64 {
				c, err := Simulated(p, policy)
				require.NoError(t, err)
				return c
			}
			policy, err := p.policy(*r.Choice)
			require.NoError(t, err)
			after := cycles(p, p.with(policy, r.Predicted(*r.Choice)[0].After.Resources))
			assert.Less(t, after, cycles(before, sim.Policy{}), "%s on %s: %s", kernel, name, r.Choice)
			assert.Less(t, after, cycles(before, sim.Policy{Ahead: true}), "%s on %s: %s, staged", kernel, name, r.Choice)
		}
	}
	assert.NotZero(t, chosen)
}

// exampleGroups are the kernels of the ten benchmarks that can be rewritten.
func exampleGroups(t testing.TB) []rewrite.Group {
	t.Helper()
	paths, err := filepath.Glob("../../examples/*/*.cu")
	require.NoError(t, err)
	require.Len(t, paths, 10)
	return groupsIn(t, paths)
}

// stageGroups are the kernels of the examples of stage that can be rewritten.
func stageGroups(t testing.TB) []rewrite.Group {
	t.Helper()
	paths, err := filepath.Glob("../../examples/stage/*/*.cu")
	require.NoError(t, err)
	out := groupsIn(t, paths)
	require.NotEmpty(t, out)
	return out
}

// groupsIn are the kernels of programs that can be rewritten.
func groupsIn(t testing.TB, paths []string) (out []rewrite.Group) {
	t.Helper()
	for _, path := range paths {
		prog, errs := parser.LoadProgram([]string{path}, parser.Options{})
		require.NoError(t, errors.Join(errs...))
		for _, g := range groups(t, prog.Files...) {
			if g.Can() {
				out = append(out, g)
			}
		}
	}
	return out
}

// rankingGoal is the time in which all variants of one kernel are to be ranked
// without nvcc, on one GPU.
const rankingGoal = 200 * time.Millisecond

// BenchmarkRank prints how much of the goal the slowest of the ten benchmarks
// takes.
func BenchmarkRank(b *testing.B) {
	for _, name := range []string{"gtx480@16", "a100"} {
		b.Run(name, func(b *testing.B) {
			g, err := lookup(name)
			require.NoError(b, err)
			all := exampleGroups(b)
			slowest, which := time.Duration(0), ""
			for b.Loop() {
				for _, group := range all {
					start := time.Now()
					r := Group(group, Request{GPUs: g, MinGain: 5, Source: Estimates{}})
					if d := time.Since(start); d > slowest && r.Unranked == "" {
						slowest, which = d, group.Kernels[0].File.Name
					}
				}
			}
			b.ReportMetric(float64(slowest)/float64(rankingGoal), "of-goal")
			b.Logf("slowest: %s, %v of %v", which, slowest, rankingGoal)
		})
	}
}
