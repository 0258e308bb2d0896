package kernelgen

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// NewWithObjects writes the kernel of a number that computes with objects of classes, too: with overloaded
// operators, conversions and copies, of which each may change its object.
func NewWithObjects(seed uint64, number int) Kernel {
	g := &generator{rand: rand.New(rand.NewPCG(seed, uint64(number))), name: fmt.Sprintf("k%d", number), withObjects: true}
	return g.kernel()
}

// Quiet is the kernel as it would be if no operator, conversion or copy changed anything.
func (k Kernel) Quiet() Kernel {
	for _, c := range k.classes {
		k.Text = strings.Replace(k.Text, c.text, c.quiet, 1)
	}
	return k
}

// Loud puts what the kernel's operators do in place of what those of Quiet do, in a text made from it.
func (k Kernel) Loud(text string) string {
	for _, c := range k.classes {
		text = strings.Replace(text, c.quiet, c.text, 1)
	}
	return text
}

// class is a class of a kernel's, as it is and as it would be if nothing changed.
type class struct{ text, quiet string }

// members are functions of a class whose objects hold 0 or 1: what each returns, and what that is set to by one that
// changes its object.
var members = []struct{ head, value string }{
	{"int operator+(int d)", "(n + d) & 1"},
	{"int operator-()", "n ^ 1"},
	{"operator int()", "n ^ 1"},
	{"int operator[](int d)", "(n ^ d) & 1"},
	{"int operator()(int d)", "(n * d + 1) & 1"},
	{"int operator*()", "1 - n"},
	{"int operator,(int d)", "(d - n) & 1"},
	{"bool operator<(int d)", "n ^ d & 1"},
}

// object writes a class and declares one of its objects.
func (g *generator) object() {
	name, v := g.name+g.fresh("C"), g.fresh("c")
	write := func(loud bool) string {
		var b strings.Builder
		fmt.Fprintf(&b, "struct %s {\n    int n;\n    __device__ %s(int x) : n(x & 1) {}\n", name, name)
		copied := "o.n"
		if loud && g.often(30) {
			copied = "o.n ^ 1"
		}
		fmt.Fprintf(&b, "    __device__ %s(const %s &o) : n(%s) {}\n", name, name, copied)
		for _, m := range members {
			change := ""
			if loud && g.often(50) {
				change = "n = "
			}
			fmt.Fprintf(&b, "    __device__ %s { return %s%s; }\n", m.head, change, m.value)
		}
		b.WriteString("};\n")
		fmt.Fprintf(&b, "__device__ int %s_taken(%s c) { return c.n; }\n\n", name, name)
		return b.String()
	}
	c := class{write(true), write(false)}
	g.classes = append(g.classes, c)
	g.objects = append(g.objects, object{v, name})
	g.functions.WriteString(c.text)
	g.line("%s %s(%s);", name, v, g.of("t", "b", "i + 1", "v"))
}

type object struct{ name, class string }

// bit is an expression of 0 or 1 that an object computes.
func (g *generator) bit() string {
	o := g.objects[g.n(len(g.objects))]
	c := o.name
	return g.of("("+c+" + 1)", "(-"+c+")", "(int)"+c, c+"["+g.of("0", "1", c)+"]", c+"(1)", "(*"+c+")", "("+c+", 1)", "("+c+" < 1)", o.class+"_taken("+c+")")
}

// exchangeObjects is exchange with subscripts and values that objects compute.
func (g *generator) exchangeObjects() {
	at := func() string { return fmt.Sprintf("in[(i + %s) %% 1024]", g.bit()) }
	switch g.n(4) {
	case 0:
		g.line("s[t] = %s;", at())
		g.line("r[0][t] = %s;", at())
		g.line("r[1][t] = %s;", g.bit())
		g.barrier()
		g.line("v += s[%s] * 2 + r[%s][%s];", g.other(), g.bit(), g.other())
	case 1:
		g.line("for (int q = 0; q < 2; q++) r[q][t] = in[(i + q) %% 1024];")
		g.barrier()
		g.line("for (int q = 0; q < 2; q++) v = v * 3 + r[%s][%s];", g.bit(), g.other())
	case 2:
		g.line("if (%s) v += 3;", g.bit())
		g.line("s[t] = %s + %s;", at(), g.bit())
		g.barrier()
		g.line("v = v * 3 + s[%s] + %s;", g.other(), g.bit())
	default:
		g.line("const int %s = %s;", g.fresh("x"), g.bit())
		g.line("s[t] = v + %s;", g.bit())
		g.line("r[%s][t] = %s;", g.bit(), at())
		g.barrier()
		g.line("v += s[%s] - x%d;", g.other(), g.names)
	}
	g.barrier()
	if g.often(30) {
		g.line("v += %s.n;", g.objects[0].name)
	}
}
