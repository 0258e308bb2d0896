package sizes_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/analysis/passes"
	"github.com/smux-cuda/smux/analysis/sizes"
	"github.com/smux-cuda/smux/lab/cudatest"
)

// found lists constants as NAME=VALUE: what each sets.
func found(t *testing.T, text string) (out []string) {
	t.Helper()
	p := passes.NewProgram(cudatest.Program(t, "a.cu", text), [3]int{})
	list, err := sizes.Find(p, p.Kernels()...)
	require.NoError(t, err)
	for _, c := range list {
		var sets []string
		for _, s := range c.Sets {
			sets = append(sets, s.What)
		}
		out = append(out, fmt.Sprintf("%s=%d: %s", c.Name, c.Value, strings.Join(sets, ", ")))
	}
	return out
}

func TestConstantsThatSetSizesAreFound(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"a macro, through another one and a variable": {`
#define TILE 16
#define ROWS (TILE / 2)
__global__ void k(int *p) { __shared__ int s[ROWS][TILE]; s[threadIdx.y][threadIdx.x] = 1; __syncthreads(); p[threadIdx.x] = s[0][threadIdx.x]; }
void run(int *p) { const dim3 block(TILE, ROWS); k<<<1, block>>>(p); }`, []string{"TILE=16: block shape, shared array s, shared memory"}},
		"a constant of the host": {`
__global__ void k(int *p) { extern __shared__ int s[]; s[threadIdx.x] = 1; __syncthreads(); p[0] = s[1]; }
void run(int *p) { const int threads = 64; k<<<2, threads, threads * 4>>>(p); }`, []string{"threads=64: block shape, dynamic shared memory, shared memory"}},
		"a launch through a pointer to the kernel": {`
#define ROWS 8
__global__ void k(int *p) { p[threadIdx.y] = 1; }
void run(int *p) { void (*f)(int *) = 0; f = &k; dim3 block(32, ROWS); f<<<1, block>>>(p); }`, []string{"ROWS=8: block shape"}},
		"an enumerator and constexpr": {`
enum { WIDE = 4, OTHER };
constexpr unsigned DEEP = 3u;
__global__ void k(int *p) { __shared__ int s[WIDE * DEEP]; s[0] = 1; __syncthreads(); p[0] = s[0] + OTHER; }
void run(int *p) { k<<<1, 32>>>(p); }`, []string{"WIDE=4: shared array s, shared memory", "DEEP=3: shared array s, shared memory"}},
		"a template argument that all launches have": {`
template <int N> __global__ void k(int *p) { __shared__ int s[N]; s[0] = 1; __syncthreads(); p[0] = s[0]; }
void run(int *p) { k<64><<<1, 32>>>(p); k<64><<<2, 32>>>(p); }`, []string{"argument 1 of k=64: shared array s, shared memory"}},
		"template arguments that the program chooses from": {`
template <int N> __global__ void k(int *p) { __shared__ int s[N]; s[0] = 1; __syncthreads(); p[0] = s[0]; }
void run(int *p, int n) { if (n == 64) k<64><<<1, 32>>>(p); else k<32><<<1, 32>>>(p); }`, nil},
		"a variable by which the program chooses among template arguments, given on by calls": {`
template <int N> __global__ void k(int *p) { __shared__ int s[N]; s[0] = 1; __syncthreads(); p[0] = s[0]; }
void shape(int most, int &wide, int *high) { wide = most; *high = 1; }
void run(int *p, int n) { switch (n) { case 64: k<64><<<1, n>>>(p); break; case 32: k<32><<<1, n>>>(p); break; } }
int main() { int most = 64, wide, high, rounds = 3; shape(most, wide, &high); run(0, wide); return rounds; }`, []string{"most=64: block shape, template argument"}},
		"a default argument": {`
__global__ void k(int *p) { p[threadIdx.x] = 1; }
void run(int *p, int wide = 128, int often = 2) { dim3 block(wide, 1); k<<<often, block>>>(p); }
int main() { run(0); }`, []string{"wide=128: block shape"}},
		"an unroll factor": {`
#define UNROLL 4
__global__ void k(int *p) {
#pragma unroll UNROLL
    for (int i = 0; i < 64; i++) p[i] += i;
}
void run(int *p) { k<<<1, 32>>>(p); }`, []string{"UNROLL=4: unrolling in line 4"}},
		"what sets no size is left out": {`
#define SCALE 8
#define STEPS 100
__global__ void k(int *p) { __shared__ int s[32]; s[threadIdx.x] = SCALE; __syncthreads(); for (int i = 0; i < STEPS; i++) p[i] = s[i & 31]; }
void run(int *p) { k<<<STEPS, 32>>>(p); }`, nil},
		"two constants of one name": {`
__global__ void k(int *p) { p[threadIdx.x] = 1; }
void one(int *p) { const int n = 32; k<<<1, n>>>(p); }
void two(int *p) { const int n = 64; k<<<1, n>>>(p); }`, []string{"n@3=32: block shape", "n@4=64: block shape"}},
		"no decimal number": {`
#define HEX 0x20
#define SUM (16 + 16)
__global__ void k(int *p) { p[threadIdx.x] = 1; }
void run(int *p) { k<<<1, HEX>>>(p); k<<<1, SUM>>>(p); }`, nil},
	} {
		t.Run(name, func(t *testing.T) { assert.Equal(t, c.want, found(t, c.text)) })
	}
}

func TestOneNumberChanges(t *testing.T) {
	text := "#define TILE 16 // of the matrix, 16 wide\n__global__ void k(int *p) { p[threadIdx.x] = 16; }\nvoid run(int *p) { k<<<1, TILE>>>(p); }\n"
	p := passes.NewProgram(cudatest.Program(t, "a.cu", text), [3]int{})
	c := sizes.Named(p, "TILE", p.Kernels()...)
	require.NotNil(t, c)
	assert.Equal(t, strings.Replace(text, "TILE 16", "TILE 128", 1), string(c.Text(128)))
	assert.Equal(t, "a.cu:1:14", c.Position().String())
	assert.Nil(t, sizes.Named(p, "SIZE", p.Kernels()...))
	now, err := c.With(p, 128)
	require.NoError(t, err)
	shape, ok := sizes.Kernel(now, p.Kernels()[0]).Instances[0].BlockShape()
	assert.True(t, ok)
	assert.Equal(t, [3]int{128, 1, 1}, shape)
}

func TestValuesLieAroundTheConstants(t *testing.T) {
	for value, want := range map[int64][]int64{
		1:  {2, 3, 4},
		12: {3, 4, 6, 8, 16, 24, 32, 36, 48},
		16: {4, 8, 32, 48, 64},
	} {
		c := sizes.Constant{Value: value}
		assert.Equal(t, want, c.Values(), value)
	}
}

func TestValuesAreThoseThatTheProgramChoosesAmong(t *testing.T) {
	text := "template <int N> __global__ void k(int *p) { p[threadIdx.x] = N; }\n" +
		"int main() { int n = 32; if (n == 16) k<16><<<1, n>>>(0); else k<32><<<1, n>>>(0); }\n"
	p := passes.NewProgram(cudatest.Program(t, "a.cu", text), [3]int{})
	list, err := sizes.Find(p, p.Kernels()...)
	require.NoError(t, err)
	require.Len(t, list, 1)
	assert.Equal(t, []int64{16}, list[0].Values())
	assert.NotContains(t, string(list[0].Text(16)), "n = 32")
}
