package validate_test

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/rewrite/runtime"
	"github.com/smux-cuda/smux/validate"
)

// The compiler is told the shape of blocks that launches have, and none else; where a launch's is not known, that is
// assumed, and said.
func TestTheCompilerIsToldTheTruth(t *testing.T) {
	const text = `
__global__ void k(float *a)
{
    __shared__ float s[64];
    s[threadIdx.y * blockDim.x + threadIdx.x] = a[threadIdx.x];
    __syncthreads();
    a[threadIdx.x] = s[threadIdx.x];
}
void run(float *a) { k<<<9, dim3(16, 4)>>>(a); }
`
	old := program(t, text)
	res, err := rewrite.Run(old, rewrite.Options{Variant: rewrite.Variant{Rewriter: "assume-shape"}})
	require.NoError(t, err)
	require.Len(t, res.Files, 1)
	right := string(res.Files[0].After)
	for _, c := range []struct {
		name, old, new string
		shown          bool
		assumed        string
	}{
		{"as it is", "", "", true, ""},
		{"fewer threads along x", "threadIdx.x < 16", "threadIdx.x < 8", false, ""},
		{"fewer threads along y", "threadIdx.y < 4", "threadIdx.y < 2", false, ""},
		{"more threads than there are", "threadIdx.x < 16", "threadIdx.x < 32", true, ""},
		{"other blocks", "blockDim.x == 16", "blockDim.x == 32", false, ""},
		{"something else", "threadIdx.x < 16", "threadIdx.x < a[0]", false, ""},
		{"of another variable", "blockDim.x == 16", "gridDim.x == 16", false, ""},
		{"a launch that is not followed", "dim3(16, 4)", "dim3(16, int(a[0]))", true, "every launch has blocks of 16x4 threads"},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.Contains(t, right, c.old)
			was := old
			if strings.HasPrefix(c.old, "dim3") {
				was = program(t, strings.Replace(text, c.old, c.new, 1))
			}
			r := validate.Programs(was, program(t, strings.Replace(right, c.old, c.new, 1)))
			assert.Equal(t, c.shown, r.Proved(), doubts(r)+right)
			said := ""
			for _, k := range r.Kernels {
				for _, o := range k.Shown {
					said += o.Assumes
				}
			}
			if c.shown {
				assert.Equal(t, c.assumed, said)
			}
		})
	}
}

// A proof says which macros the compiler's command line must leave as the files define them: those that decide what is
// compiled, or that a function names. It says nothing of those that the new text checks, nor of those that can't be others.
func TestAProofSaysWhichMacrosMustStay(t *testing.T) {
	const begin = `
#ifndef MODE
#define MODE 0
#endif
#ifndef N
#define N 8
#endif
#define TWICE (2 * N)
#define FIXED 3
#ifndef REAL
#define REAL float
#endif
typedef REAL Real;
using Same = Real;
struct Held { REAL x[N]; };
constexpr int n = 2 * N;
enum { First, Count = N };
__device__ float more(float x) { return x + TWICE; }
__global__ void k(float *a)
{
`
	const asked = "#if MODE == 1\n    a[0] = 1;\n#endif\n    a[threadIdx.x] = 2;"
	for name, c := range map[string]struct{ body, old, new, assumed string }{
		"none":       {"    a[threadIdx.x] = FIXED;", "", "", ""},
		"used":       {"    a[threadIdx.x] = N;", "", "", "N"},
		"in a macro": {"    a[threadIdx.x] = TWICE;", "", "", "N"},
		"called":     {"    a[threadIdx.x] = more(1);", "", "", "N"},
		"a type":     {"    __shared__ Real s[64];\n    s[threadIdx.x] = 1;\n    a[threadIdx.x] = s[threadIdx.x];", "", "", "REAL"},
		"alias":      {"    a[threadIdx.x] = Same(1) / 3;", "", "", "REAL"},
		"a class":    {"    Held h = {1};\n    a[threadIdx.x] = h.x[0];", "", "", "N, REAL"},
		"a constant": {"    a[threadIdx.x] = n;", "", "", "N"},
		"enumerator": {"    a[threadIdx.x] = Count;", "", "", "N"},
		"checked":    {"    a[threadIdx.x] = N;", "\n    a[", "\n    static_assert(N == 8, \"smux rewrote this kernel for N = 8\");\n    a[", ""},
		"asked":      {asked, "\n#if MODE == 1\n#error", "\n#if FIXED != 3\n#error", "MODE"},
		"stopped":    {asked, "", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			old := program(t, begin+c.body+"\n}\nvoid run(float *a) { k<<<9, 64>>>(a); }\n")
			res, err := rewrite.Run(old, rewrite.Options{Variant: rewrite.Variant{Rewriter: "assume-shape"}})
			require.NoError(t, err)
			require.Len(t, res.Files, 1)
			after := string(res.Files[0].After)
			require.Contains(t, after, c.old)
			r := validate.Programs(old, program(t, strings.Replace(after, c.old, c.new, 1)))
			require.True(t, r.Proved(), doubts(r))
			said := ""
			for _, k := range r.Kernels {
				for _, o := range k.Shown {
					said += strings.TrimPrefix(o.Assumes, "the compiler is given no other ")
				}
			}
			assert.Equal(t, c.assumed, said)
		})
	}
}

// loaded reads k.cu, and headers by their names.
func loaded(t *testing.T, texts map[string]string) *parser.Program {
	t.Helper()
	p, errs := parser.LoadProgram([]string{"k.cu"}, parser.Options{ReadFile: func(name string) ([]byte, error) {
		if text, ok := texts[name]; ok {
			return []byte(text), nil
		}
		return nil, fs.ErrNotExist
	}})
	require.NoError(t, errors.Join(errs...))
	return p
}

// A header of the new program that says something else than the original's gives names another meaning.
func TestHeadersAreCompared(t *testing.T) {
	const text = "#include \"a.h\"\n__global__ void k(int *a) { a[threadIdx.x] *= SCALE; }\n"
	const outer, inner = "#include \"b.h\"\n#define SCALE TWICE(3)\n", "#define TWICE(x) (2 * (x)) // twice\n"
	old := loaded(t, map[string]string{"k.cu": text, "a.h": outer, "b.h": inner})
	for _, c := range []struct{ name, a, b, doubt string }{
		{"another comment", outer, strings.Replace(inner, "twice", "2x", 1), ""},
		{"another number", strings.Replace(outer, "3", "4", 1), inner, "a.h:2"},
		{"in a header of a header", outer, strings.Replace(inner, "2 *", "3 *", 1), "b.h:1"},
		{"a header that is not there", outer, "", "k.cu:1"},
	} {
		texts := map[string]string{"k.cu": text, "a.h": c.a, "b.h": c.b}
		if c.b == "" {
			delete(texts, "b.h")
		}
		r := validate.Programs(old, loaded(t, texts))
		assert.Equal(t, c.doubt == "", r.Proved(), c.name)
		for _, d := range r.Doubts {
			assert.Equal(t, c.doubt, fmt.Sprintf("%s:%d", d.Pos.File, d.Pos.Line), c.name)
		}
	}
}

// The header of the runtime may not bring macros and functions into the program.
func TestTheRuntimesHeaderHoldsNothingElse(t *testing.T) {
	for more, shown := range map[string]bool{"": true, "// no more\n": true, "#define __syncthreads()\n": false, "#define SIZE 32\n": false, "__device__ int max(int, int);\n": false} {
		for _, header := range []string{more + string(runtime.Header()), string(runtime.Header()) + more} {
			r := validate.Programs(program(t, twoTurns), loaded(t, map[string]string{"k.cu": rewritten(t, named), "smux.cuh": header}))
			assert.Equal(t, shown, r.Proved(), "%s%s", more, doubts(r))
		}
	}
}
