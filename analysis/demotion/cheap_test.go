package demotion_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/demotion"
	"github.com/smux-cuda/smux/analysis/evaluate"
	"github.com/smux-cuda/smux/analysis/passes"
	"github.com/smux-cuda/smux/lab/cudatest"
)

const cheapSource = `
__device__ float shared_by_two(const float *p, int n) {
    float s = 0;
    for (int x = 0; x < n; x++) s += p[x];
    return s;
}
__device__ float alone(const float *p, int n) {
    float s = 0;
#pragma unroll
    for (int y = 0; y < 4; y++) s += p[y * n];
    return s;
}
#define HIDDEN(v) do { v++; } while (v < 3)
__global__ void k(const float *__restrict__ a, float *out, int n, int unused) {
    __shared__ float tile[64];
    float *row = tile + threadIdx.x;
    int i = blockIdx.x * blockDim.x + threadIdx.x, count = 0, base = i * 3;
    const int at = base + 1;
    for (int r = 0; r < n; r++) {
        #pragma unroll (2)  // by hand
        for (int c = 0; c < 8; c++) out[at + c] += *row;
        count++;
    }
#pragma nounroll
    while (count > 0) count--;
    HIDDEN(count);
    out[i] = shared_by_two(a, n) + alone(a, 3) + count;
}
__global__ void other(const float *a, float *out) { out[threadIdx.x] = shared_by_two(a, 3); }
void run(float *a) { k<<<1, 64>>>(a, a, 10, 1); other<<<1, 64>>>(a, a); }
`

// kernels analyses a program.
func kernels(t *testing.T, src string) []*analysis.Kernel {
	return passes.NewProgram(cudatest.Program(t, "k.cu", src), [3]int{}).Kernels()
}

func TestLoopsAreListedWithWhatIsKnown(t *testing.T) {
	var got []string
	for _, l := range demotion.Of(kernels(t, cheapSource)[0], nil).Loops {
		got = append(got, fmt.Sprintf("%s depth %d factor %d trips %d", l.Name, l.Depth, l.Factor, l.Trips))
	}
	assert.Equal(t, []string{
		"19 depth 0 factor 0 trips 0", "21 depth 1 factor 2 trips 8", "25 depth 0 factor 1 trips 0", "10 depth 0 factor -1 trips 4",
	}, got, "neither those of macros nor of functions that others use")
}

func TestPinsAreListedWithWeights(t *testing.T) {
	var got []string
	for _, p := range demotion.Of(kernels(t, cheapSource)[0], nil).Pins {
		got = append(got, fmt.Sprintf("%s %t %t %g", p.Name, p.Pointer, p.ReadOnly, p.Weight))
	}
	assert.Equal(t, []string{
		"a true true 2", "out true false 101", "i false false 3", "count false false 52", "base false false 2", "at false false 101", "r false false 21", "c false false 310",
		"p@7 true true 10", "n@7 false false 10", "y false false 31",
	}, got, "neither pointers to shared memory, nor floats, nor what is not an index")
}

func TestLaunchBoundsFold(t *testing.T) {
	for bounds, want := range map[string]int{
		"128": 128, "T": 64, "T * 2, 3": 128, "(1 << 5) * W": 192, "0x40": 64, "N": 32, "N * 2, N": 64, "sizeof(int)": 0, "f(3)": 0, "T > 3 ? 4 : 5": 0, "010": 0,
	} {
		src := "#define T 64\nconst int W = 6;\ntemplate <int N> __global__ void __launch_bounds__(" + bounds + ") k(float *a) { a[0] = N; }\nvoid run(float *a) { k<32><<<1, 64>>>(a); }\n"
		k := kernels(t, src)[0]
		n, ok := evaluate.MaxThreads(k, k.Instances[0])
		assert.Equal(t, want > 0, ok, bounds)
		assert.Equal(t, want, n, bounds)
	}
}
