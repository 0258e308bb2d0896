package parser

import (
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// tree is a set of files in memory.
type tree map[string]string

func (files tree) options(dirs ...string) Options {
	return Options{IncludeDirs: dirs, ReadFile: func(name string) ([]byte, error) {
		if s, ok := files[cleanPath(name)]; ok {
			return []byte(s), nil
		}
		return nil, os.ErrNotExist
	}}
}

func names(files []*File) (out []string) {
	for _, f := range files {
		out = append(out, f.Name)
	}
	return out
}

func TestProgramSharesHeadersAndNamedFiles(t *testing.T) {
	files := tree{
		"src/a.cu":     "#include \"k.cu\"\n#include \"../inc/x.h\"\nint a;\n",
		"src/k.cu":     "#include \"x.h\"\n__global__ void k() {}\n",
		"src/b.cu":     "#include \"x.h\"\nint b;\n",
		"inc/x.h":      "#include <y.h>\n__device__ int f();\n",
		"inc/y.h":      "#include \"x.h\"\nint y;\n",
		"inc/broken.h": "\x00",
	}
	p, errs := LoadProgram([]string{"src/a.cu", "src/./k.cu", "src/b.cu"}, files.options("inc"))
	require.Empty(t, errs)
	assert.Equal(t, []string{"src/a.cu", "src/./k.cu", "src/b.cu"}, names(p.Files))
	require.Len(t, p.Headers, 2)
	x := p.Headers["inc/x.h"]
	require.NotNil(t, x)
	assert.Equal(t, []string{"src/a.cu", "src/./k.cu", "inc/x.h", "inc/y.h"}, names(p.Reach(p.Files[0])))
	assert.Equal(t, []string{"src/b.cu", "inc/x.h", "inc/y.h"}, names(p.Reach(p.Files[2])))
	assert.Same(t, p.Files[1], p.Reach(p.Files[0])[1])
	assert.Equal(t, []string{"src/a.cu", "src/./k.cu", "src/b.cu", "inc/y.h"}, names(p.Including(x)))
	assert.Equal(t, []string{"src/a.cu"}, names(p.Including(p.Files[1])))
	assert.Empty(t, p.Including(p.Files[0]))
}

func TestOneBadFileLeavesTheOthers(t *testing.T) {
	files := tree{"a.cu": "#include \"bad.h\"\nint a;", "empty.cu": "", "bad.h": "void f() { /*", "b.cu": "int b;"}
	p, errs := LoadProgram([]string{"a.cu", "empty.cu", "none.cu", "b.cu"}, files.options())
	assert.Equal(t, []string{"a.cu", "b.cu"}, names(p.Files))
	require.Len(t, errs, 2)
	assert.ErrorAs(t, errs[0], new(*InputError))
	assert.ErrorIs(t, errs[1], os.ErrNotExist)
	assert.ErrorContains(t, errs[1], "none.cu")
	assert.Empty(t, p.Headers)
}

func TestNewProgramReadsHeadersOfFilesInMemory(t *testing.T) {
	opt := tree{"h.cuh": "__device__ int f() { return 1; }\n"}.options()
	f, err := Parse("<stdin>", []byte("#include \"h.cuh\"\nint a;\n"), opt)
	require.NoError(t, err)
	p := NewProgram([]*File{f}, opt)
	assert.Equal(t, []string{"<stdin>", "h.cuh"}, names(p.Reach(f)))
}

func TestBigHostHeaderIsReadForItsMacrosOnly(t *testing.T) {
	filler := strings.Repeat("int filler();\n", cheapHeaderBytes/10)
	files := tree{"a.cu": "#include \"big.h\"\nint a;\n", "big.h": "#define N 3\n#include \"small.h\"\n" + filler, "small.h": "int s;\n"}
	p, errs := LoadProgram([]string{"a.cu"}, files.options())
	require.Empty(t, errs)
	assert.Equal(t, []string{"a.cu", "small.h"}, names(p.Reach(p.Files[0])))
	m, ok := p.Files[0].Macros.Lookup("N", len(p.Files[0].Src))
	require.True(t, ok)
	assert.Equal(t, "3", m.Body)
}

func TestFolderIsNoFile(t *testing.T) {
	_, errs := LoadProgram([]string{t.TempDir()}, Options{})
	require.Len(t, errs, 1)
	assert.ErrorContains(t, errs[0], "not a regular file")
}

func TestParseIsSafeForConcurrentUse(t *testing.T) {
	src := generateCUDA(200)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			f, err := Parse("a.cu", src, withoutFiles)
			assert.NoError(t, err)
			assert.NotEmpty(t, f.Launches)
			_, err = f.Macros.Expand("AT(1, 2)", len(src))
			assert.NoError(t, err)
			_, err = ParseFragment("a + b", FragmentExpression)
			assert.NoError(t, err)
		})
	}
	wg.Wait()
}

func TestHeaderSeesTheMacrosOfItsIncluder(t *testing.T) {
	files := tree{
		"main.cu":   "#define BLOCK 16\n#define KERNEL __global__ void\n#include \"k.cu\"\n#undef BLOCK\n#define BLOCK 8\n",
		"k.cu":      "#include \"inner.h\"\nKERNEL k() { __shared__ int a[BLOCK]; }\n",
		"inner.h":   "__device__ int g[BLOCK];\n",
		"other.cu":  "#define BLOCK 32\n#include \"shared.h\"\n",
		"third.cu":  "#define BLOCK 64\n#define SAME 1\n#include \"shared.h\"\n",
		"shared.h":  "__device__ int h[BLOCK];\n",
		"cycle.cu":  "#define C 1\n#include \"cycle.h\"\n",
		"cycle.h":   "#include \"cycle2.h\"\n__device__ int i;\n",
		"cycle2.h":  "#include \"cycle.h\"\n__device__ int j;\n",
		"branch.cu": "#ifdef X\n#define B 1\n#include \"b.h\"\n#else\n#define B 2\n#endif\n",
		"b.h":       "__device__ int b[B];\n",
	}
	p, errs := LoadProgram([]string{"k.cu", "main.cu", "other.cu", "third.cu", "cycle.cu", "branch.cu"}, files.options())
	require.Empty(t, errs)
	assert.Equal(t, []string{"k.cu", "main.cu", "other.cu", "third.cu", "cycle.cu", "branch.cu"}, names(p.Files))
	at := func(f *File, name string) string { return describe(f.Macros.Lookup(name, len(f.Src))) }
	assert.Equal(t, "16", at(p.Files[0], "BLOCK"))
	assert.True(t, p.Files[0].Functions[0].IsKernel())
	assert.Equal(t, "8", at(p.Files[1], "BLOCK"))
	assert.Equal(t, "16", at(p.Headers["inner.h"], "BLOCK"))
	assert.Equal(t, "ambiguous", at(p.Headers["shared.h"], "BLOCK"))
	assert.Equal(t, "ambiguous", at(p.Headers["shared.h"], "SAME"))
	assert.Equal(t, "1", at(p.Headers["cycle2.h"], "C"))
	assert.Equal(t, "1", at(p.Headers["b.h"], "B"))
}

func TestParsedFilesAreReadAgainUnderTheMacrosOfTheirIncluder(t *testing.T) {
	files := tree{
		"k.cu":     "KERNEL k() { __shared__ int a[BLOCK]; }\n",
		"main.cu":  "#define BLOCK 16\n#define KERNEL __global__ void\n#include \"k.cu\"\n",
		"alone.cu": "int x;\n",
	}
	opt := files.options()
	var parsed []*File
	for _, name := range []string{"k.cu", "main.cu", "alone.cu"} {
		p, err := Parse(name, []byte(files[name]), opt)
		require.NoError(t, err)
		parsed = append(parsed, p)
	}
	p := NewProgram(parsed, opt)
	assert.Equal(t, []string{"k.cu", "main.cu", "alone.cu"}, names(p.Files))
	require.Len(t, p.Files[0].Functions, 1)
	assert.True(t, p.Files[0].Functions[0].IsKernel())
	assert.Equal(t, "16", describe(p.Files[0].Macros.Lookup("BLOCK", 0)))
	assert.Same(t, parsed[1], p.Files[1], "nobody includes it")

	changed, err := p.With(p.Files[0], []byte("KERNEL k() { __shared__ int a[2 * BLOCK]; }\n"))
	require.NoError(t, err)
	assert.True(t, changed.Files[0].Functions[0].IsKernel(), "the context stays")
}

func TestToolkitHeadersAreNotParsed(t *testing.T) {
	files := tree{
		"a.cu":                "#include <cuda_fp16.h>\nint a;\n",
		"inc/cuda_runtime.h":  "int r;\n",
		"inc/cuda_fp16.h":     "#define HALF 1\n__device__ int f();\n",
		"inc/sub/not_this.cu": "",
	}
	p, errs := LoadProgram([]string{"a.cu"}, files.options("inc"))
	require.Empty(t, errs)
	assert.Empty(t, p.Headers)
	assert.Equal(t, "1", describe(p.Files[0].Macros.Lookup("HALF", 40)))
}
