package parser

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestExpand(t *testing.T) {
	const defs = `#define TX threadIdx.x
#define AS(i, j) As[i][j]
#define ID(x) x
#define CALL ID
#define STR(x) #x
#define XSTR(x) STR(x)
#define CAT(a, b) a ## b
#define XCAT(a, b) CAT(a, b)
#define LOG(f, ...) printf(f, ##__VA_ARGS__)
#define ALL(...) f(__VA_ARGS__)
#define NAMED(args...) g(args)
#define SELF SELF + 1
#define PING PONG
#define PONG PING
#define NONE
#define ZERO() 0
#define NEG(x) -x
#define MINUS -
#define TWO a, b
#define PAIR(x, y) [x|y]
#define HASH # x
#define DO(x) do { x; } while (0)
`
	cases := []struct{ name, in, want string }{
		{"object-like", "TX + 1", "threadIdx.x + 1"},
		{"arguments", "AS(a + 1, b)", "As[a + 1][b]"},
		{"nested arguments", "AS(TX, AS(1, 2))", "As[threadIdx.x][As[1][2]]"},
		{"parentheses protect commas", "AS(f(a, b), c)", "As[f(a, b)][c]"},
		{"function-like name alone", "AS + ID", "AS + ID"},
		{"name from a macro", "CALL(3)", "3"},
		{"an argument is not expanded twice", "ID(ID)(4) CALL(ID)(5)", "ID(4) ID(5)"},
		{"no recursion", "SELF PING", "SELF + 1 PING"},
		{"stringize does not expand", "STR(TX  + \"a\\n\")", `"TX + \"a\\n\""`},
		{"stringize after expansion", "XSTR(TX)", `"threadIdx.x"`},
		{"paste", "CAT(x, 1)", "x1"},
		{"paste does not expand", "CAT(T, X)", "threadIdx.x"},
		{"paste after expansion", "XCAT(a, ID(2))", "a2"},
		{"paste with nothing", "CAT(, x) CAT(x, )", "x x"},
		{"variadic", "ALL(1, (2, 3), TX)", "f(1, (2, 3), threadIdx.x)"},
		{"variadic, empty", "ALL()", "f()"},
		{"GNU comma", `LOG("a") LOG("a", 1, 2)`, `printf("a") printf("a", 1, 2)`},
		{"GNU named pack", "NAMED(1, 2)", "g(1, 2)"},
		{"empty body", "a NONE b", "a b"},
		{"no parameters", "ZERO() + ZERO( )", "0 + 0"},
		{"tokens do not join", "-NEG(1) MINUS-1", "- -1 - -1"},
		{"argument with a comma inside", "PAIR(TWO, c)", "[a, b|c]"},
		{"strings stay", `"TX" 'T'`, `"TX" 'T'`},
		{"comments are blanks", "TX /* TX */ + // AS\n 1", "threadIdx.x + 1"},
		{"newlines in arguments", "AS(1,\n  2)", "As[1][2]"},
		{"hash in an object-like macro", "HASH", "# x"},
		{"statements", "DO(a = 1, 2)", ""},
		{"operators stay", "a<<=b >>= c->d ... ::e", "a<<=b >>= c->d ... ::e"},
	}
	f := parse(t, defs)
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got, err := f.Macros.Expand(c.in, len(defs))
			if c.want == "" {
				require.Error(t, err)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, squeeze(c.want), squeeze(got))
		})
	}
}

// squeeze drops blanks that don't separate words or equal operators.
func squeeze(s string) string {
	var b strings.Builder
	toks := ppTokens(s)
	for i, t := range toks {
		if t.space && i > 0 {
			last, first := toks[i-1].text[len(toks[i-1].text)-1], t.text[0]
			if isIdentByte(last) && isIdentByte(first) || last == first && strings.IndexByte("+-<>&|=:.#", first) >= 0 {
				b.WriteByte(' ')
			}
		}
		b.WriteString(t.text)
	}
	return b.String()
}

func TestExpandRefuses(t *testing.T) {
	doubling := "#define A0 x x\n"
	for _, n := range "123456789" {
		doubling += "#define A" + string(n) + " A" + string(n-1) + " A" + string(n-1) + " A" + string(n-1) + " A" + string(n-1) + "\n"
	}
	cases := []struct{ name, defs, in, want string }{
		{"ambiguous", "#ifdef X\n#define A 1\n#else\n#define A 2\n#endif\n", "A", "several possible definitions"},
		{"too few arguments", "#define A(x, y) x\n", "A(1)", "takes 2 arguments"},
		{"too many arguments", "#define A(x) x\n", "A(1, 2)", "takes 1 arguments"},
		{"unclosed", "#define A(x) x\n", "A((1)", "never end"},
		{"bad paste", "#define A(x) x ## +\n", "A(1)", "gives no token"},
		{"bad stringize", "#define A(x) # y\n", "A(1)", "without a parameter"},
		{"va_opt", "#define A(...) f(__VA_OPT__(x))\n", "A(1)", "__VA_OPT__"},
		{"too long", doubling, "A9 A9 A9", "1 MB"},
		{"too deep", "#define A(x) x\n", strings.Repeat("A(", 200) + strings.Repeat(")", 200), "nested too deeply"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			f := parse(t, c.defs)
			_, err := f.Macros.Expand(c.in, len(c.defs))
			assert.ErrorContains(t, err, c.want)
		})
	}
}
