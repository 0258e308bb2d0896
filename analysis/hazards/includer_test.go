package hazards_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/passes"
	"github.com/smux-cuda/smux/parser"
)

// parseEach parses the files of an archive by themselves, as a command does, and makes a program of them.
func parseEach(t *testing.T, archive string) *parser.Program {
	t.Helper()
	var files []*parser.File
	texts := map[string][]byte{}
	opt := parser.Options{ReadFile: func(name string) ([]byte, error) {
		if text, ok := texts[name]; ok {
			return text, nil
		}
		return nil, os.ErrNotExist
	}}
	read := txtar.Parse([]byte(archive)).Files
	for _, f := range read {
		texts[f.Name] = f.Data
	}
	for _, f := range read {
		parsed, err := parser.Parse(f.Name, f.Data, opt)
		require.NoError(t, err)
		files = append(files, parsed)
	}
	return parser.NewProgram(files, opt)
}

func kernelsOf(t *testing.T, archive string) []*analysis.Kernel {
	t.Helper()
	kernels := passes.NewProgram(parseEach(t, archive), [3]int{}).Kernels()
	require.NotEmpty(t, kernels)
	return kernels
}

// hazards are the codes and texts of what is refused in a program's first kernel.
func hazards(t *testing.T, archive string) (out []string) {
	t.Helper()
	for _, h := range kernelsOf(t, archive)[0].Hazards {
		out = append(out, string(h.Code)+": "+h.Text)
	}
	return out
}

// fragment is a kernel whose types, sizes and calls are macros of its includers.
const fragment = `
-- kernel.cu --
__global__ void k(const REAL *in, REAL *out) {
	__shared__ REAL s[TILE];
	s[threadIdx.x] = in[blockIdx.x * TILE + threadIdx.x];
	WAIT;
	out[blockIdx.x * TILE + threadIdx.x] = ADD(s[TILE - 1 - threadIdx.x], 1);
}
`

func TestAFragmentIsReadUnderTheMacrosOfItsIncluders(t *testing.T) {
	const one = "#define TILE 64\n#define REAL float\n#define WAIT __syncthreads()\n#define ADD(a, b) ((a) + (b))\n#include \"kernel.cu\"\n"
	const launch = "void run(float *a, float *b) { k<<<4, TILE>>>(a, b); }\n"
	for _, c := range []struct{ name, files, want string }{
		{"one includer", "-- main.cu --\n" + one + launch, ""},
		{"the macros of another header", "-- sizes.h --\n#define TILE 64\n#define REAL float\n-- main.cu --\n#include \"sizes.h\"\n#define WAIT __syncthreads()\n#define ADD(a, b) (a + b)\n#include \"kernel.cu\"\n" + launch, ""},
		{"two includers that agree", "-- a.cu --\n" + one + launch + "-- b.cu --\n" + one, ""},
		{"two includers with other sizes", "-- a.cu --\n" + one + launch + "-- b.cu --\n#define TILE 32\n#define REAL int\n#define WAIT __syncthreads()\n#define ADD(a, b) ((a) * (b))\n#include \"kernel.cu\"\n", ""},
		{"a call that one of two includers defines", "-- a.cu --\n" + one + launch + "-- b.cu --\n__device__ float ADD(float, float);\n#define TILE 64\n#define REAL float\n#define WAIT __syncthreads()\n#include \"kernel.cu\"\n",
			"unknown-call: a call of ADD, whose definition is not in view"},
		{"no includer", "", "unknown-call: a call of ADD, whose definition is not in view"},
		{"a macro from a header that comes later", "-- late.h --\n#define in out\n#define s t\n-- main.cu --\n" + one + "#include \"late.h\"\n" + launch, ""},
		{"a macro that is gone again", "-- main.cu --\n#define s t\n#undef s\n" + one + launch, ""},
		{"macros of the includer's includer", "-- mid.cuh --\n#include \"kernel.cu\"\n#define TILE 3\n-- main.cu --\n#define TILE 64\n#define REAL float\n#define WAIT __syncthreads()\n#define ADD(a, b) (a + b)\n#include \"mid.cuh\"\n#undef TILE\n#define TILE 128\n", ""},
		{"a barrier that only one includer has", "-- a.cu --\n" + one + launch + "-- b.cu --\n#define TILE 64\n#define REAL float\n#define WAIT\n#define ADD(a, b) (a + b)\n#include \"kernel.cu\"\n",
			"syntax: macro WAIT that can't be expanded"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := hazards(t, c.files+fragment)
			if c.want == "" {
				assert.Empty(t, got)
				return
			}
			assert.Contains(t, got, c.want)
		})
	}
}

func TestAFragmentHasTheSizesOfItsIncluder(t *testing.T) {
	k := kernelsOf(t, "-- main.cu --\n#define TILE 64\n#define REAL double\n#define WAIT __syncthreads()\n#define ADD(a, b) (a + b)\n#include \"kernel.cu\"\nvoid run(double *a, double *b) { k<<<4, TILE>>>(a, b); }\n"+fragment)[0]
	require.Len(t, k.Regions, 1)
	assert.Len(t, k.Barriers, 1)
	require.Len(t, k.Shared, 1)
	assert.Equal(t, []int{64}, k.Shared[0].Dims)
}
