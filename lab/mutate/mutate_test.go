package mutate_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/lab/mutate"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/rewrite/variant"
)

func parse(t *testing.T, text string) *parser.File {
	t.Helper()
	f, err := parser.Parse("k.cu", []byte(text), parser.Options{})
	require.NoError(t, err)
	require.Empty(t, f.Errors)
	return f
}

// rewritten parses an example as a variant's text, or as it is for "".
func rewritten(t *testing.T, name, sync string) *parser.File {
	t.Helper()
	path := filepath.Join("..", "..", "examples", name, name+".cu")
	prog, errs := parser.LoadProgram([]string{path}, parser.Options{})
	require.NoError(t, errors.Join(errs...))
	if sync == "" {
		return prog.Files[0]
	}
	return rewrittenAs(t, prog, rewrite.Variant{Factor: 2, Sync: sync})
}

func rewrittenAs(t *testing.T, prog *parser.Program, w rewrite.Variant) *parser.File {
	t.Helper()
	res, err := rewrite.Run(prog, rewrite.Options{Variant: w})
	require.NoError(t, err)
	require.Len(t, res.Files, 1)
	return parse(t, string(res.Files[0].After))
}

func ids(mutants []mutate.Mutant) (out []string) {
	for _, m := range mutants {
		out = append(out, m.ID)
	}
	return out
}

func TestBarriersOfAllKindsAreFound(t *testing.T) {
	f := parse(t, `__device__ void f() { __syncthreads(); }
__global__ void k() {
    cg::thread_block cta = cg::this_thread_block();
    cta.sync();
    cg::sync(cta);
    for (;;)
        __syncthreads();
    // __syncthreads();
    sync();
}
void host() { stream.sync(); }
`)
	assert.Equal(t, []string{"f:barrier#1", "k:barrier#1", "k:barrier#2", "k:barrier#3"}, ids(mutate.Mutants(f)))
}

func TestVariablesInSharedMemory(t *testing.T) {
	f := parse(t, `
__global__ void k(float3 *a, int n) {
    const unsigned smux_t = threadIdx.x;
    __shared__ float smux_x[64];
    __shared__ const float *smux_p[64];
    __shared__ float smux_v[3 * 64];
    volatile float &x = smux_x[smux_t];
    x = 1;
    const float *volatile &p = smux_p[smux_t];
    p = &a->x;
    const smux::vector3<float3, volatile float &, 64> v(smux_v[smux_t]);
    v = a[n];
}
`)
	assert.Equal(t, []string{
		"k:number#1", "k:number#2", "k:slots#1", "k:slots#2", "k:slots#3", "k:slot#1", "k:value#1",
		"k:slot#2", "k:slot#3", "k:value#2", "k:stride#1", "k:slot#4", "k:slot#5", "k:value#3",
	}, ids(mutate.Mutants(f)))
}

func TestNamedVariant(t *testing.T) {
	got := ids(mutate.Mutants(rewritten(t, "mm", "named")))
	for _, want := range []string{
		"multiply:idle#1", "multiply:start#1", "multiply:acquire#1", "multiply:barrier#1", "multiply:release#1", "multiply:barrier#2", "multiply:finish#1",
		"runtime:count-full", "runtime:acquire-never", "runtime:release-self", "runtime:hand-over-own",
	} {
		assert.Contains(t, got, want)
	}
}

func TestLockVariant(t *testing.T) {
	got := ids(mutate.Mutants(rewritten(t, "mm", "lock")))
	for _, want := range []string{
		"multiply:idle#1", "multiply:acquire#1", "multiply:barrier#1", "multiply:release#1",
		"runtime:lock-held", "runtime:lock-own", "runtime:acquire-unasked", "runtime:release-early", "runtime:slot-one",
	} {
		assert.Contains(t, got, want)
	}
}

// TestEveryFaultHasItsPlace: what the runtime is mutated to is text that some
// variant emits, exactly once.
func TestEveryFaultHasItsPlace(t *testing.T) {
	found := map[string]bool{}
	var files []*parser.File
	for _, sync := range variant.Syncs {
		files = append(files, rewritten(t, "mm", sync))
	}
	for _, late := range []bool{false, true} { // which leaves a barrier outside of regions
		prog, errs := parser.LoadProgram([]string{filepath.Join("..", "..", "examples", "mv", "mv.cu")}, parser.Options{})
		require.NoError(t, errors.Join(errs...))
		files = append(files, rewrittenAs(t, prog, rewrite.Variant{Factor: 2, Sync: "named", Numbered: true, Late: late, Persistent: late}))
	}
	for _, f := range files {
		for _, id := range ids(mutate.Mutants(f)) {
			if strings.HasPrefix(id, "runtime:") {
				found[id] = true
			}
		}
	}
	assert.Len(t, found, mutate.FaultCount)
}

func TestBlockVariant(t *testing.T) {
	got := ids(mutate.Mutants(rewritten(t, "rd", "block")))
	assert.Equal(t, []string{
		"runtime:count-full", "runtime:all-active", "treeReduce:barrier#1", "treeReduce:guard#1",
		"reduce:idle#1", "reduce:turns#1", "reduce:guard#1", "reduce:guard#2", "reduce:guard#3", "reduce:barrier#1",
	}, got)
}

func TestApplyChangesOnePlace(t *testing.T) {
	f := rewritten(t, "mm", "named")
	for _, m := range mutate.Mutants(f) {
		text := mutate.Apply(f, m)
		assert.NotEqual(t, string(f.Src), string(text), m.ID)
		g := parse(t, string(text))
		if !strings.Contains(m.ID, "runtime") {
			assert.Len(t, mutate.Mutants(g), len(mutate.Mutants(f))-1, m.ID)
		}
	}
}

// TestSwitchedIsCUDA compiles all mutants of a variant in one, with nvcc.
func TestSwitchedIsCUDA(t *testing.T) {
	_, missing := exec.LookPath("nvcc")
	for _, c := range []struct{ name, sync string }{{"rd", "named"}, {"sp", "block"}, {"mm", ""}} {
		f := rewritten(t, c.name, c.sync)
		text, err := mutate.Switched(f, mutate.Mutants(f))
		require.NoError(t, err)
		g := parse(t, string(text))
		for _, m := range mutate.Mutants(f) {
			assert.NotContains(t, m.Text, "smux_mutant")
		}
		assert.Equal(t, len(f.Launches), len(g.Launches))
		if missing != nil {
			continue
		}
		dir := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(dir, "k.cu"), text, 0o666))
		cmd := exec.Command("nvcc", "-std=c++14", "-arch=sm_70", "-c", "-o", "k.o", "k.cu")
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s\n%s", out, text)
	}
	if missing != nil {
		t.Skip("no nvcc on PATH: the text was parsed only")
	}
}

func TestSwitchedNeedsAMainWithArguments(t *testing.T) {
	for _, text := range []string{"__global__ void k() {}\n", "int main() {}\n"} {
		_, err := mutate.Switched(parse(t, text), nil)
		assert.ErrorContains(t, err, "main")
	}
}
