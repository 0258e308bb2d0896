package validate_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/smux-cuda/smux/validate"
)

// Two stores to shared memory, and the loads of both in front of them: the second load passes what the first store
// computes its subscript by.
const inOrder = `CLASSES
__global__ void k(const float *a, float *out, volatile int *p, OTHER o)
{
    __shared__ float s[4][64];
    __shared__ float u[64];
    const int t = threadIdx.x;
    OBJECT;
    s[FIRST][t] = a[t];
    u[t] = a[(SECOND) * 64 + t];
    __syncthreads();
    out[blockIdx.x * 64 + t] = u[63 - t] + s[1][63 - t];
}
void run(const float *a, float *out, volatile int *p, OTHER o) { k<<<64, 64>>>(a, out, p, o); }
`

var loadsFirst = strings.NewReplacer(
	"    s[FIRST][t] = a[t];\n", "    // smux stage-loads: the loads first, so that they overlap.\n    const float smux_v1 = a[t];\n    const float smux_v2 = a[(SECOND) * 64 + t];\n    s[FIRST][t] = smux_v1;\n",
	"    u[t] = a[(SECOND) * 64 + t];\n", "    u[t] = smux_v2;\n").Replace(inOrder)

// TestOperatorsKeepTheirOrder: code that runs without a call that names it is not moved past other such code.
func TestOperatorsKeepTheirOrder(t *testing.T) {
	const classes = `typedef int OTHER;
struct C {
    int v;
    volatile int w;
};
struct Seq {
    int v;
    __device__ int operator+(int d) { v += d; return v & 3; }
    __device__ int operator-() { return ++v & 3; }
    __device__ operator int() { return ++v & 3; }
    __device__ int operator[](int d) { return v = d; }
    __device__ int operator*() { return ++v & 3; }
    __device__ int operator,(int d) { return v = d; }
    __device__ Seq *operator->() { ++v; return this; }
    __device__ Seq &operator=(int d) { v = v * 2 + d; return *this; }
};
struct Pure { int v; __device__ int operator+(int d) const { return v + d & 3; } };
__device__ int next;
__device__ C g;
struct Copy { int v; __device__ Copy(int x) : v(x) {} __device__ Copy(const Copy &o) : v(next++ & 3) {} };
__device__ int taken(Copy c) { return c.v; }
__device__ int counted(int a, int b = next++) { return (a + b) & 3; }
__device__ int operator""_on(unsigned long long n) { return next += n; }
`
	for _, c := range []struct {
		object, first, second string
		shown                 bool
	}{
		{"const int c = t & 1", "c + 1", "c + 2", true},
		{"Pure c; c.v = 1", "c + 1", "c + 2", true},
		{"Seq c; c.v = 0", "c + 1", "c + 2", false},
		{"Seq c; c.v = 0", "-c", "-c", false},
		{"Seq c; c.v = 0", "c", "c", false},
		{"Seq c; c.v = 0", "c[1]", "c[2]", false},
		{"Seq c; c.v = 0", "*c", "*c", false},
		{"Seq c; c.v = 0", "(c, 1)", "(c, 2)", false},
		{"Seq c; c.v = 0", "c->v", "c->v", false},
		{"Seq c; c.v = 0", "(c = 1).v & 3", "c.v & 3", false},
		{"Seq c; c.v = 0", "(int)c", "(int)c", false},
		{"Copy c(t & 3)", "taken(c)", "taken(c)", false},
		{"", "taken(1)", "taken(2)", false},
		{"", "counted(1)", "counted(2)", false},
		{"", "1_on & 3", "2_on & 3", false},
		{"", "g.w & 3", "g.w & 3", false},
		{"", "*p & 3", "*p & 3", false},
		{"Elsewhere c(t)", "c + 1", "c + 2", false},
	} {
		text := func(s string) string {
			return strings.NewReplacer("CLASSES", classes, "OBJECT", c.object, "FIRST", c.first, "SECOND", c.second).Replace(s)
		}
		r := validate.Programs(program(t, text(inOrder)), program(t, text(loadsFirst)))
		assert.Equal(t, c.shown, r.Proved(), "%s, %s: %v", c.first, c.second, r.Messages())
	}
}
