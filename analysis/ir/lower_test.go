package ir_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/parser"
)

// lower lowers the only function definition with the name f in a source text.
func lower(t *testing.T, src string) *ir.Func {
	t.Helper()
	file, err := parser.Parse("t.cu", []byte(src), parser.Options{})
	require.NoError(t, err)
	for _, fn := range file.Functions {
		if fn.Name == "f" && fn.Body != nil {
			return ir.Lower(&ir.Cache{}, file, fn)
		}
	}
	t.Fatal("no function f")
	return nil
}

// show writes an expression in prefix form.
func show(e *ir.Expr) string {
	var kids []string
	for _, k := range e.Kids {
		kids = append(kids, show(k))
	}
	list := strings.Join(kids, " ")
	switch e.Op {
	case ir.OpInt:
		return fmt.Sprint(e.Int)
	case ir.OpIdent:
		if e.Var == nil {
			return "?" + e.Name
		}
		return e.Name
	case ir.OpLiteral:
		return e.Name
	case ir.OpBinary, ir.OpAssign, ir.OpUnary, ir.OpIncDec:
		return "(" + e.Tok + " " + list + ")"
	case ir.OpMember:
		return "(. " + list + " " + e.Name + ")"
	case ir.OpCall:
		return "(call " + list + ")"
	case ir.OpIndex:
		return "([] " + list + ")"
	case ir.OpAddr:
		return "(& " + list + ")"
	case ir.OpInitList:
		return "(list " + list + ")"
	case ir.OpCond:
		return "(? " + list + ")"
	case ir.OpMixed:
		return "(mixed " + list + ")"
	case ir.OpCast:
		return "(cast " + e.Type.String() + " " + list + ")"
	}
	return fmt.Sprintf("(op%d %s)", e.Op, list)
}

// value returns the initialiser of variable x of f, shown.
func value(t *testing.T, src string) string {
	for _, v := range lower(t, src).Vars {
		if v.Name == "x" {
			return show(v.Init)
		}
	}
	t.Fatal("no variable x")
	return ""
}

func TestExpressionsSeeThroughMacros(t *testing.T) {
	for name, c := range map[string]struct{ defines, expr, want string }{
		"object-like":                  {"#define N 16", "N + a", "(+ 16 a)"},
		"nested":                       {"#define M N\n#define N 3", "M", "3"},
		"function-like":                {"#define AT(i, j) s[i][j]", "AT(a, b)", "([] ([] ?s a) b)"},
		"built-in":                     {"#define TX threadIdx.x", "TX", "(. ?threadIdx x)"},
		"argument in parentheses":      {"#define IN(v, lo, hi) ((v) >= (lo) && (v) <= (hi))", "IN(a, b, c)", "(&& (>= a b) (<= a c))"},
		"one of two, not known which":  {"#ifdef BIG\n#define N 32\n#else\n#define N 16\n#endif", "N", "(? #if 32 16)"},
		"undefined again":              {"#define N 16\n#undef N", "N", "?N"},
		"defined later":                {"", "N", "?N"},
		"literal suffix and separator": {"", "0x1'0u", "16"},
		"literal with a sign":          {"", "-1", "-1"},
		"unsigned literal with a sign": {"", "-1u", "-1u"}, // wraps: its value is not known
	} {
		t.Run(name, func(t *testing.T) {
			src := c.defines + "\n__device__ void f(int a, int b, int c) { int x = " + c.expr + "; }\n#define N 99\n"
			if c.defines != "" {
				src = strings.TrimSuffix(src, "#define N 99\n")
			}
			assert.Equal(t, c.want, value(t, src))
		})
	}
}

func TestMisreadOperatorsAreReadAgain(t *testing.T) {
	for name, c := range map[string]struct{ expr, want string }{
		"cast that is a conjunction":       {"a >= (b) && c < a", "(&& (>= a b) (< c a))"},
		"cast that is a difference":        {"(a) - b * c", "(- a (* b c))"},
		"cast of a template":               {"(int)a < b && c > (a)", "(&& (< (cast int a) b) (> c a))"},
		"template that is two comparisons": {"a < b && c > (a)", "(&& (< a b) (> c a))"},
		"template behind an operator":      {"a + a < b * 2 && !c || b == a < b && c > (a)", "(|| (&& (< (+ a a) (* b 2)) (! c)) (&& (== b (< a b)) (> c a)))"},
		"template that a number follows":   {"(a < b && c >= a)", "(&& (< a b) (>= c a))"},
		"template behind comparisons":      {"(a > 0 && a < b && c >= 0)", "(&& (&& (> a 0) (< a b)) (>= c 0))"},
		"template around alternatives":     {"c > 0 && (a < 3 && b < c || a / 4 >= 1 && b < a || c >= b)", "(&& (> c 0) (|| (|| (&& (< a 3) (< b c)) (&& (>= (/ a 4) 1) (< b a))) (>= c b)))"},
		"template and a choice":            {"(a < b && c >= a + b ? b : c)", "(? (&& (< a b) (>= c (+ a b))) b c)"},
		"template and a choice of more":    {"(a > 1 && a < b && c >= a || b ? b : a < c && b >= 2 ? 1 : 3)", "(mixed (? (|| (&& (&& (> a 1) (< a b)) (>= c a)) b) b (mixed a c b)) 2 1 3)"},
		"template that is shifted":         {"a < b && c >> (a)", "(&& (< a b) (>> c a))"},
		"template that is subtracted from": {"(a < b || c > -a)", "(|| (< a b) (> c (- a)))"},
		"template that is multiplied":      {"(a < b || c > *p)", "(|| (< a b) (> c (op5 p)))"},
		"template of a choice":             {"a < b && c > (a) ? a : b", "(? (&& (< a b) (> c a)) a b)"},
		"template of a list":               {"max(a < b, c > (a))", "(call ?max (< a b) (> c a))"},
		"template of an element":           {"max(a < p[b], c > (a))", "(call ?max (< a ([] p b)) (> c a))"},
		"template in a subscript":          {"p[a < b && c > (a)]", "([] p (&& (< a b) (> c a)))"},
		"template of a name out of view":   {"(LIMIT < a && b >= c)", "(&& (< ?LIMIT a) (>= b c))"},
		"template in a class":              {"K::limit < a && b > (c)", "(&& (< ?limit a) (> b c))"},
		"member behind a template":         {"a < b && c > (p)->x", "(mixed a b c p)"},
		"element behind a template":        {"a < b && c > (p)[b]", "(mixed a b c p b)"},
		"template in a namespace":          {"n::f<3 + 4>(a)", "(call ?f a)"},
		"cast that is a cast":              {"(float)a", "(cast float a)"},
		"sum in parentheses":               {"(a) + (b)", "(+ a b)"},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, c.want, value(t, "__device__ void f(int a, int b, int c, int *p) { int x = "+c.expr+"; }"))
		})
	}
}

func TestNamesResolveToTheInnermostVariable(t *testing.T) {
	fn := lower(t, "__device__ void f(int a) { int x = a; { int a = 2; int y = a; } int z = a; }")
	byName := map[string]*ir.Var{}
	for _, v := range fn.Vars {
		byName[v.Name] = v
	}
	assert.Same(t, fn.Params[0], byName["x"].Init.Var)
	assert.Same(t, byName["a"], byName["y"].Init.Var)
	assert.Same(t, fn.Params[0], byName["z"].Init.Var)
}

func TestASharedVariableKeepsItsQualifierBehindAComment(t *testing.T) {
	for _, between := range []string{" ", " /* tile */ ", " // tile\n", " /* a */ /* b */ // c\n /* d */ "} {
		fn := lower(t, "__device__ void f(int a) { a = 1; __shared__"+between+"float t[256]; }")
		assert.Empty(t, fn.Problems, between)
		require.Len(t, fn.Vars, 1, between)
		assert.Equal(t, ir.VarShared, fn.Vars[0].Kind, between)
	}
}

// Whose qualifier it is, a preprocessor decides: taken for a local, the array would be one for each thread.
func TestASharedQualifierBeforeADirectiveIsAProblem(t *testing.T) {
	for _, body := range []string{
		"__shared__\n#pragma unroll\nfloat t[256];",
		"a = 1; __shared__ // tile\n#define N 1\nfloat t[256];",
		"__shared__\n#ifdef OTHER\ndouble t[256];\n#else\nfloat t[256];\n#endif\n",
		"\n#ifdef BIG\n__shared__\n#pragma unroll\ndouble t[256];\n#endif\n",
		"\n#if __CUDA_ARCH__ > 700\n__shared__\n#pragma unroll\ndouble t[256];\n#endif\n",
	} {
		fn := lower(t, "#define BIG\n__device__ void f(int a) { "+body+" }")
		assert.NotEmpty(t, fn.Problems, body)
	}
}

func TestChangesThatCantBeSeenMarkAVariable(t *testing.T) {
	for name, c := range map[string]struct {
		body  string
		taken bool
	}{
		"address taken":         {"g(&v);", true},
		"address of a part":     {"g(&v.x);", true},
		"bound to a reference":  {"int &r = v;", true},
		"operand of asm":        {`asm("mov.u32 %0, 1;" : "=r"(v));`, true},
		"one of two, bound":     {"int &r = p[0] ? v : w;", true},
		"one of two, assigned":  {"(p[0] ? v : w) = 1;", true},
		"the last of a comma":   {"(p[0], v)++;", true},
		"what is assigned":      {"(v = 3) += 4;", true},
		"bound by decltype":     {"decltype((v)) r = v;", true},
		"of decltype of a name": {"decltype(v) r = v;", false},
		"one of two, read":      {"int y = p[0] ? v : *p;", false},
		"only read":             {"int y = v + 1;", false},
		"address of a pointee":  {"g(&p[v]);", false},
		"subscript of an array": {"int y = p[v];", false},
	} {
		t.Run(name, func(t *testing.T) {
			fn := lower(t, "__device__ void f(int *p) { int v = 0; "+c.body+" }")
			require.Equal(t, "v", fn.Vars[0].Name)
			assert.Equal(t, c.taken, fn.Vars[0].AddrTaken)
			assert.False(t, fn.Params[0].AddrTaken)
		})
	}
}

func TestWhatCantBeExpressedIsAProblem(t *testing.T) {
	for name, body := range map[string]string{
		"macro that is half a loop": "EACH(i, 4) { g(i); }",
		"range-based for of parts":  "for (auto [v, w] : list) g(v);",
		"reference in a condition":  "if (int &v = g(1)) g(v);",
		"include in a function":     "\n#include \"part.inc\"\n",
	} {
		t.Run(name, func(t *testing.T) {
			fn := lower(t, "#define EACH(i, n) for (int i = 0; i < (n); ++i)\n__device__ void f() { "+body+" }")
			bad := len(fn.Problems) > 0
			for _, m := range fn.File.Marks { // or the parser says that it hid something
				bad = bad || m.Kind == parser.MarkFix
			}
			assert.True(t, bad)
		})
	}
}

func TestHeadsThatDeclare(t *testing.T) {
	for name, c := range map[string]struct{ body, want string }{
		"a condition":          {"if (int v = g(1)) g(v);", "(= v (call ?g 1))"},
		"a pointer":            {"while (int *p = h(1)) *p = 2;", "(= p (call ?h 1))"},
		"before the condition": {"if (auto v = g(1); v > 2) g(v);", "(op11 (= v (call ?g 1)) (> v 2))"},
		"several":              {"if (int v = 1, w = 2; v < w) g(v);", "(op11 (= v 1) (op11 (= w 2) (< v w)))"},
		"an expression before": {"if (g(1); a > 2) g(a);", "(op11 (call ?g 1) (> a 2))"},
		"a switch":             {"switch (int v = a + 1; v) { default: g(v); }", "(op11 (= v (+ a 1)) v)"},
		"a range of numbers":   {"for (int v : {1, 2}) g(v);", "(op11 (= v ([] [range] (call ?operator++ [range]))) (call ?operator++ [range]))"},
		"a range by reference": {"for (auto &v : list) v = 1;", "(call ?operator++ [range])"},
	} {
		t.Run(name, func(t *testing.T) {
			fn := lower(t, "__device__ int g(int); __device__ int *h(int);\n__device__ void f(int a) { int list[2]; "+c.body+" }")
			require.Empty(t, fn.Problems)
			s := fn.Body.List[1]
			assert.Equal(t, c.want, show(s.Cond))
			for _, v := range fn.Vars {
				if v.Name == "v" || v.Name == "p" {
					assert.True(t, v.Macro, "no rewriter edits it")
					assert.True(t, len(v.Writes) == 1 || v.Type.Ref)
				}
			}
		})
	}
}

func TestStatementExpressionsAreOperandsOfCommas(t *testing.T) {
	for expr, want := range map[string]string{
		"({ int v = a; v * v; })":                   "(op11 (op11 0 (= v a)) (* v v))",
		"SQ(a + 1) + 1":                             "(+ (op11 (op11 0 (= v (+ a 1))) (* v v)) 1)",
		"({ int v; if (a) v = 1; else v = 2; v; })": "(op11 (op11 0 (? a (op11 (op11 0 (= v 1)) 0) (op11 (op11 0 (= v 2)) 0))) v)",
		"({ p[1]; })":                               "(op11 (op11 0 (= [value] ([] p 1))) [value])", // a copy: what p[1] holds now
	} {
		t.Run(expr, func(t *testing.T) {
			fn := lower(t, "#define SQ(x) ({ int v = (x); v * v; })\n__device__ void f(int a, const int *p) { int x = "+expr+"; }")
			require.Empty(t, fn.Problems)
			for _, v := range fn.Vars {
				if v.Name == "x" {
					assert.Equal(t, want, show(v.Init))
					continue
				}
				assert.True(t, v.Macro && v.Decl == fn.Body.List[0], "no rewriter edits it")
			}
		})
	}
	for expr, want := range map[string]string{
		"({ int v = 0; for (int i = 0; i < a; i++) v += i; v; })": "more than",
		"({ if (a) return; a; })":                                 "more than",
		"({ L: a; })":                                             "more than",
		"({ __syncthreads(); a; })":                               "a barrier",
		"({ Guard g(a); a; })":                                    "a variable other than",
		"({ auto g = Guard(a); a; })":                             "a variable other than",
		"({ const int &r = p[1]; r; })":                           "a variable other than",
		"({ __shared__ int r; r; })":                              "a variable other than",
		"({ struct { int b; } r; r.b; })":                         "a variable other than",
	} {
		t.Run(expr, func(t *testing.T) {
			fn := lower(t, "__device__ void f(int a, const int *p) { int x = "+expr+"; }")
			require.Len(t, fn.Problems, 1)
			assert.Contains(t, fn.Problems[0].Text, "a statement expression with "+want)
		})
	}
}

func TestCaseRangesHaveTwoBounds(t *testing.T) {
	for label, want := range map[string]string{
		"case 0 ... 3":            "(... 0 3)",
		"case A ... A + 2":        "(... 1 (+ 1 2))",
		"case 0 || 1 ... 3":       "(... (|| 0 1) 3)",
		"case 0 || 3":             "(|| 0 3)",
		"case 0 ... 3 || 1":       "", // which operator parts the bounds can't be told
		"case sizeof(a) ... 1'00": "(... (op16 a) 100)",
	} {
		t.Run(label, func(t *testing.T) {
			fn := lower(t, "#define A 1\n__device__ void f(int a) { switch (a) { "+label+": a = 0; } }")
			c := fn.Body.List[0].Body.List[0]
			require.Equal(t, ir.StmtCase, c.Op)
			if want == "" {
				assert.NotEmpty(t, fn.Problems)
				assert.Equal(t, ir.OpUnknown, c.Expr.Op)
				return
			}
			require.Empty(t, fn.Problems)
			assert.Equal(t, want, show(c.Expr))
		})
	}
}

func TestStructuredBindings(t *testing.T) {
	fn := lower(t, "__device__ P g(int);\n__device__ void f(int a) { const auto [v, w] = g(a); a = v + w; }")
	require.Empty(t, fn.Problems)
	require.Len(t, fn.Vars, 3)
	assert.Equal(t, "(call ?g a)", show(fn.Vars[0].Init))
	assert.Equal(t, "(. [v, w] [1])", show(fn.Vars[2].Init))
	assert.True(t, fn.Vars[0].AddrTaken && fn.Vars[1].Type.Ref && fn.Vars[1].Macro)
	assert.Equal(t, "(= a (+ v w))", show(fn.Body.List[1].Expr))
}

// TestPacks: what a pack is expanded to is not known from the first element on, whatever stands after it.
func TestPacks(t *testing.T) {
	for body, c := range map[string]struct {
		want  string
		count int
	}{
		"g(a, xs...);":                   {"", -2},
		"g(xs..., a);":                   {"", -1},
		"g(a, std::forward<Ts>(xs)...);": {"", -2},
		"a = (xs + ... + 1);":            {"(= a (mixed (mixed (mixed xs) 1)))", 0},
		"a = sizeof...(xs);":             {"(= a (mixed ))", 0},
	} {
		fn := lower(t, "template <typename... Ts> __device__ void f(int a, Ts... xs) { "+body+" }")
		require.Empty(t, fn.Problems, body)
		e := fn.Body.List[0].Expr
		if c.want != "" {
			assert.Equal(t, c.want, show(e), body)
			continue
		}
		assert.Equal(t, c.count, e.CountArgs(), body)
		assert.Greater(t, len(e.Args()), 60, "each parameter may get one of them")
		assert.True(t, e.Args()[40].IsSpread(), body)
	}
	fn := lower(t, "template <typename... Ts> __device__ void f(int *a, Ts... xs) { ((a[0] += xs), ...); }")
	require.Empty(t, fn.Problems)
	assert.Equal(t, ir.StmtFor, fn.Body.List[0].Op)
	assert.Same(t, fn.Params[1], fn.Param(7))
	for _, body := range []string{"g(a++, xs...); g(xs..., a++);", "g(h(xs)...);", "int v = ((a = xs), ...);", "int v[] = {(a += xs)...};"} {
		fn := lower(t, "template <typename... Ts> __device__ void f(int a, Ts... xs) { "+body+" }")
		assert.Len(t, fn.Problems, 1, body)
	}
}

func TestUndecidedBranchesOfIfAreBothKept(t *testing.T) {
	fn := lower(t, "__device__ void f(int a) {\n#if __CUDA_ARCH__ >= 700\n  a = 1;\n#else\n  a = 2;\n#endif\n}")
	require.Len(t, fn.Body.List, 1)
	s := fn.Body.List[0]
	require.True(t, s.Op == ir.StmtIf && s.Preproc)
	assert.Len(t, s.Body.List, 1)
	assert.Len(t, s.Else.List, 1)

	fn = lower(t, "__device__ void f(int a) {\n#if 0\n  a = 1;\n#else\n  a = 2;\n#endif\n}")
	require.Len(t, fn.Body.List, 1)
	require.Len(t, fn.Body.List[0].List, 1)
	assert.Equal(t, "(= a 2)", show(fn.Body.List[0].List[0].Expr))
}
