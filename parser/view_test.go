package parser

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestFunctionView: one declaration each; want is name, class, properties.
func TestFunctionView(t *testing.T) {
	cases := []struct{ src, want string }{
		{"__global__ void k(int *a, float b = 2) {}", "k global body (a,b=2)"},
		{"extern \"C\" __global__ void k(void) {}", "k global externC body ()"},
		{"extern \"C\" { __global__ void k(int) {} }", "k global externC body ()"},
		{"static __device__ __forceinline__ int f() { return 1; }", "f device forceinline static body ()"},
		{"__host__ __device__ constexpr int f(int n) { return n; }", "f device host constexpr body (n)"},
		{"__noinline__ __device__ float *f(float *a);", "f device noinline (a)"},
		{"extern __device__ int f(int, ...);", "f device extern (,...)"},
		{"template <typename T, int N = 3, class... R> __global__ void k(T a[N], R... r) {}",
			"k global template<T type,N=3,R type pack> body (a,r...)"},
		{"template <template <class> class C, class T = int> __device__ void f() {}", "f device template<C type,T type=int> body ()"},
		{"template <> __global__ void k<float>(float *a) {}", "k global specialization body (a)"},
		{"template __global__ void k<float>(float *a);", "k global instantiation (a)"},
		{"struct A { __device__ void f() const { } };", "f A device body ()"},
		{"template <class T> struct A { template <class U> __device__ static U f(U u); };", "f A device static template<U type> (u)"},
		{"template <class T> __device__ T ns::A<T>::f(T a) { return a; }", "f A device template<T type> body (a)"},
		{"class A { friend __global__ void k(A a); };", "k A global friend (a)"},
		{"struct A { __device__ float &operator()(int i, int j); };", "operator() A device (i,j)"},
		{"struct A { __device__ operator float() const { return 1; } };", "operator float A device body ()"},
		{"struct A { __host__ __device__ A(int x) : y(x) {} int y; };", "A A device host body (x)"},
		{"__global__ void (k)(int a) {}", "k global body (a)"},
		{"__device__ void (*f(int a))(int);", "f device (a)"},
		{"__global__ void k(void (*f)(int), int (&a)[3]) {}", "k global body (f,a)"},
		{"#define KERNEL static __global__ void\nKERNEL k(int a) {}", "k global static body (a)"},
		{"#define K extern \"C\" __global__\nK void k() {}", "k global extern externC body ()"},
		{"#define LB(n) __launch_bounds__(n)\n__global__ void LB(128) k() {}", "k global bounds body ()"},
		{"__global__ void __launch_bounds__(256, 2) k() {}", "k global bounds body ()"},
		{"namespace a { namespace { __launch_bounds__(32) __global__ void k() {} } }", "k global bounds body ()"},
		{"__global__ /* why */ // so\n  void k() {}", "k global body ()"},
		{"__device__ auto f(int a) -> float { return a; }", "f device body (a)"},
		{"#define N 2\n__global__\n#if N > 0\n__launch_bounds__(f(N, 1), N)\n#endif\nvoid k() {}", "k global bounds body ()"},
		{"#define N 0\n__global__\n#if N > 0\n__launch_bounds__(f(N, 1), N)\n#endif\nvoid k() {}", "k global body ()"},
		{"__cluster_dims__(2, 1, 1) __global__ void k() {}", "k global cluster body ()"},
		{"__device__ int (*pointer)(int);", ""},
		{"__device__ int variable = f(1);", ""},
		{"void f() { int g(int); }", "f body ()"},
	}
	for _, c := range cases {
		t.Run(c.src, func(t *testing.T) {
			f := parseClean(t, c.src)
			var got []string
			for _, fn := range f.Functions {
				got = append(got, describeFunction(f, fn))
			}
			assert.Equal(t, c.want, strings.Join(got, "; "))
		})
	}
}

func describeFunction(f *File, fn *Function) string {
	words := []string{fn.Name}
	add := func(on bool, w string) {
		if on {
			words = append(words, w)
		}
	}
	add(fn.Class != "", fn.Class)
	for _, q := range []struct {
		bit  Qualifiers
		name string
	}{
		{QualGlobal, "global"}, {QualDevice, "device"}, {QualHost, "host"}, {QualForceInline, "forceinline"}, {QualNoInline, "noinline"},
		{QualCluster, "cluster"}, {QualExtern, "extern"}, {QualStatic, "static"}, {QualConstexpr, "constexpr"},
	} {
		add(fn.Quals&q.bit != 0, q.name)
	}
	var list []string
	for _, p := range fn.Template {
		s := p.Name
		if p.IsType {
			s += " type"
		}
		if p.Pack {
			s += " pack"
		}
		if p.Default != nil {
			s += "=" + f.Text(p.Default)
		}
		list = append(list, s)
	}
	add(fn.IsTemplate, "template<"+strings.Join(list, ",")+">")
	add(fn.Specialization, "specialization")
	add(fn.Instantiation, "instantiation")
	add(fn.Friend, "friend")
	add(fn.LaunchBounds != nil, "bounds")
	add(fn.ExternC, "externC")
	add(fn.Body != nil, "body")
	list = nil
	for _, p := range fn.Params {
		s := p.Name
		if p.Variadic {
			s += "..."
		}
		if p.Default != nil {
			s += "=" + f.Text(p.Default)
		}
		list = append(list, s)
	}
	add(true, "("+strings.Join(list, ",")+")")
	add(fn.Error != nil, "error")
	return strings.Join(words, " ")
}

func TestFunctionStartsAtItsFirstMark(t *testing.T) {
	cases := []string{
		"|__global__ void k() {}",
		"int a; |static __device__ __forceinline__ int f() { return 1; }",
		"// text\n|__global__ // why\n  __launch_bounds__(3)\n\n void k() {}",
		"|template <class T>\n__global__ void k() {}",
		"|extern \"C\" __global__ void k() {}",
		"extern \"C\" { |__global__ void k() {} }",
		"struct A { int x; |__device__ void f() {} };",
		"struct A { |friend __device__ void f(); };",
		"void g() {};\n|__host__ __device__ void f() {}",
		"#define HD __host__ __device__\n|HD HD void f() {}",
		"__constant__ int x;\n|__device__ void f() {}",
		"|__global__\n#if 1\n__launch_bounds__(2 * (3))\n#endif\nvoid f() {}",
		"|__global__\n#if 0\n__launch_bounds__(2 * (3))\n#endif\nvoid f() {}",
		"__constant__ int x;\n#if 0\n__launch_bounds__(3)\n#endif\n|void f() {}",
	}
	for _, c := range cases {
		t.Run(c, func(t *testing.T) {
			at := strings.IndexByte(c, '|')
			f := parseClean(t, c[:at]+c[at+1:])
			last := f.Functions[len(f.Functions)-1]
			assert.Equal(t, at, last.Start)
		})
	}
}

func TestLaunchBoundsMark(t *testing.T) {
	f := parseClean(t, "__global__ void __launch_bounds__(2 * (64), 2) k() {}\n")
	m := f.Functions[0].LaunchBounds
	require.NotNil(t, m)
	assert.Equal(t, "__launch_bounds__", m.Name)
	assert.Equal(t, "2 * (64), 2", string(f.Src[m.ArgStart:m.ArgEnd]))
	assert.Equal(t, "__launch_bounds__(2 * (64), 2)", string(f.Src[m.Start:m.End]))
}

func TestLaunchView(t *testing.T) {
	cases := []struct{ src, want string }{
		{"k<<<1, 2>>>();", "k|k|1|2|()"},
		{"k <<< g, dim3(1, 2), n * sizeof(float), s >>> (a, b);", "k|k|g|dim3(1, 2)|n * sizeof(float)|s|(a, b)"},
		{"ns::m::k<float, 3><<<g, b>>>(a);", "k|ns::m::k<float, 3>|g|b|(a)"},
		{"k<A<int>><<<f<g<int>>(1), b>>>(a);", "k|k<A<int>>|f<g<int>>(1)|b|(a)"},
		{"(*p)<<<g, b>>>(a);", "|(*p)|g|b|(a)"},
		{"table[i]<<<g, b>>>(a);", "|table[i]|g|b|(a)"},
		{"o.k<<<g, b>>>(a);", "|o.k|g|b|(a)"},
		{"k<<<{1, 2}, {3}>>>(a);", "k|k|{1, 2}|{3}|(a)"},
		{"k<<<g, b, /* none */ 0>>>(a);", "k|k|g|b|0|(a)"},
		{"CHECK((k<<<g, b>>>(a)));", "k|k|g|b|(a)"},
		{"k<<<a ? b : c, n < 3 ? 1 : 2>>>(a);", "k|k|a ? b : c|n < 3 ? 1 : 2|(a)"},
	}
	for _, c := range cases {
		t.Run(c.src, func(t *testing.T) {
			f := parseClean(t, "void host() { "+c.src+" }")
			require.Len(t, f.Launches, 1)
			l := f.Launches[0]
			require.Nil(t, l.Error)
			words := []string{l.Kernel, f.Text(l.Callee)}
			for _, n := range l.Config {
				words = append(words, f.Text(n))
			}
			assert.Equal(t, c.want, strings.Join(append(words, f.Text(l.Args)), "|"))
			assert.Equal(t, "host", l.Function.Name)
			assert.Equal(t, byte('<'), f.Src[l.Open])
			assert.Equal(t, byte('>'), f.Src[l.Close-1])
			assert.Equal(t, strings.Contains(c.src, "k<float"), l.TemplateArgs != nil && f.Text(l.TemplateArgs) == "<float, 3>")
		})
	}
}

// TestLaunchByCallView: kernel, call, configuration and what it passes.
func TestLaunchByCallView(t *testing.T) {
	for src, want := range map[string]string{
		"cudaLaunchKernel((const void *)k, g, b, args, n, s);":                         "k|cudaLaunchKernel|g|b|n|s|args",
		"::cudaLaunchKernel(reinterpret_cast<void *>(&ns::k<float, 3>), g, 64, args);": "k|cudaLaunchKernel|g|64|args",
		"CHECK(cudaLaunchCooperativeKernel((void *)(k), g, b, args, 0));":              "k|cudaLaunchCooperativeKernel|g|b|0|args",
		"cudaLaunchKernelEx(&c, k<int>, a, n);":                                        "k|cudaLaunchKernelEx|c.gridDim|c.blockDim|c.dynamicSmemBytes|c.stream|a|n|",
		"cudaLaunchKernelExC(p, (void *)k, args);":                                     "k|cudaLaunchKernelExC|(p)->gridDim|(p)->blockDim|(p)->dynamicSmemBytes|(p)->stream|args",
		"cudaLaunchKernel(table[0], g, b, args);":                                      "",
		"cudaLaunchKernel((void *)s.k, g, b, args);":                                   "",
		"cudaLaunchKernel(k, g, b);":                                                   "",
		"my.cudaLaunchKernel(k, g, b, args);":                                          "",
	} {
		f := parseClean(t, "void host() { "+src+" }")
		if want == "" {
			assert.Empty(t, f.Launches, src)
			continue
		}
		require.Len(t, f.Launches, 1, src)
		l := f.Launches[0]
		words := []string{l.Kernel, l.Call}
		for i := range l.Config {
			words = append(words, l.ConfigText(f, i))
		}
		for _, a := range l.Arguments() {
			words = append(words, f.Text(a))
		}
		packed := ""
		if l.Packed != nil {
			packed = f.Text(l.Packed)
		}
		assert.Equal(t, want, strings.Join(append(words, packed), "|"), src)
		assert.Equal(t, f.Text(l.Callee), string(f.Src[l.Open:l.Close]), src)
	}
}

func TestLaunchThatDidNotParseHasAnError(t *testing.T) {
	for _, src := range []string{
		"void f() { k<<<1>>>(a); }",
		"void f() { k<<<1, 2, 3, 4, 5>>>(a); }",
		"void f() { k<<<1, 2>>>; }",
		"void f() { k<<<1, 2>>>(a b); }",
		"void f() { k<<<, >>>(a); }",
		"void f() { int k<<<1, 2>>>(a); }",
		"k<<<1, 2>>>(a) int",
	} {
		t.Run(src, func(t *testing.T) {
			f := parse(t, src)
			require.Len(t, f.Launches, 1)
			assert.NotNil(t, f.Launches[0].Error)
			assert.NotNil(t, f.Launches[0].Node)
		})
	}
}

func TestUnclosedLaunchIsNotMasked(t *testing.T) {
	f := parse(t, "void f() { k<<<1, 2; a >>> b; }")
	assert.Empty(t, f.Launches)
	assert.Contains(t, string(f.masked), "k<<<1, 2;")
}

func TestClassView(t *testing.T) {
	f := parseClean(t, "struct A; struct __align__(8) B { int x; }; template <> class C<int> : public B { enum { D }; struct E { } e; }; union U { int a; };")
	var names []string
	for _, c := range f.Classes {
		names = append(names, c.Name)
	}
	assert.Equal(t, []string{"B", "C", "E", "U"}, names)
}

func TestMacroQualifiers(t *testing.T) {
	f := parseClean(t, "#define SMEM __shared__\n#define HD __host__ __device__\nHD void f() { SMEM float a[3]; }")
	assert.Equal(t, QualShared, f.MacroQualifiers("SMEM"))
	assert.Equal(t, QualHost|QualDevice, f.MacroQualifiers("HD"))
	assert.Zero(t, f.MacroQualifiers("NONE"))
	assert.Equal(t, QualHost|QualDevice, f.Functions[0].Quals)
}

func TestMarksBetween(t *testing.T) {
	src := "__device__ void f() { __shared__ int a; } __global__ void k() {}"
	f := parseClean(t, src)
	names := func(start, end int) (out []string) {
		for _, m := range f.MarksBetween(start, end) {
			out = append(out, m.Name)
		}
		return out
	}
	assert.Equal(t, []string{"__device__", "__shared__", "__global__"}, names(0, len(src)))
	assert.Equal(t, []string{"__shared__"}, names(1, 40))
	assert.Empty(t, names(1, 25))
	assert.Empty(t, names(5, 5))
}

func TestPosition(t *testing.T) {
	f := parseClean(t, "int a;\r\nint b;\n\n  int c;")
	for offset, want := range map[int]string{0: "1:1", 5: "1:6", 7: "1:8", 8: "2:1", 15: "3:1", 18: "4:3", 23: "4:8", 24: "4:9", 99: "4:9", -1: "1:1"} {
		p := f.Position(offset)
		assert.Equal(t, want, fmt.Sprintf("%d:%d", p.Line, p.Column), "offset %d", offset)
	}
}

func TestNewline(t *testing.T) {
	assert.Equal(t, "\r\n", parseClean(t, "int a;\r\nint b;\r\n").Newline())
	assert.Equal(t, "\n", parseClean(t, "int a;\nint b;\r\nint c;\n").Newline())
	assert.Equal(t, "\n", parseClean(t, "int a;").Newline())
}
