package parser

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/diag"
)

func TestUnreadableInputIsRefused(t *testing.T) {
	many := func(s string) string { return strings.Repeat(s, 10000) }
	cases := []struct {
		name, src string
		code      diag.Code
	}{
		{"empty", "", CodeEmptyFile},
		{"blank", " \r\n\t\n", CodeEmptyFile},
		{"only a BOM", "\xef\xbb\xbf\n", CodeEmptyFile},
		{"NUL bytes", "int a;\x00", CodeBinaryFile},
		{"UTF-16", "i\x00n\x00t\x00", CodeBinaryFile},
		{"too large", strings.Repeat(" ", MaxFileBytes) + "x", CodeTooLarge},
		{"deep braces", "void f() {" + many("{") + many("}") + "}", CodeTooDeep},
		{"deep template arguments", strings.Repeat("W<", 2*MaxNesting) + "int" + strings.Repeat(">", 2*MaxNesting) + " w;", CodeTooDeep},
		{"deep parentheses", "int a = " + many("(") + "1" + many(")") + ";", CodeTooDeep},
		{"open comment", "int a; /* and then", CodeTruncated},
		{"open raw string", "auto a = R\"x(abc", CodeTruncated},
		{"open comment in a directive", "#define A /* and then", CodeTruncated},
		{"open brace", "__global__ void k() {\n  if (a) {\n    b();\n  }\n", CodeTruncated},
		{"open class", "struct A {\n  int x;\n", CodeTruncated},
		{"Latin-1 in code", "int caf\xe9 = 1;", CodeInvalidUTF8},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			_, err := Parse("a.cu", []byte(c.src), withoutFiles)
			var input *InputError
			require.ErrorAs(t, err, &input)
			assert.Equal(t, c.code, input.Code)
			assert.NotEmpty(t, input.Help)
			assert.True(t, strings.HasPrefix(err.Error(), "a.cu:"), err.Error())
		})
	}
}

// Which branches are compiled decides whether the brace is closed, so nothing says that it is not.
func TestBracesOfOtherBranchesEndNoFile(t *testing.T) {
	_, err := Parse("a.h", []byte("extern \"C\" {\n#if defined(A) && defined(B)\nstruct S {\n#endif\nint x;\n#if defined(A) && !defined(B)\nstruct S {\n#endif\n#ifdef A\n};\n#endif\nint y;\n#ifdef C\n}\n#endif\n"), withoutFiles)
	require.NoError(t, err)
}

func TestUnusualInputIsAccepted(t *testing.T) {
	many := func(s string) string { return strings.Repeat(s, 900) }
	cases := map[string]string{
		"Latin-1 comment":            "int a; // caf\xe9\nint b;",
		"Latin-1 string":             "const char *s = \"caf\xe9\";",
		"Latin-1 in dead text":       "#if 0\ncaf\xe9\n#endif\nint a;",
		"comment open in dead text":  "int a;\n#if 0\nan apostrophe isn't a quote\n#endif\nint b;",
		"UTF-8 identifier":           "int café = 1;",
		"deep, but not too deep":     "void f() { int x = " + many("(") + "1" + many(")") + "; }",
		"braces open in branches":    "#ifdef A\nvoid f() {\n#else\nvoid g() {\n#endif\n}",
		"form feed":                  "int a;\f\nint b;",
		"only directives":            "#define A 1",
		"only a comment":             "// nothing",
		"backslash at the end":       "int a; \\",
		"directive at the very end":  "int a;\n#",
		"carriage returns in a line": "int a;\rint b;\n",
	}
	for name, src := range cases {
		t.Run(name, func(t *testing.T) {
			f := parse(t, src)
			if name != "backslash at the end" && name != "directive at the very end" {
				assert.Empty(t, f.Errors)
			}
		})
	}
}

func TestLargeFileIsRefusedWithoutReadingIt(t *testing.T) {
	name := filepath.Join(t.TempDir(), "big.cu")
	require.NoError(t, os.WriteFile(name, nil, 0o600))
	require.NoError(t, os.Truncate(name, 1<<40)) // sparse
	_, errs := LoadProgram([]string{name}, Options{})
	require.Len(t, errs, 1)
	var input *InputError
	require.ErrorAs(t, errs[0], &input)
	assert.Equal(t, CodeTooLarge, input.Code)
}

// TestHardInputTakesNoLongTime: what makes careless parsers quadratic or worse. It takes
// moments; a machine with other work may need longer.
func TestHardInputTakesNoLongTime(t *testing.T) {
	many := func(s string) string { return strings.Repeat(s, 3000) }
	for name, src := range map[string]string{
		"less-than":        "void f() { x = " + many("a<") + "1; }",
		"prefix operators": "void f() { x = " + many("!-~*&") + "1; }",
		"sums":             "void f() { x = " + many("a+") + "1; }",
		"conditionals":     "void f() { x = " + many("a?b:") + "1; }",
		"else if":          "void f() { " + many("if (a) b; else ") + "c; }",
		"open launches":    "void f() { " + many("k<<<") + "; }",
		"nested #if":       many("#if A\n#define X 1\n") + "int x;\n" + many("#endif\n"),
		"many #if":         many("#ifdef A\n#define X 1\n#else\n#define X 2\n#endif\n") + "int x;",
		"statement macros": "void f() {\n" + many("MACRO(int)\n") + "}",
		"garbage":          many("x y z ) } > >>> ; << <<<( "),
		"doubling macros": "#define A0 x x\n" + strings.Repeat("#define A A\n", 10) +
			"#define A1 A0 A0 A0 A0 A0 A0\n#define A2 A1 A1 A1 A1 A1 A1\n#define A3 A2 A2 A2 A2 A2 A2\n#define A4 A3 A3 A3 A3 A3 A3\n#define A5 A4 A4 A4 A4 A4 A4\n" +
			"#define A6 A5 A5 A5 A5 A5 A5\n#define A7 A6 A6 A6 A6 A6 A6\n#if A7\n#endif\nint x;",
	} {
		t.Run(name, func(t *testing.T) {
			start := time.Now()
			_, err := Parse("a.cu", []byte(src), withoutFiles)
			var input *InputError
			if errors.As(err, &input) {
				assert.Equal(t, CodeTooDeep, input.Code)
			} else {
				require.NoError(t, err)
			}
			assert.Less(t, time.Since(start), time.Minute)
		})
	}
}
