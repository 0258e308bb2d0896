package validate_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/validate"
)

// wrongCases are kernels whose rewrites take a condition of their own, each with what rewriters could do wrong with it.
var wrongCases = []struct {
	name, text string
	rights     []rewrite.Variant
	wrongs     []wrong
}{
	{"branches of #if", `__global__ void k(const float *in, float *out)
{
    __shared__ float s[64];
    const int t = threadIdx.x;
    float v = in[blockIdx.x * 64 + t];
#ifdef TWICE
    s[t] = v;
    __syncthreads();
    v += s[t ^ 1];
    __syncthreads();
#else
    v *= 2.0f;
#endif
    s[t] = v;
    __syncthreads();
    out[blockIdx.x * 64 + t] = s[63 - t];
}
void run(const float *in, float *out, int blocks) { k<<<blocks, 64>>>(in, out); }
`, []rewrite.Variant{named, locks, block, apart}, []wrong{
		{"a turn that begins in one branch only", named, "    vtb.release();  // s\n#else\n    v *= 2.0f;\n#endif\n    vtb.acquire();  // guards s\n", "#else\n    v *= 2.0f;\n#endif\n", validate.Turns},
		{"a barrier of a branch dropped", named, "    vtb.sync();\n    v += s[t ^ 1];", "    v += s[t ^ 1];", validate.Moves},
		{"the branches changed places", named, "#ifdef TWICE", "#ifndef TWICE", validate.Erasure},
		{"a statement in the other branch", named, "#else\n    v *= 2.0f;\n", "    v *= 2.0f;\n#else\n", validate.Erasure},
		{"a statement behind the branches", named, "    v *= 2.0f;\n#endif\n", "#endif\n    v *= 2.0f;\n", validate.Erasure},
		{"a branch gone", named, "#else\n    v *= 2.0f;\n#endif\n", "#endif\n", validate.Erasure},
		{"a turn too few in a branch", block, "        if (vtb.id == turn) s[t] = v;\n", "        if (vtb.id == 0) s[t] = v;\n", validate.Erasure},
	}},
	{"exits of the whole grid", `__global__ void k(const float *in, float *out, int n)
{
    __shared__ float s[64];
    if (n == 0) return;
    const int t = threadIdx.x;
    s[t] = in[blockIdx.x * 64 + t];
    __syncthreads();
    out[blockIdx.x * 64 + t] = s[63 - t];
}
void run(const float *in, float *out, int blocks, int n) { k<<<blocks, 64>>>(in, out, n); }
`, []rewrite.Variant{named, locks, block}, []wrong{
		{"an exit of some threads", named, "if (n == 0)", "if (n == 0 + threadIdx.x)", validate.Erasure},
		{"an exit in the ring", named, "    if (n == 0) return;\n    const int t = threadIdx.x;\n    vtb.start();\n", "    vtb.start();\n    if (n == 0) return;\n    const int t = threadIdx.x;\n", validate.Turns},
		{"an exit in a turn", named, "    if (n == 0) return;\n    const int t = threadIdx.x;\n    vtb.start();\n", "    vtb.start();\n    vtb.acquire();\n    if (n == 0) return;\n    const int t = threadIdx.x;\n    vtb.release();\n", validate.Turns},
	}},
	{"exits of some threads", `__global__ void k(const float *in, float *out, int n)
{
    __shared__ float s[64];
    const int t = threadIdx.x;
    if (blockIdx.x * 64 + t >= n) return;
    s[t] = in[blockIdx.x * 64 + t];
    __syncthreads();
    out[blockIdx.x * 64 + t] = s[t / 2];
}
void run(const float *in, float *out, int blocks, int n) { k<<<blocks, 64>>>(in, out, n); }
`, []rewrite.Variant{block}, []wrong{
		{"an exit in a turn of the merged blocks", block, "    if (blockIdx.x * 64 + t >= n) return;\n", "", validate.Erasure},
		{"an exit between the turns", block, "        if (vtb.id == turn) s[t] = ", "        if (blockIdx.x * 64 + t >= n) return;\n        if (vtb.id == turn) s[t] = ", validate.Erasure},
	}},
}

func TestWrongCases(t *testing.T) {
	for _, c := range wrongCases {
		t.Run(c.name, func(t *testing.T) {
			old := program(t, c.text)
			refuseAll(t, c.text, func(t *testing.T, v rewrite.Variant) string {
				res, err := rewrite.Run(old, rewrite.Options{Variant: v, Runtime: "header"})
				require.NoError(t, err)
				require.Len(t, res.Files, 1)
				return string(res.Files[0].After)
			}, c.rights, c.wrongs)
		})
	}
}
