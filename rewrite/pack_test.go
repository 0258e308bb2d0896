package rewrite_test

import (
	"fmt"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/lab/combine"
)

// partText matches the text that tells one part's message from another's.
var partText = regexp.MustCompile(`w\d+_::`)

// TestPartsAreToldApart: of two programs in one file, the one that is warned of
// and the one that has more shared memory are told from the other; lines keep
// their numbers, and what both define does not meet.
func TestPartsAreToldApart(t *testing.T) {
	needNVCC(t)
	const text = `#include <cstdio>
#define SIZE %d
__global__ void k(float *a)
{
    __shared__ float s[SIZE];
    %s
    s[threadIdx.x] = a[threadIdx.x];
    __syncthreads();
    a[threadIdx.x] = s[SIZE - 1 - threadIdx.x];
}
int main()
{
    k<<<1, SIZE>>>(nullptr);
    return 0;
}
`
	parts := [][]byte{fmt.Appendf(nil, text, 64, ""), fmt.Appendf(nil, text, 32, "int unused;")}
	got := nvccParts(t, parts, "-c", "-Xptxas", "-v", "-o", "out.o", "-arch=sm_70")
	require.Len(t, got, 2)
	assert.Equal(t, map[string][]int{"sm_70": {256}}, got[0].shared)
	assert.Equal(t, map[string][]int{"sm_70": {128}}, got[1].shared)
	assert.Empty(t, got[0].warnings)
	require.Len(t, got[1].warnings, 1)
	assert.Contains(t, got[1].warnings[0], "unused")
	assert.Contains(t, string(combine.Pack(parts)), "}  // namespace w1_\n")
}
