package parser

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// parse parses text that must be readable; faults inside are the test's affair.
func parse(t *testing.T, src string, defines ...string) *File {
	t.Helper()
	opt := withoutFiles
	opt.Defines = defines
	f, err := Parse("a.cu", []byte(src), opt)
	require.NoError(t, err)
	checkTree(t, f)
	requireSameLines(t, f.Src, f.masked)
	return f
}

// parseClean is parse for text without any fault.
func parseClean(t *testing.T, src string, defines ...string) *File {
	t.Helper()
	f := parse(t, src, defines...)
	if len(f.Errors) > 0 {
		n := f.Errors[0]
		t.Fatalf("%v: %q\nmasked:\n%s", f.Position(int(n.Start)), f.Text(n), f.masked)
	}
	return f
}

func fixNames(f *File) (names []string) {
	for _, m := range f.Marks {
		if m.Kind == MarkFix {
			names = append(names, m.Name)
		}
	}
	return names
}

// TestParsesCleanly: what real CUDA code holds and plain C++ grammar can't take.
func TestParsesCleanly(t *testing.T) {
	cases := map[string]string{
		"qualifiers before":           `__global__ void k(int *a) { a[0] = 1; }`,
		"qualifier between":           `static __device__ __forceinline__ int f(int a) { return a; }`,
		"launch bounds before name":   `__global__ void __launch_bounds__(256, 2) k() {}`,
		"launch bounds before type":   `__global__ __launch_bounds__(256) void k() {}`,
		"launch bounds, nested":       `template <int N> __global__ __launch_bounds__((N > 2) ? f(N) : 1) void k() {}`,
		"restrict":                    `__global__ void k(const float *__restrict__ a, float *__restrict b) {}`,
		"grid constant":               `__global__ void k(const __grid_constant__ P p) {}`,
		"shared":                      `__device__ void f() { __shared__ float s[4][4]; extern __shared__ char d[]; }`,
		"aligned shared":              `__device__ void f() { __shared__ __align__(16) float s[4]; }`,
		"constant and managed":        "__constant__ float c[3];\n__device__ __managed__ int m = 1;",
		"aligned struct":              `struct __align__(8) A { int x; };`,
		"gnu attribute":               `int f(int) __attribute__((noinline)); struct __attribute__((packed)) B { int x; };`,
		"launch":                      `void f() { k<<<1, 2>>>(a); }`,
		"launch with template":        `void f() { ns::k<float, 3><<<dim3(1, 2), b, 0, s>>>(a, b); }`,
		"launch after template list":  `void f() { k<A<int>><<<g, b>>>(a); h<A<B<int>>><<<g, b>>>(); }`,
		"launch of a pointer":         `void f() { (*p)<<<g, b>>>(); p[1]<<<g, b>>>(x); }`,
		"launch with shift":           `void f() { k<<<n >> 5, 1 << 7>>>(a); }`,
		"launch over lines":           "void f() {\n  k<<<g,\n      b>>>\n      (a,\n       b);\n}",
		"launch with blanks":          `void f() { k <<< g, b >>> (a); k<< <g, b>> >(a); }`,
		"stray semicolons":            "void f() {};\nnamespace a { int x; };\n;\nstruct A { void g() {}; };;",
		"array of pointers":           `void f() { float **p = new float *[n]; const int **q = new const int *[n]; }`,
		"case ranges":                 "void f(int a) { switch (a) { case 0 ... 3: case 'a'...'z': g(a); case A::b ... (N + 1): ; } }",
		"statement expressions":       "#define SQ(x) ({ float t = (x); t * t; })\nint f() { g({1, 2}); int a = ({ int b = f(); b + 1; }) + ({\n  f(); }); return ({ a; }); }",
		"typeid of primitive":         `bool f() { return typeid(float) == typeid(T); }`,
		"va_arg":                      `void f() { char *s = va_arg(v, char *); }`,
		"asm":                         `void f() { asm volatile("bar.sync %0, %1;" ::"r"(a[0]), "n"(3) : "memory"); asm("" : "+r"(x.y)); }`,
		"asm with names":              `void f() { __asm__ __volatile__("mov %[d], 1;" : [d] "=r"(*p)); }`,
		"asm without operands":        `void f() { asm("exit;"); asm volatile("membar.gl;" ::: "memory"); }`,
		"class instantiation":         "template <class T> struct A {};\ntemplate class A<float>;",
		"function instantiation":      `template __global__ void k<float>(float *);`,
		"empty macro":                 "#define NOTHING\n#define UNUSED(x)\nNOTHING int f(UNUSED(3) int a) { return a; }",
		"qualifier macro":             "#define HD __host__ __device__ inline\nHD int f() { return 1; }",
		"macro of macros":             "#define D __device__\n#define F D __forceinline__\nF int f() { return 1; }",
		"kernel macro":                "#define KERNEL extern \"C\" __global__ void\nKERNEL k(int a) { a++; }",
		"loop macro":                  "#define LOOP(i, n) for (int i = 0; i < n; i++)\nvoid f() { LOOP(i, 3) { g(i); } LOOP(j, 2) h(j); }",
		"loop macro without blank":    "#define LOOP(i, n) for (int i = 0; i < n; i++)\nvoid f() { LOOP(i,3){ g(i); } }",
		"unknown loop macro":          `__global__ void k(int n) { CUDA_KERNEL_LOOP(i, n) { g(i); } }`,
		"statement macro":             "#define CHECK(x) if (x) abort();\nvoid f() {\n  CHECK(a)\n  g();\n  CHECK(b)\n}",
		"bare statement macro":        "#define SYNC __syncthreads();\nvoid f() {\n  g();\n  SYNC\n  h();\n}",
		"statement macro before #":    "#define CHECK(x) if (x) abort();\nvoid f() {\n  CHECK(a)\n#ifdef B\n  g();\n#endif\n}",
		"macro at file scope":         "DECLARE_THING(x)\nint y;",
		"macro with type arguments":   "#define NEW(T, n) (T *)malloc(n)\nvoid f() { int *p = NEW(int, 3); q = NEW(const float *, 2); }",
		"string macro":                "#define FMT \"d\"\nvoid f() { printf(\"%\"FMT\"\\n\", 1); }",
		"lone macros":                 "NS_BEGIN\n\ntemplate <class T>\nINLINE_API\nT f(T a) { return a; }\nNS_END\n",
		"assertion macro in a class":  `struct A { STATIC_ASSERT((int(N) % 3 == 0), "text"); int x; };`,
		"enum base without a name":    `struct A { enum : unsigned int { B, C }; enum class D : int { E }; };`,
		"empty default argument":      `template <class T> __global__ void k(int a, T b = {}) { T c = {}; f(c = {}); }`,
		"pragma unroll":               "void f() {\n#pragma unroll 4\n  for (int i = 0; i < 4; i++) g(i);\n}",
		"branches that cut a header":  "#ifdef A\nvoid f(int a) {\n#else\nvoid f() {\n#endif\n  g();\n}",
		"branches that cut a list":    "__global__ void k(\n#ifdef A\n  int a,\n#else\n  float a,\n#endif\n  int b) { b++; }",
		"linkage in branches":         "#ifdef __cplusplus\nextern \"C\" {\n#endif\nint f(void);\n#ifdef __cplusplus\n}\n#endif",
		"dead text":                   "#if 0\nthis isn't code at all {{{ (\n#endif\nvoid f() { g(); }",
		"no newline at the end":       `#define A 1` + "\nint a = A;",
		"include without newline":     `#include "x.h"`,
		"raw string with launch":      "const char *s = R\"x(k<<<1,2>>>(\" __global__ )x\";",
		"comment with quote":          "// don't\nint a; /* it's */ int b;",
		"digit separators":            `int a = 1'000'000, b = 0x1'f; char c = 'x';`,
		"lambda":                      `void f() { auto g = [=] __device__ (int i) { return i; }; g(1); }`,
		"cooperative groups":          `__global__ void k() { auto b = cg::this_thread_block(); auto t = cg::tiled_partition<32>(b); b.sync(); }`,
		"constructor initializers":    "struct A {\n  __host__ __device__ A(int x) : a(x), b{x} {};\n  int a, b;\n};",
		"operator templates":          `struct A { __device__ bool operator()(int a) const { return a >> 2; } operator float() const { return 1; } };`,
		"declarations with launch":    `void f() { dim3 g(1, 2), b(3); k<<<g, b>>>(a); cudaDeviceSynchronize(); }`,
		"texture reference":           `texture<float, 2, cudaReadModeElementType> tex;`,
		"empty macro of a line":       "#define A \n__global__ void k() {}",
		"empty macro of a function":   "#define A(x) \\\n \n\n__global__ void k() {\n# define B \t\n}\n#\tdefine  C\\\n\nint n;",
		"compiler attribute function": "#if defined(_MSC_VER)\n#define ALIGN(n) __declspec(align(n))\n#else\n#define ALIGN(n) __attribute__((aligned(n)))\n#endif\nstruct ALIGN(16) A { int x; };",
	}
	for name, src := range cases {
		t.Run(name, func(t *testing.T) {
			for _, eol := range []string{"\n", "\r\n"} {
				for _, end := range []string{"", eol} {
					for _, bom := range []string{"", "\xef\xbb\xbf"} {
						parseClean(t, bom+strings.ReplaceAll(src, "\n", eol)+end)
					}
				}
			}
		})
	}
}

func TestFixesThatChangeMeaningLeaveMarks(t *testing.T) {
	cases := []struct{ name, src, want string }{
		{"loop macro", "void f() { EACH(i, n) { g(i); } }", "loop-macro"},
		{"statement macro", "void f() {\n  STEP(1)\n  g();\n}", "statement-macro"},
		{"declaration in the condition of a for", "void f(int *a) { for (int i = 0; const int w = a[i]; ++i) { g(w); } }", "for-declaration"},
		{"type argument", "void f() { x = MAKE(int); }", "type-argument"},
		{"undecided branch", "#ifdef A\nvoid f(int a) {\n#else\nvoid f() {\n#endif\n}\n", FixInactiveBranch},
		{"decided branch", "#if 0\nvoid f(int a) {\n#else\nvoid f() {\n#endif\n}\n", FixDeadBranch},
		{"case range", "void f() { switch (a) { case 0 ... 3: ; } }", FixCaseRange},
		{"statement expression", "void f() { a = ({ g(); }); }", "statement-expression"},
		{"asm", `void f() { asm("x;" : "=r"(a[1])); }`, "asm"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			assert.Contains(t, fixNames(parseClean(t, c.src)), c.want)
		})
	}
}

func TestCleanCodeHasNoFixes(t *testing.T) {
	f := parseClean(t, "struct A { int x; } a = {1}, b[] = {{2}, {3}};\nenum E { X, Y };\nvoid f(int n) { for (;;) { n++; }; CHECK(n); if (n) STEP(n); }\n"+
		"#ifdef A\nint c;\n#else\nfloat c;\n#endif\nint d = F(1, 2) + G(3)\n  + 4;\n")
	assert.Empty(t, fixNames(f))
}

func TestOperatorTemplateIsNoLaunch(t *testing.T) {
	f := parse(t, "struct A { friend S &operator<< <int>(S &s, A<int> > a); };\n")
	assert.Empty(t, f.Launches)
	assert.Empty(t, f.Marks)
}

func TestMovedTextKeepsNodeTexts(t *testing.T) {
	f := parseClean(t, "#define LOOP(i, n) for (int i = 0; i < n; i++)\n#define SYNC __syncthreads();\nvoid f() { LOOP(abc,17){ g(abc); }\n SYNC\n}")
	var texts []string
	f.Functions[0].Node.Walk(func(n *Node) bool {
		switch n.Kind {
		case KindIdentifier, KindArgumentList, KindNumberLiteral, KindExpressionStatement:
			texts = append(texts, f.Text(n))
		}
		return true
	})
	assert.Equal(t, []string{
		"f", "LOOP(abc,17)", "LOOP", "(abc,17)", "abc", "17", "g(abc);", "g", "(abc)", "abc", "SYNC", "SYNC",
	}, texts)
}

func TestFaultInOneFunctionLeavesOthersUsable(t *testing.T) {
	f := parse(t, "__global__ void good(int a) { a++; }\n__global__ void bad(int a) { a = = ; int int }\n__global__ void fine(int a) { a--; }\n")
	got := map[string]bool{}
	for _, fn := range f.Functions {
		got[fn.Name] = fn.Error == nil
	}
	assert.True(t, got["good"])
	assert.True(t, got["fine"])
	assert.False(t, got["bad"])
	assert.NotEmpty(t, f.Errors)
}

func TestLostKernelIsReported(t *testing.T) {
	f := parse(t, "__global__ void (((( k(int a) { } ) int\n")
	usable := 0
	for _, fn := range f.Functions {
		if fn.IsKernel() && fn.Error == nil {
			usable++
		}
	}
	assert.Zero(t, usable)
	assert.NotZero(t, len(f.Lost)+len(f.Functions))
}

func TestKernelsThatMacrosMakeAreWrittenOut(t *testing.T) {
	for _, c := range []struct {
		name, src string
		want      []string // kernels, with their places
	}{
		{"a whole kernel", "#define K(N, T) __global__ void N(T *a) { a[0] = 1; }\nK(kf, float)\nK(kd, double)\n", []string{"kf 2:3", "kd 3:3"}},
		{"with bounds", "#define K(N) __global__ void __launch_bounds__(64, 2) N##_k(int *a) { }\nnamespace n { K(one) }\n", []string{"one_k 2:15"}},
		{"by way of another macro", "#define BODY(N) __global__ void N(int *a) { }\n#define TWO(N) BODY(N##a) BODY(N##b)\nTWO(k)\n", []string{"ka 3:1", "kb 3:2"}},
		{"its head alone", "#define HEAD(N) __global__ void N(int *a)\nHEAD(k) { a[0] = 1; }\n", []string{"k 2:6"}},
		{"over several lines", "#define K(N, ...) __global__ void N(int *a) { __VA_ARGS__ }\nK(one,\n  a[0] = 1;\n  a[1] = 2;) int x;\nK(two,)\n", []string{"one 2:3", "two 5:3"}},
		{"qualifiers in a macro", "#define GLOBAL extern \"C\" __global__\n#define K(N) GLOBAL void N(int *a) { }\nK(k)\n", []string{"k 3:3"}},
		{"a declaration", "#define DECLARE(N) __global__ void N(int *a);\nDECLARE(k)\n", nil},
		{"no use", "#define K(N) __global__ void N(int *a) { }\n", nil},
		{"a use that is left out", "#define K(N) __global__ void N(int *a) { }\n#if 0\nK(k)\n#endif\n", nil},
		{"qualifiers", "#define KERNEL __global__ void\nKERNEL k(int *a) { a[0] = 1; }\n", []string{"k 2:8"}},
		{"a launch", "#define RUN(N) do { extern __global__ void N(int *); N<<<1, 1>>>(0); } while (0)\nvoid f() { RUN(k); }\n", nil},
		{"Windows' line ends", "#define K(N, T) __global__ void N(T *a) { \\\r\n  a[0] = 1; }\r\nK(kf,\r\n  float)\r\nK(kd, double)\r\n", []string{"kf 3:3", "kd 5:3"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			f, err := Parse("k.cu", []byte(c.src), Options{})
			require.NoError(t, err)
			assert.Empty(t, f.Lost)
			assert.Equal(t, c.src, string(f.Original()))
			assert.Equal(t, strings.Count(c.src, "\n"), strings.Count(string(f.Src), "\n"), "lines stay")
			var got []string
			for _, fn := range f.Functions {
				if fn.IsKernel() && fn.Body != nil && fn.Error == nil {
					at := f.Position(int(fn.Declared.Start))
					got = append(got, fmt.Sprintf("%s %d:%d", fn.Name, at.Line, at.Column))
					assert.Equal(t, at, f.Position(f.Offset(at)), "places lead back to themselves")
				}
			}
			assert.Equal(t, c.want, got)
			for _, u := range f.MacroUses() {
				for _, tok := range u.Tokens {
					if tok.Index < 0 {
						continue
					}
					spelled := f.SpelledTokens(u.Start, u.End)
					if tok.Body != nil {
						var ok bool
						spelled, ok = f.MacroBody(tok.Body.Macro)
						require.True(t, ok)
					}
					s := spelled[tok.Index]
					assert.Equal(t, string(f.Src[tok.Start:tok.End]), string(f.Original()[s.Start:s.End]), "a token is where it is said to be spelled")
				}
			}
		})
	}
}

// TestKernelsThatCannotBeWrittenOutAreReported: where it is not certain what a macro stands
// for, or the grammar does not know what it does, nothing is known of the kernels but where
// they are.
func TestKernelsThatCannotBeWrittenOutAreReported(t *testing.T) {
	for _, c := range []struct{ name, src string }{
		{"two definitions", "#ifdef A\n#define K(N) __global__ void N(int *a) { }\n#else\n#define K(N) __global__ void N(int *a) { a[0] = 1; }\n#endif\nK(k)\n"},
		{"a default", "#ifndef K\n#define K(N) __global__ void N(int *a) { }\n#endif\nK(k)\n"},
		{"tokens that do not join", "#define K(N) __global__ void N##+(int *a) { }\nK(k)\n"},
		{"too few arguments", "#define K(N, T) __global__ void N(T *a) { }\nK(k)\n"},
		{"what can't be parsed", "#define K(N) __global__ void N(int *a) { ) ] a }\nK(k)\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f, err := Parse("k.cu", []byte(c.src), Options{})
			require.NoError(t, err)
			require.Len(t, f.Lost, 1)
			assert.Equal(t, "K", f.Lost[0].Macro)
			assert.Equal(t, c.src, string(f.Src))
		})
	}
}

// TestPlacesInArgumentsOfMacrosAreTheirOwn: what an argument of a macro that makes a kernel says
// has its own line and column, there and back; what the macro says has those of the use.
func TestPlacesInArgumentsOfMacrosAreTheirOwn(t *testing.T) {
	const src = "#define K(N, T, ...) __global__ void N(T *a, T *b) __VA_ARGS__ // c\nint x; K(k, float, {\n  a[0] = 1; /* , */ b[ 1 ] = a[0];\n}) int y;\n"
	f := parse(t, src)
	found := 0
	for _, u := range f.MacroUses() {
		for _, tok := range u.Tokens {
			text, at := string(f.Src[tok.Start:tok.End]), f.Position(tok.Start)
			original := int(f.lines[at.Line-1]) + at.Column - 1
			if tok.Body == nil && text != "float" { // which is said twice
				found++
				assert.Equal(t, text, src[original:original+len(text)])
				assert.Equal(t, tok.Start, f.Offset(at), text)
			} else {
				assert.Equal(t, "2:8", fmt.Sprintf("%d:%d", at.Line, at.Column), text)
			}
		}
	}
	assert.Equal(t, 20, found)
	assert.Equal(t, "4:4", fmt.Sprintf("%d:%d", f.Position(strings.Index(string(f.Src), "int y")).Line, f.Position(strings.Index(string(f.Src), "int y")).Column))
}
