package parser

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestWithParsesOneFileAnewAndSharesTheRest(t *testing.T) {
	files := tree{
		"a.cu": "#define N 4\n#include \"k.cu\"\n",
		"k.cu": "#include \"x.h\"\n__global__ void k() { int i = N + M; }\n",
		"x.h":  "#define M 2\n__device__ int f();\n",
	}
	p, errs := LoadProgram([]string{"a.cu", "k.cu"}, files.options())
	require.Empty(t, errs)
	k := p.Files[1]
	q, err := p.With(k, []byte("#include \"x.h\"\n__global__ void k() {\n#pragma unroll\n int j = N + M; }\n"))
	require.NoError(t, err)
	assert.Same(t, k, p.Files[1], "the program itself stays as it was")
	assert.Same(t, p.Files[0], q.Files[0])
	assert.Same(t, p.Headers["x.h"], q.Headers["x.h"])
	require.NotSame(t, k, q.Files[1])
	require.Len(t, q.Files[1].Functions, 1)
	// What its includer and its includes define is in force as before.
	text, err := q.Files[1].Macros.Expand("N + M", len(q.Files[1].Src)-5)
	require.NoError(t, err)
	assert.Equal(t, "4 + 2", text)
	assert.Equal(t, names(p.Including(k)), names(q.Including(q.Files[1])))
	assert.Equal(t, names(p.Reach(k)), names(q.Reach(q.Files[1])))
}

func TestWithRefusesOtherDirectives(t *testing.T) {
	f, err := Parse("a.cu", []byte("#define N 4\nint a[N];\n"), Options{})
	require.NoError(t, err)
	p := NewProgram([]*File{f}, Options{})
	for _, text := range []string{"#define N 5\nint a[N];\n", "int a[4];\n", "#define N 4\n#undef N\nint a[4];\n"} {
		_, err := p.With(f, []byte(text))
		assert.ErrorContains(t, err, "other directives", text)
	}
	_, err = p.With(&File{Name: "b.cu"}, nil)
	assert.ErrorContains(t, err, "no file of the program")
	_, err = p.With(f, []byte("#define N 4\n\x00"))
	assert.Error(t, err, "what can't be read at all")
}

func TestOffsetIsTheReverseOfPosition(t *testing.T) {
	f, err := Parse("a.cu", []byte("int a;\r\nint b;\n\nint c;"), Options{})
	require.NoError(t, err)
	for at := range len(f.Src) + 1 {
		assert.Equal(t, at, f.Offset(f.Position(at)))
	}
}
