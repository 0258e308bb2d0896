package acc_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestWhatOnlyCTakesIsRefused has programs of C that nvcc would not compile: each is refused,
// with its place.
func TestWhatOnlyCTakesIsRefused(t *testing.T) {
	const kernel = "#pragma acc parallel loop copy(a[0:100])\n    for (int i = 0; i < 100; i++) a[i] += 1;\n"
	for _, c := range []struct{ name, top, body, want string }{
		{"elements by number", "static int t[5] = { [2] = 5 };\n", "a[0] = t[1];\n", "in.c:1:21: acc-cplusplus: an initialiser with the number of an element"},
		{"members out of order", "struct p { int x, y; };\nstatic struct p q = { .y = 2, .x = 1 };\n", "a[0] = q.x;\n", "in.c:2:31: acc-cplusplus: an initialiser of a structure that is not in the order"},
		{"a step of an enumeration", "enum color { RED, GREEN };\n", "enum color c = RED; c++; a[0] = c;\n", "in.c:4:25: acc-cplusplus: a step of an enumeration"},
		{"parameters after the parenthesis", "static double f(x)\ndouble x;\n{\n    return x;\n}\n", "a[0] = f(a[1]);\n", "in.c:2:1: acc-cplusplus: parameters that are declared after the parenthesis"},
		{"no parameters", "static double f();\nstatic double f(double x) { return x; }\n", "a[0] = f(a[1]);\n", "in.c:1:1: acc-cplusplus: f, which is declared without its parameters"},
		{"a jump over an initialiser", "", "if (a[1] > 5) goto end;\n    int k = 3;\n    a[0] += k;\nend:;\n", "in.c:4:5: acc-cplusplus: a jump over the initialiser"},
		{"a case over an initialiser", "", "switch ((int)a[2]) {\n    case 2: ;\n        int k = 5;\n        a[0] += k;\n        break;\n    case 3:\n        a[0] = 1;\n    }\n", "in.c:5:9: acc-cplusplus: a case after the initialiser"},
		{"a structure in another one", "struct outer { struct inner { int x; } y; };\n", "struct inner z = { 3 }; a[0] = z.x;\n", "in.c:1:16: acc-cplusplus: the structure inner"},
		{"a variable twice", "static int count;\nstatic int count;\n", "count = 1; a[0] = count;\n", "in.c:2:1: acc-cplusplus: count, which is declared a second time"},
		{"the address of a literal", "struct p { int x; };\nint f(const struct p *p);\n", "a[0] = f(&(struct p){1});\n", "in.c:5:15: acc-cplusplus: the address of a literal"},
		{"a literal array", "int f(const int *p);\n", "a[0] = f((int[]){1});\n", "in.c:4:14: acc-cplusplus: the address of a literal"},
		{"a string without an end", "", "char s[3] = \"abc\"; a[0] = s[0];\n", "in.c:3:10: acc-cplusplus: a string without room"},
		{"a pointer to nothing", "", "void *p = a; p += 8; a[0] = p != a;\n", "in.c:3:18: acc-cplusplus: arithmetic on a pointer to void"},
		{"complex numbers", "#include <complex.h>\n", "a[0] = 1;\n", "in.c:1:1: acc-cplusplus: complex numbers of C"},
		{"a choice by type", "", "a[0] = _Generic(a[0], double: 1, default: 2);\n", "in.c:3:12: acc-cplusplus: _Generic"},
		{"rows whose length changes", "static void f(int n, double m[n][n]) { n++; m[0][0] = n; }\n", "f(1, (void *)a);\n", "in.c:1:22: acc-cplusplus: rows of m"},
		{"a step over rows", "static void f(int n, double m[n][n]) { double (*p)[n] = m + 1; p[0][0] = n; }\n", "f(1, (void *)a);\n", "in.c:1:22: acc-cplusplus: rows of m"},
		{"a length that another variable hides", "static void f(int n, double m[n][n]) { { int n = 2; m[0][0] = n; } }\n", "f(1, (void *)a);\n", "in.c:1:22: acc-cplusplus: rows of m"},
		{"rows of an array of a kernel", "", "int n = a[0];\n#pragma acc parallel loop\n    for (int i = 0; i < 3; i++) { double t[n][n]; t[0][0] = i; }\n", "acc-cplusplus: t, an array of a kernel"},
		{"a part of a member", "struct p { int x[2]; };\nstatic struct p q = { .x[1] = 2 };\n", "a[0] = q.x[1];\n", "acc-cplusplus: an initialiser of a part of a member"},
		{"some members", "struct p { int x, y; };\nstatic struct p q = { .x = 2, 3 };\n", "a[0] = q.x;\n", "in.c:2:21: acc-cplusplus: an initialiser that names some"},
		{"no type", "twice(double x) { return 2 * x; }\n", "a[0] = twice(a[1]);\n", "in.c:1:1: acc-cplusplus: a function without a type"},
		{"no parameters of another file's", "double g();\n", "a[0] = g(a[1]);\n", "in.c:1:1: acc-cplusplus: g, which is declared without its parameters"},
		{"an array of a kernel, by a constant of the run", "", "const int n = a[0] > 1;\n#pragma acc parallel loop copy(a[0:100])\n    for (int i = 0; i < 100; i++) {\n        double t[n];\n        t[0] = a[i], a[i] = 2 * t[0];\n    }\n", "in.c:6:9: acc-cplusplus: t, an array of a kernel"},
		{"an array of a kernel", "", "int n = 4;\n#pragma acc parallel loop copy(a[0:100])\n    for (int i = 0; i < 100; i++) {\n        double t[n];\n        t[0] = a[i], a[i] = 2 * t[0];\n    }\n", "in.c:6:9: acc-cplusplus: t, an array of a kernel"},
		{"an array of a routine", "static double f(int n) { double t[n]; t[0] = n; return t[0]; }\n", "int n = 4;\n#pragma acc parallel loop copy(a[0:100])\n    for (int i = 0; i < 100; i++) a[i] = f(n);\n", "in.c:1:26: acc-cplusplus: t, an array of a kernel"},
	} {
		t.Run(c.name, func(t *testing.T) {
			res, err := translate(t, "in.c", c.top+"void run(double a[100])\n{\n    "+c.body+kernel+"}\n")
			assert.Nil(t, res)
			require.NotEmpty(t, refusals(err))
			assert.Contains(t, refusals(err)[0].String(), c.want)
		})
	}
}
