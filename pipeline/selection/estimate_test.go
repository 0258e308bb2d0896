package selection

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/model/workload"
)

func TestEstimatedRegistersCountTheWordsThatAreLoadedAhead(t *testing.T) {
	p := Place{GPU: board(t, "a100"), Work: &workload.Kernel{Threads: 64, Registers: 30}}
	plain := Estimate(p, Variant{Rewriter: "vtb", Sync: "named", Factor: 2}).Registers
	assert.Greater(t, plain, 30, "a rewrite keeps the number of its block, too")
	p.Ahead = 7
	assert.Equal(t, plain+7, Estimate(p, Variant{Rewriter: "vtb", Sync: "named", Factor: 2}).Registers)
}

func TestEstimatedRegistersEndWhereThoseOfAThreadDo(t *testing.T) {
	g := board(t, "a100")
	p := Place{GPU: g, Work: &workload.Kernel{Threads: 64, Registers: g.Arch.RegistersPerThread - 1}, Ahead: 40}
	assert.Equal(t, g.Arch.RegistersPerThread, Estimate(p, Variant{Rewriter: "vtb", Sync: "named", Factor: 2}).Registers)
}

func TestOnlyTheFirstWaysOfLaunchingAKernelAreLookedAt(t *testing.T) {
	r := one(t, `__global__ void k(float *a) { __shared__ float s[64]; s[threadIdx.x % 64] = a[threadIdx.x]; __syncthreads(); a[threadIdx.x] = s[63 - threadIdx.x % 64]; }
void run(float *a) { k<<<9, 32>>>(a); k<<<9, 64>>>(a); k<<<9, 96>>>(a); k<<<9, 128>>>(a); k<<<9, 160>>>(a); }`, "a100")
	require.Len(t, r.Originals, mostInstances)
	assert.Contains(t, r.Assumptions, "a launch was not looked at: only the first 4 ways of launching the kernel count")
}
