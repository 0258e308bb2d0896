package page

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/analysis/cost"
	"github.com/smux-cuda/smux/analysis/launches"
	"github.com/smux-cuda/smux/analysis/passes"
	"github.com/smux-cuda/smux/analysis/summary"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/lab/cudatest"
	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/pipeline/selection"
	"github.com/smux-cuda/smux/report"
	"github.com/smux-cuda/smux/rewrite"
)

// hostile would do something where a page took it for its own text.
const hostile = `</script></style><img src=x onerror="alert(1)">`

// oddName is a file's name that needs care everywhere.
const oddName = "dir with space/\xff<b>ü\u202e\n.cu"

// gains is rewritten: one thread block at a time has its 12 kB.
const gains = `
// ` + hostile + ` ` + "\xfe\u202e" + `
__global__ void gains(const float *in, float *out, int n) {
    __shared__ float s[3072];
    float sum = 0;
    for (int i = 0; i < n; ++i) sum += in[(blockIdx.x * n + i) * 64 + threadIdx.x];
    s[threadIdx.x * 48] = sum; // ` + hostile + `
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = s[(63 - threadIdx.x) * 48];
}
void run(float *a, float *b) { gains<<<10000, 64>>>(a, b, 64); }
`

// others are left alone: for its threads, for its cluster, and as nobody launches it.
const others = `
#include <cooperative_groups.h>
__global__ void full(const float *in, float *out) {
    __shared__ float s[256];
    if (in == nullptr) return;
    s[threadIdx.x] = in[blockIdx.x * 256 + threadIdx.x];
    __syncthreads();
    out[blockIdx.x * 256 + threadIdx.x] = s[255 - threadIdx.x];
}
__global__ void grid(float *a) {
    __shared__ float s[64];
    s[threadIdx.x] = a[threadIdx.x];
    cooperative_groups::this_grid().sync();
    a[threadIdx.x] = s[63 - threadIdx.x];
}
__global__ void alone(float *a) {
    extern __shared__ float s[];
    s[threadIdx.x] = a[threadIdx.x];
    __syncthreads();
    a[threadIdx.x] = s[0];
}
void run(float *a, float *b) { full<<<10000, 256>>>(a, b); grid<<<8, 64>>>(a); }
`

// estimates is a selection.Source of a machine without nvcc.
type estimates struct{}

func (estimates) Costly() bool { return false }

func (estimates) Original(p selection.Place) (selection.Resources, error) {
	shared, _ := launches.SharedBytes(p.Kernel, p.Instance)
	return selection.Resources{Registers: cost.Registers(p.Kernel, p.Instance, 0), Shared: shared, Source: "estimate"}, nil
}

func (estimates) Variant(p selection.Place, w selection.Variant) (selection.Resources, error) {
	return selection.Estimate(p, w), nil
}

// surveyed returns what smux knows of a program of one file, rewritten as the model
// chooses.
func surveyed(t testing.TB, name, text string, gpus ...string) report.Program {
	t.Helper()
	parsed := cudatest.Program(t, name, text)
	prog := passes.NewProgram(parsed, [3]int{})
	req := selection.Request{MinGain: 5, Source: estimates{}}
	for _, name := range gpus {
		g, err := gpu.Lookup(name)
		require.NoError(t, err)
		req.GPUs = append(req.GPUs, g)
	}
	reports := map[diag.Position]*selection.Report{}
	opt := rewrite.Options{Decisions: map[diag.Position]rewrite.Decision{}}
	for _, g := range rewrite.Groups(prog, prog.Kernels(), rewrite.Options{}) {
		r := selection.Group(g, req)
		for _, k := range g.Kernels {
			reports[summary.Position(k)] = r
			if g.Can() {
				opt.Decisions[summary.Position(k)] = r.Decision(summary.Position(k))
			}
		}
	}
	p := report.Analyze(prog, prog.Kernels(), rewrite.Options{}, func(at diag.Position) *selection.Report { return reports[at] }, func(string) bool { return true })
	result, err := rewrite.Run(parsed, opt)
	require.NoError(t, err)
	p.Changed, p.Results = result.Files, result.Kernels
	for i := range p.Kernels {
		k := &p.Kernels[i]
		for j := range p.Results {
			if p.Results[j].Pos == k.Position {
				k.Result = &p.Results[j]
			}
		}
		if k.Result != nil && k.Result.Rewriter != "" {
			k.Fix = result.Files
		}
	}
	return p
}

// sample is a page with something of everything.
func sample(t testing.TB) (programs []report.Program, opt Options) {
	t.Helper()
	gpus := []string{"gtx480@16", "gtx480"}
	odd := surveyed(t, oddName, gains, gpus...)
	require.NotEmpty(t, odd.Kernels[0].Fix, "the sample is to have a diff")
	k := &odd.Kernels[0]
	k.Result.Notes = append(k.Result.Notes,
		diag.Message{Pos: diag.Position{File: oddName, Line: 3, Column: 1}, Code: "registers", Text: "a note on a line: " + hostile},
		diag.Message{Pos: diag.Position{File: oddName, Line: 999, Column: 1}, Code: "registers", Text: "a note on no line"})
	k.Evidence = []report.Evidence{{Device: hostile, Form: "vtb named N=2", Chosen: true, Ratio: 1.25, Low: 1.2, High: 1.3, Pairs: 40, On: "gpu", Correct: "all outputs equal"}}
	plain := surveyed(t, "others.cu", others, gpus...)
	named := surveyed(t, "named.cu", others, gpus...)
	named.Kernels[0].Name = hostile
	named.Lost = append(named.Lost, report.Lost{Name: "", Position: diag.Position{File: hostile, Line: 3, Column: 1}})
	return []report.Program{odd, plain, named}, Options{
		Title: hostile, Version: "smux (test)",
		Unreadable: []diag.Message{{Pos: diag.Position{File: hostile}, Code: "missing-file", Text: "there is no such file", Help: "name another"}},
	}
}
