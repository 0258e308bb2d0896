package space_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/tune/record"
	"github.com/smux-cuda/smux/tune/space"
)

// reversal is a kernel that everything can be done to, with a launch of it.
const reversal = `// Reverses the values of each block.
__global__ void reverse(const float *in, float *out)
{
    __shared__ float s[64];
    s[threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x];
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = s[63 - threadIdx.x];
}

void run(const float *in, float *out, int n)
{
    reverse<<<n, 64>>>(in, out);
}
`

// annotate is a text with a comment above its first kernel.
func annotate(t *testing.T, src, line string) (after string, skipped []diag.Position) {
	t.Helper()
	r, skipped, err := space.Annotate(text(t, src, "h200"), &rewrite.Result{}, line)
	require.NoError(t, err)
	if len(r.Files) == 0 {
		return src, skipped
	}
	require.Len(t, r.Files, 1)
	assert.Equal(t, src, string(r.Files[0].Before))
	return string(r.Files[0].After), skipped
}

func TestTheCommentStandsAboveTheKernelsHead(t *testing.T) {
	const body = "(float *a) { __shared__ float s[32]; s[threadIdx.x] = a[threadIdx.x]; __syncthreads(); a[threadIdx.x] = s[31 - threadIdx.x]; }\n"
	const mark = "// smux tune: faster\n"
	for name, c := range map[string]struct{ src, want string }{
		"alone":       {"__global__ void k" + body, mark + "__global__ void k" + body},
		"template":    {"template <int N>\n__global__ void k" + body, mark + "template <int N>\n__global__ void k" + body},
		"attributes":  {"int x;\n__global__ void\n__launch_bounds__(32)\nk" + body, "int x;\n" + mark + "__global__ void\n__launch_bounds__(32)\nk" + body},
		"linkage":     {"extern \"C\" __global__ void k" + body, mark + "extern \"C\" __global__ void k" + body},
		"static":      {"\nstatic\n__global__ void k" + body, "\n" + mark + "static\n__global__ void k" + body},
		"indented":    {"namespace n {\n    __global__ void k" + body + "}\n", "namespace n {\n    " + mark + "    __global__ void k" + body + "}\n"},
		"behind":      {"namespace n { __global__ void k" + body + "}\n", mark + "namespace n { __global__ void k" + body + "}\n"},
		"comment":     {"// what it does\n__global__ void k" + body, "// what it does\n" + mark + "__global__ void k" + body},
		"mark":        {"\xef\xbb\xbf__global__ void k" + body, "\xef\xbb\xbf" + mark + "__global__ void k" + body},
		"line breaks": {"int x;\r\n__global__ void k" + strings.ReplaceAll(body, "\n", "\r\n"), "int x;\r\n// smux tune: faster\r\n__global__ void k" + strings.ReplaceAll(body, "\n", "\r\n")},
		"directive":   {"#define A 1\n__global__ void k" + body, "#define A 1\n" + mark + "__global__ void k" + body},
	} {
		t.Run(name, func(t *testing.T) {
			got, skipped := annotate(t, c.src, "faster")
			assert.Equal(t, c.want, got)
			assert.Empty(t, skipped)
			again, skipped := annotate(t, got, "faster")
			assert.Equal(t, got, again, "once is enough")
			assert.Empty(t, skipped)
		})
	}
}

func TestTheCommentReplacesTheOneBefore(t *testing.T) {
	first, _ := annotate(t, reversal, strings.Repeat("vtb named N=2: 1.31x over the original, ", 4))
	second, _ := annotate(t, first, "keep the original")
	assert.Equal(t, strings.Replace(reversal, "__global__", "// smux tune: keep the original\n__global__", 1), second)
	third, _ := annotate(t, strings.Replace(first, "__global__", "// a person's\n__global__", 1), "keep the original")
	assert.Contains(t, third, "// a person's\n// smux tune: keep the original\n__global__")
	assert.Equal(t, 1, strings.Count(third, "smux tune"))
}

func TestTheCommentOfAnotherKernelStays(t *testing.T) {
	const two = `// smux tune: of the first
__global__ void j(float *a) { a[threadIdx.x] = 0; }
// smux tune: of the second
__global__ void k(float *a) { a[threadIdx.x] = 1; }
`
	got, _ := annotate(t, two, "new")
	assert.Equal(t, strings.Replace(two, "of the first", "new", 1), got)
}

func TestNamesakesThatAreTunedTogetherAllSayIt(t *testing.T) {
	const two = `__global__ void k(float *a) { a[threadIdx.x] = 0; }
int x;
__global__ void k(int *a) { a[threadIdx.x] = 1; }
void run(float *a, int *b) { k<<<1, 32>>>(a); k<<<1, 32>>>(b); }
`
	got, skipped := annotate(t, two, "faster on both")
	assert.Empty(t, skipped)
	assert.Equal(t, strings.ReplaceAll(two, "__global__", "// smux tune: faster on both\n__global__"), got)
	again, _ := annotate(t, got, "faster on both")
	assert.Equal(t, got, again)
}

func TestLongCommentsAreWrapped(t *testing.T) {
	long := "vtb named N=2: 1.31x (1.28 ... 1.34) over the original, 1.12x over its best form, on NVIDIA H200, driver 550.54, nvcc 12.4, 2026-11-22."
	got, _ := annotate(t, "namespace n {\n  "+reversal[strings.Index(reversal, "__global__"):]+"}\n", long)
	var words []string
	for line := range strings.Lines(got) {
		if rest, ok := strings.CutPrefix(line, "  // smux tune: "); ok {
			assert.LessOrEqual(t, len(line)-1, 110)
			words = append(words, strings.Fields(rest)...)
		}
	}
	assert.Equal(t, strings.Fields(long), words)
}

func TestNoTextOfTheCommentReachesTheCode(t *testing.T) {
	for _, evil := range []string{`ends in \`, "ends in ??/", "*/ int x;", "two\nlines", "cr\rlf", "blank \\ \t", `a\ b`, "nul\x00"} {
		got, skipped := annotate(t, reversal, evil)
		assert.Empty(t, skipped)
		var rest strings.Builder
		for line := range strings.Lines(got) {
			if strings.HasPrefix(line, "// smux tune: ") {
				line = strings.TrimRight(line, "\n")
				assert.NotContains(t, []string{`\`, "/"}, line[len(line)-1:])
				assert.NotContains(t, line, "\r")
				continue
			}
			rest.WriteString(line)
		}
		assert.Equal(t, reversal, rest.String(), "%q", evil)
	}
}

func TestNoCommentWhereItWouldBreakCode(t *testing.T) {
	const kernel = "__global__ void k(float *a) { a[threadIdx.x] = 1; }\n"
	for name, src := range map[string]string{
		"spliced line":            "int x; \\\n" + kernel,
		"spliced with blanks":     "int x; \\ \t\n" + kernel,
		"end of a raw string":     "const char *s = R\"(\n)\"; " + kernel,
		"spliced line of comment": "/* a \\\n b */ \\\n" + kernel,
	} {
		t.Run(name, func(t *testing.T) {
			got, skipped := annotate(t, src, "faster")
			assert.Len(t, skipped, 1)
			assert.Equal(t, src, got)
		})
	}
	for name, before := range map[string]string{
		"a macro":            "#define TWICE(x) ((x) + \\\n (x))\n",
		"an empty last line": "#define TWICE(x) ((x) + \\\n (x)) \\\n\n",
		"a raw string":       "const char *s = R\"(\n)\";\n",
	} {
		got, skipped := annotate(t, before+kernel, "faster")
		assert.Empty(t, skipped, name)
		assert.Equal(t, before+"// smux tune: faster\n"+kernel, got, name)
	}
}

// TestACommentedKernelIsRewrittenOnce: what was tuned is known as multiplexed when
// smux sees it again, and the comment of a file that was tuned before moves with its
// kernel.
func TestACommentedKernelIsRewrittenOnce(t *testing.T) {
	src := "// smux tune: older\n" + reversal[strings.Index(reversal, "__global__"):]
	in := text(t, src, "h200")
	c := record.TunedVariant{Variant: rewrite.Variant{Rewriter: "vtb", Sync: "named", Factor: 2}}
	r, err := space.Emit(in, c)
	require.NoError(t, err)
	r, skipped, err := space.Annotate(in, r, "newer")
	require.NoError(t, err)
	assert.Empty(t, skipped)
	require.Len(t, r.Files, 1)
	after := string(r.Files[0].After)
	assert.Equal(t, src, string(r.Files[0].Before))
	assert.NotContains(t, after, "older")
	assert.Contains(t, after, "\n// smux tune: newer\n__global__ void reverse(")
	again := text(t, after, "h200")
	_, err = space.Emit(again, c)
	var failure *record.Failure
	require.ErrorAs(t, err, &failure)
	assert.Equal(t, record.FailedRewrite, failure.Kind)
	assert.Contains(t, failure.Text, "already multiplexed")
	res, err := rewrite.Run(program(t, after), rewrite.Options{})
	require.NoError(t, err)
	require.Len(t, res.Kernels, 1)
	assert.Equal(t, rewrite.CodeAlready, res.Kernels[0].Refused[0].Code)
	assert.Empty(t, res.Files)
}
