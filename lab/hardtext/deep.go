package hardtext

import (
	"fmt"
	"strings"
)

// around is n times left, then the middle, then n times right.
func around(n int, left, middle, right string) string {
	return strings.Repeat(left, n) + middle + strings.Repeat(right, n)
}

// Parentheses returns an expression in n pairs of parentheses.
func Parentheses(n int) string { return kernel("  a = " + around(n, "(", "b", ")") + ";\n") }

// Signs returns an expression after n unary operators.
func Signs(n int) string { return kernel("  a = " + around(n, "- ", "b", "") + ";\n") }

// Sum returns a sum of n operands on one line.
func Sum(n int) string { return kernel("  a = b" + strings.Repeat(" + c", n) + ";\n") }

// RightSum returns a sum of n operands that is parenthesised from the right.
func RightSum(n int) string { return kernel("  a = " + around(n, "(b + ", "c", ")") + ";\n") }

// Assignments is n assignments in one expression.
func Assignments(n int) string { return kernel("  " + strings.Repeat("a = ", n) + "b;\n") }

// Commas is n expressions with commas between them.
func Commas(n int) string { return kernel("  a = b" + strings.Repeat(", b = a", n) + ";\n") }

// Choices is n conditional operators, each in the last arm of the one before.
func Choices(n int) string { return kernel("  a = " + around(n, "b == 1 ? c : ", "b", "") + ";\n") }

// Subscripts is n subscripts, one inside another.
func Subscripts(n int) string { return kernel("  a = " + around(n, "in[", "b", "]") + ";\n") }

// Arguments is n calls, one inside another.
func Arguments(n int) string {
	return "__device__ int f(int x) { return x + 1; }\n" + kernel("  a = "+around(n, "f(", "b", ")")+";\n")
}

// Casts is n casts in a row.
func Casts(n int) string { return kernel("  a = " + around(n, "(int)", "b", "") + ";\n") }

// Members returns a chain of n members.
func Members(n int) string {
	return "struct S { S *next; int v; };\n" + strings.Replace(kernel("  a = q"+strings.Repeat("->next", n)+"->v;\n"), "int n)", "int n, S *q)", 1)
}

// Lists returns an initialiser of n braces.
func Lists(n int) string {
	return kernel("  int v[1] = " + around(n, "{", "b", "}") + ";\n  a = v[0];\n")
}

// Blocks is n blocks, one inside another.
func Blocks(n int) string { return kernel("  " + around(n, "{", " a += b; ", "}") + "\n") }

// Conditions is n if statements, one inside another.
func Conditions(n int) string {
	return kernel("  " + around(n, "if (a > 0) {", " a += b; ", "}") + "\n")
}

// Ladder is n if statements, each in the else of the one before.
func Ladder(n int) string {
	return kernel("  if (a == -1) b++;\n" + lines(n, "  else if (a == #) b += #;"))
}

// NestedLoops is n loops, one inside another, each of which runs three times.
func NestedLoops(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "for (int i%d = 0; i%d < 3; i%d++) {", i, i, i)
	}
	b.WriteString(" s[threadIdx.x] += 1; ")
	return kernel("  " + b.String() + strings.Repeat("}", n) + "\n")
}

// BarrierLoops is NestedLoops with a barrier at every level.
func BarrierLoops(n int) string {
	return kernel("  " + around(n, "for (int i = 0; i < 3; i++) { s[threadIdx.x] += i; __syncthreads();", " b += s[0]; ", "__syncthreads(); }") + "\n")
}

// TemplateType returns a type of n template arguments, one inside another.
func TemplateType(n int) string {
	return "template <class T> struct W { T v; };\n" + kernel("  "+around(n, "W<", "int", " >")+" w;\n")
}

// Namespaces returns a kernel in n namespaces.
func Namespaces(n int) string { return around(n, "namespace x {\n", kernel(""), "}\n") }

// Directives is n #if, one inside another.
func Directives(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "#if defined(A%d) || B%d > 2\n", i, i)
	}
	return kernel(b.String() + "  a++;\n" + strings.Repeat("#endif\n", n))
}
