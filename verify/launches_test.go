package verify_test

import (
	"context"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/verify"
)

// Each case is a launch on a line of its own, with what is said of it after "want:".
const launches = `#include <cstdlib>
#define CASE(n) if (atoi(argv[1]) == n)
__global__ void plain(int *out) { atomicExch(out, 1); }
__global__ void __launch_bounds__(128) bounded(int *out) { out[threadIdx.x] = 1; }
__global__ void large(int *out) { __shared__ int s[12289]; s[threadIdx.x] = 1; out[threadIdx.x] = s[threadIdx.x]; }
__global__ void dynamic(int *out) { extern __shared__ int s[]; s[threadIdx.x] = 1; out[threadIdx.x] = s[threadIdx.x]; }
int main(int argc, char **argv) {
    int *out;
    cudaMalloc(&out, 4096);
    cudaFuncSetAttribute(dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, 100 << 10);
    CASE(0) plain<<<0, 32>>>(out); // want: a grid without blocks
    CASE(1) plain<<<1, 0>>>(out); // want: a block without threads
    CASE(2) plain<<<1, 1025>>>(out); // want: a block larger than 1024 threads
    CASE(3) plain<<<1, dim3(64, 32)>>>(out); // want: a block larger than 1024 threads
    CASE(4) plain<<<1, dim3(1, 1, 65)>>>(out); // want: 64 in z
    CASE(5) plain<<<dim3(1, 65536), 1>>>(out); // want: a grid larger than
    CASE(6) plain<<<dim3(1, 1, 65536), 1>>>(out); // want: a grid larger than
    CASE(7) bounded<<<1, 129>>>(out); // want: __launch_bounds__
    CASE(8) large<<<1, 32>>>(out); // want: more than 48 kB
    CASE(9) dynamic<<<1, 32, 100 << 10>>>(out); // want: NVIDIA T4 has for one, 65536 bytes
    CASE(10) dynamic<<<1, 32, 64 << 10>>>(out);
    CASE(11) plain<<<dim3(1, 65535), 1>>>(out);
    CASE(12) plain<<<1, dim3(32, 32)>>>(out);
    CASE(13) bounded<<<1, 128>>>(out);
}
`

// TestLaunchesThatWouldFailAreFound: each with its reason and at its line, as CUDA refuses it; those at the limits are not.
func TestLaunchesThatWouldFailAreFound(t *testing.T) {
	needCompiler(t)
	r := verify.Request{
		Original:  verify.Program{Files: []verify.File{verify.NewFile("launches.cu", []byte(launches))}},
		Schedules: verify.DefaultSchedules(1)[:1], Board: &verify.Board{Name: "NVIDIA T4", Shared: 64 << 10},
	}
	want := map[string]string{}
	for i, line := range strings.Split(launches, "\n") {
		if _, text, ok := strings.Cut(line, "want: "); ok {
			want["launches.cu:"+strconv.Itoa(i+1)] = text
		}
	}
	require.Len(t, want, 10)
	for i := range strings.Count(launches, " CASE(") {
		r.Args = append(r.Args, []string{strconv.Itoa(i)})
	}
	v, err := verify.Run(context.Background(), r)
	require.NoError(t, err)
	require.Empty(t, v.Failures)
	found := map[string]string{}
	for _, f := range v.Findings {
		assert.Equal(t, verify.CodeLaunchError, f.Message.Code, f.Message)
		found["launches.cu:"+strconv.Itoa(f.Message.Pos.Line)] = f.Message.Text
	}
	for at, text := range want {
		assert.Contains(t, found[at], text, at)
	}
	assert.Len(t, found, len(want), "%v", found)
}

// TestWhatLiesOutsideIsInNoRace: threads that meet after an end or in front of a beginning are found there alone, and the race
// after that inside the array is found as well.
func TestWhatLiesOutsideIsInNoRace(t *testing.T) {
	needCompiler(t)
	const text = `__global__ void k(int *a, int *out) {
    __shared__ int s[32];
    s[threadIdx.x] = a[64 + threadIdx.x % 2];
    a[64 + threadIdx.x % 2] = threadIdx.x;
    a[-1 - int(threadIdx.x) % 2] = threadIdx.x;
    s[32 + threadIdx.x % 2] = threadIdx.x;
    out[threadIdx.x] = s[31 - threadIdx.x];
}
int main() {
    int *a, *out;
    cudaMalloc(&a, 64 * sizeof(int));
    cudaMemset(a, 0, 64 * sizeof(int));
    cudaMalloc(&out, 32 * sizeof(int));
    k<<<1, 32>>>(a, out);
    cudaDeviceSynchronize();
}
`
	v, err := verify.Run(context.Background(), verify.Request{
		Original: verify.Program{Files: []verify.File{verify.NewFile("outside.cu", []byte(text))}}, Schedules: verify.DefaultSchedules(1)[:1]})
	require.NoError(t, err)
	var outside, races []int
	for _, f := range v.Findings {
		switch f.Message.Code {
		case verify.CodeOutOfBounds:
			outside = append(outside, f.Message.Pos.Line)
		case verify.CodeRace:
			races = append(races, f.Message.Pos.Line)
		}
	}
	assert.ElementsMatch(t, []int{3, 4, 5, 6}, outside)
	for _, line := range races {
		assert.Contains(t, []int{3, 7}, line)
	}
	assert.NotEmpty(t, races)
}
