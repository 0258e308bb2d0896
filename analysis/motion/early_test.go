package motion_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/analysis/motion"
	"github.com/smux-cuda/smux/lab/kerneltest"
)

// TestLoadsThatCanBeMadeBeforeARegion: what of the text after a barrier can be loaded before the
// region, in the order of the text.
func TestLoadsThatCanBeMadeBeforeARegion(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"in an expression", "out[t] = s[63 - t] * a[i];", []string{"a[i]"}},
		{"through another", "out[t] = s[63 - t] * a[at[i]];", []string{"a[at[i]]"}},
		{"by a subscript that shared memory decides", "out[t] = a[number[t]];", nil},
		{"by what the thread stored itself", "int v = a[own[t]]; out[t] = s[63 - t] + v;", []string{"a[own[t]] with i"}},
		{"of memory that somebody may write", "out[t] = s[63 - t] + b[i] + out[t + 1];", nil},
		{"volatile", "out[t] = s[63 - t] + w[i];", nil},
		{"by a variable that the region sets", "i += 2; out[t] = s[63 - t] * a[i];", nil},
		{"by a variable that the region declares", "int j = s[0]; out[t] = s[63 - t] * a[j];", nil},
		{"perhaps", "out[t] = i > 3 ? a[i] : s[63 - t]; if (i > 3 && a[i + 1] > 0) out[t] = s[t];", nil},
		{"under a condition that is known", "if (i > 3) out[t] = s[63 - t] * a[i]; else out[t] = s[t] * a[i + 1];", []string{"a[i] if i > 3", "a[i + 1] unless i > 3"}},
		{"under one that is not", "if (s[0] > 3) out[t] = s[63 - t] * a[i];", nil},
		{"behind a return", "if (s[0] > 3) return; out[t] = s[63 - t] * a[i];", nil},
		{"behind a call out of sight", "unseen(); out[t] = s[63 - t] * a[i];", nil},
		{"behind an assertion", "assert(i < n); out[t] = s[63 - t] * a[i];", nil},
		{"of each iteration", "for (int k = 0; k < 4; ++k) out[t] += s[k] * a[i + k];", []string{"a[i + k] 4 times"}},
		{"of all iterations alike", "for (int k = 0; k < 4; ++k) out[t] += s[k] * a[i];", []string{"a[i]"}},
		{"of many iterations", "for (int k = 0; k < 64; ++k) out[t] += s[k] * a[i + k];", nil},
		{"of a loop that may not run", "for (int k = 0; k < n; ++k) out[t] += s[k] * a[i] * a[k];", []string{"a[i] if entered"}},
		{"of a loop that shared memory decides", "for (int k = 0; k < own[3]; ++k) out[t] += s[k] * a[i];", nil},
		{"of a loop that is left", "for (int k = 0; k < 4; ++k) { if (s[k] > 3) break; out[t] += s[k] * a[i]; }", nil},
		{"of a loop within", "for (int k = 0; k < 4; ++k) for (int l = 0; l < 4; ++l) out[t] += s[k] * a[i];", nil},
		{"behind a declaration that moves", "const int v = at[i]; out[t] = s[63 - t] * a[v];", []string{"at[i]", "a[v]"}},
		{"behind one that changes", "int v = at[i]; v += s[t]; out[t] = s[63 - t] * a[v];", []string{"at[i]"}},
		{"an address", "const float *p = &a[i]; out[t] = s[63 - t] * *p;", nil},
		{"an argument of a function", "out[t] = twice(a[i]) * s[63 - t];", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			number := "own[t]"
			if strings.Contains(c.text, "number") {
				number = "number[63 - t]"
			}
			k := kerneltest.Only(t, `
__device__ float twice(const float &x) { return 2 * x; }
__global__ void k(float *out, const float *__restrict__ a, const int *__restrict__ at, const float *b, const volatile float *w, int n) {
    __shared__ float s[64];
    __shared__ int own[64], number[64];
    const int t = threadIdx.x;
    int i = blockIdx.x * 64 + t;
    s[t] = b[i];
    `+number+` = i;
    __syncthreads();
    `+c.text+`
    s[t] = 0;
    out[i] = s[t];
}
void run(float *p) { k<<<8, 64>>>(p, p, 0, p, p, 3); }
`)
			var got []string
			for _, r := range k.Regions {
				for _, s := range motion.EarlyLoads(k, r) {
					src := func(start, end int) string { return string(k.File.Src[start:end]) }
					text := src(s.Load.Range.Start, s.Load.Range.End)
					for _, known := range s.Known {
						text += " with " + known.Value.Name
					}
					switch {
					case s.Loop != nil:
						assert.Equal(t, 4, s.Count)
						text += " 4 times"
					case s.First != nil:
						text += " if entered"
					case s.Negated:
						text += " unless " + src(s.Cond.Range.Start, s.Cond.Range.End)
					case s.Cond != nil:
						text += " if " + src(s.Cond.Range.Start, s.Cond.Range.End)
					}
					got = append(got, text)
				}
			}
			require.NotZero(t, len(k.Regions)+len(k.Hazards))
			assert.Equal(t, c.want, got)
		})
	}
}
