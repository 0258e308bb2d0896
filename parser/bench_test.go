package parser

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// generateCUDA writes varied CUDA code of at least the given number of lines:
// macros, device functions, kernels with shared memory, host code.
func generateCUDA(lines int) []byte {
	var b strings.Builder
	b.WriteString("#include <cstdio>\n#include \"common.h\"\n#define BLOCK 128\n#define AT(i, j) tile[(i)][(j)]\n" +
		"#define HD __host__ __device__ __forceinline__\n#define FOR(i, n) for (int i = 0; i < (n); ++i)\n")
	for k := 0; ; k++ {
		fmt.Fprintf(&b, generatedUnit, k)
		if (k+1)*generatedUnitLines >= lines {
			break
		}
	}
	return []byte(b.String())
}

var generatedUnitLines = strings.Count(generatedUnit, "\n")

const generatedUnit = `
// Unit %[1]d: a tiled stencil with a reduction.
#define RADIUS_%[1]d (%[1]d %% 7 + 1)

struct __align__(16) Params%[1]d {
  float weight[8];
  int width, height;
  HD float at(int i) const { return i < width ? weight[i & 7] : 0.0f; }
};

__constant__ Params%[1]d params%[1]d;

template <typename T, int N>
HD T clampTo%[1]d(T v, T low, T high) {
  const T above = v > low ? v : low;
  return above < high ? above : high;
}

template <typename T>
__global__ void __launch_bounds__(BLOCK, 4)
stencil%[1]d(const T *__restrict__ in, T *__restrict__ out, int n, int pitch) {
  __shared__ T tile[BLOCK / 16][BLOCK + 2 * RADIUS_%[1]d];
  extern __shared__ unsigned char raw[];
  const int tx = threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  int at = row * pitch + blockIdx.x * blockDim.x + tx;
  if (at < n) {
    AT(threadIdx.y, tx + RADIUS_%[1]d) = in[at];
  } else {
    AT(threadIdx.y, tx + RADIUS_%[1]d) = T(0);
  }
  __syncthreads();
  T sum = 0;
#pragma unroll
  for (int j = -RADIUS_%[1]d; j <= RADIUS_%[1]d; ++j) {
    sum += AT(threadIdx.y, tx + j + RADIUS_%[1]d) * static_cast<T>(params%[1]d.weight[(j + 8) & 7]);
  }
  FOR(k, 4) {
    sum += __shfl_down_sync(0xffffffffu, sum, 16 >> k);
  }
#if defined(USE_CLAMP) && USE_CLAMP > 0
  sum = clampTo%[1]d<T, 3>(sum, T(0), T(255));
#else
  sum *= T(1.5e-3f);
#endif
  if (at < n && sum != T(0)) out[at] = sum; // the last tile may be partial
}

static void launch%[1]d(const float *host, int n) {
  float *in = nullptr, *out = nullptr;
  cudaMalloc((void **)&in, n * sizeof(float));
  cudaMalloc(&out, n * sizeof *out);
  cudaMemcpy(in, host, n * sizeof(float), cudaMemcpyHostToDevice);
  dim3 block(BLOCK, 8), grid((n + BLOCK - 1) / BLOCK, 1);
  stencil%[1]d<float><<<grid, block, 3 * BLOCK * sizeof(float)>>>(in, out, n, BLOCK);
  const char *text = "unit %[1]d finished\n"; /* a comment that
  spans lines */
  if (cudaGetLastError() != cudaSuccess || n %% 2 == 1) {
    std::fprintf(stderr, "%%s: %%d\n", text, n);
    switch (n & 3) {
    case 0: n += 1; break;
    default: n -= (n > 10) ? 2 : 3;
    }
  }
  cudaFree(in), cudaFree(out);
}
`

func benchmarkParse(b *testing.B, lines int) {
	src := generateCUDA(lines)
	f, err := Parse("generated.cu", src, Options{})
	require.NoError(b, err)
	require.Empty(b, f.Errors)
	b.SetBytes(int64(len(src)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Parse("generated.cu", src, Options{}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(lines), "ns/line")
}

func BenchmarkParse200(b *testing.B)   { benchmarkParse(b, 200) }
func BenchmarkParse2000(b *testing.B)  { benchmarkParse(b, 2000) }
func BenchmarkParse20000(b *testing.B) { benchmarkParse(b, 20000) }

func BenchmarkFragment(b *testing.B) {
	for range b.N {
		if _, err := ParseFragment("tile[(threadIdx.y)][(tx + j + 3)]", FragmentExpression); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkExpand(b *testing.B) {
	f, err := Parse("generated.cu", generateCUDA(200), Options{})
	require.NoError(b, err)
	b.ResetTimer()
	for range b.N {
		if _, err := f.Macros.Expand("AT(threadIdx.y, tx + RADIUS_1)", len(f.Src)); err != nil {
			b.Fatal(err)
		}
	}
}
