package selection

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/model/sim"
)

// TestADefectOfTheModelLeavesOneKernelUnranked: the clock panics for one of two kernels,
// in whatever goroutine it runs.
func TestADefectOfTheModelLeavesOneKernelUnranked(t *testing.T) {
	var src strings.Builder
	for _, name := range []string{"good", "bad"} {
		src.WriteString("__global__ void " + name + "(float *a) {\n  __shared__ float s[8000];\n  s[threadIdx.x] = a[threadIdx.x];\n  __syncthreads();\n  a[threadIdx.x] = s[63 - threadIdx.x];\n}\n")
	}
	all := groups(t, source(t, src.String()+"void f(float *a) { good<<<1000, 64>>>(a); bad<<<1000, 64>>>(a); }\n"))
	require.Len(t, all, 2)
	for _, original := range []bool{true, false} {
		req := Request{MinGain: 5, Source: Estimates{}, GPUs: []*gpu.GPU{board(t, "a100")}, Clock: func(p Place, policy sim.Policy) (float64, error) {
			if p.Kernel.Name == "bad" && (original || policy.Kind != sim.Policy{}.Kind) {
				panic("no clock")
			}
			return Simulated(p, policy)
		}}
		assert.NotEmpty(t, Group(all[0], req).Ranking)
		bad := Group(all[1], req)
		assert.Contains(t, bad.Unranked, "internal error: no clock (defect_test.go:")
		assert.Empty(t, bad.Ranking)
	}
}
