package config_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/lab/cudatest"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/project/config"
)

func readDirectives(t testing.TB, src string) *config.Directives {
	t.Helper()
	return config.ReadDirectives(cudatest.Program(t, "k.cu", src))
}

// told is all that a set says, a line for each directive.
func told(s *config.Directives) (out []string) {
	for _, i := range s.Ignores {
		out = append(out, fmt.Sprintf("%d: %s of %s: %s", i.Pos.Line, i.Code, i.Scope, i.Reason))
	}
	for _, p := range s.Pins {
		out = append(out, fmt.Sprintf("%d: kernel in line %d: %s", p.Pos.Line, p.Kernel.Line, p.Way))
	}
	for _, w := range s.Wrong {
		out = append(out, fmt.Sprintf("%d: %s, for %d: %s", w.Pos.Line, w.Code, len(w.Kernels), w.Text))
	}
	return out
}

func TestDirectivesAreReadWhereTheyStand(t *testing.T) {
	for name, tt := range map[string]struct{ src, want string }{
		"above":                  {"// smux:pin vtb-named N=4\n__global__ void k(float *a) {}", "1: kernel in line 2: vtb named N=4"},
		"above a template":       {"//smux:pin vtb\ntemplate <typename T>\n__global__ void k(T *a) {}", "1: kernel in line 3: vtb N=2"},
		"between template lines": {"template <typename T>\n// smux:pin vtb\n__global__ void k(T *a) {}", "2: kernel in line 3: vtb N=2"},
		"above other comments":   {"// smux:pin vtb\n// Sums.\n/* and\n more */\n// smux tune: vtb\n__global__ __launch_bounds__(64)\nvoid k(float *a) {}", "1: kernel in line 7: vtb N=2"},
		"above extern C":         {"/* smux:pin vtb */\nextern \"C\" __global__ void k(float *a) {}", "1: kernel in line 2: vtb N=2"},
		"in a block comment":     {"/**\n * Sums.\n * smux:pin vtb\n */\n__global__ void k(float *a) {}", "3: kernel in line 5: vtb N=2"},
		"on its line":            {"__global__ void k(float *a) { // smux:pin vtb\n}", "1: kernel in line 1: vtb N=2"},
		"behind a line":          {"__global__ void k(float *a) {} // smux:ignore no-shared it copies", "1: no-shared of kernel: it copies"},
		"between parameters":     {"__global__ void k(float *a, // smux:pin vtb\n  int n)\n{\n}", "1: kernel in line 1: vtb N=2"},
		"in its body":            {"__global__ void k(float *a) {\n  // smux:pin vtb\n  a[0] = 1;\n}", "2: kernel in line 1: vtb N=2"},
		"with blanks":            {"// smux:  pin  vtb  N=2  \r\n__global__ void k(float *a) {}", "1: kernel in line 2: vtb N=2"},
		"several codes":          {"// smux:ignore hoist,early-exit for now\n__global__ void k(float *a) {}", "1: hoist of kernel: for now\n1: early-exit of kernel: for now"},
		"a line's":               {"__global__ void k(float *a) {\n  // smux:ignore hoist for now\n  a[0] = 1;\n}", "2: hoist of line: for now"},
		"a host function's":      {"void f() {\n  // smux:ignore launch for now\n}", "2: launch of line: for now"},
		"a file's":               {"// smux:ignore-file no-gain old GPUs\n#include <x>\n__global__ void k(float *a) {}", "1: no-gain of file: old GPUs"},
		"a byte order mark":      {"\ufeff// smux:pin vtb\n__global__ void k(float *a) {}", "1: kernel in line 2: vtb N=2"},
		"a lost kernel":          {"// smux:ignore syntax too new\n__global__ void k(float *a { a[0] = 1; }\n", "1: syntax of kernel: too new"},

		"a string":             {"const char *s = \"// smux:pin vtb\";", ""},
		"a raw string":         {"const char *s = R\"(\n// smux:pin x\n)\";", ""},
		"a sentence":           {"// smux: this one is slow, pin it\n// smux merges it, smux::vtb\n// smux::grid\n// smux vtb: named N=2\n// see smux:pin\nint x;", ""},
		"marks of others":      {"// smux:bench grid=64 block=64\n__global__ void k(float *a) {\n  // smux:overlap\n  a[0] = 1;\n  // smux: overlap\n}", ""},
		"a continued line":     {"// smux:pin vtb \\\n x\n__global__ void k(float *a) {}", "1: pin-unknown, for 1: \"\\\\\" is not a knob of a rewrite"},
		"a slip of a mark":     {"__global__ void k(float *a) {\n  // smux: ovrlap\n}", "2: unknown-directive, for 1: there is no directive \"smux:ovrlap\""},
		"a name":               {"// smux:pun vtb\n__global__ void k(float *a) {}", "1: unknown-directive, for 1: there is no directive \"smux:pun\""},
		"a blank in bench":     {"// smux: bench grid=1\nint x;", "1: unknown-directive, for 0: \"smux: bench\" has a blank before the name, and is not read"},
		"no code":              {"// smux:ignore\n__global__ void k(float *a) {}", "1: ignore-code, for 1: a code is missing"},
		"a blank in codes":     {"// smux:ignore hoist, macro x\n__global__ void k(float *a) {}", "1: ignore-code, for 1: a code is missing"},
		"no such code":         {"// smux:ignore hoits x\n__global__ void k(float *a) {}", "1: ignore-code, for 1: \"hoits\" is not a code of a message"},
		"verify's code":        {"// smux:ignore race x\n__global__ void k(float *a) {}", "1: ignore-code, for 1: race can't be ignored"},
		"no reason":            {"// smux:ignore hoist --\n__global__ void k(float *a) {}", "1: ignore-reason, for 1: smux:ignore hoist gives no reason"},
		"a pin in the air":     {"// smux:pin vtb\n\n__global__ void k(float *a) {}", "1: directive-place, for 1: no kernel begins below this pin"},
		"a pin above others":   {"// smux:pin vtb\nvoid f() {}\n__global__ void k(float *a) {}", "1: directive-place, for 0: no kernel begins below this pin"},
		"a pin in a device":    {"__device__ void f() {\n // smux:pin vtb\n}\n__global__ void k(float *a) {}", "2: directive-place, for 0: no kernel begins below this pin"},
		"demote alone":         {"// smux:pin demote\n__global__ void k(float *a) {}", "1: pin-unknown, for 1: demote needs a recipe"},
		"chosen in a body":     {"__global__ void k(float *a) {\n  // smux:ignore chosen x\n}", "2: directive-place, for 1: chosen applies to a whole kernel, and no kernel begins below this line"},
		"a late file's":        {"void f() {}\n// smux:ignore-file no-gain x\n__global__ void k(float *a) {}", "2: directive-place, for 1: smux:ignore-file stands after code: it is about the whole file"},
		"a file's slip":        {"// smux:ignore-file nogain x\n\nvoid f() {}\n__global__ void k(float *a) {}\n__global__ void l(float *a) {}", "1: ignore-code, for 2: \"nogain\" is not a code of a message"},
		"a branch that is off": {"#if 0\n// smux:pin vtb\n__global__ void k(float *a) {}\n#endif", ""},
		"two pins":             {"// smux:pin vtb\n// smux:pin vtb\n__global__ void k(float *a) {}", "1: kernel in line 3: vtb N=2\n2: kernel in line 3: vtb N=2\n2: two-wishes, for 1: the kernel is pinned twice, in line 1 too"},
		"a pin and a leave":    {"// smux:pin vtb\n// smux:ignore chosen x\n__global__ void k(float *a) {}", "2: chosen of kernel: x\n1: kernel in line 3: vtb N=2\n1: two-wishes, for 1: the kernel is pinned, and line 2 asks to leave it alone"},
		"an overlap outside":   {"// smux:overlap\n__global__ void k(float *a) {}", "1: directive-place, for 1: a mark of an overlap outside of a function"},
		"overlap in a block":   {"__global__ void k(float *a) {\n /* smux:overlap */\n}", "2: directive-place, for 1: a mark of an overlap is a comment of its own that begins with //"},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, tt.want, strings.Join(told(readDirectives(t, tt.src)), "\n"))
		})
	}
}

func TestAnIgnoreStopsWhatItIsAboutAlone(t *testing.T) {
	s := readDirectives(t, `// smux:ignore-file spills old GPUs
// smux:ignore hoist for now
__global__ void k(float *a) {
    // smux:ignore macro one
    // another comment

    a[0] = 1;
    a[1] = 2; // smux:ignore goto two
    // smux:ignore asm three
    // smux:ignore spin four
    a[2] = 3;
    a[3] = 4;
}
__global__ void l(float *a) {}
`)
	require.Empty(t, s.Wrong)
	k, l := diag.Position{File: "k.cu", Line: 3, Column: 17}, diag.Position{File: "k.cu", Line: 14, Column: 17}
	for _, tt := range []struct {
		code   diag.Code
		line   int
		kernel diag.Position
		reason string
	}{
		{"hoist", 7, k, "for now"}, {"hoist", 7, l, ""}, {"macro", 3, k, ""}, {"no-shared", 3, k, ""},
		{"spills", 3, k, "old GPUs"}, {"spills", 14, l, "old GPUs"},
		{"spills", 3, diag.Position{File: "other.cu", Line: 3, Column: 17}, ""},
		{"macro", 4, k, "one"}, {"macro", 7, k, ""}, {"macro", 5, k, ""}, // a blank line stands between
		{"goto", 8, k, "two"}, {"goto", 9, k, ""}, {"goto", 8, l, ""},
		{"asm", 11, k, "three"}, {"asm", 12, k, ""}, {"spin", 11, k, "four"},
	} {
		reason, ok := s.Suppressed(diag.Message{Code: tt.code, Pos: diag.Position{File: "k.cu", Line: tt.line, Column: 5}}, tt.kernel)
		assert.Equal(t, tt.reason, reason, "%s in line %d", tt.code, tt.line)
		assert.Equal(t, tt.reason != "", ok)
	}
	var none *config.Directives
	_, ok := none.Suppressed(diag.Message{Code: "hoist"}, k)
	assert.False(t, ok)
}

func TestSuggestionsNameWhatMayBeMeant(t *testing.T) {
	for src, help := range map[string]string{
		"// smux:ovrlap\nint x;":             `did you mean "smux:overlap"?`,
		"// smux:igonre hoist x\nint x;":     `did you mean "smux:ignore"?`,
		"// smux:ignore hoits x\nint x;":     `did you mean "hoist"?`,
		"// smux:pin vtb-nmaed\nint x;":      `did you mean "vtb-named" or "vtb"?`,
		"// smux:nothing like it\nint x;":    "the directives are: smux:ignore, smux:ignore-file, smux:pin, smux:overlap, smux:bench",
		"// smux:ignore zzzzzzzzz x\nint x;": `run "smux explain" for the list of codes`,
	} {
		s := readDirectives(t, src)
		require.Len(t, s.Wrong, 1, src)
		assert.Equal(t, help, s.Wrong[0].Help)
	}
}

// TestExamplesOfDirectivesGetTheirCodes holds the documentation to what is read.
func TestExamplesOfDirectivesGetTheirCodes(t *testing.T) {
	for _, code := range []diag.Code{
		config.CodeUnknown, config.CodeIgnoreCode, config.CodeIgnoreReason, config.CodePin, config.CodePlace, config.CodeTwo,
	} {
		d, ok := diag.Lookup(code)
		require.True(t, ok)
		s := readDirectives(t, d.Example)
		if assert.Len(t, s.Wrong, 1, code) {
			assert.Equal(t, code, s.Wrong[0].Code)
			assert.NotEmpty(t, s.Wrong[0].Help)
			assert.Len(t, s.Wrong[0].Kernels, 1, "the kernel below is left alone")
		}
		assert.False(t, diag.Ignorable(code))
	}
	for _, code := range []diag.Code{config.CodePinned, config.CodeUnused} {
		d, _ := diag.Lookup(code)
		assert.Empty(t, readDirectives(t, d.Example).Wrong, code)
	}
}

func FuzzReadDirectives(f *testing.F) {
	for _, src := range []string{
		"// smux:pin vtb-named N=2\n__global__ void k(float *a) {}", "/* smux:ignore hoist x */ __global__ void k() { // smux:ignore goto y\n}",
		"// smux:ignore-file no-gain x\n", "// smux:ovrlap", "__global__ void k(float *a { /* smux:pin vtb", "\ufeff//smux:pin\r\n\r\n",
	} {
		f.Add(src)
	}
	f.Fuzz(func(t *testing.T, src string) {
		file, err := parser.Parse("k.cu", []byte(src), parser.Options{})
		if err != nil {
			return
		}
		s := config.ReadDirectives(parser.NewProgram([]*parser.File{file}, parser.Options{}))
		for _, i := range s.Ignores {
			require.NotEmpty(t, i.Reason)
			require.True(t, diag.Ignorable(i.Code))
		}
		for _, p := range s.Pins {
			require.True(t, p.Pos.IsValid() && p.Kernel.IsValid())
		}
		for _, w := range s.Wrong {
			require.True(t, w.Pos.IsValid())
			require.NotEmpty(t, w.Text)
		}
	})
}
