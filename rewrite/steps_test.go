package rewrite

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/analysis/passes"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/rewrite/merge"
	"github.com/smux-cuda/smux/rewrite/variant"
)

// stepped has a kernel for slice, one for overlay, and one for neither.
const stepped = `__global__ void turned(const float2 *in, float2 *out) {
    __shared__ float2 s[64];
    float2 v = in[blockIdx.x * 64 + threadIdx.x];
    s[threadIdx.x] = v;
    __syncthreads();
    v = s[63 - threadIdx.x];
    out[blockIdx.x * 64 + threadIdx.x] = v;
}
__global__ void phased(const float *in, float *out) {
    __shared__ float a[64], b[64];
    a[threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x];
    __syncthreads();
    float x = a[63 - threadIdx.x];
    __syncthreads();
    b[threadIdx.x] = x;
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = b[threadIdx.x ^ 1];
}
__global__ void plain(const float *in, float *out) {
    __shared__ float s[64];
    s[threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x];
    __syncthreads();
    for (int i = 0; i < 64; ++i) out[i] += s[i];
}
void run(const float2 *in, float2 *out, const float *a, float *b, int n) {
    turned<<<n, 64>>>(in, out);
    phased<<<n, 64>>>(a, b);
    plain<<<n, 64>>>(a, b);
}
`

func parsedVariant(t *testing.T, text string) Variant {
	t.Helper()
	w, err := variant.Parse(text)
	require.NoError(t, err)
	return w
}

// TestAVariantOfTwoStepsIsOneAfterTheOther: one name, the text of both, and a kernel that
// refuses one of them keeps its own.
func TestAVariantOfTwoStepsIsOneAfterTheOther(t *testing.T) {
	prog := chainedProgram(t, stepped)
	for _, tt := range []struct{ kernel, way, first, then string }{
		{"turned", "vtb named N=2 by=component", "slice by=component", "vtb named N=2"},
		{"turned", "dyn lock N=4 M=2 R=2 by=window", "slice R=2 by=window", "dyn lock N=4 M=2"},
		{"phased", "vtb lock N=2 overlay", "overlay", "vtb lock N=2"},
		{"phased", "merge named N=2 overlay", "overlay", "merge named N=2"},
	} {
		at := placeIn(prog, tt.kernel+"(")
		c := NewChain(passes.NewProgram(prog, [3]int{}))
		for _, step := range []string{tt.first, tt.then} {
			_, err := RewriteIn(c, Options{Decisions: map[diag.Position]Decision{at: {Variant: parsedVariant(t, step)}}})
			require.NoError(t, err)
		}
		want := c.Result()
		got, err := Run(prog, Options{Variant: parsedVariant(t, tt.way), Kernels: []string{tt.kernel, "plain"}})
		require.NoError(t, err)
		require.NoError(t, err)
		require.Len(t, got.Files, 1, tt.way)
		assert.Equal(t, string(want.Files[0].After), string(got.Files[0].After), tt.way)
		for _, k := range got.Kernels {
			if k.Name == tt.kernel {
				assert.True(t, strings.HasPrefix(tt.way, k.Variant.Steps()[1].String()), k.Variant.String())
				assert.Equal(t, parsedVariant(t, tt.first).Rewriter, k.Variant.Steps()[0].Rewriter)
			} else {
				assert.Empty(t, k.Rewriter, "%s of %s", tt.way, k.Name)
				assert.NotEmpty(t, k.Refused)
			}
		}
	}
}

// TestAKernelThatRefusesTheSecondStepKeepsItsText: two blocks of 1024 threads are one too
// many, whatever the first step saves. What is offered says so, and other kernels get theirs.
func TestAKernelThatRefusesTheSecondStepKeepsItsText(t *testing.T) {
	prog := chainedProgram(t, strings.NewReplacer("s[64]", "s[1024]", "63 -", "1023 -", "* 64", "* 1024", "turned<<<n, 64>>>", "turned<<<n, 1024>>>").Replace(stepped))
	at, other := placeIn(prog, "turned("), placeIn(prog, "phased(")
	way := parsedVariant(t, "vtb named N=2 by=component")
	why := diag.Message{Pos: at, Code: "chosen", Text: "asked for"}
	r, err := Run(prog, Options{Kernels: []string{"turned", "phased"}, Decisions: map[diag.Position]Decision{
		at: {Variant: way, Why: []diag.Message{why}}, other: {Variant: parsedVariant(t, "overlay")},
	}})
	require.NoError(t, err)
	require.Len(t, r.Kernels, 2)
	assert.Empty(t, r.Kernels[0].Rewriter)
	require.NotEmpty(t, r.Kernels[0].Refused)
	assert.Equal(t, why, r.Kernels[0].Refused[0])
	last := r.Kernels[0].Refused[len(r.Kernels[0].Refused)-1]
	assert.Equal(t, merge.CodeBlockTooLarge, last.Code)
	assert.Equal(t, "overlay", r.Kernels[1].Variant.String())
	require.Len(t, r.Files, 1)
	assert.NotContains(t, string(r.Files[0].After), "smux slice")

	analysed := passes.NewProgram(prog, [3]int{})
	for _, g := range Groups(analysed, analysed.Kernels(), Options{Variant: way}) {
		require.Len(t, g.Variants, 1)
		assert.Equal(t, way, g.Variants[0].Variant)
		assert.False(t, g.Variants[0].Can)
		if g.Kernels[0].Name == "turned" {
			assert.Equal(t, []diag.Message{last}, g.Variants[0].Refused)
		}
	}
	steps := NewChain(analysed)
	_, err = RewriteIn(steps, Options{Decisions: map[diag.Position]Decision{at: {Variant: way.Steps()[0]}}})
	require.NoError(t, err)
	offers, err := Offers(steps, Groups(analysed, analysed.Kernels(), Options{})[0], []Variant{way.Steps()[1]})
	require.NoError(t, err)
	assert.False(t, offers[0].Can)
	assert.Equal(t, []diag.Message{last}, offers[0].Refused)
}

// coarse has a kernel that can be coarsened and unrolled, and one without a loop, along two axes.
const coarse = `__global__ void looped(const float *in, float *out, int n) {
    float sum = 0;
    for (int k = 0; k < n; ++k) sum += in[k * 64 + blockIdx.x];
    out[blockIdx.y * 64 + blockIdx.x] = sum;
}
__global__ void once(const float *in, float *out) {
    out[blockIdx.y * 64 + blockIdx.x] = in[blockIdx.x];
}
void run(const float *a, float *b, int n) {
    dim3 grid(64, n);
    looped<<<grid, 1>>>(a, b, n);
    once<<<grid, 1>>>(a, b);
}
`

// TestStepsAfterCoarsenAreMadeOrNone: a kernel that refuses one of them stays as it was, whatever becomes of others.
func TestStepsAfterCoarsenAreMadeOrNone(t *testing.T) {
	prog := passes.NewProgram(chainedProgram(t, coarse), [3]int{})
	for way, rewritten := range map[string][]string{
		"coarsen N=2 y=4":           {"looped", "once"},
		"coarsen N=2 y=2 unroll=4":  {"looped"},
		"coarsen N=2 unroll=4":      {"looped"},
		"coarsen N=2 K=4 y=2":       nil,
		"coarsen N=4 merge=z y=2":   {"looped", "once"},
		"coarsen N=2 merge=y":       {"looped", "once"},
		"coarsen N=2 unroll=0 y=64": nil, // the length of the loop is not known
	} {
		w := parsedVariant(t, way)
		res, err := RunAnalysed(prog, Options{Variant: w})
		require.NoError(t, err)
		var got []string
		for _, k := range res.Kernels {
			if k.Rewriter != "" {
				got = append(got, k.Name)
				assert.Equal(t, w, k.Variant, way)
				continue
			}
			assert.NotEmpty(t, k.Refused, "%s: %s", way, k.Name)
		}
		assert.Equal(t, rewritten, got, way)
		if len(got) > 0 {
			assert.Equal(t, len(got)*max(1, len(w.Steps())-w.Main()-min(1, abs(w.Unroll))), strings.Count(string(res.Files[0].After), "// smux coarsen along"), way)
		}
		for _, g := range Groups(prog, prog.Kernels(), Options{Variant: w}) { // groups offer what can be done
			for _, o := range g.Variants {
				if o.Variant == w {
					assert.Equal(t, strings.Contains(strings.Join(rewritten, " "), g.Kernels[0].Name), o.Can, "%s: %s", way, g.Kernels[0].Name)
				}
			}
		}
	}
}

func abs(n int) int { return max(n, -n) }
