package cost_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/smux-cuda/smux/analysis/cost"
)

// window is a kernel whose sums each read a window of shared memory, a row apart: in the
// order of the source a word waits for as many rows as sums come after.
func window(sums int) string {
	return fmt.Sprintf(`__global__ void k(const float *a, float *b) {
	__shared__ float s[64][32];
	s[threadIdx.y][threadIdx.x] = a[threadIdx.y * 32 + threadIdx.x];
	__syncthreads();
	float sum[%d];
#pragma unroll
	for (int y = 0; y < %[1]d; ++y) sum[y] = 0;
#pragma unroll
	for (int i = 0; i < 12; ++i) {
#pragma unroll
		for (int j = 0; j < 12; ++j) {
#pragma unroll
			for (int y = 0; y < %[1]d; ++y) sum[y] += s[threadIdx.y + 2 * y + i][threadIdx.x + j] * (0.5f + i + j);
		}
	}
#pragma unroll
	for (int y = 0; y < %[1]d; ++y) b[y * 32 + threadIdx.x] = sum[y];
}`, sums)
}

// TestRegistersFitAFullSMWhereAnOrderDoes: of eight sums nvcc 11.8 takes 32 for compute capability 8.0, 39 for 8.6
// and 62 for 7.5, where 2048, 1536 and 1024 threads fill an SM. Of forty it takes 127 for each.
func TestRegistersFitAFullSMWhereAnOrderDoes(t *testing.T) {
	few, many := kernelsOf(t, "k.cu", window(8))[0], kernelsOf(t, "k.cu", window(40))[0]
	for _, full := range []int{32, 42, 64} {
		assert.Equal(t, full/8*8, cost.Registers(few, nil, full))
		assert.LessOrEqual(t, full/8*8, cost.Registers(many, nil, full))
	}
	assert.Greater(t, cost.Registers(many, nil, 32), 100, "forty sums do not fit, whatever the order is")
}
