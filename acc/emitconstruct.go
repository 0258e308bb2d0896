package acc

import (
	"bytes"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/acc/layout"
	"github.com/smux-cuda/smux/internal/lists"
	"github.com/smux-cuda/smux/parser"
)

func (t *translation) compute(p *pragma) {
	c := t.newConstruct(p, func(v *variable) bool {
		made := p.Construct() == "kernels" || v.number().Bytes == 0 && !v.isEnum() || // others are firstprivate
			t.someIn(p.stmt, func(q *pragma) bool { return slices.Contains(t.variablesOf(q, "reduction"), v) })
		return t.outer(p.stmt, v) != nil || made && v.isScalar() && t.table && v.isMadePresent(t)
	})
	r := t.newRegion(p, p.stmt)
	reduced := c.reducedArrays()
	r.withoutReduced(c, reduced)
	t.implicit(c, r, reduced)
	t.deep(p.stmt)
	from, to := t.rangeOf(p.stmt)
	indent := t.indentAt(from)
	waits := &layout.Lines{}
	t.waits(p, waits)
	condition := t.condition(p)
	t.takenByHost(p, condition)
	if condition == "false" {
		t.say(t.at(p.Pos), CodeSequential, "this region runs on the host, as its clause self says", "nothing needs to be done")
		text := t.onHost(p, waits, indent)
		t.edits.Replace(from, to, "{\n"+text+indent+"}")
		t.generated[p.fn] += text + "\n"
		return
	}
	t.protect(r, p.stmt)
	out := &layout.Lines{}
	whole := r.makes()
	if whole {
		out.Open("")
	}
	out.WriteString(layout.Shift(waits.String(), strings.Repeat("    ", out.Level)))
	r.begin(t, out)
	launches := &layout.Lines{Level: out.Level}
	e := &emitter{translation: t, construct: c, region: r, out: launches, hosted: map[*variable]bool{}}
	before := len(t.kernels[p.fn])
	launches.Add(t.assertions(p)...)
	for _, s := range c.steps {
		e.step(s)
	}
	declares := false
	for _, v := range c.declared() {
		if e.hosted[v] {
			declares = true
			out.Add(v.declaration() + ";")
		}
	}
	out.WriteString(launches.String())
	r.end(out)
	if whole {
		out.Shut()
	}
	text := strings.TrimPrefix(strings.TrimSuffix(layout.Shift(out.String(), indent), "\n"), indent)
	if !whole && len(c.steps) > 0 && (p.stmt.Parent.Kind != parser.KindCompoundStatement || declares) {
		text = "{\n" + layout.Shift(out.String(), indent+"    ") + indent + "}" // it was one statement
	}
	if condition != "" {
		text = fmt.Sprintf("if (%s) {\n%s\n%s} else {\n%s%s}", condition, layout.Shift(indent+text, "    "), indent, t.onHost(p, waits, indent), indent)
	}
	t.edits.Replace(from, to, text)
	t.constructs[p.start] = text + strings.Join(t.kernels[p.fn][before:], "\n")
	t.generated[p.fn] += text + "\n"
}

// condition tells in C when a region runs on the device: "" for always, "false" for never.
func (t *translation) condition(p *pragma) string {
	c, _ := p.take("if")
	condition := argument(c)
	c, ok := p.take("self")
	switch {
	case !ok:
		return condition
	case len(c.Args) == 0:
		return "false"
	case condition != "":
		condition = fmt.Sprintf("(%s) && ", condition)
	}
	return condition + fmt.Sprintf("!(%s)", c.Args[0].Text)
}

// takenByHost looks at the clauses in a region that one thread of the host may run, as C.
func (t *translation) takenByHost(p *pragma, condition string) {
	for _, q := range t.pragmas {
		if condition == "" || q.stmt == nil || !within(q.stmt, p.stmt) {
			continue
		}
		if q.Name == "atomic" {
			q.takes(atomicForms...)
		}
		for _, a := range q.ArgsOf("private", "firstprivate") {
			q.keeps(t.unit, t.named(q, a), nil, a)
		}
	}
}

// onHost is the text of a region for the host, which waits for what is queued before it.
func (t *translation) onHost(p *pragma, waits *layout.Lines, indent string) string {
	host := &layout.Lines{}
	host.WriteString(waits.String())
	if q := t.queueOf(p); q != "" {
		host.Add(synchronized(q))
	}
	host.Add(t.plainPrinter().statement(p.stmt)...)
	return layout.Shift(host.String(), indent+"    ")
}

func (t *translation) plainPrinter() *printer {
	plain := &printer{u: t, known: func(string, int) bool { return true }}
	plain.replace = func(n *parser.Node) (string, bool) {
		if text, ok := t.rows(plain, n); ok {
			return text, true
		}
		return t.inC(n)
	}
	return plain
}

// inC is the text of words that C++ has by other names.
func (s *source) inC(n *parser.Node) (string, bool) {
	switch word := s.text(n); {
	case n.Kind == parser.KindTypeQualifier && word == "restrict":
		return "__restrict__", true
	case (n.Kind == parser.KindPrimitiveType || n.Kind == parser.KindTypeIdentifier) && word == "_Bool":
		return "bool", true
	}
	return "", false
}

// A translation can be two files: the host's program, close to the C file, and the kernels, which it includes at its end.

func (t *translation) isSplit() bool { return t.options.KernelFile != "" }

// writeKernels puts kernels above their functions, or declares them there.
func (t *translation) writeKernels() {
	var apart []string
	for _, f := range t.tree.Functions {
		texts := t.kernels[f]
		switch {
		case len(texts) == 0:
		case !t.isSplit():
			t.ahead(t.above(f), strings.Join(texts, "\n")+"\n")
		default:
			heads := lists.Map(texts, func(kernel string) string {
				head, _, _ := strings.Cut(kernel[strings.Index(kernel, "__global__"):], "\n{")
				return head + ";\n"
			})
			t.ahead(t.above(f), strings.Join(heads, "")+"\n")
			apart = append(apart, texts...)
		}
	}
	if !t.isSplit() {
		return
	}
	var helpers []string // which kernels alone call
	for _, name := range slices.Sorted(maps.Keys(t.uses)) {
		if strings.Contains(t.uses[name], "\n__device__ static ") {
			helpers = append(helpers, t.uses[name])
			delete(t.uses, name)
		}
	}
	name := filepath.Base(t.file.Name)
	t.KernelText = fmt.Appendf(nil, "// The kernels of %s.cu, which includes this file at its end: its types, macros and functions are\n// known here.\n\n%s",
		strings.TrimSuffix(name, filepath.Ext(name)), strings.Join(append(helpers, apart...), "\n"))
	if end := len(t.file.Src); len(t.Kernels) > 0 {
		text := fmt.Sprintf("\n#include \"%s\"\n", t.options.KernelFile)
		if !bytes.HasSuffix(t.file.Src, []byte("\n")) {
			text = "\n" + text
		}
		t.edits.Insert(end, text)
	}
}
