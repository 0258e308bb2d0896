package regreduce

import (
	"context"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/analysis/passes"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/nvcc"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite/variant"
)

// real is a program to climb with the compiler that is here.
func real(t testing.TB, src string) (*Toolkit, Subject) {
	t.Helper()
	tools, err := nvcc.Find()
	if err != nil || testing.Short() {
		t.Skip("no nvcc, or -short: kernels were not compiled")
	}
	tools.CacheDir = t.TempDir()
	f, err := parser.Parse("kernel.cu", []byte(src), parser.Options{})
	require.NoError(t, err)
	prog := parser.NewProgram([]*parser.File{f}, parser.Options{})
	k := passes.NewProgram(prog, [3]int{}).Kernels()[0]
	return &Toolkit{Program: prog, NVCC: tools, Request: nvcc.Request{Texts: map[string][]byte{"kernel.cu": []byte(src)}}},
		Subject{Kernel: k, Instance: k.Instances[0], Threads: 256, Bounded: true}
}

var rungsInExample = regexp.MustCompile(`--rungs (\S+)`)

// Each code is what nvcc makes of its example in the documentation; the
// remaining one, CodeNoNVCC, is for who has no nvcc.
func TestExamplesGetTheirCode(t *testing.T) {
	for _, code := range []diag.Code{CodeDemoted, CodeNoStep, CodeNotDemoted} {
		t.Run(string(code), func(t *testing.T) {
			doc, ok := diag.Lookup(code)
			require.True(t, ok)
			compiler, s := real(t, doc.Example)
			opt := Options{GPUs: gpus(t, "a100"), Rules: Usual}
			if m := rungsInExample.FindStringSubmatch(doc.Example); m != nil {
				opt.Rungs = strings.Split(m[1], ",")
			}
			r, err := Reduce(context.Background(), s, compiler, opt)
			require.NoError(t, err)
			assert.Equal(t, code, r.Code, r.Why)
			t.Log(r.Why)
			for _, a := range r.Attempts {
				t.Logf("%-40s %+v %s%s", a.Recipe, a.Figures, a.Rejected, a.Failed)
				if a.Failed == "" {
					assert.Positive(t, a.Figures.Instructions)
					assert.Positive(t, a.Predicted)
					assert.Equal(t, a.Figures.Spills() > 0, a.Figures.LocalWeight > 0, "spilled words are loaded and stored")
				}
			}
		})
	}
}

// A recipe changes the kernel that it is for and no other of the file, though it
// has the same shape.
func TestOtherKernelsOfAFileStayAsTheyAre(t *testing.T) {
	src := `
template <int N> __global__ void first(const float *in, float *out) {
    float x[N];
    for (int i = 0; i < N; ++i) x[i] = in[i * 256 + threadIdx.x];
    for (int i = 0; i < N; ++i) out[i * 256 + threadIdx.x] = x[i] * x[(i * 7) % N];
}
__global__ void second(const float *in, float *out) { out[threadIdx.x] = in[threadIdx.x]; }
void run(float *a, float *b) { first<8><<<9, 256>>>(a, b); first<64><<<9, 256>>>(a, b); second<<<9, 256>>>(a, b); }`
	compiler, s := real(t, src)
	require.Len(t, s.Kernel.Instances, 2)
	s.Instance = s.Kernel.Instances[1]
	texts, units, err := compiler.rewritten(s, variant.Recipe{Threads: 256, Blocks: 5})
	require.NoError(t, err)
	assert.Equal(t, []string{"kernel.cu"}, units)
	assert.Equal(t, 1, strings.Count(string(texts["kernel.cu"]), "__launch_bounds__"))
	assert.Equal(t, 0, strings.Count(src, "__launch_bounds__"), "the program itself stays")

	for i, least := range []int{8, 60} {
		s.Instance = s.Kernel.Instances[i]
		f, err := compiler.Compile(context.Background(), s, variant.Recipe{}, "sm_80")
		require.NoError(t, err)
		assert.GreaterOrEqual(t, f.Registers, least, "first<%d>", []int{8, 64}[i])
		assert.Less(t, f.Registers, []int{60, 80}[i], "the instance that is launched")
	}

	var refused *RefusedError
	_, err = compiler.Compile(context.Background(), s, variant.Recipe{Pins: []string{"nobody"}}, "sm_80")
	require.ErrorAs(t, err, &refused)
	assert.Contains(t, refused.Reason, `"nobody"`)
}

// BenchmarkOtherGPUs says how much faster a kernel is brought down for five GPUs where machine code is listed
// for the target alone.
func BenchmarkOtherGPUs(b *testing.B) {
	doc, ok := diag.Lookup(CodeDemoted)
	require.True(b, ok)
	once := func(listed bool) time.Duration {
		compiler, s := real(b, doc.Example)
		start := time.Now()
		_, err := Reduce(context.Background(), s, compiler, Options{GPUs: gpus(b, "t4", "rtx3090", "v100", "a100", "h100"), Rules: Usual, Listed: listed})
		require.NoError(b, err)
		return time.Since(start)
	}
	var target, all time.Duration
	for b.Loop() {
		target += once(false)
		all += once(true)
	}
	b.ReportMetric(float64(all)/float64(target), "times-as-fast")
}
