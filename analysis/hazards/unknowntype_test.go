package hazards_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/passes"
	"github.com/smux-cuda/smux/analysis/summary"
	"github.com/smux-cuda/smux/lab/cudatest"
)

// TestElementsOfTypesOutOfView are no addresses where the type is no array and the array is seen to be
// shared memory itself; of a type of which that is not known it is said once.
func TestElementsOfTypesOutOfView(t *testing.T) {
	const followed = "an address in shared memory is stored in a place that smux can't follow"
	const unknown = "the type elem is not known: its values may be addresses in shared memory"
	for _, c := range []struct{ name, body, want string }{
		{"elements are stored and loaded", "__shared__ elem s[64]; s[t] = in[t]; __syncthreads(); out[t] = s[63 - t];", ""},
		{"a variable is set from an element", "__shared__ elem s[64]; s[t] = in[t]; __syncthreads(); elem v = s[63 - t]; out[t] = v;", ""},
		{"of rows", "__shared__ elem s[8][8]; s[t][0] = in[t]; __syncthreads(); out[t] = s[7][7];", ""},
		{"through a pointer into shared memory", "extern __shared__ char raw[]; elem *s = reinterpret_cast<elem *>(raw); s[t] = in[t]; __syncthreads(); out[t] = s[63 - t];", ""},
		{"through a cast that a variable holds", "extern __shared__ char raw[]; auto s = reinterpret_cast<elem *>(raw); s[t] = in[t]; __syncthreads(); elem v = s[63 - t]; out[t] = v;", ""},
		{"through a parameter", "extern __shared__ char raw[]; __shared__ elem s[64]; elem *p = (elem *)raw + 64; s[t] = in[t]; __syncthreads(); out[t] = sum(s, t) + sum(p + 1, t) + sum(s + t, 1);", ""},
		{"through a parameter that is also given another pointer", "__shared__ float f[64]; __shared__ elem s[64]; float *p = f; elem *q = (elem *)&p; out[t] = sum(s, t) + sum(q, t);", unknown},
		{"a sum of what may be addresses", "__shared__ float f[64]; float *p = f; elem *q = (elem *)&p; elem v = q[0] + q[1]; elem w = t ? q[0] : q[1]; out[t] = v + w;", unknown},
		{"a type that may be an array", "__shared__ elem s[64]; touch(s[t]); touch(s[t][0]); keep->at = s[t]; keep->to = s[63 - t];", unknown},
		{"an array of rows that is stored", "__shared__ elem s[8][8]; elem v = in[t]; keep->at = s[t];", followed},
		{"an address that is stored in shared memory", "__shared__ elem s[64]; __shared__ float f[64]; s[t] = (elem)f; elem v = s[t]; out[t] = v;", followed},
		{"a pointer to a variable that holds an address", "__shared__ float f[64]; float *p = f; elem *q = (elem *)&p; elem v = *q; out[t] = v;", unknown},
		{"a pointer that is set again", "__shared__ float f[64]; __shared__ elem s[64]; float *p = f; elem *q = s; q = (elem *)&p; elem v = *q; out[t] = v;", unknown},
	} {
		t.Run(c.name, func(t *testing.T) {
			src := fmt.Sprintf("struct box { void *at, *to; };\n__device__ void touch(int) {}\n__device__ elem sum(elem *x, int i) { elem v = x[i]; for (int j = 0; j < 4; ++j) v = v + x[j]; x[i] = v; return v; }\n__global__ void k(const elem *in, elem *out, box *keep) { int t = threadIdx.x; %s }\n", c.body)
			kernels := passes.NewProgram(cudatest.Program(t, "a.cu", src), [3]int{}).Kernels()
			require.Len(t, kernels, 1)
			texts := map[string]int{}
			for _, m := range kernels[0].Hazards {
				if m.Code == analysis.CodeEscape {
					texts[m.Text]++
				}
			}
			if c.want == "" {
				assert.Empty(t, texts)
				return
			}
			assert.Contains(t, texts, c.want)
			assert.LessOrEqual(t, texts[unknown], 1, "once is enough")
		})
	}
}

// TestAKernelThatCannotBeReadKeepsItsLaunches, and nothing is said of what it holds.
func TestAKernelThatCannotBeReadKeepsItsLaunches(t *testing.T) {
	src := "__global__ void k(float *a) { __shared__ float s[64]; if (a[0] { } s[0] = 1; }\nvoid f(float *a) { k<<<4, 64>>>(a); }\n"
	k := passes.NewProgram(cudatest.Program(t, "a.cu", src), [3]int{}).Kernels()[0]
	r := summary.Report(k)
	assert.True(t, r.Unread)
	assert.Nil(t, r.SharedBytes)
	require.Len(t, r.Launches, 1)
	assert.Equal(t, &[3]int{64, 1, 1}, r.Launches[0].Shape)
}
