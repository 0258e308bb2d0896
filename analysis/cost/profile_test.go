package cost_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/cost"
	"github.com/smux-cuda/smux/analysis/passes"
	"github.com/smux-cuda/smux/lab/cudatest"
	"github.com/smux-cuda/smux/model/workload"
)

func kernelsOf(tb testing.TB, name, src string) []*analysis.Kernel {
	return passes.NewProgram(cudatest.Program(tb, name, src), [3]int{}).Kernels()
}

// profileOf profiles a kernel body with one launch of 64 threads, or another
// configuration, of a kernel with parameters a, b and n.
func profileOf(tb testing.TB, body string, config ...string) *workload.Kernel {
	c := "8, 64"
	if len(config) > 0 {
		c = config[0]
	}
	src := "__global__ void k(const float *__restrict__ a, float *__restrict__ b, int n) {\n" + body +
		"\n}\nvoid run(const float *a, float *b, int n) { k<<<" + c + ">>>(a, b, n); }\n"
	ks := kernelsOf(tb, "k.cu", src)
	require.Len(tb, ks, 1)
	w, err := cost.Of(ks[0], nil, cost.Options{})
	require.NoError(tb, err)
	return w
}

func total(w *workload.Kernel) workload.Work {
	all, _ := workload.Total(w.Body)
	return all
}

func TestBankConflictsFollowTheStride(t *testing.T) {
	for _, c := range []struct {
		name, decl, access string
		fronts             float64
	}{
		{"neighbours", "float s[4096]", "s[threadIdx.x]", 1},
		{"every second word", "float s[4096]", "s[2 * threadIdx.x]", 2},
		{"an odd stride", "float s[4096]", "s[3 * threadIdx.x]", 1},
		{"a column of a square tile", "float s[64][32]", "s[threadIdx.x][0]", 32},
		{"a column of a padded tile", "float s[64][33]", "s[threadIdx.x][0]", 1},
		{"one word for all", "float s[4096]", "s[7]", 1},
		{"one word for all, which the launch does not tell", "float s[4096]", "s[n]", 1},
		{"bytes of one word", "char s[4096]", "s[threadIdx.x]", 1},
		{"pairs of words", "float2 s[4096]", "s[threadIdx.x]", 2},
		{"an offset that is not known", "float s[4096]", "s[n + threadIdx.x]", 1},
		{"a row that data picks, a column per lane", "float s[64][64]", "s[(int)a[threadIdx.x]][threadIdx.x]", 1},
		{"where data says", "float s[4096]", "s[(int)a[threadIdx.x]]", 3.5},
		{"through a pointer", "float s[4096]", "*(s + 64 + 2 * threadIdx.x)", 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := profileOf(t, "__shared__ "+c.decl+";\nauto *p = &s[0]; (void)p;\n"+c.access+" = 1;")
			assert.Equal(t, c.fronts, total(w).Shared)
		})
	}
}

func TestGlobalAccessesMoveWholeSectors(t *testing.T) {
	for _, c := range []struct {
		name, index string
		bytes       float64
	}{
		{"neighbours", "threadIdx.x", 128},
		{"every second", "2 * threadIdx.x", 256},
		{"a sector each", "8 * threadIdx.x", 1024},
		{"rows that are not known", "threadIdx.x * n", 1024},
		{"a row that is not known", "n * blockIdx.x + threadIdx.x", 128},
		{"one for all", "n", 32},
		{"not aligned", "threadIdx.x + 1", 160},
	} {
		t.Run(c.name, func(t *testing.T) {
			load, store := total(profileOf(t, "float v = a["+c.index+"]; b[0] = v;")), total(profileOf(t, "b["+c.index+"] = 1;"))
			assert.Equal(t, c.bytes, load.Loads)
			assert.Equal(t, c.bytes, store.Stores)
		})
	}
}

func TestMembersOfStructsAreApart(t *testing.T) {
	const struct20 = "struct P { float p, q, r, s, t; };\n"
	of := func(body string) workload.Work {
		src := struct20 + "__global__ void k(const P *__restrict__ a, float *__restrict__ b) {\n" + body + "\n}\nvoid run(const P *a, float *b) { k<<<8, 64>>>(a, b); }\n"
		w, err := cost.Of(kernelsOf(t, "k.cu", src)[0], nil, cost.Options{})
		require.NoError(t, err)
		return total(w)
	}
	one, two := of("b[threadIdx.x] = a[threadIdx.x].p;"), of("b[threadIdx.x] = a[threadIdx.x].p + a[threadIdx.x].q;")
	assert.Equal(t, 20*32.0, one.Loads, "a stride of 20 bytes touches every sector")
	assert.Zero(t, one.Again)
	assert.Equal(t, 2*one.Loads, two.Loads)
	assert.Greater(t, two.Again, 0.9*one.Loads, "the second member lies in the sectors of the first")
	assert.Equal(t, two, of("const P *p = a + threadIdx.x; b[threadIdx.x] = p->p + p->q;"))
}

func TestWhatABlockLoadsAgainIsNoFootprint(t *testing.T) {
	w := profileOf(t, "float v = 0; for (int i = 0; i < 32; ++i) v += a[i]; b[threadIdx.x] = v;")
	all := total(w)
	assert.InDelta(t, 32*32, all.Loads, 1e-6)
	assert.InDelta(t, 128, w.Footprint, 1e-6, "32 floats, however many threads read them")
	assert.InDelta(t, 2*all.Loads-w.Footprint, 2*all.Again, 1e-6, "two warps: what is not new is loaded again")
	assert.Equal(t, 512.0, profileOf(t, "b[threadIdx.x] = a[threadIdx.x] + a[threadIdx.x + 64];").Footprint)
}

func TestTwiceTheTripsAreTwiceTheWork(t *testing.T) {
	for _, body := range []string{
		"float v = 0; for (int i = 0; i < %d; ++i) v += a[i * 64 + threadIdx.x] * v; b[threadIdx.x] = v;",
		"__shared__ float s[64]; for (int i = 0; i < %d; ++i) { s[threadIdx.x] = a[i * 64 + threadIdx.x]; __syncthreads(); b[i] = s[63 - threadIdx.x]; __syncthreads(); }",
		"float v = 0; int i = 0; while (i < %d) { v += sinf(a[threadIdx.x + i]); ++i; } b[threadIdx.x] = v;",
	} {
		one, two := total(profileOf(t, fmt.Sprintf(body, 128))), total(profileOf(t, fmt.Sprintf(body, 256)))
		assert.InEpsilon(t, 2, two.Issue/one.Issue, 0.05, body)
		assert.InEpsilon(t, 2, two.Loads/one.Loads, 0.05, body)
		assert.InEpsilon(t, 2, two.Waits/one.Waits, 0.05, body)
	}
}

func TestWorkDoesNotDependOnSpelling(t *testing.T) {
	base := total(profileOf(t, "const int i = blockIdx.x * blockDim.x + threadIdx.x; b[i] = a[i] * 2.0f + 1.0f;"))
	for _, body := range []string{
		"b[blockIdx.x * blockDim.x + threadIdx.x] = a[blockIdx.x * blockDim.x + threadIdx.x] * 2.0f + 1.0f;",
		"int i = threadIdx.x; i += blockIdx.x * blockDim.x; float v = a[i]; v = v * 2.0f + 1.0f; b[i] = v;",
		"const float *p = a + blockIdx.x * blockDim.x + threadIdx.x; b[blockIdx.x * blockDim.x + threadIdx.x] = *p * 2.0f + 1.0f;",
		"{ { int unused; const int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= 0) ; b[i] = a[i] * 2.0f + 1.0f; } }",
	} {
		w := total(profileOf(t, body))
		assert.Equal(t, base.Loads, w.Loads)
		assert.Equal(t, base.Stores, w.Stores)
		assert.InDelta(t, base.Issue, w.Issue, 2, body)
	}
}

func TestDeviceFunctionsCountWhereTheyAreCalled(t *testing.T) {
	const f = "}\n__device__ float f(const float *p, int i) { return p[i] * p[i + 64]; }\n__global__ void unused() {"
	called := profileFirst(t, "b[threadIdx.x] = f(a, threadIdx.x);", f)
	written := profileFirst(t, "b[threadIdx.x] = a[threadIdx.x] * a[threadIdx.x + 64];", f)
	assert.Equal(t, total(written), total(called))
	assert.NotPanics(t, func() {
		profileFirst(t, "b[threadIdx.x] = g(n);", "}\n__device__ int g(int i) { return i > 0 ? g(i - 1) : 0; }\n__global__ void unused() {")
	})
}

func profileFirst(tb testing.TB, body, more string) *workload.Kernel {
	src := "__global__ void k(const float *__restrict__ a, float *__restrict__ b, int n) {\n" + body + more +
		"\n}\nvoid run(const float *a, float *b, int n) { k<<<8, 64>>>(a, b, n); }\n"
	w, err := cost.Of(kernelsOf(tb, "k.cu", src)[0], nil, cost.Options{})
	require.NoError(tb, err)
	return w
}

func TestOnlyActiveWarpsWork(t *testing.T) {
	const work = "b[threadIdx.x] = a[threadIdx.x] * 3.0f;"
	all := total(profileOf(t, work, "8, 128"))
	for _, c := range []struct {
		cond  string
		share float64
	}{{"threadIdx.x < 32", 0.25}, {"threadIdx.x < 33", 0.5}, {"threadIdx.x < 128", 1}, {"threadIdx.x >= 96", 0.25}, {"threadIdx.x == 0", 0.25}} {
		some := total(profileOf(t, "if ("+c.cond+") { "+work+" }", "8, 128"))
		if c.cond == "threadIdx.x < 33" || c.cond == "threadIdx.x == 0" {
			assert.Less(t, some.Loads, all.Loads*c.share+1, c.cond)
			continue
		}
		assert.InDelta(t, all.Loads*c.share, some.Loads, 0.01, c.cond)
	}
	exit := total(profileOf(t, "if (threadIdx.x >= 32) return; "+work, "8, 128"))
	assert.InDelta(t, all.Loads/4, exit.Loads, 0.01, "threads that have left do nothing")
}

func TestBoundsChecksArePassed(t *testing.T) {
	const work = "b[i] = a[i] * 3.0f;"
	const id = "const int i = blockIdx.x * 64 + threadIdx.x; "
	free := total(profileOf(t, id+work))
	for _, guarded := range []string{id + "if (i >= n) return; " + work, id + "if (i < n) { " + work + " }"} {
		w := total(profileOf(t, guarded))
		assert.Equal(t, free.Loads, w.Loads)
		assert.InDelta(t, free.Issue, w.Issue, 3)
	}
}

func TestARangeOfACaseHoldsWhatIsBetweenItsBounds(t *testing.T) {
	const before = "const int i = blockIdx.x * 64 + threadIdx.x; switch ("
	for value, want := range map[string]float64{"1": 1, "3": 2, "5": 2, "7": 2, "8": 3} {
		w := total(profileOf(t, before+value+") { case 1: b[i] = a[i]; break; case 3 ... 7: b[i] = a[i] + a[i + n]; break; default: b[i] = a[i] + a[i + n] + a[i + 2 * n]; }"))
		one := total(profileOf(t, before+value+") { default: b[i] = a[i]; }"))
		assert.InDelta(t, want, w.Loads/one.Loads, 0.01, value)
	}
}

func TestLoadsThatDependOnLoadsWaitOneByOne(t *testing.T) {
	for _, c := range []struct {
		name, body string
		waits      float64
	}{
		{"none", "b[threadIdx.x] = 1;", 0},
		{"independent", "b[threadIdx.x] = a[threadIdx.x] + a[threadIdx.x + 64] + a[threadIdx.x + 128];", 1},
		{"a chain of three", "b[threadIdx.x] = a[(int)a[(int)a[threadIdx.x]]];", 3},
		{"either side of a barrier", "float v = a[threadIdx.x]; __syncthreads(); b[threadIdx.x] = v + a[threadIdx.x + 64];", 2},
		{"unrolled", "float v = 0;\n#pragma unroll\nfor (int i = 0; i < 8; ++i) v += a[i * 64 + threadIdx.x]; b[threadIdx.x] = v;", 1},
		{"rolled in fours", "float v = 0; for (int i = 0; i < blockDim.x; ++i) v += a[i * 64 + threadIdx.x]; b[threadIdx.x] = v;", 16},
		{"chased through a loop", "int p = threadIdx.x; for (int i = 0; i < 256; ++i) p = (int)a[p]; b[threadIdx.x] = p;", 256},
	} {
		t.Run(c.name, func(t *testing.T) {
			assert.InDelta(t, c.waits, total(profileOf(t, c.body)).Waits, 1, "the first turn may share a batch")
		})
	}
}

func TestLoadsOfARegionsDefinitionsAreEarly(t *testing.T) {
	w := profileOf(t, `__shared__ float s[64];
		s[threadIdx.x] = a[threadIdx.x];
		__syncthreads();
		b[threadIdx.x] = s[63 - threadIdx.x];`)
	require.Equal(t, workload.KindRegion, w.Body[len(w.Body)-1].Kind, workload.Format(w.Body))
	first := w.Body[len(w.Body)-1].Body[0]
	assert.True(t, first.Early)
	assert.Equal(t, 128.0, first.Work.Loads)
	assert.Zero(t, first.Work.Shared, "the store stays")
}

func TestWhatIsAssumedIsSaid(t *testing.T) {
	w := profileOf(t, "float v = 0;\nfor (int i = 0; i < n; ++i) v += a[i];\nb[threadIdx.x] = v;", "n, n")
	text := strings.Join(w.Assumptions, "\n")
	assert.Contains(t, text, "k.cu:3: the loop is taken to run 16 times")
	assert.Contains(t, text, "256 threads are assumed")
	assert.Zero(t, w.Blocks)
	assert.Equal(t, 8*4, profileOf(t, "b[0] = 1;", "dim3(8, 4), 64").Blocks)
}

func TestEarlierGuessesDoNotStick(t *testing.T) {
	// The same kernel twice gives the same workload: nothing is kept between walks.
	ks := kernelsOf(t, "k.cu", "__global__ void k(float *a) { for (int i = threadIdx.x; i < 1000; i += 64) a[i] = i; }\nvoid run(float *a) { k<<<4, 64>>>(a); }")
	one, err := cost.Of(ks[0], nil, cost.Options{})
	require.NoError(t, err)
	two, err := cost.Of(ks[0], ks[0].Instances[0], cost.Options{})
	require.NoError(t, err)
	assert.Equal(t, one, two)
}

// examples are the kernels of the example programs.
func examples(tb testing.TB) []*analysis.Kernel {
	paths, err := filepath.Glob("../../examples/*/*.cu")
	require.NoError(tb, err)
	require.Len(tb, paths, 10)
	var out []*analysis.Kernel
	for _, p := range paths {
		src, err := os.ReadFile(p)
		require.NoError(tb, err)
		out = append(out, kernelsOf(tb, filepath.Base(p), string(src))...)
	}
	return out
}

func TestExamplesNeedNoGuessAboutTheirBlocks(t *testing.T) {
	product, n := 1.0, 0
	for _, k := range examples(t) {
		w, err := cost.Of(k, nil, cost.Options{})
		require.NoError(t, err)
		assert.NotContains(t, strings.Join(w.Assumptions, "\n"), "threads are assumed", k.Name)
		assert.NotContains(t, strings.Join(w.Assumptions, "\n"), "not in view", k.Name)
		all, in := workload.Total(w.Body)
		assert.LessOrEqual(t, all.Again, all.Loads)
		if len(k.Regions) == 0 {
			continue
		}
		early, latency := earlyWork(w.Body, 1), 400.0 // cycles of a wait, on any GPU of the last decade
		time := func(w workload.Work) float64 { return w.Issue + w.Shared + latency*w.Waits }
		share := (time(in) - time(early)) / time(all)
		product, n = product*share, n+1
		t.Logf("%s %s: %2.0f %% of a lone warp's time is in regions (%2.0f %% of its instructions), loads that move ahead taken off", k.File.Name, k.Name, 100*share, 100*(in.Issue-early.Issue)/all.Issue)
	}
	t.Logf("geometric mean of the time %.1f %%; PACT'12 reports 25.6 %%", 100*math.Pow(product, 1/float64(n)))
}

// earlyWork is the work that moves in front of the regions.
func earlyWork(steps []workload.Step, times float64) workload.Work {
	var sum workload.Work
	for _, s := range steps {
		switch {
		case s.Early:
			sum = sum.Add(s.Work.Scale(times))
		case s.Kind == workload.KindLoop:
			sum = sum.Add(earlyWork(s.Body, times*s.Times))
		case s.Kind == workload.KindRegion:
			sum = sum.Add(earlyWork(s.Body, times))
		}
	}
	return sum
}

func BenchmarkOf(b *testing.B) {
	ks := examples(b)
	for b.Loop() {
		for _, k := range ks {
			_, err := cost.Of(k, nil, cost.Options{})
			require.NoError(b, err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/1000/float64(b.N)/float64(len(ks)), "ms/kernel")
}
