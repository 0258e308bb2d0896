package cost_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/analysis/cost"
	"github.com/smux-cuda/smux/nvcc"
)

// registerCauses are bodies of kernels, each for one thing that registers are taken for,
// or not: as nvcc 11.8 compiles them for sm_80. a and b are arrays of floats, c of ints,
// d of doubles, n, m and f parameters, i is the thread's index.
var registerCauses = []struct {
	name string
	nvcc int
	body string
}{
	{"product", 10, `b[i] = a[i] * a[i];`},
	{"parameters are operands", 10, `b[i] = a[i] * f + n * m + f;`},
	{"named constants", 10, `const float one = 1.5f; float two = 2.5f; const int four = 4; b[i] = a[i] * one + two * four;`},
	{"temporaries that die", 10, `float t = a[i] * 2.0f; float u = t + 1.0f; float v = u * u; float w = v - 3.0f; b[i] = w * w;`},
	{"what nothing uses", 10, `float t = a[i + 1], u = a[i + 2], v = a[i + 3]; b[i] = a[i] * a[i];`},
	{"constant offsets share an address", 14, `b[i] = a[i] + a[i + 64] + a[i + 128] + a[i + 192];`},
	{"a long index", 10, `long long j = i; b[j] = a[j] * a[j];`},
	{"arguments of calls", 12, `float x = a[i], y = b[i]; b[i] = mixed(x, y) + mixed(y, x);`},
	{"on both sides of a branch", 12, `float x = a[i]; if (n > 3) { float y = x * f; b[i] = y * y + x; } else { float z = x + f; b[i] = z * z * x; }`},
	{"of one variable on both sides", 10, `float x = a[i], y; if (x > f) { y = x * x; } else { y = x + 2.0f; } b[i] = y;`},
	{"eight loads that meet", 22, `float p = a[i], q = a[i + n], r = a[i + 2 * n], s = a[i + 3 * n], t = a[i + 4 * n], u = a[i + 5 * n], v = a[i + 6 * n], w = a[i + 7 * n]; __syncthreads(); b[i] = p * q + r * s + t * u + v * w;`},
	{"turns whose loads go together", 32, `float sum = 0.0f; for (int j = 0; j < n; ++j) sum += a[j * m + i] * b[j * m + i] - a[j * n + i]; b[i] = sum;`},
	{"a flattened array", 26, `float v[16];
#pragma unroll
for (int j = 0; j < 16; ++j) v[j] = a[j * 64 + i];
__syncthreads();
#pragma unroll
for (int j = 0; j < 16; ++j) b[j * 64 + i] = v[15 - j] * v[j];`},
	{"an array that data indexes", 24, `float v[16]; for (int j = 0; j < 16; ++j) v[j] = a[j * 64 + i]; b[i] = v[c[i]];`},
	{"doubles", 16, `double p = d[i], q = d[i + n], r = d[i + 2 * n], s = d[i + 3 * n]; __syncthreads(); d[i] = p * q + r * s + p * s;`},
	{"members of a vector", 14, `float4 v = ((const float4 *)a)[i]; b[i] = v.x * v.y + v.z * v.w;`},
	{"vectors put together from members", 32, `const float4 *p = (const float4 *)a + i; float4 *q = (float4 *)b + i; float4 x = *p, y = x, z = y; for (int j = 0; j < n; ++j) { float4 c = *p, v; v.x = f * c.x + x.x - y.x * z.x; v.y = f * c.y + x.y - y.y * z.y; v.z = f * c.z + x.z - y.z * z.z; v.w = f * c.w + x.w - y.w * z.w; *q = v; x = c; z = y; y = v; p += m; q += m; }`},
	{"a shared tile", 18, `__shared__ float s[4][64]; s[threadIdx.y][threadIdx.x] = a[i]; __syncthreads(); b[i] = s[0][threadIdx.x] + s[1][threadIdx.x] + s[2][threadIdx.x] + s[3][threadIdx.x];`},
	{"turns that read the same", 32, `float sum = 0.0f; for (int j = 0; j < n; ++j) { for (int k = 0; k < m; ++k) sum += a[k * n + i] * b[j * m + k]; } b[i] = sum;`},
	{"a division of integers", 12, `c[i] = c[i] / n;`},
	{"a sine", 22, `b[i] = sinf(a[i]);`},
	{"a sine in double", 28, `d[i] = sin(d[i]);`},
	{"a function of a literal", 10, `b[i] = a[i] * sinf(0.5f);`},
	{"printf", 24, `if (a[i] > f) printf("%d\n", i);`},
	{"a branch that one block takes", 32, `if (blockIdx.x == 70000) { float sum = 0.0f; for (int j = 0; j < n; ++j) sum += a[j * m + i] * b[j * m + i]; b[i] = sum; }`},
}

const registerHead = `#include <cstdio>
__device__ float mixed(float x, float y) { float z = x * y; return z * z + x - y; }
`

func registerKernel(name, body string) string {
	return fmt.Sprintf("__global__ void %s(const float *__restrict__ a, float *__restrict__ b, int *__restrict__ c, double *__restrict__ d, int n, int m, float f) {\nint i = blockIdx.x * blockDim.x + threadIdx.x;\n%s\n}\n", name, body)
}

// registerProgram has all of them, and how many they are estimated to take.
func registerProgram(t *testing.T) (text string, estimates []int) {
	var b strings.Builder
	b.WriteString(registerHead)
	for i, c := range registerCauses {
		b.WriteString(registerKernel(fmt.Sprint("k", i), c.body))
	}
	ks := kernelsOf(t, "k.cu", b.String())
	require.Len(t, ks, len(registerCauses))
	for _, k := range ks {
		estimates = append(estimates, cost.Registers(k, nil, 0))
	}
	return b.String(), estimates
}

func TestRegistersAreNearThoseOfNvcc(t *testing.T) {
	_, estimates := registerProgram(t)
	for i, c := range registerCauses {
		assert.InDelta(t, c.nvcc, estimates[i], 7, c.name)
	}
}

func TestRecordedRegistersAreThoseOfNvcc(t *testing.T) {
	toolkit, err := nvcc.Find()
	if err != nil {
		t.Skip("no nvcc: the registers of small kernels were not compared with the compiler's")
	}
	text, _ := registerProgram(t)
	compiled, err := toolkit.Resources(context.Background(), nvcc.Request{Texts: map[string][]byte{"k.cu": []byte(text)}, Arch: "sm_80"})
	require.NoError(t, err)
	require.Len(t, compiled, len(registerCauses))
	for _, k := range compiled {
		var i int
		_, err := fmt.Sscanf(k.Name, "k%d", &i)
		require.NoError(t, err)
		assert.Equal(t, registerCauses[i].nvcc, k.Registers, registerCauses[i].name)
	}
}

// alike are bodies whose second form asks for no more registers than the first: what it
// adds, a compiler does not keep.
var alike = []struct{ property, one, other string }{
	{"a temporary that dies at once adds nothing", `b[i] = a[i] * a[i];`, `float t = a[i]; float u = t * t; b[i] = u;`},
	{"a parameter adds nothing", `b[i] = a[i] * 2.0f;`, `b[i] = a[i] * f;`},
	{"a value used by both branches counts once", `float x = a[i]; if (n > 3) { b[i] = x * x; }`, `float x = a[i]; if (n > 3) { b[i] = x * x; } else { b[i] = x + x; }`},
	{"values of two branches do not add up", `if (n > 3) { float p = a[i], q = a[i + n]; b[i] = p * q; }`, `if (n > 3) { float p = a[i], q = a[i + n]; b[i] = p * q; } else { float r = a[i], s = a[i + n]; b[i] = r - s; }`},
	{"what a function is passed counts once", `float x = a[i], y = a[i + n]; float z = x * y; b[i] = z * z + x - y;`, `float x = a[i], y = a[i + n]; b[i] = mixed(x, y);`},
	{"what nothing uses is not computed", `b[i] = a[i];`, `float p = a[i + 1], q = p * p; b[i] = a[i];`},
	{"an index widened to 64 bits is no second value", `b[i] = a[i];`, `size_t j = i; b[j] = a[j];`},
	{"a constant without const", `b[i] = a[i] * 3.0f;`, `float three = 3.0f; b[i] = a[i] * three;`},
	{"an old variable that is used again holds one value at a time", `float x = a[i]; b[i] = x; float y = a[i + n]; b[i + n] = y;`, `float x = a[i]; b[i] = x; x = a[i + n]; b[i + n] = x;`},
	{"a turn does not keep what the one before it loaded", `for (int j = 0; j < n; ++j) { b[j * m + i] = a[j * m + i]; }`, `for (int j = 0; j < n; ++j) { b[j * m + i] = a[j * m + i] + a[(j + 1) * m + i]; }`},
}

func TestWhatACompilerDoesNotKeepTakesNoRegister(t *testing.T) {
	for _, c := range alike {
		ks := kernelsOf(t, "k.cu", registerHead+registerKernel("one", c.one)+registerKernel("other", c.other))
		assert.LessOrEqual(t, cost.Registers(ks[1], nil, 0), cost.Registers(ks[0], nil, 0), c.property)
	}
}

func TestWhatOtherThreadsOrBlocksTakeCounts(t *testing.T) {
	heavy := `double p = d[i], q = d[i + n], r = d[i + 2 * n], s = d[i + 3 * n], t = d[i + 4 * n]; __threadfence(); d[i] = sin(p * q + r * s + t);`
	ks := kernelsOf(t, "k.cu", registerHead+registerKernel("all", heavy)+registerKernel("one", "if (blockIdx.x == 7 && threadIdx.x == 999) { "+heavy+" }")+
		"void run(const float *a, float *b, int *c, double *d) { all<<<8, 64>>>(a, b, c, d, 1, 1, 1.0f); one<<<8, 64>>>(a, b, c, d, 1, 1, 1.0f); }\n")
	assert.InDelta(t, cost.Registers(ks[0], nil, 0), cost.Registers(ks[1], nil, 0), 1)
}

func TestLoadsMadeEarlyFillTheSMAndNoMore(t *testing.T) {
	body := func(n int) string {
		return fmt.Sprintf("float v[%d];\n#pragma unroll\nfor (int j = 0; j < %d; ++j) b[j * 64 + i] = a[j * n + i];", n, n)
	}
	ks := kernelsOf(t, "k.cu", registerHead+registerKernel("few", body(4))+registerKernel("many", body(64)))
	few, many := cost.Registers(ks[0], nil, 0), cost.Registers(ks[1], nil, 0)
	assert.Greater(t, many, few)
	assert.LessOrEqual(t, many, 32)
}
