package rewrite_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/analysis/launches"
	"github.com/smux-cuda/smux/analysis/passes"
	"github.com/smux-cuda/smux/analysis/summary"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/rewrite/overlay"
)

func programOf(t *testing.T, src string) *parser.Program {
	t.Helper()
	f, err := parser.Parse("k.cu", []byte(src), parser.Options{})
	require.NoError(t, err)
	return parser.NewProgram([]*parser.File{f}, parser.Options{})
}

// overlaid returns a text rewritten by overlay, and what is against it in its first kernel.
func overlaid(t *testing.T, src string) (text string, refused []diag.Code) {
	t.Helper()
	prog := programOf(t, src)
	res, err := rewrite.Run(prog, rewrite.Options{Variant: rewrite.Variant{Rewriter: "overlay"}})
	require.NoError(t, err)
	for _, m := range res.Kernels[0].Refused {
		refused = append(refused, m.Code)
	}
	return string(res.Texts(prog)["k.cu"]), refused
}

// overlayKernel is a kernel of 256 threads with two arrays, a and b, that fills a, does
// something, and returns what is in b.
func overlayKernel(functions, declared, body string) string {
	return functions + `
__global__ void k(const float *in, float *out, int n) {
    ` + declared + `
    int t = threadIdx.x;
    float x = 0;
    ` + body + `
    out[blockIdx.x * 256 + t] = x;
}
void run(const float *in, float *out, int n) { k<<<8, 256>>>(in, out, n); }
`
}

const (
	fillA    = "a[t] = in[t]; __syncthreads(); x = a[255 - t]; "
	fillB    = "b[t] = x; __syncthreads(); x += b[255 - t]; "
	aAndB    = "__shared__ float a[256]; __shared__ float b[256];"
	barrier  = "__syncthreads(); "
	extraBar = "__syncthreads();  // smux overlay"
)

// TestOverlayTraps: what must be refused, and what needs a barrier that the original
// could do without.
func TestOverlayTraps(t *testing.T) {
	for _, c := range []struct {
		name, functions, declared, body string
		refused                         diag.Code // "" where the arrays share bytes
		added                           int       // barriers
	}{
		{name: "one after the other", body: fillA + barrier + fillB},
		{name: "a value that is read later", body: fillA + barrier + fillB + "x += a[t];", refused: overlay.CodeOverlayLive},
		{name: "a value that some may read later", body: fillA + barrier + fillB + "if (n > 3) x += a[t];", refused: overlay.CodeOverlayLive},
		{name: "a value that is written anew", body: fillA + barrier + fillB + barrier + fillA},
		{name: "a value that only some write anew", body: fillA + barrier + fillB + barrier + "if (t < n) a[t] = 1; __syncthreads(); x += a[t];", refused: overlay.CodeOverlayLive},
		{name: "no barrier", body: fillA + fillB, added: 1},
		{name: "a barrier of a warp", body: fillA + "__syncwarp(); " + fillB, added: 1},
		{name: "a barrier that only some meet", body: fillA + "if (t < n) __syncthreads(); " + fillB, added: 1},
		{name: "a barrier in one of two branches", body: fillA + "if (n > 3) __syncthreads(); " + fillB, added: 1},
		{name: "a barrier in a loop that may not run", body: fillA + "for (int i = 0; i < n; i++) __syncthreads(); " + fillB, added: 1},
		{name: "a barrier that a break leaves out", body: fillA + "do { if (n > 3) break; __syncthreads(); } while (0); " + fillB, added: 1},
		{name: "no barrier where all threads come", body: "if (t < n) { a[t] = in[t]; x = a[t]; b[t] = x; x = b[t]; }", refused: overlay.CodeUnordered},
		{name: "branches that threads take side by side", body: "if (t < n) { a[t] = in[t]; x = a[t]; } else { b[t] = in[t]; x = b[t]; }", refused: overlay.CodeUnordered},
		{name: "branches that blocks take", body: "if (n > 3) { " + fillA + "} else { " + fillB + "}"},
		{name: "threads that have left", body: "if (t == n) return; a[t] = in[t]; x = a[t]; b[t] = x; x = b[t];", refused: overlay.CodeUnordered},
		{name: "threads that leave behind it", body: fillA + fillB + "if (t == n) return; x += 1;", added: 1},
		{name: "around a loop, no barrier at its end", body: "for (int i = 0; i < n; i++) { " + fillA + barrier + fillB + "}", added: 1},
		{name: "around a loop, with one", body: "for (int i = 0; i < n; i++) { " + fillA + barrier + fillB + barrier + "}"},
		{name: "what an iteration leaves for the next", body: "a[t] = 0; __syncthreads(); for (int i = 0; i < n; i++) { x += a[255 - t]; __syncthreads(); " + fillB + barrier + "a[t] = x; __syncthreads(); }"},
		{name: "what an iteration leaves, and another array in between", body: "a[t] = 0; __syncthreads(); for (int i = 0; i < n; i++) { " + fillB + barrier + "x += a[255 - t]; __syncthreads(); a[t] = x; __syncthreads(); }", refused: overlay.CodeOverlayLive},
		{name: "what is left by a break", body: "for (int i = 0; i < n; i++) { " + fillB + barrier + "if (i == 3) break; a[t] = x; __syncthreads(); } x += a[255 - t];", refused: overlay.CodeOverlayLive},
		{name: "a pointer that outlives it", body: "float *p = a; " + fillA + barrier + fillB + "x += p[t];", refused: overlay.CodeOverlayLive},
		{name: "a pointer into one of both", body: "float *p = n > 3 ? a : b; " + fillA + barrier + fillB + "x += p[t];", refused: overlay.CodeOverlayLive},
		{name: "a pointer that an assignment moves", body: "float *p; p = &a[3]; " + fillA + barrier + fillB + "x += *p;", refused: overlay.CodeOverlayLive},
		{name: "a function that reads it later", functions: "__device__ float late(float *p, int i) { return p[i]; }", body: fillA + barrier + fillB + "x += late(a, t);", refused: overlay.CodeOverlayLive},
		{name: "a function that writes the other", functions: "__device__ void set(float *p, float v) { p[threadIdx.x] = v; }", body: fillA + barrier + "set(b, x); " + barrier + "x = b[255 - t] + a[t];", refused: overlay.CodeOverlayLive},
		{name: "a function with the barrier", functions: "__device__ void meet() { __syncthreads(); }", body: fillA + "meet(); " + fillB},
		{name: "a function with a barrier that it may leave out", functions: "__device__ void meet(int n) { if (threadIdx.x == n) return; __syncthreads(); }", body: fillA + "meet(n); " + fillB, added: 1},
		{name: "a function that only some call", functions: "__device__ void meet() { __syncthreads(); }", body: fillA + "if (t < n) meet(); " + fillB, added: 1},
		{name: "atomics write", body: fillA + barrier + fillB + "atomicAdd(&a[t], 1.0f); __syncthreads(); x += a[t];", refused: overlay.CodeOverlayLive},
		{name: "an atomic that nobody waits for", body: fillA + "if (t == n) atomicAdd(&b[0], x);", added: 1},
		{name: "a vote orders", body: fillA + "if (__syncthreads_or(t == n)) x = 1; " + fillB},
		{name: "both in one statement", body: fillA + "b[t] = a[t ^ 1]; __syncthreads(); x = b[t];", refused: overlay.CodeOverlayLive},
		{name: "seen as another type", body: "float4 *p = (float4 *)a; p[t & 63] = make_float4(1, 2, 3, 4); __syncthreads(); x = a[t]; __syncthreads(); " + fillB, refused: overlay.CodeOverlayForm},
		{name: "volatile", declared: "volatile __shared__ float a[256]; __shared__ volatile float b[256];", body: fillA + barrier + fillB},
		{name: "aligned", declared: "__shared__ __align__(128) float a[256]; __shared__ float b[256];", body: fillA + barrier + fillB},
		{name: "under #if", declared: "__shared__ float a[256];\n#ifdef WIDE\n__shared__ float b[512];\n#else\n__shared__ float b[256];\n#endif\n", body: fillA + barrier + fillB, refused: overlay.CodeOverlayForm},
		{name: "whose size is not in view where the union would stand", declared: "__shared__ float a[256]; const int N = 256; __shared__ float b[N];", body: fillA + barrier + fillB, refused: overlay.CodeOverlayForm},
		{name: "a buffer that is cut in two by hand", declared: "__shared__ float a[256]; __shared__ char raw[1024]; float *b = (float *)raw;", body: fillA + barrier + fillB, refused: overlay.CodeOverlayForm},
		{name: "a union of the program's own", declared: "__shared__ union { float a[256]; int i[256]; } u; auto &a = u.a; __shared__ float b[256];", body: fillA + barrier + fillB, refused: overlay.CodeOverlayForm},
		{name: "in two scopes", declared: "", body: "{ __shared__ float a[256]; " + fillA + "} " + barrier + "{ __shared__ float b[256]; " + fillB + "}"},
		{name: "in a switch", declared: "__shared__ float a[256];", body: fillA + barrier + "switch (n) { case 1: __shared__ float b[256]; " + fillB + "}", refused: overlay.CodeOverlayForm},
		{name: "that a macro declares", functions: "#define ARRAYS __shared__ float a[256]; __shared__ float b[256];", declared: "ARRAYS", body: fillA + barrier + fillB, refused: rewrite.CodeMacro},
		{name: "of a type with a constructor", functions: "struct F { float v; __device__ F() {} };", declared: "__shared__ F a[256]; __shared__ float b[256];", body: "a[t].v = in[t]; __syncthreads(); x = a[255 - t].v; " + barrier + fillB, refused: overlay.CodeOverlayForm},
		{name: "of a plain struct", functions: "struct F { float v, w; };", declared: "__shared__ F a[256]; __shared__ float b[256];", body: "a[t].v = in[t]; __syncthreads(); x = a[255 - t].v; " + barrier + fillB},
		{name: "dynamic", declared: "extern __shared__ float a[]; __shared__ float b[256];", body: fillA + barrier + fillB, refused: overlay.CodeNoOverlay},
		{name: "at namespace scope", functions: "__shared__ float b[256];", declared: "__shared__ float a[256];", body: fillA + barrier + fillB, refused: overlay.CodeOverlayForm},
		{name: "small ones are not worth a barrier", declared: "__shared__ float a[256]; __shared__ float b;", body: fillA + "if (t == 0) b = x; __syncthreads(); x = b;", refused: overlay.CodeUnordered},
		{name: "small ones are not worth a union", declared: "__shared__ float a[256]; __shared__ float b;", body: fillA + barrier + "if (t == 0) b = x; __syncthreads(); x = b;", refused: overlay.CodeNoOverlay},
		{name: "a small one beside a larger one", declared: aAndB + " __shared__ float c;", body: fillA + barrier + fillB + barrier + "if (t == 0) c = x; __syncthreads(); x = c;"},
		{name: "a function that another kernel reaches", functions: "__device__ float sum(float v) { __shared__ float b[256]; b[threadIdx.x] = v; __syncthreads(); return b[255 - threadIdx.x]; }\n__global__ void other(float *o) { o[0] = sum(1); }\n",
			declared: "__shared__ float a[256];", body: fillA + barrier + "x = sum(x);"},
	} {
		t.Run(c.name, func(t *testing.T) {
			declared := c.declared
			if declared == "" && c.name != "in two scopes" {
				declared = aAndB
			}
			src := overlayKernel(c.functions, declared, c.body)
			if i := strings.Index(src, "__global__ void other"); i >= 0 { // the first kernel is looked at
				c.refused = overlay.CodeNoOverlay
				if j := strings.Index(src, "__global__ void k"); j > i {
					src = src[:i] + src[j:] + "__global__ void other(float *o) { o[0] = sum(1); }\n"
				}
				c.refused = overlay.CodeOverlayForm
			}
			text, refused := overlaid(t, src)
			if c.refused != "" {
				assert.Contains(t, refused, c.refused)
				assert.Equal(t, src, text)
				return
			}
			assert.Empty(t, refused)
			assert.Contains(t, text, "union {")
			assert.Equal(t, c.added, strings.Count(text, extraBar))
		})
	}
}

// TestOverlaidKernelsAreReadAgain: the kernel that overlay leaves has the bytes of its
// union and regions for each of its members, and other rewriters go on with it.
func TestOverlaidKernelsAreReadAgain(t *testing.T) {
	src := overlayKernel("", aAndB, fillA+fillB)
	for _, next := range []rewrite.Variant{
		{Rewriter: "vtb", Sync: "named", Factor: 2}, {Rewriter: "vtb", Sync: "lock", Factor: 2}, {Rewriter: "vtb", Sync: "block", Factor: 2},
		{Rewriter: "merge", Sync: "named", Factor: 2}, {Rewriter: "merge", Sync: "block", Factor: 2},
	} {
		t.Run(next.String(), func(t *testing.T) {
			prog := programOf(t, src)
			began := passes.NewProgram(prog, [3]int{})
			at := summary.Position(began.Kernels()[0])
			chain := rewrite.NewChain(began)
			step := func(w rewrite.Variant) {
				out, err := rewrite.RewriteIn(chain, rewrite.Options{Decisions: map[diag.Position]rewrite.Decision{at: {Variant: w}}})
				require.NoError(t, err)
				require.Empty(t, out[0].Refused)
			}
			step(rewrite.Variant{Rewriter: "overlay"})
			k, err := chain.Kernel(began.Kernels()[0])
			require.NoError(t, err)
			bytes, exact := launches.SharedBytes(k, k.Instances[0])
			assert.True(t, exact)
			assert.Equal(t, 1024, bytes)
			assert.Len(t, k.Regions, 2)
			step(next)
			text := string(chain.Result().Files[0].After)
			assert.True(t, slices.ContainsFunc([]string{"smux::vtb", "smux::vtb_lock", "smux::vtb_named"}, func(s string) bool { return strings.Contains(text, s) }))
		})
	}
}

// TestWhatAMacroSaysIsAsserted: under another -D another array's values may be needed, or
// another exchange. There is no launch, so that nothing else is asserted.
func TestWhatAMacroSaysIsAsserted(t *testing.T) {
	for way, array := range map[string]string{"overlay": "float", "slice": "float2"} {
		src := strings.ReplaceAll(`#ifndef KEEP
#define KEEP 0
#endif
__global__ void k(const float *in, float *out) {
    __shared__ float a[256];
    __shared__ float b[256];
    const int t = threadIdx.x;
    a[t] = in[t];
    __syncthreads();
    float x = a[255 - t];
    __syncthreads();
    b[t] = x;
    __syncthreads();
    x = b[t ^ 1];
    if (KEEP) x = a[t];
    out[t] = x;
}
`, "float", array)
		result, err := rewrite.Run(programOf(t, src), rewrite.Options{Variant: rewrite.Variant{Rewriter: way}})
		require.NoError(t, err)
		require.NotEmpty(t, result.Files, "%s: %v", way, result.Kernels[0].Refused)
		assert.Contains(t, string(result.Files[0].After), `static_assert(KEEP == 0, "smux rewrote this kernel for KEEP = 0");`, way)
	}
}
