package acc_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/acc"
	"github.com/smux-cuda/smux/parser"
)

// TestValuesAreFollowedWhereControlGoes has scalars that reach a statement by a jump, a case, or a
// conversion.
func TestValuesAreFollowedWhereControlGoes(t *testing.T) {
	const carried, kept = "an iteration hands v to the next one", "v, d_v, sizeof(*d_v), cudaMemcpyDeviceToHost"
	loop := func(body string) string {
		return "void f(int n, int *a, int *b)\n{\n    int v = 0;\n#pragma acc kernels copyin(a[0:n]) copy(b[0:n])\n    for (int i = 0; i < n; i++) {\n" + body + "\n    }\n}\n"
	}
	const region = "#pragma acc kernels copyin(a[0:n]) copy(b[0:n])\n{\n    v = a[0];\n    for (int i = 0; i < n; i++) b[i] = v;\n}\n"
	host := func(before, after string) string {
		return "int f(int n, int *a, int *b)\n{\n    int v = 0, r = 0;\n" + before + region + after + "    return r;\n}\n"
	}
	for _, c := range []struct{ name, text, said, has string }{
		{"one case gives, the other takes", loop("switch (a[i]) { case 0: v = i; break; case 1: b[i] = v; }"), carried, ""},
		{"a goto around it", loop("if (a[i] < 4) goto skip; v = a[i]; skip: b[i] = v;"), carried, ""},
		{"a goto around another one", loop("if (a[i] < 4) goto skip; b[i] = 1; skip: v = a[i]; b[i] += v;"), "", "i < n"},
		{"a loop in it that goes on", loop("for (int j = 0; j < 3; j += v) { if (a[j]) continue; v = 1; } b[i] = v;"), carried, ""},
		{"a subscript in a byte", loop("unsigned char k = i; b[k] = i;"), "can't tell which element of b an iteration writes", ""},
		{"a subscript in an int", loop("int k = i; b[k] = i;"), "", "i < n"},

		{"needed at a label ahead", host("", "if (a[0]) goto end; v = 1; end: r = v;\n"), "", kept},
		{"not needed at a label ahead", host("", "if (a[0]) goto end; r = 1; end: v = 1; r += v;\n"), "", ""},
		{"needed at a label before", host("again: r += v;\n", "if (r < 9) goto again;\n"), "", kept},
		{"needed behind a break", host("for (int k = 0; k < n; k++) {\n", "if (b[0]) break; v = 1; }\nr = v;\n"), "", kept},
		{"needed after continue", host("while (r < 9) { r += v + 1;\n", "if (b[0]) continue; v = 1; }\n"), "", kept},
		{"given again before break", host("for (int k = 0; k < n; k++) {\n", "v = 1; if (b[0]) break; }\nr = v;\n"), "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			res, err := translate(t, "in.c", c.text)
			require.NoError(t, err)
			if c.said == "" {
				assert.NotContains(t, messages(res, nil), "acc-sequential")
			} else {
				assert.Contains(t, messages(res, nil), c.said)
			}
			switch {
			case c.has != "":
				assert.Contains(t, string(res.Text), c.has)
			case strings.Contains(c.text, region):
				assert.NotContains(t, string(res.Text), kept)
			}
		})
	}
}

// TestWhatPeopleWriteIsTranslated has texts that were refused once, or came out otherwise than
// they were meant, and what has to stand in the program.
func TestWhatPeopleWriteIsTranslated(t *testing.T) {
	for _, c := range []struct{ name, text, has, not string }{
		{"goto in an iteration", "void f(int *a)\n{\n#pragma acc parallel loop copy(a[0:64])\n    for (int i = 0; i < 64; i++) {\n    again:\n        if (a[i] < 0) {\n            a[i] += 3;\n            goto again;\n        }\n    }\n}\n",
			"goto again;", ""},
		{"copyout of an array of which a goto leaves elements out", "void f(int *a)\n{\n#pragma acc kernels copyout(a[0:64])\n    for (int i = 0; i < 64; i++) {\n        if (i == 3) goto skip;\n        a[i] = i;\n    skip:;\n    }\n}\n",
			"cudaMemcpyHostToDevice", ""},
		{"a goto around the first value of what lanes add up", "void f(double *x, double *out)\n{\n#pragma acc parallel loop gang copyin(x[0:256]) copy(out[0:16])\n    for (int i = 0; i < 16; i++) {\n        {\n            double s = 5;\n            if (out[i] > 0) goto add;\n            s = 0;\n        add:;\n#pragma acc loop vector reduction(+:s)\n            for (int j = 0; j < 256; j++) s += x[j];\n            out[i] = s;\n        }\n    }\n}\n",
			"for (int j = 0; j < 256; j++) s += x[j];", "acc_each_sum"},
		{"copyout of an array that is written whole", "void f(int *a)\n{\n#pragma acc kernels copyout(a[0:64])\n    for (int i = 0; i < 64; i++) {\n        a[i] = i;\n    }\n}\n",
			"cudaMemcpyDeviceToHost", "cudaMemcpyHostToDevice"},
		{"sizeof of an array", "void f(double *a)\n{\n    double w[3] = {1, 2, 3};\n#pragma acc parallel loop copy(a[0:64])\n    for (int i = 0; i < 64; i++)\n        for (unsigned k = 0; k < sizeof(w) / sizeof(w[0]); k++) a[i] += w[k];\n}\n",
			"k < sizeof(double[3]) / sizeof(w[0])", ""},
		{"sizeof of an array as long as its first value", "void f(double *a)\n{\n    const double w[][2] = {{1, 2}, {3, 4}};\n#pragma acc parallel loop copy(a[0:64])\n    for (int i = 0; i < 64; i++)\n        a[i] += w[i % 2][1] * sizeof w;\n}\n",
			"sizeof(double[2][2])", ""},
		{"a conversion by the name of a type", "typedef float real;\nvoid f(real *a)\n{\n#pragma acc parallel loop copy(a[0:64])\n    for (int i = 0; i < 64; i++) a[i] = (real)(i + 1);\n}\n",
			"a[i] = (real)(i + 1);", ""},
		{"an array that clauses alone mention", "int a[64];\nvoid f(void)\n{\n    int t[64], n = 0;\n#pragma acc data create(t) copy(a[0:64])\n    {\n#pragma acc parallel loop\n        for (int i = 0; i < 64; i++) t[i] = a[i];\n#pragma acc parallel loop\n        for (int i = 0; i < 64; i++) a[i] = t[63 - i];\n    }\n    a[0] = n;\n}\n",
			"int n = 0;", "int t[64]"},
		{"a variable of a data region", "int f(int *a)\n{\n    int v = 1, h = 0;\n#pragma acc data copyin(a[0:64], v) copyout(h)\n    {\n#pragma acc serial\n        v = a[0];\n#pragma acc parallel loop\n        for (int i = 0; i < 64; i++) a[i] += v;\n#pragma acc serial\n        h = v;\n    }\n    return h;\n}\n",
			"a[i] += (*v);", ""},
		{"a reduction of a variable of a data region", "int f(int *a)\n{\n    int h = 0;\n#pragma acc data copyin(a[0:64]) copy(h)\n    {\n#pragma acc parallel loop reduction(+:h)\n        for (int i = 0; i < 64; i++) h += a[i];\n#pragma acc serial\n        h *= 2;\n    }\n    return h;\n}\n",
			"(*h) *= 2;", ""},
		{"a loop of unsigned numbers that may have no iteration", "void f(int *a, unsigned lo, unsigned hi)\n{\n#pragma acc parallel loop copy(a[0:64])\n    for (unsigned i = lo; i < hi; i++) a[i] = 1;\n}\n",
			"acc_blocks((long long)hi - lo, 256)", ""},
		{"an atomic operation on an int of 32 bits by its name", "#include <stdint.h>\nvoid f(uint32_t *h, const uint8_t *v)\n{\n#pragma acc parallel loop copy(h[0:16]) copyin(v[0:64])\n    for (int i = 0; i < 64; i++) {\n#pragma acc atomic\n        h[v[i] % 16]++;\n    }\n}\n",
			"atomicAdd(&h[v[i] % 16], 1);", ""},
		{"a constant structure by its address", "struct v { float x, y; };\nstatic float far(const struct v *a, const struct v *b) { return a->x * b->y; }\nvoid f(struct v *p, float *o, int n)\n{\n#pragma acc parallel loop gang copyin(p[0:n]) copyout(o[0:n])\n    for (int i = 0; i < n; i++) {\n        float s = 0;\n        struct v me = p[i];\n#pragma acc loop vector reduction(+:s)\n        for (int j = 0; j < n; j++) s += far(&me, &p[j]);\n        o[i] = s;\n    }\n}\n",
			"for (int j = threadIdx.x; j < n; j += blockDim.x)", ""},
		{"a private variable that one kernel would hand to another", "void f(double *a)\n{\n    double t;\n#pragma acc kernels loop private(t) copy(a[0:64])\n    for (short i = 0; i < 64; i++) {\n        t = 2 * a[i];\n        for (int j = 0; j < 4; j++) a[j] += t;\n    }\n}\n",
			"<<<1, 1>>>", "acc_blocks("},
		{"an atomic in a function of the device", "#pragma acc routine seq\nstatic void g(int *h, int i)\n{\n#pragma acc atomic\n    h[i % 4] += i;\n}\nvoid f(int *h)\n{\n#pragma acc parallel loop copy(h[0:4])\n    for (int i = 0; i < 64; i++) g(h, i);\n}\n",
			"atomicAdd(&h[i % 4], i);", "__host__"},
		{"a loop of a function that no kernel calls", "#pragma acc routine seq\nint g(int n)\n{\n    int s = 0;\n#pragma acc loop seq\n    for (int i = 0; i < n; i++) s += i;\n    return s;\n}\nvoid f(int *a)\n{\n#pragma acc parallel loop copy(a[0:64])\n    for (int i = 0; i < 64; i++) a[i]++;\n}\n",
			"for (int i = 0; i < n; i++) s += i;", "#pragma"},
		{"collapse of as many loops as there are", "void f(int *a, const int *k)\n{\n#pragma acc parallel loop collapse(force:2) copyout(a[0:64]) copyin(k[0:8])\n    for (int i = 0; i < 8; i++) {\n        int n = k[i];\n        for (int j = 0; j < 8; j++) a[i * 8 + j] = n * j;\n    }\n}\n",
			"for (int j = 0; j < 8; j++) a[i * 8 + j] = n * j;", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			res, err := translate(t, "in.c", c.text)
			require.NoError(t, err)
			assert.Contains(t, string(res.Text), c.has)
			if c.not != "" {
				assert.NotContains(t, string(res.Text), c.not)
			}
		})
	}
}

// TestFunctionsOfTheDeviceUseConstantsOfTheFile has tables with values: the device has them alone, or by
// another name beside the host.
func TestFunctionsOfTheDeviceUseConstantsOfTheFile(t *testing.T) {
	const region = "void g(double *a)\n{\n#pragma acc parallel loop copy(a[0:64])%s\n    for (int i = 0; i < 64; i++) a[i] = f(a[i], i);\n}\nint main(void)\n{\n    double a[64] = {0};\n    g(a);\n    return a[1] != %s;\n}\n"
	for _, c := range []struct {
		name, before, clause, host string
		has                        []string
		refused                    string
	}{
		{"alone", "static const double w[2] = {1, 2};\nstatic double f(double x, int i) { return x * w[i % 2]; }\n", "", "1",
			[]string{"__device__ static const double w[2] = {1, 2};", "__device__ static double f", "x * w[i % 2]"}, ""},
		{"of the host, too", "const double w[] = {1, 2};\nstatic double f(double x, int i) { return x * w[i % 2] * sizeof w; }\n", "", "w[0]",
			[]string{"\nconst double w[] = {1, 2};\nstatic __device__ const double d_w[] = {1, 2};", "x * d_w[i % 2] * sizeof d_w", "a[1] != w[0]"}, ""},
		{"beside another one", "static const double v = 3, w = 2;\ndouble f(double x, int i) { return x * w + i; }\n", "", "v",
			[]string{"[[maybe_unused]] static const double v = 3, w = 2;\nstatic __device__ const double d_w = 2;", "__device__ double f", "x * d_w"}, ""},
		{"by the name of a type", "typedef double pair[2];\nstatic const pair w = {1, 2};\nstatic double f(double x, int i) { return x * w[i % 2]; }\n", "", "w[1]",
			[]string{"static __device__ const pair d_w = {1, 2};"}, ""},
		{"by a function that another one calls", "double f(double x, int i);\nstatic const float w[2] = {1, 2};\nstatic double h(double x, int i) { return x * w[i % 2]; }\ndouble f(double x, int i) { return h(x, i) + 1; }\n", "", "1",
			[]string{"\n__device__ double f(double x, int i);", "__device__ static const float w[2]", "__device__ static double h", "\n__device__ double f(double x, int i) {"}, ""},
		{"a region that may run on the host", "static const double w = 2;\nstatic double f(double x, int i) { return x * w + i; }\n", " if(a[1] > 3)", "1", nil,
			"acc-call: the function f, which the host may call, runs on the device and uses a variable of the file"},
		{"no constant", "static double w = 2;\nstatic double f(double x, int i) { return x * w + i; }\n", "", "1", nil,
			"acc-call: the function f runs on the device and uses the variable w of the file"},
		{"a function of a region that may run on the host", "static double f(double x, int i) { return x + i; }\n", " self(a[1] > 3)", "1",
			[]string{"__host__ __device__ static double f"}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			res, err := translate(t, "in.c", c.before+fmt.Sprintf(region, c.clause, c.host))
			if c.refused != "" {
				assert.Contains(t, messages(nil, err), c.refused)
				return
			}
			require.NoError(t, err)
			for _, has := range c.has {
				assert.Contains(t, string(res.Text), has)
			}
		})
	}
}

// TestWhatIsNotDeclaredIsNotFollowed has clauses with a name that no variable has.
func TestWhatIsNotDeclaredIsNotFollowed(t *testing.T) {
	for _, clause := range []string{"firstprivate(m)", "copyin(m)"} {
		f, err := parser.Parse("in.c", []byte("void f(double *a)\n{\n#pragma acc parallel loop copy(a[0:8]) "+clause+"\n    for (int i = 0; i < 8; i++) a[i] = i;\n}\n"), acc.Reading())
		require.NoError(t, err)
		prog := parser.NewProgram([]*parser.File{f}, acc.Reading())
		_, err = acc.Follow(prog, prog.Files[0])
		assert.ErrorContains(t, err, "no variable m is declared here", clause)
	}
}
