package parser

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestPragmaStandsAnywhere: where the grammar takes no directive, a #pragma costs nothing that stands
// around it, and still counts as that of the statement after it.
func TestPragmaStandsAnywhere(t *testing.T) {
	for _, body := range []string{
		"if (n)\n%s\nfor (;;) n++;",
		"if (n) n++;\nelse\n%s\nfor (;;) n++;",
		"for (;;)\n%s\nfor (;;) n++;",
		"for (;;)\n%s\n%[1]s\nfor (;;) n++;",
		"for (;;)\n%s // a comment\n/* and one */ for (;;) n++;",
		"do\n%s\nfor (;;) n++; while (n);",
		"switch (n) { case 1:\n%s\nfor (;;) n++; break; default: n++; }",
		"switch (n) { case 1: n++;\n%s\nfor (;;) n++; break; default: n++; }",
		"again:\n%s\nfor (;;) n++;",
		"n = f(1,\n%s\n2);",
		"while (n) { n++;\n%s\nfor (;;) n++; }",
	} {
		src := fmt.Sprintf("__global__ void k(int n) { "+body+" }", "#pragma unroll 4")
		f, err := Parse("a.cu", []byte(src), Options{})
		require.NoError(t, err)
		assert.Empty(t, f.Errors, src)
		require.Len(t, f.Functions, 1, src)
		first := strings.Index(src, "#")
		for _, m := range f.Marks {
			if m.Name == FixBarePragma && strings.Contains(src[m.End:], "for") {
				assert.Equal(t, first, f.PragmaBefore(m.End+strings.Index(src[m.End:], "for")), src)
			}
		}
		assert.Equal(t, int(f.Functions[0].Node.Start), f.PragmaBefore(int(f.Functions[0].Node.Start)), "no pragma stands there")
	}
}

// TestPackOfPointersIsRead, and what looks alike is left as it is.
func TestPackOfPointersIsRead(t *testing.T) {
	for _, tt := range []struct {
		src   string
		fixes int
	}{
		{"template <class... Ts> __global__ void k(Ts *...ps) { ((ps[threadIdx.x] = 0), ...); }", 1},
		{"template <class... Ts> __global__ void k(int n, const Ts *const ... ps) {}", 1},
		{"template <class... Ts> __global__ void k(Ts * __restrict__ ...ps) {}", 1},
		{"template <class... Ts> __global__ void k(box<Ts> **...ps) {}", 1},
		{"template <class... Ts> __global__ void k(Ts... ps) { int x = (ps * ...); x = (1 * ... * ps); }", 0},
	} {
		f, err := Parse("a.cu", []byte(tt.src), Options{})
		require.NoError(t, err)
		assert.Empty(t, f.Errors, tt.src)
		require.Len(t, f.Functions, 1, tt.src)
		last := f.Functions[0].Params[len(f.Functions[0].Params)-1]
		assert.Equal(t, "ps", last.Name, tt.src)
		assert.True(t, last.Variadic, tt.src)
		n := 0
		for _, m := range f.Marks {
			if m.Name == FixPackPointer {
				n++
			}
		}
		assert.Equal(t, tt.fixes, n, tt.src)
	}
}

// TestPointersWithoutNamesAreRead as defaults of templates and of functions; a product or an assignment stays as it is.
func TestPointersWithoutNamesAreRead(t *testing.T) {
	for src, fixes := range map[string]int{
		"template <class T, typename std::enable_if<is<T>::value>::type* = nullptr> __device__ void f(T x) {}":     1,
		"template <class T, std::enable_if_t<sizeof(T) == 4, int> * = 0, int N = 2 * 3> __device__ void f(T x) {}": 1,
		"__device__ void f(float x, int * = nullptr, const float* = 0) {}":                                         2,
		"__device__ void f(float x, int *p = nullptr) { x *= 2; x = x * -x; }":                                     0,
	} {
		f, err := Parse("a.cu", []byte(src), Options{})
		require.NoError(t, err)
		assert.Empty(t, f.Errors, src)
		n := 0
		for _, m := range f.Marks {
			if m.Name == "unnamed-pointer" {
				n++
			}
		}
		assert.Equal(t, fixes, n, src)
	}
}

// TestDeadCodeIsNoPartOfTheProgram, whatever it holds and wherever it stands.
func TestDeadCodeIsNoPartOfTheProgram(t *testing.T) {
	for _, src := range []string{
		"__global__ void k(int *a) {}\nvoid f(int *a) {\n#if 0\nk<<<1, 1024>>>(a);\n#endif\nk<<<4, 64>>>(a);\n}\n",
		"__global__ void k(int *a) {}\nvoid f(int *a) { k<<<4, 64>>>(\n#if 0\na,\n#endif\na\n#if 0\n, a\n#else\n#endif\n); }\n",
		"#if 0\n__global__ void k(float *a) {}\n#else\n__global__ void k(int *a) {}\n#endif\nvoid f(int *a) { k<<<4, 64>>>(a); }\n",
		"#define OLD 0\n#if OLD > 1\n__global__ void k() { if (\n#endif\n__global__ void k(int *a) {}\nvoid f(int *a) { k<<<4, 64>>>(a); }\n",
		"#if 1\n__global__ void k(int *a) {}\n#elif X\n__global__ void k(int *a, int b) {}\n#else\n__global__ void k2(int *a) {}\n#endif\nvoid f(int *a) { k<<<4, 64>>>(a); }\n",
		"__global__ void k(int *a) {}\nvoid f(int *a) {\n#ifndef __CUDACC__\nif (a) {\nk<<<1, 1>>>(a);\n#endif\nk<<<4, 64>>>(a);\n}\n",
	} {
		f, err := Parse("a.cu", []byte(src), Options{})
		require.NoError(t, err)
		assert.Empty(t, f.Errors, src)
		assert.Empty(t, f.Lost, src)
		var kernels []string
		for _, fn := range f.Functions {
			if fn.IsKernel() {
				kernels = append(kernels, fn.Name+f.Text(fn.ParamList))
			}
		}
		assert.Equal(t, []string{"k(int *a)"}, kernels, src)
		require.Len(t, f.Launches, 1, src)
		assert.Equal(t, "4", f.Text(f.Launches[0].Config[0]), src)
	}
	f, err := Parse("a.cu", []byte("#ifdef FAST\n__global__ void k(int *a) {}\n#else\n__global__ void k(int *a) {}\n#endif\n"), Options{})
	require.NoError(t, err)
	assert.Len(t, f.Functions, 2, "which of the two is compiled is not certain")
}
