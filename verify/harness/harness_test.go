package harness

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite"
)

// program parses files given as name, text, name, text …; the first is named,
// the others are headers.
func program(t testing.TB, files ...string) *parser.Program {
	t.Helper()
	byName := map[string]string{}
	for i := 0; i < len(files); i += 2 {
		byName[files[i]] = files[i+1]
	}
	p, errs := parser.LoadProgram(files[:1], parser.Options{ReadFile: func(name string) ([]byte, error) {
		if s, ok := byName[name]; ok {
			return []byte(s), nil
		}
		return nil, os.ErrNotExist
	}})
	require.NoError(t, errors.Join(errs...))
	return p
}

// mainOf returns the text of the main that makes all runs.
func mainOf(p *parser.Program, specs []*Spec, options ...Option) ([]byte, error) {
	runs, err := ResolveAll(p, specs)
	if err != nil {
		return nil, err
	}
	return emit(p, runs, options)
}

const scaleKernel = `#define TILE 64
__global__ void scale(const float *__restrict__ in, float *out, int n, float alpha)
{
    __shared__ float s[TILE];
    const int i = blockIdx.x * TILE + threadIdx.x;
    s[threadIdx.x] = i < n ? in[i] : 0.0f;
    __syncthreads();
    if (i < n) out[i] = alpha * s[TILE - 1 - threadIdx.x];
}
`

const scaleSpec = "grid=ceildiv(n,TILE) block=TILE n=256 alpha=1.5f in=float[n]:random out=float[n]"

// commented puts a specification above the first line that is a kernel's.
func commented(kernel, spec string) string {
	i := strings.Index(kernel, "template")
	if k := strings.Index(kernel, "__global__"); i < 0 || k < i {
		i = k
	}
	if s := strings.Index(kernel, "static"); s >= 0 && s < i {
		i = s
	}
	return kernel[:i] + "// smux:bench " + spec + "\n" + kernel[i:]
}

func resolveComment(t testing.TB, kernel, spec string) (*Run, error) {
	t.Helper()
	p := program(t, "k.cu", commented(kernel, spec))
	specs, err := Comments(p)
	if err != nil {
		return nil, err
	}
	require.Len(t, specs, 1)
	return Resolve(p, specs[0])
}

func TestFlagsAndCommentsMeanTheSame(t *testing.T) {
	fromComment, err := resolveComment(t, scaleKernel, scaleSpec)
	require.NoError(t, err)
	s, err := ParseFlags(Flags{
		Kernel: "scale", Launch: "grid=ceildiv(n,TILE), block=TILE",
		Arguments: []string{"n=256", "alpha = 1.5f"}, Buffers: []string{"in=float[n]:random", "out=float[n]"},
	})
	require.NoError(t, err)
	fromFlags, err := Resolve(program(t, "k.cu", scaleKernel), s)
	require.NoError(t, err)
	assert.Equal(t, fromComment.Values, fromFlags.Values)
	assert.Equal(t, fromComment.Grid, fromFlags.Grid)
	assert.Equal(t, [3]int64{4, 1, 1}, fromFlags.Grid)
	assert.Equal(t, [3]int64{64, 1, 1}, fromFlags.Block)
	assert.Equal(t, "1.5f", fromFlags.Values[3].Text)
	assert.Equal(t, int64(256), fromFlags.Values[0].Buffer.Count)
}

func TestExpressions(t *testing.T) {
	cases := map[string]int64{
		"3": 3, "0x10": 16, "7u": 7, "1+2*3": 7, "(1+2)*3": 9, "7/2": 3, "7%4": 3, "10-3-2": 5, "-3+5": 2, "--4": 4,
		"min(3,4)": 3, "max(3, 4)": 4, "ceildiv(7,2)": 4, "ceildiv(8,2)": 4, "ceildiv(-7,2)": -3, "n*2": 20, "m": 21, "TILE": 64, "TWICE+1": 129,
	}
	for text, want := range cases {
		t.Run(text, func(t *testing.T) {
			p := program(t, "k.cu", "#define TILE 64\n#define TWICE (TILE * 2)\n__global__ void k() {}\n")
			s, err := ParseFlags(Flags{Kernel: "k", Launch: "grid=1,block=1", Arguments: []string{"n=10", "m=n*2+1", "r=" + text}})
			require.NoError(t, err)
			r := &Resolver{Spec: s, Definition: &Definition{p.Files[0], p.Files[0].Functions[0]}, Busy: map[string]bool{}, Known: map[string]int64{}}
			got, whole, err := r.integer(&s.Arguments[2])
			require.NoError(t, err)
			assert.True(t, whole)
			assert.Equal(t, want, got)
		})
	}
}

func TestValuesAreComputedOnce(t *testing.T) {
	spec := "grid=1 block=1 a0=1"
	for i := 1; i <= 40; i++ {
		spec += fmt.Sprintf(" a%d=a%d+a%d", i, i-1, i-1)
	}
	r, err := resolveComment(t, "__global__ void k(long long n) {}\n", spec+" n=a40")
	require.NoError(t, err)
	assert.Equal(t, fmt.Sprintf("%dLL", int64(1)<<40), r.Values[0].Text)
}

func TestExtents(t *testing.T) {
	for text, want := range map[string][3]int64{
		"64": {64, 1, 1}, "16x16": {16, 16, 1}, "8x4x2": {8, 4, 2}, "(n)x(n/2)": {8, 4, 1}, "n/2": {4, 1, 1}, "0x10x2": {16, 2, 1},
	} {
		r, err := resolveComment(t, "__global__ void k(int n) {}\n", "block=1 n=8 grid="+text)
		require.NoError(t, err, text)
		assert.Equal(t, want, r.Grid, text)
	}
}

// TestMistakes: every message says where and what, and what to write instead.
func TestMistakes(t *testing.T) {
	const k = "__global__ void scale(const float *in, float *out, int n, float alpha) {}\n"
	cases := []struct{ name, kernel, spec, want, help string }{
		{"missing argument", k, "grid=1 block=1 n=4 in=float[n] out=float[n]", "1:15: bench-parameter: nothing says what alpha of scale is", "add alpha=VALUE"},
		{"missing buffer", k, "grid=1 block=1 n=4 alpha=1.0f in=float[n]", "1:15: bench-parameter: nothing says what out of scale is", "add out=float[ELEMENTS]:random"},
		{"misspelt", k, "grid=1 block=1 n=4 alhpa=1.0f in=float[n] out=float[n]", "1:34: bench-parameter: scale has no parameter alhpa", `did you mean "alpha"?`},
		{"misspelt in a size", k, "grid=1 block=1 n=4 alpha=1.0f in=float[nn] out=float[n]", "1:54: bench-value: nothing says what nn is", `did you mean "n"?`},
		{"scalar for a pointer", k, "grid=1 block=1 n=4 alpha=1 in=3 out=float[n]", "1:45: bench-parameter: in is a pointer: it needs an array", "write in=float[ELEMENTS]:random"},
		{"array for a scalar", k, "grid=1 block=1 n=int[4] alpha=1 in=float[4] out=float[4]", "1:30: bench-parameter: n is not a pointer: it is int", "write n=VALUE"},
		{"another type", k, "grid=1 block=1 n=4 alpha=1 in=double[n] out=float[n]", "1:42: bench-parameter: in points to float, not to double", ""},
		{"does not fit", k, "grid=1 block=1 n=3000000000 alpha=1 in=float[1] out=float[1]", "1:32: bench-value: 3000000000 can't be held by n, which is int", ""},
		{"given twice", k, "grid=1 block=1 n=4 n=5 alpha=1 in=float[n] out=float[n]", "1:34: bench-parameter: n is given twice", ""},
		{"no grid", k, "block=1 n=4 alpha=1 in=float[n] out=float[n]", "1:15: bench-launch: nothing gives the launch's grid", "say how many threads are launched: grid=64 block=256"},
		{"block too large", k, "grid=1 block=64x32 n=4 alpha=1 in=float[n] out=float[n]", "1:28: bench-launch: a block of 2048 threads: 1024 is the most", ""},
		{"grid too large", k, "grid=1x70000 block=1 n=4 alpha=1 in=float[n] out=float[n]", "1:22: bench-launch: grid.y is 70000: from 1 to 65535 is possible", ""},
		{"empty grid", k, "grid=n-4 block=1 n=4 alpha=1 in=float[n] out=float[n]", "1:20: bench-launch: grid.x is 0: from 1 to 2147483647 is possible", ""},
		{"name before x", k, "grid=nx4 block=1 n=4 alpha=1 in=float[n] out=float[n]", "1:20: bench-value: nothing says what nx4 is", `did you mean "n"?`},
		{"four extents", k, "grid=1x1x1x1 block=1", "1:25: bench-syntax: a launch has three dimensions at most", ""},
		{"blank around =", k, "grid = 1 block=1", `1:20: bench-syntax: nothing stands before "="`, "write NAME=VALUE, without blanks around ="},
		{"open bracket", k, "grid=1 block=1 in=float[n out=float[n]", `1:38: bench-syntax: "[" is never closed`, ""},
		{"closing bracket", k, "grid=1) block=1", `1:21: bench-syntax: ")" closes nothing`, ""},
		{"number", k, "grid=1 block=1 alpha=1 in=float[1] out=float[1] n=40z6", `1:67: bench-syntax: "z6" is not expected here`, "a value is an integer expression or a C literal, such as 1.5f, true, {1, 2}"},
		{"division by zero", k, "grid=1/(n-4) block=1 n=4 alpha=1 in=float[n] out=float[n]", "1:21: bench-value: division by zero", ""},
		{"circle", k, "grid=1 block=1 n=m m=n alpha=1 in=float[n] out=float[n]", "1:36: bench-value: the value of n depends on itself", ""},
		{"overflow", k, "grid=1 block=1 n=4 alpha=1 in=float[9000000000*9000000000] out=float[n]", `1:61: bench-value: the result of "*" has more than 63 bits`, ""},
		{"empty array", k, "grid=1 block=1 n=4 alpha=1 in=float[n-4] out=float[n]", "1:51: bench-value: an array of 0 elements", ""},
		{"filling", k, "grid=1 block=1 n=4 alpha=1 in=float[n]:rnadom out=float[n]", `1:54: bench-syntax: an array can't be filled with "rnadom"`, `did you mean "random"?`},
		{"filling with nothing", k, "grid=1 block=1 n=4 alpha=1 in=float[n]:const out=float[n]", "1:54: bench-syntax: const takes another number of values", "write const(VALUE)"},
		{"empty range", k, "grid=1 block=1 n=4 alpha=1 in=float[n]:random(2,2) out=float[n]", "1:42: bench-value: no number is from 2 up to, but below 2", "write random(FROM,BELOW)"},
		{"no colon", k, "grid=1 block=1 in=float[n]random", `1:41: bench-syntax: "random" is not expected here`, "what fills an array stands after a colon: float[n]:random"},
		{"pointer to pointers", "__global__ void k(float **rows) {}\n", "grid=1 block=1 rows=float[3]", "1:30: bench-parameter: rows is a pointer to pointers: smux can't make those", ""},
		{"template", "template <int N> __global__ void k() {}\n", "grid=1 block=1", "1:15: bench-kernel: k is a template, and nothing says what its N is", "write k<N> with values in place of the names"},
		{"no template", k, "scale<3> grid=1 block=1", "1:15: bench-kernel: scale is not a template", ""},
		{"no such kernel", k, "scael grid=1 block=1", "1:15: bench-kernel: there is no kernel scael", `did you mean "scale"?`},
		{"no kernel below", "void f();\n__global__ void k() {}\n", "", "1:15: bench-kernel: no kernel stands below this specification", "put it right above a kernel, or write the kernel's name first"},
		{"unnamed parameter", "__global__ void k(int) {}\n", "grid=1 block=1", "1:15: bench-parameter: parameter 1 of k has no name", "give it a name"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			text := commented(c.kernel, c.spec)
			if c.name == "no kernel below" {
				text = "// smux:bench grid=1 block=1\n" + c.kernel
			}
			p := program(t, "k.cu", text)
			specs, err := Comments(p)
			if err == nil {
				_, err = mainOf(p, specs)
			}
			var errs Errors
			require.ErrorAs(t, err, &errs)
			assert.Equal(t, "k.cu:"+c.want, errs[0].String())
			assert.Equal(t, c.help, errs[0].Help)
		})
	}
}

func TestMistakesInFlagsNameTheFlag(t *testing.T) {
	good := Flags{Kernel: "scale", Launch: "grid=1,block=64", Arguments: []string{"n=4", "alpha=1"}, Buffers: []string{"in=float[n]", "out=float[n]"}}
	cases := []struct {
		change func(*Flags)
		want   string
	}{
		{func(f *Flags) { f.Kernel = "" }, `--kernel '': bench-syntax: "" is not a kernel's name`},
		{func(f *Flags) { f.Kernel = "scael" }, `--kernel 'scael': bench-kernel: there is no kernel scael`},
		{func(f *Flags) { f.Launch = "gird=1" }, `--launch 'gird=1': bench-syntax: a launch has no "gird"`},
		{func(f *Flags) { f.Launch = "grid=1,grid=2" }, `--launch 'grid=1,grid=2': bench-syntax: grid is given twice`},
		{func(f *Flags) { f.Arguments[0] = "n" }, `--arg 'n': bench-syntax: "n" is not an assignment`},
		{func(f *Flags) { f.Arguments[0] = "a b=3" }, `--arg 'a b=3': bench-syntax: "a b" is not a parameter's name`},
		{func(f *Flags) { f.Buffers[0] = "in=float" }, `--buffer 'in=float': bench-syntax: "float" is not an array`},
		{func(f *Flags) { f.Buffers[0] = "in=float[n" }, `--buffer 'in=float[n': bench-syntax: "[" is never closed`},
		{func(f *Flags) { f.Buffers[0] = "in=float*[n]" }, `--buffer 'in=float*[n]': bench-syntax: "float*" can't be the type of an array in device memory`},
	}
	for _, c := range cases {
		f := good
		f.Arguments, f.Buffers = append([]string{}, good.Arguments...), append([]string{}, good.Buffers...)
		c.change(&f)
		s, err := ParseFlags(f)
		if err == nil {
			_, err = Resolve(program(t, "k.cu", scaleKernel), s)
		}
		var errs Errors
		require.ErrorAs(t, err, &errs, c.want)
		assert.Equal(t, c.want, errs[0].String())
	}
}

func TestCommentsAreFoundAndBelongToTheKernelBelow(t *testing.T) {
	p := program(t, "k.cu", `// smux:benchmark is another word
// smux:bench grid=1 block=32
// smux:bench grid=2 block=32
/* smux:bench second grid=3 block=32 */
__global__ void first() { /* smux:bench first grid=9 block=32 */ }
/*
 * smux:bench grid=4 block=32
 * Some text about smux:bench.
 */
template <int N = 3> __global__ void second() {}
`)
	specs, err := Comments(p)
	require.NoError(t, err)
	var got []string
	for _, s := range specs {
		got = append(got, s.Kernel+" "+s.Grid[0].String())
	}
	assert.Equal(t, []string{"first 1", "first 2", "second 3", "first 9", "second 4"}, got)
	text, err := mainOf(p, specs)
	require.NoError(t, err)
	assert.Contains(t, string(text), "second<<<4, 32>>>();")
}

func TestOverloadsAreToldApartByTheirParameters(t *testing.T) {
	p := program(t, "k.cu", "__global__ void k(int a) {}\n__global__ void k(float *b) {}\n")
	s, err := ParseFlags(Flags{Kernel: "k", Launch: "grid=1,block=1", Buffers: []string{"b=float[3]"}})
	require.NoError(t, err)
	r, err := Resolve(p, s)
	require.NoError(t, err)
	assert.Equal(t, "b", r.Values[0].Name)
	s.Buffers = nil
	_, err = Resolve(p, s)
	assert.ErrorContains(t, err, "2 kernels are called k")
}

func TestAMainOfTheProgramIsRenamed(t *testing.T) {
	p := program(t, "k.cu", commented(scaleKernel, scaleSpec)+"int main(int argc, char **argv) { return argc; }")
	specs, err := Comments(p)
	require.NoError(t, err)
	f, text, err := Attach(p, specs)
	require.NoError(t, err)
	assert.Equal(t, "k.cu", f.Name)
	assert.Contains(t, string(text), "int smux_program_main(int argc")
	assert.Equal(t, 1, strings.Count(string(text), "int main("))
	again, err := parser.Parse("k.cu", text, parser.Options{})
	require.NoError(t, err)
	assert.Empty(t, again.Errors)
}

func TestAKernelInAHeaderIsRunFromItsIncluder(t *testing.T) {
	p := program(t, "a.cu", "#include \"k.cuh\"\n", "k.cuh", scaleKernel)
	s, err := ParseFlags(Flags{Kernel: "scale", Launch: "grid=4,block=64", Arguments: []string{"n=256", "alpha=2"}, Buffers: []string{"in=float[n]", "out=float[n]"}})
	require.NoError(t, err)
	f, text, err := Attach(p, []*Spec{s})
	require.NoError(t, err)
	assert.Equal(t, "a.cu", f.Name)
	assert.True(t, strings.HasPrefix(string(text), "#include \"k.cuh\"\n"))
}

// TestDocumentedExamplesGetTheirCodes: the documentation shows what is wrong,
// and what it shows as the remedy is right.
func TestDocumentedExamplesGetTheirCodes(t *testing.T) {
	for _, code := range []diag.Code{CodeSyntax, CodeKernel, CodeParameter, CodeLaunch, CodeValue} {
		d, ok := diag.Lookup(code)
		require.True(t, ok, code)
		comment, kernel, _ := strings.Cut(strings.TrimSpace(d.Example), "\n")
		kernel = strings.TrimSuffix(kernel, ";") + " {}\n"
		p := program(t, "k.cu", comment+"\n"+kernel)
		specs, err := Comments(p)
		if err == nil {
			_, err = mainOf(p, specs)
		}
		var errs Errors
		require.ErrorAs(t, err, &errs)
		for _, m := range errs {
			assert.Equal(t, code, m.Code, m.Text)
		}
		p = program(t, "k.cu", d.Fix+"\n"+kernel)
		specs, err = Comments(p)
		require.NoError(t, err)
		_, err = mainOf(p, specs)
		assert.NoError(t, err, code)
	}
}

// kernels lists what a main must be able to run.
var kernels = []struct{ name, text, spec string }{
	{"plain", scaleKernel, scaleSpec},
	{"template", "template <typename T, int N> __global__ void k(T *a, T b, int n) { __shared__ T s[N]; const int i = blockIdx.x * N + threadIdx.x; s[threadIdx.x] = a[i]; __syncthreads(); if (i < n) a[i] = s[N - 1 - threadIdx.x] + b; }\n",
		"k<float,128> grid=3 block=128 n=3*128 b=-2.5f a=float[n]:random"},
	{"deduced template", "template <typename T> __global__ void k(T *a, T b) { a[threadIdx.x] += b; }\n", "grid=1 block=8 a=float[8]:iota b=1.0f"},
	{"namespaces", "namespace a { enum Mode { FAST }; namespace { struct P { int x, y; };\n__global__ void k(P p, Mode m, int *out) { out[threadIdx.x] = p.x + m; } } }\n",
		"grid=1 block=8 p=P{1,2} m=FAST out=int[8]"},
	{"static", "static __global__ void k(unsigned char *a, unsigned short *b, bool *c, long long *d) { a[threadIdx.x] = b[0] + c[0] + d[0]; }\n",
		"grid=1 block=8 a=uint8_t[8]:iota b=unsigned short[8]:random c=bool[9]:random d=long long[3]:random(-5,5)"},
	{"vectors", "__global__ void k(float4 *a, const uchar3 *b, double2 *c, float2 d, dim3 e) { a[threadIdx.x].x = b[0].x + c[0].y + d.x + e.y; }\n",
		"grid=1 block=8 a=float4[8]:random b=uchar3[8]:iota c=double2[8]:const(0.5) d=make_float2(1,2) e={1,2,3}"},
	{"structure", "struct Particle { float x; int y; };\n__global__ void k(Particle *a, Particle b, const void *c, int *d, int e = 3) { a[threadIdx.x].y = b.y; }\n",
		"grid=1 block=8 a=Particle[8]:bytes b={1.0f,2} c=char[100] d=nullptr"},
	{"half", "#include <cuda_fp16.h>\n__global__ void k(__half *a, half2 *b) { a[threadIdx.x] = b[0].x; }\n", "grid=1 block=8 a=half[8]:random b=half2[8]:random(1,2)"},
	{"dynamic", "extern __shared__ int dyn[];\n__global__ void k(int *grid, size_t n) { const int i = (blockIdx.y * 2 + blockIdx.x) * 32 + threadIdx.y * 8 + threadIdx.x; dyn[i % 32] = grid[i]; __syncthreads(); grid[i] = dyn[(i + 1) % 32] + n; }\n",
		"grid=2x2 block=8x4x1 shared=4*32 param.grid=int[4*32]:random(0,1000) n=5000000000"},
	{"short macros", "#define N 16\n#define T threadIdx.x\n#define E float\n__global__ void k(E *a) { a[T] = N; }\n", "grid=1 block=N a=float[N]"},
}

func TestMainsParseAndAreRewritten(t *testing.T) {
	for _, c := range kernels {
		t.Run(c.name, func(t *testing.T) {
			p := program(t, "k.cu", commented(c.text, c.spec))
			specs, err := Comments(p)
			require.NoError(t, err)
			_, text, err := Attach(p, specs)
			require.NoError(t, err)
			whole := program(t, "k.cu", string(text))
			assert.Empty(t, whole.Files[0].Errors)
			require.Len(t, whole.Files[0].Launches, 1)
			if !strings.Contains(c.text, "__shared__") {
				return
			}
			res, err := rewrite.Run(whole, rewrite.Options{Variant: rewrite.Variant{Factor: 2}})
			require.NoError(t, err)
			require.Len(t, res.Kernels, 1)
			assert.Equal(t, "vtb", res.Kernels[0].Rewriter, "%v", res.Kernels[0].Refused)
		})
	}
}

func TestMainsCompile(t *testing.T) {
	if _, err := exec.LookPath("nvcc"); err != nil {
		t.Skip("no nvcc on PATH: emitted mains were not compiled")
	}
	for _, c := range kernels {
		t.Run(c.name, func(t *testing.T) {
			for _, rewritten := range []bool{false, true} {
				if rewritten && !strings.Contains(c.text, "__shared__") {
					continue
				}
				p := program(t, "k.cu", commented(c.text, c.spec))
				specs, err := Comments(p)
				require.NoError(t, err)
				_, text, err := Attach(p, specs)
				require.NoError(t, err)
				if rewritten {
					res, err := rewrite.Run(program(t, "k.cu", string(text)), rewrite.Options{})
					require.NoError(t, err)
					require.Len(t, res.Files, 1)
					text = res.Files[0].After
				}
				dir := t.TempDir()
				require.NoError(t, os.WriteFile(filepath.Join(dir, "k.cu"), text, 0o666))
				cmd := exec.Command("nvcc", "-std=c++14", "-arch=sm_70", "-c", "-o", "k.o", "k.cu")
				cmd.Dir = dir
				out, err := cmd.CombinedOutput()
				require.NoError(t, err, "%s\n%s", out, text)
				assert.NotContains(t, string(out), "warning")
			}
		})
	}
}

func TestMainIsReadable(t *testing.T) {
	p := program(t, "k.cu", commented(scaleKernel, scaleSpec))
	specs, err := Comments(p)
	require.NoError(t, err)
	text, err := mainOf(p, specs)
	require.NoError(t, err)
	want := `static void smux_bench_run_1()
{
    smux_bench::buffer<float> in("in", 256);
    smux_bench::fill_random(in.host, 256, 1094220446u);
    smux_bench::buffer<float> out("out", 256);
    const int n = 256;
    const float alpha = 1.5f;
    in.upload();
    out.upload();

    scale<<<4, 64>>>(in.device, out.device, n, alpha);
    smux_bench::end("scale");
    in.download();
    out.download();
}

int main()
{
    smux_bench_run_1();
    return 0;
}
`
	assert.True(t, strings.HasSuffix(string(text), want), string(text))
	assert.NotContains(t, string(text), "fill_iota")
}

// Each launch of a kernel is a function more for the compiler, so the runs that smux chose share one.
func TestChosenRunsShareALaunch(t *testing.T) {
	specs := make([]*Spec, 3)
	for i, of := range []string{"scale grid=4 block=64", "scale grid=1 block=32 shared=128", "double_it grid=1 block=32"} {
		var err error
		specs[i], err = ParseItems(Phrase{Text: of + " n=2 alpha=1.5f in=float[n] out=float[n]"}, &Spec{})
		require.NoError(t, err)
	}
	p := program(t, "k.cu", scaleKernel+strings.Replace(scaleKernel, "scale", "double_it", 1))
	_, text, err := Attach(p, specs, Numbered)
	require.NoError(t, err)
	assert.Equal(t, 2, strings.Count(string(text), "<<<"), string(text))
	assert.Contains(t, string(text), "    smux_bench_launch_1(1, 32, 128, in.device, out.device, n, alpha);\n")
}

func FuzzComments(f *testing.F) {
	f.Add(scaleSpec)
	for _, c := range kernels {
		f.Add(c.spec)
	}
	f.Add("grid=((((1 block=<<[(")
	f.Add("k<a=b> n=-9223372036854775807-1 m=n/-1 in=T[min(1,max(2,ceildiv(3,0)))]:random(1e400,-.5f)")
	f.Fuzz(func(t *testing.T, spec string) {
		p, errs := parser.LoadProgram([]string{"k.cu"}, parser.Options{ReadFile: func(name string) ([]byte, error) {
			if name != "k.cu" {
				return nil, os.ErrNotExist
			}
			return []byte(commented(scaleKernel, spec)), nil
		}})
		if len(errs) > 0 {
			return
		}
		specs, err := Comments(p)
		checkErrors(t, err)
		for _, s := range specs {
			run, err := Resolve(p, s)
			checkErrors(t, err)
			if err == nil {
				require.LessOrEqual(t, run.Block[0]*run.Block[1]*run.Block[2], int64(1024))
				require.Len(t, run.Values, len(run.Kernel.Params))
			}
		}
	})
}

// checkErrors requires that each message has a place and a code.
func checkErrors(t *testing.T, err error) {
	if err == nil {
		return
	}
	var errs Errors
	require.ErrorAs(t, err, &errs)
	for _, m := range errs {
		require.True(t, m.Pos.IsValid(), m.Text)
		require.NotEmpty(t, m.Code, m.Text)
	}
}

// Without the option a main is what it was; with it only what surrounds the runs
// changes.
func TestAMainRepeats(t *testing.T) {
	p := program(t, "k.cu", commented(scaleKernel, scaleSpec))
	specs, err := Comments(p)
	require.NoError(t, err)
	once, err := mainOf(p, specs)
	require.NoError(t, err)
	often, err := mainOf(p, specs, Repeat)
	require.NoError(t, err)
	assert.NotContains(t, string(once), "repeat")
	before, rest, ok := strings.Cut(string(often), "\n\n// How often all runs are made.\n")
	require.True(t, ok)
	_, after, ok := strings.Cut(rest, "\n}\n")
	require.True(t, ok)
	const loop = "    for (long left = smux_bench::repeats(); left > 0; --left) {\n        smux_bench_run_1();\n    }\n"
	assert.Contains(t, after, loop)
	assert.Equal(t, string(once), before+"\n"+strings.Replace(after, loop, "    smux_bench_run_1();\n", 1))
}
