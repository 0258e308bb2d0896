package rewrite_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite"
)

// figuresSource holds a kernel for each cheap means: one with many values alive,
// one with an unrolled loop, one in whose loop the compiler keeps an address for
// each of six loads.
const figuresSource = `
static __global__ void capped(const float *__restrict__ a, float *__restrict__ out, int n) {
    float v[48];
    int t = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll
    for (int i = 0; i < 48; i++) v[i] = a[t + i * n];
    float s = 0;
    for (int r = 0; r < n; r++) {
#pragma unroll
        for (int i = 0; i < 48; i++) s += v[i] * v[(i * 7 + 5) % 48];
#pragma unroll
        for (int i = 0; i < 48; i++) v[i] += s * 0.5f;
    }
    out[t] = s;
}
static __global__ void unrolled(const float *a, float *out, int n) {
    float s = 0;
    int t = threadIdx.x;
#pragma unroll 16
    for (int j = 0; j < n; j++) s += __sinf(a[t * n + j]) * a[j * 64 + t];
    out[t] = s;
}
static __global__ void pinned(const float *a, float *out, int n, int pitch) {
    float s = 0;
    int t = threadIdx.x;
    for (int l = 0; l < n; l++) {
        int at = l * pitch + t;
        s += a[at] * a[at + pitch] + a[at + 2 * pitch] * a[at + 3 * pitch] - a[at + 5 * pitch] * a[at + 7 * pitch];
    }
    out[t] = s;
}
void run(float *a, int n) {
    capped<<<1, 256>>>(a, a, n);
    unrolled<<<1, 64>>>(a, a, n);
    pinned<<<1, 64>>>(a, a, n, 64);
}
`

var (
	entryName    = regexp.MustCompile(`Compiling entry function '\w*?\d+(capped|unrolled|pinned)\w*'`)
	registerText = regexp.MustCompile(`Used (\d+) registers`)
)

// registersOf are the registers of each kernel of figuresSource.
func registersOf(t *testing.T, src []byte) map[string]int {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "k.cu"), src, 0o666))
	said := runNVCC(t, dir, "-arch=sm_80", "-cubin", "-Xptxas", "-v", "-o", "k.cubin", "k.cu")
	assert.NotContains(t, said, "warning")
	out, name := map[string]int{}, ""
	for _, line := range strings.Split(said, "\n") {
		if m := entryName.FindStringSubmatch(line); m != nil {
			name = m[1]
		}
		if m := registerText.FindStringSubmatch(line); m != nil {
			n, err := strconv.Atoi(m[1])
			require.NoError(t, err)
			out[name] = n
		}
	}
	require.Len(t, out, 3, "%s", said)
	return out
}

// TestCheapMeansLowerRegisters sets a cap, an unroll factor and a pin, each in a
// kernel of its own, and looks at what ptxas makes of them.
func TestCheapMeansLowerRegisters(t *testing.T) {
	needNVCC(t)
	src := []byte(figuresSource)
	for _, step := range []struct{ kernel, recipe string }{{"unrolled", "unroll=20:1"}, {"capped", "bounds=256,5"}, {"pinned", "pin=at"}} {
		f, err := parser.Parse("k.cu", src, parser.Options{})
		require.NoError(t, err)
		opt := rewrite.Options{Variant: rewrite.Variant{Rewriter: "demote", Recipe: step.recipe}, Kernels: []string{step.kernel}}
		res, err := rewrite.Run(parser.NewProgram([]*parser.File{f}, parser.Options{}), opt)
		require.NoError(t, err)
		require.Len(t, res.Files, 1, "%v", res.Kernels)
		src = res.Files[0].After
	}
	before, after := registersOf(t, []byte(figuresSource)), registersOf(t, src)
	t.Log(before, after)
	assert.LessOrEqual(t, after["capped"], 65536/(256*5)/8*8)
	for name := range before {
		assert.Less(t, after[name], before[name], name)
	}
}
