package space_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/analysis/passes"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/tune/record"
	"github.com/smux-cuda/smux/tune/space"
)

// emitted is a text in a form.
func emitted(t *testing.T, src string, c record.TunedVariant) (string, *rewrite.Result) {
	t.Helper()
	r, err := space.Emit(text(t, src, "h200"), c)
	require.NoError(t, err)
	if len(r.Files) == 0 {
		return src, r
	}
	require.Len(t, r.Files, 1)
	assert.Equal(t, src, string(r.Files[0].Before), "changes are told against the original")
	return string(r.Files[0].After), r
}

func TestTheOriginalChangesNothing(t *testing.T) {
	for _, c := range []record.TunedVariant{{}, {Registers: 40}} {
		r, err := space.Emit(text(t, reversal, "h200"), c)
		require.NoError(t, err)
		assert.Empty(t, r.Files, c)
		require.Len(t, r.Kernels, 1)
		assert.Equal(t, rewrite.KernelResult{Name: "reverse", Pos: diag.Position{File: "k.cu", Line: 2, Column: 17}}, r.Kernels[0])
	}
}

func TestOnePassWritesWhatTheRewriterWrites(t *testing.T) {
	in := text(t, reversal, "h200")
	for _, w := range []rewrite.Variant{{Rewriter: "vtb", Sync: "lock", Factor: 2}, {Rewriter: "merge", Sync: "named", Factor: 2, Assume: true}, {Rewriter: "assume-shape"}} {
		want, err := rewrite.Run(in.Program, rewrite.Options{Variant: w})
		require.NoError(t, err)
		got, err := space.Emit(in, record.TunedVariant{Variant: w})
		require.NoError(t, err)
		assert.Equal(t, want, got, w)
	}
}

func TestPassesFollowOneAnother(t *testing.T) {
	vtb := rewrite.Variant{Rewriter: "vtb", Sync: "named", Factor: 2}
	for name, c := range map[string]struct {
		form     record.TunedVariant
		want     []string
		way      rewrite.Variant
		position diag.Position
	}{
		"cap":             {form: record.TunedVariant{Blocks: 16}, want: []string{"__launch_bounds__(64, 16)", "reverse<<<n, 64>>>"}, way: rewrite.Variant{Rewriter: "demote", Recipe: "bounds=64,16"}},
		"cap of merged":   {form: record.TunedVariant{Variant: vtb, Blocks: 8}, want: []string{"__launch_bounds__(128, 8)", "smux::merge<2, 64>"}, way: rewrite.Variant{Rewriter: "vtb", Sync: "named", Factor: 2, Recipe: "bounds=128,8"}},
		"carve-out":       {form: record.TunedVariant{Variant: vtb, Carveout: 50}, want: []string{"    cudaFuncSetAttribute(reverse, cudaFuncAttributePreferredSharedMemoryCarveout, 50);\n    reverse<<<smux_launch.grid"}, way: vtb},
		"all":             {form: record.TunedVariant{Variant: vtb, Blocks: 8, Carveout: 100}, want: []string{"__launch_bounds__(128, 8)", "Carveout, 100);"}, way: rewrite.Variant{Rewriter: "vtb", Sync: "named", Factor: 2, Recipe: "bounds=128,8"}},
		"stage and shape": {form: record.TunedVariant{Variant: rewrite.Variant{Rewriter: "stage-loads", Assume: true}, Blocks: 16}, want: []string{"smux stage-loads", "__builtin_assume(threadIdx.x < 64);", "__launch_bounds__(64, 16)"}, way: rewrite.Variant{Rewriter: "stage-loads", Assume: true, Recipe: "bounds=64,16"}},
	} {
		t.Run(name, func(t *testing.T) {
			src := strings.Replace(reversal, "s[threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x];", "s[threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x];\n    r[threadIdx.x] = in[threadIdx.x];", 1)
			src = strings.Replace(src, "s[64];", "s[64];\n    __shared__ float r[64];", 1)
			src = strings.Replace(src, "= s[63 -", "= r[threadIdx.x] + s[63 -", 1)
			after, r := emitted(t, src, c.form)
			for _, part := range c.want {
				assert.Contains(t, after, part)
			}
			require.Len(t, r.Kernels, 1)
			assert.Equal(t, c.way, r.Kernels[0].Variant)
			assert.Equal(t, diag.Position{File: "k.cu", Line: 2, Column: 17}, r.Kernels[0].Pos)
			for _, n := range r.Kernels[0].Notes {
				assert.LessOrEqual(t, n.Pos.Line, strings.Count(src, "\n"), "notes are about the original")
			}
			again, _ := emitted(t, src, c.form)
			assert.Equal(t, after, again)
		})
	}
}

func TestAFormThatCantBeHadIsAFailure(t *testing.T) {
	for want, c := range map[string]record.TunedVariant{
		"no thread block has":  {Variant: rewrite.Variant{Rewriter: "vtb", Sync: "named", Factor: 40}},
		"fit on no SM":         {Blocks: 64},
		"no global load fills": {Variant: rewrite.Variant{Rewriter: "stage-loads"}},
	} {
		src := reversal
		if want == "no global load fills" {
			src = strings.Replace(src, "= in[blockIdx.x * 64 + threadIdx.x]", "= 1", 1)
		}
		_, err := space.Emit(text(t, src, "h200"), c)
		var failure *record.Failure
		if assert.ErrorAs(t, err, &failure, want) {
			assert.Equal(t, record.FailedRewrite, failure.Kind)
			t.Log(failure.Text)
		}
	}
}

// TestOnlyTheGroupChanges: namesakes of a group, other kernels and other files stay.
func TestOnlyTheGroupChanges(t *testing.T) {
	_, other, _ := strings.Cut(strings.ReplaceAll(reversal, "reverse", "other"), "\n")
	src := "#include <cmath>\n" + other + reversal
	in := text(t, src, "h200")
	in.Group = rewrite.Groups(in.Analysed, in.Analysed.Kernels(), rewrite.Options{})[1]
	r, err := space.Emit(in, record.TunedVariant{Variant: rewrite.Variant{Rewriter: "vtb", Sync: "named", Factor: 2}, Carveout: 100})
	require.NoError(t, err)
	require.Len(t, r.Files, 1)
	assert.True(t, bytes.Contains(r.Files[0].After, []byte(other)), "the other kernel and its launch stay")
	require.Len(t, r.Kernels, 1)
	assert.Equal(t, "reverse", r.Kernels[0].Name)
}

// TestAKernelAndItsLaunchInTwoFiles: a launch elsewhere gets its statement there, and
// what a file defines for the others counts in later passes, too.
func TestAKernelAndItsLaunchInTwoFiles(t *testing.T) {
	kernel := "#define THREADS 64\n" + reversal[:strings.Index(reversal, "void run")]
	launch := "#include \"k.cu\"\nvoid run(const float *in, float *out, int n)\n{\n    reverse<<<n, THREADS>>>(in, out);\n}\n"
	in := input(t, program(t, kernel, launch), rewrite.Options{}, "h200")
	in.Parse = reading(kernel, launch)
	r, err := space.Emit(in, record.TunedVariant{Variant: rewrite.Variant{Rewriter: "vtb", Sync: "named", Factor: 2}, Blocks: 4, Carveout: 100})
	require.NoError(t, err)
	require.Len(t, r.Files, 2)
	assert.Equal(t, []string{"k.cu", "l.cu"}, []string{r.Files[0].Name, r.Files[1].Name})
	assert.Contains(t, string(r.Files[0].After), "__launch_bounds__(THREADS * 2, 4)")
	assert.Contains(t, string(r.Files[1].After), "cudaFuncSetAttribute(reverse,")
	assert.Len(t, passes.NewProgram(in.Program, [3]int{}).Kernels(), 1, "the input stays as it was")
}
