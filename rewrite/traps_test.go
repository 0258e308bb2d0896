package rewrite_test

import (
	"bytes"
	"debug/elf"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/lab/combine"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/rewrite/runtime"
)

// The forms that hand-written rewrites went wrong with, and that no rewriter may
// emit. What verify says of them
// where somebody writes them by hand is in testdata/check.

// emitted calls f for every text that the matrix's programs are rewritten to.
func emitted(t *testing.T, f func(t *testing.T, file *parser.File)) {
	t.Helper()
	texts := 0
	for _, path := range matrixPaths(t) {
		for _, form := range tried(t, path).Forms {
			for _, out := range form.Result.Files {
				t.Run(filepath.Base(path)+"/"+form.Ways[0].String(), func(t *testing.T) {
					file, err := parser.Parse(out.Name, out.After, parser.Options{})
					require.NoError(t, err)
					f(t, file)
				})
				texts++
			}
		}
	}
	assert.Greater(t, texts, 16*2)
}

var (
	ofOneVTB = regexp.MustCompile(`\.id\b|^\(!?mine\d*\)$`)
	blockBar = regexp.MustCompile(`__syncthreads|\bcg::sync\(`)
	turnLoop = regexp.MustCompile(`^for \(int (turn|step)\b`)
)

// guarded lists the statements of a file that run for some v-TBs only, and that
// hold what a pattern finds or call a function that does.
func guarded(f *parser.File, pattern *regexp.Regexp) (out []string) {
	holds := map[string]bool{}
	found := func(n *parser.Node) bool {
		text := f.Text(n)
		if pattern.MatchString(text) {
			return true
		}
		for name := range holds {
			if regexp.MustCompile(`\b` + name + `\s*(<[^;]*>)?\(`).MatchString(text) {
				return true
			}
		}
		return false
	}
	for grown := true; grown; {
		grown = false
		for _, fn := range f.Functions {
			if fn.Body != nil && fn.IsDevice() && !fn.IsKernel() && !holds[fn.Name] && found(fn.Body) {
				holds[fn.Name], grown = true, true
			}
		}
	}
	f.Root.Walk(func(n *parser.Node) bool {
		if n.Kind == parser.KindIfStatement && ofOneVTB.MatchString(f.Text(n.Child(parser.FieldCondition))) && found(n) {
			out = append(out, f.Text(n))
		}
		return true
	})
	return out
}

// TestNoBarrierIsGuarded: what runs for one v-TB alone holds no barrier of the
// block, and calls no function that does: wrapping a whole region would give
// wrong results without a word.
func TestNoBarrierIsGuarded(t *testing.T) {
	emitted(t, func(t *testing.T, f *parser.File) { assert.Empty(t, guarded(f, blockBar)) })
}

// TestGuardedBarriersAreSeen: the test above can fail.
func TestGuardedBarriersAreSeen(t *testing.T) {
	file, err := parser.Parse("k.cu", []byte(`
__device__ float inner(float v) { __syncthreads(); return v; }
__device__ float outer(float v) { return inner(v); }
__global__ void k(float v) {
    if (vtb.id == turn) { v = 1; __syncthreads(); }
    if (vtb.id + 1 == step) outer(v);
    if (mine) __syncthreads();
    if (v > 1) __syncthreads();
    if (vtb.id == turn) v = 2;
}
`), parser.Options{})
	require.NoError(t, err)
	assert.Len(t, guarded(file, blockBar), 3)
}

// TestTurnLoopsAreUnrolled: a loop over turns or steps stands under #pragma
// unroll. Rolled up, it let the compiler move region code out of the turns and
// doubled registers.
func TestTurnLoopsAreUnrolled(t *testing.T) {
	loops := 0
	emitted(t, func(t *testing.T, f *parser.File) {
		f.Root.Walk(func(n *parser.Node) bool {
			if n.Kind == parser.KindForStatement && turnLoop.MatchString(f.Text(n)) {
				loops++
				before := bytes.TrimSpace(f.Src[:n.Start])
				assert.True(t, bytes.HasSuffix(before, []byte("#pragma unroll")), "%s is rolled", f.Text(n))
			}
			return true
		})
	})
	assert.Greater(t, loops, 16)
}

// barrierCounts counts the barriers that each kernel of a cubin reserves, which
// stand in the flags of its section.
func barrierCounts(t *testing.T, path string) map[string]int {
	t.Helper()
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	copy(data[20:24], []byte{1, 0, 0, 0}) // CUDA's version, in the place of ELF's
	file, err := elf.NewFile(bytes.NewReader(data))
	require.NoError(t, err)
	out := map[string]int{}
	for _, s := range file.Sections {
		if name, ok := strings.CutPrefix(s.Name, ".text."); ok {
			out[name] = int(s.Flags >> 20 & 0x7f)
		}
	}
	return out
}

// barrierInRegister is a kernel whose barrier number the compiler can't know.
const barrierInRegister = `__global__ void register_number(float *a, int id)
{
    __shared__ float s[64];
    s[threadIdx.x] = a[threadIdx.x];
    asm volatile("bar.sync %0, 64;" ::"r"(id + 1) : "memory");
    a[threadIdx.x] = s[63 - threadIdx.x];
}
`

// TestBarrierNumbersAreConstants: kernels with barriers of v-TBs reserve as many
// as they use. A number in a register would make the compiler reserve all
// sixteen, which can limit how many blocks run.
func TestBarrierNumbersAreConstants(t *testing.T) {
	needNVCC(t)
	parts := [][]byte{[]byte(barrierInRegister)}
	ways := []rewrite.Variant{{}}
	for _, f := range tried(t, "../examples/mm/mm.cu").Forms {
		parts, ways = append(parts, f.Result.Files[0].After), append(ways, f.Ways[0])
	}
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "parts.cu"), combine.Pack(parts), 0o666))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "smux.cuh"), runtime.Header(), 0o666))
	_, err := makeNVCC(dir, "-arch=sm_70", "-cubin", "-o", "parts.cubin", "parts.cu")
	require.NoError(t, err)
	counts := barrierCounts(t, filepath.Join(dir, "parts.cubin"))
	require.Len(t, counts, len(parts))
	for name, n := range counts {
		part, err := partOf(partOfMessage, name)
		require.NoError(t, err)
		variant := ways[part]
		switch {
		case variant.Rewriter == "":
			assert.Equal(t, 16, n, "a number in a register")
		case variant.Numbered && variant.Sync == "named":
			assert.Equal(t, 16, n, "%s", variant)
		case variant.Sync == "named":
			assert.LessOrEqual(t, n, 2*variant.Factor+1, "%s", variant)
		case variant.Sync == "block":
			assert.LessOrEqual(t, n, 1, "%s", variant)
		default:
			assert.Less(t, n, 16, "%s", variant)
		}
	}
}
