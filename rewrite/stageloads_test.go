package rewrite_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/analysis/passes"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/rewrite/variant"
)

// A model has nothing to choose from where all that can be done merges nothing.
func TestWhatMergesNothingIsNoChoice(t *testing.T) {
	f, err := parser.Parse("k.cu", []byte("__global__ void k(volatile float *a) { a[threadIdx.x] = 1; }\nvoid run(float *a) { k<<<10, 1024>>>(a); }\n"), parser.Options{})
	require.NoError(t, err)
	parsed := parser.NewProgram([]*parser.File{f}, parser.Options{})
	prog := passes.NewProgram(parsed, [3]int{})
	kernels := prog.Kernels()
	g := rewrite.Groups(prog, kernels, rewrite.Options{})[0]
	assert.False(t, g.Can())
	var can []string
	for _, o := range rewrite.CheckedVariants(prog, kernels, rewrite.Options{})[kernels[0]] {
		if o.Can {
			can = append(can, o.Variant.String())
		}
	}
	assert.Equal(t, []string{"assume-shape"}, can)
}

// What merges nothing takes no runtime along, and leaves launches as they are.
func TestRewritesInPlaceTouchNothingElse(t *testing.T) {
	res, err := decide(t, several, map[string]rewrite.Decision{
		"first": {Variant: rewrite.Variant{Rewriter: "stage-loads"}}, "second": {Variant: rewrite.Variant{Rewriter: "assume-shape"}}, "third": {},
	})
	require.NoError(t, err)
	after := string(res.Files[0].After)
	assert.NotContains(t, after, "smux.cuh")
	assert.NotContains(t, after, "smux_grid_x")
	assert.Contains(t, after, "const float smux_v1 = a[threadIdx.x];")
	assert.Contains(t, after, "__builtin_assume(threadIdx.x < 64);")
	assert.Contains(t, after, "first<<<100, 64>>>(a);")
	// Beside a kernel that is merged the runtime is there, once.
	res, err = decide(t, several, map[string]rewrite.Decision{"first": {Variant: rewrite.Variant{Rewriter: "stage-loads"}}, "second": {}})
	require.NoError(t, err)
	assert.Equal(t, 1, strings.Count(string(res.Files[0].After), "smux.cuh"))
}

// A deeper stage needs more registers, and no stage keeps them in local memory.
// Without __restrict__, since ptxas moves what nobody writes after barriers.
func TestDepthOfTheStageDecidesOverRegisters(t *testing.T) {
	needNVCC(t)
	text, err := os.ReadFile("../examples/mv/mv.cu")
	require.NoError(t, err)
	f, err := parser.Parse("mv.cu", bytes.ReplaceAll(text, []byte("*__restrict__ "), []byte("*")), parser.Options{})
	require.NoError(t, err)
	prog := parser.NewProgram([]*parser.File{f}, parser.Options{})
	registers := map[int]int{}
	for _, depth := range []int{variant.NoStage, 8, 0} {
		res, err := rewrite.Run(prog, rewrite.Options{Variant: rewrite.Variant{Rewriter: "vtb", Sync: "named", Stage: depth, Assume: true}})
		require.NoError(t, err)
		dir := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(dir, "mv.cu"), res.Files[0].After, 0o666))
		cmd := exec.Command("nvcc", "-std=c++14", "-cubin", "-arch=sm_80", "-Xptxas", "-v", "-o", "mv.cubin", "mv.cu")
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
		require.Contains(t, string(out), " 0 bytes stack frame, 0 bytes spill stores", "K=%d", depth)
		used := regexp.MustCompile(`Used (\d+) registers`).FindSubmatch(out)
		require.NotNil(t, used)
		registers[depth], err = strconv.Atoi(string(used[1]))
		require.NoError(t, err)
	}
	assert.LessOrEqual(t, registers[variant.NoStage], registers[8])
	assert.Less(t, registers[8], registers[0])
}
