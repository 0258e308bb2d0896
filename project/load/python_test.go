package load

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
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
