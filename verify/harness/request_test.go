package harness

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/parser"
)

const scale = `#define TWO 2
// smux:bench grid=4 block=64 n=256 x=float[n]:iota
__global__ void scale(float *x, int n) { x[blockIdx.x * 64 + threadIdx.x] *= TWO; }
`

func TestAProgramThatRunsByItselfIsLeftAlone(t *testing.T) {
	prog := program(t, "k.cu", scale+"int main() { return 0; }\n")
	got, err := Request{}.Attach(prog)
	require.NoError(t, err)
	assert.Same(t, prog, got)
	got, err = Request{Comments: true}.Attach(prog)
	require.NoError(t, err)
	assert.NotSame(t, prog, got, "unless comments are asked for")
}

func TestAnAttachedProgramIsReadAsTheFilesWere(t *testing.T) {
	f, err := parser.Parse("k.cu", []byte(scale+"#ifdef OWN\n__device__ int own() { return 1; }\n#endif\n"), parser.Options{Defines: []string{"OWN"}})
	require.NoError(t, err)
	for name, r := range map[string]Request{
		"comment": {},
		"flags":   {Kernels: []string{"scale"}, Launch: "grid=4,block=64", Arguments: []string{"n=256"}, Buffers: []string{"x=float[n]"}},
	} {
		got, err := r.Attach(parser.NewProgram([]*parser.File{f}, parser.Options{}), Repeat)
		require.NoError(t, err, name)
		require.Len(t, got.Files, 1, name)
		var names []string
		for _, fn := range got.Files[0].Functions {
			names = append(names, fn.Name)
		}
		assert.Contains(t, names, "main", name)
		assert.Contains(t, names, "own", "%s: what the file was read with counts", name)
	}
}

func TestARequestThatSaysNothingIsRefused(t *testing.T) {
	for want, r := range map[string]Request{
		"give --launch, too":                {Arguments: []string{"n=1"}},
		"--kernel must name it":             {Launch: "grid=1,block=1"},
		"--launch and --bench both say":     {Launch: "grid=1,block=1", Kernels: []string{"k"}, Comments: true},
		"the files hold no smux:bench comm": {Comments: true},
	} {
		err := r.Check()
		if err == nil {
			_, err = r.Attach(program(t, "k.cu", "__global__ void k() {}\n"))
		}
		assert.ErrorContains(t, err, want)
	}
	assert.Equal(t, []string{"k", "m"}, PlainNames([]string{"k<float>", "m"}))
	assert.NotEqual(t, Request{Kernels: []string{"k"}, Launch: "grid=1,block=1"}.Text(), Request{Kernels: []string{"k"}, Launch: "grid=2,block=1"}.Text())
}
