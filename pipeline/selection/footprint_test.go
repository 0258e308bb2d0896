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

// TestASmallerFootprintAndTurnsAreOneChoice: what is left after the rounds takes turns, where
// shared memory still limits it; the name says both, and what a compiler would be asked for.
func TestASmallerFootprintAndTurnsAreOneChoice(t *testing.T) {
	r := one(t, exchanged(64, 8), "gtx480@16")
	find := func(name string) RankedVariant {
		i := slices.IndexFunc(r.Ranking, func(o RankedVariant) bool { return o.Variant.String() == name })
		require.GreaterOrEqual(t, i, 0, name)
		return r.Ranking[i]
	}
	slice, both := find("slice by=component"), find("vtb named N=2 by=component")
	require.Empty(t, both.Excluded)
	before, after := slice.Places[0].After, both.Places[0].After
	assert.Equal(t, before.Shared, after.Shared, "a merged block has one set of the smaller array")
	assert.Greater(t, after.Blocks, before.Blocks)
	assert.Equal(t, "virtual thread block", both.Unit())
	assert.Equal(t, "thread block", slice.Unit())

	// Where the smaller array limits nothing, merging on top of it is not looked at.
	r = one(t, exchanged(64, 1), "a100")
	find("slice by=component")
	for _, o := range r.Ranking {
		assert.Len(t, o.Steps(), 1, o.Variant.String())
	}
}
