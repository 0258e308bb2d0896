package validate_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/lab/mutate"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/validate"
)

// overlayForms are the programs of which arrays can share bytes, as they are and rewritten.
func overlayForms(t *testing.T) (out []form) {
	t.Helper()
	paths, err := filepath.Glob("../examples/footprint/*/*.cu")
	require.NoError(t, err)
	way := rewrite.Variant{Rewriter: "overlay"}
	for _, path := range append(paths, "../testdata/rewrites/overlay.cu") {
		old, errs := parser.LoadProgram([]string{path}, parser.Options{})
		require.NoError(t, errors.Join(errs...))
		res, err := rewrite.Run(old, rewrite.Options{Variant: way, Runtime: "header"})
		require.NoError(t, err)
		if len(res.Files) == 0 {
			continue
		}
		now, err := res.After(old)
		require.NoError(t, err)
		out = append(out, form{path, way, old, now})
	}
	return out
}

// What overlay makes of these programs is shown, but for one, and no mutant of it is.
func TestOverlayIsShown(t *testing.T) {
	shown, mutants := 0, 0
	forms := overlayForms(t)
	for _, f := range forms {
		r := validate.Programs(f.old, f.now)
		if strings.HasSuffix(f.program, "select.cu") {
			assert.False(t, r.Proved(), "arrays of device functions that share bytes are followed now: take them in")
			continue
		}
		require.True(t, r.Proved(), "%s: %s", f.program, doubts(r))
		shown++
		for _, m := range mutate.Mutants(f.now.Files[0]) {
			bad, err := f.now.With(f.now.Files[0], mutate.Apply(f.now.Files[0], m))
			require.NoError(t, err)
			mutants++
			assert.False(t, validate.Programs(f.old, bad).Proved(), "%s: %s (%s) is shown", f.program, m.ID, m.Text)
		}
	}
	require.NotZero(t, mutants)
	t.Logf("%d of %d forms shown, %d mutants refused", shown, len(forms), mutants)
}

// inPhases is a kernel with arrays that are used one after the other: a and c together, then b, again and again, then d.
const inPhases = `
__global__ void k(const float *in, float *out, int n)
{
    __shared__ float a[64];
    __shared__ float c[64];
    __shared__ float b[64];
    __shared__ float d[64];
    const int t = threadIdx.x;
    float x = 0;
    for (int r = 0; r < n; ++r) {
        a[t] = in[r * 64 + t];
        c[t] = x + r;
        __syncthreads();
        x += a[63 - t] + c[t ^ 1];
        __syncthreads();
        b[t] = x;
        __syncthreads();
        x += b[t ^ 2];
    }
    d[t] = x;
    __syncthreads();
    out[blockIdx.x * 64 + t] = d[63 - t];
}
void run(const float *in, float *out, int n) { k<<<9, 64>>>(in, out, n); }
`

// What a rewriter could do wrong with arrays that share bytes: a replacement in the original and the rewritten text, one
// in the rewritten text, and the condition that it breaks.
func TestWrongOverlays(t *testing.T) {
	res, err := rewrite.Run(program(t, inPhases), rewrite.Options{Variant: rewrite.Variant{Rewriter: "overlay"}})
	require.NoError(t, err)
	require.Len(t, res.Files, 1)
	right := string(res.Files[0].After)
	const added = "__syncthreads();  // smux overlay: what comes now takes bytes that were used before\n"
	require.Equal(t, 2, strings.Count(right, added), right)
	r := validate.Programs(program(t, inPhases), program(t, right))
	require.True(t, r.Proved(), "%s\n%s", doubts(r), right)
	for _, w := range []struct {
		name     string
		was, is  string // in both texts
		old, new string // in the rewritten one
		breaks   validate.Condition
	}{
		{"a barrier not added", "", "", added, "\n", validate.Turns},
		{"a barrier added at another place", "", "", "        " + added + "        a[t] = in[r * 64 + t];\n", "        a[t] = in[r * 64 + t];\n        __syncthreads();\n", validate.Turns},
		{"a barrier that the original has dropped", "", "", "        __syncthreads();\n        b[t] = x;", "        b[t] = x;", validate.Uniform},
		{"a barrier where some threads have left", "float x = 0;", "float x = 0; if (in[t] > 3) return;", "", "", validate.Uniform},
		{"arrays that are needed together", "x += b[t ^ 2];", "x += b[t ^ 2] + a[t];", "", "", validate.Turns},
		{"elements of the iteration before", "a[t] = in[r * 64 + t];", "if (r == 0) a[t] = in[r * 64 + t];", "", "", validate.Content},
		{"some elements of the iteration before", "a[t] = in[r * 64 + t];", "if (t > 3) a[t] = in[r * 64 + t];", "", "", validate.Content},
		{"elements that an index from memory chooses", "c[t] = x + r;", "c[int(x)] = x + r;", "", "", validate.Content},
		{"what the loop left, read behind it", "out[blockIdx.x * 64 + t] = d[63 - t];", "out[blockIdx.x * 64 + t] = d[63 - t] + b[t];", "", "", validate.Content},
		{"arrays side by side in one place", "", "", "struct { float a[64]; float c[64]; }", "union { float a[64]; float c[64]; }", validate.Content},
		{"an array too short", "", "", "float b[64];", "float b[32];", validate.Erasure},
		{"two names for one array", "", "", "auto &b = smux_shared.b;", "auto &b = smux_shared.d;", validate.Erasure},
		{"a write to the bytes beside", "", "", "    float x = 0;\n", "    float x = 0;\n    smux_shared.b[t] = 0;\n", validate.Erasure},
		{"a pointer that lives on", "x += b[t ^ 2];", "const float *p = r > 3 ? a : b; x += b[t ^ 2] + p[t];", "", "", validate.Turns},
		{"another view", "x += b[t ^ 2];", "x += ((float2 *)b)[t / 2].x;", "", "", validate.Copies},
		{"blocks that are not known", "<<<9, 64>>>", "<<<9, n>>>", "", "", validate.Content},
	} {
		t.Run(w.name, func(t *testing.T) {
			require.Contains(t, inPhases, w.was)
			require.Contains(t, right, w.was)
			require.Contains(t, right, w.old)
			change := func(text string) string {
				if w.was == "" {
					return text
				}
				return strings.Replace(text, w.was, w.is, 1)
			}
			r := validate.Programs(program(t, change(inPhases)), program(t, strings.Replace(change(right), w.old, w.new, 1)))
			refused(t, r, w.breaks)
		})
	}
}
