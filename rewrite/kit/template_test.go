package kit

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestTemplatesReadAsCUDA(t *testing.T) {
	got := Cuda(`
for (int $i = 0; $i < $n; ++$i) {
    s_$i = $vtb.id;
    ${i}th();
}
`, Values{"i": "k", "n": 3, "vtb": "vtb2"})
	assert.Equal(t, []string{"for (int k = 0; k < 3; ++k) {", "    s_k = vtb2.id;", "    kth();", "}"}, got)
	assert.PanicsWithValue(t, "a template names $n, which has no value: $n", func() { Cuda("$n", nil) })
}

func TestValuesAreNotTemplates(t *testing.T) {
	assert.Equal(t, []string{"a = $b;"}, Cuda("a = $x;", Values{"x": "$b"}))
	assert.Equal(t, []string{"a = b +\n  c;"}, Cuda("a = $x;", Values{"x": "b +\n  c"}), "one statement")
}
