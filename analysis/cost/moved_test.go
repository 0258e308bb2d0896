package cost_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/analysis/cost"
	"github.com/smux-cuda/smux/model/workload"
)

// movable is a kernel of which each kind of work can be moved out of its region.
const movable = `__global__ void k(const float *__restrict__ a, float *__restrict__ b) {
    __shared__ float s[256];
    const int t = threadIdx.x;
    for (int i = t; i < 256; i += 64) {
        float sum = 0;
        for (int e = 0; e < 4; ++e) sum += a[(blockIdx.x * 4 + e) * 256 + i];
        s[i] = sum / 4;
    }
    __syncthreads();
    const float v = s[255 - t] * a[blockIdx.x * 64 + t];
    s[t] = v;
    __syncthreads();
    for (int i = 0; i < 4; ++i) b[blockIdx.x * 256 + i * 64 + t] = s[63 - t] * i;
}
void run(const float *a, float *b) { k<<<8, 64>>>(a, b); }`

// inTurn is the work of a region without what moves in front of it, with the bytes that it stores to memory.
func inTurn(t *testing.T, m cost.Moved) (all, in workload.Work) {
	t.Helper()
	w, err := cost.Of(kernelsOf(t, "k.cu", movable)[0], nil, cost.Options{Moved: m})
	require.NoError(t, err)
	all, in = workload.Total(w.Body)
	early := earlyWork(w.Body, 1)
	return all, in.Add(early.Scale(-1))
}

// TestWhatMovesCountsOutsideOfItsRegion: all work stays what it is, and shared accesses stay in the region.
func TestWhatMovesCountsOutsideOfItsRegion(t *testing.T) {
	whole, plain := inTurn(t, cost.Moved{})
	for name, c := range map[string]struct {
		moved cost.Moved
		check func(workload.Work)
	}{
		"early": {cost.Moved{Early: true}, func(in workload.Work) { assert.Less(t, in.Loads, plain.Loads) }},
		"compute": {cost.Moved{Compute: true}, func(in workload.Work) {
			assert.Less(t, in.Issue, plain.Issue/1.5)
			assert.Less(t, in.Waits, plain.Waits)
		}},
		"late": {cost.Moved{Late: true}, func(in workload.Work) { assert.Less(t, in.Stores, plain.Stores) }},
		"all":  {cost.Moved{Early: true, Compute: true, Late: true}, func(in workload.Work) { assert.Zero(t, in.Loads); assert.Zero(t, in.Stores) }},
	} {
		all, in := inTurn(t, c.moved)
		c.check(in)
		assert.InDelta(t, whole.Loads, all.Loads, 1e-6, name)
		assert.InDelta(t, whole.Stores, all.Stores, 1e-6, name)
		assert.InDelta(t, whole.Shared, all.Shared, 1e-6, name)
		assert.InDelta(t, plain.Shared, in.Shared, 1e-6, name)
		assert.LessOrEqual(t, all.Issue, whole.Issue*1.01, name)
	}
	assert.Equal(t, 1, cost.Moved{Early: true}.Held(kernelsOf(t, "k.cu", movable)[0]))
	assert.Equal(t, 4, cost.Moved{Compute: true}.Held(kernelsOf(t, "k.cu", movable)[0]))
}
