package selection

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// exchanged is a kernel with an exchange that can be made component by component, in blocks
// of so many threads with so many elements for each.
func exchanged(threads, each int) string {
	return fmt.Sprintf(`__global__ void k(const float4 *a, float4 *b) {
    __shared__ float4 s[%[1]d * %[2]d];
    float4 v = a[blockIdx.x * %[1]d + threadIdx.x];
    s[%[2]d * threadIdx.x] = v;
    __syncthreads();
    v = s[%[2]d * (%[1]d - 1 - threadIdx.x)];
    b[blockIdx.x * %[1]d + threadIdx.x] = v;
}
void run(float4 *a, float4 *b) { k<<<100000, %[1]d>>>(a, b); }`, threads, each)
}

// TestAnExchangeInRoundsIsJudgedByWhatItTakes: the shared bytes are those of the
// rewritten kernel, and more thread blocks run; the barriers of its rounds are not free.
func TestAnExchangeInRoundsIsJudgedByWhatItTakes(t *testing.T) {
	r := one(t, exchanged(64, 8), "gtx480@16")
	i := slices.IndexFunc(r.Ranking, func(o RankedVariant) bool { return o.By == "component" })
	require.GreaterOrEqual(t, i, 0)
	p := r.Ranking[i].Places[0]
	assert.Equal(t, 4*p.After.Shared, p.Before.Shared)
	assert.Greater(t, p.After.Blocks, p.Before.Blocks)
	assert.Greater(t, p.Ratio, 1.0)

	// Where the threads of a block fill an SM by themselves the rounds only cost.
	r = one(t, exchanged(1024, 1), "gtx480@16")
	if i = slices.IndexFunc(r.Ranking, func(o RankedVariant) bool { return o.By == "component" }); assert.GreaterOrEqual(t, i, 0) {
		assert.LessOrEqual(t, r.Ranking[i].Places[0].Ratio, 1.0)
	}
}
