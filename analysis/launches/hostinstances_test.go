package launches_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/smux-cuda/smux/lab/kerneltest"
)

// TestTemplateHostsGiveAShapeForEachInstance: a launch in a template host function has
// the shapes of its instances where all of them are in view, and an unknown one else.
func TestTemplateHostsGiveAShapeForEachInstance(t *testing.T) {
	const kernel = "template <int T> __global__ void k(float *a) { __shared__ float s[T * T]; s[threadIdx.x] = *a; }\n"
	const run = "template <int T> void run(float *a) { dim3 b(T, T); k<T><<<9, b>>>(a); }\n"
	for text, want := range map[string][]string{
		run + "void go(float *a) { run<16>(a); run<32>(a); run<16>(a); }":                                                           {"16x16", "32x32"},
		run + "const int T8 = 8; void go(float *a, int n) { switch (n) { case 8: run<T8>(a); break; } }":                            {"8x8"},
		"template <class F, int N> void run(F *a) { k<4><<<9, dim3(N, 2), N * 8>>>(a); }\nvoid go(float *a) { run<float, 64>(a); }": {"64x2"},
		run: {"unknown"},
		run + "void go(float *a) { run<16>(a); void (*p)(float *) = run<32>; p(a); }":                                  {"unknown"},
		run + "template void run<32>(float *);\nvoid go(float *a) { run<16>(a); }":                                     {"unknown"},
		run + "int first = (run<32>(0), 1);\nvoid go(float *a) { run<16>(a); }":                                        {"unknown"},
		run + "template <int N> void go(float *a) { run<N>(a); }\nvoid all(float *a) { go<16>(a); }":                   {"unknown"},
		run + "#define GO(n) run<n>(a)\nvoid go(float *a) { run<16>(a); GO(32); }":                                     {"unknown"},
		"template <int T = 32> void run(float *a) { k<T><<<9, T>>>(a); }\nvoid go(float *a) { run<>(a); run<16>(a); }": {"unknown"},
		run + "template <> void run<64>(float *a) { k<4><<<9, 4>>>(a); }\nvoid go(float *a) { run<16>(a); }":           {"unknown", "4"},
	} {
		k := kerneltest.First(t, kernel+text+"\n")
		var got []string
		for _, in := range k.Instances {
			got = append(got, in.String())
		}
		assert.Equal(t, want, got, text)
	}
}
