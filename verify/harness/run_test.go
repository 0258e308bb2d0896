package harness

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/verify"
	"github.com/smux-cuda/smux/verify/build"
	"github.com/smux-cuda/smux/verify/execute"
)

// request verifies a kernel with its main; wrong is done to the rewritten text.
func request(t *testing.T, kernel, spec string, wrong func(string) string) verify.Request {
	t.Helper()
	p := program(t, "k.cu", commented(kernel, spec))
	specs, err := Comments(p)
	require.NoError(t, err)
	_, text, err := Attach(p, specs)
	require.NoError(t, err)
	asProgram := func(text []byte) verify.Program {
		return verify.Program{Files: []verify.File{verify.NewFile("k.cu", text)}}
	}
	r := verify.Request{
		Original: asProgram(text), Schedules: []execute.Schedule{{Kind: "ascending"}, {Kind: "random", Seed: 1}},
		CheckedSchedules: []execute.Schedule{}, Timeout: time.Minute, Jobs: 2,
	}
	if strings.Contains(kernel, "__shared__") {
		res, err := rewrite.Run(program(t, "k.cu", string(text)), rewrite.Options{})
		require.NoError(t, err)
		require.Len(t, res.Files, 1)
		r.Variants = []verify.Variant{{Name: "vtb", Program: asProgram([]byte(wrong(string(res.Files[0].After))))}}
	}
	return r
}

func needCompiler(t *testing.T) {
	t.Helper()
	if _, err := build.Find(""); err != nil {
		t.Skipf("nothing was run: %v", err)
	}
	if testing.Short() {
		t.Skip("programs are not compiled with -short")
	}
}

// TestKernelsAloneAreVerified: a kernel that has no program is run with the main
// made for it, and equals its rewrite with the same main.
func TestKernelsAloneAreVerified(t *testing.T) {
	needCompiler(t)
	for _, c := range kernels {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			v, err := verify.Run(context.Background(), request(t, c.text, c.spec, func(s string) string { return s }))
			require.NoError(t, err)
			assert.Contains(t, []verify.Outcome{verify.Equal, verify.Clean}, v.Outcome, "%v %v", v.Failures, v.Findings)
		})
	}
}

func TestAWrongRewriteOfAKernelAloneIsFound(t *testing.T) {
	needCompiler(t)
	r := request(t, scaleKernel, scaleSpec, func(s string) string {
		require.Contains(t, s, "s[TILE - 1 - threadIdx.x]")
		return strings.Replace(s, "s[TILE - 1 - threadIdx.x]", "s[threadIdx.x]", 1)
	})
	v, err := verify.Run(context.Background(), r)
	require.NoError(t, err)
	assert.Equal(t, verify.Different, v.Outcome)
	require.NotEmpty(t, v.Findings)
	assert.Equal(t, verify.CodeDifferentCopy, v.Findings[0].Message.Code)
}

// TestBuffersHoldWhatIsAsked runs a kernel that looks at its arrays.
func TestBuffersHoldWhatIsAsked(t *testing.T) {
	needCompiler(t)
	const kernel = `__global__ void k(const float *a, const int *b, const unsigned char *c, const double *d, const float4 *e,
    const bool *f, const float *g, int n, int *bad)
{
    int distinct = 0;
    for (int i = 0; i < n; i++) {
        if (a[i] < 0 || a[i] >= 1 || a[i] * 64 != (int)(a[i] * 64)) bad[0] = i + 1;
        if (b[i] < -3 || b[i] >= 5) bad[1] = i + 1;
        if (c[i] != (unsigned char)i) bad[2] = i + 1;
        if (d[i] != 0.1) bad[3] = i + 1;
        if (e[i].x != 4 * i || e[i].w != 4 * i + 3) bad[4] = i + 1;
        if (g[i] < 1.5f || g[i] >= 2.5f) bad[5] = i + 1;
        distinct += i > 0 && a[i] != a[i - 1];
        bad[6] += f[i];
    }
    if (distinct < n / 2 || bad[6] < n / 4 || bad[6] > 3 * n / 4) bad[7] = 1;
    for (int i = 0; i < 8; i++) if (bad[i] && i != 6) asm("trap;");
}
`
	const spec = "grid=1 block=1 n=500 a=float[n]:random b=int[n]:random(-3,5) c=unsigned char[n]:iota d=double[n]:const(0.1) " +
		"e=float4[n]:iota f=bool[n]:random g=float[n]:random(1.5,2.5) bad=int[8]:zero"
	v, err := verify.Run(context.Background(), request(t, kernel, spec, nil))
	require.NoError(t, err)
	assert.Equal(t, verify.Clean, v.Outcome, "%v %v", v.Failures, v.Findings)
}
