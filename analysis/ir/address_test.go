package ir_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/analysis/ir"
)

// declared lowers statements of a function and returns the variable p in it.
func declared(t *testing.T, text string) (*ir.Func, *ir.Var) {
	fn := lower(t, "template <class T> __global__ void f(T *in, int n, float m[][8]) { "+text+" }")
	for _, v := range fn.Vars {
		if v.Name == "p" {
			return fn, v
		}
	}
	return fn, nil
}

// Declarators in parentheses read like calls and assignments to the grammar.
func TestDeclaratorsInParentheses(t *testing.T) {
	for text, want := range map[string]struct {
		ptr       int
		ref       bool
		rows, dim string
		init      string
	}{
		"float (*p)[8] = m;":                         {1, false, "8", "8", "m"},
		"float (*p)[8];":                             {1, false, "8", "8", ""},
		"T (*p)[4][n + 1] = m;":                      {1, false, "4 (+ n 1)", "4", "m"},
		"unsigned (&p)[8] = m[1];":                   {0, true, "", "8", "([] m 1)"},
		"float (*p)[8](m);":                          {1, false, "8", "8", "(list m)"},
		"float (**p)[8] = 0;":                        {2, false, "", "8", "0"},
		"using U = float; U (*p)[8] = m;":            {1, false, "8", "8", "m"},
		"for (float (*p)[8] = m; n > 0; ) ;":         {1, false, "8", "8", "m"},
		"float (*q)[8] = m, (*p)[2] = 0, z = 3;":     {1, false, "2", "2", "0"},
		"float (*q)[8] = m, z, *p = in;":             {1, false, "", "", "in"},
		"float4 (*p)[8] = (float4 (*)[8])in, *r[2];": {1, false, "8", "8", "(cast float4 ** in)"},
		"int (&p) = n;":                              {0, true, "", "", "n"},
		"float (*p) = in;":                           {1, false, "", "", "in"},
		"T (p)[2] = {3, 4};":                         {0, false, "", "2", "(list 3 4)"},
		"float ((*p)[3]) = m;":                       {1, false, "3", "3", "m"},
		"float (*(p[3])) = {in};":                    {1, false, "", "3", "(list in)"},
		"int (p)(3);":                                {0, false, "", "", "(list 3)"},
	} {
		fn, p := declared(t, text)
		require.NotNil(t, p, text)
		assert.Equal(t, []any{want.ptr, want.ref, want.rows}, []any{p.Type.Ptr, p.Type.Ref, rows(p.Type)}, text)
		var dim, init string
		if len(p.Dims) > 0 {
			dim = show(p.Dims[0])
		}
		if p.Init != nil {
			init = show(p.Init)
		}
		assert.Equal(t, []string{want.dim, want.init}, []string{dim, init}, text)
		assert.Empty(t, fn.Problems, text)
	}
	for _, text := range []string{"g(*p)[8] = 3;", "n = 3;", "in(&p)[8] = n;", "g(p);", "g(n)(p) = 3;", "(p) = 3;", "float(n) + 3;"} {
		_, p := declared(t, text)
		assert.Nil(t, p, text)
	}
}

// The object that a sum is about is the operand that is an address, wherever it stands.
func TestRootsOfSums(t *testing.T) {
	for text, want := range map[string]string{
		"auto q = in + 256; *(n + q + 256) = 1;":            "q",
		"auto q = 4 + in; *(n + (3 + q)) = 1;":              "q",
		"auto q = 4 + in; n[q] = 1;":                        "q",
		"auto q = n + 4; *(q + in) = 1;":                    "in",
		"auto q = +in; *(n + q) = 1;":                       "q",
		"auto q = n + 4; *(q + (n > 3 ? m[1] : m[2])) = 1;": "nil",
		"*(threadIdx.x + in) = 1;":                          "in",
		"*(h.data + n) = 1;":                                "h",
		"*(n + h.data) = 1;":                                "h",
		"(n & 7)[in] = 1;":                                  "in",
		"auto q = &in[3]; *(&in[n] - q + q) = 1;":           "q",
	} {
		fn := lower(t, "__global__ void f(float *in, int n, float m[][8]) { "+text+" }")
		got := "nil"
		fn.Body.WalkExprs(func(e *ir.Expr) bool {
			if e.Op == ir.OpAssign {
				if r := e.Kids[0].Root(); r != nil {
					got = r.Name
				}
			}
			return true
		})
		assert.Equal(t, want, got, text)
	}
}

// What a lambda's own variables are set to is computed where it stands, and its body names these.
func TestCapturesWithInitialisers(t *testing.T) {
	fn := lower(t, "__global__ void f(float *in, int q) { auto g = [q = in + q, &r = in[3], &in](int j) { return q[j] + r; }; }")
	l := fn.Vars[0].Init
	require.Equal(t, ir.OpLambda, l.Op)
	var kids []string
	for _, k := range l.Kids {
		kids = append(kids, show(k))
	}
	assert.Equal(t, []string{"(+ in q)", "(& ([] in 3))"}, kids)
	assert.Same(t, fn.Params[1], l.Kids[0].Kids[1].Var)
	l.Lambda.WalkExprs(func(e *ir.Expr) bool {
		if e.Op == ir.OpIdent && e.Name == "q" {
			assert.NotSame(t, fn.Params[1], e.Var)
		}
		return true
	})
}
