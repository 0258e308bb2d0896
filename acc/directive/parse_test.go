package directive

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/diag"
)

// spell writes a directive in one way, so that tables of tests can hold it.
func spell(d Directive) string {
	var b strings.Builder
	b.WriteString(d.Name)
	spellArgs(&b, "", d.Args)
	for _, c := range d.Clauses {
		b.WriteString(" " + c.Name)
		spellArgs(&b, c.Modifier, c.Args)
	}
	return b.String()
}

func spellArgs(b *strings.Builder, modifier string, args []Arg) {
	if len(args) == 0 {
		return
	}
	b.WriteString("(")
	if modifier != "" {
		b.WriteString(modifier + ": ")
	}
	for i, a := range args {
		if i > 0 {
			b.WriteString(", ")
		}
		if a.Key != "" {
			b.WriteString(a.Key + "=")
		}
		if a.Name == "" {
			b.WriteString(a.Text)
		}
		b.WriteString(a.Name)
		for _, s := range a.Sections {
			fmt.Fprintf(b, "[%s:%s]", s.Lower, s.Length)
		}
	}
	b.WriteString(")")
}

func TestDirectivesAreReadAsTheyAreMeant(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"parallel", "parallel"},
		{" parallel  loop gang vector", "parallel loop gang vector"},
		{"kernels loop if(i+1<n) gang, worker, private(j, k)", "kernels loop if(i+1<n) gang worker private(j, k)"},
		{"data copyin(a[0:n*m], b) copyout ( c [ : ] )", "data copyin(a[0:n*m], b) copyout(c[:])"},
		{"data pcopyin(a) present_or_create(b[n])", "data copyin(a) create(b[n:1])"},
		{"data copyin(readonly: a[2:n][:m])", "data copyin(readonly: a[2:n][:m])"},
		{"data copyout(zero:x)", "data copyout(zero: x)"},
		{"parallel \\\n  copy(p->x, s.y[0:4]) \\\n  async", "parallel copy(p->x, s.y[0:4]) async"},
		{"parallel reduction(+:sum) reduction(max : a, b)", "parallel reduction(+: sum) reduction(max: a, b)"},
		{"loop reduction(&&:ok)", "loop reduction(&&: ok)"},
		{"loop gang(num:4, static:*) vector(length:128) worker(2)", "loop gang(num=4, static=*) vector(length=128) worker(2)"},
		{"loop collapse(force:2)", "loop collapse(force: 2)"},
		{"loop tile(*, 4)", "loop tile(*, 4)"},
		{"parallel num_gangs(f(a, b), n ? 2 : 3) if(a ? b : c)", "parallel num_gangs(f(a, b), n ? 2 : 3) if(a ? b : c)"},
		{"parallel if(s[0] == ')') async(1)", "parallel if(s[0] == ')') async(1)"},
		{"wait", "wait"},
		{"wait(1, n+1) async(2)", "wait(1, n+1) async(2)"},
		{"wait(devnum: 0: queues: 1, 2)", "wait(devnum=0, queues=1, 2)"},
		{"parallel wait(1) wait(2)", "parallel wait(1) wait(2)"},
		{"cache(readonly: a[i-1:3])", "cache(a[i-1:3])"},
		{"routine(f) seq", "routine(f) seq"},
		{"routine gang(dim:1) nohost", "routine gang(dim=1) nohost"},
		{"atomic", "atomic"},
		{"atomic capture", "atomic capture"},
		{"update self(a) device(b[0:n]) if_present", "update host(a) device(b[0:n]) if_present"},
		{"serial self", "serial self"},
		{"serial self(n > 4) default(none)", "serial self(n > 4) default(none)"},
		{"enter data create(a[0:n]) async", "enter data create(a[0:n]) async"},
		{"exit data delete(a) finalize", "exit data delete(a) finalize"},
		{"host_data use_device(a)", "host_data use_device(a)"},
		{"parallel num_gangs(1) device_type(host) num_gangs(2)", "parallel num_gangs(1) device_type(host) num_gangs(2)"},
		{"data copy(a) /* both ways */ create(b) // scratch", "data copy(a) create(b)"},
	} {
		d, err := Parse(c.text, 0)
		if assert.NoError(t, err, c.text) {
			assert.Equal(t, c.want, spell(d))
		}
	}
}

func TestWhatIsNoDirectiveIsRefusedAtItsPlace(t *testing.T) {
	for _, c := range []struct{ text, at, want string }{
		{"", "", "no directive stands after"},
		{"parallell loop", "parallell", `no directive "parallell"`},
		{"enter copyin(a)", "enter", `no directive "enter"`},
		{"parallel lop gang", "lop", `no clause "lop"`},
		{"parallel num_gang(4)", "num_gang", `no clause "num_gang"`},
		{"data gang copy(a)", "gang", "data does not take the clause gang"},
		{"kernels private(a)", "private", "kernels does not take the clause private"},
		{"loop copyin(a)", "copyin", "loop does not take"},
		{"loop gang gang", "gang", "gang stands twice"},
		{"loop seq vector", "vector", "seq and vector exclude one another"},
		{"loop independent auto", "auto", "exclude one another"},
		{"loop collapse", "collapse", "collapse names nothing"},
		{"loop seq(2)", "2)", "seq takes nothing in parentheses"},
		{"loop collapse(2, 3)", "3)", "takes one expression"},
		{"parallel copy(a", "(a", "not closed"},
		{"parallel copy()", ")", "are empty"},
		{"parallel copy(a,,b)", ",b", "is empty"},
		{"parallel copy(a[0:n)", "(a[0:n", "not closed"},
		{"parallel copy(a[0:n:2])", "[0:n:2", "no array section"},
		{"parallel copy(a[])", "[]", "no array section"},
		{"parallel copy(3)", "3)", "no variable"},
		{"parallel copy(a+1)", "+1", "no variable and no array section"},
		{"parallel reduction(sum)", "sum", "begins with an operator"},
		{"parallel reduction(-:sum)", "-:", "begins with an operator"},
		{"parallel default(all)", "all", `takes none or present, not "all"`},
		{"loop gang(nmu:4)", "nmu", "is nothing that gang takes"},
		{"parallel if(a:b)", "a:b", "no expression"},
		{"data async", "data", "needs one of these clauses"},
		{"exit data finalize", "exit", "needs one of these clauses"},
		{"routine", "routine", "needs one of these clauses: gang, worker, vector, seq"},
		{"cache", "", "cache names nothing"},
		{"parallel ; copy(a)", ";", "is no clause"},
	} {
		_, err := Parse(c.text, 100)
		var e *Error
		if !assert.ErrorAs(t, err, &e, c.text) {
			continue
		}
		assert.Contains(t, e.Text, c.want, c.text)
		place := 100 + len(c.text)
		if c.at != "" {
			place = 100 + strings.LastIndex(c.text, c.at)
		}
		assert.Equal(t, place, e.Pos, "%s: %s", c.text, e.Text)
		assert.NotContains(t, e.Help, "\n")
	}
}

func TestOffsetsAreThoseOfTheFile(t *testing.T) {
	file := "x;\n#pragma acc parallel \\\n\tcopyin( a[0:n] , bb)\n"
	offset := strings.Index(file, " parallel")
	d, err := Parse(strings.TrimSuffix(file[offset:], "\n"), offset)
	require.NoError(t, err)
	assert.Equal(t, "parallel", file[d.Pos:d.Pos+8])
	c := d.Clauses[0]
	assert.True(t, strings.HasPrefix(file[c.Pos:], "copyin( a[0:n] , bb)"))
	assert.True(t, strings.HasPrefix(file[c.Args[0].Pos:], "a[0:n] ,"))
	assert.True(t, strings.HasPrefix(file[c.Args[1].Pos:], "bb)"))
}

// The table is data, and a slip in it would make a clause unreadable or a rule dead.
func TestTheTableIsWhole(t *testing.T) {
	used := map[string]bool{}
	for i, s := range specs {
		for _, name := range s.clauses {
			used[name] = true
			_, ok := clauseOf("", name)
			assert.True(t, ok, "%s takes %s, which is no clause", s.name, name)
		}
		for _, name := range slices.Concat(append(slices.Clone(s.apart), s.oneOf)...) {
			assert.Contains(t, s.clauses, name, "a rule of %s is about %s", s.name, name)
		}
		for _, later := range specs[i+1:] {
			assert.False(t, strings.HasPrefix(later.name, s.name+" "), "%s hides %s", s.name, later.name)
		}
	}
	for _, c := range clauseSpecs {
		assert.True(t, used[c.name], "no directive takes %s", c.name)
	}
}

// Any text is read or refused with a place inside of it.
func FuzzParse(f *testing.F) {
	for _, s := range []string{"parallel loop copy(a[0:n]) reduction(+:s)", "wait(devnum:0:queues:1)", "data copy(p->x) \\\n if(a?b:c)", "cache(a[", "loop gang(static:*", "atomic \"", "/*"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		d, err := Parse(text, 0)
		if err == nil {
			for _, c := range d.Clauses {
				for _, a := range c.Args {
					assert.Equal(t, a.Text, strings.TrimSpace(a.Text))
					assert.LessOrEqual(t, a.Pos+len(a.Text), len(text))
				}
			}
			return
		}
		var e *Error
		require.ErrorAs(t, err, &e)
		assert.GreaterOrEqual(t, e.Pos, 0)
		assert.LessOrEqual(t, e.Pos, len(text))
		assert.NotEmpty(t, e.Help+e.Text)
	})
}

// Package diag shows C for each code; its first directive gets the code.
func TestTheExamplesOfTheCodes(t *testing.T) {
	for _, code := range []diag.Code{CodeUnknown, CodeSyntax, CodeClause} {
		doc, ok := diag.Lookup(code)
		require.True(t, ok)
		_, text, ok := strings.Cut(doc.Example, "#pragma acc")
		require.True(t, ok, code)
		text, _, _ = strings.Cut(text, "\n")
		_, err := Parse(text, 0)
		var e *Error
		require.ErrorAs(t, err, &e, code)
		assert.Equal(t, code, e.Code)
		for part := range strings.SplitSeq(doc.Fix, "#pragma acc") {
			if part = strings.TrimSpace(part); part != "" {
				_, err := Parse(part, 0)
				assert.NoError(t, err, code)
			}
		}
	}
}
