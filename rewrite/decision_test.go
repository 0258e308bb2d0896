package rewrite_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/analysis/passes"
	"github.com/smux-cuda/smux/analysis/summary"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/rewrite/runtime"
	"github.com/smux-cuda/smux/rewrite/variant"
)

// several holds three kernels, two of which share a device function with a
// barrier.
const several = `
__device__ float sum(float *s) {
    for (int d = 32; d > 0; d /= 2) {
        if (threadIdx.x < d) s[threadIdx.x] += s[threadIdx.x + d];
        __syncthreads();
    }
    return s[0] + blockIdx.x;
}
__global__ void first(float *a) {
    __shared__ float s[64];
    s[threadIdx.x] = a[threadIdx.x];
    __syncthreads();
    a[blockIdx.x] = sum(s);
}
__global__ void second(float *a) {
    __shared__ float s[64];
    s[threadIdx.x] = a[threadIdx.x] * 2;
    __syncthreads();
    a[blockIdx.x] = sum(s);
}
__global__ void third(float *a) {
    __shared__ float s[64];
    s[threadIdx.x] = a[threadIdx.x];
    __syncthreads();
    a[threadIdx.x] = s[63 - threadIdx.x];
}
void run(float *a) {
    first<<<100, 64>>>(a);
    second<<<100, 64>>>(a);
    third<<<100, 64>>>(a);
}
`

// decide runs a rewrite with a decision for each kernel that is named.
func decide(t *testing.T, text string, decisions map[string]rewrite.Decision, kernels ...string) (*rewrite.Result, error) {
	t.Helper()
	f, err := parser.Parse("k.cu", []byte(text), parser.Options{})
	require.NoError(t, err)
	parsed := parser.NewProgram([]*parser.File{f}, parser.Options{})
	opt := rewrite.Options{Kernels: kernels, Runtime: "header", Decisions: map[diag.Position]rewrite.Decision{}}
	for _, k := range passes.NewProgram(parsed, [3]int{}).Kernels() {
		if d, ok := decisions[k.Name]; ok {
			opt.Decisions[summary.Position(k)] = d
		}
	}
	return rewrite.Run(parsed, opt)
}

func TestEachKernelGetsWhatWasDecided(t *testing.T) {
	why := []diag.Message{{Code: "no-gain", Text: "not worth it"}}
	res, err := decide(t, several, map[string]rewrite.Decision{
		"first":  {Variant: rewrite.Variant{Rewriter: "vtb", Factor: 4, Sync: "block"}, Why: []diag.Message{{Code: "chosen", Text: "so it is"}}},
		"second": {Why: why},
	})
	require.NoError(t, err)
	require.Len(t, res.Kernels, 3)
	first, second, third := res.Kernels[0], res.Kernels[1], res.Kernels[2]
	assert.Equal(t, []any{"vtb", 4, "block", "so it is"}, []any{first.Rewriter, first.Factor, first.Sync, first.Notes[0].Text})
	assert.Equal(t, []any{"", why}, []any{second.Rewriter, second.Refused})
	assert.Equal(t, []any{"vtb", 2, "named"}, []any{third.Rewriter, third.Factor, third.Sync}, "the default where nothing was decided")
	after := string(res.Files[0].After)
	assert.Contains(t, after, "smux_launch = smux::merge<4, 64>(100, 64);\n    first<<<smux_launch.grid, ")
	assert.Contains(t, after, "    second<<<100, 64>>>(a);")
	assert.Contains(t, after, "smux_launch3 = smux::merge<2, 64>(100, 64);\n    third<<<smux_launch3.grid, ")
}

// Kernels that are merged with different factors need overloads of their own of
// the device functions that they share.
func TestDeviceFunctionsOfDifferentFactorsAreOverloads(t *testing.T) {
	for _, sync := range variant.Syncs {
		res, err := decide(t, several, map[string]rewrite.Decision{
			"first":  {Variant: rewrite.Variant{Rewriter: "vtb", Factor: 2, Sync: sync}},
			"second": {Variant: rewrite.Variant{Rewriter: "vtb", Factor: 4, Sync: sync}},
			"third":  {},
		})
		require.NoError(t, err)
		typ := map[string]string{"named": "vtb_named<%d, 64>", "lock": "vtb_lock<%d, 1, 64>", "block": "vtb<%d, 64>"}[sync]
		after := string(res.Files[0].After)
		assert.Contains(t, after, fmt.Sprintf("__device__ float sum(const smux::"+typ+"& vtb,", 2), sync)
		assert.Contains(t, after, fmt.Sprintf("__device__ float sum(const smux::"+typ+"& vtb,", 4), sync)
		// Both are rewritten already: running smux on it changes nothing.
		again, err := decide(t, after, map[string]rewrite.Decision{"third": {}})
		require.NoError(t, err)
		assert.Empty(t, again.Files)
	}
	// Where they agree they share one, and nobody else needs the original.
	res, err := decide(t, several, map[string]rewrite.Decision{
		"first": {Variant: rewrite.Variant{Rewriter: "vtb", Factor: 4, Sync: "named"}}, "second": {Variant: rewrite.Variant{Rewriter: "vtb", Factor: 4, Sync: "named"}},
	})
	require.NoError(t, err)
	assert.NotContains(t, string(res.Files[0].After), "__device__ float sum(float *s)")
}

func TestNamesakesMustBeDecidedOnAlike(t *testing.T) {
	text := several + "__global__ void third(int *a) { __shared__ int s[64]; s[threadIdx.x] = a[threadIdx.x]; __syncthreads(); a[threadIdx.x] = s[63 - threadIdx.x]; }\n"
	f, err := parser.Parse("k.cu", []byte(text), parser.Options{})
	require.NoError(t, err)
	parsed := parser.NewProgram([]*parser.File{f}, parser.Options{})
	prog := passes.NewProgram(parsed, [3]int{})
	groups := rewrite.Groups(prog, prog.Kernels(), rewrite.Options{})
	require.Len(t, groups, 3)
	require.Len(t, groups[2].Kernels, 2)
	opt := rewrite.Options{Decisions: map[diag.Position]rewrite.Decision{summary.Position(groups[2].Kernels[0]): {}}}
	_, err = rewrite.Run(parsed, opt)
	assert.ErrorContains(t, err, "kernels named third are rewritten together")
}

// Offers come simplest first, and what a person gives restricts them.
func TestGroupsOffers(t *testing.T) {
	f, err := parser.Parse("k.cu", []byte(several), parser.Options{})
	require.NoError(t, err)
	parsed := parser.NewProgram([]*parser.File{f}, parser.Options{})
	prog := passes.NewProgram(parsed, [3]int{})
	kernels := prog.Kernels()
	legal := func(w rewrite.Variant) (out []string) {
		for _, o := range rewrite.Groups(prog, kernels, rewrite.Options{Variant: w})[2].Variants {
			assert.Equal(t, o.Can, len(o.Refused) == 0)
			if o.Can {
				out = append(out, o.Variant.String())
			}
		}
		return out
	}
	assert.Equal(t, []string{
		"vtb named N=2", "vtb lock N=2", "vtb block N=2", "vtb named N=3", "vtb lock N=3", "vtb block N=3",
		"vtb named N=4", "vtb lock N=4", "vtb block N=4", "vtb named N=6", "vtb lock N=6", "vtb block N=6",
		"vtb named N=8", "vtb lock N=8", "vtb block N=8",
		"vtb-pipe block N=2",
		"co-vtb named N=2", "co-vtb lock N=2", "co-vtb block N=2", "co-vtb named N=4", "co-vtb lock N=4", "co-vtb block N=4",
		"dyn lock N=3 M=2", "dyn lock N=4 M=2", "dyn lock N=6 M=2", "dyn lock N=8 M=2",
		"merge named N=2", "merge block N=2", "merge named N=4", "merge block N=4", "merge named N=8", "merge block N=8",
		"stage-loads", "assume-shape", "slice R=2 by=window", "slice R=4 by=window", "coarsen N=2", "coarsen N=4", "coarsen N=8", "coarsen N=2 of=threads", "coarsen N=4 of=threads", "coarsen N=8 of=threads",
	}, legal(rewrite.Variant{}))
	assert.Equal(t, []string{"dyn lock N=4 M=3"}, legal(rewrite.Variant{Rewriter: "dyn", Factor: 4, SharedSets: 3}))
	assert.Empty(t, legal(rewrite.Variant{Rewriter: "dyn", Factor: 4, SharedSets: 4}), "a set for each is none to wait for")
	assert.Equal(t, []string{"vtb block N=5"}, legal(rewrite.Variant{Rewriter: "vtb", Factor: 5, Sync: "block"}))
	assert.Equal(t, []string{"stage-loads", "assume-shape", "slice R=2 by=window", "slice R=4 by=window", "coarsen N=32", "coarsen N=32 of=threads"}, legal(rewrite.Variant{Factor: 32}), "32 x 64 threads are no block")
	assert.Equal(t, []string{"stage-loads"}, legal(rewrite.Variant{Rewriter: "stage-loads", Factor: 4, Sync: "lock"}), "it has neither")
	assert.Empty(t, legal(rewrite.Variant{Rewriter: "no such rewriter"}))
}

func TestNVCCTakesKernelsThatAreRewrittenDifferently(t *testing.T) {
	needNVCC(t)
	for _, d := range [][2]rewrite.Decision{
		{{Variant: rewrite.Variant{Rewriter: "vtb", Factor: 2, Sync: "named"}}, {Variant: rewrite.Variant{Rewriter: "vtb", Factor: 4, Sync: "named"}}},
		{{Variant: rewrite.Variant{Rewriter: "vtb", Factor: 2, Sync: "block"}}, {Variant: rewrite.Variant{Rewriter: "vtb", Factor: 3, Sync: "block"}}},
		{{Variant: rewrite.Variant{Rewriter: "vtb", Factor: 2, Sync: "named"}}, {Variant: rewrite.Variant{Rewriter: "vtb", Factor: 2, Sync: "block"}}},
		{{Variant: rewrite.Variant{Rewriter: "vtb", Factor: 2, Sync: "block"}}, {}},
		{{Variant: rewrite.Variant{Rewriter: "vtb", Factor: 2, Sync: "named"}}, {Variant: rewrite.Variant{Rewriter: "merge", Factor: 2, Sync: "named"}}},
		{{Variant: rewrite.Variant{Rewriter: "merge", Factor: 2, Sync: "named", GridAxis: "y"}}, {Variant: rewrite.Variant{Rewriter: "merge", Factor: 2, Sync: "named"}}},
		{{Variant: rewrite.Variant{Rewriter: "merge", Factor: 4, Sync: "block"}}, {Variant: rewrite.Variant{Rewriter: "dyn", Factor: 4, Sync: "lock", SharedSets: 2, GridAxis: "z"}}},
	} {
		res, err := decide(t, several, map[string]rewrite.Decision{"first": d[0], "second": d[1]})
		require.NoError(t, err)
		dir := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(dir, "smux.cuh"), runtime.Header(), 0o666))
		require.NoError(t, os.WriteFile(filepath.Join(dir, "k.cu"), res.Files[0].After, 0o666))
		nvcc(t, dir, "-arch=sm_80", "-I.", "-cubin", "-o", "/dev/null", "k.cu")
	}
}

// TestDynWithOneSetIsALock: what dyn emits with M = 1 is what vtb with a lock
// is, but for the name in a comment.
func TestDynWithOneSetIsALock(t *testing.T) {
	for _, path := range examplePaths(t) {
		for _, factor := range []int{2, 4} {
			lock := rewriteExample(t, path, rewrite.Variant{Rewriter: "vtb", Factor: factor, Sync: "lock"})
			dyn := rewriteExample(t, path, rewrite.Variant{Rewriter: "dyn", Factor: factor, SharedSets: 1})
			require.Equal(t, strings.ReplaceAll(string(lock.After), "// smux vtb:", "// smux dyn:"), string(dyn.After), path)
		}
	}
}
