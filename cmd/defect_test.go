package cmd

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/passes"
	"github.com/smux-cuda/smux/diag"
)

// TestADefectOfAnAnalysisKeepsSmuxFromOneKernel: a pass panics on the second of three
// kernels; the others are analysed and rewritten as ever, and the message names it.
func TestADefectOfAnAnalysisKeepsSmuxFromOneKernel(t *testing.T) {
	before := passes.All
	defer func() { passes.All = before }()
	passes.All = append(slices.Clone(before), &analysis.Pass{Name: "defect", Run: func(k *analysis.Kernel) {
		if k.Name == "bad" {
			var none []int
			_ = none[len(k.Name)]
		}
	}})
	var src, host strings.Builder
	for _, name := range []string{"before", "bad", "behind"} {
		src.WriteString("__global__ void " + name + "(float *a) {\n  __shared__ float s[64];\n  s[threadIdx.x] = a[threadIdx.x];\n  __syncthreads();\n  a[threadIdx.x] = s[63 - threadIdx.x];\n}\n")
		host.WriteString("  " + name + "<<<8, 64>>>(a);\n")
	}
	file := filepath.Join(t.TempDir(), "k.cu")
	require.NoError(t, os.WriteFile(file, []byte(src.String()+"void f(float *a) {\n"+host.String()+"}\n"), 0o666))
	run := func(args ...string) string {
		var out, errs bytes.Buffer
		require.Less(t, newSession(strings.NewReader(""), &out, &errs).main(append(args, file)), diag.ExitUsage, errs.String())
		return out.String() + errs.String()
	}

	var report struct {
		Kernels []struct {
			Name    string
			Regions []any
			Hazards []diag.Message
			Offers  []struct{ Can bool }
		}
	}
	require.NoError(t, json.Unmarshal([]byte(run("analyze", "--json", "--gpu", "a100", "--resources", "estimate")), &report))
	require.Len(t, report.Kernels, 3)
	for _, k := range report.Kernels {
		can := slices.ContainsFunc(k.Offers, func(o struct{ Can bool }) bool { return o.Can })
		if k.Name != "bad" {
			assert.Empty(t, k.Hazards, k.Name)
			assert.Len(t, k.Regions, 1, k.Name)
			assert.True(t, can, k.Name)
			continue
		}
		require.Len(t, k.Hazards, 1)
		assert.Equal(t, analysis.CodeInternal, k.Hazards[0].Code)
		assert.Contains(t, k.Hazards[0].Text, "index out of range")
		assert.Contains(t, k.Hazards[0].Text, "defect_test.go:")
		assert.False(t, can)
	}
	diff := run("rewrite", "-d", "--variant", "vtb")
	assert.Contains(t, diff, "before<<<smux_launch")
	assert.Contains(t, diff, "behind<<<smux_launch")
	assert.NotContains(t, diff, "bad<<<smux_launch")
	assert.Contains(t, diff, ": internal: ")
}
