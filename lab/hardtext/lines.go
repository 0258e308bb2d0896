package hardtext

import (
	"fmt"
	"strings"
)

// kernel returns a kernel of three numbers with a shared array and barriers around
// the body: what a rewriter would look at.
func kernel(body string) string {
	return `__global__ void hard(int *out, const int *in, int n) {
  __shared__ int s[256];
  int a = threadIdx.x, b = in[threadIdx.x], c = n;
  s[threadIdx.x] = b;
  __syncthreads();
` + body + `  b += s[255 - threadIdx.x];
  __syncthreads();
  out[blockIdx.x * 256 + threadIdx.x] = a + b + c;
}
void host(int *out, const int *in, int n) { hard<<<n, 256>>>(out, in, n); }
`
}

// Mixed is n lines of a hash function: each value depends twice on those before.
func Mixed(n int) string {
	return kernel(lines(n, "  a = (a ^ b) + (c >> 3); b = (b ^ c) + (a << 5); c = (c ^ a) + b;"))
}

// Indexed is Mixed with every value used as an address.
func Indexed(n int) string {
	return kernel(lines(n, "  a = (a ^ b) + (c >> 3); b = (b ^ c) + (a << 5); c = (c ^ a) + in[b & 1023];"))
}

// Powers squares a number n times, and multiplies uniform ones.
func Powers(n int) string {
	return kernel("  int m = n;\n" + lines(n, "  m = m * m; a = a * m + b; b = b * a;") + "  out[m + a * n] = b;\n")
}

// Joined is n conditions one after another, each of which changes what the next ones test.
func Joined(n int) string {
	return kernel(lines(n, "  if (a > b) { a = b + #; c = a; } else { b = a ^ #; }"))
}

// Unrolled is n lines of arithmetic on as many variables, as code generators write it.
func Unrolled(n int) string {
	var b strings.Builder
	b.WriteString("  float v0 = a;\n")
	for i := 1; i <= n; i++ {
		fmt.Fprintf(&b, "  const float v%d = v%d * %d.5f + v%d / (1.0f + (float)in[%d + threadIdx.x]);\n", i, i-1, i, i/2, i)
	}
	fmt.Fprintf(&b, "  a += (int)v%d;\n", n)
	return kernel(b.String())
}

// UnrolledShared is n stores and loads of a shared array at constant distances, with a
// barrier after each sixteen.
func UnrolledShared(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "  s[(threadIdx.x + %d) & 255] = s[threadIdx.x] * %d + s[(threadIdx.x * 3 + %d) %% 256];\n", i%256, i, i)
		if i%16 == 15 {
			b.WriteString("  __syncthreads();\n")
		}
	}
	return kernel(b.String())
}

// Network returns a sorting network of n values in registers, by a macro, one comparator a line.
func Network(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "  int r%d = in[threadIdx.x * %d + %d];\n", i, n, i)
	}
	for size := 2; size <= n; size *= 2 {
		for half := size / 2; half > 0; half /= 2 {
			for i := range n {
				if j := i ^ half; j > i {
					x, y := i, j
					if i&size != 0 {
						x, y = j, i
					}
					fmt.Fprintf(&b, "  SORT2(r%d, r%d)\n", x, y)
				}
			}
		}
	}
	for i := range n {
		fmt.Fprintf(&b, "  s[threadIdx.x] = r%d; out[threadIdx.x * %d + %d] = r%d;\n", i, n, i, i)
	}
	return "#define SORT2(x, y) { int t = (x) < (y) ? (x) : (y); (y) = (x) < (y) ? (y) : (x); (x) = t; }\n" + kernel(b.String())
}

// NetworkShared sorts a shared array by a network, one barrier a step.
func NetworkShared(n int) string {
	var b strings.Builder
	for i := range n {
		d := 1 << (i % 8)
		fmt.Fprintf(&b, "  { int p = threadIdx.x ^ %d; if (p > threadIdx.x) { int x = s[threadIdx.x], y = s[p]; if ((x > y) == ((threadIdx.x & %d) == 0)) { s[threadIdx.x] = y; s[p] = x; } } }\n  __syncthreads();\n", d, d*2)
	}
	return kernel(b.String())
}

// Copies returns a chain of variables in which each takes the value of the next,
// inside a loop: n rounds until a fixpoint in the order of the text is reached.
func Copies(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "  int v%d = 0;\n", i)
	}
	b.WriteString("  for (int i = 0; i < n; i++) {\n")
	for i := range n - 1 {
		fmt.Fprintf(&b, "    v%d = v%d;\n", i, i+1)
	}
	fmt.Fprintf(&b, "    v%d = threadIdx.x;\n  }\n  if (v0) a = v0;\n", n-1)
	return kernel(b.String())
}

// Pointers returns a chain of n pointers into a shared array.
func Pointers(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "  int *p%d;\n", i)
	}
	for i := range n - 1 {
		fmt.Fprintf(&b, "  p%d = p%d + 1;\n", i, i+1)
	}
	fmt.Fprintf(&b, "  p%d = s;\n  a += *p0;\n", n-1)
	return kernel(b.String())
}

// Arrays returns a kernel with n shared arrays.
func Arrays(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "  __shared__ int t%d[256];\n", i)
	}
	for i := range n {
		fmt.Fprintf(&b, "  t%d[threadIdx.x] = a + %d;\n  __syncthreads();\n  a += t%d[threadIdx.x ^ 1];\n  __syncthreads();\n", i, i, i)
	}
	return kernel(b.String())
}

// Loops is n loops one after another, each with a barrier.
func Loops(n int) string {
	return kernel(lines(n, "  for (int i = 0; i < 100; i++) { s[threadIdx.x] = i + #; __syncthreads(); b += s[(threadIdx.x + 1) % 256]; __syncthreads(); }"))
}

// Cases returns a switch of n cases, some of which fall through.
func Cases(n int) string {
	return kernel("  switch (n) {\n" + lines(n, "  case #: a += b * #; if (n & 1) break;") + "  }\n")
}

// Labels is n labels with a jump to each.
func Labels(n int) string {
	return kernel(lines(n, "L#: a += b; if (a == #) goto L#; if (c == #) goto L#+;") + "L" + fmt.Sprint(n) + ": a++;\n")
}
