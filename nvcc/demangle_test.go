package nvcc

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNameIsThatOfTheFunctionWithItsArguments(t *testing.T) {
	for declaration, want := range map[string]string{
		"void k<16, float>(float const*, int)":                   "k<16, float>",
		"void k<(int)16, float>(const T2 *, T2 *, int)":          "k<16, float>",
		"void k<(bool)1, (unsigned int)3>()":                     "k<true, 3>",
		"void reduce<int, 512u, true>(int*, int*, unsigned int)": "reduce<int, 512, true>",
		"(anonymous namespace)::anon(int*)":                      "(anonymous namespace)::anon",
		"<unnamed>::anon(int *)":                                 "(anonymous namespace)::anon",
		"void ns::bar<ns::A, &(foo())>(ns::A)":                   "ns::bar<ns::A, &(foo())>",
		"void a::b<c<int>>::d<2>(int)":                           "a::b<c<int>>::d<2>",
		"plain":                                                  "plain",
		"fft1024(float2 const*, float2*)":                        "fft1024",
		"_GLOBAL__N__6a70b1da_4_t_cu_slow::anon(int*)":           "(anonymous namespace)::anon",
	} {
		require.Equal(t, want, functionName(declaration))
	}
}

func TestBaseIsTheNameInTheSource(t *testing.T) {
	for name, want := range map[string]string{
		"k": "k", "k<16, float>": "k", "ns::k<a::b, 3>": "k", "(anonymous namespace)::anon": "anon",
		"a::b<c::d>::e<2>": "e", "a::b<c::d>::f": "f",
	} {
		require.Equal(t, want, (&Kernel{Name: name}).Base())
	}
}

func FuzzFunctionName(f *testing.F) {
	f.Add("void k<(bool)1, (unsigned int)3>()")
	f.Add("(anonymous namespace)::anon(int*)")
	f.Fuzz(func(t *testing.T, declaration string) { _ = baseName(functionName(declaration)) })
}
