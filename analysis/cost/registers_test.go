package cost_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/smux-cuda/smux/analysis/cost"
)

func registersOf(t *testing.T, body string) int {
	return cost.Registers(kernelsOf(t, "k.cu", "__global__ void k(const float *__restrict__ a, float *__restrict__ b, int n) {\n"+body+"\n}\nvoid run(const float *a, float *b) { k<<<1, 64>>>(a, b, 3); }\n")[0], nil, 0)
}

func TestRegistersGrowWithWhatIsLive(t *testing.T) {
	const array = `T v[N];
#pragma unroll
for (int j = 0; j < N; ++j) v[j] = X[j * 64 + i];
__syncthreads();
#pragma unroll
for (int j = 0; j < N; ++j) X[j * 64 + i] = v[N - 1 - j] * v[j];`
	const memory = `T v[N]; for (int j = 0; j < N; ++j) v[j] = X[j * 64 + i]; X[i] = v[c[i]];`
	of := func(body, typ, array string) int {
		text := registerKernel("k", strings.NewReplacer("T", typ, "X", array, "N", "48").Replace(body))
		return cost.Registers(kernelsOf(t, "k.cu", text)[0], nil, 0)
	}
	assert.Greater(t, of(array, "float", "b"), 48)
	assert.Greater(t, of(array, "double", "d"), 96, "two words each")
	assert.LessOrEqual(t, of(memory, "float", "b"), 32, "an array that data indexes lies in memory")
}

func TestVariablesThatAreDeadTakeNoRegisters(t *testing.T) {
	serial := registersOf(t, "{ float p = a[0], q = a[1], r = a[2]; b[0] = p * q * r; } __syncthreads(); { float s = a[3], u = a[4], v = a[5]; b[1] = s * u * v; }")
	together := registersOf(t, "float p = a[0], q = a[1], r = a[2]; float s = a[3], u = a[4], v = a[5]; __syncthreads(); b[0] = p * q * r; b[1] = s * u * v;")
	assert.Less(t, serial, together)
}

func TestLaunchBoundsCapTheEstimate(t *testing.T) {
	const body = `float v[96];
#pragma unroll
for (int i = 0; i < 96; ++i) v[i] = a[i];
#pragma unroll
for (int i = 0; i < 96; ++i) b[i] = v[95 - i];
}
void run(const float *a, float *b) { k<<<1, 1024>>>(a, b); }
`
	free := cost.Registers(kernelsOf(t, "k.cu", "__global__ void k(const float *a, float *b) {\n"+body)[0], nil, 0)
	bound := cost.Registers(kernelsOf(t, "k.cu", "__global__ void __launch_bounds__(1024) k(const float *a, float *b) {\n"+body)[0], nil, 0)
	assert.Greater(t, free, 64)
	assert.Equal(t, 64, bound, "64 Ki registers over 1024 threads")
}

func TestHoistedCountsTheWordsOfTheLargestRegion(t *testing.T) {
	const head = "__global__ void k(const float4 *__restrict__ a, float *__restrict__ b) {\n__shared__ float4 s[64];\n"
	const tail = "__syncthreads();\nb[threadIdx.x] = s[63 - threadIdx.x].x;\n}\nvoid run(const float4 *a, float *b) { k<<<1, 64>>>(a, b); }\n"
	assert.Equal(t, 4, cost.Hoisted(kernelsOf(t, "k.cu", head+"s[threadIdx.x] = a[threadIdx.x];\n"+tail)[0]))
	assert.Equal(t, 0, cost.Hoisted(kernelsOf(t, "k.cu", head+"s[threadIdx.x] = make_float4(1, 2, 3, 4);\n"+tail)[0]))
}
