package validate_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestOtherOriginals changes both texts alike: what a proof rests on in the original is gone then.
func TestOtherOriginals(t *testing.T) {
	const functions = "__device__ int *side;\n__device__ float met(float v) { __syncthreads(); return v; }\n__device__ float stored(float v) { *side = 1; return v; }\n"
	const plain = `
__global__ void k(const float *a, float *b, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = a[i];
    if (sum > 1) sum -= 1;
    b[i] = sum;
}
void run(const float *a, float *b, int n) { k<<<n, 64>>>(a, b, n); }
`
	for _, c := range []struct{ rewriter, program, is, by string }{
		{"stage", "product", "sum += ", "__syncthreads(); sum += "}, // by threads that have not ended in the original, which wait at other barriers in the new text
		{"stage", "product", "sum += ", "sum += met(1); sum += "},
		{"stage", "product", "col] = sum", "col] = met(sum)"},
		{"stage", "product", "sum += ", "n -= 1; sum += "},
		{"stage", "product", "sum += ", "if (sum > 9) break; sum += "},
		{"stage", "product", "float sum = 0", "float sum = stored(0)"}, // by all threads
		{"merge", "", "sum = a[i]", "sum = __syncthreads_count(i > n)"},
		{"merge", "", "sum = a[i]", "sum = __syncthreads_and(i > n)"},
		{"merge", "", "sum = a[i]", "sum = __syncthreads_or(i > n)"},
	} {
		old := functions + plain
		if c.program != "" {
			old = functions + stagedProgram(c.program)
		}
		now := emitted(t, old, c.rewriter)
		require.True(t, proved(t, old, now))
		require.Contains(t, now, c.is)
		change := strings.NewReplacer(c.is, c.by)
		assert.False(t, proved(t, change.Replace(old), change.Replace(now)), "%s: %s", c.rewriter, c.by)
	}
}
