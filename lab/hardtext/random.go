package hardtext

import (
	"fmt"
	"strings"
)

// Random writes a program whose kernel is made of statements that data chooses:
// each byte decides one thing, and a text of all data is always structured C++.
func Random(data []byte) string {
	r := &random{data: data, left: 400}
	var b strings.Builder
	for i := range r.below(4) {
		fmt.Fprintf(&b, "#define M%d(x) %s\n", i, []string{"s[(x) & 255]", "((x) + (x))", "M0(x) ^ M0(x)", "t[(x) % 8][threadIdx.x]"}[r.below(4)])
	}
	r.macros = strings.Count(b.String(), "#define")
	fmt.Fprintf(&b, "__device__ int f0(int x, int *s) { int a = x, b = 1, c = 2; int v[4]; __shared__ int t[8][256];\n%s  return a + b; }\n", r.list(2))
	r.functions = 1
	fmt.Fprintf(&b, "__device__ int f1(int x, int *s) { int a = x, b = 1, c = 2; int v[4]; __shared__ int t[8][256];\n%s  return a ^ c; }\n", r.list(2))
	r.functions = 2
	shape := []string{"256", "64", "dim3(16, 16)", "x", "dim3(32, n)"}[r.below(5)]
	fmt.Fprintf(&b, "__global__ void k(int *out, const int *in, int x) {\n  __shared__ int s[256];\n  __shared__ int t[8][256];\n  int a = threadIdx.x, b = in[threadIdx.x], c = x;\n  int v[4];\n%s  out[blockIdx.x * 256 + threadIdx.x] = a + b + c;\n}\n", r.list(4))
	fmt.Fprintf(&b, "void host(int *out, const int *in, int n, int x) { k<<<n, %s>>>(out, in, x); }\n", shape)
	return b.String()
}

// random chooses by bytes; it chooses the first where there are none left.
type random struct {
	data              []byte
	left              int // statements that may still be written
	macros, functions int
	depth             int
}

func (r *random) below(n int) int {
	if len(r.data) == 0 {
		return 0
	}
	v := int(r.data[0]) % n
	r.data = r.data[1:]
	return v
}

func (r *random) list(depth int) string {
	var b strings.Builder
	for range 1 + r.below(6) {
		if r.left--; r.left < 0 {
			break
		}
		b.WriteString("  " + r.statement(depth) + "\n")
	}
	return b.String()
}

func (r *random) statement(depth int) string {
	kind := r.below(16)
	if depth == 0 {
		kind %= 8
	}
	r.depth++
	defer func() { r.depth-- }()
	switch kind {
	case 0:
		return "__syncthreads();"
	case 1:
		return r.place() + " = " + r.expression(3) + ";"
	case 2:
		return r.place() + " " + []string{"+=", "-=", "*=", "^=", ">>="}[r.below(5)] + " " + r.expression(2) + ";"
	case 3:
		return []string{"a++;", "--b;", "c = a; a = b;", "if (a > x) return;", "a = (a ^ b) + (c >> 3); b = (b ^ c) + (a << 5);"}[r.below(5)%(3+2*min(1, r.functions/2))]
	case 4:
		return "{ int a = " + r.expression(2) + "; " + r.place() + " = a; }"
	case 5:
		return "atomicAdd(&" + r.element() + ", " + r.expression(1) + ");"
	case 6:
		return "{ int *p = s + " + r.expression(1) + "; p[threadIdx.x] = *p; }"
	case 7:
		return "v[" + r.expression(1) + " & 3] = " + r.expression(2) + ";"
	case 8, 9:
		return "if (" + r.expression(2) + ") {\n" + r.list(depth-1) + "} else {\n" + r.list(depth-1) + "}"
	case 10, 11:
		i := fmt.Sprintf("i%d", r.depth)
		return fmt.Sprintf("for (int %s = %d; %s < %s; %s) {\n%s}", i, r.below(3), i,
			[]string{"8", "256", "x", "a", "100000", "blockDim.x"}[r.below(6)], []string{i + "++", i + " += 3", i + " *= 2", i + " += blockDim.x"}[r.below(4)], r.list(depth-1))
	case 12:
		return "while (" + r.expression(1) + ") {\n" + r.list(depth-1) + []string{"", "  break;\n", "  continue;\n"}[r.below(3)] + "}"
	case 13:
		return "switch (" + r.expression(1) + ") {\n  case 1: " + r.statement(depth-1) + " break;\n  default: " + r.statement(depth-1) + "\n}"
	case 14:
		return "do {\n" + r.list(depth-1) + "} while (" + r.expression(1) + ");"
	}
	return "#ifdef OPTION\n  " + r.statement(depth-1) + "\n#else\n  " + r.statement(depth-1) + "\n#endif"
}

// place returns an lvalue.
func (r *random) place() string {
	if r.below(2) == 0 {
		return []string{"a", "b", "c"}[r.below(3)]
	}
	return r.element()
}

func (r *random) element() string {
	return []string{"s[" + r.expression(1) + "]", "s[threadIdx.x]", "t[" + r.expression(1) + "][threadIdx.x]", "t[3][a & 255]", "s[255 - threadIdx.x]"}[r.below(5)]
}

func (r *random) expression(depth int) string {
	if depth == 0 {
		return []string{"a", "b", "c", "x", "threadIdx.x", "1", "threadIdx.y", "31"}[r.below(8)]
	}
	switch kind := r.below(9); {
	case kind < 3:
		return "(" + r.expression(depth-1) + " " + []string{"+", "-", "*", "/", "%", "<<", ">>", "&", "|", "^", "<", "==", "&&"}[r.below(13)] + " " + r.expression(depth-1) + ")"
	case kind == 3:
		return r.element()
	case kind == 4:
		return "(" + r.expression(depth-1) + " ? " + r.expression(depth-1) + " : " + r.expression(depth-1) + ")"
	case kind == 5 && r.functions > 0:
		return fmt.Sprintf("f%d(%s, s)", r.below(r.functions), r.expression(depth-1))
	case kind == 6 && r.macros > 0:
		return fmt.Sprintf("M%d(%s)", r.below(r.macros), r.expression(depth-1))
	case kind == 7:
		return "in[" + r.expression(depth-1) + "]"
	case kind == 8:
		return "__shfl_xor_sync(~0u, " + r.expression(depth-1) + ", 1)"
	}
	return r.expression(depth - 1)
}
