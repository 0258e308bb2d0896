package cost_test

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/smux-cuda/smux/analysis/cost"
)

// Addresses of constant memory are answered one after the other.
func TestAReadOfConstantMemoryTakesItsAddressesInTurn(t *testing.T) {
	const kernel = `__constant__ unsigned char table[16][16];
__constant__ int one[4];
__global__ void k(const unsigned char *__restrict__ in, int *out, int n) { out[threadIdx.x] = AT; }
void run(const unsigned char *in, int *out, int n) { k<<<8, 64>>>(in, out, n); }`
	random := func(n float64) float64 { return n * (1 - math.Pow(1-1/n, 32)) }
	for at, want := range map[string]float64{
		"one[3]":                          0, // an operand
		"one[n]":                          0, // one address
		"one[blockIdx.x & 3]":             0,
		"one[threadIdx.x & 3]":            4,
		"one[threadIdx.x >> 4]":           2,
		"table[n][threadIdx.x & 15]":      16,
		"one[in[threadIdx.x]]":            random(4),
		"table[in[threadIdx.x] & 15][n]":  random(256),
		"table[0][in[threadIdx.x]]":       random(256),
		"one[threadIdx.x >> 5]":           0, // one for each warp
		"one[1] + one[2 + threadIdx.x*0]": 0,
	} {
		w := total(ofSource(t, strings.Replace(kernel, "AT", at, 1)))
		assert.InDelta(t, 2*want, w.Shared, 1e-9, at)
	}
}

// Words of shared memory that all lanes read pass together as far as the code loads several at a time.
func TestWordsThatAllLanesReadPassTogether(t *testing.T) {
	const kernel = `__global__ void k(float *out)
{
    __shared__ float s[64];
    s[threadIdx.x] = out[threadIdx.x];
    __syncthreads();
    float v = 0.0f;
    for (int i = 0; i < 64; ++i)
        v = v * v + s[AT];
    out[threadIdx.x] = v;
}
void run(float *out) { k<<<8, 64>>>(out); }`
	fronts := func(at string, emitted cost.Line) float64 {
		emitted.File, emitted.Line, emitted.In, emitted.Issue = "k.cu", 8, 8, 8
		lines := []cost.Line{{File: "k.cu", Line: 4, In: 4, Issue: 4, Memory: 8}, emitted, {File: "k.cu", Line: 9, In: 9, Issue: 2, Memory: 4}}
		return total(ofSource(t, strings.Replace(kernel, "AT", at, 1), lines...)).Shared
	}
	assert.InDelta(t, 1+64, fronts("i", cost.Line{Memory: 16, Loads: 4}), 1e-9, "a word at a time, four turns in a row")
	assert.InDelta(t, 1+32, fronts("i", cost.Line{Memory: 16, Loads: 2}), 1e-9)
	assert.InDelta(t, 1+16, fronts("i", cost.Line{Memory: 16, Loads: 1}), 1e-9)
	assert.InDelta(t, 1+64, fronts("i", cost.Line{Memory: 16}), 1e-9, "nothing is said of loads")
	assert.InDelta(t, 1+64, fronts("threadIdx.x ^ i", cost.Line{Memory: 16, Loads: 1}), 1e-9, "words of their own do not")
}

// An atomic operation on a static variable of the kernel goes to global memory, as one on a variable outside does.
func TestStaticVariablesLieInGlobalMemory(t *testing.T) {
	const kernel = `__device__ int outside;
__global__ void k(int *out) { static int own; out[threadIdx.x] = atomicAdd(&AT, 1); }
void run(int *out) { k<<<8, 64>>>(out); }`
	of := func(at string) float64 { return total(ofSource(t, strings.Replace(kernel, "AT", at, 1))).Access }
	assert.Equal(t, of("outside"), of("own"))
}
