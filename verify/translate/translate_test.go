package translate_test

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/verify/translate"
)

func translateText(t testing.TB, src string) *translate.Unit {
	f, err := parser.Parse("a.cu", []byte(src), parser.Options{})
	require.NoError(t, err)
	u, err := translate.Translate(f, nil, translate.Options{Dir: "/out"})
	require.NoError(t, err)
	return u
}

// checkLines requires that a translated file has the original's lines, and
// positions that lead back into it.
func checkLines(t testing.TB, f *translate.File, src []byte) {
	require.Equal(t, 1+bytes.Count(src, []byte("\n")), bytes.Count(f.Text, []byte("\n")), "%s", f.Text)
	original := bytes.Split(src, []byte("\n"))
	for i, line := range bytes.Split(f.Text, []byte("\n"))[1:] {
		last := 0
		for column := 1; column <= len(line)+1; column++ {
			l, c := f.Original(i+1, column)
			require.Equal(t, i+1, l)
			require.GreaterOrEqual(t, c, last, "line %d column %d goes back", l, column)
			require.LessOrEqual(t, c, len(original[i])+1)
			last = c
		}
	}
}

func TestLinesStayAndColumnsLeadBack(t *testing.T) {
	for _, c := range loadCases(t) {
		t.Run(c.name, func(t *testing.T) {
			for _, f := range c.run(t).Files {
				src := c.sources[f.Name]
				if src == nil {
					continue // the runtime
				}
				checkLines(t, &f, src)
			}
		})
	}
}

func TestOriginal(t *testing.T) {
	const src = "__global__ void k(int a) { __shared__ int s[2]; s[0] = a; }\n" +
		"void f() { k<<<1, 2>>>(3); g(4); }\n"
	u := translateText(t, src)
	f := &u.Files[0]
	lines := strings.Split(string(f.Text), "\n")[1:]
	for line, words := range [][]string{{"s[0] = a"}, {"1, 2", "g(4)", "(3)"}} {
		for _, w := range words {
			l, c := f.Original(line+1, strings.Index(lines[line], w)+1)
			assert.Equal(t, line+1, l)
			assert.Equal(t, strings.Index(strings.Split(src, "\n")[line], w)+1, c, w)
		}
	}
	// Text that was put in comes from where it was put.
	_, c := f.Original(2, strings.Index(lines[1], "smux_cpu::config")+1)
	assert.Equal(t, strings.Index(strings.Split(src, "\n")[1], "k<<<")+1, c)
	for _, at := range [][2]int{{0, 0}, {-1, 5}, {1, 1 << 30}, {99, 1}} {
		l, c := f.Original(at[0], at[1])
		assert.True(t, l >= 1 && l <= 3 && c >= 1, "%v %v", l, c)
	}
	l, c := new(translate.File).Original(3, 4)
	assert.Equal(t, [2]int{3, 4}, [2]int{l, c})
}

// A header on disk that holds nothing to translate is included where it lies.
func TestUntouchedHeadersStayWhereTheyAre(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
		return path
	}
	main := write("a.cu", "#include \"plain.h\"\n#include <lib.h>\n#include <cuda_runtime.h>\n#include <vector>\n#include \"kernel.cuh\"\n")
	plain := write("plain.h", "inline int one() { return 1; }\n")
	lib := write("lib/lib.h", "#include \"other.h\"\n")
	write("lib/other.h", "int two();\n")
	write("kernel.cuh", "#include \"plain.h\"\n__global__ void k() { __shared__ int s; s = one(); }\n")
	write("toolkit/cuda_runtime.h", "__device__ int native();\n")
	opt := parser.Options{IncludeDirs: []string{filepath.Join(dir, "lib"), filepath.Join(dir, "toolkit")}}
	p, errs := parser.LoadProgram([]string{main}, opt)
	require.Empty(t, errs)
	u, err := translate.Translate(p.Files[0], p.Headers, translate.Options{Parse: opt, Dir: "/out"})
	require.NoError(t, err)
	require.Len(t, u.Files, 2)
	text := string(u.Files[0].Text)
	assert.Contains(t, text, "#include \""+filepath.ToSlash(plain)+"\"\n")
	assert.Contains(t, text, "#include \""+filepath.ToSlash(lib)+"\"\n")
	assert.Contains(t, text, "#include <cuda_runtime.h>\n#include <vector>\n")
	assert.Contains(t, text, "#include \""+filepath.ToSlash(u.Files[1].Path)+"\"\n")
	assert.Contains(t, string(u.Files[1].Text), "#include \""+filepath.ToSlash(plain)+"\"\n")
}

// A rewritten file may include smux.cuh, which is nowhere on disk.
func TestRuntimeHeaderIsProvided(t *testing.T) {
	u := translateText(t, "#include \"smux.cuh\"\n")
	require.Len(t, u.Files, 2)
	assert.Equal(t, "smux.cuh", u.Files[1].Name)
	assert.Contains(t, string(u.Files[1].Text), "::smux_cpu_vtb(id, count);")
	assert.Equal(t, 1, u.Files[1].Runtime[0])
	assert.Equal(t, bytes.Count(u.Files[1].Text, []byte("\n"))-1, u.Files[1].Runtime[1])
}

func TestRuntimeLinesOfAnInlineRuntime(t *testing.T) {
	for _, c := range loadCases(t) {
		if c.name != "runtime-named" {
			continue
		}
		f := c.run(t).Files[0]
		lines := strings.Split(string(f.Text), "\n")[1:]
		assert.Equal(t, "#ifndef SMUX_CUH", lines[f.Runtime[0]-1])
		assert.Contains(t, lines[f.Runtime[1]-1], "// SMUX_CUH")
		return
	}
	t.Fatal("no case")
}

// TestCorpus translates every .cu file below $SMUX_CORPUS.
func TestCorpus(t *testing.T) {
	dir := os.Getenv("SMUX_CORPUS")
	if dir == "" {
		t.Skip("SMUX_CORPUS names no folder")
	}
	files, copies, remarks := 0, 0, map[string]int{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || filepath.Ext(path) != ".cu" {
			return nil
		}
		p, errs := parser.LoadProgram([]string{path}, parser.Options{})
		if len(errs) > 0 {
			t.Log(errs[0])
			return nil
		}
		u, err := translate.Translate(p.Files[0], p.Headers, translate.Options{Dir: "/out"})
		require.NoError(t, err)
		checkLines(t, &u.Files[0], p.Files[0].Src)
		files, copies = files+1, copies+len(u.Files)-1
		for _, r := range u.Remarks {
			remarks[string(r.Code)]++
		}
		return nil
	})
	require.NoError(t, err)
	t.Logf("%d files, %d copies of headers, remarks %v", files, copies, remarks)
}

func FuzzTranslate(f *testing.F) {
	for _, c := range loadCases(f) {
		for _, src := range c.sources {
			f.Add(src)
		}
	}
	examples, err := filepath.Glob("../../examples/*/*.cu")
	require.NoError(f, err)
	for _, path := range examples {
		src, err := os.ReadFile(path)
		require.NoError(f, err)
		f.Add(src)
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		file, err := parser.Parse("fuzz.cu", src, parser.Options{})
		if err != nil {
			return
		}
		u, err := translate.Translate(file, nil, translate.Options{Dir: "/out"})
		require.NoError(t, err)
		for i := range u.Files {
			if u.Files[i].Name == "fuzz.cu" {
				checkLines(t, &u.Files[i], src)
			}
		}
	})
}

// TestArraysOfTheDeviceAreSeen: those whose subscripts the compiler is to look at.
func TestArraysOfTheDeviceAreSeen(t *testing.T) {
	for text, want := range map[string]bool{
		"__global__ void k() { float a[4]; }":                                  true,
		"__device__ void f() { for (;;) { static const int t[2] = {1, 2}; } }": true,
		"__device__ float table[4];":                                           true,
		"static __constant__ float table[2] = {1, 2};":                         true,
		"struct s { float v[3]; };":                                            true,
		"__global__ void k() { __shared__ float a[4]; }":                       false,
		"__global__ void k() { extern __shared__ float a[]; }":                 false,
		"__global__ void k(float a[4], int b[2][3]) { int *p = b[0]; }":        false,
		"int host[4]; int main() { int a[4]; }":                                false,
	} {
		f, err := parser.Parse("a.cu", []byte(text), parser.Options{})
		require.NoError(t, err)
		unit, err := translate.Translate(f, nil, translate.Options{Dir: t.TempDir()})
		require.NoError(t, err)
		assert.Equal(t, want, unit.Arrays, text)
	}
}
