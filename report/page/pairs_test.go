package page

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestALineStandsBesideTheOneThatItBecomes(t *testing.T) {
	for _, c := range []struct {
		name string
		a, b []string
		want []pair
	}{
		{"none before", nil, []string{"x"}, []pair{{-1, 0}}},
		{"none after", []string{"x"}, nil, []pair{{0, -1}}},
		{"unlike lines from the top", []string{"one();", "sum += x;"}, []string{"y = 3;"}, []pair{{0, 0}, {1, -1}}},
		{"a loop behind what is new", []string{"  for (int r = 0; r < ROWS; ++r) {"},
			[]string{"  float open;", "  #pragma unroll", "  if (vtb.id == turn) for (int r = 0; r < ROWS; ++r) {"}, []pair{{-1, 0}, {-1, 1}, {0, 2}}},
		{"definitions that move up", []string{"float2 here = tile[x];", "float open = 0;"},
			[]string{"if (vtb.id == turn) {", "here = tile[x];", "open = 0;"}, []pair{{-1, 0}, {0, 1}, {1, 2}}},
		{"braces alone are not alike", []string{"}", "a = f(b);"}, []string{"a = f(c);", "}"}, []pair{{0, -1}, {1, 0}, {-1, 1}}},
	} {
		assert.Equal(t, c.want, pairs(c.a, c.b), c.name)
	}
}
