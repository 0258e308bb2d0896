package modelcheck_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/tune/modelcheck"
	"github.com/smux-cuda/smux/tune/record"
	"github.com/smux-cuda/smux/verify/harness"
)

const scale = `
__global__ void other(float *a) { a[0] = 0; }
__global__ void scale(const float *in, float *out) {
#if STAGE
    __shared__ float tile[BYTES / 4];
    tile[threadIdx.x] = in[blockIdx.x * blockDim.x + threadIdx.x];
    __syncthreads();
    out[blockIdx.x * blockDim.x + threadIdx.x] = tile[threadIdx.x ^ 1];
#else
    out[blockIdx.x * blockDim.x + threadIdx.x] = in[blockIdx.x * blockDim.x + threadIdx.x];
#endif
}`

func expressions(t *testing.T, list string) []*harness.Expr {
	t.Helper()
	e, err := harness.ParseExprs(list)
	require.NoError(t, err)
	return e
}

func variant(constants string) *record.MeasuredVariant {
	v := &record.MeasuredVariant{Subject: record.Subject{Kernel: "scale", Tuner: "KTT", Problem: []int{1 << 20}, Machine: record.Machine{On: "gpu"}}}
	v.Candidate.Configuration = record.Configuration(constants)
	return v
}

func turing(t *testing.T) *gpu.GPU {
	g, err := gpu.Lookup("rtx2080ti")
	require.NoError(t, err)
	return g
}

func TestAConfigurationIsPredictedByItsMacros(t *testing.T) {
	k := &modelcheck.Predictor{Name: "scale.cu", Source: []byte(scale)}
	plain, err := k.Of(variant("block_size_x=256 STAGE=0"), turing(t))
	require.NoError(t, err)
	assert.Equal(t, record.Grid{Block: [3]int{256, 1, 1}, Grid: [3]int{4096, 1, 1}}, plain.Launch)
	assert.Zero(t, plain.Shared)
	assert.Zero(t, plain.Counts.Wavefronts)
	assert.InDelta(t, 1<<20*4/32, plain.Counts.L2Write, 1, "each element is written once")
	assert.Positive(t, plain.Milliseconds)

	staged, err := k.Of(variant("block_size_x=256 STAGE=1 BYTES=16384"), turing(t))
	require.NoError(t, err)
	assert.Equal(t, 16384, staged.Shared)
	assert.Equal(t, 4, staged.Static.Blocks, "64 kB of shared memory")
	assert.InDelta(t, 2*4096*8, staged.Counts.Wavefronts, 1, "a store and a load of each warp")
	assert.False(t, staged.Recorded)

	known := variant("block_size_x=256 STAGE=0")
	known.Registers = 128
	few, err := k.Of(known, turing(t))
	require.NoError(t, err)
	assert.True(t, few.Recorded)
	assert.Equal(t, 2, few.Static.Blocks)
}

func TestWhatCannotRunHasNoTime(t *testing.T) {
	k := &modelcheck.Predictor{Name: "scale.cu", Source: []byte(scale)}
	for constants, why := range map[string]string{
		"block_size_x=2048 STAGE=0":           "2048 threads",
		"block_size_x=64 STAGE=1 BYTES=80000": "80000 bytes of static shared memory",
		"block_size_x=64 STAGE=1 BYTES=50000": "50000 bytes of static shared memory",
	} {
		p, err := k.Of(variant(constants), turing(t))
		require.NoError(t, err, constants)
		assert.Contains(t, p.Impossible, why)
		assert.Zero(t, p.Milliseconds)
	}
}

func TestWhatIsMissingIsSaid(t *testing.T) {
	k := &modelcheck.Predictor{Name: "scale.cu", Source: []byte(scale)}
	_, err := k.Of(variant("n=1"), turing(t))
	assert.ErrorContains(t, err, "no constant is named block_size_x")
	v := variant("block_size_x=64 STAGE=1 BYTES=80000")
	v.Subject.Problem = nil
	p, err := k.Of(v, turing(t))
	require.NoError(t, err, "no grid is needed to know that it does not fit")
	assert.NotEmpty(t, p.Impossible)
	v = variant("block_size_x=64 STAGE=0")
	v.Subject.Problem = nil
	p, err = k.Of(v, turing(t))
	assert.ErrorContains(t, err, "how large the problem is")
	require.NotNil(t, p)
	assert.Equal(t, 16, p.Static.Blocks)
	v.Subject.Kernel = "missing"
	_, err = k.Of(v, turing(t))
	assert.ErrorContains(t, err, "has no kernel missing")
	_, err = k.Of(variant("n"), turing(t))
	assert.ErrorContains(t, err, "is not a configuration")
}

func TestShapesFollowExpressions(t *testing.T) {
	g := turing(t)
	k := &modelcheck.Predictor{Name: "scale.cu", Source: []byte(scale), Shapes: modelcheck.Shapes{
		Block: expressions(t, "bx, 2"), Divide: expressions(t, "bx*rows"), Problem: []int{7},
	}}
	p, err := k.Of(variant("bx=32 rows=3 STAGE=0"), g)
	require.NoError(t, err)
	assert.Equal(t, record.Grid{Block: [3]int{32, 2, 1}, Grid: [3]int{10923, 1, 1}}, p.Launch, "the record's size counts, rounded up")
	k = &modelcheck.Predictor{Name: "scale.cu", Source: []byte(scale), Shapes: modelcheck.Shapes{
		Block: expressions(t, "bx"), Grid: expressions(t, "ceil(problem_x, bx) / 2, max(rows, 2), min(rows, 2)"),
	}}
	p, err = k.Of(variant("bx=32 rows=3 STAGE=0"), g)
	require.NoError(t, err)
	assert.Equal(t, [3]int{16384, 3, 2}, p.Launch.Grid)
	for _, wrong := range []string{"rows-3", "rows/zero", "name", "text", "99999999999", "65536*65536"} {
		k.Shapes.Grid = expressions(t, wrong)
		_, err = k.Of(variant(`bx=32 rows=3 zero=0 text="a b" STAGE=0`), g)
		assert.Error(t, err, wrong)
	}
}

func TestExpressionsAreReadOrRefused(t *testing.T) {
	none, err := harness.ParseExprs(" ")
	require.NoError(t, err)
	assert.Empty(t, none)
	for list, n := range map[string]int{"1": 1, "a, b": 2, "(a+1)*2%3,min(1,b),ceil(a,2)": 3} {
		assert.Len(t, expressions(t, list), n)
	}
	for _, wrong := range []string{"1,2,3,4", ")", "f(", "1.5", `"a"`, "a<b", "log(a)", "min(a)", "min(1,2,3)", "a.b", "!a", "f..."} {
		_, err := harness.ParseExprs(wrong)
		assert.Error(t, err, wrong)
	}
}

// FuzzExpressions: whatever the text, it is refused, or has a value or none, and nothing
// panics.
func FuzzExpressions(f *testing.F) {
	for _, seed := range []string{"a*2,b", "ceil(a,0)", "min(a,max(b,1))%3", "1+(2", "a(b)(c)", "func(){}"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, list string) {
		es, err := harness.ParseExprs(list)
		if err != nil {
			require.NotEmpty(t, err.Error())
			return
		}
		require.LessOrEqual(t, len(es), 3)
		for _, e := range es {
			_, _ = e.Value(func(name string) (int64, error) { return int64(len(strings.TrimSpace(name))), nil })
		}
	})
}
