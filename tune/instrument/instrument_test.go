package instrument

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/nvcc"
	"github.com/smux-cuda/smux/verify"
	"github.com/smux-cuda/smux/verify/build"
	"github.com/smux-cuda/smux/verify/execute"
)

func instrumented(t *testing.T, text, kernel string) string {
	t.Helper()
	texts, err := Launches(kernelOf(t, text, kernel))
	require.NoError(t, err)
	require.Len(t, texts, 1)
	return string(texts["p.cu"])
}

func TestALaunchKeepsItsPlace(t *testing.T) {
	text := "__global__ void k(int *a) { a[0] = 1; }\nvoid f(int *a, cudaStream_t s) {\n    if (a) k<<<1, 2>>>(a);\n    k<<<dim3(4), 32, 8, s>>>(a);\n}\n"
	body, ok := strings.CutPrefix(instrumented(t, text, "k"), prelude()+"#line 1 \"p.cu\"\n")
	require.True(t, ok)
	assert.Equal(t, "__global__ void k(int *a) { a[0] = 1; }\nvoid f(int *a, cudaStream_t s) {\n"+
		"    if (a) (::smux_launch::smux_begin(::smux_launch::smux_kernel(k), 1, 2), k<<<"+configuration+">>>(a), ::smux_launch::smux_end());\n"+
		"    (::smux_launch::smux_begin(::smux_launch::smux_kernel(k), dim3(4), 32, 8, s), k<<<"+configuration+">>>(a), ::smux_launch::smux_end());\n}\n", body)
}

// Other kernels' launches and the text of the kernel stay.
func TestOnlyLaunchesOfTheKernelAreTimed(t *testing.T) {
	text := instrumented(t, everywhere, "turn")
	assert.Equal(t, 8, strings.Count(text, "(::smux_launch::smux_begin("))
	assert.Contains(t, text, "    other<<<1, 64>>>(a);\n")
	assert.Equal(t, 1, strings.Count(instrumented(t, everywhere, "other"), "(::smux_launch::smux_begin("))
}

func TestWhatCannotBeTimed(t *testing.T) {
	for text, want := range map[string]string{
		"__global__ void k() {}": "p.cu:1:17: no launch of k is in view",
		"__global__ void k() {}\n__global__ void l() { k<<<1, 1>>>(); }":                                 "p.cu:2:24: the launch is made on the GPU",
		"template <class T> __global__ void k(T *) {}\nvoid f(int *a) { k<<<1, 1>>>(a); }":               "p.cu:2:19: the launch leaves the template's arguments to the compiler; write them out, so that the kernel has a name",
		"__global__ void k(int) {}\nint g();\nvoid f() { k<<<1, 1>>>(g()); }\nvoid h() { k<<<1>>>(1); }": "p.cu:4:13: the launch could not be parsed",
	} {
		_, err := Launches(kernelOf(t, text, "k"))
		assert.EqualError(t, err, want, text)
	}
}

// A kernel's address may go if nothing is launched; where it may be launched
// unseen, what is timed would be a part.
func TestAddressesOfTheKernel(t *testing.T) {
	const kernel = "__global__ void k(float *a) { a[0] = 1; }\n"
	for text, want := range map[string]string{
		"void f(float *a) { int n; cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, k, 32, 0); k<<<n, 32>>>(a); }":                  "",
		"template <class F> int about(F f) { return sizeof f; }\nvoid f(float *a) { k<<<about(&k), 32>>>(a); }":                      "",
		"void f(float *a) { int k = 1; g(k); }\nvoid h(float *a) { k<<<1, 32>>>(a); }":                                               "",
		"void f(float *a) { void (*p)(float *) = k; g(p); k<<<1, 32>>>(a); }":                                                        "",
		"void f(float *a) { void (*p)(float *) = k; p<<<1, 32>>>(a); k<<<1, 32>>>(a); }":                                             "p.cu:2:41: the address of k is taken here, and the program launches kernels by their addresses",
		"template <class F> void on(F f, float *a) { f<<<1, 32>>>(a); }\nvoid f(float *a) { on(k, a); k<<<1, 32>>>(a); }":            "p.cu:3:23: k is given to on, which may launch it where the launch can't be changed",
		"#define GO(f, a) f<<<1, 32>>>(a)\nvoid f(float *a) { GO(k, a); k<<<1, 32>>>(a); }":                                          "p.cu:3:23: k is given to GO, which may launch it where the launch can't be changed",
		"#define GO(a) k<<<1, 32>>>(a)\nvoid f(float *a) { GO(a); k<<<1, 32>>>(a); }":                                                "p.cu:1:17: macro GO launches k, where the launch can't be changed",
		"void f(float *a, cudaLaunchConfig_t *c) { cudaLaunchKernelEx(c, k, a); k<<<1, 32>>>(a); }":                                  "p.cu:2:65: k is given to cudaLaunchKernelEx, which may launch it where the launch can't be changed",
		"void f(float *a) { void *args[] = {&a}; ::cudaLaunchKernel((const void *)k, dim3(1), dim3(32), args, 0, 0); }":              "",
		"void l(float *);\nvoid f(float *a) { void *args[] = {&a}; cudaLaunchKernel((void *)l, 1, 1, args, 0, 0); k<<<1, 1>>>(a); }": "",
	} {
		_, err := Launches(kernelOf(t, kernel+text, "k"))
		if want == "" {
			assert.NoError(t, err, text)
			continue
		}
		assert.EqualError(t, err, want, text)
	}
	_, text, _ := strings.Cut(instrumented(t, kernel+"void f(float *a) { void *args[] = {&a}; CHECK(::cudaLaunchKernel((const void *)k, dim3(1), dim3(32), args, 0, 0)); }", "k"), "#line 1")
	assert.Contains(t, text, "CHECK(::smux_launch::smux_cudaLaunchKernel((const void *)k, dim3(1), dim3(32), args, 0, 0));")
}

// The compiler takes the text for what it is, in the oldest language that counts and
// without a warning.
func TestRealNVCCCompilesWhatIsTimed(t *testing.T) {
	toolkit, err := nvcc.Find()
	if err != nil {
		t.Skip("there is no nvcc")
	}
	toolkit.CacheDir = ""
	out := filepath.Join(t.TempDir(), "program")
	flags := []string{"-std=c++14", "-Xcompiler", "-Wall", "-Xcompiler", "-Werror", "-Werror", "all-warnings"}
	const named = "int k(int n) { return n; }\n__global__ void k(float *a) { *a = 1; }\nint f(float *a) { k<<<1, 32>>>(a); return k(3); }\n" // as POSIX has a function select
	r := nvcc.Request{
		Texts: map[string][]byte{"p.cu": []byte(instrumented(t, everywhere, "turn")), "q.cu": []byte(instrumented(t, named, "k"))},
		Units: []string{"p.cu", "q.cu"}, Arch: "sm_80", Flags: flags,
	}
	require.NoError(t, toolkit.Build(t.Context(), r, nil, nil, out))
	info, err := os.Stat(out)
	require.NoError(t, err)
	assert.NotZero(t, info.Mode()&0o111, "it can be run")
}

// On the CPU engine the program does what it did, and each launch gives a line:
// launches of other sizes and kernels don't.
func TestTimedProgramDoesTheSame(t *testing.T) {
	if _, err := build.Find(""); err != nil {
		t.Skip("there is no C++ compiler")
	}
	log := filepath.Join(t.TempDir(), "launches")
	// The engine hands on no environment, so that the program gives itself one.
	var env strings.Builder
	for _, e := range [][2]string{{EnvOut, log}, {EnvBytes, "128"}, {EnvCarveout, "100"}, {EnvThreads, "64"}, {EnvHold, "200"}} {
		fmt.Fprintf(&env, "setenv(%q, %q, 1); ", e[0], e[1])
	}
	program := strings.Replace(everywhere, "float h[256]", env.String()+"float h[256]", 1)
	verdict, err := verify.Run(t.Context(), verify.Request{
		Original:  verify.Program{Files: []verify.File{verify.NewFile("p.cu", []byte(program))}},
		Variants:  []verify.Variant{{Name: "timed", Separate: true, Program: verify.Program{Files: []verify.File{verify.NewFile("p.cu", []byte(instrumented(t, program, "turn")))}}}},
		Schedules: []execute.Schedule{{Kind: "ascending"}},
	})
	require.NoError(t, err)
	assert.True(t, verdict.Passed("timed"), "%+v", verdict)
	r, err := ReadLaunches(log)
	require.NoError(t, err)
	assert.Zero(t, len(r.Launches)%7, "seven launches in each run, got %d", len(r.Launches))
	assert.Positive(t, r.Launches[0].Blocks)
	assert.Positive(t, r.Milliseconds())
}
