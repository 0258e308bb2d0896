package instrument

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/smux-cuda/smux/parser"
)

// Only variables that are certain to be there are named: a name too many would not
// compile.
func TestVariablesThatAreNamed(t *testing.T) {
	for text, want := range map[string][]string{
		"__device__ int a;":                 {"::a"},
		"__device__ float a[4], *b, c = 1;": {"::a", "::b", "::c"},
		"static __device__ volatile int a; int b; __device__ int f(int);":                                                  {"::a"},
		"#define DEVICE __device__\nDEVICE int a;":                                                                         {"::a"},
		"namespace n { namespace { __device__ int a; } }\nnamespace n::m { __device__ int b; }":                            {"::n::a", "::n::m::b"},
		"extern \"C\" { __device__ int a; }":                                                                               {"::a"},
		"#ifndef G\n#define G\n__device__ int a;\n#ifdef X\n__device__ int b;\n#else\n__device__ int c;\n#endif\n#endif\n": {"::a"},
		"#if X\n__device__ int a;\n#endif\n__device__ int b;":                                                              {"::b"},
		"#ifndef G\n__device__ int a;\n#endif\n":                                                                           nil,
		"#ifndef G\n#define G\n__device__ int a;\n#else\n#endif\n":                                                         nil,
		"#if 1\n__device__ int a;\n":                                                                                       nil,
		"extern __device__ int a; __constant__ int b[2]; __device__ const int c = 1; __device__ constexpr int d = 1; extern __shared__ int e[];": nil,
		"__device__ __managed__ int a;": nil,
		"template <class T> __device__ T a; struct S { static __device__ int b; };\n__device__ void f() { static __device__ int c; }": nil,
		"namespace smux { __device__ int a; }": nil,
	} {
		p := parsed(t, map[string][]byte{"p.cu": []byte(text)})
		assert.Equal(t, want, variables(p, p.Files[0], map[*parser.File]bool{}), text)
	}
	p := parsed(t, map[string][]byte{
		"p.cu":  []byte("#include \"a.cuh\"\n#if X\n#include \"b.cuh\"\n#endif\n__device__ int p;"),
		"a.cuh": []byte("#pragma once\n#include \"c.cuh\"\n__device__ int a;"), "b.cuh": []byte("__device__ int b;"), "c.cuh": []byte("__device__ int c;"),
	})
	assert.Equal(t, []string{"::c", "::a", "::p"}, variables(p, p.Files[0], map[*parser.File]bool{}))
}
