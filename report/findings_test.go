package report

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/analysis/passes"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/lab/cudatest"
	"github.com/smux-cuda/smux/pipeline/selection"
	"github.com/smux-cuda/smux/report/finding"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/rewrite/kit"
)

// program analyses one file without a model.
func program(t *testing.T, src string) Program {
	t.Helper()
	prog := passes.NewProgram(cudatest.Program(t, "a.cu", src), [3]int{})
	return Analyze(prog, prog.Kernels(), rewrite.Options{}, func(diag.Position) *selection.Report { return nil }, func(string) bool { return true })
}

// lines are findings as "line rule kernel: text".
func told(found []finding.Finding) (out []string) {
	for _, f := range found {
		out = append(out, strings.TrimSpace(f.Pos.String()+" "+string(f.Level)+" "+string(f.Rule)+" "+f.Message()))
	}
	return out
}

const shared = "    __shared__ float s[64];\n    s[threadIdx.x] = a[threadIdx.x];\n    __syncthreads();\n    a[threadIdx.x] = s[63 - threadIdx.x];\n"

func TestKernelsWithoutSharedMemoryAreNoNoise(t *testing.T) {
	p := program(t, "__device__ void far(int n);\n__global__ void k(float *a) { far(1); asm(\"\"); a[0] = 1; }\nvoid f(float *a) { k<<<1, 64>>>(a); }\n")
	assert.Empty(t, Findings([]Program{p}, false))
	p.Kernels[0].Result = &rewrite.KernelResult{Name: "k", Pos: p.Kernels[0].Position, Refused: []diag.Message{{Code: selection.CodeNoGain, Pos: p.Kernels[0].Position}}}
	assert.Empty(t, Findings([]Program{p}, true))
}

func TestARefusalIsToldOnceWithWhatItStopsAndWhom(t *testing.T) {
	src := "__device__ void far(int n);\n__device__ void near() {\n    far(1);\n}\n"
	for _, name := range []string{"one", "two"} {
		src += "__global__ void " + name + "(float *a) {\n" + shared + "    near();\n}\n"
	}
	p := program(t, src+"void f(float *a) { one<<<1, 64>>>(a); two<<<1, 64>>>(a); }\n")
	assert.Equal(t, []string{
		`a.cu:3:5 note unknown-call kernel "one": a call of far, whose definition is not in view (stands against vtb, vtb-pipe, co-vtb, dyn, merge); the same goes for two`,
	}, told(Findings([]Program{p}, false)))
}

func TestRefusalsAreCapped(t *testing.T) {
	names := []string{"one", "two", "three", "four", "five"}
	p := program(t, "__device__ void "+strings.Join(names, "(), ")+"();\n__global__ void k(float *a) {\n"+shared+strings.Join(names, "();\n")+"();\n}\nvoid f(float *a) { k<<<1, 64>>>(a); }\n")
	found := Findings([]Program{p}, false)
	require.Len(t, found, mostRefusals)
	assert.Contains(t, found[mostRefusals-1].Text, "; 2 reasons more: smux analyze as text has all")
	assert.NotContains(t, found[0].Text, "more")

	k := &p.Kernels[0]
	k.Result = &rewrite.KernelResult{Name: "k", Pos: k.Position, Refused: append(k.Hazards, k.Hazards...)}
	found = Findings([]Program{p}, true)
	require.Len(t, found, mostRefusals)
	assert.Contains(t, found[mostRefusals-1].Text, "; 2 reasons more")
}

func TestAKernelThatCanBeRewrittenHasNoRefusals(t *testing.T) {
	p := program(t, "__global__ void k(float *a) {\n"+shared+"}\nvoid f(float *a) { k<<<1, 64>>>(a); }\n")
	assert.Empty(t, Findings([]Program{p}, false), "and without a model nothing is known of its limits")
}

func TestKernelsThatWereLostAreTold(t *testing.T) {
	at := diag.Position{File: "a.cu", Line: 3, Column: 1}
	for _, changes := range []bool{true, false} {
		assert.Equal(t, []string{`a.cu:3:1 note syntax kernel "k": smux can't parse this kernel`},
			told(Findings([]Program{{Lost: []Lost{{Name: "k", Position: at}}}}, changes)))
		assert.Equal(t, []string{`a.cu:3:1 note macro kernel "k": macro DEFINE makes this kernel`},
			told(Findings([]Program{{Lost: []Lost{{Name: "k", Position: at, Macro: "DEFINE"}}}}, changes)))
	}
}

func TestARewriteIsAWarningWithItsWholeFix(t *testing.T) {
	p := program(t, "__global__ void k(float *a) {\n"+shared+"}\nvoid f(float *a) { k<<<1, 64>>>(a); }\n")
	k := &p.Kernels[0]
	at := k.Position
	way := rewrite.Variant{Rewriter: "vtb", Sync: "named", Factor: 2}
	k.Result = &rewrite.KernelResult{Name: "k", Pos: at, Variant: way, Notes: []diag.Message{
		{Pos: at, Code: selection.CodeChosen, Text: "vtb chosen"}, {Pos: diag.Position{File: "a.cu", Line: 2, Column: 5}, Code: kit.CodeAssumed, Text: "shape assumed"},
	}}
	k.Fix = []rewrite.FileResult{{Name: "a.cu", Before: []byte("a"), After: []byte("b")}, {Name: "h.cuh"}}
	found := Findings([]Program{p}, true)
	assert.Equal(t, []string{`a.cu:1:17 warning chosen kernel "k": vtb chosen`, `a.cu:2:5 note shape-assumed kernel "k": shape assumed`}, told(found))
	assert.Equal(t, "rewrite kernel k as vtb named N=2", found[0].Fix.Text)
	assert.Len(t, found[0].Fix.Files, 2)
	assert.Equal(t, diag.Position{File: "a.cu", Line: 1, Column: 18}, found[0].End)
	assert.Equal(t, []finding.Related{{Pos: diag.Position{File: "a.cu", Line: 7, Column: 21}, Text: "kernel k is launched here"}}, found[0].Related)

	k.Result.Notes = nil
	assert.Equal(t, []string{`a.cu:1:17 warning as-asked kernel "k": vtb named N=2 can be applied`}, told(Findings([]Program{p}, true)))
}

func TestUnreadFilesAreErrors(t *testing.T) {
	found := Unread([]diag.Message{{Pos: diag.Position{File: "x.cu"}, Code: "missing-file", Text: "there is no such file"}})
	assert.Equal(t, []string{"x.cu error missing-file there is no such file"}, told(found))
	assert.True(t, found[0].Unread)
	assert.NotEmpty(t, found[0].Help)
}
