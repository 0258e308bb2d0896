package parser

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestTokensLeaveOutCommentsAndDirectives(t *testing.T) {
	f := parse(t, "#define A 1\nint a; // b\n#if 0\nlong c = 1'0;\n#endif\nconst char *d = R\"(e)\"; /* f */ x<<<1\n")
	var got []string
	for _, tok := range f.Tokens() {
		got = append(got, string(f.Src[tok.Start:tok.End]))
	}
	assert.Equal(t, []string{
		"int", "a", ";", "long", "c", "=", "1'0", ";",
		"const", "char", "*", "d", "=", "R\"(e)\"", ";", "x", "<", "<", "<", "1",
	}, got)
}

func TestDefinitionsSayWhereTheirBodiesAre(t *testing.T) {
	f := parse(t, "#define EMPTY\n# define A  1 + \\\n  2 // end\n#define F(x, ...) x(__VA_ARGS__)\n#define G (x)\n#undef A\n#if 0\n#define DEAD 3\n#endif\n#define\n#define 4 5\n")
	got := map[string]string{}
	for _, d := range f.Definitions() {
		text := ""
		for _, tok := range TokensBetween(f.Src, d.BodyStart, d.BodyEnd) {
			text += string(f.Src[tok.Start:tok.End])
		}
		got[d.Name] = text
	}
	assert.Equal(t, map[string]string{"EMPTY": "", "A": "1+2", "F": "x(__VA_ARGS__)", "G": "(x)", "DEAD": "3"}, got)
}
