package pipeline

import (
	"bytes"
	"fmt"
	"io"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/console"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/pipeline/resources"
	"github.com/smux-cuda/smux/rewrite"
)

// TestWhatCannotBeReadIsNotWritten: of two kernels whose rewrite is a text that can't be parsed for one of them, that
// one is left alone, with a reason and the exit code of a find.
func TestWhatCannotBeReadIsNotWritten(t *testing.T) {
	text := ""
	for _, name := range []string{"good", "bad"} {
		text += fmt.Sprintf("__global__ void %[1]s(float *a) {\n    __shared__ float s[64];\n    s[threadIdx.x] = a[threadIdx.x];\n"+
			"    __syncthreads();\n    a[threadIdx.x] = s[63 - threadIdx.x];\n}\nvoid run_%[1]s(float *a) { %[1]s<<<100, 64>>>(a); }\n", name)
	}
	for name, c := range map[string]struct {
		old, broken string
		said        string
	}{
		"braces":   {"s[threadIdx.x] = ", "s[threadIdx.x] = } ", "smux does not parse the rewritten text at in.cu:"},
		"nothing":  {"__global__ void ", "__global__ void ", ""},
		"brackets": {"= s[63", "= s[[63", "smux does not parse the rewritten text at in.cu:"},
	} {
		t.Run(name, func(t *testing.T) {
			f, err := parser.Parse("in.cu", []byte(text), parser.Options{})
			require.NoError(t, err)
			opt := rewrite.Options{Variant: rewrite.Variant{Rewriter: "vtb"}}
			job := &Job{
				Console: console.New(nil, io.Discard, io.Discard), Program: parser.NewProgram([]*parser.File{f}, parser.Options{}),
				Options: opt, Ask: Ask{Resources: resources.Estimate},
			}
			job.Rewrite = func(prog *analysis.Program, opt rewrite.Options) (*rewrite.Result, error) {
				res, err := rewrite.RunAnalysed(prog, opt)
				for i, k := range res.Kernels {
					if k.Name == "bad" && k.Rewriter != "" {
						after := res.Files[0].After
						at := bytes.Index(after, []byte("void bad("))
						res.Files[0].After = append(after[:at:at], bytes.Replace(after[at:], []byte(c.old), []byte(c.broken), 1)...)
						assert.Equal(t, "bad", res.Kernels[i].Name)
					}
				}
				return res, err
			}
			made, err := job.Apply(opt)
			require.NoError(t, err)
			left, kept, err := job.compiling(opt, made)
			require.NoError(t, err)
			require.Len(t, kept.Kernels, 2)
			assert.Empty(t, kept.Kernels[0].Refused)
			require.Len(t, kept.Files, 1)
			assert.Contains(t, string(kept.Files[0].After), "void good(float *a, unsigned smux_grid_x)")
			if c.said == "" {
				assert.Contains(t, string(kept.Files[0].After), "void bad(float *a, unsigned smux_grid_x)")
				assert.Equal(t, diag.ExitOK, job.Code)
				return
			}
			assert.Contains(t, string(kept.Files[0].After), "void bad(float *a)")
			assert.Empty(t, kept.Kernels[1].Rewriter)
			require.Len(t, kept.Kernels[1].Refused, 1)
			assert.Equal(t, CodeNotCompiled, kept.Kernels[1].Refused[0].Code)
			assert.Contains(t, kept.Kernels[1].Refused[0].Text, c.said)
			assert.Equal(t, diag.ExitDiffers, job.Code)
			again, err := job.Apply(left)
			require.NoError(t, err)
			assert.Equal(t, kept.Files[0].After, again.Files[0].After, "the options make what is left")
		})
	}
}
