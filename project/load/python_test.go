package load

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestCUDAStaysWhereItIsInPython: lines and columns do, other strings and code are blank, and
// backslashes are what Python makes of them.
func TestCUDAStaysWhereItIsInPython(t *testing.T) {
	const source = `# über
import torch
other = """no kernel"""
a = """__global__ void k() { printf("%d\\n", 1); } // k
// ü"""
b = r'''
__global__ void raw() { printf("\n"); }
''' + "x"
`
	got := strings.Split(string(CUDAInPython([]byte(source))), "\n")
	lines := strings.Split(source, "\n")
	assert.Len(t, got, len(lines))
	assert.Equal(t, "#include <torch/extension.h>", strings.TrimSpace(got[0]))
	assert.Empty(t, strings.TrimSpace(got[1]+got[2]))
	assert.Equal(t, strings.Index(lines[3], "__global__"), strings.Index(got[3], "__global__"))
	assert.Equal(t, `__global__ void k() { printf("%d\n", 1); } // k`, strings.TrimSpace(got[3]))
	assert.Equal(t, "// ü", strings.TrimRight(got[4], " "))
	assert.Equal(t, lines[6], got[6])
	assert.Empty(t, strings.TrimSpace(got[7]))
	assert.NotContains(t, string(CUDAInPython([]byte("x = 1\n"))), "#include")
}

// TestHostFunctionsBesideKernelsAreRead: cpp_sources with bodies are, declarations and other strings are not.
func TestHostFunctionsBesideKernelsAreRead(t *testing.T) {
	const kernel = `cuda = """__global__ void k() {}"""` + "\n"
	for text, read := range map[string]bool{
		`torch::Tensor f(torch::Tensor x) { return x; }`:       true,
		`void f(const at::Tensor &x, int n) {}`:                true,
		`torch::Tensor f(torch::Tensor x);`:                    false,
		`a text on torch::Tensor (see torch::Tensor) and more`: false,
	} {
		got := string(CUDAInPython([]byte(kernel + `cpp = """` + text + `"""` + "\n")))
		assert.Equal(t, read, strings.Contains(got, text), text)
		assert.Empty(t, strings.TrimSpace(string(CUDAInPython([]byte(`cpp = """`+text+`"""`+"\n")))), "without a kernel it is nothing")
	}
}

// TestFilesThatPythonNamesAreTaken: where it has no kernels itself, those that are there, with a .cu among them.
func TestFilesThatPythonNamesAreTaken(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a.cu", "b.cpp", "c.cpp"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), nil, 0o666))
	}
	script := filepath.Join(dir, "x.py")
	in := func(names ...string) (out []string) {
		for _, n := range names {
			out = append(out, filepath.Join(dir, n))
		}
		return out
	}
	for src, want := range map[string][]string{
		`load(sources=["a.cu", 'b.cpp', "missing.cu"])`: in("b.cpp", "a.cu"),
		`open("a.cu").read() + open("a.cu").read()`:     in("a.cu"),
		`load(sources=["b.cpp", "c.cpp"])`:              nil,
		`s = """__global__ void k() {}"""; f = "a.cu"`:  nil,
	} {
		assert.Equal(t, want, SourcesOfPython(script, []byte(src)), src)
	}
}
