//go:build unix

package machine

import (
	"bufio"
	"bytes"
	"debug/elf"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/analysis/passes"
	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/nvcc"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/tune/record"
	"github.com/smux-cuda/smux/tune/replay"
	"github.com/smux-cuda/smux/tune/space"
)

// onFakeGPU is a program of which the host runs the kernel, by the runtime in testdata.
const onFakeGPU = `#include <cstdio>
#include <cstdlib>
#include <thread>

struct Factor { double by; Factor(double f) : by(f) {} };
__constant__ float gain;

namespace lib {
template <class T, int B> __global__ void k(const T *in, T *out, int n, Factor scale)
{
    const int i = blockIdx.x * B + threadIdx.x;
    if (i < n) out[i] = in[n - 1 - i] * scale.by * gain;
}
}

// What the host does in the kernel's place.
extern "C" void fake_kernel(const char *name, void (*run)(void **, dim3, dim3));
extern "C" void fake_loss(cudaError_t error);
static int calls = 0;
static void on_host(void **a, dim3 grid, dim3 block)
{
    const float *in = *(const float **)a[0];
    float *out = *(float **)a[1];
    const int n = *(int *)a[2];
    const double scale = ((Factor *)a[3])->by * *(float *)&gain;
    ++calls;
    for (int i = 0; i < (int)(grid.x * block.x); ++i)
        if (i < n) out[i] = in[n - 1 - i] * scale;
}
__attribute__((constructor)) static void kernels() { fake_kernel("1kIfLi64E", on_host); }

static void launched_by(const char *way, const float *in, float *out, int n)
{
    Factor two = 2;
    cudaStream_t stream;
    cudaSurfaceObject_t surface;
    cudaResourceDesc of;
    void *arguments[] = {&in, &out, &n, &two};
    cudaStreamCreate(&stream);
    switch (*way) {
    case 'g': cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal); break;
    case 's': cudaCreateSurfaceObject(&surface, &of); break;
    case 't': std::thread([&] { cudaDeviceReset(); }).join(); break;
    case 'c': cudaLaunchCooperativeKernel((void *)lib::k<float, 64>, 4, 64, arguments); return;
    case 'a': cudaLaunchKernel((void *)lib::k<float, 64>, 4, 64, arguments, 0, 0); return;
    case 'n': return;
    }
    lib::k<float, 64><<<4, 64, 0, stream>>>(in, out, n, two);
}

int main(int argc, char **argv)
{
    const int n = 250;
    float host[n], *in, *out, *gone;
    for (int i = 0; i < n; ++i) host[i] = i + 1;
    const float one = 1;
    cudaMemcpyToSymbol(gain, &one, sizeof one);
    cudaMalloc(&gone, 99);
    cudaMallocManaged(&out, sizeof host + 64);
    cudaMalloc(&in, sizeof host);
    cudaFree(gone);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    cudaMemset(out, 0, sizeof host + 64);
    launched_by(argc > 1 ? argv[1] : "", in, out, n);
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("%g %g\n", host[0], host[1]);
    return 3;
}
`

// realGPU is a machine with the nvcc that is here.
func realGPU(t *testing.T, p Program) *GPU {
	t.Helper()
	if testing.Short() {
		t.Skip("compiles with nvcc")
	}
	toolkit, err := nvcc.Find()
	if err != nil {
		t.Skip("needs nvcc (scripts/install-cuda.sh installs it): ", err)
	}
	toolkit.CacheDir = ""
	g, err := NewGPU(p, GPUOptions{Toolkit: toolkit, Arch: "sm_80", Use: []Device{{}}})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, g.Close()) })
	return g
}

// fakeGPU is one whose nvcc links programs with the runtime in testdata.
func fakeGPU(t *testing.T, text string, p Program) *GPU {
	t.Helper()
	p.Original, p.Kernels = map[string][]byte{"p.cu": []byte(text)}, []string{"k"}
	g := realGPU(t, p)
	dir := t.TempDir()
	object := filepath.Join(dir, "cudart.o")
	for _, command := range [][]string{
		{g.Toolkit.Path, "-c", "-Xcompiler", "-fPIC,-fvisibility=hidden", "-o", object, filepath.Join("testdata", "cudart.cc")},
		{"ar", "rcs", filepath.Join(dir, "libcudart_static.a"), object},
	} {
		said, err := exec.CommandContext(t.Context(), command[0], command[1:]...).CombinedOutput()
		require.NoError(t, err, "%s", said)
	}
	t.Setenv("NVCC_PREPEND_FLAGS", "-L"+dir)
	return g
}

func TestAFormIsMeasuredInAProgramOfNVCCs(t *testing.T) {
	g := fakeGPU(t, onFakeGPU, Program{Timeout: time.Minute})
	s, build := inProgram(t, g, g.Program)
	assert.Equal(t, replay.Stop{
		Launch: replay.Launch{Kernel: "lib::k<float, 64>", Grid: [3]uint{4, 1, 1}, Block: [3]uint{64, 1, 1}},
		Steady: true, Repeatable: true, Changed: s.stop.Changed,
	}, s.stop)
	const at = "if (i < n) out[i] = in[n - 1 - i] * scale;"
	first := strings.Replace(onFakeGPU, "if (i < n) out[i] = in[n - 1 - i] * scale.by;", "if (i < n) out[i] = scale.by * in[n - 1 - i];", 1)
	faults(t, build, first, map[string]fault{
		"a form":                {at, "if (i < n) out[i] = scale * in[n - 1 - i];", ""},
		"a missed element":      {at, "if (i < n - 1) out[i] = in[n - 1 - i] * scale;", ": byte 999 is 0x00"},
		"a byte outside":        {at, at + "((char *)(out + n))[5] = 7;", ": byte 1005 is 0x07, after the original 0x00"},
		"an input that changes": {at, at + "((float *)in)[3] = 9;", ": byte 1"},
		"a crash":               {at, at + "abort();", "the program ended in a launch of the form"},
		"an error of the GPU":   {at, at + "fake_loss(cudaErrorIllegalAddress);", "an illegal memory access"},
		"one launch of five":    {"++calls;", "if (++calls == 4) return;", ": byte"},
		"memory of its own":     atLaunch("cudaMalloc(&p, 8); cudaFree(p);", ""),
		"a leak":                atLaunch("cudaMalloc(&p, 8);", "4 allocations are there afterwards, after the original 2"),
		"an allocation less":    atLaunch("if (more_calls++) cudaFree(*(void **)arguments[0]);", "1 allocations are there afterwards, after the original 2"),
		"a launch that fails":   {"{ fake_kernel(", "{ if (0) fake_kernel(", "cudaErrorInvalidDeviceFunction"},
	})
	t.Run("no end", func(t *testing.T) {
		require.NoError(t, s.Close())
		s.on[0].program.Patience = 2 * time.Second
		b, err := build(changed(t, onFakeGPU, "++calls;", "while (*(volatile int *)&calls == 0) ;"), false)
		require.NoError(t, err)
		_, err = b.Check(t.Context(), 0)
		assert.Equal(t, record.FailedTimeout, kindOf(t, err))
	})
	t.Run("other launches", func(t *testing.T) { otherLaunches(t, s) })
	t.Run("the program goes on", func(t *testing.T) {
		wrong, err := build(changed(t, onFakeGPU, "++calls;", "in = out;"), false)
		require.NoError(t, err)
		goesOn(t, s.on[0].program.Path, wrong.(*launched).path)
	})
}

// otherLaunches makes a program launch its kernel in ways at which it can't be stopped, and some at which it can.
func otherLaunches(t *testing.T, s *Stopped) {
	t.Helper()
	for _, c := range []struct{ way, environment, want string }{
		{"graph", "", "captured into a graph"},
		{"surface", "", "surfaces"},
		{"threads", "", "several threads of the host"},
		{"cooperative", "", "a cooperative one"},
		{"none", "", "ended before the launch"},
		{"", "FAKE_CUDA_DEVICES=2", "several devices"},
		{"", "FAKE_CUDA_LOST=700", "as its name says"},
		{"", "FAKE_CUDA_FULL=1", ""},
		{"address", "", ""},
	} {
		t.Run(c.way+c.environment, func(t *testing.T) {
			p := s.on[0].program
			p.Args, p.Env = []string{c.way}, []string{c.environment}
			session, err := replay.Start(t.Context(), p)
			if c.want != "" {
				require.ErrorContains(t, err, c.want)
				return
			}
			require.NoError(t, err)
			defer session.Close()
			assert.Equal(t, s.stop, session.Stop)
		})
	}
}

// goesOn holds a program to print, and end, with a wrong form in between as it does alone.
func goesOn(t *testing.T, path, wrong string) {
	t.Helper()
	alone, stopped := exec.CommandContext(t.Context(), path), exec.CommandContext(t.Context(), path)
	want, err := alone.Output()
	require.Error(t, err)
	from, commands, err := os.Pipe()
	require.NoError(t, err)
	answers, to, err := os.Pipe()
	require.NoError(t, err)
	var got bytes.Buffer
	stopped.Env = append(os.Environ(), "SMUX_REPLAY=3,4,1,k")
	stopped.ExtraFiles, stopped.Stdout = []*os.File{from, to}, &got
	require.NoError(t, stopped.Start())
	require.NoError(t, to.Close())
	_, err = fmt.Fprintf(commands, "load w %s\ncheck w\ngo\n", wrong)
	require.NoError(t, err)
	var lines []string
	for said := bufio.NewScanner(answers); said.Scan(); {
		lines = append(lines, said.Text())
	}
	require.Len(t, lines, 3)
	assert.Equal(t, "ok", lines[1])
	assert.Contains(t, lines[2], "differs allocation")
	require.Error(t, stopped.Wait())
	assert.Equal(t, alone.ProcessState.ExitCode(), stopped.ProcessState.ExitCode())
	assert.Equal(t, "500 498\n", string(want))
	assert.Equal(t, string(want), got.String())
}

// TestAFormOfAnExampleIsBuiltForTheStoppedProgram: with the runtime that nvcc links. Without a GPU the program says so at its launch.
func TestAFormOfAnExampleIsBuiltForTheStoppedProgram(t *testing.T) {
	name := filepath.Join("..", "..", "examples", "rd", "rd.cu")
	prog, errs := parser.LoadProgram([]string{name}, parser.Options{})
	require.Empty(t, errs)
	g := realGPU(t, Program{Original: prog.Texts(), Kernels: []string{"reduce"}, Timeout: time.Minute})
	s, err := g.Stop(t.Context(), prog.Texts(), "reduce")
	if err == nil {
		defer s.Close()
	} else {
		require.ErrorContains(t, err, "CUDA")
	}
	input := func(prog *parser.Program) space.Input {
		analysed := passes.NewProgram(prog, [3]int{})
		h200, err := gpu.Lookup("h200")
		require.NoError(t, err)
		return space.Input{Program: prog, Analysed: analysed, Group: rewrite.Groups(analysed, analysed.Kernels(), rewrite.Options{})[0], GPU: h200}
	}
	plain := input(prog)
	more, err := space.Relaunch(prog, plain.Group.Kernels[0], replay.Launch{Kernel: "reduce<128>", Grid: [3]uint{64, 1, 1}, Block: [3]uint{128, 1, 1}})
	require.NoError(t, err)
	forms, _ := space.Enumerate(plain)
	merged := slices.IndexFunc(forms, func(f space.ListedVariant) bool { return f.Factor > 1 })
	for _, c := range []record.TunedVariant{{}, forms[merged].TunedVariant} {
		want, err := space.Emit(plain, c)
		require.NoError(t, err)
		texts, err := more.Form(input(more.Program), c, want.Texts(prog))
		require.NoError(t, err)
		path, err := g.library(t.Context(), Source{Texts: want.Texts(prog), Launch: &LaunchSource{Texts: texts, Unit: more.Unit}})
		require.NoError(t, err)
		library, err := elf.Open(path)
		require.NoError(t, err)
		defer library.Close()
		symbols, err := library.DynamicSymbols()
		require.NoError(t, err)
		assert.True(t, slices.ContainsFunc(symbols, func(s elf.Symbol) bool { return s.Name == replay.Function && s.Section != elf.SHN_UNDEF }), "%v", c)
	}
}
