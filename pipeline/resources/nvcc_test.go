package resources

import (
	"bytes"
	"strings"
	"testing"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/console"
	"github.com/smux-cuda/smux/nvcc"
	"github.com/smux-cuda/smux/parser"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestNVCCsMessageIsToldOnceAndEstimatesTakeItsPlace(t *testing.T) {
	var errs bytes.Buffer
	s := console.New(strings.NewReader(""), &bytes.Buffer{}, &errs)
	s.Getenv = func(string) string { return "" }
	r := &Reader{console: s, prog: &parser.Program{}, mode: Auto, told: map[string]bool{}}
	for _, arch := range []string{"sm_80", "sm_75"} {
		require.NoError(t, r.Failed(&nvcc.CompileError{Unit: "k.cu", Arch: arch, File: "k.cu", Line: 3, Message: "no", Output: "k.cu(3): error: no"}))
	}
	assert.Equal(t, "k.cu:3: nvcc-refused: no; registers are estimated\n    help: run \"smux explain nvcc-refused\"\n", errs.String())
	assert.Equal(t, diag.ExitOK, s.Code)
	r.mode = NVCC
	assert.ErrorIs(t, r.Failed(&nvcc.CompileError{Message: "no"}), diag.ErrReported)
	assert.Equal(t, diag.ExitUsage, s.Code)
}

func TestFurtherErrorsOfNVCCStandBelowTheFirst(t *testing.T) {
	var errs bytes.Buffer
	s := console.New(strings.NewReader(""), &bytes.Buffer{}, &errs)
	s.Getenv = func(string) string { return "" }
	(&Reader{console: s, prog: &parser.Program{}}).refusedByNVCC(&nvcc.CompileError{File: "k.cu", Line: 3, Message: "no", Help: "mend it",
		Output: "k.cu(1): warning #177-D: error: unused\nk.cu(3): error: no\n\nk.cu(4): error #20: nor this\n\n2 errors detected in the compilation of \"k.cu\".\n"}, "")
	assert.Equal(t, "k.cu:3: nvcc-refused: no\n    | k.cu(4): error #20: nor this\n    help: mend it; run \"smux explain nvcc-refused\"\n", errs.String())
}

func TestManyKernelsAreGivenToNVCCOnlyWhereItIsAskedFor(t *testing.T) {
	for _, tt := range []struct {
		kernels int
		mode    string
		looks   bool // for nvcc
	}{
		{mostCompiled, Auto, true}, {mostCompiled + 1, Auto, false}, {mostCompiled + 1, NVCC, true}, {1, Estimate, false},
	} {
		file, err := parser.Parse("k.cu", []byte(strings.Repeat("__global__ void k(int *p) { *p = 1; }\n", tt.kernels)), parser.Options{})
		require.NoError(t, err)
		var errs bytes.Buffer
		looked := false
		_, err = New(console.New(strings.NewReader(""), &bytes.Buffer{}, &errs), func() (*nvcc.Toolkit, error) {
			looked = true
			return &nvcc.Toolkit{}, nil
		}, tt.mode, &parser.Program{Files: []*parser.File{file}}, parser.Options{})
		require.NoError(t, err)
		assert.Equal(t, tt.looks, looked, "%v", tt)
	}
}
