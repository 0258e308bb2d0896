package layout

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestLinesLoseWhatAllBeginWith(t *testing.T) {
	for _, c := range []struct{ text, first, want string }{
		{"a;\n        b;\n    c;", "    ", "a;|    b;|c;"},
		{"a;\n\tb;", "\t\t", "\ta;|b;"},
		{"\n\n    a;\n\n    b;  \n\n", "", "a;||b;"},
		{"a;\r\n    b;\r\n", "    ", "a;|b;"},
		{"if (x)\n#pragma omp\n        a;", "    ", "if (x)|#pragma omp|    a;"},
		{"", "", ""},
	} {
		assert.Equal(t, c.want, strings.Join(Dedent(c.text, c.first), "|"), "%q", c.text)
	}
}

func TestBlocksAreIndentedByTheirLevel(t *testing.T) {
	l := &Lines{}
	l.Apart()
	l.Open("for (;;)")
	l.Add("a;", "", "#endif")
	l.Open("")
	l.Add("b;")
	l.Shut()
	l.Apart()
	l.Shut()
	assert.Equal(t, "for (;;) {\n    a;\n\n#endif\n    {\n        b;\n    }\n\n}\n", l.String())
	assert.Zero(t, l.Level)
	assert.Equal(t, "  a;\n\n#if 1\n  b;", Shift("a;\n\n#if 1\nb;", "  "))
}

func TestMarksIndentTheLinesBetweenThem(t *testing.T) {
	got := Indented([]byte("{" + "\n" + Deeper + "a;\n#if 1\n\nb;\n" + Shallower + "}\nc;\n"))
	assert.Equal(t, "{\n    a;\n#if 1\n\n    b;\n    }\nc;\n", string(got))
	assert.Equal(t, "c;\n", string(Indented([]byte("c;\n"))))
}

func TestWhatFollowsABraceKeepsItsPlace(t *testing.T) {
	assert.Equal(t, "\n    a;", OpenLine([]byte("{  \nb;"), 1, "    a;\n", "    "))
	assert.Equal(t, "\n    a;\n    ", OpenLine([]byte("{ b; }"), 1, "    a;\n", "    "))
}
