package nvcc

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFlagsThatChooseArchitectureOrOutputAreLeftOut(t *testing.T) {
	given := []string{"-O3", "-arch=sm_70", "-gencode", "arch=compute_80,code=sm_80", "--gpu-architecture", "sm_75", "-c", "-o", "x.o",
		"-std=c++17", "-lcublas", "-L", "/lib", "-Xcompiler", "-Wall", "-rdc=true", "-Xptxas", "-O1", "-use_fast_math", "-maxrregcount=32",
		"--threads=4", "-dlto", "-MD", "-MF", "x.d", "-keep", "--keep-dir", "d", "-lineinfo"}
	require.Equal(t, []string{"-O3", "-std=c++17", "-Xcompiler", "-Wall", "-rdc=true", "-Xptxas", "-O1", "-use_fast_math", "-maxrregcount=32"}, PassedOn(given))
	require.Empty(t, PassedOn([]string{"-o"}), "a flag whose value is missing")
}

func TestOnlyFilesWithKernelsAreCompiled(t *testing.T) {
	p, err := Request{Arch: "8.0", Texts: map[string][]byte{
		"a.cu":        []byte("__global__ void k() {}"),
		"host.cu":     []byte("#include \"plain.h\"\nint main() {}"),
		"indirect.cu": []byte("# include <sub/outer.cuh>\n"),
		"outer.cuh":   []byte("#include \"inner.cuh\"\n"),
		"inner.cuh":   []byte("template<class T> __global__ void t() {}"),
		"plain.h":     []byte("int x;"),
		"main.cpp":    []byte("// __global__"),
	}}.resolve()
	require.NoError(t, err)
	require.Equal(t, []string{"a.cu", "indirect.cu"}, p.Units)
	require.Equal(t, "sm_80", p.Arch)
}

func TestFileThatAnotherIncludesIsNoUnit(t *testing.T) {
	p, err := Request{Arch: "sm_80", Includes: []string{"inc"}, Texts: map[string][]byte{
		"app/main.cu":         []byte("#include \"parts/kernel.cu\"\n#include <far.cu>\n"),
		"app/parts/kernel.cu": []byte("__global__ void k(fp* p) {}"),
		"inc/far.cu":          []byte("__global__ void far() {}"),
		"other/kernel.cu":     []byte("#include \"kernel.cu\"\n__global__ void own() {}"),
	}}.resolve()
	require.NoError(t, err)
	require.Equal(t, []string{"app/main.cu", "other/kernel.cu"}, p.Units)
}

func TestRequestsThatCannotBeMeantAreRefused(t *testing.T) {
	text := map[string][]byte{"a.cu": []byte("__global__ void k() {}")}
	for want, r := range map[string]Request{
		"architecture":  {Texts: text, Arch: "fermi"},
		"has no text":   {Texts: text, Arch: "sm_80", Units: []string{"b.cu"}},
		"the same file": {Texts: map[string][]byte{"a.cu": nil, "./a.cu": nil}, Arch: "sm_80"},
		"file name":     {Texts: map[string][]byte{"a\n.cu": nil}, Arch: "sm_80"},
	} {
		_, err := r.resolve()
		require.ErrorContains(t, err, want)
	}
	_, err := At("nvcc").Resources(t.Context(), Request{Arch: "sm_80", Texts: map[string][]byte{"a.cu": []byte("int x;")}})
	require.ErrorIs(t, err, errNoKernel)
}
