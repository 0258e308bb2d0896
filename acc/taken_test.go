package acc

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/acc/directive"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/parser"
)

// TestClausesThatNothingTakesAreRefused goes over all directives of OpenACC 3.3 with each of their clauses: one that
// nothing has taken is refused at its place, and one that is taken passes.
func TestClausesThatNothingTakesAreRefused(t *testing.T) {
	f, err := parser.Parse("in.c", []byte("int x;\nint y;\n"), Reading())
	require.NoError(t, err)
	src, err := newSource(f, nil)
	require.NoError(t, err)
	pairs := 0
	for _, d := range directive.Names() {
		for _, name := range directive.ClausesOf(d) {
			pairs++
			p := &pragma{Directive: directive.Directive{Name: d, Clauses: []directive.Clause{{Name: name, Pos: 9}}}}
			u := &unit{source: src, pragmas: []*pragma{p}}
			var m diag.Message
			require.ErrorAs(t, untaken(u), &m, "%s, %s", d, name)
			assert.Equal(t, CodeUnsupported, m.Code)
			assert.Equal(t, 2, m.Pos.Line)
			assert.Contains(t, m.Text, "clause "+name+" of "+d)
			p.takes(name)
			assert.NoError(t, untaken(u))
		}
	}
	assert.Greater(t, pairs, 150)
}
