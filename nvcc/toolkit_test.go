package nvcc

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// real returns the installed toolkit, with a cache of its own.
func real(t testing.TB) *Toolkit {
	t.Helper()
	if testing.Short() {
		t.Skip("compiles with nvcc")
	}
	toolkit, err := Find()
	if err != nil {
		t.Skip("needs nvcc: ", err)
	}
	if _, err := toolkit.Version(); err != nil {
		t.Skip("needs an nvcc that runs: ", err)
	}
	toolkit.CacheDir = t.TempDir()
	return toolkit
}

// example is a request for one of the example programs on a recent architecture.
func example(t testing.TB, toolkit *Toolkit, name string) (Request, string) {
	t.Helper()
	path := filepath.Join("..", "examples", name, name+".cu")
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	arch, _ := toolkit.NearestArch("8.0")
	return Request{Texts: map[string][]byte{path: text}, Arch: arch}, path
}

func TestVersionAndArchitectures(t *testing.T) {
	toolkit := real(t)
	version, err := toolkit.Version()
	require.NoError(t, err)
	require.Regexp(t, `^\d+\.\d+$`, version)
	archs, err := toolkit.Archs()
	require.NoError(t, err)
	require.NotEmpty(t, archs)
	for _, a := range archs {
		arch, exact := toolkit.NearestArch(a)
		require.Equal(t, a, arch)
		require.True(t, exact)
	}
	lowest, exact := toolkit.NearestArch("1.3")
	require.Equal(t, archs[0], lowest)
	require.False(t, exact)
}

func TestExamplesUseTheSharedBytesThatTheyDeclare(t *testing.T) {
	toolkit := real(t)
	// Table 1's figures include what cc 1.x adds, hence the margin.
	for name, bytes := range map[string]int{"fft": 8736, "mm": 2084, "rd": 540} {
		r, path := example(t, toolkit, name)
		kernels, err := toolkit.Resources(t.Context(), r)
		require.NoError(t, err)
		require.NotEmpty(t, kernels)
		for _, k := range kernels {
			require.InDelta(t, bytes, k.StaticShared, 64, k.Name)
			require.Positive(t, k.Registers)
			require.LessOrEqual(t, k.Registers, 255)
			require.Equal(t, path, k.Unit)
			require.Equal(t, r.Arch, k.Arch)
			require.GreaterOrEqual(t, k.Barriers, 1)
		}
	}
}

const instances = `#include "count.h"
namespace { template<class T> __global__ void hidden(T* p) { *p = COUNT; } }
template<int N, class T> __global__ void k(const T* a, T* b, int n)
{
	__shared__ T s[N];
	T sum = 0;
	for (int i = 0; i < n; i++) {
		s[threadIdx.x] = a[i * N + threadIdx.x];
		__syncthreads();
		sum += s[N - 1 - threadIdx.x];
		__syncthreads();
	}
	b[threadIdx.x] = sum;
}
template __global__ void k<64, float>(const float*, float*, int);
template __global__ void k<128, double>(const double*, double*, int);
void launch(int* p) { hidden<<<1, 1>>>(p); }
`

func instancesRequest(t *testing.T, toolkit *Toolkit) (Request, string) {
	dir := filepath.Join(t.TempDir(), "with blank, comma")
	write(t, filepath.Join(dir, "include", "count.h"), []byte("#define COUNT 3\n"))
	unit := filepath.Join(dir, "k.cu")
	arch, _ := toolkit.NearestArch("8.0")
	return Request{Texts: map[string][]byte{unit: []byte(instances)}, Includes: []string{filepath.Join(dir, "include")}, Arch: arch}, unit
}

func TestInstancesOfATemplateAreKeptApart(t *testing.T) {
	toolkit := real(t)
	r, _ := instancesRequest(t, toolkit)
	kernels, err := toolkit.Resources(t.Context(), r)
	require.NoError(t, err)
	shared := map[string]int{}
	for _, k := range kernels {
		shared[k.Name] = k.StaticShared
	}
	require.Equal(t, map[string]int{"k<64, float>": 256, "k<128, double>": 1024, "(anonymous namespace)::hidden<int>": 0}, shared)
}

func TestLinesSayWhatTheSourceDoes(t *testing.T) {
	toolkit := real(t)
	r, unit := instancesRequest(t, toolkit)
	listings, err := toolkit.Lines(t.Context(), r)
	require.NoError(t, err)
	checked := 0
	for _, l := range listings {
		if l.Base() != "k" {
			continue
		}
		checked++
		lines := l.ByLine()
		load, barrier, read := lines[Place{unit, 8}], lines[Place{unit, 9}], lines[Place{unit, 10}]
		require.Positive(t, load.GlobalLoads)
		require.Equal(t, load.GlobalLoads, load.SharedStores, "each turn loads one and stores one")
		require.Equal(t, load.GlobalLoads, barrier.Barriers)
		require.Equal(t, load.GlobalLoads, read.SharedLoads)
		require.Zero(t, barrier.SharedLoads+barrier.GlobalLoads)
		require.Equal(t, load.GlobalLoadBytes, load.SharedStoreBytes)
		require.NotEmpty(t, l.Loops)
		for _, loop := range l.Loops {
			body := l.Body(loop.ID)
			require.Equal(t, unit, loop.Branch.File)
			require.Equal(t, 2*loop.Unrolled, body.Barriers)
			if loop.Step != 0 {
				require.Equal(t, loop.Unrolled, max(loop.Step, -loop.Step), "the counter goes by ones")
			}
		}
	}
	require.Equal(t, 2, checked)
	_, err = toolkit.Resources(t.Context(), r)
	require.NoError(t, err)
	require.LessOrEqual(t, toolkit.runs, 2, "an answer with lines holds the resources too: nvcc and nvdisasm ran once")
}

func TestUnrollingShowsInTheListing(t *testing.T) {
	toolkit := real(t)
	arch, _ := toolkit.NearestArch("8.0")
	texts := map[string][]byte{}
	for _, times := range []string{"1", "2", "4", "8"} {
		texts["unroll"+times+".cu"] = []byte("__global__ void k(const float* a, float* b, int n)\n{\n\tfloat sum = 0;\n" +
			"#pragma unroll " + times + "\n\tfor (int i = 0; i < n; i++)\n\t\tsum += a[i * 64 + threadIdx.x];\n\tb[threadIdx.x] = sum;\n}\n")
	}
	listings, err := toolkit.Lines(t.Context(), Request{Texts: texts, Arch: arch})
	require.NoError(t, err)
	require.Len(t, listings, len(texts))
	for _, l := range listings {
		most := 0
		for _, loop := range l.Loops {
			most = max(most, l.Body(loop.ID).GlobalLoads)
			// The compiler may go on unrolling, but all evidence must agree.
			if loop.Unrolled > 0 {
				require.Equal(t, l.Body(loop.ID).GlobalLoads, loop.Unrolled, l.Unit)
			}
			if loop.Step != 0 {
				require.Equal(t, l.Body(loop.ID).GlobalLoads, max(loop.Step, -loop.Step), l.Unit)
			}
		}
		asked, err := strconv.Atoi(strings.Trim(l.Unit, "unrol.c"))
		require.NoError(t, err)
		require.GreaterOrEqual(t, most, asked, l.Unit)
		require.Zero(t, most%asked, l.Unit)
	}
}

func TestLineTablesCostNoRegisters(t *testing.T) {
	toolkit := real(t)
	for _, name := range []string{"fft", "sp"} {
		r, _ := example(t, toolkit, name)
		plain, err := toolkit.Resources(t.Context(), r)
		require.NoError(t, err)
		_, err = toolkit.Lines(t.Context(), r)
		require.NoError(t, err)
		withLines, err := toolkit.Resources(t.Context(), r)
		require.NoError(t, err)
		require.Equal(t, len(plain), len(withLines))
		for i := range plain {
			require.Equal(t, plain[i].Registers, withLines[i].Registers)
		}
	}
}

func TestRefusedFileHasNVCCsMessage(t *testing.T) {
	toolkit := real(t)
	dir := t.TempDir()
	arch, _ := toolkit.NearestArch("8.0")
	for text, want := range map[string]struct {
		line    int
		message string
	}{
		"__global__ void k(int* p)\n{\n\t*p = 1\n}\n":      {4, `expected a ";"`},
		"#include \"nowhere.h\"\n__global__ void k() {}\n": {1, "nowhere.h"},
		"#include \"broken.h\"\n__global__ void k() {}\n":  {2, "undefined"},
	} {
		header := filepath.Join(dir, "broken.h")
		unit := filepath.Join(dir, "k.cu")
		_, err := toolkit.Resources(t.Context(), Request{Arch: arch, Texts: map[string][]byte{
			unit: []byte(text), header: []byte("#pragma once\n__device__ int f() { return missing; }\n"),
		}})
		var refused *CompileError
		require.ErrorAs(t, err, &refused)
		require.Equal(t, want.line, refused.Line)
		require.Contains(t, refused.Message, want.message)
		require.Equal(t, dir, filepath.Dir(refused.File), "the file that the person has")
		require.Contains(t, refused.Error(), refused.File+":"+strconv.Itoa(want.line)+": ")
	}
	_, err := toolkit.Resources(t.Context(), Request{Arch: "sm_10", Texts: map[string][]byte{"k.cu": []byte("__global__ void k() {}")}})
	var refused *CompileError
	require.ErrorAs(t, err, &refused)
	require.Contains(t, refused.Message, "sm_10")
}

func TestHostCompilerThatIsNotThereIsNamed(t *testing.T) {
	toolkit := real(t)
	r, _ := example(t, toolkit, "rd")
	r.Flags = []string{"-ccbin", filepath.Join(t.TempDir(), "no-such-compiler")}
	_, err := toolkit.Resources(t.Context(), r)
	var refused *CompileError
	require.ErrorAs(t, err, &refused)
	require.Contains(t, refused.Output, "no-such-compiler")
	require.Contains(t, refused.Help, "host compiler")
}

func TestChangedHeaderIsCompiledAnew(t *testing.T) {
	toolkit := real(t)
	dir := t.TempDir()
	header := filepath.Join(dir, "size.h")
	arch, _ := toolkit.NearestArch("8.0")
	r := Request{Arch: arch, Texts: map[string][]byte{filepath.Join(dir, "k.cu"): []byte(
		"#include \"size.h\"\n__global__ void k(int* p) { __shared__ int s[SIZE]; s[threadIdx.x] = *p; __syncthreads(); *p = s[SIZE - 1 - threadIdx.x]; }\n")}}
	past := time.Now().Add(-time.Hour)
	for _, size := range []int{128, 256, 128} {
		write(t, header, []byte("#define SIZE "+strconv.Itoa(size)+"\n"))
		require.NoError(t, os.Chtimes(header, past, past)) // neither size nor time tells
		for range 2 {
			kernels, err := toolkit.Resources(t.Context(), r)
			require.NoError(t, err)
			require.Equal(t, 4*size, kernels[0].StaticShared)
		}
	}
	require.Equal(t, 3, toolkit.runs)
}

func TestVariantInMemoryIsCompiledInPlaceOfTheFile(t *testing.T) {
	toolkit := real(t)
	dir := t.TempDir()
	unit := filepath.Join(dir, "src", "k.cu")
	write(t, unit, []byte("this is on disk and no CUDA"))
	write(t, filepath.Join(dir, "common", "up.h"), []byte("#include \"../src/size.cuh\"\n"))
	write(t, filepath.Join(dir, "src", "size.cuh"), []byte("#define SIZE 32\n"))
	write(t, filepath.Join(dir, "src", "beside.h"), []byte("#include \"size.cuh\"\n"))
	arch, _ := toolkit.NearestArch("8.0")
	texts := map[string][]byte{
		unit:                                  []byte("#include \"beside.h\"\n__global__ void k(int* p) { __shared__ int s[SIZE]; s[threadIdx.x] = *p; __syncthreads(); *p = s[SIZE - 1 - threadIdx.x]; }\n"),
		filepath.Join(dir, "src", "size.cuh"): []byte("#define SIZE 64\n"),
	}
	kernels, err := toolkit.Resources(t.Context(), Request{Arch: arch, Texts: texts})
	require.NoError(t, err)
	require.Equal(t, 256, kernels[0].StaticShared, "also by way of a header on disk that lies beside")

	texts[unit] = []byte(strings.Replace(string(texts[unit]), "beside.h", "../common/up.h", 1))
	kernels, err = toolkit.Resources(t.Context(), Request{Arch: arch, Texts: texts})
	if err == nil {
		require.Equal(t, 256, kernels[0].StaticShared)
	} else {
		require.ErrorContains(t, err, "size.cuh")
	}
	onDisk, err := os.ReadFile(unit)
	require.NoError(t, err)
	require.Equal(t, "this is on disk and no CUDA", string(onDisk))
}

// TestAHeaderOfAnIncludeFolderIsTheTextOfTheRequest: both folders hold texts of the
// request, and the unit names the header as the folder's -I has it found.
func TestAHeaderOfAnIncludeFolderIsTheTextOfTheRequest(t *testing.T) {
	toolkit := real(t)
	dir := t.TempDir()
	header, unit := filepath.Join(dir, "inc", "row.cuh"), filepath.Join(dir, "src", "main.cu")
	const kernel = "__global__ void k(int *p) { __shared__ int s[64]; s[threadIdx.x] = *p; __syncthreads(); *p = s[63 - threadIdx.x]; }\n"
	for _, folder := range []string{"inc", "src"} {
		require.NoError(t, os.Mkdir(filepath.Join(dir, folder), 0o777))
	}
	write(t, header, []byte(kernel))
	arch, _ := toolkit.NearestArch("8.0")
	request := func(text string) Request {
		return Request{Arch: arch, Includes: []string{filepath.Join(dir, "inc")}, Units: []string{unit}, Texts: map[string][]byte{
			header: []byte(text), unit: []byte("#include \"row.cuh\"\nvoid run(int *p) { k<<<1, 64>>>(p); }\n")}}
	}
	for _, want := range []int{256, 512} {
		kernels, err := toolkit.Resources(t.Context(), request(strings.Replace(kernel, "int s[64]", fmt.Sprintf("int s[%d]", want/4), 1)))
		require.NoError(t, err)
		require.Len(t, kernels, 1)
		assert.Equal(t, want, kernels[0].StaticShared)
	}
}

// BenchmarkCachedAnswer measures a call whose answer is kept.
func BenchmarkCachedAnswer(b *testing.B) {
	toolkit := real(b)
	r, _ := example(b, toolkit, "fft")
	_, err := toolkit.Lines(b.Context(), r)
	require.NoError(b, err)
	b.ResetTimer()
	for b.Loop() {
		// A new process knows nothing yet.
		fresh := At(toolkit.Path)
		fresh.CacheDir = toolkit.CacheDir
		if _, err := fresh.Lines(b.Context(), r); err != nil || fresh.runs > 0 {
			b.Fatal(err, fresh.runs)
		}
	}
}
