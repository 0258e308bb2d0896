package pipeline

import (
	"fmt"
	"io"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/internal/console"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/verify"
)

// TestKernelsOfOneNameAreWithheldApart: two files that have nothing to do with each
// other may have kernels of one name, of which one passes.
func TestKernelsOfOneNameAreWithheldApart(t *testing.T) {
	var files []*parser.File
	program := verify.Program{}
	for i, run := range []string{"good", "bad"} {
		name := run + ".cu"
		text := fmt.Sprintf("static __global__ void swap(float *a) {\n    __shared__ float s[64];\n    s[threadIdx.x] = a[threadIdx.x];\n"+
			"    __syncthreads();\n    a[threadIdx.x] = s[63 - threadIdx.x];\n}\nvoid run%d(float *a) { swap<<<100, 64>>>(a); }\n", i)
		f, err := parser.Parse(name, []byte(text), parser.Options{})
		require.NoError(t, err)
		files = append(files, f)
		program.Files = append(program.Files, verify.NewFile(name, []byte(text)))
	}
	opt := rewrite.Options{Variant: rewrite.Variant{Rewriter: "vtb"}}
	job := &Job{Console: console.New(nil, io.Discard, io.Discard), Program: parser.NewProgram(files, parser.Options{}), Options: opt, Rewrite: rewrite.RunAnalysed}
	result, err := job.Apply(opt)
	require.NoError(t, err)
	require.Len(t, result.Files, 2)

	// The verdict fails whatever has bad.cu rewritten.
	var names [][]string
	v := &Verification{Job: job, Program: program, Judge: func(r verify.Request) (*verify.Verdict, error) {
		verdict := &verify.Verdict{Outcome: verify.Different}
		var asked []string
		for _, one := range r.Variants {
			asked = append(asked, one.Name)
			verdict.Rows = append(verdict.Rows, verify.Row{Variant: one.Name})
			for i, f := range one.Program.Files {
				if f.Name == "bad.cu" && string(f.Text) != string(r.Original.Files[i].Text) {
					verdict.Failures = append(verdict.Failures, verify.Failure{Variant: one.Name})
				}
			}
		}
		names = append(names, asked)
		return verdict, nil
	}}
	kept, err := v.Passed(job, opt, result)
	require.NoError(t, err)
	require.Len(t, kept.Files, 1)
	assert.Equal(t, "good.cu", kept.Files[0].Name)
	assert.Empty(t, kept.Kernels[0].Refused)
	require.Len(t, kept.Kernels[1].Refused, 1)
	assert.Equal(t, CodeNotVerified, kept.Kernels[1].Refused[0].Code)
	require.Len(t, names, 2)
	assert.Equal(t, []string{"vtb named N=2 of swap", "vtb named N=2 of swap at bad.cu:1:24"}, names[1], "each has a name of its own")
}
