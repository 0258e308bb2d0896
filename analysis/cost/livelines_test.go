package cost_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/smux-cuda/smux/analysis/cost"
	"github.com/smux-cuda/smux/diag"
)

func TestTheLineThatHoldsMostIsToldFromTheOthers(t *testing.T) {
	k := kernelsOf(t, "k.cu", `__device__ float pair(float a, float b) {
    double c = a, d = b, e = a - b;
    return c * d * e;
}
__global__ void k(const float *a, float *b) {
    float one = a[threadIdx.x];
    b[0] = one;
    float p = a[1], q = a[2], r = a[3], s = a[4];
    b[1] = p * q * r * s;
    b[2] = pair(a[5], a[6]);
}
void run(const float *a, float *b) { k<<<1, 64>>>(a, b); }
`)[0]
	words := cost.LiveWords(k, k.Instances[0])
	line := func(n int) int { return words[diag.Position{File: "k.cu", Line: n}] }
	assert.Greater(t, line(9), line(6))
	assert.Greater(t, line(9), line(7))
	assert.GreaterOrEqual(t, line(3), 6, "three doubles of a device function")
	assert.Zero(t, line(5), "the signature is not a statement")
}
