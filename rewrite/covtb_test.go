package rewrite_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/passes"
	"github.com/smux-cuda/smux/lab/hardtext"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/rewrite/merge"
)

func loadExample(t *testing.T, name string) *parser.Program {
	t.Helper()
	prog, errs := parser.LoadProgram([]string{filepath.Join("..", "examples", name, name+".cu")}, parser.Options{})
	require.NoError(t, errors.Join(errs...))
	return prog
}

func coVTB(t *testing.T, name string, variant rewrite.Variant) *rewrite.Result {
	t.Helper()
	variant.Rewriter = "co-vtb"
	res, err := rewrite.Run(loadExample(t, name), rewrite.Options{Variant: variant})
	require.NoError(t, err)
	return res
}

// TestMarchingCubesHasTheFormOfFigure6b checks what PACT'12 shows of CO-VTB:
// private rows are written before the turn, public values wait in registers and
// are stored in the turn, and reads choose.
func TestMarchingCubesHasTheFormOfFigure6b(t *testing.T) {
	for sync, begin := range map[string]string{"named": "vtb.acquire();", "lock": "vtb.acquire();", "block": "for (int turn = 0"} {
		t.Run(sync, func(t *testing.T) {
			res := coVTB(t, "mc", rewrite.Variant{Factor: 2, Sync: sync, PrivateRows: 16})
			require.Len(t, res.Files, 1)
			text := string(res.Files[0].After)
			at := 0
			for _, part := range []string{
				"smux_list_private[2][16][THREADS]", "list_public[2 * EDGES - 16][THREADS]", "smux_cases[2][THREADS]",
				"float3 list_waits[8];", "list_private[e][t] = mix", "list_waits[e - 4] = list_value;",
				begin, "list_public[EDGES + e - 16][t] = list_waits[e - 4];", "sync",
				"(edge < 16 ? list_private[edge][t] : list_public[edge - 16][t])",
			} {
				i := indexFrom(text, part, at)
				require.GreaterOrEqual(t, i, 0, "%q behind what comes before it", part)
				at = i + len(part)
			}
			assert.Negative(t, indexFrom(text, "list[", 0), "the array itself is gone")
			require.Equal(t, 16, res.Kernels[0].PrivateRows)
		})
	}
}

// TestALargeFileIsNotReadAgainForEachOfItsKernels: that takes as long as their number
// times its size, which is the square of its size.
func TestALargeFileIsNotReadAgainForEachOfItsKernels(t *testing.T) {
	gaveUp := func(kernels, comment int) bool {
		text := strings.ReplaceAll(hardtext.Kernels(kernels), "__shared__ float t[256];", "__shared__ float t[2][128];") + "//" + strings.Repeat(" ", comment)
		f, err := parser.Parse("k.cu", []byte(text), parser.Options{})
		require.NoError(t, err)
		res, err := rewrite.Run(parser.NewProgram([]*parser.File{f}, parser.Options{}), rewrite.Options{Kernels: []string{"k1"}, Variant: rewrite.Variant{Rewriter: "co-vtb", Factor: 2}})
		require.NoError(t, err)
		require.Len(t, res.Kernels, 1)
		require.NotEmpty(t, res.Kernels[0].Refused)
		return res.Kernels[0].Refused[0].Code == analysis.CodeGaveUp
	}
	assert.False(t, gaveUp(20, 0))
	assert.True(t, gaveUp(200, 0))
	assert.False(t, gaveUp(2, 2<<20), "twice the size of the file is not much")
}

func indexFrom(s, part string, from int) int {
	for i := from; i+len(part) <= len(s); i++ {
		if s[i:i+len(part)] == part {
			return i
		}
	}
	return -1
}

// TestRowsOfMarchingCubes compiles it: the rows take as much as they must, and
// what waits stays in registers.
func TestRowsOfMarchingCubes(t *testing.T) {
	needNVCC(t)
	for _, private := range []int{16, 8} {
		for sync, lock := range map[string]int{"named": 0, "lock": 4, "block": 0} {
			t.Run(fmt.Sprintf("%s-%d", sync, private), func(t *testing.T) {
				res := coVTB(t, "mc", rewrite.Variant{Factor: 2, Sync: sync, PrivateRows: private})
				require.Len(t, res.Files, 1)
				dir := t.TempDir()
				require.NoError(t, os.WriteFile(filepath.Join(dir, "mc.cu"), res.Files[0].After, 0o666))
				got := nvcc(t, dir, "-cubin", "-arch=sm_80", "-Xptxas", "-v,-warn-lmem-usage,-warn-spills", "-o", "out.cubin", "mc.cu")
				assert.Empty(t, got.warnings, "no local memory")
				const row, cases = 32 * 12, 32 * 4
				assert.Equal(t, []int{2*private*row + (24-private)*row + 2*cases + lock}, got.shared["sm_80"])
			})
		}
	}
}

func TestPrivateRowsAreSomeAndNotAll(t *testing.T) {
	for _, private := range []int{-1, 24, 25} {
		res := coVTB(t, "mc", rewrite.Variant{Factor: 2, PrivateRows: private})
		require.Empty(t, res.Files)
		require.NotEmpty(t, res.Kernels[0].Refused)
		assert.Equal(t, merge.CodePartition, res.Kernels[0].Refused[0].Code, "P=%d", private)
	}
	for _, private := range []int{1, 23} {
		res := coVTB(t, "mc", rewrite.Variant{Factor: 2, PrivateRows: private})
		require.Len(t, res.Files, 1, "P=%d", private)
		assert.Equal(t, private, res.Kernels[0].PrivateRows)
	}
	assert.Equal(t, 12, coVTB(t, "mc", rewrite.Variant{Factor: 2}).Kernels[0].PrivateRows, "half of them where nothing is asked for")
}

func TestPartitionSaysWhatThereIsToDivide(t *testing.T) {
	for name, want := range map[string][4]int{
		"mc":  {24, 384, 0, 128}, // 32 words of cases are each v-TB's own
		"sto": {31, 512, 0, 384}, // and so are three rows of bytes
		"tp":  {32, 132, 0, 0},
		"hg":  {32, 256, 0, 0},
	} {
		k := passes.NewProgram(loadExample(t, name), [3]int{}).Kernels()[0]
		rows, rowBytes, otherBytes, ownBytes, reasons := merge.Partition(k)
		require.Empty(t, reasons, name)
		assert.Equal(t, want, [4]int{rows, rowBytes, otherBytes, ownBytes}, name)
	}
	k := passes.NewProgram(loadExample(t, "cv"), [3]int{}).Kernels()[0]
	_, _, _, _, reasons := merge.Partition(k)
	require.Len(t, reasons, 1)
	assert.Equal(t, merge.CodePartition, reasons[0].Code, "dynamic shared memory")
}
