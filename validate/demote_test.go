package validate_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/smux-cuda/smux/lab/mutate"
	"github.com/smux-cuda/smux/lab/suite"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/validate"
)

// recipeForms are the recipes that the ladder found for the register examples, and those of the cases, each with
// its program.
func recipeForms(t *testing.T) (out []struct {
	name   string
	recipe string
	prog   *parser.Program
}) {
	t.Helper()
	add := func(name, recipe string, prog *parser.Program) {
		out = append(out, struct {
			name   string
			recipe string
			prog   *parser.Program
		}{name, recipe, prog})
	}
	text, err := os.ReadFile("../testdata/registers/recipes.txt")
	require.NoError(t, err)
	for _, line := range strings.Split(string(text), "\n") {
		words := strings.SplitN(line, " ", 3)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		prog, errs := parser.LoadProgram([]string{"../examples/registers/" + words[0] + "/" + words[0] + ".cu"}, parser.Options{})
		require.NoError(t, errors.Join(errs...))
		add(words[0], words[2], prog)
	}
	paths, err := filepath.Glob("../testdata/cases/demote-*.txtar")
	require.NoError(t, err)
	for _, path := range paths {
		archive, err := txtar.ParseFile(path)
		require.NoError(t, err)
		i := slices.IndexFunc(archive.Files, func(f txtar.File) bool { return f.Name == "in.cu" })
		if i < 0 {
			continue
		}
		for _, line := range strings.Split(string(archive.Comment), "\n") {
			if recipe, ok := strings.CutPrefix(line, "recipe: "); ok {
				add(filepath.Base(path), recipe, program(t, string(archive.Files[i].Data)))
			}
		}
	}
	return out
}

// shownRecipes counts the forms of demote of the register examples and of the cases, and how many are
// shown; f is called with each that is.
func shownRecipes(t *testing.T, f func(name string, old, now *parser.Program)) (examples, cases [2]int) {
	t.Helper()
	for _, form := range recipeForms(t) {
		res, err := rewrite.Run(form.prog, rewrite.Options{Variant: rewrite.Variant{Rewriter: "demote", Recipe: form.recipe}, Runtime: "header"})
		require.NoError(t, err)
		if len(res.Files) == 0 {
			continue
		}
		now, err := res.After(form.prog)
		require.NoError(t, err)
		name := form.name + " " + form.recipe
		n := &examples
		if strings.Contains(form.name, ".txtar") {
			n = &cases
		}
		n[0]++
		if r := validate.Programs(form.prog, now); !r.Proved() {
			assert.Contains(t, notShown, name, doubts(r))
			continue
		}
		assert.NotContains(t, notShown, name, "it is shown now: take it in")
		n[1]++
		if f != nil {
			f(name, form.prog, now)
		}
	}
	return examples, cases
}

// What demote makes of the register examples and of the cases is shown, but for what is named, and no mutant of it is.
func TestDemoteIsShown(t *testing.T) {
	mutants := 0
	examples, cases := shownRecipes(t, func(name string, old, now *parser.Program) {
		if !suite.Full() && !strings.HasPrefix(name, "demote-words-forms") {
			return
		}
		for _, m := range mutate.Mutants(now.Files[0]) {
			if !slices.ContainsFunc([]string{":slot", ":number", ":value", ":stride"}, func(kind string) bool { return strings.Contains(m.ID, kind) }) {
				continue // of the original's
			}
			bad, err := now.With(now.Files[0], mutate.Apply(now.Files[0], m))
			require.NoError(t, err)
			mutants++
			assert.False(t, validate.Programs(old, bad).Proved(), "%s: %s (%s) is shown", name, m.ID, m.Text)
		}
	})
	require.NotZero(t, mutants)
	t.Logf("%d of %d forms of examples shown, %d of %d of cases, %d mutants refused", examples[1], examples[0], cases[1], cases[0], mutants)
}

// notShown are forms of demote that are not shown, with the reason.
var notShown = map[string]string{
	"demote-words-blocks.txtar demote=sum":                     "slots in dynamic shared memory; slots of a template's type",
	"demote-words-blocks.txtar bounds=128 demote=sum":          "slots of a template's type",
	"demote-words-dynamic.txtar demote=sum":                    "slots in dynamic shared memory",
	"demote-words-dynamic.txtar demote=sum,force,tap form=asm": "slots in dynamic shared memory",
}

// registersOf is a program with what demote moves and pins: numbers, a vector, an array, in a kernel and in a device
// function, with one launch of blocks of 64 threads and one of 16x4.
const registersOf = `
template <class T> __device__ T twice(T x) { return x + x; }
__device__ void add(float &to, float x) { to += x; }
__device__ void add(const float &to, int x) {}
__device__ float walk(const float *a, int n)
{
    float here = 0;
    for (int i = 0; i < n; ++i) here += a[i];
    return here;
}

__global__ void line(const float *a, const double *w, float *out, int n)
{
    float sum = a[threadIdx.x], low = 1;
    double wide = 2;
    float tap[2] = {1, 2};
    float3 force = make_float3(0, 1, 2);
    const int last = n - 1;
    for (int i = 0; i < last; ++i) {
        sum += a[i] * low;
        wide += w[i] + ++low;
        tap[0] += sum;
        force.x += tap[1];
    }
    out[threadIdx.x] = sum + low + wide + tap[0] + force.x + walk(a, n);
}

__global__ void plane(const float *a, float *out, int n)
{
    float acc = 0;
    for (int i = 0; i < n; ++i) acc += a[i];
    out[threadIdx.y * 16 + threadIdx.x] = acc;
}

void run(const float *a, const double *w, float *out, int n)
{
    line<<<100, 64>>>(a, w, out, n);
    plane<<<100, dim3(16, 4)>>>(a, out, n);
}
`

// demoted is registersOf under a recipe.
func demoted(t *testing.T, text, recipe string) string {
	t.Helper()
	res, err := rewrite.Run(program(t, text), rewrite.Options{Variant: rewrite.Variant{Rewriter: "demote", Recipe: recipe}, Runtime: "header"})
	require.NoError(t, err)
	require.Len(t, res.Files, 1, "%+v", res.Kernels)
	return string(res.Files[0].After)
}

// What a rewriter could do wrong with registers: one replacement in a right text, or in both, and the condition
// that it breaks.
func TestWrongDemotions(t *testing.T) {
	const words, pins = "demote=sum,wide,tap,force,here", "bounds=64,4 pin=last"
	for _, recipe := range []string{words, words + " form=asm", "demote=sum,low", pins, "demote=acc", "bounds=64,8 demote=acc"} {
		r := validate.Programs(program(t, registersOf), program(t, demoted(t, registersOf, recipe)))
		require.True(t, r.Proved(), "%s: %s\n%s", recipe, doubts(r), demoted(t, registersOf, recipe))
	}
	for _, w := range []struct {
		name, recipe string
		was, is      string // in both texts, before the rewrite
		old, new     string // in the rewritten one
		breaks       validate.Condition
	}{
		{"two threads have one number", words, "", "", "smux_t = threadIdx.x;", "smux_t = threadIdx.x / 2;", validate.Copies},
		{"every thread has number 0", words, "", "", "smux_t = threadIdx.x;", "smux_t = 0;", validate.Copies},
		{"threads of a row have the same number", "demote=acc", "", "", "smux_t = threadIdx.y * 16 + threadIdx.x;", "smux_t = threadIdx.y * 8 + threadIdx.x;", validate.Copies},
		{"threads are numbered along x alone", "demote=acc", "", "", "smux_t = threadIdx.y * 16 + threadIdx.x;", "smux_t = threadIdx.x;", validate.Copies},
		{"every thread has number 0, since -1 is large", words, "", "", "smux_t = threadIdx.x;", "smux_t = (threadIdx.x < 64 ? -1 : 1u) < 0 ? threadIdx.x : 0;", validate.Copies},
		{"a number that is only known when it runs", words, "", "", "smux_t = threadIdx.x;", "smux_t = threadIdx.x % n;", validate.Copies},
		{"an array too short", words, "", "", "float smux_sum[64]", "float smux_sum[32]", validate.Copies},
		{"components overlap", words, "", "", "volatile float &, 64> force", "volatile float &, 32> force", validate.Copies},
		{"components lie behind the array", words, "", "", "smux_force[3 * 64]", "smux_force[2 * 64]", validate.Copies},
		{"elements overlap", words + " form=asm", "", "", "smux::word<float>, 64> tap", "smux::word<float>, 16> tap", validate.Erasure},
		{"two variables in one slot", "demote=sum,low", "", "", "&low = smux_low[smux_t]", "&low = smux_sum[smux_t]", validate.Copies},
		{"the slot of a neighbour", words, "", "", "smux_sum[smux_t];", "smux_sum[smux_t ^ 1];", validate.Erasure},
		{"slots of another type", words, "", "", "__shared__ double smux_wide", "__shared__ float smux_wide", validate.Copies},
		{"a variable of another type", words, "", "", "volatile double &wide", "volatile float &wide", validate.Erasure},
		{"a value never set", words, "", "", "    sum = a[threadIdx.x];\n", "", validate.Erasure},
		{"a value set twice", words, "", "", "    sum = a[threadIdx.x];\n", "    sum = a[threadIdx.x];\n    sum = 0;\n", validate.Erasure},
		{"an element never set", words, "", "", "    tap[1] = 2;\n", "", validate.Erasure},
		{"another thread's slot is set", words, "", "", "    sum = a[threadIdx.x];\n", "    sum = a[threadIdx.x];\n    smux_sum[0] = 0;\n", validate.Erasure},
		{"slots beside what is used", words, "", "", "__shared__ float smux_sum[64];", "__shared__ float smux_sum[64];\n    __shared__ float smux_more[64];", validate.Copies},
		{"a slot of a name that the original has", "demote=acc", "out[threadIdx.y * 16", "{ float smux_acc = n; out[0] = smux_acc; } out[threadIdx.y * 16", "", "", validate.Copies},
		{"built-in variables of another meaning", "demote=acc", "const float *a, float *out, int n)", "const float *a, float *out, int n, uint3 threadIdx)", "", "", validate.Copies},
		{"a function that calls itself", words, "return here;", "return n > 0 ? here + walk(a, n - 1) : here;", "", "", validate.Copies},
		{"a function that others call, too", words, "", "", "    plane<<<", "    line<<<100, 128>>>(a, w, out, n);\n    plane<<<", validate.Copies},
		{"the address of a slot", words, "sum += a[i] * low;", "sum += a[i] * low; atomicAdd(&sum, 1.0f);", "", "", validate.Copies},
		{"a slot by reference", words, "sum += a[i] * low;", "sum += a[i] * low; add(sum, low);", "", "", validate.Copies},
		{"a class where a value is deduced", words + " form=asm", "sum += a[i] * low;", "auto old = sum; sum += old;", "", "", validate.Copies},
		{"a component's class where a value is deduced", words + " form=asm", "sum += a[i] * low;", "auto old = tap[1]; sum += old;", "", "", validate.Copies},
		{"a reference to a component", words, "sum += a[i] * low;", "auto &old = tap[1]; sum += old;", "", "", validate.Copies},
		{"a class where a type is deduced", words + " form=asm", "sum += a[i] * low;", "sum += twice(sum);", "", "", validate.Copies},
		{"a class where anything is printed", words + " form=asm", "sum += a[i] * low;", "printf(\"%f\", sum);", "", "", validate.Copies},
		{"the type of a slot", words, "sum += a[i] * low;", "decltype(sum) old = sum; sum += old;", "", "", validate.Copies},
		{"the type of what a slot is in", words, "sum += a[i] * low;", "decltype(sum + low) old = sum; sum += old;", "", "", validate.Copies},
		{"fewer threads than a launch has", pins, "", "", "__launch_bounds__(64, 4)", "__launch_bounds__(32, 4)", validate.Numbers},
		{"a pin of what others see", pins, "", "", `asm volatile("" : "+r"(last));`, `asm volatile("" : "+f"(out[0]));`, validate.Erasure},
		{"a pin of a shared number", pins, "float sum =", "__shared__ float one; float sum =", `asm volatile("" : "+r"(last));`, `asm volatile("" : "+f"(one));`, validate.Moves},
		{"a pin that computes", pins, "", "", `asm volatile("" : "+r"(last));`, `asm volatile("add.s32 %0, %0, 1;" : "+r"(last));`, validate.Erasure},
		{"no const where that picks a function", pins, "sum += a[i] * low;", "add(last, 1);", "", "", validate.Moves},
		{"a factor in place of a number", "unroll=19:2", "", "", "i < last; ++i)", "i < last; i += 2)", validate.Erasure},
		{"a loop's body in braces with the next statement", "unroll=8:2", "", "", "here += a[i];\n    return here;", "{ here += a[i];\n    return here; }", validate.Erasure},
	} {
		t.Run(w.name, func(t *testing.T) {
			text := registersOf
			require.Contains(t, text, w.was)
			old := strings.Replace(text, w.was, w.is, 1)
			right := demoted(t, text, w.recipe)
			require.Contains(t, right, w.old)
			require.Contains(t, right, w.was)
			if w.was != "" {
				right = strings.Replace(right, w.was, w.is, 1)
			}
			r := validate.Programs(program(t, old), program(t, strings.Replace(right, w.old, w.new, 1)))
			refused(t, r, w.breaks)
		})
	}
}
