package hazards_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// calling makes a program whose kernel evaluates an expression before its barrier.
func calling(before, template, local, value string) string {
	return "-- k.cu --\n" + before + "\n" + template + ` __global__ void k(const float *a, float *b) {
	__shared__ float s[64];
	int i = blockIdx.x * 64 + threadIdx.x;
	` + local + `
	s[threadIdx.x] = ` + value + `;
	__syncthreads();
	b[i] = s[63 - threadIdx.x];
}
`
}

func TestCallsThatAreKnown(t *testing.T) {
	const twice = "struct Twice { __device__ float operator()(float x) const { return x + x; } };"
	for _, c := range []struct{ name, before, template, local, value string }{
		{"a cast to a typedef", "typedef unsigned int uint32;", "", "", "(uint32)(a[i])"},
		{"the same as a call", "typedef unsigned int uint32;", "", "", "uint32(a[i])"},
		{"of an alias", "using uint32 = unsigned int;", "", "", "(uint32)(a[i])"},
		{"of a typedef of a typedef", "typedef unsigned u4;\nnamespace n { typedef u4 uint32; }\nusing namespace n;", "", "", "uint32(a[i])"},
		{"of a typedef inside", "", "", "typedef float R;", "R(a[i])"},
		{"of a class's typedef", "struct A { typedef float V; static __device__ V f(float x) { return V(x) + (V)(1); } };", "", "", "A::f(a[i])"},
		{"to an enumeration", "enum Kind { A, B };", "", "", "a[i] + Kind(1)"},
		{"that tells its line", "#include <cstdio>\n#define CHECK(c) if (!(c)) printf(\"%s:%d\", __FILE__, __LINE__)", "", "CHECK(i > 0);", "a[i]"},
		{"to a macro", "#define REAL float", "", "", "(REAL)(a[i]) + REAL(1)"},
		{"to a macro of two meanings", "#ifdef WIDE\n#define REAL double\n#else\n#define REAL float\n#endif", "", "", "(REAL)(a[i]) + REAL(1)"},
		{"to a type parameter", "", "template <typename T>", "", "T(a[i]) + (T)(1) + T()"},
		{"to a class's type parameter", "template <typename T> struct A { static __device__ T f(float x) { return T(x) + T(); } };", "", "", "A<float>::f(a[i])"},
		{"an object made for the call", twice, "", "", "Twice()(a[i]) + Twice{}(1)"},
		{"one of a template", "template <typename T> " + twice, "", "", "Twice<float>()(a[i])"},
		{"one of a type parameter", twice, "template <typename Op>", "", "Op()(a[i])"},
		{"to a type of a type parameter", "template <typename T> struct A { typedef float V; };", "template <typename T>", "", "typename A<A<T>>::V(a[i]) + (typename A<T>::V)(1)"},
		{"to a type of the library", "", "", "", "a[i] + (clock_t)(1) + (uintptr_t)(i)"},
		{"a macro whose text ends the statement", "#define HALF 0.5f;", "", "", "a[i] * HALF"},
		{"lengths of vectors", "", "", "", "normf(3, a + i) + rnormf(2, a) + norm(3, a) + jnf(2, a[i])"},
		{"limits of numbers", "#include <limits>", "", "", "a[i] + std::numeric_limits<float>::infinity() + std::numeric_limits<float>::quiet_NaN()"},
		{"functions of complex numbers", "#include <thrust/complex.h>", "", "thrust::complex<float> z(a[i], 1);", "thrust::norm(thrust::conj(z)) + thrust::arg(z)"},
		{"a loop whose head is a macro", "#define EACH(i, n) for (int i = 0; i < (n); ++i)", "", "float v = 0; EACH(j, 3) { EACH(l, 2) v += a[j * l]; }", "v"},
		{"one with while", "#define BELOW(i, n) while ((i) < (n))", "", "int v = 0; BELOW(v, 3) {\n++v;\n}", "a[v]"},
		{"a function that is one of two", "#ifdef WIDE\n#define ROOT sqrt\n#else\n#define ROOT sqrtf\n#endif", "", "", "ROOT(a[i]) + ROOT(2)"},
		{"a lambda that calls a function", "__device__ float g(float x) { return sqrtf(x); }\n__device__ float f(float x) { return g(x) + threadIdx.x; }", "", "auto h = [&](float x) { return f(x); };", "h(a[i])"},
		{"a move", "#include <utility>", "", "float x = a[i];", "std::move(x)"},
		{"functions of the standard library", "#include <algorithm>", "", "float x = a[i], y = 1; std::swap(x, y);", "std::clamp(x, 0.f, y) + std::get<0>(std::make_pair(1.f, 2))"},
		{"members of its classes", "#include <array>", "", "std::array<float, 2> v{a[i], 1}; std::pair<float, int> q(1.f, 2);", "v.at(0) + v.size() + *v.rbegin() + q.first"},
		{"function objects of thrust", "#include <thrust/functional.h>", "", "thrust::plus<float> add;", "add(a[i], thrust::maximum<float>()(1, 2)) + thrust::min(a[i], 3.f) + thrust::multiplies<float>{}(a[i], 2)"},
		{"complex numbers of thrust", "#include <thrust/complex.h>", "", "auto z = thrust::exp(thrust::complex<float>(a[i], 1));", "thrust::abs(z) + z.real()"},
		{"vectors of glm", "#include <glm/glm.hpp>\nusing vec3 = glm::vec<3, float>;", "", "vec3 v(a[i], 1, 2); glm::mat3 m(v, v, v);", "glm::dot(v, glm::normalize(m * v)) + v.length()"},
		{"images of OpenCV", "#include <opencv2/core/cuda_types.hpp>\nusing namespace cv::cuda;", "template <typename T>", "PtrStepSz<float> p; const cv::cuda::PtrStepb q;", "p.ptr(i)[1] + p(i, 2) + saturate_cast<float>(q(1, i))"},
		{"names that are used without a namespace", "#include <thrust/tuple.h>\nnamespace v { using thrust::get; using ::thrust::make_tuple; }\nusing namespace thrust;", "", "", "get<0>(make_tuple(a[i], 1)) + v::get<1>(make_tuple(1.f, 2.f)) + plus<float>()(1, 2)"},
		{"a function as a template argument", "__device__ float up(float x) { return x + 1; }\ntypedef float (*unary)(float);\ntemplate <unary F> __device__ float both(float x) { return F(x) + F(2); }", "", "", "both<up>(a[i])"},
		{"another name of a library's namespace", "#include <thrust/functional.h>\n#ifdef USE_ROCM\nnamespace parallel = rocthrust;\n#else\nnamespace parallel = ::thrust;\n#endif", "", "parallel::plus<float> add;", "add(a[i], parallel::min(a[i], 3.f)) + parallel::minus<float>()(1, 2)"},
		{"what a tuple holds", "#include <thrust/tuple.h>\n" + twice + "\nnamespace v { using thrust::get; }", "", "thrust::tuple<Twice, int> q;", "thrust::get<0>(q)(a[i]) + v::get<0>(q)(1.f)"},
		{"a member of one of two classes of a name", "#include <array>\nnamespace m { struct P { int n; }; }\nnamespace n { struct P { std::array<float, 3> poly; }; struct Q : P {}; }", "", "n::Q v;", "v.poly.at(1)"},
		{"an unused variable", "#include <opencv2/core/cuda/utility.hpp>", "", "CV_UNUSED(s);", "a[i]"},
		{"a member that is a functor", twice + "\nstruct A { Twice f; __device__ float g(float x) const { return f(x); } };", "", "A v;", "v.g(a[i])"},
		{"a member that a comment tells about", "struct A { int n; // [gridDim.x]\n static constexpr int blockDim = 3; };", "", "A v;", "v.n + A::blockDim"},
		{"what heads declare", "struct P { float x, y; };", "", "auto [x, y] = P{a[i], 1}; float l[3] = {1, 2, 3}; P p; const auto &[z, w] = p; for (auto &v : l) v += x; for (int v : {1, 2}) y += v; if (float u = l[0]; u > 2) y += u; if (int u = i % 2) y += u;", "x + y + z + w + l[1]"},
		{"parts of arrays", "struct P { float k[2]; };", "", "P p; float l[3]; const auto &[x, y] = p.k; auto &[u, v, w] = l; u = x; w = y;", "l[0] + u + y"},
		{"parts of a type that is not known", "", "template <typename T>", "T p; const auto &[x, y] = p.k;", "x + y"},
		{"a tuple where another's size is asked", "#include <tuple>\nconstexpr int n = std::tuple_size<std::tuple<int>>::value;", "", "auto [x, y] = std::make_tuple(a[i], 1);", "x + y"},
		{"packs", "template <typename... Ts> __device__ float total(Ts... xs) { return (xs + ... + 0.f); }\ntemplate <typename... Ts> __device__ float f(Ts... xs) { float l[] = {xs..., 1}; return total(xs..., 1) + fmaf(xs...) + l[sizeof...(xs)]; }", "", "", "f(a[i], 1, 2)"},
		{"a lambda that is called where it stands", "", "", "", "[&](float x) { return x + a[i]; }(1)"},
		{"numbers of dynamic programming", "", "", "bool p;", "__viaddmax_s32(i, 1, 2) + __vimin_s32_relu(i, 2) + __vimax3_u16x2(i, 1, 2) + __vibmax_s32(i, 2, &p)"},
		{"memory of the device", "", "", "float *p = (float *)malloc(8); *p = 1; float v = *p; free(p);", "v"},
		{"accessors of torch", "#include <ATen/ATen.h>", "", "at::PackedTensorAccessor32<float, 2> t(0, 0, 0);", "t.size(0) + t.stride(1) + t[i][1]"},
		{"a function of the device compiler", "#if defined(__CUDACC__)\ntemplate <typename T> __device__ T twice(T x) { return x + x; }\n#endif", "", "", "twice(a[i])"},
		{"one whose qualifiers are", "#ifdef __CUDACC__\n__host__ __device__\n#endif\ninline float twice(float x) { return x + x; }", "", "", "twice(a[i])"},
		{"a template whose qualifiers are", "template <class T>\n#ifdef __CUDACC__\n__host__\n  __device__\n#endif\nT twice(const T &x) { return x + x; }", "", "", "twice(a[i])"},
		{"one with two sets of qualifiers", "#ifdef __CUDACC__\n__device__ __forceinline__\n#else\ninline\n#endif\nfloat twice(float x) { return x + x; }", "", "", "twice(a[i])"},
	} {
		t.Run(c.name, func(t *testing.T) {
			assert.Empty(t, hazards(t, calling(c.before, c.template, c.local, c.value)))
		})
	}
}

// TestObjectsThatMayBeLambdas: an object of a type parameter may be any lambda that the host makes.
func TestObjectsThatMayBeLambdas(t *testing.T) {
	const functor = "struct Twice { __device__ float operator()(float x) const { return x + x; } };\n"
	for _, c := range []struct{ name, host, local, value, want string }{
		{"one that only computes", "void run(float *p) { auto l = [=] __device__ (float x) { return x + *p; }; }", "", "f(a[i])", ""},
		{"one with a barrier", "void run(float *p) { auto l = [=] __device__ (float x) { __syncthreads(); return x; }; }", "", "f(a[i])", "an object may be the lambda"},
		{"one that reads the block's number", "void run(float *p) { take([=] __device__ (float x) { return p[blockIdx.x] + x; }); }", "", "f(a[i])", "an object may be the lambda"},
		{"through a function", "__device__ float g(float x) { return x + gridDim.x; }\nvoid run(float *p) { auto l = [=] __device__ (float x) { return g(x); }; }", "", "f(a[i])", "an object may be the lambda"},
		{"of a namespace", "auto l = [] __device__ (float x) { asm(\"bar.sync 0;\"); return x; };", "", "f(a[i])", "an object may be the lambda"},
		{"one that the library calls", "#include <functional>\nvoid run(float *p) { auto l = [=] __device__ (float x) { __syncthreads(); return x; }; }", "", "std::invoke(f, a[i])", "an object may be the lambda"},
		{"one of the kernel's own is looked at", "", "auto l = [=](float x) { return x + 1; };", "l(a[i]) + f(a[i])", ""},
		{"one that launches", "__global__ void k(const float *, float *);\nvoid run(float *p) { auto l = [&](int) { k<<<4, blockDim.x>>>(p, p); }; }", "", "f(a[i])", ""},
		{"where nothing is called that may be one", "void run(float *p) { auto l = [=] __device__ (float x) { __syncthreads(); return x; }; }", "Twice h;", "h(a[i])", ""},
		{"a member of a type parameter", "template <typename G> struct A { G f; __device__ float g(float x) const { return f(x); } };\nvoid run(float *p) { auto l = [=] __device__ (float x) { __syncthreads(); return x; }; }", "A<F> v;", "v.g(a[i])", "an object may be the lambda"},
		{"what a container holds", "#include <array>", "std::array<F, 2> v; auto h = v[0];", "h(a[i])", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := strings.Join(hazards(t, strings.Replace(calling(functor+c.host, "template <typename F>", c.local, c.value), "float *b", "float *b, F f", 1)), "\n")
			if c.want == "" {
				assert.Empty(t, got)
			} else {
				assert.Contains(t, got, c.want)
			}
		})
	}
}

// TestCallsThatLibrariesDoNotTell: what a library's function returns, or its container holds, may be of any class.
func TestCallsThatLibrariesDoNotTell(t *testing.T) {
	for _, c := range []struct{ before, local, value string }{
		{"#include <tuple>", "std::tuple<F, int> q;", "std::get<0>(q)(a[i])"},
		{"#include <utility>", "std::pair<F, int> q;", "q.first.run(a[i])"},
		{"#include <future>", "", "std::async(&a[i])"},
		{"#include <functional>", "std::function<float(float)> g;", "g(a[i])"},
		{"#include <thrust/for_each.h>", "thrust::for_each(thrust::device, a, a + 1, thrust::negate<float>());", "a[i]"},
		{"", "PtrStepSz<float> p;", "p.ptr(i)[0]"},
		{"__device__ float up(float x) { return x + blockIdx.x; }\ntypedef float (*unary)(float);\ntemplate <unary G> __device__ float both(float x) { return G(x); }", "", "both<up>(a[i])"},
		{"typedef float (*unary)(float);\nextern __device__ unary table[];\n__device__ float up(float x) { return x; }\ntemplate <unary G> __device__ float both(float x) { return G(x); }\n__device__ float g(float x) { return both<up>(x) + both<down>(x); }", "", "g(a[i])"},
		{"namespace m { struct P { int poly; }; }\nnamespace n { struct P { F2 poly; }; struct Q : P {}; }", "n::Q v;", "v.poly.at(1)"},
		{"", "float l[2]; auto [x, y] = l;", "x"},
		{"struct L { float *begin(); float *end(); };", "L l; float x = 0; for (float v : l) x += v;", "x"},
		{"struct P { float x, y; }; __device__ P g(float x);\nnamespace std { template <> struct tuple_size<P> {}; }", "auto [x, y] = P{1, 2};", "x"},
		{"template <typename... Ts> __device__ void put(float **to, Ts... xs) { ((*to = xs), ...); }", "float *p; put(&p, s, s + 1);", "p[0]"},
		{"struct P { float x, y; }; __device__ P g(float x);\nnamespace std { template <> struct __align__(8) tuple_size<P> {}; }", "auto [x, y] = P{1, 2};", "x"},
		{"template <typename... Ts> __device__ float f(Ts... xs) { return (g(xs) + ...); }", "", "f(a[i], 1)"},
		{"#ifdef MINE\nnamespace m = mine;\n#else\nnamespace m = thrust;\n#endif", "", "m::plus<float>()(a[i], 3.f)"},
		{"namespace thrusts { struct F; }\nnamespace m = thrusts;", "", "m::plus<float>()(a[i], 3.f)"},
		{"#include <opencv2/core/cuda/reduce.hpp>", "", "cv::cuda::device::reduce<64>(a[i])"},
	} {
		assert.NotEmpty(t, hazards(t, calling(c.before, "template <typename F>", c.local, c.value)), c.value)
	}
}

func TestCallsThatMayDoAnything(t *testing.T) {
	for _, c := range []struct{ name, before, local, value, want string }{
		{"a type that is not in view", "", "", "(uint32)(a[i])", "unknown-call: a call of uint32"},
		{"a name that a macro gives a type and none", "#ifdef WIDE\n#define REAL double\n#endif", "", "REAL(a[i])", "unknown-call: a call of REAL"},
		{"a macro whose text ends a statement in the middle", "#define HALF 0.5f;", "", "a[i] * HALF + 1", "macro HALF that can't be expanded"},
		{"a loop whose head is one of two macros", "#ifdef UP\n#define EACH(i, n) for (int i = 0; i < (n); ++i)\n#else\n#define EACH(i, n) for (int i = n; i-- > 0;)\n#endif", "float v = 0; EACH(j, 3) { v += a[j]; }", "v", "(loop-macro)"},
		{"a loop that a macro begins and more", "#define EACH(i, n) __syncthreads(); for (int i = 0; i < (n); ++i)", "float v = 0; EACH(j, 3) { v += a[j]; }", "v", "(loop-macro)"},
		{"a loop that a macro begins with its body", "#define EACH(i, n) for (int i = 0; i < (n); ++i) if (i & 1)", "float v = 0; EACH(j, 3) { v += a[j]; }", "v", "(loop-macro)"},
		{"a loop whose head nobody knows", "", "float v = 0; EACH(j, 3) { v += a[j]; }", "v", "(loop-macro)"},
		{"a declaration in the condition of a for", "", "float v = 0; for (int j = 0; int w = a[j]; ++j) { v += w; }", "v", "(for-declaration)"},
		{"a loop that another governs alone", "#define EACH(i, n) for (int i = 0; i < (n); ++i)", "float v = 0; if (i) EACH(j, 3) { v += a[j]; }", "v", "(loop-macro)"},
		{"a function that may be one out of view", "#ifdef WIDE\n#define ROOT sqrt\n#else\n#define ROOT mine\n#endif", "", "ROOT(a[i])", "unknown-call: a call of mine"},
		{"a function out of view in a lambda", "__device__ float secret(float x);", "auto f = [&](float x) { return secret(x); };", "f(a[i])", "unknown-call: a call of secret"},
		{"a function that a function calls that a lambda calls", "__device__ float secret(float x);\n__device__ float g(float x) { return secret(x); }", "auto f = [&](float x) { auto h = [&] { return g(x); }; return h(); };", "f(a[i])", "unknown-call: a call of secret"},
		{"a barrier that a lambda comes to", "__device__ float g(float x) { __syncthreads(); return x; }\n__device__ float f(float x) { return g(x); }", "auto h = [=](float x) { return f(x); };", "h(a[i])", "lambda: a lambda that calls f"},
		{"a block's number that a lambda comes to", "__device__ float g(float x) { return x + blockIdx.x; }", "auto h = [=](float x) { return g(x); };", "h(a[i])", "lambda: a lambda that calls g"},
		{"the group of the block that a lambda passes on", "#include <cooperative_groups.h>\nnamespace cg = cooperative_groups;\n__device__ int rank(cg::thread_block b) { return b.thread_rank(); }", "auto b = cg::this_thread_block(); auto h = [&](float x) { return x + rank(b); };", "h(a[i])", "lambda: a lambda that uses a built-in"},
		{"an array on the device's heap", "", "float *p = new float[i + 2];", "p[0]", "unknown-call: new or delete on the device"},
		{"assembly in a lambda", "", "auto h = [=](float x) { asm volatile(\"bar.sync 0;\"); return x; };", "h(a[i])", "asm: inline assembly"},
		{"a function that is only declared, whatever has its name elsewhere", "__device__ float V(float x);\nnamespace n { typedef float V; }", "", "V(a[i])", "unknown-call: a call of V"},
		{"an object of a class that is not in view", "struct Twice { __device__ float operator()(float x) const { return x + x; } };", "", "Thrice()(a[i])", "unknown-call: a call through an expression"},
		{"a copy of what a class out of view is the base of", "struct local : secret { float x; };", "local l; local m = l;", "m.x", "unknown-call: a call of local of a class that is not in view"},
		{"a pointer to a function", "__device__ float twice(float x) { return x + x; }", "float (*f)(float) = twice;", "f(a[i])", "unknown-call: a call of the object f"},
		{"a number of the text", "", "", "a[i] + __LINE__", "macro: __LINE__ is another value in the rewritten text"},
		{"a number of the text in a macro", "#define ID(x) ((x) * 100 + __COUNTER__)", "", "ID(i)", "macro: __COUNTER__ is another value"},
		{"qualifiers that a build may leave out", "#ifdef GPU\n__device__\n#endif\nfloat twice(float x) { return x + x; }", "", "twice(a[i])", "unknown-call: a call of twice"},
	} {
		t.Run(c.name, func(t *testing.T) {
			assert.Contains(t, strings.Join(hazards(t, calling(c.before, "", c.local, c.value)), "\n"), c.want)
		})
	}
}

func TestACallInParenthesesReachesTheFunction(t *testing.T) {
	for _, value := range []string{"twice(a[i])", "(twice)(a[i])"} {
		k := kernelsOf(t, calling("typedef float V;\n__device__ float twice(float x) { __syncthreads(); return x; }", "", "", value))[0]
		assert.Len(t, k.Functions, 2, value)
		assert.Len(t, k.Barriers, 2, value)
	}
}
