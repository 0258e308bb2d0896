package verify_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/analysis/passes"
	"github.com/smux-cuda/smux/analysis/summary"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/verify"
)

// anyShape is a kernel for blocks of any shape, with a table of shapes that no analysis
// can know: blocks that are not whole warps, or too large, deep, many or few to be
// merged, and launches that fail. NAME, DECLARATION, ODD, CONFIGURATION and BYTES are to
// be replaced.
const anyShape = `
__global__ void NAME(const int *in, int *out) {
    DECLARATION
    const int size = blockDim.x * blockDim.y * blockDim.z;
    const int t = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    const int i = ((blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x) * size + t;
    s[0][t] = in[i];
    __syncthreads();
    s[1][t] = s[0][size - 1 - t] + t;
    __syncthreads();
    const int odd = ODD;
    out[i] = s[1][(t + 7) % size] + odd * 1000 + gridDim.x * 3 + blockIdx.y + blockDim.z;
    __syncthreads();
}
void run_NAME(const int *in, int *out, const Case &c) {
    cudaMemset(out, 0, cells * sizeof(int));
    NAME<<<CONFIGURATION, BYTES>>>(in, out);
    printf("NAME %d", int(cudaGetLastError()));
    static int h[cells];
    cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost);
    unsigned sum = 0;
    for (int i = 0; i < cells; ++i) sum = sum * 31 + h[i];
    printf(" %u\n", sum);
}
`

const anyShapeMain = `
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

const int cells = 1 << 13;
struct Case { dim3 grid, block; };
static Case cases[] = {
    {7, 1}, {7, 4}, {5, 16}, {3, dim3(5, 3)}, {7, 32}, {1, 64}, {6, dim3(16, 4)}, {dim3(3, 5, 2), dim3(8, 8, 2)},
    {5, 33}, {0, 64}, {3, 2048}, {3, 512}, {3, 513}, {2, 1024}, {3, dim3(1, 1, 64)}, {3, dim3(2, 1, 32)}, {dim3(3, 1, 2), dim3(1, 32, 3)},
};
KERNELS
int main(int argc, char **argv) {
    if (argc > 1) setenv("SMUX_REGISTERS", argv[1], 1);  // of kernels without launch bounds
    static int h[cells];
    for (int i = 0; i < cells; ++i) h[i] = i * 7 % 1001;
    int *in, *out;
    cudaMalloc(&in, sizeof h);
    cudaMalloc(&out, sizeof h);
    cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice);
    for (const Case &c : cases) {
        RUNS
    }
}
`

// TestLaunchesThatCantBeMergedStayAsTheyAre runs one kernel in many ways on blocks of
// which nothing is known, and some of 256 threads: those that do not fit, or would not
// have the registers, are not merged; nothing aborts, and no launch fails that did not.
func TestLaunchesThatCantBeMergedStayAsTheyAre(t *testing.T) {
	needCompiler(t)
	if testing.Short() {
		t.Skip("programs are not compiled with -short")
	}
	static, dynamic := "__shared__ int s[2][1024];", "extern __shared__ int s[][1024];"
	ways := []struct {
		rewrite.Variant
		shared, bytes string
	}{
		{rewrite.Variant{Rewriter: "vtb", Sync: "named", Factor: 2}, static, "0"},
		{rewrite.Variant{Rewriter: "vtb", Sync: "named", Factor: 4, GridAxis: "y"}, dynamic, "8192"},
		{rewrite.Variant{Rewriter: "vtb", Sync: "lock", Factor: 3}, static, "0"},
		{rewrite.Variant{Rewriter: "vtb", Sync: "block", Factor: 2}, static, "0"},
		{rewrite.Variant{Rewriter: "vtb-pipe", Sync: "block", Factor: 2}, static, "0"},
		{rewrite.Variant{Rewriter: "co-vtb", Sync: "named", Factor: 2}, static, "0"},
		{rewrite.Variant{Rewriter: "dyn", Sync: "lock", Factor: 3, SharedSets: 2}, static, "0"},
		{rewrite.Variant{Rewriter: "merge", Sync: "named", Factor: 2}, dynamic, "8192 + c.block.x * 40"},
		{rewrite.Variant{Rewriter: "merge", Sync: "named", Factor: 2, GridAxis: "z"}, static, "0"},
		{rewrite.Variant{Rewriter: "merge", Sync: "block", Factor: 8}, strings.Replace(static, "1024", "129", 1), "0"},
	}
	var kernels, runs strings.Builder
	var decided []rewrite.Variant
	add := func(w int, name, configuration, guard string) {
		odd := "__syncthreads_count(s[1][t] & 1)"
		if ways[w].Sync == "block" && ways[w].Rewriter == "merge" {
			odd = "s[1][t] & 1"
		}
		kernels.WriteString(strings.NewReplacer("NAME", name, "DECLARATION", ways[w].shared, "CONFIGURATION", configuration, "BYTES", ways[w].bytes, "ODD", odd).Replace(anyShape))
		fmt.Fprintf(&runs, "%srun_%s(in, out, c);\n        ", guard, name)
		decided = append(decided, ways[w].Variant)
	}
	for i, w := range ways {
		guard := ""
		if strings.Contains(w.shared, "129") {
			guard = "if (c.block.x * c.block.y * c.block.z <= 128) "
		}
		add(i, fmt.Sprintf("k%d", i), "c.grid, c.block", guard)
		if w.Factor*256 <= 1024 && w.Rewriter != "merge" {
			add(i, fmt.Sprintf("known%d", i), "c.grid, 256", "if (&c < cases + 2) ")
		}
	}
	text := strings.NewReplacer("KERNELS", kernels.String(), "RUNS", runs.String()).Replace(anyShapeMain)
	f, err := parser.Parse("shapes.cu", []byte(text), parser.Options{})
	require.NoError(t, err)
	prog := parser.NewProgram([]*parser.File{f}, parser.Options{})
	opt := rewrite.Options{Decisions: map[diag.Position]rewrite.Decision{}}
	for i, k := range passes.NewProgram(prog, [3]int{}).Kernels() {
		opt.Decisions[summary.Position(k)] = rewrite.Decision{Variant: decided[i]}
	}
	res, err := rewrite.Run(prog, opt)
	require.NoError(t, err)
	for i, k := range res.Kernels {
		assert.Equal(t, decided[i].Rewriter, k.Rewriter, "%s %s: %v", k.Name, decided[i], k.Refused)
	}
	request := verify.Request{Original: oneFile("shapes", []byte(text)), Args: [][]string{nil, {"128"}, {"255"}}}
	request.Variants = []verify.Variant{{Name: "any", Program: oneFile("shapes", res.Files[0].After)}}
	verdict, err := verify.Run(context.Background(), request)
	require.NoError(t, err)
	assert.Empty(t, verdict.Failures)
	for _, f := range verdict.Findings {
		assert.Equal(t, []any{verify.Inherited, diag.Code("launch-error")}, []any{f.Severity, f.Message.Code}, f.Message.Text)
	}
	assert.Equal(t, verify.Equal, verdict.Outcome)
}
