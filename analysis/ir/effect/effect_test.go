package effect_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/ir/effect"
	"github.com/smux-cuda/smux/parser"
)

// view is one file with what its functions see.
type view struct {
	file  *parser.File
	scope *effect.Scope
	low   map[*parser.Function]*ir.Func
}

func read(t *testing.T, text string) *view {
	t.Helper()
	f, err := parser.Parse("in.cu", []byte(text), parser.Options{})
	require.NoError(t, err)
	require.Empty(t, f.Errors, text)
	v, cache := &view{file: f, low: map[*parser.Function]*ir.Func{}}, &ir.Cache{}
	globals := ir.LowerGlobals(cache, f)
	files := []*parser.File{f}
	v.scope = effect.NewScope(files, cache, effect.NewTypeNames(files), func(_ *parser.File, fn *parser.Function) *ir.Func {
		if v.low[fn] == nil {
			v.low[fn] = ir.Lower(cache, f, fn)
			v.scope.Resolve(v.low[fn])
		}
		return v.low[fn]
	}, func(name string) *ir.Var { return globals[name] })
	for _, g := range globals {
		v.scope.Mark(g)
	}
	return v
}

// function returns the lowered form of a function.
func (v *view) function(t *testing.T, name string) *ir.Func {
	t.Helper()
	for _, fn := range v.file.Functions {
		if fn.Name == name && fn.Body != nil {
			v.scope.Func(&ir.Func{File: v.file, View: fn}) // lowers it
			return v.low[fn]
		}
	}
	require.Fail(t, "no function "+name)
	return nil
}

// of returns the effect of the statements of a function with a body, after some declarations.
func of(t *testing.T, declarations, head, body string) effect.Effect {
	t.Helper()
	v := read(t, fmt.Sprintf("%s\n__global__ void k(%s) { %s }\n", declarations, head, body))
	fn := v.function(t, "k")
	require.Empty(t, fn.Problems, body)
	return v.scope.Stmt(fn, fn.Body)
}

// TestOperationsOutsideOfTheTableMayDoAnything: each question refuses them.
func TestOperationsOutsideOfTheTableMayDoAnything(t *testing.T) {
	v := read(t, "__global__ void k() {}")
	fn := v.function(t, "k")
	listed := 0
	for op := range ir.OpLaunch + 2 {
		e := &ir.Expr{Op: op, Kids: []*ir.Expr{{Op: ir.OpInt}, {Op: ir.OpInt}, {Op: ir.OpInt}}}
		does := v.scope.Expr(fn, e)
		switch op {
		case ir.OpUnknown, ir.OpLambda, ir.OpAsm, ir.OpNew, ir.OpMixed, ir.OpLaunch, ir.OpLaunch + 1, ir.OpCall, ir.OpIdent:
			assert.False(t, does.IsKnown(), "operation %d", op)
			assert.True(t, does.Changes(), "operation %d", op)
			assert.True(t, does.Synchronizes(), "operation %d", op)
			for name, agrees := range map[string]bool{
				"droppable": does.Droppable(), "repeatable": does.Repeatable(), "steady": does.Steady(),
			} {
				assert.False(t, agrees, "operation %d: %s", op, name)
			}
		default:
			listed++
			assert.True(t, does.IsKnown() || op == ir.OpMember, "operation %d", op)
		}
	}
	assert.Equal(t, int(ir.OpLaunch)+2-9, listed)
}

const counter = `struct C {
    int v; float *p; float own[4];
    __device__ C() : v(0) {}
    __device__ int operator+(int d) { return v += d; }
    __device__ int operator-(int d) const { return v - d; }
    __device__ int operator-() { return --v; }
    __device__ int operator!() const { return !v; }
    __device__ operator int() { return ++v; }
    __device__ C &operator++() { v++; return *this; }
    __device__ C &operator+=(int d) { v += d; return *this; }
    __device__ float &operator[](int i) const { return p[i]; }
    __device__ float &operator()(int i) { v++; return p[i]; }
    __device__ float operator*() { v++; return p[v]; }
    __device__ C *operator->() { v++; return this; }
    __device__ int operator,(int d) { return v = d; }
    __device__ bool operator&&(bool b) const { return v && b; }
};
__device__ int calls;
struct Copied { int v; __device__ Copied(int x) : v(x) {} __device__ Copied(const Copied &o) : v(o.v) { calls++; } };
struct Moved { int v; __device__ Moved(int x) : v(x) {} __device__ Moved(Moved &&o) : v(o.v) { o.v = 0; calls = 1; } };
struct Ended { int v; __device__ ~Ended() { calls++; } };
struct Set { int v; __device__ Set &operator=(const Set &o) { calls++; v = o.v; return *this; } };
struct Holder { Ended e; int n; };
struct Begun { int v = calls++; };
struct Based : Copied { __device__ Based() : Copied(calls++) {} };
struct Plain { int v; float f[3]; __device__ Plain() : v(1) {} __device__ Plain(int x) : v(x) { f[0] = x; } __device__ operator int() const { return v; } __device__ Plain operator+(const Plain &o) const { Plain r(v); r.v += o.v; return r; } };
struct Scaled {
    int v;
    __device__ float operator*(float f) { return v++ * f; }
    __device__ double operator*(double f) const { return v * f; }
    __device__ int operator+(int d) { return v += d; }
    __device__ int operator+(short d) const { return v + d; }
    __device__ int operator-(unsigned d) { return v -= d; }
    __device__ int operator-(int d) const { return v - d; }
};
template <class T> struct Accessor {
    T *data; int stride;
    __device__ T &operator[](int i) const { return data[i * stride]; }
    __device__ int size() const { return stride; }
};
struct Iterator { float *at; __device__ float &operator*() const { return *at; } __device__ float *operator->() const { return at; } __device__ bool operator!=(const Iterator &o) const { return at != o.at; } };
__device__ float3 operator+(float3 a, float3 b) { return make_float3(a.x + b.x, a.y + b.y, a.z + b.z); }
__device__ float3 &operator+=(float3 &a, float3 b) { a.x += b.x; return a; }
__device__ float3 operator*(float3 a, float b) { calls++; return a; }
__device__ int operator""_next(unsigned long long n) { return calls += n; }
__device__ int operator""_half(unsigned long long n) { return n / 2; }
__device__ int byDefault(int a, int b = calls++) { return a + b; }
__device__ int plainDefault(int a, int b = 3) { return a + b; }
__device__ int Takes(Copied c) { return c.v; }
__device__ int refers(const Copied &c) { return c.v; }
__device__ int makes(Plain p) { return p.v; }
__device__ Copied returns(const Copied &c) { return c; }
__device__ int follows(volatile int *p) { return *p; }
enum Color { red, green };
#ifdef WIDE
typedef double real;
typedef half narrow;
typedef Plain maybe;
#define REAL double
#else
typedef float real;
typedef float narrow;
typedef float maybe;
#define REAL float
#endif
typedef volatile int changing;
struct V { volatile int n; int m; };
struct W { V inner; };
__device__ V g;
`

// TestWhatMayBeEvaluatedAgain: what the text writes as an operator or a value is judged by the code that it runs.
func TestWhatMayBeEvaluatedAgain(t *testing.T) {
	for _, c := range []struct {
		head, expr string
		repeatable bool
	}{
		// the language's own
		{"int a, int b", "a + b * 3", true},
		{"const float *p, int i", "p[i] * 2.0f", true},
		{"int a", "a++", false},
		{"Color c", "c == green ? 1 : 2", true},
		{"float4 q", "q.x + q.y", true},
		{"half h, half i", "h + i", true},
		{"cuComplex c", "c.x", true},
		{"const float *p", "__ldg(p)", true},
		{"const float *p", "__ldcg(p + 1)", true},
		{"const float *p", "__ldcv(p)", false},
		{"int *p", "atomicAdd(p, 1)", false},
		{"cuda::atomic_ref<int, cuda::thread_scope_device> r", "r + 1", false},
		{"cuda::std::atomic<int> &r", "r += 1", false},
		{"std::atomic<int> *r", "*r == 1", false},
		{"cuda::std::complex<float> z", "z + z", true},
		{"int a", "__shfl_sync(~0u, a, 1)", false},
		{"int a", "clock()", false},
		{"int a", "[=] { return a; }()", false},
		{"int *p", "*new int(3)", false},
		// operators
		{"C c", "c + 1", false},
		{"C c", "c - 1", true},
		{"C c", "-c", false},
		{"C c", "!c", true},
		{"C c", "++c", false},
		{"C c, int i", "c[i]", true},
		{"C c, int i", "c(i)", false},
		{"C c", "*c", false},
		{"C c", "c->v", false},
		{"C c", "(c, 1)", false},
		{"C c, bool b", "c && b", true}, // though both are evaluated
		{"const float *s, C c", "s[c]", false},
		{"C c", "c * 2", false},
		{"C c", "3 < c", false},
		{"C *c", "*c + 1", false},
		{"C *c", "c + 1 == c", true},
		{"float3 a, float3 b", "a + b", true},
		{"float3 a, float b", "a * b", false},
		{"float3 a, float3 b", "a += b", false},
		{"Plain a, Plain b", "a + b", true},
		{"Plain a, const float *s", "s[a]", true},
		// the overload that the operand's type chooses
		{"Scaled a", "a * 2.0f", false},
		{"Scaled a", "a * 2.0", true},
		{"Scaled a", "a * 2", false}, // either
		{"Scaled a, short b", "a + (b + b)", false},
		{"Scaled a, short b", "a + b", true},
		{"Scaled a", "a - 1u", false},
		{"Scaled a", "a - 1", true},
		{"Accessor<float> a, int i", "a[i]", true},
		{"Accessor<Accessor<float>> a, int i", "a[i][i]", true},
		{"Accessor<float> a", "a.size()", true},
		{"Iterator a, Iterator b", "a != b && *a > 0", true},
		// conversions and objects
		{"C c, float f", "(float)c", false},
		{"C c", "c ? 1 : 2", false},
		{"C c", "fabsf(c)", false},
		{"Copied c", "Takes(c)", false},
		{"Copied c", "refers(c)", true},
		{"int a", "Takes(a)", false},
		{"int a", "makes(a)", true},
		{"Copied c", "returns(c).v", false},
		{"int a", "Copied(a).v", false},
		{"int a", "Plain(a).v", true},
		{"int a", "Plain{a}.v", true},
		// literals, default arguments
		{"int a", "a + 3_next", false},
		{"int a", "a + 3_half", true},
		{"int a", "byDefault(a)", false},
		{"int a", "byDefault(a, 2)", true},
		{"int a", "plainDefault(a)", true},
		// volatile
		{"volatile int *p", "*p", false},
		{"volatile int *p", "p + 1 > p", true},
		{"volatile int *p", "follows(p)", false},
		{"V *p", "p->n", false},
		{"V *p", "p->m", true},
		{"W *p", "p->inner.n", false},
		{"int a", "g.n", false},
		{"int a", "g.m", true},
		{"changing *p", "p[1]", false},
		{"int *p", "*(volatile int *)p", false},
		// types that are not in view
		{"Elsewhere e", "e + 1", false},
		{"Elsewhere e, const float *s", "s[e]", false},
		{"Elsewhere *e, int i", "e + i == e", true},
		{"int a", "elsewhere(a)", false},
		{"int a", "undeclared + a", false},
		{"float a", "a < INFINITY", true},
		// what has the name of a function of CUDA
		{"int a", "min(a, 3)", true},
		{"int a", "::min(a, 3)", true},
		{"int a", "std::min(a, 3)", true},
		{"int a", "elsewhere::min(a, 3)", false},
		{"Elsewhere min, int a", "min(a, 3)", false},
		{"C min, int a", "min(a)", false},
		{"int (*min)(int, int), int a", "min(a, 3)", false},
		{"Elsewhere e, int a", "e.min(a, 3)", false},
		{"std::vector<int> &v", "v.size() + 1", true},
		{"Elsewhere v", "v.size() + 1", false},
	} {
		v := read(t, fmt.Sprintf("%s\n__global__ void k(%s) { (%s); }\n", counter, c.head, c.expr))
		fn := v.function(t, "k")
		last := fn.Body.List[len(fn.Body.List)-1]
		require.Equal(t, ir.StmtExpr, last.Op, c.expr)
		does := v.scope.Expr(fn, last.Expr)
		if strings.Contains(c.expr, "&& b") {
			assert.Equal(t, ir.OpCall, last.Expr.Op, "both operands of an overloaded && are evaluated")
		}
		assert.Equal(t, c.repeatable, does.Repeatable(), "%s of (%s): %+v", c.expr, c.head, does)
		assert.Equal(t, c.repeatable, does.Repeatable() && !does.Changes(), c.expr)
	}
}

// TestMakingAndEndingObjects: what constructors, destructors and assignments do belongs to declarations.
func TestMakingAndEndingObjects(t *testing.T) {
	for _, c := range []struct {
		head, body string
		own        bool // nothing but variables of the thread's own changes
	}{
		{"int a", "int b = a; b += 2;", true},
		{"int a", "Plain p(a); Plain q = p; q = p;", true},
		{"int a", "Copied c(a);", false}, // a copy may be made
		{"Copied c", "Copied d = c;", false},
		{"Copied c", "const Copied &d = c;", true},
		{"int a", "Moved m(a);", false},
		{"int a", "Ended e;", false},
		{"int a", "Holder h;", false},
		{"int a", "Begun b;", false},
		{"int a", "Based b;", false},
		{"Set s, Set u", "s = u;", false},
		{"V v", "int x = v.m; x += 1;", true},
		{"V v", "int x = v.n;", false},
		{"C c", "int x = c;", true}, // c itself
		{"Accessor<float> a", "a[2] = 3;", false},
		{"Accessor<float> a", "float x = a[2]; x *= 2;", true},
		{"int a", "float l[4]; l[a] = 1;", true},
		{"float *p", "p[1] = 1;", false},
		{"int a", "static int n; n += a;", false},
		{"int a", "Elsewhere e;", false},
		{"int a", `asm("mov.u32 %0, 1;" : "=r"(a));`, false},
		{"int a", "__syncthreads();", false},
		{"int a", "auto &r = a; r = 1;", true},
		{"int *p", "int &r = p[1]; r = 1;", false},
		{"int a", "auto min = [&](int b, int c) { a++; return b; }; min(a, 3);", false},
		// arrays, and pointers to them
		{"int i", "float t[8]; t[i] = 1;", true},
		{"int i", "float t[8]; *(t + i) = 1;", false}, // by its address
		{"int i", "__shared__ float s[8]; *(s + i) = 1;", false},
		{"int i", "__shared__ float s[8]; i[s] = 1;", false},
		{"int i", "__shared__ float s[8][8]; *(*(s + i) + 1) = 1;", false},
		{"int i", "__shared__ float s[8][8]; float (*row)[8] = s; row[i][1] = 2;", false},
		{"float a[4][8], int i", "a[i][1] = 2;", false},
		{"float (*a)[8], int i", "float *x = a[i]; x++;", true},
		{"float (*a)[8], int i", "float x = a[i][0]; x++;", true},
		{"float *(*a)[8], int i", "a[i][0][0] = 1;", false},
		{"float (*a[3])[8], int i", "(*a[i])[2] = 1;", false},
		{"float *p", "float (&u)[8] = *(float (*)[8])p; u[1] = 1;", false},
		{"int i", "float t[8]; float (&u)[8] = t; u[i] = 1;", true},
		{"int i", "__shared__ float s[8]; (i ? s : s + 1)[2] = 1;", false},
	} {
		does := of(t, counter, c.head, c.body)
		does.Writes = nil
		assert.Equal(t, c.own, !does.Changes(), "%s: %+v", c.body, does)
	}
}

// TestMayWrite: a variable changes by its name, or by an address that was taken of it.
func TestMayWrite(t *testing.T) {
	for _, c := range []struct {
		body  string
		write bool // of x
	}{
		{"int x = 1; y = x;", false},
		{"int x = 1; x++;", true},
		{"int x = 1; p[0] = x;", false},
		{"int x = 1; int *q = &x; *q = 2;", true},
		{"int x = 1; int &r = x; r = 2;", true},
		{`int x = 1; asm("mov.u32 %0, 1;" : "=r"(y));`, false},
		{`int x = 1; asm("mov.u32 %0, 1;" : "=r"(x));`, true},
		{`int x = 1; int *q = &x; asm("st.u32 [%0], 1;" :: "l"(p));`, true},
		{"int x = 1; elsewhere(y);", false},
		{"int x = 1; elsewhere(x);", true},
		{"int x = 1; auto f = [&] { x = 2; }; f();", true},
		{"wmma::fragment<wmma::accumulator, 16, 16, 16, float> x; wmma::fill_fragment(x, 0.0f);", true},
		{"Elsewhere x; x.run();", true},
		{"int x = 1; printf(\"%d\", x);", false},
		{"int x = 1; goto end; end: x = 2;", true},
		{"Plain x; x.v = 1;", true},
		{"Plain x; x = y;", true},
	} {
		v := read(t, fmt.Sprintf("%s\n__global__ void k(int *p, int y) { %s }\n", counter, c.body))
		fn := v.function(t, "k")
		last := fn.Body.List[len(fn.Body.List)-1]
		assert.Equal(t, c.write, v.scope.Stmt(fn, last).MayWrite(fn.Vars[0]), c.body)
	}
}

// TestStep: what an operation does by itself, its operands aside.
func TestStep(t *testing.T) {
	for _, c := range []struct {
		expr    string
		changes bool
	}{
		{"x + (x = 1)", false},
		{"x = x + 1", true},
		{"a[x++]", false},
		{"a[x++] = 1", true},
		{"min(x++, 1)", false},
		{"atomicAdd(p, x++)", true},
		{"c - x++", false},
		{"elsewhere(x)", true},
		{"c ? x++ : 1", true}, // the conversion of c
	} {
		v := read(t, fmt.Sprintf("%s\n__global__ void k(int *p, int x, C c) { int a[4]; (%s); }\n", counter, c.expr))
		fn := v.function(t, "k")
		e := fn.Body.List[1].Expr
		if e.Op == ir.OpCond {
			e = e.Kids[0]
		}
		assert.Equal(t, c.changes, v.scope.Step(fn, e).Changes(), c.expr)
	}
}

// TestOwn: what a function is given is not its own.
func TestOwn(t *testing.T) {
	for _, c := range []struct {
		expr                 string
		own, steady, anyTime bool
	}{
		{"x + 1", true, true, true},
		{"x / y", true, true, true},
		{"x = 1", true, false, false},
		{"a[x]", false, true, false},
		{"r + 1", false, false, false},
		{"p[x]", false, false, false},
		{"&p[x]", true, true, true},
		{"&p[x++]", true, false, false},
		{"q.x + q.y", true, true, true},
		{"blockDim.x * x", true, true, true},
		{"__ldg(p)", false, true, false},
		{"call(x)", true, true, true},
	} {
		v := read(t, fmt.Sprintf("%s\n__device__ int call(int n) { return n + 1; }\n__device__ void k(int *p, int &r, int x, int y, float4 q) { int a[4]; (%s); }\n", counter, c.expr))
		fn := v.function(t, "k")
		does := v.scope.Expr(fn, fn.Body.List[1].Expr)
		assert.Equal(t, c.own, does.InRegisters(), "%s %+v", c.expr, does)
		assert.Equal(t, c.steady, does.Steady(), "%s %+v", c.expr, does)
		assert.Equal(t, c.anyTime, does.Anywhere(), "%s %+v", c.expr, does)
	}
}

// TestTypes: the type of an expression, "unknown" being one.
func TestTypes(t *testing.T) {
	for _, c := range []struct {
		head, expr string
		kind       effect.Kind
		base       string
		levels     int
	}{
		{"int a, float b", "a + b", effect.Number, "float", 0},
		{"unsigned a, int b", "a * b", effect.Number, "unsigned int", 0},
		{"short a, char b", "a + b", effect.Number, "int", 0},
		{"short a", "-a", effect.Number, "int", 0},
		{"short a, size_t b", "a << b", effect.Number, "int", 0},
		{"long unsigned int a", "a", effect.Number, "unsigned long", 0},
		{"uint64_t a, uint b", "a + b", effect.Number, "uint64_t", 0},
		{"int a", "a < 3", effect.Number, "bool", 0},
		{"int a", "1.0f", effect.Number, "float", 0},
		{"int a", "1.0", effect.Number, "double", 0},
		{"int a", "1u", effect.Number, "unsigned int", 0},
		{"int a", "sizeof(a)", effect.Number, "size_t", 0},
		{"int a", "threadIdx.x", effect.Number, "unsigned int", 0},
		{"ulonglong2 a", "a.y", effect.Number, "unsigned long long", 0},
		{"short a, short b", "a ? a : b", effect.Number, "short", 0},
		{"int *a, int *b", "a - b", effect.Number, "ptrdiff_t", 0},
		{"int a", "FLT_MAX", effect.Number, "", 0},
		{"unsigned a", "__popc(a)", effect.Number, "", 0},
		{"const float *p, int i", "p + i", effect.Number, "float", 1},
		{"const float *p, int i", "p[i]", effect.Number, "float", 0},
		{"float (*p)[4], int i", "p[i]", effect.Number, "float", 1},
		{"float4 q", "q.x", effect.Number, "float", 0},
		{"int a", "threadIdx", effect.Vector, "uint3", 0},
		{"int a", "gridDim", effect.Vector, "dim3", 0},
		{"int a", "warpSize", effect.Number, "int", 0},
		{"half a", "a", effect.Vector, "half", 0},
		{"real a", "a", effect.Number, "real", 0},
		{"REAL a", "a", effect.Number, "REAL", 0},
		{"real *a", "a[1] + 1", effect.Number, "", 0},
		{"narrow a", "a", 0, "", 0},
		{"maybe a", "a", 0, "", 0},
		{"Plain a, Plain b", "a + b", effect.Object, "Plain", 0},
		{"Plain a", "a.f", effect.Number, "float", 1},
		{"C c", "c - 1", effect.Number, "int", 0},
		{"Iterator a", "*a", effect.Number, "float", 0},
		{"float3 a, float3 b", "a + b", effect.Vector, "float3", 0},
		{"int a", "min(a, 3)", effect.Number, "int", 0},
		{"int a", "make_float2(a, a)", effect.Vector, "float2", 0},
		{"int a", "makes(a)", effect.Number, "int", 0},
		{"Elsewhere e", "e", effect.Foreign, "Elsewhere", 0},
		{"Elsewhere e", "e.x", effect.Parameter, "decltype(Elsewhere::x)", 0},
		{"struct { volatile int *p; } e", "e.p", effect.Number, "int", 1},
		{"int a", "elsewhere(a)", 0, "", 0},
		{"std::complex<float> z", "z", effect.Library, "std::complex<float>", 0},
	} {
		v := read(t, fmt.Sprintf("%s\n__global__ void k(%s) { (%s); }\n", counter, c.head, c.expr))
		fn := v.function(t, "k")
		got := v.scope.TypeOf(fn, fn.Body.List[0].Expr)
		assert.Equal(t, c.kind, got.Kind, c.expr)
		assert.Equal(t, c.base, got.Base, c.expr)
		assert.Equal(t, c.levels, got.Levels, c.expr)
	}
}

// TestBasesThatHaveOneAnotherByName: classes of two namespaces may be each other's bases, for all that
// their names tell.
func TestBasesThatHaveOneAnotherByName(t *testing.T) {
	declarations := `
namespace a { struct Params { int n; }; }
namespace b { struct Wide : a::Params { int m; }; }
namespace c { struct Params : b::Wide { int k; __device__ int operator()(int i) const { return i + k; } }; }`
	for _, c := range []struct{ head, body string }{
		{"c::Params p, int *out", "out[0] = p(1);"},
		{"c::Params p, int *out", "out[0] = p.n + p.none;"},
		{"b::Wide p, int *out", "b::Wide q = p; out[0] = q.n;"},
	} {
		assert.True(t, of(t, declarations, c.head, c.body).Changes(), c.body)
	}
}

// TestMembersOfAClassThatHasTheSameName: two classes of a name, one of which holds the other.
func TestMembersOfAClassThatHasTheSameName(t *testing.T) {
	declarations := `
namespace a { struct Params { int n; }; }
namespace b { struct Params { a::Params p; int k; }; }`
	assert.True(t, of(t, declarations, "b::Params p, int *out", "b::Params q = p; out[0] = q.k;").Changes())
	assert.False(t, of(t, declarations, "b::Params p", "b::Params q = p;").ChangesMemory())
}

// TestObjectsThatAreCalledAsIntrinsicsAre: a variable or a member hides the function of its name.
func TestObjectsThatAreCalledAsIntrinsicsAre(t *testing.T) {
	assert.True(t, of(t, "", "int a, int *out", "int b = max(a, 2);").IsKnown())
	assert.False(t, of(t, "typedef int (*Op)(int, int);", "Op max, int a", "int b = max(a, 2);").IsKnown())
	member := "template <class F> struct Fold { F max; __device__ int of(int a) const { return max(a, 2); } };"
	assert.False(t, of(t, member, "Fold<int> f, int a", "int b = f.of(a);").IsKnown())
	assert.True(t, of(t, "struct Max { __device__ int operator()(int a, int b) const { return a + b; } };\n"+strings.Replace(member, "F max", "Max max", 1), "Fold<int> f, int a", "int b = f.of(a);").IsKnown())
}

// TestTypeParameters: a type parameter stands for what all launches in view give it, and for any type where a kernel
// is instantiated otherwise, too. It is no number of a known size: another program may launch it with another.
func TestTypeParameters(t *testing.T) {
	counting := "__device__ int calls;\n"
	for _, of := range []string{"float2", "float4"} {
		counting += fmt.Sprintf("__device__ %s operator+(%s a, %s b) { calls++; return a; }\n", of, of, of)
	}
	for _, c := range []struct {
		with string
		kind effect.Kind
	}{
		{"k<float><<<1, 1>>>(a, a);", effect.Number},
		{"k<float><<<1, 1>>>(a, a); k<double><<<1, 1>>>(a, a);", effect.Number},
		{"k<float4><<<1, 1>>>(a, a);", effect.Parameter},
		{"k<float><<<1, 1>>>(a, a); k<float4><<<1, 1>>>(a, a);", effect.Parameter},
		{"k<float4><<<1, 1>>>(a, a); k<float><<<1, 1>>>(a, a);", effect.Parameter},
		{"k<float4><<<1, 1>>>(a, a); k<int3><<<1, 1>>>(a, a);", effect.Parameter},
		{"k<C><<<1, 1>>>(a, a); k<Plain><<<1, 1>>>(a, a);", effect.Parameter},
		{"} template __global__ void k<C>(C, C); void more(float a) { k<float><<<1, 1>>>(a, a);", effect.Parameter},
		{"} template <> __global__ void k<C>(C a, C b) {} void more(float a) { k<float><<<1, 1>>>(a, a);", effect.Number},
		{"k<float><<<1, 1>>>(a, a); k<<<1, 1>>>(a, a);", effect.Parameter},
	} {
		v := read(t, fmt.Sprintf("%s\n%s\ntemplate <class T> __global__ void k(T a, T b) { (a); (a + b); }\nvoid run(float a) { %s }\n", counter, counting, c.with))
		fn := v.function(t, "k")
		got := v.scope.TypeOf(fn, fn.Body.List[0].Expr)
		assert.Equal(t, c.kind, got.Kind, c.with)
		_, number := ir.NumberOf(got.Base)
		assert.False(t, number, c.with)
		assert.Equal(t, c.kind == effect.Number, !v.scope.Expr(fn, fn.Body.List[1].Expr).Changes(), c.with)
	}
}
