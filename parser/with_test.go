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
	assert.ErrorContains(t, err, "not a file of the program")
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

// TestWithTextsReadsEachFileAsBefore: under its own options, with what changed files
// define by now, and with headers as they were.
func TestWithTextsReadsEachFileAsBefore(t *testing.T) {
	files := tree{
		"a.cu": "#include \"n.cuh\"\n#include \"x.h\"\n__global__ void k() { int i = N + M + OWN; }\n",
		"x.h":  "#define M 2\n__device__ int f();\n",
	}
	n := []byte("#define N 4\n__device__ int g();\n")
	files["n.cuh"] = string(n)
	opt := files.options()
	own := opt
	own.Defines = []string{"OWN=7"}
	a, err := Parse("a.cu", []byte(files["a.cu"]), own)
	require.NoError(t, err)
	h, err := Parse("n.cuh", n, opt)
	require.NoError(t, err)
	p := NewProgram([]*File{a, h}, opt)
	p.Elsewhere = map[string]string{"k": "main.cu"}
	files["x.h"], files["a.cu"] = "#define M 3\n", "gone" // on the disk, in the meantime
	q, err := p.WithTexts(map[string][]byte{"n.cuh": []byte("#define N 5\n#define MORE 1\n__device__ int g();\n")})
	require.NoError(t, err)
	require.Equal(t, []string{"a.cu", "n.cuh"}, []string{q.Files[0].Name, q.Files[1].Name})
	text, err := q.Files[0].Macros.Expand("N + M + OWN", len(q.Files[0].Src)-5)
	require.NoError(t, err)
	assert.Equal(t, "5 + 2 + 7", text)
	text, err = p.Files[0].Macros.Expand("N + M + OWN", len(p.Files[0].Src)-5)
	require.NoError(t, err)
	assert.Equal(t, "4 + 2 + 7", text, "the program itself stays as it was")
	assert.Equal(t, p.Elsewhere, q.Elsewhere)
	assert.Contains(t, q.Headers, "x.h")
	_, err = p.WithTexts(map[string][]byte{"a.cu": []byte("\x00")})
	assert.Error(t, err)
}
