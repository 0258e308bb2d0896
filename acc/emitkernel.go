package acc

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/acc/layout"
	"github.com/smux-cuda/smux/internal/lists"
	"github.com/smux-cuda/smux/parser"
)

// emitter writes the kernels of a construct, and the statements of the host that launch them.
type emitter struct {
	*translation
	*construct
	region *region
	out    *layout.Lines
	// hosted are variables of the region's block that the host has meanwhile; reducing are those
	// that the kernel that is written reduces: they are no memory of the device in it.
	hosted, reducing map[*variable]bool
	// assumed holds the sizes that a model assumes for the nest that is written; nil of one thread.
	assumed *assumed
}

func (e *emitter) step(s *step) {
	switch {
	case s.nest != nil:
		e.wide(s.nest)
	case s.one():
		e.serial(s.stmts)
	default:
		e.out.Open(e.headOf(s.loop))
		for _, inner := range s.steps {
			e.step(inner)
		}
		e.out.Shut()
	}
}

// headOf is the head of a for statement, as it is written.
func (e *emitter) headOf(l *loop) string {
	from, _ := e.translation.rangeOf(l.node)
	last := l.node.First
	for last.Next != nil && last.Next.Field != parser.FieldBody {
		last = last.Next
	}
	_, to := e.translation.rangeOf(last)
	return strings.Join(strings.Fields(withoutPragmas(string(e.translation.file.Src[from:to]))), " ")
}

type parameter struct{ declared, given string }

// parameters are those that statements need: what they mention, and is not made in them.
func (e *emitter) parameters(stmts []*parser.Node, local map[*variable]bool) (out []parameter) {
	seen := map[*variable]bool{}
	var arrays, scalars []parameter
	for _, s := range stmts {
		for _, v := range slices.Concat(e.declaredAt(s), e.translation.variablesIn(s)) {
			i := e.region.of(v)
			if seen[v] || local[v] || e.translation.localToAny(v, stmts) && i == nil {
				continue
			}
			seen[v] = true
			if i == nil || e.reducing[v] {
				e.hosted[v] = e.isLocal(v) && !e.moved[v]
				refuseIf(!v.isScalar(), e.translation.place(s), CodeShape, fmt.Sprintf("%s is on no list of what the region needs", v.name), "name it in a data clause")
				scalars = append(scalars, parameter{fmt.Sprintf("%s %s", v.base, v.name), e.given(v)})
				continue
			}
			given := i.device
			if i.lower != "" {
				given += " - " + enclosed(i.lower)
			}
			arrays = append(arrays, parameter{e.parameterType(v, stmts), given})
		}
	}
	return append(arrays, scalars...)
}

// given returns the argument that the host passes to a kernel for a scalar.
func (e *emitter) given(v *variable) string {
	if e.options.Count && e.assumed != nil {
		if n, ok := e.assumed.of(v); ok {
			return fmt.Sprint(n)
		}
	}
	if e.reducing[v] {
		return e.reducedIn(v)
	}
	return v.name
}

// parameterType declares a parameter for memory of the device.
func (e *emitter) parameterType(v *variable, stmts []*parser.Node) string {
	constant, name := "const ", v.name
	if v.leadsToRows() || slices.ContainsFunc(stmts, func(s *parser.Node) bool {
		return slices.Contains(e.declaredAt(s), v) || slices.ContainsFunc(e.translation.accessesOf(s), func(a access) bool { return a.v == v && (a.write || a.whole) })
	}) {
		constant = ""
	}
	separate := func(i *item) bool { // it has an allocation of its own, which this function makes
		for i.outer != nil {
			i = i.outer
		}
		return !i.counted && !i.pointer
	}
	if lists.All(e.region.items, separate) {
		name = "__restrict__ " + name
	}
	return constant + v.pointerTo(name)
}

// printer prints statements for a kernel that stands above a function.
func (e *emitter) printer(returns *loop) *printer {
	u := e.translation.unit
	at := e.above(e.pragma.fn)
	if e.isSplit() {
		at = len(u.file.Src)
	}
	p := &printer{u: e.translation, known: func(name string, use int) bool {
		a, ok := u.file.Macros.Lookup(name, at)
		b, also := u.file.Macros.Lookup(name, use)
		return ok && also && a.Body == b.Body && slices.Equal(a.Params, b.Params)
	}}
	p.replace = func(n *parser.Node) (string, bool) {
		if q := e.translation.over(n, func(q *pragma) bool { return q.Name == "atomic" }); q != nil {
			return e.atomicText(p, q), true
		}
		if text, ok := e.rows(p, n); ok {
			return text, true
		}
		switch n.Kind {
		case parser.KindSizeofExpression:
			return e.sizeof(n)
		case parser.KindDeclaration:
			return e.assigned(p, n)
		case parser.KindContinueStatement:
			return "return;", returns != nil && within(n, returns.body) && continues(n.Parent) && leftBy(n) == returns.node
		case parser.KindFieldExpression:
			of, _ := u.memberAt(n)
			if v := u.members[memberKey{of, u.pathOf(n)}]; v != nil {
				return v.name, true
			}
		case parser.KindIdentifier:
			if other := e.bound[u.text(n)]; n.Field == parser.FieldFunction && other != "" {
				return other, true
			}
			if v := u.variableOf(n); v != nil && e.moved[v] && !e.reducing[v] && v.isScalar() && e.region.of(v) != nil && !u.declares(n) {
				return "(*" + v.name + ")", true
			}
		}
		return u.inC(n)
	}
	return p
}

func (e *emitter) serial(stmts []*parser.Node) {
	u := e.translation
	from, _ := u.rangeOf(stmts[0])
	k := &kernelText{name: e.kernelName(e.pragma, from), title: "one thread, in the order of the C program"}
	local := map[*variable]bool{}
	for _, st := range stmts {
		for _, v := range u.variablesIn(st) {
			// What is nothing but the counter of for loops is local, too.
			counts := func(s *parser.Node) bool { return u.assigned(s, v) && u.counterOnly(v, s) && !u.useOf(s, v).reads }
			if v.isScalar() && !e.moved[v] && u.assigned(st, v) && !e.construct.useOf(stmts, v).reads || e.private[v] || v.isInteger() && lists.All(stmts, counts) {
				local[v] = true
			}
		}
	}
	e.assumed, e.reducing = nil, nil
	k.params = e.parameters(stmts, local)
	body := &layout.Lines{Level: 1}
	e.locals(body, stmts, local, nil)
	p := e.printer(nil)
	for _, st := range stmts {
		p.block(body, st)
	}
	k.body = body.String()
	e.emit(k)
	e.call(k, "1", "1")
}

// unboundThreads is the number of threads of a block up to which a compiler needs no __launch_bounds__.
const unboundThreads = 256

type kernelText struct {
	threads     int // of a block
	name, title string
	params      []parameter
	body        string
	comments    []string
}

func (e *emitter) emit(k *kernelText) {
	at, head := e.translation.at(e.pragma.start), "__global__ void "
	if k.threads > unboundThreads {
		head += fmt.Sprintf("__launch_bounds__(%d) ", k.threads)
	}
	head += k.name + "("
	comments := append([]string{fmt.Sprintf("// %s:%d: %s: %s.", filepath.Base(at.File), at.Line, e.pragma.Name, k.title)}, k.comments...)
	declared := wrapped(lists.Map(k.params, func(p parameter) string { return p.declared }), len(head))
	e.kernels[e.pragma.fn] = append(e.kernels[e.pragma.fn], fmt.Sprintf("%s\n%s%s)\n{\n%s}\n", strings.Join(comments, "\n"), head, declared, k.body))
	e.Kernels = append(e.Kernels, k.name)
}

// wrapped joins the parameters of a function; lines are no longer than people like them.
func wrapped(parts []string, column int) (text string) {
	const width = 110
	for i, p := range parts {
		switch {
		case i == 0:
		case column+len(p)+2 > width:
			text, column = text+",\n        ", 8
		default:
			text, column = text+", ", column+2
		}
		text, column = text+p, column+len(p)
	}
	return text
}
