package project

import (
	"testing"

	"github.com/smux-cuda/smux/internal/prose"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestArchitecturesOfACommandLine(t *testing.T) {
	for _, tt := range []struct {
		command string
		want    []string
	}{
		{"nvcc -arch=sm_75 -c x.cu", []string{"sm_75"}},
		{"nvcc -arch sm_75", []string{"sm_75"}},
		{"nvcc --gpu-architecture=compute_90a", []string{"sm_90"}},
		{"nvcc --gpu-architecture sm_120f", []string{"sm_120"}},
		{"nvcc -gencode arch=compute_80,code=sm_80 -gencode=arch=compute_75,code=compute_75", []string{"sm_75", "sm_80"}},
		{"nvcc --generate-code=arch=compute_80,code=[sm_80,compute_80]", []string{"sm_80"}},
		{`nvcc "--generate-code=arch=compute_80,code=[compute_80,sm_86]"`, []string{"sm_80", "sm_86"}},
		{`nvcc -gencode arch=compute_80,code=\"sm_80,sm_86\"`, []string{"sm_80", "sm_86"}},
		{"nvcc -gencode code=sm_80,arch=compute_70", []string{"sm_80"}},
		{"nvcc -gencode arch=compute_70", []string{"sm_70"}},
		{"nvcc -arch=compute_70 -code=sm_75,sm_100,sm_90", []string{"sm_75", "sm_90", "sm_100"}},
		{"nvcc -arch=sm_70 -arch=sm_80", []string{"sm_80"}},
		{"nvcc -arch=native", nil},
		{"nvcc -arch=all", nil},
		{"nvcc --gpu-architecture all-major", nil},
		{"clang++ --cuda-gpu-arch=sm_75 --offload-arch=sm_80", []string{"sm_75", "sm_80"}},
		{"clang++ -arch arm64 -march=native -mtune=sm_75", []string{"arm64"}},
		{"nvcc -gencode", nil},
		{"nvcc -gencode= -arch= -code=", nil},
		{"nvcc -gencode ,=,[=]", nil},
	} {
		args, err := prose.Words(tt.command)
		require.NoError(t, err)
		var c CompileCommand
		c.add("/", args, 0)
		assert.Equal(t, tt.want, c.built.names(), tt.command)
	}
}

func TestAMacroIsUndefinedFromThereOn(t *testing.T) {
	var c CompileCommand
	c.add("/", []string{"-DA", "-DB=1", "-DAB", "-UA", "-U", "B", "--undefine-macro=C", "-DB=2"}, 0)
	assert.Equal(t, []string{"AB", "B=2"}, c.Defines)
}
