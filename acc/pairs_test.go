package acc_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/acc"
	"github.com/smux-cuda/smux/acc/directive"
)

// home is a program in which a directive can be tried: the lines before and after it, and the
// clauses that it has in any case.
type home struct{ before, has, after string }

const (
	pairHead = `void f(int n, int c, double *a, double *b, double *s, double x, const int *to)
{
    double t = 1, sum = 0;
    (void)n, (void)c, (void)b, (void)s, (void)t, (void)x, (void)sum, (void)to;
`
	pairEnd   = "    a[0] += sum;\n}\n"
	pairEnter = pairHead + "#pragma acc enter data create(a[0:2048])\n"
	pairLoops = bodyStart + "            a[i * 32 + j] += x;\n    }\n"
	bodyStart = "    for (int i = 0; i < 64; i++) {\n        for (int j = 0; j < 32; j++)\n"
)

// bodies are loops that clauses are tried over: two right inside one another, a sum, a variable
// that one iteration hands to the next, subscripts that can't be read, an array that no clause
// names, statements between two loops, a value that comes back.
var bodies = []string{
	pairLoops,
	bodyStart + "            sum += a[i * 32 + j];\n    }\n",
	bodyStart + "            t += x, a[i * 32 + j] = t;\n    }\n",
	bodyStart + "            a[to[i * 32 + j]] = x;\n    }\n",
	bodyStart + "            a[i * 32 + j] = b[j];\n    }\n",
	"    for (int i = 0; i < 64; i++) {\n        a[i] = x;\n        for (int j = 0; j < 32; j++)\n            a[i * 32 + j] += x;\n    }\n",
}

// over are the homes of a directive above each of the bodies.
func over(before, has, inside, after string) (out []home) {
	for _, b := range bodies {
		out = append(out, home{before, has, inside + b + after})
	}
	return out
}

// homes are the programs for each directive. A clause is tried in each of them.
var homes = map[string][]home{
	"parallel loop": append(over(pairHead, "copyin(to[0:64])", "", pairEnd), over(pairHead, "copyin(to[0:64]) copy(a[0:2048])", "", pairEnd)...),
	"kernels loop":  append(over(pairHead, "copyin(to[0:64])", "", pairEnd), over(pairHead, "copyin(to[0:64]) copy(a[0:2048])", "", pairEnd)...),
	"serial loop":   append(over(pairHead, "copyin(to[0:64])", "", pairEnd), over(pairHead, "copyin(to[0:64]) copy(a[0:2048])", "", pairEnd)...),
	"parallel":      over(pairHead, "copyin(to[0:64]) copy(a[0:2048])", "    {\n#pragma acc loop\n", "    }\n"+pairEnd),
	"kernels":       over(pairHead, "copyin(to[0:64]) copy(a[0:2048])", "    {\n#pragma acc loop\n", "    }\n"+pairEnd),
	"serial":        over(pairHead, "copyin(to[0:64]) copy(a[0:2048])", "", pairEnd),
	"loop": append(over(pairHead+"#pragma acc kernels copyin(to[0:64]) copy(a[0:2048])\n    {\n", "", "", "    }\n"+pairEnd),
		over(pairHead+"#pragma acc parallel copyin(to[0:64]) copy(a[0:2048])\n    {\n", "", "", "    }\n"+pairEnd)...),
	"data":       over(pairHead, "copyin(to[0:64]) copy(a[0:2048])", "    {\n#pragma acc parallel loop\n", "    }\n"+pairEnd),
	"enter data": {{pairHead, "create(a[0:2048])", "#pragma acc parallel loop present(a[0:2048])\n" + pairLoops + pairEnd}},
	"exit data":  {{pairEnter, "delete(a[0:2048])", pairEnd}},
	"host_data":  {{"void g(double *p);\n" + pairEnter, "use_device(a)", "    g(a);\n" + pairEnd}},
	"update":     {{pairEnter, "device(a[0:100])", pairEnd}},
	"declare": {{pairHead, "copyin(a[0:2048])", "#pragma acc parallel loop\n" + pairLoops + "}\n"},
		{"static double g[10];\n", "create(g)", "int main(void) { return g[0] > 0; }\n"}, {"static double g[10], h[10];\n", "create(g)", "int main(void) { return 0; }\n"}},
	"cache":    {{pairHead + "#pragma acc parallel loop copy(a[0:2048])\n    for (int i = 0; i < 64; i++) {\n", "(a[0:4])", "        a[i] += 1;\n    }\n" + pairEnd}},
	"atomic":   {{pairAtomic, "", "        a[i % 4]++;\n    }\n}\n"}, {pairAtomic, "", "        a[i % 4] = v[i];\n    }\n}\n"}, {pairAtomic, "", "        v[i] = a[i % 4]++;\n    }\n}\n"}},
	"routine":  {{"static double h(double x) { return x + 1; }\n", "seq", "double g(double x) { return x; }\nvoid f(double *a)\n{\n#pragma acc parallel loop copy(a[0:64])\n    for (int i = 0; i < 64; i++)\n        a[i] = h(g(a[i]));\n}\n"}},
	"wait":     {{pairHead, "", pairEnd}},
	"init":     {{pairHead, "", pairEnd}},
	"shutdown": {{pairHead, "", pairEnd}},
	"set":      {{pairHead, "default_async(1)", "#pragma acc wait(1)\n" + pairEnd}},
}

const pairAtomic = "void f(int n, int c, int *a, int *v)\n{\n    (void)n, (void)c;\n#pragma acc parallel loop copy(a[0:4], v[0:64])\n    for (int i = 0; i < 64; i++) {\n"

// clauseTexts are clauses as a program may have them. Those for which several stand here are
// right if one of them is.
var clauseTexts = map[string][]string{
	"async": {"async(2)"}, "wait": {"wait(1)"}, "device_type": {"device_type(nvidia) async", "device_type(host) async", "device_type(host) seq", "device_type(radeon)", "device_type(nvidia) seq"},
	"copy": {"copy(b[0:2048])", "copy(g)"}, "copyin": {"copyin(b[0:2048])", "copyin(h)"}, "copyout": {"copyout(b[0:2048])", "copyout(g)"},
	"create": {"create(b[0:2048])", "create(h)"}, "no_create": {"no_create(b[0:2048])"}, "present": {"present(b[0:2048])"},
	"deviceptr": {"deviceptr(b)"}, "attach": {"attach(b)"}, "detach": {"detach(b)"}, "delete": {"delete(b[0:10])"}, "default": {"default(none)", "default(present)"},
	"num_gangs": {"num_gangs(3)"}, "num_workers": {"num_workers(2)"}, "vector_length": {"vector_length(32)"}, "if": {"if(c > 3)"}, "self": {"self(c > 3)"},
	"reduction": {"reduction(+:sum)"}, "private": {"private(t)"}, "firstprivate": {"firstprivate(x)"},
	"collapse": {"collapse(2)"}, "gang": {"gang"}, "worker": {"worker"}, "vector": {"vector"}, "seq": {"seq"}, "independent": {"independent"}, "auto": {"auto"}, "tile": {"tile(8, 8)"},
	"finalize": {"finalize"}, "use_device": {"use_device(b)"}, "if_present": {"if_present"}, "device_resident": {"device_resident(h)"}, "link": {"link(h)"},
	"host": {"self(b[0:10])"}, "device": {"device(b[0:10])"}, "read": {"read"}, "write": {"write"}, "update": {"update"}, "capture": {"capture"},
	"bind": {"bind(h)"}, "nohost": {"nohost"}, "device_num": {"device_num(1)"}, "default_async": {"default_async(2)", "device_num(0) default_async(2)"},
}

// TestNoClauseIsDropped tries each directive with each clause that OpenACC gives it: the
// clause changes the program or what is said of it, or it is refused with a code, a place and
// a reason. Where a clause may ask for what is so in any case, alike says why.
func TestNoClauseIsDropped(t *testing.T) {
	pairs, changed, told, refused, same := 0, 0, 0, 0, 0
	for _, d := range directive.Names() {
		require.NotEmpty(t, homes[d], d)
		for _, c := range append([]string{""}, directive.ClausesOf(d)...) {
			pairs++
			var seen []string
			for _, h := range homes[d] {
				texts := clauseTexts[c]
				if c == "" {
					texts = []string{""}
				}
				require.NotEmpty(t, texts, c)
				for _, text := range texts {
					with, without := "#pragma acc "+d+" "+h.has+" "+text+"\n", "#pragma acc "+d+" "+h.has+"\n"
					if c == "" {
						without = ""
					}
					// Lines stay as they are, since kernels are named after them.
					res, err := translate(t, "in.c", h.before+with+h.after)
					base, baseErr := translate(t, "in.c", h.before+strings.Repeat("\n", 1-strings.Count(without, "\n"))+without+h.after)
					switch {
					case err != nil:
						for _, m := range refusals(err) {
							assert.NotEmpty(t, m.Text)
							assert.NotZero(t, m.Pos.Line, m.Text)
						}
						if messages(nil, err) != messages(nil, baseErr) {
							seen = append(seen, "refused: "+messages(nil, err))
						}
					case baseErr != nil || string(res.Text) != string(base.Text):
						seen = append(seen, "changed")
					case messages(res, nil) != messages(base, nil), cached(res) != cached(base):
						seen = append(seen, "told")
					}
				}
			}
			all := strings.Join(seen, " ")
			name := fmt.Sprintf("%s, %s", d, c)
			switch {
			case strings.Contains(all, "changed"):
				changed++
			case strings.Contains(all, "told"):
				told++
			case strings.Contains(all, "refused"):
				refused++
			default:
				same++
				assert.Contains(t, alike, name, "%s is dropped", name)
			}
		}
	}
	assert.Equal(t, len(alike), same, "of those that leave a program as it is, some don't")
	t.Logf("%d pairs: %d change the program, %d are told, %d refused, %d as it is in any case", pairs, changed, told, refused, same)
}

// cached counts the arrays of a translation that are to be staged.
func cached(res *acc.Result) (n int) {
	for _, k := range res.Nests {
		n += len(k.Cached)
	}
	return n
}

// alike are pairs that leave a program as it is, and why: what the clause asks for is so in any
// case, by OpenACC.
var alike = map[string]string{
	"parallel loop, firstprivate": scalarsAre, "parallel, firstprivate": scalarsAre, "serial loop, firstprivate": scalarsAre, "serial, firstprivate": scalarsAre,
	"parallel loop, gang": outermost, "kernels loop, gang": outermost, "loop, gang": outermost,
	"kernels loop, auto": "a loop of kernels is so",
	"serial loop, gang":  oneThread, "serial loop, worker": oneThread, "serial loop, vector": oneThread, "serial loop, seq": oneThread,
	"serial loop, independent": oneThread, "serial loop, auto": oneThread,
	"atomic, update":       "an atomic directive without a clause is so",
	"shutdown, device_num": "what is told of shutdown is the same for each device",
}

const (
	scalarsAre = "a variable that no clause names is so"
	outermost  = "a parallel loop gets thread blocks where it stands outermost"
	oneThread  = "one thread runs a serial region"
)

// TestNoWordInAClauseIsDropped tries what may stand in a clause beside its list: modifiers and
// keys. Each changes the program, is told, or is refused.
func TestNoWordInAClauseIsDropped(t *testing.T) {
	for _, c := range []struct{ with, without, want string }{
		{"parallel loop copy(a[0:100]) gang(static: 4)", "parallel loop copy(a[0:100]) gang", "acc-sizes: static is not followed"},
		{"parallel loop copy(a[0:100]) gang(dim: 1)", "parallel loop copy(a[0:100]) gang", "acc-sizes: dim is not followed"},
		{"parallel loop copy(a[0:100]) gang(num: 5)", "parallel loop copy(a[0:100]) gang", ""},
		{"parallel loop copy(a[0:100]) worker(num: 2)", "parallel loop copy(a[0:100]) worker", ""},
		{"parallel loop copy(a[0:100]) vector(length: 64)", "parallel loop copy(a[0:100]) vector", ""},
		{"parallel loop copy(a[0:100]) num_gangs(4, 2)", "parallel loop copy(a[0:100])", "acc-sizes: num_gangs is not followed"},
		{"parallel loop copy(a[0:100]) collapse(force: 1)", "parallel loop copy(a[0:100]) collapse(1)", "acc-no-effect: force"},
		{"parallel loop copyin(readonly: a[0:100])", "parallel loop copyin(a[0:100])", "acc-no-effect: readonly"},
		{"parallel loop copy(capture: a[0:100])", "parallel loop copy(a[0:100])", "acc-unsupported: the modifier capture"},
		{"parallel loop copyout(zero: a[0:100])", "parallel loop copyout(a[0:100])", ""},
		{"parallel loop create(zero: a[0:100])", "parallel loop create(a[0:100])", ""},
		{"parallel loop copy(a[0:100]) wait(devnum: 0: queues: 1)", "parallel loop copy(a[0:100])", "acc-unsupported: wait for another device"},
		{"parallel loop copyin(zero: a[0:100])", "parallel loop copyin(a[0:100])", "acc-syntax"},
		{"parallel loop create(always: a[0:100])", "parallel loop create(a[0:100])", "acc-syntax"},
		{"parallel loop copyin(always: b[0:100])", "parallel loop copyin(b[0:100])", ""},
		{"parallel loop copyout(always: b[0:100])", "parallel loop copyout(b[0:100])", ""},
	} {
		program := func(directive string) string {
			return "void f(double *a, double *b)\n{\n#pragma acc data copy(b[0:100])\n    {\n#pragma acc " + directive + "\n    for (int i = 0; i < 100; i++) " +
				map[bool]string{true: "b", false: "a"}[strings.Contains(directive, "b[")] + "[i] = i;\n    }\n}\n"
		}
		res, err := translate(t, "in.c", program(c.with))
		base, baseErr := translate(t, "in.c", program(c.without))
		require.NoError(t, baseErr, c.without)
		switch {
		case c.want != "":
			assert.Contains(t, messages(res, err), c.want, c.with)
		case assert.NoError(t, err, c.with):
			assert.NotEqual(t, string(base.Text), string(res.Text), c.with)
		}
	}
}
