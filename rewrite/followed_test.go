package rewrite_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite"
)

// A launch in a file that was not named keeps its arguments. Where what it passes for a
// default argument, or for a pack, could be taken for the grid, it must not compile.
func TestALaunchThatWasLeftBehindDoesNotCompile(t *testing.T) {
	needNVCC(t)
	const body = `{
    __shared__ float s[64];
    s[threadIdx.x] = out[blockIdx.x * 64 + threadIdx.x];
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = s[63 - threadIdx.x];
}
void known(float *out) { k<<<7, 64>>>(out); k<<<dim3(7), 64>>>(out, 5); }
`
	for name, tt := range map[string]struct{ head, says string }{
		"default argument": {"__global__ void k(float *out, int times = 2)\n", `from "int" to "uint3"`},
		"pack":             {"template <class... A> __global__ void k(float *out, A... more)\n", "no instance of function template"},
	} {
		t.Run(name, func(t *testing.T) {
			f, err := parser.Parse("k.cuh", []byte(tt.head+body), parser.Options{})
			require.NoError(t, err)
			result, err := rewrite.Run(parser.NewProgram([]*parser.File{f}, parser.Options{}), rewrite.Options{Variant: rewrite.Variant{Rewriter: "vtb"}})
			require.NoError(t, err)
			require.Len(t, result.Files, 1, "%v", result.Kernels)
			dir := t.TempDir()
			write := func(name, text string) {
				require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666))
			}
			write("k.cuh", string(result.Files[0].After))
			write("knows.cu", "#include \"k.cuh\"\n")
			write("behind.cu", "#include \"k.cuh\"\nvoid behind(float *out) { k<<<7, 64>>>(out, 5); }\n")
			runNVCC(t, dir, "-arch=sm_70", "-std=c++17", "-cuda", "-o", os.DevNull, "knows.cu")
			_, err = callNVCC(dir, "-arch=sm_70", "-std=c++17", "-cuda", "-o", os.DevNull, "behind.cu")
			assert.ErrorContains(t, err, tt.says)
		})
	}
}
