package rewrite_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite"
)

const launchedKernel = `__global__ void k(float *a) {
    __shared__ float s[64];
    s[threadIdx.x] = a[threadIdx.x];
    __syncthreads();
    a[threadIdx.x] = s[63 - threadIdx.x];
}
struct M {
    int r;
    int rows() const { return r; }
    int next() { return r++; }
    int cells() const { return rows() * 2; }
    int far();
    virtual int turn() { return r; }
};
`

// TestLaunchesAreRewrittenWhereverTheyStand: a launch follows its kernel in any
// function, lambda or macro call that a host may have, and whatever its grid is made
// of, as long as that can be evaluated twice, or once before it; what can't be is refused.
func TestLaunchesAreRewrittenWhereverTheyStand(t *testing.T) {
	for text, want := range map[string]string{
		`extern "C" { void run(float *a) { k<<<9, 64>>>(a); } }`:                                                                                    "const auto smux_launch = smux::merge<2, 64>(9, 64); k<<<smux_launch.grid, smux_launch.block>>>(a, smux_launch.blocks);",
		`namespace n { namespace { void run(float *a) { k<<<9, 64>>>(a); } } }`:                                                                     "smux::merge<2, 64>(9, 64);",
		`class C { float *a; public: C() { k<<<9, 64>>>(a); } };`:                                                                                   "smux::merge<2, 64>(9, 64);",
		"#ifdef FAST\nvoid run(float *a, int n) {\n#else\nvoid run(float *a) {\n#endif\n    k<<<9, 64>>>(a);\n}":                                    "smux::merge<2, 64>(9, 64);",
		`TEST_F(My, Run) { float *a = 0; k<<<9, 64>>>(a); }`:                                                                                        "smux::merge<2, 64>(9, 64);",
		`void run(float *a) { auto f = [&](int n) { k<<<n, 64>>>(a); }; f(9); }`:                                                                    "smux::merge<2, 64>(n, 64); k<<<",
		`void run(float *a) { DISPATCH(type, "k", ([&] { dim3 b(64); k<<<9, b>>>(a); })); }`:                                                        "smux::merge<2, 64>(9, b);",
		`void run(float *a) { timed([=] { auto g = [=] { k<<<9, 64>>>(a); }; g(); }); }`:                                                            "smux::merge<2, 64>(9, 64);",
		`void run(float *a, M &m) { k<<<m.rows(), 64>>>(a); }`:                                                                                      "smux::merge<2, 64>(m.rows(), 64)",
		`void run(float *a, M *m) { k<<<dim3(m->cells(), m->r), 64>>>(a); }`:                                                                        "smux::merge<2, 64>(dim3(m->cells(), m->r), 64)",
		`void run(float *a, int b, int j) { k<<<min(9, b - j), 64>>>(a); }`:                                                                         "smux::merge<2, 64>(min(9, b - j), 64)",
		`void run(float *a, int b, int j) { k<<<std::min(9, b - j), max(b, 64)>>>(a); }`:                                                            "smux::try_merge<2, 32>(k, std::min(9, b - j), max(b, 64))",
		"int block = 64; void run(float *a, int elements) {\n    k<<<(elements + block - 1) / block, block>>>(a);\n}":                               "    const auto smux_launch = smux::try_merge<2, 32>(k, (elements + block - 1) / block, block);\n    k<<<smux_launch.grid, smux_launch.block>>>(a, smux_launch.blocks);\n",
		"cudaStream_t next(int *); void run(float *a, int elements) {\n    k<<<(elements + 255) / 256 + elements, 64, 0, next(&elements)>>>(a);\n}": "smux::merge<2, 64>((elements + 255) / 256 + elements, 64);\n    k<<<smux_launch.grid, smux_launch.block, 0, next(&elements)>>>(",
		`void run(float *a, M &m) { k<<<m.next(), 64>>>(a); }`:                                                                                      "const auto smux_launch = smux::merge<2, 64>(m.next(), 64); k<<<smux_launch.grid, smux_launch.block>>>(a, smux_launch.blocks); }",
		`struct R { int &n; }; int rows(R r) { r.n++; return r.n; } void run(float *a, R r) { k<<<rows(r), 64>>>(a); }`:                             "smux::merge<2, 64>(rows(r), 64); ",
		`dim3 rows(int n) { dim3 g; g.x = n; return g; } void run(float *a, int n) { k<<<rows(n), 64>>>(a); }`:                                      "smux::merge<2, 64>(rows(n), 64)",
		`void run(float *a, M &m) { k<<<9, m.next()>>>(a); }`:                                                                                       "",
		`void run(float *a, M &m) { k<<<m.far(), 64>>>(a); }`:                                                                                       "const auto smux_launch = smux::merge<2, 64>(m.far(), 64); k<<<smux_launch.grid, smux_launch.block>>>(a, smux_launch.blocks); }",
		`void run(float *a, M &m) { k<<<m.turn(), 64>>>(a); }`:                                                                                      "const auto smux_launch = smux::merge<2, 64>(m.turn(), 64); k<<<smux_launch.grid, smux_launch.block>>>(a, smux_launch.blocks); }",
		`struct D { int rows(); }; void run(float *a, M &m) { k<<<m.rows(), 64>>>(a); }`:                                                            "smux::merge<2, 64>(m.rows(), 64); ",
		`int far(); void run(float *a, int n, cudaStream_t s) { if (n) k<<<far(), n, 0, s>>>(a); }`:                                                 "if (n) { const auto smux_launch = smux::try_merge<2, 32>(k, far(), n); k<<<smux_launch.grid, smux_launch.block, 0, s>>>(a, smux_launch.blocks); }",
		`void run(float *a, M &m) { k<<<m.next(), m.r>>>(a); }`:                                                                                     "",
		`void run(float *a, M &m, int i) { i++, k<<<m.next(), 64>>>(a); }`:                                                                          "",
		`int far(); void run(float *a, int n) { auto f = [&] { n = 9; }; k<<<far(), n>>>(a); f(); }`:                                                "",
		`int far(); int n; void run(float *a) { k<<<far(), n>>>(a); }`:                                                                              "",
		`void run(float *a) { try { k<<<9, 64>>>(a); } catch (...) { return; } }`:                                                                   "const auto smux_launch = smux::merge<2, 64>(9, 64); k<<<smux_launch.grid, smux_launch.block>>>(a, smux_launch.blocks);",
		`void run(float *a) { try { dim3 b(64); k<<<9, b>>>(a); } catch (const int &e) { k<<<e, 64>>>(a); } }`:                                      "smux_launch2 = smux::merge<2, 64>(e, 64); k<<<smux_launch2.grid, smux_launch2.block>>>(a, smux_launch2.blocks)",
		// What is no statement says each part anew, where it can be repeated.
		`void run(float *a, int i) { i++, k<<<9, 64>>>(a); }`:                                               "i++, k<<<smux::merge<2, 64>(9, 64).grid, smux::merge<2, 64>(9, 64).block>>>(a, smux::merge<2, 64>(9, 64).blocks)",
		`cudaStream_t next(); void run(float *a, int i, int n) { i++, k<<<n, 64, 0, next()>>>(a); }`:        "k<<<smux::merge<2, 64>(n, 64).grid, ",
		`cudaStream_t next(int *); void run(float *a, int i, int n) { i++, k<<<n, 64, 0, next(&n)>>>(a); }`: "",
		// A declaration of its own needs a scope where something jumps past it, or where what stands before may be the head of a loop.
		`void run(float *a, int n) { if (n) goto end; k<<<9, 64>>>(a); end: return; }`:                          "{ const auto smux_launch = smux::merge<2, 64>(9, 64); k<<<smux_launch.grid, smux_launch.block>>>(a, smux_launch.blocks); }",
		`void run(float *a, int n) { switch (n) { case 0: k<<<9, 64>>>(a); break; case 1: n++; } }`:             "case 0: { const auto smux_launch = smux::merge<2, 64>(9, 64); k<<<smux_launch.grid, smux_launch.block>>>(a, smux_launch.blocks); } break;",
		`void run(float *a, int n) { switch (n) case 0: { k<<<9, 64>>>(a); case 1: n++; } }`:                    "{ { const auto smux_launch = smux::merge<2, 64>(9, 64); ",
		"#define REPEAT for (int i = 0; i < 3; i++)\nvoid run(float *a) {\n    REPEAT\n    k<<<9, 64>>>(a);\n}": "    REPEAT\n    {\n        const auto smux_launch = smux::merge<2, 64>(9, 64);\n        k<<<smux_launch.grid, smux_launch.block>>>(a, smux_launch.blocks);\n    }\n",
		"void run(float *a, int n) {\n    if (n)\n        k<<<9, 64>>>(a);\n    k<<<n, 64>>>(a);\n}":            "    if (n)\n        {\n            const auto smux_launch = smux::merge<2, 64>(9, 64);\n            k<<<smux_launch.grid, smux_launch.block>>>(a, smux_launch.blocks);\n        }\n    const auto smux_launch2 = smux::merge<2, 64>(n, 64);\n    k<<<smux_launch2.grid, ",
		// What a try block sets may not be set.
		`void far(); void run(float *a) { int n = 32; try { n = 32; far(); n = 64; } catch (...) {} k<<<9, n>>>(a); }`:     "smux::try_merge<2, 32>(k, 9, n)",
		`void far(); void run(float *a) { dim3 n(64); try { n.x = 32; far(); n.x = 64; } catch (...) {} k<<<9, n>>>(a); }`: "smux::try_merge<2, 32>(k, 9, n)",
		// What a lambda changes is not known in it.
		`void read(int &n); void run(float *a) { int n = 64; auto f = [&] { read(n); k<<<9, n>>>(a); }; f(); }`: "smux::try_merge<2, 32>(k, 9, n)",
		`void run(float *a) { dim3 n(64); auto f = [&] { k<<<9, n>>>(a); n.x = 32; }; f(); f(); }`:              "smux::try_merge<2, 32>(k, 9, n)",
	} {
		f, err := parser.Parse("k.cu", []byte(launchedKernel+text+"\n"), parser.Options{})
		require.NoError(t, err)
		res, err := rewrite.Run(parser.NewProgram([]*parser.File{f}, parser.Options{}), rewrite.Options{Runtime: "header"})
		require.NoError(t, err)
		require.Len(t, res.Kernels, 1, text)
		if want == "" {
			if assert.NotEmpty(t, res.Kernels[0].Refused, text) {
				assert.Equal(t, diag.Code("launch"), res.Kernels[0].Refused[0].Code, text)
			}
			continue
		}
		if assert.Empty(t, res.Kernels[0].Refused, text) {
			assert.Contains(t, string(res.Files[0].After), want)
			assert.NotContains(t, strings.SplitN(string(res.Files[0].After), "struct M", 2)[1], "k<<<9, 64>>>", text)
		}
	}
}
