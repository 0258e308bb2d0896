package ir_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/analysis/ir"
)

// rows writes the extents behind a pointer, "" for a pointer to anything else.
func rows(t ir.Type) string {
	if t.Rows == nil {
		return ""
	}
	var out []string
	if t.Rows.Const {
		out = append(out, "const")
	}
	for _, e := range t.Rows.Extents {
		out = append(out, show(e))
	}
	return strings.Join(out, " ")
}

// A pointer to an array is no array of pointers, though both have a * and a bracket.
func TestPointersToArrays(t *testing.T) {
	for declared, want := range map[string]string{
		"float (*a)[8]":                    "8",
		"const float (*__restrict__ a)[8]": "const 8",
		"float (*a)[8][n + 1]":             "8 (+ n 1)",
		"float a[][8]":                     "8",
		"const float a[4][8]":              "const 8",
		"float a[4][8][2]":                 "8 2",
		"float *a[8]":                      "",
		"float *(*a)[8]":                   "",
		"float (**a)[8]":                   "",
		"float (*a[4])[8]":                 "",
		"float a[8]":                       "",
		"float *a":                         "",
		"float (&a)[4][8]":                 "",
		"float (*a)[]":                     "",
	} {
		fn := lower(t, "__global__ void f(int n, "+declared+") {}")
		require.Len(t, fn.Params, 2, declared)
		assert.Equal(t, want, rows(fn.Params[1].Type), declared)
	}
}

func TestCastsToPointersToArrays(t *testing.T) {
	fn := lower(t, "__global__ void f(float *p) { p[0] = ((float (*)[8])p)[1][2]; }")
	var casts []string
	fn.Body.WalkExprs(func(e *ir.Expr) bool {
		if e.Op == ir.OpCast {
			casts = append(casts, rows(e.Type))
		}
		return true
	})
	assert.Equal(t, []string{"8"}, casts)
}
