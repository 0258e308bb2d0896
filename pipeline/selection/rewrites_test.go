package selection

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/analysis/passes"
	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/model/sim"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite"
)

// manyKernels is a program of kernels of three kinds that nothing ties together.
func manyKernels(n int) string {
	var b strings.Builder
	for i := range n {
		switch i % 3 {
		case 0:
			fmt.Fprintf(&b, `__global__ void blur%[1]d(const float *in, float *out, int n) {
    __shared__ float row[130];
    int i = blockIdx.x * 128 + threadIdx.x;
    row[threadIdx.x + 1] = i < n ? in[i] : 0;
    if (threadIdx.x == 0) row[0] = i > 0 ? in[i - 1] : 0;
    if (threadIdx.x == 127) row[129] = i + 1 < n ? in[i + 1] : 0;
    __syncthreads();
    if (i < n) out[i] = (row[threadIdx.x] + row[threadIdx.x + 1] + row[threadIdx.x + 2]) / 3;
}
void run%[1]d(const float *a, float *b) { blur%[1]d<<<8192, 128>>>(a, b, 1 << 20); }
`, i)
		case 1:
			fmt.Fprintf(&b, `__global__ void sums%[1]d(const float *in, float *out) {
    __shared__ float a[2048], b[2048];
    for (int i = threadIdx.x; i < 2048; i += 64) a[i] = in[blockIdx.x * 2048 + i];
    __syncthreads();
    float s = 0;
    for (int i = 0; i < 32; i++) s += a[(threadIdx.x * 33 + i) %% 2048];
    __syncthreads();
    for (int i = threadIdx.x; i < 2048; i += 64) b[i] = in[i] + s;
    __syncthreads();
    for (int i = 0; i < 32; i++) s += b[(threadIdx.x * 35 + i) %% 2048];
    out[blockIdx.x * 64 + threadIdx.x] = s;
}
void run%[1]d(const float *a, float *b) { sums%[1]d<<<8192, 64>>>(a, b); }
`, i)
		default:
			fmt.Fprintf(&b, `__global__ void near%[1]d(const float *in, float *out, int n) {
    int i = blockIdx.x * 128 + threadIdx.x;
    float s = 0;
    for (int j = 0; j < 64; j++) s += in[j] * i;
    if (i < n) out[i] = s;
}
void run%[1]d(const float *a, float *b) { near%[1]d<<<8192, 128>>>(a, b, 1 << 20); }
`, i)
		}
	}
	return b.String()
}

func groupsOf(t testing.TB, n int) ([]rewrite.Group, Request) {
	f, err := parser.Parse("many.cu", []byte(manyKernels(n)), parser.Options{})
	require.NoError(t, err)
	prog := passes.NewProgram(parser.NewProgram([]*parser.File{f}, parser.Options{}), [3]int{})
	groups := rewrite.Groups(prog, prog.Kernels(), rewrite.Options{})
	require.Len(t, groups, n)
	g, err := gpu.Lookup("p100")
	require.NoError(t, err)
	return groups, Request{GPUs: []*gpu.GPU{g}, Source: Estimates{}, MinGain: 5}
}

// TestKernelsAreRankedTogetherAsAlone: that others were rewritten in the text that the
// model looks at changes nothing.
func TestKernelsAreRankedTogetherAsAlone(t *testing.T) {
	groups, req := groupsOf(t, 6)
	together := req
	together.Rewrites = NewRewrites(groups)
	forms := 0
	for _, group := range groups {
		alone, with := Group(group, req), Group(group, together)
		alone.places, with.places = nil, nil // the kernels themselves
		assert.Equal(t, alone, with, group.Kernels[0].Name)
		for _, v := range alone.Ranking {
			if v.Resizes() {
				forms++
			}
		}
	}
	assert.NotZero(t, forms, "nothing was rewritten to be looked at")
	assert.NotEmpty(t, together.Rewrites.texts)
	for w, c := range together.Rewrites.texts {
		assert.NotNil(t, c, "%v is read again for each kernel", w)
	}
}

// TestTwiceTheKernelsTakeTwiceTheWork: a text that is read again for each kernel takes
// four times as much.
func TestTwiceTheKernelsTakeTwiceTheWork(t *testing.T) {
	work := func(n int) float64 {
		groups, req := groupsOf(t, n)
		req.Rewrites = NewRewrites(groups)
		req.Clock = func(Place, sim.Policy) (float64, error) { return 1, nil }
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for _, g := range groups {
			Group(g, req)
		}
		runtime.ReadMemStats(&after)
		return float64(after.TotalAlloc - before.TotalAlloc)
	}
	assert.Less(t, work(120)/work(60), 2.4, "bytes of memory")
}

// BenchmarkManyKernels says how much faster kernels of one file are ranked with texts
// that they share.
func BenchmarkManyKernels(b *testing.B) {
	groups, req := groupsOf(b, 60)
	once := func(shared *Rewrites) time.Duration {
		req.Rewrites = shared
		start := time.Now()
		for _, g := range groups {
			Group(g, req)
		}
		return time.Since(start)
	}
	var with, without time.Duration
	for b.Loop() {
		with += once(NewRewrites(groups))
		without += once(nil)
	}
	b.ReportMetric(float64(without)/float64(with), "times-as-fast")
}
