package instrument

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/verify/harness"
)

// A kernel alone does the same in each repetition, so that its times fall into equal
// groups.
func TestAKernelAloneIsRepeated(t *testing.T) {
	const kernel = `// smux:bench grid=2 block=32 a=float[64]:random n=64
// smux:bench grid=1 block=64 a=float[64]:iota n=64
__global__ void add(float *a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] += 1;
}
`
	texts := map[string][]byte{"k.cu": []byte(kernel)}
	p := parsed(t, texts)
	specs, err := harness.Comments(p)
	require.NoError(t, err)
	host, text, err := harness.Attach(p, specs, harness.Repeat)
	require.NoError(t, err)
	program := compiled(t, engine(t), timed(t, map[string][]byte{host.Name: text}, "add"))

	once := run(t, program, nil)
	require.NoError(t, once.err)
	assert.Len(t, once.Launches, 2)
	often := run(t, program, []string{harness.EnvRepeat + "=3"})
	require.NoError(t, often.err)
	times, err := often.Repetitions(3)
	require.NoError(t, err)
	assert.Len(t, times, 3)
	assert.Equal(t, strings.Repeat(once.stdout, 3), often.stdout)
	logs := records(t, often.copies)
	require.Len(t, logs, 6)
	assert.Equal(t, records(t, once.copies), logs[4:])
	checked := run(t, program, []string{harness.EnvRepeat + "=3", EnvCheck + "=1"})
	assert.Equal(t, often.stdout, checked.stdout, "memory that is had anew begins with what it holds then")
	assert.Len(t, records(t, checked.copies), 12)
}

func TestAGroupOfKernelsIsTimedTogether(t *testing.T) {
	const text = "__global__ void k(float *a) {}\n__global__ void k(int *a) {}\n__global__ void l() {}\nvoid f(float *a, int *b) { k<<<1, 1>>>(a); k<<<1, 1>>>(b); l<<<1, 1>>>(); }"
	prog := kernelOf(t, text, "k").Prog
	for names, want := range map[string]int{"k": 2, "l": 1, "k l": 3} {
		var group []string
		texts, err := Launches(Named(prog, append(group, strings.Fields(names)...)...)...)
		require.NoError(t, err)
		assert.Equal(t, want, strings.Count(string(texts["p.cu"]), "(::smux_launch::smux_begin("), names)
	}
	assert.Empty(t, Named(prog, "m"))
	_, err := Launches()
	assert.ErrorContains(t, err, "there is no kernel")
}

func TestPreludeIsWhole(t *testing.T) {
	text := prelude()
	for _, part := range parts {
		content, err := preludeFiles.ReadFile("prelude/" + part + ".cuh")
		require.NoError(t, err)
		assert.Contains(t, text, string(content))
	}
	all, err := preludeFiles.ReadDir("prelude")
	require.NoError(t, err)
	assert.Len(t, all, len(parts))
	for _, env := range []string{EnvOut, EnvThreads, EnvBytes, EnvCarveout, EnvFlush, EnvCopies, EnvCopyBytes, EnvCheck, EnvSnapshots} {
		assert.Contains(t, text, `"`+env+`"`)
	}
}
