package machine

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/lab/cudatest"
	"github.com/smux-cuda/smux/lab/suite"
	"github.com/smux-cuda/smux/tune/record"
	"github.com/smux-cuda/smux/verify/harness"
)

// kernel computes the same for any work from 100 on, so that variants can be as much
// faster as they like.
const kernel = `__global__ void k(float *in, float *out, int n, int work) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float v = in[i];
    for (int w = 0; w < work; ++w) v = v * 0.5f + 1.0f;
    out[i] = v + i;
}
`

// program launches the kernel several times with the same input, as benchmarks do.
const program = `#include <cstdio>
#include <cuda_runtime.h>

` + kernel + `
int main() {
    const int n = 1000, work = 4000;
    static float h[n];
    for (int i = 0; i < n; ++i) h[i] = i % 13;
    float *in, *out;
    cudaMalloc(&in, sizeof h);
    cudaMalloc(&out, sizeof h);
    cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice);
    cudaMemset(out, 0, sizeof h);
    for (int turn = 0; turn < 4; ++turn) k<<<(n + 63) / 64, 64>>>(in, out, n, work);
    cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost);
    double sum = 0;
    for (int i = 0; i < n; ++i) sum += h[i];
    printf("sum %g\n", sum);
    cudaFree(in);
    cudaFree(out);
    return 0;
}
`

// alone is the kernel with the main that smux makes for it.
func alone(t *testing.T, text string) string {
	t.Helper()
	prog := cudatest.Program(t, "p.cu", strings.Replace(text, "__global__", "// smux:bench grid=16 block=64 n=1000 work=4000 in=float[n]:random out=float[n]\n__global__", 1))
	specs, err := harness.Comments(prog)
	require.NoError(t, err)
	_, out, err := harness.Attach(prog, specs, harness.Repeat)
	require.NoError(t, err)
	return string(out)
}

// trial holds what a run of a variant between runs of the original shows.
type trial struct {
	check, run *record.Failure // of the check run, of the timed ones
	ratio      float64         // medians of the times, of the original's over the variant's
	checked    record.Evidence // of both
	compared   record.Evidence
}

// refused says whether the variant can't be chosen, by its outputs.
func (r trial) refused() bool { return r.check != nil || r.run != nil }

// try measures a variant as a tuning run does: checks, a run of each that doesn't
// count, and turns.
func try(t *testing.T, original, variant Built) (r trial) {
	t.Helper()
	want, err := original.Check(t.Context(), 0)
	require.NoError(t, err)
	defer want.Release()
	got, err := variant.Check(t.Context(), 0)
	require.NoError(t, err)
	defer got.Release()
	r.checked, r.check = want.Compare(got)
	var base, times []float64
	for turn := range 4 {
		a, err := original.Run(t.Context(), 0, turn)
		require.NoError(t, err)
		b, err := variant.Run(t.Context(), 0, turn)
		require.NoError(t, err)
		seen, failure := a.Outputs.Compare(b.Outputs)
		if r.compared = seen; failure != nil {
			r.run = failure
		}
		if turn > 0 {
			base, times = append(base, a.Milliseconds...), append(times, b.Milliseconds...)
		}
		a.Outputs.Release()
		b.Outputs.Release()
	}
	slices.Sort(base)
	slices.Sort(times)
	r.ratio = base[len(base)/2] / times[len(times)/2]
	return r
}

const ahead = "    if (i >= n) return;\n"

// variants are forms of the kernel by what they do.
var variants = map[string]func(string) string{
	"the same": func(s string) string { return strings.Replace(s, "v * 0.5f + 1.0f", "1.0f + 0.5f * v", 1) },
	"faster":   func(s string) string { return strings.Replace(s, "w < work", "w < work / 8", 1) },
	"skips work": func(s string) string {
		return strings.Replace(s, ahead, "    if (i >= n || i % 4 == 3) return;\n", 1)
	},
	"leaves its output in place by a flag": func(s string) string {
		s = strings.Replace(s, ahead, ahead+"    if (done[i]) return;\n    done[i] = 1;\n", 1)
		return strings.Replace(s, "__global__", "__device__ char done[1000];\n__global__", 1)
	},
	"leaves its output in place by a flag that is hidden": func(s string) string {
		s = strings.Replace(s, ahead, ahead+"    if (done[i]) return;\n    done[i] = 1;\n", 1)
		return strings.Replace(s, "__global__", "#if __cplusplus\n__device__ char done[1000];\n#endif\n__global__", 1)
	},
	"leaves its output in place by looking at it": func(s string) string {
		return strings.Replace(s, ahead, ahead+"    if (out[i] != 0) return;\n", 1)
	},
	"changes its input": func(s string) string {
		return strings.Replace(s, "    out[i] = v + i;\n", "    out[i] = v + i;\n    in[i] = 2;\n", 1)
	},
	"keeps its results in its input": func(s string) string {
		s = strings.Replace(s, ahead, ahead+"    if (in[i] < 0) {\n        out[i] = i - in[i];\n        return;\n    }\n", 1)
		return strings.Replace(s, "    out[i] = v + i;\n", "    out[i] = v + i;\n    in[i] = -v;\n", 1)
	},
}

// The output of a timed run may be right for the wrong reason, and then the check
// run's isn't.
func TestFalseSpeedUpsOfAProgramAreRefused(t *testing.T) {
	c := onCPUEngine(t, program, Program{Dir: t.TempDir()})
	original := built(t, c, ofText(program, true))
	for name, x := range map[string]struct{ check, run bool }{
		"skips work":                                          {true, true},
		"leaves its output in place by a flag":                {true, false},
		"leaves its output in place by a flag that is hidden": {true, false},
		"leaves its output in place by looking at it":         {true, false},
		"changes its input":                                   {true, false},
		"keeps its results in its input":                      {true, false},
	} {
		t.Run(name, func(t *testing.T) {
			suite.Sample(t, name, 4)
			r := try(t, original, built(t, c, ofText(variants[name](program), false)))
			assert.Equal(t, x.check, r.check != nil, r.check)
			assert.Equal(t, x.run, r.run != nil, r.run)
			assert.True(t, r.refused())
			for _, f := range []*record.Failure{r.check, r.run} {
				if f != nil {
					assert.Equal(t, record.FailedOutput, f.Kind)
				}
			}
		})
	}
}

func TestFalseSpeedUpsOfAKernelAloneAreRefused(t *testing.T) {
	text := alone(t, kernel)
	c := onCPUEngine(t, text, Program{Repeats: 3, WarmUp: 1})
	original := built(t, c, ofText(text, true))
	for _, name := range []string{"skips work", "leaves its output in place by a flag", "leaves its output in place by a flag that is hidden", "changes its input", "keeps its results in its input"} {
		t.Run(name, func(t *testing.T) {
			suite.Sample(t, name, 4)
			r := try(t, original, built(t, c, ofText(alone(t, variants[name](kernel)), false)))
			assert.NotNil(t, r.run, "each repetition begins with new arrays, and all are copied back")
		})
	}
	// Its output is never there: there is nothing false to it.
	const looks = "leaves its output in place by looking at it"
	r := try(t, original, built(t, c, ofText(alone(t, variants[looks](kernel)), false)))
	assert.False(t, r.refused())
	assert.InDelta(t, 1, r.ratio, 0.4)
}

func TestTrueSpeedUpsPass(t *testing.T) {
	bench := alone(t, kernel)
	for _, x := range []struct {
		text     string
		change   func(string) string
		program  Program
		compared record.Evidence
		checked  record.Evidence
	}{
		{program, func(s string) string { return s }, Program{},
			record.Evidence{Copies: 1, Bytes: 4000, Lines: 1}, record.Evidence{Copies: 9, Bytes: 9 * 4000, Lines: 1, Memory: 5 * 4000}},
		{bench, func(s string) string { return s }, Program{Repeats: 3, WarmUp: 1},
			record.Evidence{Copies: 8, Bytes: 8 * 4000, Lines: 12}, record.Evidence{Copies: 8, Bytes: 8 * 4000, Lines: 6, Memory: 6 * 4000}},
	} {
		c := onCPUEngine(t, x.text, x.program)
		original := built(t, c, ofText(x.text, true))
		for name, faster := range map[string]bool{"the same": false, "faster": true} {
			r := try(t, original, built(t, c, ofText(variants[name](x.text), false)))
			assert.False(t, r.refused(), "%s: %v %v", name, r.check, r.run)
			assert.Equal(t, x.compared, r.compared, name)
			assert.Equal(t, x.checked, r.checked, name)
			if faster {
				assert.Greater(t, r.ratio, 2.0)
			} else {
				assert.InDelta(t, 1, r.ratio, 0.4)
			}
		}
	}
}

// The first repetition within a run, and the first run, are not what is measured.
func TestWhatIsFasterOnlyAtFirstGainsNothing(t *testing.T) {
	t.Run("the first repetition of a kernel alone", func(t *testing.T) {
		text := alone(t, kernel)
		c := onCPUEngine(t, text, Program{Repeats: 3, WarmUp: 1})
		first := strings.Replace(kernel, "w < work", "w < (turns[i] > 1 ? work : work / 8)", 1)
		first = strings.Replace(first, ahead, ahead+"    ++turns[i];\n", 1)
		first = strings.Replace(first, "__global__", "__device__ int turns[1000];\n__global__", 1)
		original, variant := built(t, c, ofText(text, true)), built(t, c, ofText(alone(t, first), false))
		r := try(t, original, variant)
		assert.Nil(t, r.run)
		assert.InDelta(t, 1, r.ratio, 0.4)
		c.Program.Repeats, c.Program.WarmUp = 1, 0
		assert.Greater(t, try(t, original, variant).ratio, 2.0, "it is faster at first")
	})
	t.Run("the first run of a program", func(t *testing.T) {
		c := onCPUEngine(t, program, Program{Dir: t.TempDir()})
		first := strings.Replace(program, "const int n = 1000, work = 4000;", `FILE *seen = fopen("seen", "r");
    const int n = 1000, work = seen ? 4000 : 500;
    if (!seen) seen = fopen("seen", "w");
    fclose(seen);`, 1)
		original, variant := built(t, c, ofText(program, true)), built(t, c, ofText(first, false))
		r := try(t, original, variant)
		assert.False(t, r.refused())
		assert.InDelta(t, 1, r.ratio, 0.4)
		again, err := original.Run(t.Context(), 0, 0)
		require.NoError(t, err)
		require.NoError(t, os.Remove(filepath.Join(c.Program.Dir, "seen")))
		fresh, err := variant.Run(t.Context(), 0, 0)
		require.NoError(t, err)
		assert.Greater(t, again.Milliseconds[0], 2*fresh.Milliseconds[0], "it is faster at first")
	})
}
