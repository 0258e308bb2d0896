package parser

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestParseFragment(t *testing.T) {
	const expression, statements = FragmentExpression, FragmentStatements
	cases := []struct {
		text string
		kind FragmentKind
		want string // the nodes, or "error"
	}{
		{"a[i] + 1", expression, "binary_expression a[i] + 1"},
		{"x", expression, "identifier x"},
		{"  f ( a )  ", expression, "call_expression f ( a )"},
		{"a = b", expression, "assignment_expression a = b"},
		{"a, b", expression, "comma_expression a, b"},
		{"(float)x", expression, "cast_expression (float)x"},
		{"k<<<1, 2>>>(a)", expression, "call_expression k<<<1, 2>>>(a)"},
		{"a // end", expression, "identifier a"},
		{"asm volatile(\"mov.u32 %0, %1;\" : \"=r\"(a) : \"n\"(3))", expression, "call_expression asm volatile(\"mov.u32 %0, %1;\" : \"=r\"(a) : \"n\"(3))"},
		{"", expression, "error"},
		{"a;", expression, "error"},
		{"a b", expression, "error"},
		{"a; return b", expression, "error"},
		{"int x", expression, "error"},
		{"float", expression, "error"},
		{"{1, 2}", expression, "error"},
		{"a }", expression, "error"},
		{"a;} void g() { b", expression, "error"},
		{"a +", expression, "error"},
		{"/* open", expression, "error"},
		{"\n#define A 1\n1", expression, "error"},
		{strings.Repeat("(", 2000) + "1" + strings.Repeat(")", 2000), expression, "error"},
		{"a = 1;", statements, "expression_statement a = 1;"},
		{"", statements, ""},
		{"int x; x++;", statements, "declaration int x; expression_statement x++;"},
		{"do { x; } while (0)", statements, "error"},
		{"do { x; } while (0);", statements, "do_statement do { x; } while (0);"},
		{"if (a) b; else", statements, "error"},
		{"for (;;)", statements, "error"},
		{"{ a; } ;", statements, "compound_statement { a; } expression_statement ;"},
		{"a; }", statements, "error"},
		{"a; } void g() { b;", statements, "error"},
		{"a", statements, "error"},
		{"__shared__ float s[3];", statements, "declaration float s[3];"},
		{"asm volatile(\"bar.sync 0;\" ::: \"memory\");", statements, "expression_statement asm volatile(\"bar.sync 0;\" ::: \"memory\");"},
	}
	for _, c := range cases {
		t.Run(c.text, func(t *testing.T) {
			f, err := ParseFragment(c.text, c.kind)
			if err != nil {
				assert.Equal(t, "error", c.want)
				return
			}
			var words []string
			for _, n := range f.Nodes {
				words = append(words, n.Kind.String(), string(f.Src[n.Start:n.End]))
			}
			assert.Equal(t, c.want, strings.Join(words, " "))
		})
	}
}

func TestFragmentMarksQualifiers(t *testing.T) {
	f, err := ParseFragment("__shared__ float a; float b;", FragmentStatements)
	require.NoError(t, err)
	require.Len(t, f.Marks, 1)
	assert.Equal(t, QualShared, f.Marks[0].Quals)
	assert.Equal(t, "__shared__", string(f.Src[f.Marks[0].Start:f.Marks[0].End]))
}
