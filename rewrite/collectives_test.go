package rewrite_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite"
)

// TestCollectivesNeedCopiesAndCompany: a kernel that calls collectives of CUB is merged
// where each v-TB has its own storage and all call them together, and in no other way.
func TestCollectivesNeedCopiesAndCompany(t *testing.T) {
	const one = "k<<<9, 64>>>(a, b, 3);"
	for _, c := range []struct{ name, before, body, launch, refused string }{
		{"a reduction", "", "v = BR(temp).Sum(v);", one, ""},
		{"with an operator of its own", "struct Op { __device__ int operator()(int a, int b) const { return a ^ b; } };", "v = BR(temp).Reduce(v, Op()) + BR(temp).Reduce(v, cub::Max());", one, ""},
		{"in a function that is given the storage", "__device__ int f(int v, BR::TempStorage &t) { return BR(t).Sum(v); }", "v = f(v, temp);", one, ""},
		{"of a template's type", "template <int B> __device__ int f(int v, typename cub::BlockReduce<int, B>::TempStorage &t) { typedef cub::BlockReduce<int, B> R; return R(t).Sum(v); }", "v = f<64>(v, temp);", one, ""},
		{"by its full name", "", "v = ::cub::BlockReduce<int, 64>(temp).Sum(v);", one, ""},
		{"in a loop", "", "for (int i = 0; i < n; i++) { v += BR(temp).Sum(v); __syncthreads(); }", one, ""},
		{"behind a guard", "", "if (v > n) return; v = BR(temp).Sum(v);", one, ""},
		{"only in some blocks", "", "if (blockIdx.x > 2) v = BR(temp).Sum(v);\n    __syncthreads();", one, "divergent-barrier"},
		{"as data say", "", "v = in[0] ? BR(temp).Sum(v) : 0;", one, "divergent-barrier"},
		{"as often as one says that comes from another", "", "BS(scan).ExclusiveSum(v, v, t);\n    for (int i = 0; i < t; i++) v = BR(temp).Sum(v);", one, "divergent-barrier"},
		{"in a function that some blocks call", "__device__ int f(int v, BR::TempStorage &t) { return BR(t).Sum(v); }", "if (blockIdx.x) v = f(v, temp);\n    __syncthreads();", one, "divergent-barrier"},
		{"in blocks that are deep", "", "v = BR(temp).Sum(v);", "k<<<9, dim3(8, 4, 2)>>>(a, b, 3);", "barrier-call"},
		{"in blocks of an unknown shape", "", "v = BR(temp).Sum(v);", "k<<<9, a[0]>>>(a, b, 3);", "barrier-call"},
		{"in blocks that are no whole warps", "", "v = BR(temp).Sum(v);", "k<<<9, 48>>>(a, b, 3);", "not-whole-warps"},
		{"with storage that CUB has", "", "v = BR().Sum(v);", one, "unknown-call"},
		{"with storage of a function", "__device__ int f(int v) { __shared__ BR::TempStorage t; return BR(t).Sum(v); }", "v = f(v);", one, "slots"},
		{"an operator that asks for the block", "struct Op { __device__ int operator()(int a, int b) const { return a + b * blockIdx.x; } };", "v = BR(temp).Reduce(v, Op());", one, "unknown-call"},
		{"a lambda that does", "", "v = BR(temp).Reduce(v, [](int a, int b) { return a + b * blockIdx.x; });", one, "lambda"},
		{"a class that nobody knows", "", "v = cub::BlockSecret<int, 64>(temp).Sum(v);", one, "unknown-call"},
		{"beside what is refused anyway", "", "v = BR(temp).Sum(v) + secret(v);", one, "unknown-call"},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := fmt.Sprintf(`#include <cub/cub.cuh>
typedef cub::BlockReduce<int, 64> BR;
typedef cub::BlockScan<int, 64> BS;
%s
__global__ void k(const int *in, int *out, int n) {
    __shared__ typename BR::TempStorage temp;
    __shared__ typename BS::TempStorage scan;
    int v = in[blockIdx.x * 64 + threadIdx.x], t = 0;
    %s
    out[blockIdx.x * 64 + threadIdx.x] = v + t;
}
void run(int *a, int *b) { %s }
`, c.before, c.body, c.launch)
			f, err := parser.Parse("k.cu", []byte(text), parser.Options{})
			require.NoError(t, err)
			prog := parser.NewProgram([]*parser.File{f}, parser.Options{})
			for _, variant := range []rewrite.Variant{
				{Rewriter: "vtb", Sync: "named"}, {Rewriter: "vtb", Sync: "lock"}, {Rewriter: "vtb", Sync: "block"}, {Rewriter: "vtb-pipe", Sync: "block"}, {Rewriter: "co-vtb", Sync: "block"},
				{Rewriter: "dyn", Sync: "lock", SharedSets: 1}, {Rewriter: "merge", Sync: "named"}, {Rewriter: "stage-loads"}, {Rewriter: "assume-shape"}, {Rewriter: "merge", Sync: "block"},
			} {
				variant.Factor = 2
				res, err := rewrite.Run(prog, rewrite.Options{Variant: variant, Runtime: "header"})
				require.NoError(t, err)
				require.Len(t, res.Kernels, 1)
				if variant.Rewriter == "merge" && variant.Sync == "block" && c.refused == "" {
					assert.Empty(t, res.Kernels[0].Refused)
					assert.NotEmpty(t, res.Files)
					continue
				}
				require.NotEmpty(t, res.Kernels[0].Refused, variant)
				codes := map[string]bool{}
				for _, m := range res.Kernels[0].Refused {
					codes[string(m.Code)] = true
				}
				if variant.Rewriter == "merge" && variant.Sync == "block" {
					assert.Contains(t, codes, c.refused)
				}
			}
		})
	}
}
