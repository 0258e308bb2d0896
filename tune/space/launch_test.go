package space_test

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/analysis/passes"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/tune/replay"
	"github.com/smux-cuda/smux/tune/space"
)

// TestALaunchMoreChangesNoForm holds the forms of the examples with the measured launch to those without.
func TestALaunchMoreChangesNoForm(t *testing.T) {
	for name, l := range map[string]replay.Launch{
		"mm":  {Kernel: "multiply", Grid: [3]uint{8, 8, 1}, Block: [3]uint{16, 16, 1}},
		"tp":  {Kernel: "transpose", Grid: [3]uint{8, 8, 1}, Block: [3]uint{128, 1, 1}},
		"rd":  {Kernel: "reduce<128>", Grid: [3]uint{64, 1, 1}, Block: [3]uint{128, 1, 1}},
		"fft": {Kernel: "fft1024", Grid: [3]uint{64, 1, 1}, Block: [3]uint{64, 1, 1}},
		"hg":  {Kernel: "countBytes", Grid: [3]uint{60, 1, 1}, Block: [3]uint{64, 1, 1}},
		"cv":  {Kernel: "convolveRows", Grid: [3]uint{8, 64, 1}, Block: [3]uint{128, 1, 1}, Shared: 2112},
		"mc":  {Kernel: "generateTriangles", Grid: [3]uint{60, 1, 1}, Block: [3]uint{32, 1, 1}},
		"sp":  {Kernel: "scalarProducts", Grid: [3]uint{60, 1, 1}, Block: [3]uint{64, 1, 1}},
		"sto": {Kernel: "hashWindows", Grid: [3]uint{60, 1, 1}, Block: [3]uint{128, 1, 1}},
		"mv":  {Kernel: "multiply", Grid: [3]uint{60, 1, 1}, Block: [3]uint{32, 1, 1}},
	} {
		t.Run(name, func(t *testing.T) {
			files, err := filepath.Glob(filepath.Join("../../examples", name, "*.cu"))
			require.NoError(t, err)
			prog, errs := parser.LoadProgram(files, parser.Options{})
			require.Empty(t, errs)
			kernel, _, _ := strings.Cut(l.Kernel, "<")
			plain := inputNamed(t, prog, kernel)
			if plain.Group.Kernels == nil {
				t.Fatalf("%s has no kernel %s", name, kernel)
			}
			more, err := space.Relaunch(prog, plain.Group.Kernels[0], l)
			require.NoError(t, err)
			in := inputNamed(t, more.Program, kernel)
			forms, _ := space.Enumerate(plain)
			assert.Greater(t, len(forms), 1)
			for _, f := range forms {
				want, err := space.Emit(plain, f.TunedVariant)
				require.NoError(t, err, f)
				texts, err := more.Form(in, f.TunedVariant, want.Texts(prog))
				require.NoError(t, err, f)
				_, function, ok := bytes.Cut(texts[more.Unit], []byte(replay.Function))
				require.True(t, ok, f)
				if !f.IsForm() {
					assert.NotContains(t, string(function), fmt.Sprintf("<<<dim3(%d, %d", l.Grid[0], l.Grid[1]), f)
				}
			}
		})
	}
}

// inputNamed is the input of a kernel of a program, without a model's report.
func inputNamed(t *testing.T, prog *parser.Program, kernel string) space.Input {
	t.Helper()
	analysed := passes.NewProgram(prog, [3]int{})
	for _, g := range rewrite.Groups(analysed, analysed.Kernels(), rewrite.Options{}) {
		if g.Kernels[0].Name == kernel {
			return space.Input{Program: prog, Analysed: analysed, Group: g, GPU: board(t, "h200")}
		}
	}
	return space.Input{}
}

func TestALaunchThatChangesAFormIsRefused(t *testing.T) {
	prog, errs := parser.LoadProgram([]string{"../../examples/sp/sp.cu"}, parser.Options{})
	require.Empty(t, errs)
	plain := inputNamed(t, prog, "scalarProducts")
	// No launch of the program has this block, so that its shape is no constant any more.
	more, err := space.Relaunch(prog, plain.Group.Kernels[0], replay.Launch{Kernel: "scalarProducts", Grid: [3]uint{60, 1, 1}, Block: [3]uint{128, 1, 1}})
	require.NoError(t, err)
	in := inputNamed(t, more.Program, "scalarProducts")
	forms, _ := space.Enumerate(plain)
	refused := 0
	for _, f := range forms {
		want, err := space.Emit(plain, f.TunedVariant)
		require.NoError(t, err, f)
		if _, err := more.Form(in, f.TunedVariant, want.Texts(prog)); err != nil {
			refused++
		}
	}
	assert.Positive(t, refused)
}

func TestAKernelThatNoUnitLaunchesHasNoLaunch(t *testing.T) {
	prog := program(t, "template <class... T> __global__ void k(T... v) {}\nint main() { k<<<1, 32>>>(1); }\n")
	in := inputNamed(t, prog, "k")
	_, err := space.Relaunch(prog, in.Group.Kernels[0], replay.Launch{Kernel: "k<int>"})
	assert.EqualError(t, err, "the kernel has a pack of parameters")

	for text, want := range map[string]string{
		"__device__ int calls;":                    "k.cu:1:12: the memory of this variable is not compared",
		"namespace a { __managed__ int f; }":       "not compared",
		"#define DEV __device__\nDEV int x;":       "not compared",
		"__device__ volatile int flag;":            "not compared",
		"__device__ const int *first;":             "not compared",
		"extern __device__ int there[];":           "not compared",
		"struct s { static __device__ int n; };":   "not compared",
		"__device__ const int PRIMES[2] = {2, 3};": "",
		"__constant__ int width;":                  "",
		"__device__ int half(int x);":              "",
		"static Log log;":                          "construct",
		"std::vector<int> all;":                    "construct",
		"int n = count();":                         "construct",
		"Log logs[2];":                             "construct",
		"namespace a { Log log{1}; }":              "construct",
		"extern Log log;":                          "",
		"Log *log;":                                "",
		"static int calls[4] = {1, 2};":            "",
		"uint32_t seed = 3; float4 origin;":        "",
		"template <class T> T zero;":               "",
		"Log open(int);":                           "",
	} {
		prog = program(t, text+"\n__global__ void k(int *p) { *p = 1; }\nint main() { k<<<1, 32>>>(0); }\n")
		_, err := space.Relaunch(prog, inputNamed(t, prog, "k").Group.Kernels[0], replay.Launch{Kernel: "k"})
		if want == "" {
			assert.NoError(t, err, text)
		} else {
			assert.ErrorContains(t, err, want, text)
		}
	}
}

// TestALaunchWithMuchSharedMemoryIsAllowedIt: the program allows its own kernel more than 48 KB, a library's kernel is another one.
func TestALaunchWithMuchSharedMemoryIsAllowedIt(t *testing.T) {
	prog := program(t, `__global__ void k(float *out, const float *in) {
    extern __shared__ float s[];
    s[threadIdx.x * 120] = in[blockIdx.x * 128 + threadIdx.x];
    __syncthreads();
    out[blockIdx.x * 128 + threadIdx.x] = s[(127 - threadIdx.x) * 120];
}
void run(float *a, float *b) {
    cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, 61440);
    k<<<64, 128, 61440>>>(b, a);
}
`)
	plain := inputNamed(t, prog, "k")
	for shared, allowed := range map[uint64]bool{61440: true, 49152: false} {
		more, err := space.Relaunch(prog, plain.Group.Kernels[0], replay.Launch{Kernel: "k", Grid: [3]uint{64, 1, 1}, Block: [3]uint{128, 1, 1}, Shared: shared})
		require.NoError(t, err)
		_, function, ok := strings.Cut(string(more.Program.Files[0].Src), replay.Function)
		require.True(t, ok)
		assert.Equal(t, allowed, strings.Contains(function, fmt.Sprintf("cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, %d);", shared)))
		in := inputNamed(t, more.Program, "k")
		entries, _ := space.Enumerate(plain)
		for _, f := range entries {
			want, err := space.Emit(plain, f.TunedVariant)
			require.NoError(t, err, f)
			texts, err := more.Form(in, f.TunedVariant, want.Texts(prog))
			if !allowed {
				continue // it is another launch than the program's
			}
			require.NoError(t, err, f)
			_, function, _ := strings.Cut(string(texts[more.Unit]), replay.Function)
			assert.Contains(t, function, "cudaFuncAttributeMaxDynamicSharedMemorySize", f)
		}
	}
}
