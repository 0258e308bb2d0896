package rewrite_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/rewrite/merge"
	"github.com/smux-cuda/smux/rewrite/variant"
)

// TestLaunchesByCallsFollow: a call of the runtime that names the kernel is rewritten, with the
// blocks that the host function tells for certain, and refused with the reason where something
// that it needs is out of sight. want is a part of the text, or "CODE: " and a part of the reason.
func TestLaunchesByCallsFollow(t *testing.T) {
	const config = "cudaLaunchConfig_t c = {0}; c.gridDim = n; c.blockDim = 64; "
	for text, want := range map[string]string{
		// Blocks are those that a configuration has when control comes to the launch.
		config + "cudaLaunchKernelEx(&c, k, a);":                                                                               "smux::merge<2, 64>(c.gridDim, c.blockDim); cudaLaunchKernelEx(smux::configured(c, smux_launch), k, a, smux_launch.blocks);",
		config + "cudaLaunchKernelEx(&c, k, a); c.blockDim = 32;":                                                              "smux::merge<2, 64>(c.gridDim",
		config + "if (n) c.blockDim = 32; cudaLaunchKernelEx(&c, k, a);":                                                       "smux::try_merge<2, 32>(k, c.gridDim, c.blockDim)",
		config + "for (int i = 0; i < 2; i++) { cudaLaunchKernelEx(&c, k, a); c.blockDim = 32; }":                              "smux::try_merge<2, 32>(k, c.gridDim",
		config + "c.blockDim.x = n; cudaLaunchKernelEx(&c, k, a);":                                                             "smux::try_merge<2, 32>(k, c.gridDim",
		"dim3 b(64); cudaLaunchConfig_t c = {n, b}; b.x = 32; cudaLaunchKernelEx(&c, k, a);":                                   "smux::try_merge<2, 32>(k, c.gridDim",
		"dim3 b(64); cudaLaunchConfig_t c = {n, b}; cudaLaunchKernelEx(&c, k, a);":                                             "smux::merge<2, 64>(c.gridDim",
		"cudaLaunchConfig_t c; c.gridDim = n; c.blockDim = 64; c.numAttrs = 0; cudaLaunchKernelEx(&c, k, a);":                  "smux::merge<2, 64>(c.gridDim",
		config + "printf(\"%d\", c.gridDim.x); cudaLaunchKernelExC(&c, (void *)k, args);":                                      "cudaLaunchKernelExC(smux::configured(c, smux_launch), (void *)k, smux::arguments<1, 1>(args, smux_launch.blocks));",
		config + "n++, cudaLaunchKernelEx(&c, k, a);":                                                                          "cudaLaunchKernelEx(smux::configured(c, smux::merge<2, 64>(c.gridDim, c.blockDim)), k, a, smux::merge<2, 64>(c.gridDim, c.blockDim).blocks)",
		config + "cudaLaunchAttribute t[2]; t[0].id = cudaLaunchAttributePriority; c.attrs = t; cudaLaunchKernelEx(&c, k, a);": "smux::merge<2, 64>(c.gridDim",
		// What is not known of a configuration is a reason.
		"cudaLaunchConfig_t c; c.gridDim = n; c.blockDim = 64; cudaLaunchKernelEx(&c, k, a);":                                                      "launch-call: the attributes of c are not set",
		config + "set(&c); cudaLaunchKernelEx(&c, k, a);":                                                                                          "launch-call: c may change here",
		config + "cudaLaunchConfig_t &r = c; cudaLaunchKernelEx(&c, k, a);":                                                                        "launch-call: c may change here",
		config + "set(c.attrs); cudaLaunchKernelEx(&c, k, a);":                                                                                     "launch-call: its attributes are used here",
		config + "auto f = [&c] { c.blockDim = 32; }; f(); cudaLaunchKernelEx(&c, k, a);":                                                          "launch-call: c may change here",
		"static " + config + "cudaLaunchKernelEx(&c, k, a);":                                                                                       "launch-call: c is not a local cudaLaunchConfig_t",
		config + "{ cudaLaunchConfig_t c = {0}; } cudaLaunchKernelEx(&c, k, a);":                                                                   "launch-call: c is not a local cudaLaunchConfig_t that is declared once",
		config + "c.attrs = made(); cudaLaunchKernelEx(&c, k, a);":                                                                                 "launch-call: its attributes are not a variable",
		config + "cudaLaunchAttribute t; fill(&t); c.attrs = &t; cudaLaunchKernelEx(&c, k, a);":                                                    "launch-call: an attribute may change here",
		config + "cudaLaunchAttribute t; t.id = cudaLaunchAttributeCooperative; c.attrs = &t; cudaLaunchKernelEx(&c, k, a);":                       "launch-call: the launch has the attribute cudaLaunchAttributeCooperative: all its blocks must be resident",
		config + "cudaLaunchAttribute t[] = {{cudaLaunchAttributeClusterDimension}}; c.attrs = t; cudaLaunchKernelEx(&c, k, a);":                   "launch-call: the launch has the attribute cudaLaunchAttributeClusterDimension",
		config + "cudaLaunchAttribute t[1]; t[0].id = cudaLaunchAttributeOfTomorrow; c.attrs = t; cudaLaunchKernelEx(&c, k, a);":                   "launch-call: the launch has the attribute cudaLaunchAttributeOfTomorrow, which smux does not know",
		config + "cudaLaunchAttribute t; t.id = cudaLaunchAttributePriority; c.attrs = &t; c.attrs[0].id = other(); cudaLaunchKernelEx(&c, k, a);": "launch-call: which attribute this is is not followed",
		// Arrays of addresses may come from anywhere, as long as the grid is the same before and after them.
		"cudaLaunchKernel((void *)k, n, 64, args, 0, 0);":                                               "cudaLaunchKernel((void *)k, smux_launch.grid, smux_launch.block, smux::arguments<1, 1>(args, smux_launch.blocks), 0, 0);",
		"CHECK(cudaLaunchKernel((void *)&k, n, 64, filled.data()));":                                    "const auto smux_launch = smux::merge<2, 64>(n, 64); CHECK(cudaLaunchKernel((void *)&k, smux_launch.grid, smux_launch.block, smux::arguments<1, 1>(filled.data(), smux_launch.blocks)));",
		"if (cudaLaunchKernel((void *)k, n, 64, args) != cudaSuccess) return;":                          "const auto smux_launch = smux::merge<2, 64>(n, 64); if (cudaLaunchKernel(",
		"if (!n) return; else if (cudaLaunchKernel((void *)k, n, 64, args)) return;":                    "else if (cudaLaunchKernel((void *)k, smux::merge<2, 64>(n, 64).grid, ",
		"cudaError_t e = cudaLaunchKernel((void *)k, next(), 64, args);":                                "const auto smux_launch = smux::merge<2, 64>(next(), 64); cudaError_t e = ",
		"switch (n) case 1: { case 2: cudaError_t e = cudaLaunchKernel((void *)k, next(), 64, args); }": "launch: the grid expression may have side effects",
		"int b = 1, e = cudaLaunchKernel((void *)k, next(), 64, args);":                                 "launch: the grid expression may have side effects",
		"int e; e = 1 + cudaLaunchKernel((void *)k, next(), 64, args);":                                 "launch: the grid expression may have side effects",
		"cudaLaunchKernel((void *)k, n, 64, fill(&n), 0, 0);":                                           "launch-call: what makes the arguments' addresses may change the grid",
		"float *k = a; cudaLaunchKernel((void *)k, n, 64, args, 0, 0);":                                 "launch-call: k is a variable here",
		"auto &k = *a; cudaLaunchKernel((void *)k, n, 64, args, 0, 0);":                                 "launch-call: k is a variable here",
		"auto f = [&](void (*k)(float *)) { cudaLaunchKernel((void *)k, n, 64, args); };":               "launch-call: k is a variable here",
		"const void *p = (void *)k; cudaLaunchKernel(p, n, 64, args, 0, 0);":                            "kernel-address: the kernel's address is taken here",
		"cudaLaunchCooperativeKernel((void *)k, n, 64, args, 0, 0);":                                    "launch-call: a cooperative launch",
		"cuModuleGetFunction(&f, m, \"k\"); cuLaunchKernel(f, n, 1, 1, 64, 1, 1, 0, 0, args, 0);":       "kernel-address: cuModuleGetFunction finds the kernel by its name here",
	} {
		f, err := parser.Parse("k.cu", []byte(launchedKernel+"int next();\nvoid run(float *a, int n, void **args, std::vector<void *> &filled) { "+text+" }\n"), parser.Options{})
		require.NoError(t, err)
		res, err := rewrite.Run(parser.NewProgram([]*parser.File{f}, parser.Options{}), rewrite.Options{Runtime: "header"})
		require.NoError(t, err)
		require.Len(t, res.Kernels, 1, text)
		code, reason, refused := strings.Cut(want, ": ")
		if refused && !strings.Contains(code, " ") {
			if assert.NotEmpty(t, res.Kernels[0].Refused, text) {
				assert.Equal(t, diag.Code(code), res.Kernels[0].Refused[0].Code, text)
				assert.Contains(t, res.Kernels[0].Refused[0].Text, reason, text)
			}
			continue
		}
		if assert.Empty(t, res.Kernels[0].Refused, text) {
			assert.Contains(t, string(res.Files[0].After), want)
		}
	}
}

// TestNothingToMultiplexHidesNoLaunch: that a kernel has no shared memory is no reason to be silent of
// a launch which keeps every other rewriter from it, too.
func TestNothingToMultiplexHidesNoLaunch(t *testing.T) {
	for launch, want := range map[string][]diag.Code{
		"k<<<9, 64>>>(a);": {"no-shared"},
		"cudaLaunchCooperativeKernel((void *)k, 9, 64, args, 0, 0);":   {"no-shared", "launch-call"},
		"const void *p = (void *)k; cudaLaunchKernel(p, 9, 64, args);": {"no-shared", "kernel-address"},
	} {
		f, err := parser.Parse("k.cu", []byte("__global__ void k(float *a) { a[threadIdx.x] = 1; }\nvoid run(float *a, void **args) { "+launch+" }\n"), parser.Options{})
		require.NoError(t, err)
		res, err := rewrite.Run(parser.NewProgram([]*parser.File{f}, parser.Options{}), rewrite.Options{})
		require.NoError(t, err)
		var got []diag.Code
		for _, m := range res.Kernels[0].Refused {
			got = append(got, m.Code)
		}
		assert.Equal(t, want, got, launch)
	}
}

// TestCooperativeBlocksTakeNoMore: a cooperative launch needs room for all blocks at once, so that
// what would take more of an SM is refused, and what takes no more is not.
func TestCooperativeBlocksTakeNoMore(t *testing.T) {
	const text = `__global__ void k(const float *__restrict__ a, float *__restrict__ b) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int j = 0; j < 8; j++) sum += a[i + j];
    b[i] = sum;
}
`
	const ordinary = "void run(float *a, float *b) { k<<<9, 64>>>(a, b); }\n"
	const cooperative = "void run(float *a, float *b) { void *args[] = {&a, &b}; cudaLaunchCooperativeKernel((void *)k, 9, 64, args, 0, 0); }\n"
	for _, c := range []struct {
		form   string
		launch string
		want   diag.Code
	}{
		{"stage", ordinary, ""},
		{"stage", cooperative, merge.CodeLaunchCall},
		{"demote demote=sum", ordinary, ""},
		{"demote demote=sum", cooperative, merge.CodeLaunchCall},
		{"demote bounds=64,2", cooperative, ""},
		{"assume-shape", cooperative, ""},
	} {
		f, err := parser.Parse("k.cu", []byte(text+c.launch), parser.Options{})
		require.NoError(t, err)
		v, err := variant.Parse(c.form)
		require.NoError(t, err)
		res, err := rewrite.Run(parser.NewProgram([]*parser.File{f}, parser.Options{}), rewrite.Options{Variant: v})
		require.NoError(t, err)
		got := diag.Code("")
		if refused := res.Kernels[0].Refused; len(refused) > 0 {
			got = refused[0].Code
		}
		assert.Equal(t, c.want, got, "%s: %s", c.form, c.launch)
	}
}
