package rewrite_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/rewrite/merge"
)

// refusedAs returns the codes that stand against a rewrite of a text.
func refusedAs(t *testing.T, text string, variant rewrite.Variant) (codes []diag.Code) {
	t.Helper()
	f, err := parser.Parse("a.cu", []byte(text), parser.Options{})
	require.NoError(t, err)
	res, err := rewrite.Run(parser.NewProgram([]*parser.File{f}, parser.Options{}), rewrite.Options{Variant: variant})
	require.NoError(t, err)
	for _, m := range res.Kernels[0].Refused {
		codes = append(codes, m.Code)
	}
	return codes
}

// TestParametersLeaveRoomForAnotherOne: a kernel whose parameters fill what it can have gets no other one, whether
// they are structs with arrays of pointers, arrays in two dimensions, or what stands in front of a default argument.
func TestParametersLeaveRoomForAnotherOne(t *testing.T) {
	const body = `{
    __shared__ float s[64];
    s[threadIdx.x] = d[threadIdx.x];
    __syncthreads();
    d[threadIdx.x] = s[63 - threadIdx.x];
}
void run(float *d) { turn<<<8, 64>>>(d, `
	signature := []diag.Code{merge.CodeSignature}
	for name, c := range map[string]struct {
		declared, params, args string
		want                   []diag.Code
	}{
		"room":                      {"struct A { float *p[510]; };", "A a", "A()", nil},
		"none left":                 {"struct A { float *p[511]; };", "A a", "A()", signature},
		"four bytes":                {"struct A { float *p[510]; int n; };", "A a", "A()", signature}, // the struct is padded
		"the last four bytes":       {"struct A { int n[1021]; };", "A a", "A()", nil},
		"two dimensions":            {"struct A { int n[2][511]; };", "A a", "A()", signature},
		"a pointer to an array":     {"struct A { int (*n)[2000]; void (*f)(int); };", "A a", "A()", nil},
		"members that take nothing": {"struct A { static const int n[2000]; int f() const; int m; };", "A a", "A()", nil},
		"a default argument":        {"struct A { int n[1019]; };", "A a, int n = 3", "A()", signature}, // three numbers stand before it
		"of a newer toolkit":        {"struct A { int n[4000]; };", "A a", "A()", nil},
		"none left there":           {"struct A { int n[8189]; };", "A a", "A()", signature},
		"unknown":                   {"struct A;", "const A &a", "*(A *)0", nil},
	} {
		t.Run(name, func(t *testing.T) {
			text := c.declared + "\n__global__ void turn(float *d, " + c.params + ") " + body + c.args + "); }\n"
			assert.Equal(t, c.want, refusedAs(t, text, rewrite.Variant{Rewriter: "vtb"}))
			assert.Equal(t, c.want, refusedAs(t, text, rewrite.Variant{Rewriter: "merge"}))
			assert.Empty(t, refusedAs(t, text, rewrite.Variant{Rewriter: "assume-shape"}), "it gets no parameter")
		})
	}
}

// TestWhatADirectiveDeclaresStaysInSight: what a branch of an #if, or a macro, declares in a turn that is cut is
// refused where the code after the turn uses it, and only there.
func TestWhatADirectiveDeclaresStaysInSight(t *testing.T) {
	hoist := []diag.Code{merge.CodeHoist}
	for name, c := range map[string]struct {
		inside, behind string
		want           []diag.Code
	}{
		"one branch":          {"#ifdef FULL\nfloat w = s[t ^ 1];\n#endif\n", "#ifdef FULL\nout[t] = w;\n#endif\n", hoist},
		"each branch":         {"#ifdef FULL\nfloat w = s[t ^ 1];\n#else\nfloat w = s[t ^ 2];\n#endif\n", "out[t] = w;\n", append(hoist, hoist...)},
		"a branch of known":   {"#if 1\nfloat w = s[t ^ 1];\n#endif\n", "out[t] = w;\n", hoist},
		"a type":              {"#ifdef FULL\ntypedef float real;\n#else\ntypedef double real;\n#endif\nreal q = s[t ^ 1];\nq += s[t ^ 2];\n", "out[t] = real(a);\n", append(hoist, hoist...)},
		"used in the turn":    {"#ifdef FULL\nfloat w = s[t ^ 1];\n#else\nfloat w = s[t ^ 2];\n#endif\nfloat q = w + s[t ^ 4];\nq += a;\n", "out[t] = a;\n", nil},
		"another one behind":  {"#ifdef FULL\nfloat w = s[t ^ 1];\nw += a;\n#endif\n", "for (int w = 0; w < 2; ++w) out[t + w] = a;\n", nil},
		"nothing is declared": {"float w = a;\n#ifdef FULL\nw = s[t ^ 1];\n#endif\n", "out[t] = w;\n", nil},
	} {
		t.Run(name, func(t *testing.T) {
			text := "__global__ void fit(const float *in, float *out) {\n__shared__ float s[64];\nconst int t = threadIdx.x;\ns[t] = in[blockIdx.x * 64 + t];\n" +
				"__syncthreads();\nconst float a = s[(t + 1) & 63];\n" + c.inside + "const float inverse = a != 0 ? 1 / a : 0;\nout[t] = inverse;\n" + c.behind +
				"}\nvoid run(const float *in, float *out) { fit<<<8, 64>>>(in, out); }\n"
			assert.Equal(t, c.want, refusedAs(t, text, rewrite.Variant{Rewriter: "vtb", Sync: "block"}))
		})
	}
}
