package validate_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/validate"
)

// A number that is not 0 for some inputs, as C++ computes it, can't be left out of an index.
func TestNumbersAsTheLanguageHasThem(t *testing.T) {
	const text = `
const unsigned ONE = 1;
enum : unsigned { ZERO };
enum { LARGE = 0xffffffff, SMALL = 1 };
__global__ void sums(const float *__restrict__ in, float *__restrict__ out, int n, unsigned u, unsigned w, long l, size_t z, float f, short h, unsigned char b)
{
    const int t = threadIdx.x, i = blockIdx.x * 64 + t;
    if (i + 9 > n) return;
    float s = 0;
    int m = 0;
    BEFORE
    for (int j = 0; j < 9; ++j) {
        s += AT];
        IN
        s += AT + WHICH];
    }
    out[i] = s;
}
void run(const float *in, float *out, int n, unsigned u, long l, size_t z, float f, short h) { sums<<<16, 64>>>(in, out, n, u, u, l, z, f, h, h); }
`
	const checked = `    __shared__ float in_tile[72];
    if (blockDim.x != 64 || blockDim.y * blockDim.z != 1) { printf("smux: sums was rewritten for blocks of 64 threads\n"); __trap(); }
    const int t =`
	const copies = `    for (unsigned i2 = threadIdx.x; i2 < 72; i2 += 64) {
        const int in_t = i2;
        const int in_i = blockIdx.x * 64 + in_t;
        if (in_i + 1 <= n && n >= 9)
            in_tile[i2] = in[in_i];
    }
    __syncthreads();
    if (i + 9`
	proved := func(before, in, which string) bool {
		body := strings.NewReplacer("BEFORE", before, "IN\n", in+"\n").Replace(text)
		old := strings.NewReplacer("AT", "in[i + j", " + WHICH", which).Replace(body)
		now := strings.NewReplacer("AT", "in_tile[threadIdx.x + j", " + WHICH", "", "    if (i + 9", copies, "    const int t =", checked).Replace(body)
		return validate.Programs(program(t, old), program(t, now)).Proved()
	}
	require.True(t, proved("", "", ""))
	for _, w := range []struct{ name, before, in, which string }{
		{"a shift to the last bit", "", "", "1 << 31 ? 1 : 0"},
		{"a shift of 64 bits", "", "", "(1ull << 40) != 0"},
		{"a shift of an unknown", "", "", "(n << 31) != 0"},
		{"a shift of what is negative", "", "", "(-7 >> 1) == -4"},
		{"a size that turns negative", "", "", "(long)z < 0"},
		{"a low part that turns negative", "", "", "(int)(unsigned)l < 0"},
		{"bits that turn negative", "", "", "(int)(u & 0x80000000u) < 0"},
		{"a literal that turns negative", "", "", "(int)0x80000000u < 0"},
		{"a long literal that turns negative", "", "", "(int)4294967295 < 0"},
		{"a decimal literal that is unsigned nowhere", "", "", "0 - 4294967295 < 0"},
		{"a product of literals", "", "", "70000u * 70000u < 4000000000u"},
		{"a double that wraps", "", "", "2 * u < u"},
		{"a half of a double that wraps", "", "", "u * 2u / 2u != u"},
		{"two low parts that wrap", "", "", "(unsigned)l + (unsigned)(l / 3) < (unsigned)l"},
		{"a sum that wraps and is an int", "", "", "(int)(u + w) >= 0 && (int)(u + w) < 10 && u > 3000000000u && w > 3000000000u"},
		{"a difference that wraps and is an int", "", "", "(int)(u - w) >= 10 && u < 10u"},
		{"less of what is negative", "", "", "h < 0 && u - h < u"},
		{"a block's number times more than a block has", "", "", "blockIdx.x * 100000u + threadIdx.x < blockIdx.x"},
		{"a float of an int", "", "", "(threadIdx.x < 64 ? 3 : 2.0f) / 2 > 1"},
		{"a constant without a sign", "", "", "-1 > ONE"},
		{"an enumerator without a sign", "", "", "ZERO < -1"},
		{"an enumerator of an enum that has a larger one", "", "", "SMALL - 2 > 0"},
		{"an enumerator that is larger than an int", "", "", "LARGE - LARGE - 1 > 0"},
		{"a sum of 64 bits that wraps", "", "", "z + 1 < z"},
		{"a double of 64 bits that wraps", "", "", "z * 2 / 2 != z"},
		{"two sizes that wrap", "size_t y = l;", "", "y + z < z"},
		{"a product of 64 bits that wraps", "", "", "(size_t)n * n * n < n"},
		{"a double that is less than a size", "if (2 * (size_t)u >= z) return;", "", "2 * u < u"},
		{"a byte that is moved to the sign", "", "", "(b << 24) < 0"},
		{"a type that is named by another value", "decltype(n) y = u;", "", "y < 0"},
		{"a narrow type that is named by a value", "decltype(b) y = n + 300;", "", "y < 5"},
		{"a reference that decltype makes", "decltype((m)) y = m; y = 7;", "", "m > 5"},
		{"a reference that is deduced", "decltype(auto) y = (m); y = 7;", "", "m > 5"},
		{"one of two variables", "(n > 3 ? m : n) = 7;", "", "m > 5"},
		{"one of two variables that a pointer leads to", "*&(n > 3 ? m : n) = 7;", "", "m > 5"},
		{"the second of two variables", "(n, m) = 7;", "", "m > 5"},
		{"what was assigned before", "(m = 3) += 4;", "", "m > 5"},
		{"one of two variables that is counted", "(n > 3 ? m : n)++; m += 6;", "", "m > 6"},
		{"what was before it is counted", "int k = 0; m = k++; m = 1 - m;", "", "m"},
		{"an operand that is left out", "n > 500 && (m = 1); m = 1 - m;", "", "m"},
		{"an operand of or that is left out", "m = 1; n > 500 || (m = 0);", "", "m"},
		{"a choice that is not taken", "n > 500 ? (m = 1) : (m = 0);", "", "m"},
		{"an iteration that ends early", "m = 1;", "if (j == 0) { if (f > j) continue; m = 0; }", "m > 0"},
		{"a case behind a break", "", "switch (n) { case 0: break; case 1: s += AT + 1]; }", "0"},
		{"a case that falls through", "", "switch (n) { case 0: m = 0; case 1: s += AT + m]; } m = 1; m = 0;", "0"},
	} {
		t.Run(w.name, func(t *testing.T) {
			require.False(t, proved(w.before, w.in, " + ("+w.which+")"))
		})
	}
}

// One of two numbers has the type of both where it is known which.
func TestOneOfTwoNumbersHasTheirType(t *testing.T) {
	const text = `
__global__ void back(float2 *data, int n)
{
    __shared__ float2 s[64];
    const int t = threadIdx.x;
    const float2 v = data[t];
    s[t] = v;
    __syncthreads();
    data[t ^ 1] = make_float2(s[63 - t].x + v.x, s[63 - t].y + n / 2);
}
void run(float2 *data, int n) { back<<<1, 64>>>(data, n); }
`
	old := program(t, text)
	res, err := rewrite.Run(old, rewrite.Options{Variant: rewrite.Variant{Rewriter: "slice"}, Runtime: "header"})
	require.NoError(t, err)
	require.Len(t, res.Files, 1)
	now := program(t, string(res.Files[0].After))
	require.True(t, validate.Programs(old, now).Proved())
	refused(t, validate.Programs(program(t, strings.Replace(text, "+ n", "+ (t < 64 ? n : 1.0f)", 1)), now), validate.Content)
}
