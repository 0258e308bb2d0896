package rewrite_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite"
)

// A type whose header isn't found may be a class. The emitted text then says that it is none, wherever the rewrite rests on what
// its operators or its copies do.
func TestTypesOfHeadersThatAreNotFound(t *testing.T) {
	for name, tt := range map[string]struct{ typ, store, check string }{
		"operators": {"number", "s[threadIdx.x] + s[63 - threadIdx.x]", "static_assert(!__is_class(number) &&"},
		"copies":    {"number", "s[63 - threadIdx.x]", "static_assert(__is_trivially_copyable(number),"},
		"neither":   {"int", "s[63 - threadIdx.x]", ""},
	} {
		t.Run(name, func(t *testing.T) {
			text := "#include \"number.h\"\n__global__ void k(const " + tt.typ + " *in, " + tt.typ + " *out, number *)\n{\n    __shared__ " + tt.typ + " s[64];\n" +
				"    s[threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x];\n    __syncthreads();\n    out[blockIdx.x * 64 + threadIdx.x] = " + tt.store + ";\n}\n" +
				"void run(" + tt.typ + " *in, " + tt.typ + " *out) { k<<<7, 64>>>(in, out, nullptr); }\n"
			f, err := parser.Parse("k.cu", []byte(text), parser.Options{})
			require.NoError(t, err)
			result, err := rewrite.Run(parser.NewProgram([]*parser.File{f}, parser.Options{}), rewrite.Options{Variant: rewrite.Variant{Rewriter: "vtb"}})
			require.NoError(t, err)
			require.Len(t, result.Files, 1, "%v", result.Kernels)
			if after := string(result.Files[0].After); tt.check == "" {
				assert.NotContains(t, after, "(number)")
			} else {
				assert.Contains(t, after, tt.check)
			}
		})
	}
}

// A type out of view may come in by the arguments of a template, its defaults and the members of a class, and what is of a type
// that isn't known may be of it. What no text can say of it is refused.
func TestTypesOutOfViewComeInByOthers(t *testing.T) {
	const isNumber = "static_assert(!__is_class(number) &&"
	for name, tt := range map[string]struct{ before, template, in, value, check string }{
		"argument of a class":            {"template <class U> struct box { U u; };", "", "box<number>", "in[i].u + in[j].u", isNumber},
		"argument of a function":         {"template <class V> __device__ float sum(float a, float b) { return V(a) + V(b); }", "", "float", "sum<number>(in[i], in[j])", isNumber},
		"default of a function":          {"template <class V = number> __device__ float sum(float a, float b) { return V(a) + V(b); }", "", "float", "sum(in[i], in[j])", isNumber},
		"default of a class":             {"template <class U = number> struct box { U u; };", "", "box<>", "in[i].u + in[j].u", isNumber},
		"member that is copied":          {"struct two { number a, b; }; __device__ float take(two x);", "", "two", "([&] { two x = in[i]; return 1.f; })()", isNumber},
		"argument of a library's":        {"", "template <class T>", "std::pair<T, T>", "in[i].first + in[j].second", "static_assert(!__is_class(T) &&"},
		"decltype":                       {"", "template <class T>", "float", "([&] { decltype(T()) v = in[i]; return v + v; })()", "static_assert(!__is_class(T) &&"},
		"name of a template's parameter": {"template <class number> struct box { number v; };", "", "number", "float(in[i] + in[j])", isNumber},
		"type of a type":                 {"", "template <class T>", "float", "typename T::type(in[i]) + typename T::type(in[j])", "static_assert(std::is_arithmetic<typename T::type>::value ||"},
		"constant of a type":             {"", "template <class T>", "float", "in[i] * T::N", "static_assert(std::is_arithmetic<typename std::remove_reference<decltype(T::N)>::type>::value ||"},
		"elements of a type's array":     {"", "template <class T>", "T", "in[i].a[1] + in[j].a[2]", "static_assert(std::is_arithmetic<typename std::remove_reference<decltype(T::a[0])>::type>::value ||"},
	} {
		t.Run(name, func(t *testing.T) {
			text := "#include \"number.h\"\n" + tt.before + "\n" + tt.template + " __global__ void k(const " + tt.in + " *in, float *out)\n{\n    __shared__ float s[64];\n" +
				"    const int i = blockIdx.x * 64 + threadIdx.x, j = threadIdx.x;\n    s[threadIdx.x] = " + tt.value + ";\n    __syncthreads();\n    out[i] = s[63 - threadIdx.x];\n}\n" +
				"template <class X> void run(X *in, float *out) { k<<<7, 64>>>(in, out); }\n"
			f, err := parser.Parse("k.cu", []byte(text), parser.Options{})
			require.NoError(t, err)
			result, err := rewrite.Run(parser.NewProgram([]*parser.File{f}, parser.Options{}), rewrite.Options{Variant: rewrite.Variant{Rewriter: "vtb"}})
			require.NoError(t, err)
			require.Len(t, result.Files, 1, "%v", result.Kernels)
			assert.Contains(t, string(result.Files[0].After), tt.check)
		})
	}
}

// A launch in view that passes a class for a type whose operators count is one for which the emitted check would not compile.
func TestNoCheckForNumbersFailsInALaunchInView(t *testing.T) {
	const pair = "struct pair2 { float a, b; __device__ pair2 operator+(const pair2 &o) const { return {a + o.a, b + o.b}; } };\ntypedef pair2 both;\n"
	for name, tt := range map[string]struct {
		typ     string
		refused bool
		before  string
	}{
		"class": {"pair2", true, ""}, "by another name": {"both", true, ""}, "number": {"double", false, ""},
		"CUDA's own class":                                {"half", false, "#include <cuda_fp16.h>\n"},
		"CUDA's own class, by a library":                  {"nv_bfloat16", false, "#include <cublas_v2.h>\n"},
		"CUDA's own class in some builds":                 {"half", true, "#ifdef HALVES\n#include <cuda_fp16.h>\n#endif\n"},
		"another class of CUDA's":                         {"__nv_bfloat16", true, "#include <cuda_fp16.h>\n"},
		"CUDA's own class with an operator of one's own":  {"half", true, "#include <cuda_fp16.h>\n__device__ half operator+(half a, int b);\n"},
		"CUDA's own class with an operator of a template": {"half", true, "#include <cuda_fp16.h>\ntemplate <class A> __device__ A operator+(A a, A b) { return a; }\n"},
	} {
		t.Run(name, func(t *testing.T) {
			text := tt.before + pair + "template <class T> __global__ void k(const T *in, T *out)\n{\n    __shared__ T s[64];\n" +
				"    s[threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x];\n    __syncthreads();\n    out[blockIdx.x * 64 + threadIdx.x] = s[63 - threadIdx.x] + s[threadIdx.x];\n}\n" +
				"void run(" + tt.typ + " *in, " + tt.typ + " *out) { k<<<7, 64>>>(in, out); }\n"
			f, err := parser.Parse("k.cu", []byte(text), parser.Options{})
			require.NoError(t, err)
			result, err := rewrite.Run(parser.NewProgram([]*parser.File{f}, parser.Options{}), rewrite.Options{Variant: rewrite.Variant{Rewriter: "vtb"}})
			require.NoError(t, err)
			assert.Equal(t, tt.refused, len(result.Files) == 0, "%v", result.Kernels)
		})
	}
}
