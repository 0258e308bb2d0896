package acc_test

import (
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/smux-cuda/smux/acc"
	"github.com/smux-cuda/smux/acc/directive"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/lab/suite"
	"github.com/smux-cuda/smux/parser"
)

var update = flag.Bool("update", false, "write what comes out as what is expected")

// translate translates a text as a file of that name.
func translate(tb testing.TB, name, text string) (*acc.Result, error) {
	tb.Helper()
	return translateWith(tb, name, text, acc.Options{})
}

func translateWith(tb testing.TB, name, text string, options acc.Options) (*acc.Result, error) {
	tb.Helper()
	f, err := parser.Parse(name, []byte(text), acc.Reading())
	require.NoError(tb, err)
	prog := parser.NewProgram([]*parser.File{f}, acc.Reading())
	return acc.Translate(prog, prog.Files[0], options)
}

// messages are the messages of a result and of an error, one a line.
func messages(res *acc.Result, err error) string {
	var b strings.Builder
	if res != nil {
		for _, m := range res.Messages {
			b.WriteString(m.String() + "\n")
		}
	}
	for _, m := range refusals(err) {
		b.WriteString(m.String() + "\n")
	}
	return b.String()
}

// refusals are the messages of an error.
func refusals(err error) (out []diag.Message) {
	var many interface{ Unwrap() []error }
	var m diag.Message
	switch {
	case err == nil:
	case errors.As(err, &many):
		for _, e := range many.Unwrap() {
			out = append(out, refusals(e)...)
		}
	case errors.As(err, &m):
		out = append(out, m)
	}
	return out
}

// goldens are programs in C with what comes of them.
func goldens(tb testing.TB) []string {
	names, err := filepath.Glob("testdata/*.txtar")
	require.NoError(tb, err)
	require.NotEmpty(tb, names)
	return names
}

func section(a *txtar.Archive, name string) string {
	for _, f := range a.Files {
		if f.Name == name {
			return string(f.Data)
		}
	}
	return ""
}

func TestTranslationsAreAsExpected(t *testing.T) {
	for _, name := range goldens(t) {
		t.Run(filepath.Base(name), func(t *testing.T) {
			a, err := txtar.ParseFile(name)
			require.NoError(t, err)
			res, err := translate(t, "in.c", section(a, "in.c"))
			out, said := "", messages(res, err)
			if res != nil {
				out = string(res.Text)
			}
			if *update {
				a.Files = []txtar.File{{Name: "in.c", Data: []byte(section(a, "in.c"))}, {Name: "out.cu", Data: []byte(out)}, {Name: "messages", Data: []byte(said)}}
				require.NoError(t, os.WriteFile(name, txtar.Format(a), 0o666))
				return
			}
			assert.Equal(t, section(a, "out.cu"), out)
			assert.Equal(t, section(a, "messages"), said)
		})
	}
}

// TestTranslationsCompile compiles every golden for the oldest and the newest GPU that the
// toolkit knows of those that smux is for, and no compiler warns.
func TestTranslationsCompile(t *testing.T) {
	if _, err := exec.LookPath("nvcc"); err != nil {
		t.Skip("no nvcc on PATH: translations were not compiled (scripts/install-cuda.sh installs it)")
	}
	for _, name := range goldens(t) {
		t.Run(filepath.Base(name), func(t *testing.T) {
			suite.Sample(t, filepath.Base(name), 3)
			a, err := txtar.ParseFile(name)
			require.NoError(t, err)
			text := section(a, "out.cu")
			if text == "" {
				return // refused
			}
			compiles(t, text)
		})
	}
}

// compiles has nvcc take a translation without a word, for three GPUs.
func compiles(t *testing.T, text string) {
	if _, err := exec.LookPath("nvcc"); err != nil {
		return
	}
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "out.cu"), []byte(text), 0o666))
	args := []string{"-Wno-deprecated-gpu-targets", "-Xcompiler", "-Wall,-Wextra", "-c", "-o", "out.o", "out.cu"}
	for _, arch := range []string{"52", "70", "90"} {
		args = append(args, "-gencode", "arch=compute_"+arch+",code=sm_"+arch)
	}
	c := exec.Command("nvcc", args...)
	c.Dir = dir
	said, err := c.CombinedOutput()
	assert.NoError(t, err, "%s", said)
	assert.Empty(t, string(said))
}

// TestMacrosThatATranslationRestsOnAreChecked gives them other values: those on which something rests stop the
// compilation, and no others.
func TestMacrosThatATranslationRestsOnAreChecked(t *testing.T) {
	gcc, err := exec.LookPath("g++")
	if err != nil {
		t.Skip("no g++ on PATH: static_assert was not tried")
	}
	a, err := txtar.ParseFile(filepath.Join("testdata", "macros.txtar"))
	require.NoError(t, err)
	var checks []string
	for _, line := range strings.Split(section(a, "out.cu"), "\n") {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "static_assert") {
			checks = append(checks, line)
		}
	}
	for _, tt := range []struct {
		macros []string
		stops  bool
	}{
		{[]string{"STRIDE=3", "AWAY=128", "LENGTH=64"}, false},
		{[]string{"STRIDE=2", "AWAY=128", "LENGTH=64"}, true},
		{[]string{"STRIDE=3", "AWAY=1", "LENGTH=64"}, true},
		{[]string{"STRIDE=3", "AWAY=128", "LENGTH=129"}, true},
	} {
		t.Run(strings.Join(tt.macros, ","), func(t *testing.T) {
			args := []string{"-x", "c++", "-fsyntax-only", "-"}
			for _, m := range tt.macros {
				args = append(args, "-D"+m)
			}
			c := exec.Command(gcc, args...)
			c.Stdin = strings.NewReader(strings.Join(checks, "\n"))
			said, err := c.CombinedOutput()
			assert.Equal(t, tt.stops, err != nil, "%s", said)
			assert.Equal(t, tt.stops, strings.Contains(string(said), "smux translated this for"), "%s", said)
		})
	}
}

// TestExamplesOfCodesGetThem translates the example of each code of this package.
func TestExamplesOfCodesGetThem(t *testing.T) {
	tried := 0
	for _, d := range diag.Docs() {
		if !strings.HasPrefix(string(d.Code), "acc-") || strings.HasPrefix(strings.TrimSpace(d.Example), "#pragma") || d.Code == acc.CodeGiven {
			continue // those of package directive are tested there, and one is about a command line
		}
		tried++
		t.Run(string(d.Code), func(t *testing.T) {
			res, err := translate(t, "example.c", d.Example)
			var got []string
			if res != nil {
				for _, m := range res.Messages {
					got = append(got, string(m.Code))
				}
			}
			for _, m := range refusals(err) {
				got = append(got, string(m.Code))
			}
			assert.Equal(t, []string{string(d.Code)}, got)
		})
	}
	assert.Positive(t, tried)
}

// TestWrongInputIsToldWithAPlace has programs that no compiler should take in silence.
func TestWrongInputIsToldWithAPlace(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"a clause that does not exist", "void f(int n, double *a)\n{\n#pragma acc parallel loop copi(a[0:n])\n    for (int i = 0; i < n; i++) a[i] = 0;\n}\n",
			`in.c:3:27: acc-unknown: OpenACC has no clause "copi"`},
		{"a carried scalar behind independent", "double f(int n, double *a)\n{\n    double s = 0;\n#pragma acc parallel loop independent copyin(a[0:n])\n    for (int i = 0; i < n; i++) s = a[i] - s;\n    return s;\n}\n",
			"in.c:5:5: acc-carried: an iteration hands s to the next one, but the loop is called independent"},
		{"a reduction of the wrong variable", "double f(int n, double *a)\n{\n    double s = 0, t = 0;\n#pragma acc parallel loop reduction(+:t) copyin(a[0:n])\n    for (int i = 0; i < n; i++) s = s / 2 + a[i];\n    return s + t;\n}\n",
			"in.c:4:13: acc-lost: s is read after the region, but what the region computes for it does not come back"},
		{"a loop outside of a construct", "void f(int n, double *a)\n{\n#pragma acc loop\n    for (int i = 0; i < n; i++) a[i] = 0;\n}\n",
			"in.c:3:13: acc-statement: loop stands outside of a compute construct"},
		{"a construct in a construct", "void f(int n, double *a)\n{\n#pragma acc parallel copy(a[0:n])\n    {\n#pragma acc parallel loop\n    for (int i = 0; i < n; i++) a[i] = 0;\n    }\n}\n",
			"in.c:5:13: acc-statement: parallel loop stands in a compute construct"},
		{"a return in a data region", "int f(int n, double *a)\n{\n#pragma acc data copy(a[0:n])\n    {\n        if (n > 3)\n            return 1;\n    }\n    return 0;\n}\n",
			"in.c:3:13: acc-statement: the data region is left before its end"},
		{"a section with holes", "void f(double a[10][20])\n{\n#pragma acc parallel loop copy(a[0:10][1:5])\n    for (int i = 0; i < 10; i++) a[i][1] = 0;\n}\n",
			"in.c:3:32: acc-shape: the section a[0:10][1:5] is not in one piece"},
		{"an array in two clauses", "void f(int n, int *b)\n{\n#pragma acc data create(zero: b[0:n]) copyout(b[0:n])\n    {\n#pragma acc parallel loop\n    for (int i = 0; i < n; i++) b[i] += i;\n    }\n}\n",
			"in.c:3:47: acc-clause: b stands in two clauses, create and copyout"},
		{"a variable that is private and reduced", "int f(int n)\n{\n    int s = 0;\n#pragma acc parallel loop private(s) reduction(+:s)\n    for (int i = 0; i < n; i++) s += i;\n    return s;\n}\n",
			"in.c:4:50: acc-clause: s stands in two clauses, private and reduction"},
		{"a variable that is reduced twice", "int f(int n)\n{\n    int s = 0;\n#pragma acc parallel loop reduction(+:s) reduction(*:s)\n    for (int i = 0; i < n; i++) s += i;\n    return s;\n}\n",
			"in.c:4:54: acc-clause: s stands in two clauses, reduction and reduction"},
		{"a reduction that does not come back", "int f(int n)\n{\n    int s = 0;\n#pragma acc parallel loop copyin(s) reduction(+:s)\n    for (int i = 0; i < n; i++) s += i;\n    return s;\n}\n",
			"in.c:4:13: acc-unsupported: s in a reduction and in a clause other than copy"},
		{"a private pointer to as much as a variable says", "void f(int n, int *w, int *a)\n{\n#pragma acc parallel loop private(w[0:n]) copy(a[0:n])\n    for (int i = 0; i < n; i++) {\n        w[0] = i;\n        a[i] = w[0];\n    }\n}\n",
			"in.c:3:35: acc-shape: how many elements of w[0:n] each has for itself is no constant"},
		{"a private pointer that leads nowhere", "void f(int n, int *a)\n{\n    int *w = a;\n#pragma acc parallel loop private(w) copy(a[0:n])\n    for (int i = 0; i < n; i++) a[i] += w[0];\n}\n",
			"in.c:4:35: acc-shape: how many elements of w each has for itself is no constant"},
		{"a pointer of which another region makes a copy", "#include <stdlib.h>\nvoid f(int n)\n{\n    int *c = malloc(36);\n#pragma acc enter data create(n)\n#pragma acc serial\n    { c[0] = 2; c[c[0]] = 1; }\n#pragma acc data copy(c[0:9])\n    {\n#pragma acc parallel loop\n    for (int i = 0; i < 9; i++) c[i] = i;\n    }\n}\n",
			"in.c:6:13: acc-shape: no clause gives the size of the memory at pointer c"},
		{"a pointer that another function makes present by its name", "#include <stdlib.h>\nvoid g(int n, int *c)\n{\n#pragma acc enter data copyin(c[0:n])\n}\nint main(void)\n{\n    int *c = malloc(36);\n    if (c == NULL)\n        return 1;\n#pragma acc parallel loop\n    for (int i = 0; i < 3; i++) c[i * i] = i;\n    free(c + 0);\n    return 0;\n}\n",
			"in.c:11:13: acc-shape: no clause gives the size of the memory at pointer c"},
		{"cache outside of a construct", "void f(int n, double *a)\n{\n#pragma acc cache(a[0:n])\n    for (int i = 0; i < n; i++) a[i] = 0;\n}\n",
			"in.c:3:13: acc-statement: cache stands outside of a compute construct"},
		{"cache of a scalar", "void f(int n, double *a)\n{\n#pragma acc parallel loop copy(a[0:n])\n    for (int i = 0; i < n; i++) {\n#pragma acc cache(n)\n        a[i] = n; }\n}\n",
			"in.c:5:19: acc-statement: cache names n, which is no array"},
		{"no clause behind default(none)", "void f(double a[10])\n{\n#pragma acc parallel loop default(none)\n    for (int i = 0; i < 10; i++) a[i] = 0;\n}\n",
			"in.c:3:13: acc-clause: no clause names a, and default(none) asks for one"},
		{"a directive by a macro", "#define DO(x) _Pragma(#x)\nvoid f(int n, int *a)\n{\nDO(acc parallel loop copy(a[0:n]))\n    for (int i = 0; i < n; i++) a[i] = 0;\n}\n",
			"in.c:4:1: acc-unsupported: a directive by _Pragma"},
		{"a constant of a function whose name is another one's, too", "int g(void)\n{\n    enum { N = 3 };\n    return N;\n}\nvoid f(int *a)\n{\n    enum { N = 4 };\n#pragma acc parallel loop copy(a[0:N])\n    for (int i = 0; i < N; i++) a[i] = 0;\n}\n",
			"in.c:8:5: acc-cplusplus: N, which a function defines for itself and a kernel needs, is the name of something else, too"},
		{"an array of a region that two kernels use", "void f(int *a)\n{\n#pragma acc parallel copy(a[0:9]) num_gangs(1)\n    {\n        int t[9];\n#pragma acc loop\n        for (int i = 0; i < 9; i++) t[i] = a[i];\n#pragma acc loop\n        for (int i = 0; i < 9; i++) a[i] = t[8 - i];\n    }\n}\n",
			"in.c:5:9: acc-unsupported: t, an array or a pointer of the region, which several kernels use"},
		{"no clause behind default(none) of a data region", "void f(int n, int *a, int b[10])\n{\n#pragma acc data copy(a[0:n]) default(none)\n    {\n#pragma acc parallel loop\n    for (int i = 0; i < n; i++) a[i] = b[1];\n    }\n}\n",
			"in.c:5:13: acc-clause: no clause names b, and default(none) asks for one"},
		{"a private variable whose value from before is needed", "void f(int n, int *a)\n{\n#pragma acc parallel loop copy(a[0:n])\n    for (int i = 0; i < n; i++) {\n        int t = 5;\n#pragma acc loop seq private(t)\n        for (int j = 0; j < 4; j++) { t = j; a[i] += t; }\n        a[i] += t;\n    }\n}\n",
			"in.c:6:30: acc-unsupported: t, which is private in the loop and keeps its value from before for what follows"},
		{"a private variable of a region that the host may run", "int f(int n, int *a)\n{\n    int t = 7;\n#pragma acc parallel loop if(n > 5) private(t) copy(a[0:n])\n    for (int i = 0; i < n; i++) { t = i; a[i] = t; }\n    return t;\n}\n",
			"in.c:4:45: acc-unsupported: t, which is private in the loop and keeps its value from before for what follows"},
		{"a private variable of a loop of a routine", "#pragma acc routine seq\nint g(int n)\n{\n    int t = 7;\n#pragma acc loop seq private(t)\n    for (int i = 0; i < n; i++) t = i;\n    return t;\n}\nvoid f(int n, int *a)\n{\n#pragma acc parallel loop copy(a[0:n])\n    for (int i = 0; i < n; i++) a[i] = g(i);\n}\n",
			"in.c:5:30: acc-unsupported: t, which is private in the loop and keeps its value from before for what follows"},
		{"a reduction of a member", "struct s { int x; };\nint f(int n)\n{\n    struct s v = {0};\n#pragma acc parallel loop reduction(+:v.x)\n    for (int i = 0; i < n; i++) v.x += i;\n    return v.x;\n}\n",
			"in.c:5:39: acc-unsupported: v.x in a reduction"},
		{"a reduction by two operators", "int f(int n)\n{\n    int s = 1;\n#pragma acc parallel loop reduction(+:s)\n    for (int i = 0; i < n; i++) {\n#pragma acc loop reduction(*:s)\n        for (int j = 0; j < 2; j++) s *= i;\n    }\n    return s;\n}\n",
			"in.c:4:13: acc-unsupported: s, which loops of one nest reduce by two operators"},
		{"an atomic in a function that the host calls", "#pragma acc routine seq\nvoid g(int *a, int i)\n{\n#pragma acc atomic\n    a[0] += i;\n}\nint main(void)\n{\n    int a[1] = {0};\n    g(a, 1);\n#pragma acc parallel loop copy(a)\n    for (int i = 0; i < 9; i++) g(a, i);\n    return a[0];\n}\n",
			"in.c:4:13: acc-unsupported: atomic in a function that the host may call"},
		{"an atomic that is none", "void f(int n, int *a)\n{\n#pragma acc parallel loop copy(a[0:n])\n    for (int i = 0; i < n; i++) {\n#pragma acc atomic\n        a[i % 3] = a[0] * a[1] + 2;\n    }\n}\n",
			"in.c:5:13: acc-statement: what stands under atomic is no statement that it knows"},
	} {
		t.Run(c.name, func(t *testing.T) {
			res, err := translate(t, "in.c", c.text)
			assert.Nil(t, res)
			assert.Equal(t, c.want+"\n", messages(res, err))
		})
	}
}

// TestTableOfDirectivesIsThatOfTheCode writes or compares the table of docs/use/acc-directives.md.
func TestTableOfDirectivesIsThatOfTheCode(t *testing.T) {
	const page, begin, end = "../docs/use/acc-directives.md", "<!-- written by go test ./acc -run TableOfDirectives -update -->\n", "<!-- end -->"
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	head, rest, ok := strings.Cut(string(text), begin)
	require.True(t, ok)
	_, tail, ok := strings.Cut(rest, end)
	require.True(t, ok)
	var b strings.Builder
	b.WriteString("| directive | clauses |\n|---|---|\n")
	for _, d := range directive.Names() {
		b.WriteString("| " + d + " | " + strings.Join(directive.ClausesOf(d), ", ") + " |\n")
	}
	want := head + begin + b.String() + end + tail
	if *update {
		require.NoError(t, os.WriteFile(page, []byte(want), 0o666))
		return
	}
	assert.Equal(t, want, string(text), "go test ./acc -run TableOfDirectives -update renews it")
}

// TestAtomicReductionsNeedNoHost has thread blocks combined on the device where that is asked for.
func TestAtomicReductionsNeedNoHost(t *testing.T) {
	for _, name := range []string{"reductions", "arrays"} {
		a, err := txtar.ParseFile("testdata/" + name + ".txtar")
		require.NoError(t, err)
		res, err := translateWith(t, "in.c", section(a, "in.c"), acc.Options{Atomic: true})
		require.NoError(t, err)
		text := string(res.Text)
		assert.NotContains(t, text, "_of_block")
		assert.NotContains(t, text, "acc_total")
		assert.Contains(t, text, "atomic")
		compiles(t, text)
	}
}

// TestLoopsOfKernelsNeedNoDirective gives loops of a kernels construct threads where their
// subscripts show that iterations don't meet, and says why where not.
func TestLoopsOfKernelsNeedNoDirective(t *testing.T) {
	res, err := translate(t, "in.c", "void f(double a[100], double b[100])\n{\n#pragma acc kernels copy(a[0:100], b[0:100])\n    {\n        for (int i = 0; i < 100; i++)\n            b[i] = a[i];\n"+
		"        for (int i = 1; i < 100; i++)\n            a[i] = a[i - 1] + b[i];\n    }\n}\n")
	require.NoError(t, err)
	assert.Contains(t, string(res.Text), "f_5_kernel<<<acc_blocks(100, 256), 256>>>")
	assert.Contains(t, string(res.Text), "f_7_kernel<<<1, 1>>>")
	assert.Equal(t, "in.c:7:9: acc-sequential: this loop runs in the order of the C program: an iteration writes a[i], which another one reads as a[i - 1]\n", messages(res, nil))
}

// TestMacrosOfTheCommandLineAreTold says that a region uses one, once, and by which names.
func TestMacrosOfTheCommandLineAreTold(t *testing.T) {
	const text = "#define N (SIZE + 1)\nvoid f(double a[N], double b[OTHER])\n{\n    b[0] = OTHER;\n#pragma acc parallel loop copy(a[0:N])\n    for (int i = 0; i < N; i++)\n        a[i] = N;\n}\n"
	f, err := parser.Parse("in.c", []byte(text), acc.Reading("SIZE=50", "OTHER=3"))
	require.NoError(t, err)
	prog := parser.NewProgram([]*parser.File{f}, acc.Reading())
	res, err := acc.Translate(prog, prog.Files[0], acc.Options{Given: []string{"SIZE", "OTHER"}})
	require.NoError(t, err)
	assert.Equal(t, "in.c:6:25: acc-given: the value of SIZE comes from the command line, and the translation depends on it\n", messages(res, nil))
	assert.Contains(t, string(res.Text), "i < N")
}

// TestFilesOfAProgramShareTheDevice has what one file makes present, and queues, found by another
// one: by inline functions whose text is the same in both.
func TestFilesOfAProgramShareTheDevice(t *testing.T) {
	const region = "#pragma acc parallel loop present(x[0:n]) async(1)\n    for (int i = 0; i < n; i++) x[i] = i;\n"
	var shared []string
	for _, text := range []string{
		"#include <stdlib.h>\nvoid other(int n, double *x);\nint main(void)\n{\n    double x[9];\n    int n = 9;\n#pragma acc data copyout(x[0:n])\n    {\n        other(n, x);\n#pragma acc wait(1)\n    }\n    return x[1] != 1;\n}\n",
		"void other(int n, double *x)\n{\n" + region + "}\n",
	} {
		res, err := translate(t, "in.c", text)
		require.NoError(t, err)
		all := string(res.Text)
		for _, begins := range []string{"struct acc_memory {", "inline struct acc_memory *acc_memories()\n", "inline int &acc_chosen_queue()\n", "inline cudaStream_t acc_stream("} {
			_, body, ok := strings.Cut(all, "\n"+begins)
			require.True(t, ok, "%s in:\n%s", begins, all)
			body, _, _ = strings.Cut(body, "\n}")
			shared = append(shared, body)
		}
	}
	assert.Equal(t, shared[:4], shared[4:])
	res, err := translate(t, "in.c", "int main(void)\n{\n    double x[9];\n    int n = 9;\n#pragma acc data copyout(x[0:n])\n{\n"+region+"}\n    return 0;\n}\n")
	require.NoError(t, err)
	assert.NotContains(t, string(res.Text), "\ninline ", "a program of one file")
}
