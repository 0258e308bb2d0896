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

func TestMangledNamesAreReadWithoutADemangler(t *testing.T) {
	for mangled, want := range map[string]string{
		"_Z7fft1024PK6float2PS_":             "fft1024",
		"_Z1kILi100EdEvPKT0_PS0_i":           "k<100, double>",
		"_Z1kILb1ELj3EEvv":                   "k<true, 3>",
		"_Z1kILin4EEvv":                      "k<-4>",
		"_Z6reduceIiLj512ELb1EEvPT_S1_j":     "reduce<int, 512, true>",
		"_ZN2ns3barIPKfEEvT_":                "ns::bar<float const*>",
		"_Z3addI6float4EvPT_":                "add<float4>",
		"_ZN12_GLOBAL__N_14anonEPi":          "(anonymous namespace)::anon",
		"_ZN4some5outer5innerILi2EEEvv":      "some::outer::inner<2>",
		"_ZN2ns3barIN2ns1AEXadL_Z3foovEEEv_": "", // not simple: kept as it is
		"_Z":                                 "",
		"_Z99short":                          "",
		"main":                               "",
		"_Z1kIIIIIIIIII":                     "",
	} {
		name, ok := readMangled(mangled)
		require.Equal(t, want != "", ok, mangled)
		if ok {
			require.Equal(t, want, name)
		}
	}
}

func TestDemanglersAgreeOnSimpleNames(t *testing.T) {
	toolkit := At("nvcc")
	mangled := []string{"_Z7fft1024PK6float2PS_", "_Z1kILi100EdEvPKT0_PS0_i", "_Z6reduceIiLj512ELb1EEvPT_S1_j", "_ZN2ns3barIPKfEEvT_"}
	if toolkit.filtered(t.Context(), mangled) == nil {
		t.Skip("neither c++filt nor cu++filt is installed")
	}
	said := toolkit.demangle(t.Context(), mangled)
	for _, m := range mangled {
		own, _ := readMangled(m)
		require.Equal(t, said[m], own)
	}
}

func FuzzReadMangled(f *testing.F) {
	f.Add("_Z1kILi100EdEvPKT0_PS0_i")
	f.Add("_ZN2ns3barIPKfLb1EEEvT_")
	f.Fuzz(func(t *testing.T, mangled string) {
		if name, ok := readMangled(mangled); ok {
			require.NotEmpty(t, name)
			_ = baseName(name)
		}
		_ = functionName(mangled)
	})
}
