package machine

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/nvcc"
	"github.com/smux-cuda/smux/tune/record"
)

func TestRealNVCCBuildsForms(t *testing.T) {
	toolkit, err := nvcc.Find()
	if err != nil {
		t.Skip("there is no nvcc")
	}
	toolkit.CacheDir = ""
	g, err := NewGPU(Program{Original: map[string][]byte{"p.cu": []byte(program)}, Kernels: []string{"k"}},
		GPUOptions{Toolkit: toolkit, Arch: "sm_80", Use: []Device{{}}})
	require.NoError(t, err)
	defer g.Close()
	b := built(t, g, ofText(alone(t, kernel), true))
	info, err := os.Stat(b.(*executable).built.Path)
	require.NoError(t, err)
	assert.NotZero(t, info.Mode()&0o111)

	for text, want := range map[string]record.Failure{
		"// one more\n" + strings.Replace(program, "v + i;", "v + nothing;", 1):                                                                                              {Kind: record.FailedCompile, Text: "p.cu:9: identifier \"nothing\" is undefined"},
		strings.Replace(program, ahead, ahead+"    __shared__ float s[20000];\n    s[threadIdx.x] = in[i];\n    __syncthreads();\n    in = s + (threadIdx.x ^ 1) - i;\n", 1): {Kind: record.FailedResources, Text: "uses too much shared data"},
	} {
		_, err := g.Build(t.Context(), ofText(text, false))
		var got *record.Failure
		require.ErrorAs(t, err, &got)
		assert.Equal(t, want.Kind, got.Kind)
		assert.Contains(t, got.Text, want.Text)
	}
}
