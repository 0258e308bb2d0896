package hardtext

import (
	"fmt"
	"strings"
)

// Calls is n device functions, each of which calls the next one twice.
func Calls(n int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "__device__ int f%d(int x, int *s) { return x + s[x & 255]; }\n", n)
	for i := n - 1; i >= 0; i-- {
		fmt.Fprintf(&b, "__device__ int f%d(int x, int *s) { return f%d(x + 1, s) ^ f%d(x * 2, s); }\n", i, i+1, i+1)
	}
	return b.String() + kernel("  a = f0(b, s);\n  __syncthreads();\n")
}

// Barriers is Calls with a barrier in the last function.
func Barriers(n int) string {
	return strings.Replace(Calls(n), "return x + s[x & 255];", "__syncthreads(); s[threadIdx.x] += x; __syncthreads(); return s[x & 255];", 1)
}

// Recursion is n device functions, each of which may call each.
func Recursion(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "__device__ int f%d(int x, int *s);\n", i)
	}
	for i := range n {
		fmt.Fprintf(&b, "__device__ int f%d(int x, int *s) {\n  if (x < 0) return s[x & 255];\n  int r = 0;\n", i)
		for j := range n {
			fmt.Fprintf(&b, "  r += f%d(x - %d, s);\n", j, j+1)
		}
		b.WriteString("  return r;\n}\n")
	}
	return b.String() + kernel("  a = f0(b, s);\n  __syncthreads();\n")
}

// Macros is n macros, each of which is twice the next one.
func Macros(n int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "#define M%d s[threadIdx.x]\n", n)
	for i := n - 1; i >= 0; i-- {
		fmt.Fprintf(&b, "#define M%d (M%d + M%d)\n", i, i+1, i+1)
	}
	return b.String() + kernel("  a = M0;\n  __syncthreads();\n")
}

// MacroCalls is n macros with an argument, each of which hands it on twice.
func MacroCalls(n int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "#define M%d(x) s[x]\n", n)
	for i := n - 1; i >= 0; i-- {
		fmt.Fprintf(&b, "#define M%d(x) M%d(x) + M%d((x) * 2)\n", i, i+1, i+1)
	}
	return b.String() + kernel("  a = M0(threadIdx.x);\n  __syncthreads();\n")
}

// MacroArguments hands a macro's result to the macro itself, n times.
func MacroArguments(n int) string {
	return "#define TWICE(x) ((x) + (x))\n" + kernel("  a = "+around(n, "TWICE(", "b", ")")+";\n")
}

// MacroConditions is n macros, each twice the next, in the condition of an #if.
func MacroConditions(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "#define M%d (M%d + M%d)\n", i, i+1, i+1)
	}
	fmt.Fprintf(&b, "#define M%d 1\n", n)
	return b.String() + kernel("#if M0 > 3\n  a++;\n#endif\n")
}

// Branches is n macros that depend on conditions out of sight, each on those before.
func Branches(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "#if defined(OPT%d)\n#define V%d (V%d + 1)\n#else\n#define V%d (V%d * 2)\n#endif\n", i, i+1, i, i+1, i)
	}
	return "#define V0 1\n" + b.String() + kernel(fmt.Sprintf("  a += V%d;\n#if V%d > 3\n  b++;\n#endif\n", n, n))
}

// Redefined returns one macro that n undecided conditions change.
func Redefined(n int) string {
	return "#define V 1\n" + lines(n, "#ifdef OPT#\n#undef V\n#define V #\n#endif") + kernel("  a += V;\n#if V > 3\n  b++;\n#endif\n")
}

// Constants is n constants, each of which is the sum of the last one twice.
func Constants(n int) string {
	return chain(n, "const int k0 = 1;", "const int k#+ = (k# + k#) % 1000 + 1;") + kernel(sized(n))
}

// LocalConstants is Constants inside the kernel.
func LocalConstants(n int) string {
	return kernel(chain(n, "  const int k0 = 1;", "  const int k#+ = (k# + k#) % 1000 + 1;") + sized(n))
}

// Enumerators is n enumerators, each made of the last one twice.
func Enumerators(n int) string {
	return chain(n, "enum { k0 = 1", "  , k#+ = (k# + k#) % 1000 + 1") + "};\n" + kernel(sized(n))
}

// sized uses a shared array whose size is the constant k<n>.
func sized(n int) string {
	return fmt.Sprintf("  __shared__ int t[k%d];\n  t[threadIdx.x %% k%d] = a; __syncthreads(); a = t[0]; __syncthreads();\n", n, n)
}

// Fibonacci returns a constexpr function that calls itself twice, for the size of a shared array.
func Fibonacci(n int) string {
	return "constexpr int fib(int n) { return n < 2 ? 1 : fib(n - 1) + fib(n - 2); }\n" +
		kernel(fmt.Sprintf("  __shared__ int t[fib(%d) %% 100 + 256];\n  t[threadIdx.x] = a; __syncthreads(); a = t[0]; __syncthreads();\n", n))
}

// LoopedConstant returns a constexpr function that counts to 2^n.
func LoopedConstant(n int) string {
	return fmt.Sprintf("constexpr int count() { int r = 0; for (long i = 0; i < (1l << %d); i++) r ^= 1; return r; }\n", n) +
		kernel("  __shared__ int t[count() + 256];\n  t[threadIdx.x] = a; __syncthreads(); a = t[0]; __syncthreads();\n")
}

// Templates is n function templates, each of which calls two instances of the next.
func Templates(n int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "template <int N, class T> __device__ T f%d(T x, T *s) { return x + s[(x + N) & 255]; }\n", n)
	for i := n - 1; i >= 0; i-- {
		fmt.Fprintf(&b, "template <int N, class T> __device__ T f%d(T x, T *s) { return f%d<N + 1>(x, s) + f%d<N * 2, T>(x, s); }\n", i, i+1, i+1)
	}
	return b.String() + kernel("  a = f0<1>(b, s);\n  __syncthreads();\n")
}

// Types is n type names, each a struct of two of the last one.
func Types(n int) string {
	var b strings.Builder
	b.WriteString("struct T0 { int v; };\n")
	for i := range n {
		fmt.Fprintf(&b, "struct T%d { T%d x, y; };\n", i+1, i)
	}
	return b.String() + kernel(fmt.Sprintf("  __shared__ T%d t[2];\n  t[0] = T%d(); __syncthreads();\n", n, n))
}

// Aliases is n type names, each a template of two of the last one.
func Aliases(n int) string {
	var b strings.Builder
	b.WriteString("template <class A, class B> struct P { A a; B b; };\ntypedef int T0;\n")
	for i := range n {
		fmt.Fprintf(&b, "typedef P<T%d, T%d> T%d;\n", i, i, i+1)
	}
	return b.String() + kernel(fmt.Sprintf("  __shared__ T%d t[2];\n  t[0] = T%d(); __syncthreads();\n", n, n))
}
