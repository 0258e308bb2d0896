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
		`extern "C" { void run(float *a) { k<<<9, 64>>>(a); } }`:                                                                                    "k<<<smux::grid<2>(9), smux::block<2, 64>(64)>>>(a, smux::dim(9).x)",
		`namespace n { namespace { void run(float *a) { k<<<9, 64>>>(a); } } }`:                                                                     "smux::grid<2>(9)",
		`class C { float *a; public: C() { k<<<9, 64>>>(a); } };`:                                                                                   "smux::grid<2>(9)",
		"#ifdef FAST\nvoid run(float *a, int n) {\n#else\nvoid run(float *a) {\n#endif\n    k<<<9, 64>>>(a);\n}":                                    "smux::grid<2>(9)",
		`TEST_F(My, Run) { float *a = 0; k<<<9, 64>>>(a); }`:                                                                                        "smux::grid<2>(9)",
		`void run(float *a) { auto f = [&](int n) { k<<<n, 64>>>(a); }; f(9); }`:                                                                    "k<<<smux::grid<2>(n), smux::block<2, 64>(64)>>>(a, smux::dim(n).x)",
		`void run(float *a) { DISPATCH(type, "k", ([&] { dim3 b(64); k<<<9, b>>>(a); })); }`:                                                        "smux::block<2, 64>(b)",
		`void run(float *a) { timed([=] { auto g = [=] { k<<<9, 64>>>(a); }; g(); }); }`:                                                            "smux::grid<2>(9)",
		`void run(float *a, M &m) { k<<<m.rows(), 64>>>(a); }`:                                                                                      "smux::grid<2>(m.rows())",
		`void run(float *a, M *m) { k<<<dim3(m->cells(), m->r), 64>>>(a); }`:                                                                        "smux::grid<2>(dim3(m->cells(), m->r))",
		`void run(float *a, int b, int j) { k<<<min(9, b - j), 64>>>(a); }`:                                                                         "smux::grid<2>(min(9, b - j))",
		`void run(float *a, int b, int j) { k<<<std::min(9, b - j), max(b, 64)>>>(a); }`:                                                            "smux::try_block<2, 32>(k, std::min(9, b - j), max(b, 64))",
		"int block = 64; void run(float *a, int elements) {\n    k<<<(elements + block - 1) / block, block>>>(a);\n}":                               "    {\n        const dim3 smux_grid = (elements + block - 1) / block;\n        k<<<smux::try_grid<2, 32>(k, smux_grid, block), ",
		"cudaStream_t next(int *); void run(float *a, int elements) {\n    k<<<(elements + 255) / 256 + elements, 64, 0, next(&elements)>>>(a);\n}": "k<<<smux::grid<2>((elements + 255) / 256 + elements), smux::block<2, 64>(64), 0, next(&elements)>>>(",
		`void run(float *a, M &m) { k<<<m.next(), 64>>>(a); }`:                                                                                      "{ const dim3 smux_grid = m.next(); k<<<smux::grid<2>(smux_grid), smux::block<2, 64>(64)>>>(a, smux::dim(smux_grid).x); }",
		`struct R { int &n; }; int rows(R r) { r.n++; return r.n; } void run(float *a, R r) { k<<<rows(r), 64>>>(a); }`:                             "const dim3 smux_grid = rows(r); ",
		`dim3 rows(int n) { dim3 g; g.x = n; return g; } void run(float *a, int n) { k<<<rows(n), 64>>>(a); }`:                                      "smux::grid<2>(rows(n))",
		`void run(float *a, M &m) { k<<<9, m.next()>>>(a); }`:                                                                                       "",
		`void run(float *a, M &m) { k<<<m.far(), 64>>>(a); }`:                                                                                       "{ const dim3 smux_grid = m.far(); k<<<smux::grid<2>(smux_grid), smux::block<2, 64>(64)>>>(a, smux::dim(smux_grid).x); }",
		`void run(float *a, M &m) { k<<<m.turn(), 64>>>(a); }`:                                                                                      "{ const dim3 smux_grid = m.turn(); k<<<smux::grid<2>(smux_grid), smux::block<2, 64>(64)>>>(a, smux::dim(smux_grid).x); }",
		`struct D { int rows(); }; void run(float *a, M &m) { k<<<m.rows(), 64>>>(a); }`:                                                            "const dim3 smux_grid = m.rows(); ",
		`int far(); void run(float *a, int n, cudaStream_t s) { if (n) k<<<far(), n, 0, s>>>(a); }`:                                                 "if (n) { const dim3 smux_grid = far(); k<<<smux::try_grid<2, 32>(k, smux_grid, n)",
		`void run(float *a, M &m) { k<<<m.next(), m.r>>>(a); }`:                                                                                     "",
		`void run(float *a, M &m, int i) { i++, k<<<m.next(), 64>>>(a); }`:                                                                          "",
		`int far(); void run(float *a, int n) { auto f = [&] { n = 9; }; k<<<far(), n>>>(a); f(); }`:                                                "",
		`int far(); int n; void run(float *a) { k<<<far(), n>>>(a); }`:                                                                              "",
		`void run(float *a) { try { k<<<9, 64>>>(a); } catch (...) { return; } }`:                                                                   "k<<<smux::grid<2>(9), smux::block<2, 64>(64)>>>(a, smux::dim(9).x)",
		`void run(float *a) { try { dim3 b(64); k<<<9, b>>>(a); } catch (const int &e) { k<<<e, 64>>>(a); } }`:                                      "k<<<smux::grid<2>(e), smux::block<2, 64>(64)>>>(a, smux::dim(e).x)",
		// What a try block sets may not be set.
		`void far(); void run(float *a) { int n = 32; try { n = 32; far(); n = 64; } catch (...) {} k<<<9, n>>>(a); }`:     "smux::try_block<2, 32>(k, 9, n)",
		`void far(); void run(float *a) { dim3 n(64); try { n.x = 32; far(); n.x = 64; } catch (...) {} k<<<9, n>>>(a); }`: "smux::try_block<2, 32>(k, 9, n)",
		// What a lambda changes is not known in it.
		`void read(int &n); void run(float *a) { int n = 64; auto f = [&] { read(n); k<<<9, n>>>(a); }; f(); }`: "smux::try_block<2, 32>(k, 9, n)",
		`void run(float *a) { dim3 n(64); auto f = [&] { k<<<9, n>>>(a); n.x = 32; }; f(); f(); }`:              "smux::try_block<2, 32>(k, 9, n)",
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
