package hardtext

import (
	"fmt"
	"strings"
)

// Kernels returns a file of n kernels, each with its launch.
func Kernels(n int) string {
	var b, host strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `__global__ void k%d(float *out, const float *in) {
  __shared__ float t[256];
  int i = blockIdx.x * 256 + threadIdx.x;
  t[threadIdx.x] = in[i];
  __syncthreads();
  out[i] = t[255 - threadIdx.x] * %d.0f;
}
`, i, i)
		fmt.Fprintf(&host, "  k%d<<<64, 256>>>(out, in);\n", i)
	}
	return b.String() + "void host(float *out, const float *in) {\n" + host.String() + "}\n"
}

// Helpers returns a kernel that calls n device functions.
func Helpers(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "__device__ int f%d(int x, int *s) { s[threadIdx.x] = x; return x + s[(x + %d) & 255]; }\n", i, i)
	}
	return b.String() + kernel(lines(n, "  a += f#(b, s);"))
}

// Overloads is n functions of one name, called n times.
func Overloads(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "struct T%d { int v; };\n__device__ int f(T%d x) { return x.v; }\n", i, i)
	}
	return b.String() + kernel(lines(n, "  { T# t; t.v = a; a += f(t); }"))
}

// Launches returns one kernel that is launched n times, with a shape of its own each time.
func Launches(n int) string {
	return strings.Replace(kernel(""), "hard<<<n, 256>>>(out, in, n);", "\n"+lines(n, "  hard<<<n, 256 + # % 768>>>(out, in, n);"), 1)
}

// Instances returns a kernel template that is launched with n arguments.
func Instances(n int) string {
	t := strings.Replace(kernel("  a += N;\n"), "__global__", "template <int N> __global__", 1)
	return strings.Replace(t, "hard<<<n, 256>>>(out, in, n);", "\n"+lines(n, "  hard<#><<<n, 256>>>(out, in, n);"), 1)
}

// Table returns a constant array of n numbers.
func Table(n int) string {
	return "__constant__ int table[] = {\n" + lines(n, "  #,") + "};\n" + kernel("  a += table[b & 15];\n")
}

// MacroUses is n uses of a macro for a subscript.
func MacroUses(n int) string {
	return "#define S(i) s[(i) & 255]\n#define TX threadIdx.x\n" + kernel(lines(n, "  S(TX + #) = S(TX) + S(TX * #);\n  __syncthreads();"))
}

// Parameters returns a kernel of n parameters.
func Parameters(n int) string {
	var params, uses strings.Builder
	for i := range n {
		fmt.Fprintf(&params, ", int p%d", i)
		fmt.Fprintf(&uses, "  a += p%d;\n", i)
	}
	return strings.Replace(strings.Replace(kernel(uses.String()), "int n)", "int n"+params.String()+")", 1),
		"out, in, n);", "out, in, n"+strings.Repeat(", 1", n)+");", 1)
}

// Comments is n lines of comments and of strings.
func Comments(n int) string {
	return lines(n, "/* a comment # */ // with \"quotes\" and 'c'") + kernel("") + "const char *const text =\n" + lines(n, "  \"line # \\n\"") + ";\n"
}

// Broken is n lines that are no C++.
func Broken(n int) string { return lines(n, "int x#( { ] ) template <<< >>> @@ ;") + kernel("") }

// Unclosed is n openings that nothing closes.
func Unclosed(n int) string { return kernel("") + strings.Repeat("void f( { [ (", n) }

// Steps returns a loop of n iterations over a shared array.
func Steps(n int) string {
	return kernel(fmt.Sprintf("  for (int i = 0; i < %d; i++)\n    for (int j = 0; j < %d; j++)\n      for (int k = j; k < %d; k += 2) { s[(i * j + k + threadIdx.x) %% 256] = i; __syncthreads(); b += s[(threadIdx.x + k) %% 256]; __syncthreads(); }\n", n, n, n))
}
