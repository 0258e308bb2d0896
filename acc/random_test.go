package acc_test

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/lab/suite"
	"github.com/smux-cuda/smux/verify"
	"github.com/smux-cuda/smux/verify/execute"
)

var seed = flag.Uint64("seed", 1, "the random programs")

// author writes random functions with directives of OpenACC from forms. «a|b» is one of two texts, a word in capitals
// one of a list, DATA(X h) the clauses of arrays that a region writes. X, Y and Z are different arrays of 40 doubles. What a form
// writes is copied back, so that the function does the same without directives.
type author struct {
	*rand.Rand
	around bool // a data region has all arrays on the device
}

var (
	choice  = regexp.MustCompile(`«([^«»]*)»`)
	data    = regexp.MustCompile(`DATA\(([^)]*)\)`)
	reduced = regexp.MustCompile(`reduction\((\S+):(s.)\)`)
	words   = regexp.MustCompile(`\b(EXPR2|EXPR|FOR|LOOP|LEVEL|EXTRA)\b`)
)

var choices = map[string]string{
	"EXPR": "«AT(Y) + 1|2 * AT(Z) - i|(k[i] & 3) + x|(AT(Y) > 3 ? 1 : AT(Z) - 2)|half((int)AT(Y))|many(Z, k[i])|st.scale * k[i]|pick(Z, i)|*(Y + i) - N|(k[i] % 3 == 1 && AT(Z) > 2)|i / 3 - k[i] % 4" +
		"|(float)AT(Y) / 4|((char)k[i] << 2)|((unsigned)k[i] / 2u)|~k[i]|q[i].v + q[i].w|-fabs(AT(Z) - 5)|fmin(AT(Y), 9)»",
	"EXPR2": "«AT(Y) + j|Z[j] - i|m[i][j] + 1|(i < j ? j : Y[i])|k[j] * 2|Z[(i + j) % 40]|m[i][19 - j]|q[j].v»",
	"FOR": "«for (int i = 0; i < n; i++)|for (int i = 1; i <= 38; i += 3)|for (int i = n - 1; i >= 0; i--)|for (i = 2; i < N; ++i)|for (long i = 0; n > i; i += 2)|for (unsigned i = 1; i < 39u; i++)" +
		"|for (int i = 39; i > 0; i -= 2)|for (int i = x; i < n - 1; i = i + 1)|for (size_t i = 0; i < sizeof(b) / sizeof(b[0]); i++)|for (short i = 0; i < 40; i++)»",
	"LOOP":  "«parallel loop|kernels loop|parallel loop vector_length(32)|kernels loop num_gangs(4)|parallel loop num_workers(2) vector_length(32)|serial loop|parallel loop LEVEL|kernels loop LEVEL»",
	"LEVEL": "«|gang|gang vector|independent|gang worker vector|vector|worker|tile(8)|gang(static:*)|seq|auto|gang vector(64)|gang vector»",
	"EXTRA": "«||||if(n > 3)|IFOFF|async(1)|async|wait»",
}

// forms are statements with directives.
var forms = []string{
	"#pragma acc LOOP DATA(X) EXTRA\nFOR\n    X[i] = EXPR;\n",
	"#pragma acc LOOP DATA(X) EXTRA\nFOR {\n    if (k[i] «== 5|> 4|% 2»)\n        «continue|X[i] = 0|x_of(X, i)»;\n    X[i] «+=|-=|=» EXPR;\n}\n",
	"#pragma acc LOOP DATA(X) EXTRA\nFOR {\n    double t = EXPR;\n    «while (t > 7)\n        t -= 3;|do t++; while (t < 2);|for (int j = 0; j < 9; j++) {\n        if (j == k[i])\n            break;\n        t += j;\n    }|switch (k[i]) {\n    case 1:\n        t = 1;\n        break;\n    case 4:\n        t++;\n    default:\n        t += 2;\n    }»\n    X[i] = t;\n}\n",
	"#pragma acc «kernels loop|parallel loop seq|serial loop|parallel loop auto|kernels loop auto» DATA(X) EXTRA\nfor (int i = 1; i < 40; i++)\n    X[i] = «X[i - 1] - X[i] / 4|X[i / 2] + 1|X[39 - i] - 1|X[i - 1] + k[i]» + EXPR;\n",
	"#pragma acc LOOP DATA() reduction(«+:sd|+:sf») EXTRA\nFOR\n    «SUM = SUM + EXPR|SUM += EXPR|if (k[i] > 3) SUM += EXPR|SUM -= EXPR»;\n",
	"#pragma acc LOOP DATA() reduction(«max:sd») EXTRA\nFOR\n    «sd = Z[i] > sd ? Z[i] : sd|if (sd < k[i]) sd = k[i]|sd = fmax(sd, k[i] + i)»;\n",
	"#pragma acc LOOP DATA() reduction(«&:si|^:si|+:si|min:si|*:sl|&&:si|OR:si|BOR:si») EXTRA\nFOR\n    REDUCE;\n",
	"#pragma acc «parallel|kernels|serial» loop «|collapse(2)|tile(4, 8)|gang|gang vector» DATA(m) EXTRA\nfor (int i = 0; i < 12; i++)\n«|#pragma acc loop LEVELIN\n»    for (int j = «0|1|i»; j < «20|n - 20|N / 2»; j++)\n        m[i][j] = «|m[i][j] / 2 + »k[j] + «Y|Z»[i];\n",
	"#pragma acc «parallel|kernels» loop gang DATA(X) EXTRA\nfor (int i = 0; i < 12; i++) {\n    double t = «0|x|k[i]»;\n«|    if (k[i] > 2)\n»#pragma acc loop «vector|worker|worker vector|seq|auto» reduction(«+|max»:t)\n    for (int j = 0; j < «20|i|n / 2»; j++)\n        t = ROW;\n    X[i] = t«| + EXPR»;\n}\n",
	"#pragma acc «parallel|kernels» loop gang DATA(m X) EXTRA\nfor (int i = 0; i < 12; i++) {\n    «double|int» u[20], t = «k[i]|0»;\n#pragma acc loop «vector|worker»\n    for (int j = 0; j < 20; j++)\n        u[j] = EXPR2 + t;\n«    t = u[3];\n|    X[i] = u[i];\n|»#pragma acc loop «vector|worker vector|seq»\n    for (int j = 0; j < 20; j++)\n        m[i][j] = u[19 - j] + t;\n}\n",
	"#pragma acc «parallel loop|kernels loop independent» «|gang|vector» DATA(h) EXTRA\nfor (int i = 0; i < 40; i++) {\n#pragma acc atomic «|update»\n    «h[i % 8]++|h[k[i] & 7] += 2|h[i & 7] = h[i & 7] + k[i]|--h[3]|h[i % 3] ^= i|h[2] = 3 + h[2]»;\n}\n",
	"#pragma acc parallel loop reduction(+:si) DATA(h) EXTRA\nfor (int i = 0; i < 40; i++) {\n    int old;\n#pragma acc atomic capture\n    «old = h[1]++;|old = --h[1];|{ old = h[2]; h[2] += 3; }|{ h[2] -= 2; old = h[2]; }|old = h[0] += 1;»\n    si += old;\n}\n",
	"#pragma acc «parallel|kernels» loop private(t, w) DATA(X) EXTRA\nFOR {\n    t = EXPR;\n    for (int j = 0; j < 4; j++)\n        w[j] = t + j;\n    X[i] = w[i % 4] + w[1];\n}\n",
	"#pragma acc parallel loop reduction(«+:r[0:4]|+:r») DATA() EXTRA\nFOR\n    r[i % 4] += k[i] + 1;\n",
	"#pragma acc kernels DATA(X Y) EXTRA\n{\n#pragma acc loop independent\n    for (int i = 0; i < 40; i++)\n        X[i] += k[i];\n    «X[3] = Y[4] + 1;|sd = X[5];|x = k[2];|»\n    FOR\n        Y[i] = X[«i|39 - i|3»] + x;\n}\n",
	"#pragma acc «kernels|serial» copy(si«|, sd») DATA(«|X»)\n{\n    si = si * 2 + k[3];\n    for (int i = 0; i < 3; i++)\n        si += i;\n}\n",
	"#pragma acc kernels loop DATA(X) EXTRA\nFOR {\n    last = «i|k[i]»;\n    X[i] = last;\n}\nx = last % 3 + 1;\n",
	"#pragma acc parallel loop copy(si) DATA() EXTRA\nFOR {\n#pragma acc atomic\n    si += k[i];\n}\n",
	"#pragma acc LOOP DATA(q) EXTRA\nFOR {\n    q[i].v «=|+=» EXPR;\n    «struct pair o = q[i];\n    q[i].w = o.v + 1;|q[i].w = q[i].v;»\n}\n",
	"#pragma acc parallel loop SECTION EXTRA\nfor (int i = 5; i < 25; i++)\n    p[i] = «p[i] + 1|k[i]|i»;\n",
	"UPDATE",
	"#pragma acc «parallel|kernels|serial» loop «gang vector|» «|collapse(2)» DATA(big) EXTRA\nfor (int i = 1; i < 9; i++)\n    for (int j = 1; j < 9; j++)\n        big[i * 10 + j] «= big[i * 10 + j] + EXPR2|= EXPR2|= big[(i - 1) * 10 + j] + 1|+= big[i * 10 + j - 1]»;\n",
	"#pragma acc parallel DATA(X m) EXTRA\n{\n#pragma acc loop «gang|gang vector|»\n    FOR\n        X[i] = EXPR;\n#pragma acc loop «gang|»\n    for (int i = 0; i < 12; i++)\n#pragma acc loop «vector|»\n        for (int j = 0; j < 20; j++)\n            m[i][j] = k[j] + i;\n}\n",
	"inside(X, «n|N|20»);\n",
	"swappedNUMBER(X, Y, 40);\n",
	"#pragma acc kernels DATA(X Y) EXTRA\nfor (int s = 0; s < «3|x»; s++) {\n«#pragma acc loop independent\n|»    for (int i = 1; i < 39; i++)\n        X[i] = Y[i - 1] + s;\n«    x = k[s];\n|    last += s;\n|»    for (int i = 0; i < 40; i++)\n        Y[i] = X[«i|39 - i»] / 2;\n}\n",
	"#pragma acc LOOP DATA() «copyout|copy»(o«|[0:40]») EXTRA\nFOR\n    «o[i] = EXPR|if (k[i] > 2) o[i] = 1|o[i / 2] = k[i / 2]»;\n",
	"#pragma acc data create(z«|[0:40]»)\n{\n#pragma acc parallel loop DATA()\nfor (int i = 0; i < 40; i++)\n    z[i] = EXPR;\n#pragma acc LOOP DATA(X) present(z)\nFOR\n    X[i] = z[39 - i];\n}\n",
	"#pragma acc parallel loop firstprivate(f«|, x») DATA(X)\nFOR\n    X[i] = f[i % 8] + x;\n",
	"#pragma acc «parallel|kernels» loop gang reduction(+:«si|sd») DATA() EXTRA\nfor (int i = 0; i < 12; i++) {\n#pragma acc loop «vector|worker|» reduction(+:SUM)\n    for (int j = 0; j < 20; j++)\n        SUM += k[i] + «j|k[j]»;\n}\n",
	"#pragma acc parallel loop gang DATA(m X)\nfor (int i = 0; i < 12; i++) {\n    if (k[i] «> 3|% 2») {\n#pragma acc loop vector\n        for (int j = 0; j < 20; j++)\n            m[i][j] = EXPR2;\n    } else {\n        X[i] = 2;\n    }\n«    X[i] += m[i][3];\n|»}\n",
	"#pragma acc kernels DATA(X) EXTRA\n{\n    while (x < 5)\n        x++;\n    FOR\n        X[i] = EXPR;\n}\n",
	"#pragma acc parallel loop async(1) DATA(X)\nFOR\n    X[i] = EXPR;\n#pragma acc LOOP DATA(Y) async(1)\nFOR\n    Y[i] = X[i] + X[39 - i];\n",
	"#pragma acc parallel loop gang DATA(m) EXTRA\nfor (int i = 0; i < 3; i++)\n#pragma acc loop worker\n    for (int j = 0; j < 4; j++)\n#pragma acc loop vector\n        for (int l = 0; l < 20; l++)\n            m[i * 4 + j][l] = k[l] + «Y[l]|i - j|m[i * 4 + j][l]»;\n",
	"#pragma acc parallel loop DATA(X) private(last«|, t»)\nFOR {\n    last = k[i];\n    for (t = 0; t < last; t++)\n        last--;\n    X[i] = last + t;\n}\nlast = 0;\n",
}

// choose writes choices out.
func (w *author) choose(form string) string {
	for words.MatchString(form) || choice.MatchString(form) {
		form = words.ReplaceAllStringFunc(form, func(word string) string { return choices[word] })
		form = choice.ReplaceAllStringFunc(form, func(s string) string {
			from := strings.Split(strings.Trim(s, "«»"), "|")
			return from[w.IntN(len(from))]
		})
	}
	return form
}

// expand writes a form out.
func (w *author) expand(form string) string {
	v := []string{"a", "b", "c", "p"}
	w.Shuffle(len(v), func(i, j int) { v[i], v[j] = v[j], v[i] })
	form = w.choose(form)
	off := "«if(n < 3)|self(x == 2)|self»"
	update := "#pragma acc update «host|self»(X[0:«40|n»])\nX[2] += 3;\n#pragma acc update device(X[«2:1|0:9»])\n"
	section := "present(p)"
	if w.around {
		off = ""
	} else {
		update, section = "X[1] = si;\n", "copy(p[«5:20|0:25|0:40|3:n - 3»])"
	}
	if op := reduced.FindStringSubmatch(form); op != nil {
		value := map[string]string{"*": "sl *= 1 + (k[i] & 1)", "min": "si = k[i] < si ? k[i] : si", "&&": "si = si && k[i]", "OR": "si = k[i] || si", "BOR": "si |= k[i]"}[op[1]]
		value = cmp.Or(value, "si = si "+op[1]+" (k[i] + i)")
		form = strings.NewReplacer("REDUCE", value, "SUM", op[2]).Replace(form)
	}
	row := "t + m[i][j] + k[j]"
	if strings.Contains(form, "max:t") {
		row = "m[i][j] > t ? m[i][j] : t"
	}
	form = strings.NewReplacer("IFOFF", off, "UPDATE", update, "SECTION", section, "LEVELIN", "«|vector|seq|independent»", "ROW", row, "OR:si", "||:si", "BOR:si", "|:si").Replace(form)
	form = data.ReplaceAllStringFunc(form, func(s string) string { return w.data(strings.Fields(strings.Trim(s, "DATA()")), v) })
	form = w.choose(form)
	form = regexp.MustCompile(`AT\(([YZ])\)`).ReplaceAllString(form, "$1[i]")
	form = regexp.MustCompile(`\b[XYZ]\b`).ReplaceAllStringFunc(form, func(s string) string { return v[strings.Index("XYZ", s)] })
	return form
}

// data are the clauses of a construct that writes some arrays.
func (w *author) data(writes, vectors []string) string {
	if w.around {
		return "«|default(present)|present(" + vectors[0] + ")»"
	}
	var out []string
	for _, v := range []string{"a", "b", "c", "p", "k", "h", "m", "q", "big"} {
		section := map[string]string{"p": "p[0:40]", "a": "«a|a[0:40]|a[:]»", "m": "«m|m[0:12][0:20]|m[:12]»", "big": "big[0:100]", "q": "q[:40]"}[v]
		if section == "" {
			section = v
		}
		isWritten := slices.ContainsFunc(writes, func(s string) bool {
			return s == v || strings.Contains("XYZ", s) && vectors[strings.Index("XYZ", s)] == v
		})
		switch {
		case isWritten:
			out = append(out, "copy("+section+")")
		case v == "p" || v == "big":
			out = append(out, "«copyin|copy|pcopyin»("+section+")")
		default:
			out = append(out, "«|||copyin("+section+")|copy("+section+")»")
		}
	}
	return strings.Join(out, " ")
}

const randomHead = `#include <stdio.h>
#include <stdlib.h>
#include <math.h>
#define N 40
#pragma acc routine seq
static int half(int x) { return x / 2; }
#pragma acc routine seq
static double pick(const double *of, int i) { return of[i] + of[39 - i]; }
#pragma acc routine seq
static void x_of(double *of, int i) { of[i] = i; }
struct settings { int scale; double other; };
struct pair { double v; float w; };
#pragma acc routine seq
static double many(const double *v, int n)
{
    double u[4] = {0}, s = 0;
#pragma acc loop seq
    for (int i = 0; i < n; i++)
        u[i % 4] += v[i];
    for (int i = 0; i < 4; i++)
        s += u[i];
    return s > 50 ? 1 : s;
}
static void inside(double *v, int n)
{
#pragma acc parallel loop pcopy(v[0:n])
    for (int i = 0; i < n; i++)
        v[i] += 1;
}
`

const randomSwapped = `static void swappedNUMBER(double *u, double *v, int n)
{
#pragma acc data copy(u[0:n], v[0:n])
    {
        for (int step = 0; step < 3; step++) {
#pragma acc parallel loop
            for (int i = 0; i < n; i++)
                v[i] = u[i] - step;
            double *o = u;
            u = v;
            v = o;
        }
    }
}
`

const randomVariables = `static void pNUMBER(void)
{
    double a[40], b[N], c[40], m[12][20], w[4], o[40], z[40], f[8], t = 0, sd = 1;
    double *p = (double *)malloc(40 * sizeof(double)), *big = (double *)malloc(100 * sizeof(double));
    int k[40], h[8] = {0}, r[4] = {0}, n = 37, x = 2, si = 5, i, last = 0;
    float sf = 2;
    long long sl = 1;
    struct settings st = {3, 0.5};
    struct pair q[40];
    for (i = 0; i < 40; i++)
        a[i] = i % 5, b[i] = i, c[i] = 40 - i, p[i] = i % 3, k[i] = (i * i) % 11, q[i].v = i, q[i].w = 2, o[i] = 7, f[i % 8] = i;
    for (i = 0; i < 240; i++)
        m[i / 20][i % 20] = i % 9, big[i % 100] = i % 7;
    w[0] = t, w[1] = sf, z[0] = w[0], t = z[0];
`

const randomEnd = `    for (i = 0; i < 40; i++)
        printf("%g %g %g %g %d %g %g %g ", a[i], b[i], c[i], p[i], k[i], q[i].v, q[i].w, o[i]);
    for (i = 0; i < 240; i++)
        printf("%g %g ", m[i / 20][i % 20], big[i % 100]);
    for (i = 0; i < 8; i++)
        printf("%d %d ", h[i], r[i % 4]);
    printf("%d %g %g %lld %d %d NUMBER\n", si, sd, sf, sl, x + st.scale, last);
    free(p);
    free(big);
}
`

// function is the text of a random function.
func function(seed uint64, number int) string {
	w := &author{Rand: rand.New(rand.NewPCG(seed, 7))}
	const all = "a, b, c, p[0:40], k, m, h, q, big[0:100]"
	regions := [][2]string{{"", ""}, {"", ""}, {"#pragma acc data copy(" + all + ")\n{\n", "}\n"},
		{"#pragma acc data copy(" + all + ")\n{\n#pragma acc data «copyin(a)|present(p)|copy(b, c) create(t)|pcopy(m)|copyin(a[0:10]) if(x > 1)»\n{\n", "}\n}\n"},
		{"#pragma acc enter data copyin(" + all + ")\n", "#pragma acc exit data copyout(" + all + ")\n"},
		{"#pragma acc data copy(" + all + ") «async(1) wait|if(n > x)|»\n{\n", "}\n"}}
	region := regions[w.IntN(len(regions))]
	w.around = region[0] != ""
	text := w.expand(region[0])
	for range 2 + w.IntN(4) {
		text += w.expand(forms[w.IntN(len(forms))]) + "#pragma acc wait\n"
	}
	helper := ""
	if strings.Contains(text, "swapped") { // which needs the table
		helper = randomSwapped
	}
	return strings.ReplaceAll(helper+randomVariables+text+region[1]+"#pragma acc wait\n"+randomEnd, "NUMBER", fmt.Sprint(number))
}

// program is a C program of some functions.
func program(numbers []int, texts map[int]string) string {
	text, calls := randomHead, ""
	for _, n := range numbers {
		text += texts[n]
		calls += fmt.Sprintf("    p%d();\n", n)
	}
	return text + "int main(void)\n{\n" + calls + "    return 0;\n}\n"
}

// TestRandomProgramsAreEqual has random programs do the same as the C program without directives, in two orders
// of threads, or be refused with a code. A sample of those that are translated, or all, runs as two programs, of which one needs no
// table of what is present.
func TestRandomProgramsAreEqual(t *testing.T) {
	texts := map[int]string{}
	translated, taken := 0, map[bool][]int{}
	for n := range 60 {
		texts[n] = function(*seed*1000+uint64(n), n)
		res, err := translate(t, "in.c", program([]int{n}, texts))
		if err == nil {
			translated++
			if table := strings.Contains(string(res.Text), "acc_table"); suite.InSample(fmt.Sprint(n), 6) {
				taken[table] = append(taken[table], n)
			}
			continue
		}
		assert.Nil(t, res)
		for _, m := range refusals(err) {
			t.Logf("%d: %v", n, m)
			assert.NotEmpty(t, m.Code)
		}
	}
	assert.Greater(t, translated, 50)
	for table, numbers := range taken {
		t.Run(fmt.Sprintf("table %v", table), func(t *testing.T) { equal(t, program(numbers, texts)) })
	}
}

// equal runs a C program and its translation.
func equal(t *testing.T, text string) {
	dir := t.TempDir()
	name := filepath.Join(dir, "in.c")
	require.NoError(t, os.WriteFile(name, []byte(text), 0o666))
	res, err := translate(t, "in.c", text)
	require.NoError(t, err)
	v, err := verify.Run(context.Background(), verify.Request{
		Original:  verify.Program{Sources: []string{name}},
		Variants:  []verify.Variant{{Name: "in.cu", Separate: true, Program: verify.Program{Files: []verify.File{verify.NewFile(filepath.Join(dir, "in.cu"), res.Text)}}}},
		Schedules: []execute.Schedule{{Kind: "random", Seed: 1}},
	})
	require.NoError(t, err)
	assert.Empty(t, v.Failures)
	assert.Empty(t, v.Findings)
	assert.Zero(t, v.ExitCode(), "%+v", v.Rows)
}
