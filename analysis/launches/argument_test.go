package launches_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/analysis/evaluate"
	"github.com/smux-cuda/smux/analysis/footprint"
	"github.com/smux-cuda/smux/analysis/launches"
	"github.com/smux-cuda/smux/analysis/passes"
	"github.com/smux-cuda/smux/lab/kerneltest"
	"github.com/smux-cuda/smux/parser"
)

func TestArgumentsFoldOnlyWhereOneValueCanReachTheLaunch(t *testing.T) {
	for _, c := range []struct {
		name, host string
		want       int64 // 0: not known
	}{
		{"a number", "void run(float *a) { k<<<1, 32>>>(a, 512); }", 512},
		{"a constant", "void run(float *a) { const int n = 256; k<<<1, 32>>>(a, 2 * n); }", 512},
		{"what a function makes of a variable", "__host__ __device__ int twice(int n) { return 2 * n; }\nvoid run(float *a) { const int m = 256; const int n = twice(m); k<<<1, 32>>>(a, n); }", 512},
		{"a macro", "#define N 512\nvoid run(float *a) { k<<<1, 32>>>(a, N); }", 512},
		{"a constant of the file", "static const int n = 512;\nvoid run(float *a) { k<<<1, 32>>>(a, n); }", 512},
		{"a local one hides it", "const int n = 7;\nvoid run(float *a, int argc) { int n = argc; k<<<1, 32>>>(a, n); }", 0},
		{"set once, in front", "void run(float *a) { int n; n = 512; k<<<1, 32>>>(a, n); }", 512},
		{"set once, behind", "void run(float *a) { int n; k<<<1, 32>>>(a, n); n = 512; }", 0},
		{"set under a condition", "void run(float *a, int c) { int n; if (c) n = 512; k<<<1, 32>>>(a, n); }", 0},
		{"set again", "void run(float *a, int c) { int n = 512; if (c) n = 256; k<<<1, 32>>>(a, n); }", 0},
		{"counted", "void run(float *a) { for (int n = 1; n < 9; ++n) k<<<1, 32>>>(a, n); }", 0},
		{"changed through a pointer", "void read(int *); void run(float *a) { int n = 512; read(&n); k<<<1, 32>>>(a, n); }", 0},
		{"changed through a reference", "void read(int &); void run(float *a) { int n = 512; read(n); k<<<1, 32>>>(a, n); }", 0},
		{"changed in a macro", "#define READ(x) scanf(\"%d\", &x)\nvoid run(float *a) { int n = 512; READ(n); k<<<1, 32>>>(a, n); }", 0},
		{"read from the command line", "int main(int argc, char **argv) { float *a; int n = atoi(argv[1]); k<<<1, 32>>>(a, n); }", 0},
		{"maybe read from there", "int main(int argc, char **argv) { float *a; int n = argc > 1 ? atoi(argv[1]) : 512; k<<<1, 32>>>(a, n); }", 0},
		{"passed by all callers", "void run(float *a, int n) { k<<<1, 32>>>(a, n / 2); }\nint main() { float *a; const int m = 1024; run(a, m); run(a, 1024); }", 512},
		{"passed in a macro", "#define CHECK(x) do { x; } while (0)\nvoid run(float *a, int n) { k<<<1, 32>>>(a, n); }\nint main() { float *a; CHECK(run(a, 512)); }", 512},
		{"passed through two functions", "void run(float *a, int n) { k<<<1, 32>>>(a, n); }\nvoid all(int m) { float *a; run(a, m + 12); }\nint main() { all(500); }", 512},
		{"passed differently", "void run(float *a, int n) { k<<<1, 32>>>(a, n); }\nint main() { float *a; run(a, 512); run(a, 256); }", 0},
		{"passed, then changed", "void run(float *a, int n) { n = n / 2; k<<<1, 32>>>(a, n); }\nint main() { float *a; run(a, 1024); }", 0},
		{"called through a pointer, too", "void run(float *a, int n) { k<<<1, 32>>>(a, n); }\nint main() { float *a; void (*f)(float *, int) = run; run(a, 512); f(a, 256); }", 0},
		{"called in the body of a macro, too", "void run(float *a, int n) { k<<<1, 32>>>(a, n); }\n#define RUN run(a, 256)\nint main() { float *a; run(a, 512); RUN; }", 0},
		{"nobody calls", "void run(float *a, int n) { k<<<1, 32>>>(a, n); }", 0},
		{"itself calls", "void run(float *a, int n) { k<<<1, 32>>>(a, n); if (n > 1) run(a, n / 2); }\nint main() { float *a; run(a, 512); }", 0},
		{"two launches agree", "void run(float *a) { k<<<1, 32>>>(a, 512); k<<<2, 32>>>(a, 512); }", 512},
		{"two launches differ", "void run(float *a) { k<<<1, 32>>>(a, 512); k<<<1, 32>>>(a, 256); }", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			k := kerneltest.First(t, "__global__ void k(float *a, int n) { a[0] = n; }\n"+c.host)
			got, ok := launches.Argument(k, k.Instances[0], 1)
			assert.Equal(t, c.want != 0, ok)
			assert.Equal(t, c.want, got)
		})
	}
}

func TestInstancesHaveArgumentsOfTheirOwn(t *testing.T) {
	k := kerneltest.First(t, `__global__ void k(float *a, int n) { a[0] = n; }
void run(float *a) { k<<<1, 32>>>(a, 512); k<<<1, 64>>>(a, 256); }`)
	require.Len(t, k.Instances, 2)
	for i, want := range []int64{512, 256} {
		n, ok := launches.Argument(k, k.Instances[i], 1)
		assert.True(t, ok)
		assert.Equal(t, want, n)
	}
}

func TestArgumentsAreNoProof(t *testing.T) {
	k := kerneltest.First(t, `__global__ void k(float *a, int n) { a[n] = n; for (int i = 0; i < n; ++i) a[i] = 0; }
void run(float *a) { const int n = 512; k<<<1, 32>>>(a, n); }`)
	in := k.Instances[0]
	_, ok := launches.Argument(k, in, 1)
	require.True(t, ok)
	_, ok = evaluate.Constant(k, in, k.Func, k.Func.Body.List[0].Expr.Kids[0].Kids[1])
	assert.False(t, ok, "in the kernel n is what any caller may pass")
	_, ok = footprint.Trips(k, in, k.Func, k.Func.Body.List[1])
	assert.False(t, ok)
}

func TestArgumentsAcrossFiles(t *testing.T) {
	a, err := parser.Parse("a.cu", []byte(`__global__ void k(float *a, int n) { a[0] = n; }
void run(float *a, int n) { k<<<n, 32>>>(a, n); }`), parser.Options{})
	require.NoError(t, err)
	b, err := parser.Parse("b.cu", []byte("void run(float *, int);\nint main() { run(0, 512); }"), parser.Options{})
	require.NoError(t, err)
	k := passes.NewProgram(parser.NewProgram([]*parser.File{a, b}, parser.Options{}), [3]int{}).Kernels()[0]
	n, ok := launches.Argument(k, k.Instances[0], 1)
	assert.True(t, ok)
	assert.EqualValues(t, 512, n)
	_, ok = launches.Grid(k, k.Instances[0])
	assert.False(t, ok, "a grid is no argument: its size says too much of one small run")
}
