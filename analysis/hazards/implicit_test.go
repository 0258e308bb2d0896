package hazards_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestOnlyKernelsThatCanRunImplicitCodeAreRefusedForIt(t *testing.T) {
	const other = "struct Other { int at; __device__ Other() { at = blockIdx.x; } };\n"
	const plus = "struct Num { float f; };\n__device__ Num operator+(Num a, Num b) { Num r; r.f = a.f + b.f + blockIdx.x; return r; }\n"
	for _, c := range []struct{ name, before, template, local, value, refused string }{
		{"a class of another kernel", other + "__global__ void use(int *o);", "", "", "a[i]", ""},
		{"an object", other, "", "Other o;", "a[i] + o.at", "Other::Other uses"},
		{"an object by another name", other + "typedef Other Alias;", "", "Alias o;", "a[i] + o.at", "Other::Other uses"},
		{"a pointer's typedef", other + "typedef Other *Alias;", "", "Alias o = 0;", "a[i] + o->at", "Other::Other uses"},
		{"a member", other + "struct Two { Other o; };", "", "Two o;", "a[i] + o.o.at", "Other::Other uses"},
		{"a base", other + "struct Two : Other {};", "", "Two o;", "a[i] + o.at", "Other::Other uses"},
		{"made by a function", other + "__device__ Other make() { return Other(); }", "", "", "a[i] + make().at", "Other::Other uses"},
		{"made by a member function", other + "struct Maker { __device__ Other make(); };\n__device__ Other Maker::make() { return Other(); }", "", "Maker m;", "a[i] + m.make().at", "Other::Other uses"},
		{"behind a macro", other + "#define O Other", "", "O o;", "a[i] + o.at", "Other::Other uses"},
		{"a pasted name", other + "#define NAME(a, b) a##b", "", "", "a[i] + NAME(Oth, er)().at", "Other::Other uses"},
		{"a default type", other + "template <typename T = Other> struct Box { T t; };", "", "Box<> o;", "a[i] + o.t.at", "Other::Other uses"},
		{"a type that launches give", other, "template <typename T>", "T o;", "a[i] + o.at", "Other::Other uses"},
		{"a constant", other + "__constant__ Other fixed;", "", "", "a[i] + fixed.at", "Other::Other uses"},
		{"a class made from another", other + "struct From { Other o; }; struct Plain { int x; };", "", "Plain p;", "a[i]", ""},
		{"an operator", plus, "", "Num n; n.f = a[i];", "(n + n).f", "operator+ uses"},
		{"an operator of a class that is not here", plus, "", "", "a[i] + 1", ""},
		{"one by way of a constructor", "struct E { float f; };\nstruct Num { float f; __device__ Num(E e) : f(e.f) {} };\n__device__ float operator+(Num a, Num b) { return a.f + b.f + blockIdx.x; }", "", "E n; n.f = a[i];", "n + n", "operator+ uses"},
		{"one whose parameter has another name", "struct Num { float f; };\ntypedef Num Alias;\n__device__ float operator+(Alias a, Alias b) { return a.f + b.f + blockIdx.x; }", "", "Num n; n.f = a[i];", "n + n", "operator+ uses"},
		{"one of CUDA's vectors", "__device__ float4 operator*(float4 a, float b) { a.x *= b + blockIdx.x; return a; }", "", "", "(make_float4(a[i], 0, 0, 0) * 2).x", "operator* uses"},
		{"assembly in a functor", "struct F { __device__ float operator()(float x) const { asm volatile(\"bar.sync 0;\"); return x; } };", "", "F f;", "f(a[i])", "asm: inline assembly names"},
		{"an unknown call in a functor", "__device__ float mystery(float);\nstruct F { __device__ float operator()(float x) const { return mystery(x); } };", "", "F f;", "f(a[i])", "a call of mystery"},
		{"an unknown call behind one", "__device__ float mystery(float);\n__device__ float inner(float x) { return mystery(x); }\nstruct F { __device__ float operator()(float x) const { return inner(x); } };", "", "F f;", "f(a[i])", "a call of mystery"},
		{"an unknown call in a functor that is not here", "__device__ float mystery(float);\nstruct F { __device__ float operator()(float x) const { return mystery(x); } };", "", "", "a[i]", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := strings.Join(hazards(t, calling(c.before, c.template, c.local, c.value)), "\n")
			if c.refused == "" {
				assert.Empty(t, got)
				return
			}
			assert.Contains(t, got, c.refused)
		})
	}
}
