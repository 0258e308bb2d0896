package analysis_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestParametersAreApartOnlyWhereAllLaunchesPassOtherAllocations(t *testing.T) {
	const alloc = "cudaMalloc(&a, 64); cudaMalloc((void **)&b, 64); "
	for _, c := range []struct {
		name, host string
		want       bool
	}{
		{"two allocations", "void run() { int *a, *b; " + alloc + "k<<<1, 32>>>(a, b); }", true},
		{"in a macro's argument", "#define CHECK(x) x\nvoid run() { int *a, *b; CHECK(cudaMalloc(&a, 4)); CHECK(cudaMalloc(&b, 4)); k<<<1, 32>>>(a, b); }", true},
		{"set to null first", "void run() { int *a = NULL, *b = 0; " + alloc + "k<<<1, 32>>>(a, b); b = nullptr; }", true},
		{"used in all ways that leave them", "void run(int *h) { int *a, *b; " + alloc + "cudaMemcpy(a, h, 64, cudaMemcpyHostToDevice); if (a != b) k<<<1, 32>>>((int *)a, (b)); cudaFree(a); }", true},
		{"the same twice", "void run() { int *a, *b; " + alloc + "k<<<1, 32>>>(a, a); }", false},
		{"the same in the second launch", "void run() { int *a, *b; " + alloc + "k<<<1, 32>>>(a, b); k<<<1, 32>>>(b, b); }", false},
		{"inside an allocation", "void run() { int *a, *b; " + alloc + "k<<<1, 32>>>(a, a + 8); }", false},
		{"assigned", "void run() { int *a, *b; " + alloc + "b = a; k<<<1, 32>>>(a, b); }", false},
		{"initialised", "void run() { int *a; cudaMalloc(&a, 64); int *b = a; k<<<1, 32>>>(a, b); }", false},
		{"initialised by a call", "int *make(); void run() { int *a = make(), *b = make(); k<<<1, 32>>>(a, b); }", false},
		{"moved", "void run() { int *a, *b; " + alloc + "b++; k<<<1, 32>>>(a, b); }", false},
		{"swapped", "void run() { int *a, *b; " + alloc + "std::swap(a, b); k<<<1, 32>>>(a, b); }", false},
		{"changed through its address", "void set(int **); void run() { int *a, *b; " + alloc + "set(&b); k<<<1, 32>>>(a, b); }", false},
		{"changed through a reference", "void set(int *&); void run() { int *a, *b; " + alloc + "set(b); k<<<1, 32>>>(a, b); }", false},
		{"changed by a function of that name that is not CUDA's", "void cudaSet(int *&p) { p = 0; } void run() { int *a, *b; " + alloc + "cudaSet(b); k<<<1, 32>>>(a, b); }", false},
		{"bound to a reference", "void run() { int *a, *b; " + alloc + "int *&c = b; c = a; k<<<1, 32>>>(a, b); }", false},
		{"changed in a lambda", "void run() { int *a, *b; " + alloc + "auto f = [&] { b = a; }; f(); k<<<1, 32>>>(a, b); }", false},
		{"changed in a macro", "#define SET(x, y) x = y\nvoid run() { int *a, *b; " + alloc + "SET(b, a); k<<<1, 32>>>(a, b); }", false},
		{"named in a macro", "#define SET b = a\nvoid run() { int *a, *b; " + alloc + "SET; k<<<1, 32>>>(a, b); }", false},
		{"two of a name", "void run() { int *a, *b; " + alloc + "{ int *b = a; k<<<1, 32>>>(a, b); } }", false},
		{"no pointer", "struct P { operator int *(); }; void run() { int *a; P b; cudaMalloc(&a, 64); k<<<1, 32>>>(a, b); }", false},
		{"elements", "void run() { int *a[2]; cudaMalloc(&a[0], 64); cudaMalloc(&a[1], 64); k<<<1, 32>>>(a[0], a[1]); }", false},
		{"passed by all callers", "void go(int *p, int *q) { k<<<1, 32>>>(p, q); }\nvoid run() { int *a, *b; " + alloc + "go(a, b); }", true},
		{"passed the other way round, too", "void go(int *p, int *q) { k<<<1, 32>>>(p, q); }\nvoid run() { int *a, *b; " + alloc + "go(a, b); go(b, a); }", false},
		{"passed, then changed", "void go(int *p, int *q) { q = p; k<<<1, 32>>>(p, q); }\nvoid run() { int *a, *b; " + alloc + "go(a, b); }", false},
		{"passed, then hidden", "void go(int *p, int *q) { { int *q = p; k<<<1, 32>>>(p, q); } }\nvoid run() { int *a, *b; " + alloc + "go(a, b); }", false},
		{"nobody calls", "void go(int *p, int *q) { k<<<1, 32>>>(p, q); }", false},
		{"called through a pointer", "void go(int *p, int *q) { k<<<1, 32>>>(p, q); }\nvoid run() { int *a, *b; " + alloc + "auto f = go; f(a, a); go(a, b); }", false},
		{"of the file", "static int *a, *b;\nvoid init() { " + alloc + "}\nvoid run() { k<<<1, 32>>>(a, b); }", true},
		{"of the file, set elsewhere", "static int *a, *b;\nvoid init() { " + alloc + "}\nvoid set() { b = a; }\nvoid run() { k<<<1, 32>>>(a, b); }", false},
		{"made by a function", "int *make(int n) { int *p; cudaMalloc(&p, n); cudaMemset(p, 0, n); return p; }\nvoid run() { int *a = make(4), *b = make(4); k<<<1, 32>>>(a, b); }", true},
		{"made by a template", "template <typename T> T *make(const T &n) { T *p; cudaMalloc(&p, n); return p; }\ntemplate <typename T> void done(T *p) { cudaFree(p); }\nvoid run() { int *a = make(4), *b = make<int>(4); k<<<1, 32>>>(a, b); done(a); }", true},
		{"set by a template", "template <typename T> void set(T p) { p = 0; }\nvoid run() { int *a, *b; " + alloc + "set<int *&>(b); k<<<1, 32>>>(a, b); }", false},
		{"made once", "int *make(int n) { static int *p; if (!p) cudaMalloc(&p, n); return p; }\nvoid run() { int *a = make(4), *b = make(4); k<<<1, 32>>>(a, b); }", false},
		{"made or not", "int *old; int *make(int n) { int *p; cudaMalloc(&p, n); if (n > 3) return old; return p; }\nvoid run() { int *a = make(4), *b = make(4); k<<<1, 32>>>(a, b); }", false},
		{"made, and kept", "int *old; int *make(int n) { int *p; if (old) p = old; else cudaMalloc(&p, n); return p; }\nvoid run() { int *a = make(4), *b = make(4); k<<<1, 32>>>(a, b); }", false},
		{"a part of what is made", "int *make(int n) { int *p; cudaMalloc(&p, n); return p + 1; }\nvoid run() { int *a = make(4), *b = make(4); k<<<1, 32>>>(a, b); }", false},
		{"made by itself", "int *make(int n) { int *p = make(n); return p; }\nvoid run() { int *a = make(4), *b = make(4); k<<<1, 32>>>(a, b); }", false},
		{"made by one of two", "int *make(int n) { int *p; cudaMalloc(&p, n); return p; }\nint *old; int *make(long n) { return old; }\nvoid run() { int *a = make(4), *b = make(4L); k<<<1, 32>>>(a, b); }", false},
		{"no launch", "", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			k := foldKernel(t, "__global__ void k(int *p, int *q) { p[0] = q[0]; }\n"+c.host)
			assert.Equal(t, c.want, k.Apart(0, 1))
		})
	}
}
