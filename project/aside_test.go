package project

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/parser"
)

// TestMentions says for files that are left out of a tree with a kernel k, launched by
// a.cu, whether they may launch it.
func TestMentions(t *testing.T) {
	for _, c := range []struct {
		name, file, text string
		want             bool
	}{
		{"a launch with the kernel's header", "vendor/b.cu", "#include \"../k.cuh\"\nvoid b() { k<<<1, 1>>>(0, 5); }", true},
		{"the header is included by way of another", "vendor/b.cu", "#include \"../a.cu\"\nvoid b() { run(&k); }", true},
		{"a launch behind a declaration", "b.cc", "__global__ void k(float *p, int n); void b() { k<<<1, 1>>>(0, 5); }", true},
		{"a launch by the runtime", "b.cpp", "void k(float *, int); void b() { cudaLaunchKernel((void *)k, 1, 1, 0, 0, 0); }", true},
		{"a launch by name", "b.cpp", "void b() { cuModuleGetFunction(&f, m, \"k\"); cuLaunchKernel(f, 1); }", true},
		{"a launch of an instance by name", "b.cpp", "auto x = \"&k<int>\"; auto y = cuLaunchKernel;", true},
		{"a message", "b.cpp", "void b() { puts(\"k is no name here, nor is k\"); cuLaunchKernel(f, 1); }", false},
		{"a word behind a quote that is a character", "b.cpp", "char c = '\"'; auto x = cudaLaunchKernel((void *)k);", true},
		{"comments", "b.cpp", "// k<<<1, 1>>>()\n/* k */ #include \"k.cuh\"\nvoid b() { cudaLaunchKernel(f); }", false},
		{"a kernel of its own", "vendor/b.cu", "__global__ void k(float *p) {}\nvoid b() { k<<<1, 1>>>(0); }", false},
		{"a name that means something else", "b.cpp", "int k = 3;", false},
		{"a longer word", "b.cpp", "#include \"k.cuh\"\nvoid b() { k2(); }", false},
		{"text", "notes.md", "__global__ void k(); k<<<1, 1>>>();", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir, err := filepath.EvalSymlinks(t.TempDir())
			require.NoError(t, err)
			t.Chdir(dir)
			require.NoError(t, os.Mkdir("vendor", 0o777))
			for name, text := range map[string]string{
				"k.cuh": "__global__ void k(float *p, int n = 1) {}\n",
				"a.cu":  "#include \"k.cuh\"\nvoid a() { k<<<1, 1>>>(0); }\n",
				c.file:  c.text,
			} {
				require.NoError(t, os.WriteFile(name, []byte(text), 0o666))
			}
			facts := read(t, []string{"a.cu", "k.cuh"})
			var want []string
			if c.want {
				want = []string{c.file}
			}
			assert.Equal(t, want, asideOf(t, facts))
		})
	}
}

// asideOf are the files below the folder that may launch a kernel of the facts.
func asideOf(t *testing.T, facts []Facts) (out []string) {
	t.Helper()
	mentions, err := Mentions(facts, Aside(context.Background(), []string{"."}, facts), Reading{
		Options: func(string) parser.Options { return parser.Options{} },
		Each: func(n int, f func(int)) error {
			for i := range n {
				f(i)
			}
			return nil
		},
	})
	require.NoError(t, err)
	for _, m := range mentions {
		if len(out) == 0 || out[len(out)-1] != m.File {
			out = append(out, m.File)
		}
	}
	return out
}

// TestMentionsOfTheNearest: of two kernels of a name the one in the file's folder is
// meant, be it one that is left out itself.
func TestMentionsOfTheNearest(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	t.Chdir(dir)
	const kernel, launch = "__global__ void k(float *p) {}\n", "__global__ void k(float *p);\nvoid b() { k<<<1, 1>>>(0); }\n"
	for name, text := range map[string]string{
		"a/k.cu": kernel, "b/k.cu": kernel, "b/l.cpp": launch, "vendor/k.cu": kernel, "vendor/l.cu": launch,
	} {
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o777))
		require.NoError(t, os.WriteFile(name, []byte(text), 0o666))
	}
	facts := read(t, []string{"a/k.cu", "b/k.cu"})
	aside := Aside(context.Background(), []string{"."}, facts)
	assert.Equal(t, "b/l.cpp vendor/k.cu vendor/l.cu", strings.Join(aside, " "))
	mentions, err := Mentions(facts, aside, Reading{
		Options: func(string) parser.Options { return parser.Options{} },
		Each: func(n int, f func(int)) error {
			for i := range n {
				f(i)
			}
			return nil
		},
	})
	require.NoError(t, err)
	assert.Equal(t, "[{k 1 b/l.cpp}]", fmt.Sprint(mentions))
}
