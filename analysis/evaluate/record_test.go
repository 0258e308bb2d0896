package evaluate_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/analysis/launches"
	"github.com/smux-cuda/smux/lab/kerneltest"
)

// TestArraysThatAreMembersAreFollowed: p and q are arrays behind other names. What is done
// through them is done to shared memory.
func TestArraysThatAreMembersAreFollowed(t *testing.T) {
	for _, c := range []struct{ name, declared, p, q string }{
		{"arrays", "__shared__ float a[64], b[64];", "float *p = a;", "float *q = b;"},
		{"members", "__shared__ S s;", "float *p = s.a;", "float *q = s.b;"},
		{"members of an element", "__shared__ S s[2];", "float *p = s[0].a;", "float *q = s[1].b;"},
		{"set later", "__shared__ S s;", "float *p; p = s.a;", "float *q; q = s.b;"},
		{"references", "__shared__ S s;", "auto &p = s.a;", "auto &q = s.b;"},
		{"pointers to references", "__shared__ float m[2][64];", "auto &x = m[0]; float *p = x;", "auto &y = m[1]; float *q = y + 0;"},
		{"members written out", "__shared__ struct { float a[64], b[64]; } s;", "auto &p = s.a;", "float *q = s.b + 0;"},
		{"an argument", "__shared__ S s;", "float *p = s.a;", "auto &q = s.b; set(q, threadIdx.x);"},
	} {
		t.Run(c.name, func(t *testing.T) {
			k := kerneltest.Only(t, `struct S { float a[64], b[64]; };
__device__ void set(float *x, int i) { x[i] = 1; }
__global__ void k(const float *in, float *out) {
    `+c.declared+`
    `+c.p+` `+c.q+`
    p[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    q[threadIdx.x] = p[63 - threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = q[63 - threadIdx.x];
}
void run(const float *in, float *out) { k<<<8, 64>>>(in, out); }
`)
			require.Empty(t, k.Hazards)
			require.NotEmpty(t, k.Regions)
			last := k.Regions[len(k.Regions)-1]
			assert.Equal(t, 2, last.Barriers, "the last read is of a region with both barriers")
		})
	}
}

// TestMembersOfAUnionAreRegionsOfTheirOwn: what one member holds ends where another one
// takes its bytes, wherever these lie, and only there.
func TestMembersOfAUnionAreRegionsOfTheirOwn(t *testing.T) {
	for _, c := range []struct {
		name, members string
		bytes         int
		regions       int
	}{
		{"one type", "float a[64]; float b[64];", 256, 2},
		{"types of one size", "float a[64]; int b[64];", 256, 2},
		{"a wider element", "double a[64]; float b[64];", 512, 2},
		{"one of two", "struct { float c[8]; float a[64]; } x; float b[64];", 288, 2},
		{"one that is not all written", "float a[64]; float b[65];", 260, 1},
		{"aligned", "__align__(32) float a[64]; char b[257];", 288, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := "s.a"
			if c.name == "one of two" {
				a = "s.x.a"
			}
			read := "b[63 - threadIdx.x]"
			if c.regions == 1 {
				read = "b[64 - threadIdx.x]"
			}
			k := kerneltest.Only(t, fmt.Sprintf(`
__global__ void k(const float *in, float *out) {
    __shared__ union { %s } s;
    auto &a = %s; auto &b = s.b;
    a[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    float x = a[63 - threadIdx.x];
    __syncthreads();
    b[threadIdx.x] = x;
    __syncthreads();
    out[threadIdx.x] = %s;
}
void run(const float *in, float *out) { k<<<8, 64>>>(in, out); }
`, c.members, a, read))
			require.Empty(t, k.Hazards)
			require.Len(t, k.Shared, 1)
			bytes, exact := launches.SharedBytes(k, k.Instances[0])
			assert.True(t, exact)
			assert.Equal(t, c.bytes, bytes)
			assert.Len(t, k.Regions, c.regions, "what b[0] holds before is what a held there")
		})
	}
}

// TestUnionsOfATypeThatTheLaunchGives: elements of one type are told apart, whatever
// their size, which is known for each launch.
func TestUnionsOfATypeThatTheLaunchGives(t *testing.T) {
	k := kerneltest.Only(t, `
template <class T> __global__ void k(const T *in, T *out) {
    __shared__ union { T a[64]; T b[32]; } s;
    s.a[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    T x = s.a[63 - threadIdx.x];
    __syncthreads();
    s.b[threadIdx.x / 2] = x;
    __syncthreads();
    out[threadIdx.x] = s.b[threadIdx.x / 2];
}
void run(const double *in, double *out) { k<double><<<8, 64>>>(in, out); }
`)
	bytes, exact := launches.SharedBytes(k, k.Instances[0])
	assert.True(t, exact)
	assert.Equal(t, 512, bytes)
	assert.Len(t, k.Regions, 2)
}
