package hardtext

import (
	"fmt"
	"strings"
)

// chain is n lines from 0 on; # in a line is its number, #+ the next one.
func chain(n int, first, line string) string { return first + "\n" + lines(n, line) }

// CountedConstants is LocalConstants inside a loop, whose counter is in each of them.
func CountedConstants(n int) string {
	return kernel("  for (int i = 0; i < 8; i++) {\n" +
		chain(n, "  const int k0 = i;", "  const int k#+ = (k# + k# + i) % 200;") +
		fmt.Sprintf("  s[threadIdx.x] = k%d; __syncthreads(); a += s[k%d]; __syncthreads();\n  }\n", n, n))
}

// HostConstants is LocalConstants in the host function, for the size of a block.
func HostConstants(n int) string {
	host := chain(n, "  const int k0 = 64;", "  const int k#+ = (k# + k#) % 100 + 1;") + fmt.Sprintf("  hard<<<n, k%d>>>(out, in, k%d);", n, n)
	return strings.Replace(kernel(""), "hard<<<n, 256>>>(out, in, n);", "\n"+host, 1)
}

// HostCalls is n host functions, each of which calls the next one twice, and the last
// one launches the kernel.
func HostCalls(n int) string {
	var b strings.Builder
	for i := n; i >= 0; i-- {
		next := "hard<<<n, n>>>(out, in, n);"
		if i < n {
			next = fmt.Sprintf("h%d(out, in, n); h%d(out, in, n);", i+1, i+1)
		}
		fmt.Fprintf(&b, "static void h%d(int *out, const int *in, int n) { %s }\n", i, next)
	}
	return strings.Replace(kernel(""), "void host(int *out, const int *in, int n) { hard<<<n, 256>>>(out, in, n); }",
		b.String()+"void host(int *out, const int *in) { h0(out, in, 64); }", 1)
}

// PointerChoices is n pointers into a shared array, each one of two that the last one gives.
func PointerChoices(n int) string {
	return kernel(chain(n, "  int *p0 = s;", "  int *p#+ = a > # ? p# : p# + 1;") + fmt.Sprintf("  a += *p%d;\n", n))
}

// PointerSums is n pointers into a shared array, each at a distance from the last one
// that is made of two others.
func PointerSums(n int) string {
	return kernel(chain(n, "  int d0 = 1; int *p0 = s;", "  int d#+ = (d# + d#) & 7; int *p#+ = p# + (d# + d#+) % 2;") + fmt.Sprintf("  a += *p%d;\n", n))
}

// Deduced is n variables whose type is that of the last one twice.
func Deduced(n int) string {
	return kernel(chain(n, "  auto v0 = a;", "  auto v#+ = v# + v#;") + fmt.Sprintf("  a += v%d;\n", n))
}

// Groups is n function templates, each of which hands a group to the next one twice.
func Groups(n int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "#include <cooperative_groups.h>\nnamespace cg = cooperative_groups;\ntemplate <class G> __device__ int f%d(G g, int *s) { g.sync(); s[g.thread_rank()] += 1; g.sync(); return s[0]; }\n", n)
	for i := n - 1; i >= 0; i-- {
		fmt.Fprintf(&b, "template <class G> __device__ int f%d(G g, int *s) { return f%d(g, s) + f%d(g, s); }\n", i, i+1, i+1)
	}
	return b.String() + kernel("  auto g = cg::this_thread_block();\n  a = f0(g, s);\n")
}

// OfThemselves is n variables that are made of themselves and all others.
func OfThemselves(n int) string {
	var all []string
	for i := range n {
		all = append(all, fmt.Sprintf("k%d", i))
	}
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "extern const int k%d;\n", i)
	}
	for i := range n {
		fmt.Fprintf(&b, "const int k%d = %s;\n", i, strings.Join(all, " + "))
	}
	return b.String() + kernel("  auto g = g;\n  g.sync();\n  int *p = p;\n  *p = 1;\n  __shared__ int t[k0 + 256];\n  t[threadIdx.x] = k1; __syncthreads(); a = t[k2]; __syncthreads();\n")
}
