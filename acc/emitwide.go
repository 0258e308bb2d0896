package acc

import (
	"fmt"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/parser"
)

// axes are the dimensions of a grid, the fastest first.
var axes = []string{"x", "y", "z"}

// wide writes the kernel of a nest of parallel loops: each iteration is a thread, or, where
// they are combined, each thread does some of them.
func (e *emitter) wide(k *kernelStep) error {
	u := e.translation
	nest := k.nest
	from, _ := u.original(int(nest[0].node.Start), int(nest[0].node.End))
	text := &kernelText{name: e.kernelName(e.pragma, from)}
	e.assumed = u.assume(k)
	m := e.mapped(k, text.name)
	stmts := []*parser.Node{nest[0].node}
	local := map[*variable]bool{}
	for _, v := range u.variablesIn(nest[0].node) {
		if e.private[v] || v.isScalar() && !e.moved[v] && u.assigned(nest[0].node, v) {
			local[v] = true
		}
	}
	for _, r := range k.reductions {
		local[r.v] = operations[r.op].neutral != "" || r.elements > 0
	}
	params, err := e.parameters(stmts, local)
	if err != nil {
		return err
	}
	text.params = params
	own := map[*variable]bool{} // declared by hand
	var names []string
	for _, l := range nest {
		own[l.counter] = true
		names = append(names, l.counter.name)
	}
	what := "each thread does one iteration of "
	if len(k.reductions) > 0 || e.gangs(k) != "" {
		what = "threads share the iterations of "
	}
	text.title = what + strings.Join(names, ", ")
	if alone := names[:0:0]; len(m.order) < len(nest) {
		for _, l := range nest {
			if m.axis(l) < 0 {
				alone = append(alone, l.counter.name)
			}
		}
		text.title += ", and runs through " + strings.Join(alone, ", ") + " alone"
	}
	body := &lines{level: 1}
	if len(k.reductions) > 0 {
		for _, r := range k.reductions {
			own[r.v] = true
			e.begins(body, text, r)
		}
		e.locals(body, stmts, local, own)
		e.strided(body, k, m)
		e.combine(body, text, k)
	} else {
		e.guarded(body, k, m, stmts, local, own)
	}
	text.body = body.b.String()
	text.comments = e.commentsBetween(nest)
	e.emit(text)
	e.launch(text, k, m)
	return nil
}

// locals declares variables that each thread has for itself.
func (e *emitter) locals(body *lines, stmts []*parser.Node, local, but map[*variable]bool) {
	for _, v := range e.localsOf(stmts, local) {
		if !but[v] {
			body.add(v.declaration() + ";")
		}
	}
}

// guarded writes the body of a nest for a thread that does one iteration. Grids have few
// thread blocks in y and z: where more could be needed, a thread goes on with further
// iterations there.
func (e *emitter) guarded(body *lines, k *kernelStep, m mapping, stmts []*parser.Node, local, own map[*variable]bool) {
	looped := map[*loop]bool{} // a loop is left of it in each thread
	returns := k.nest[len(k.nest)-1]
	for _, l := range k.nest {
		i := m.axis(l)
		n, ok := e.constantIterations(l)
		looped[l] = i < 0 || i > 0 && !(ok && n <= mostBlocks*int64(m.block[i])) || e.gangs(k) != ""
		if looped[l] {
			returns = nil
		}
	}
	var guards, heads []string
	p := e.printer(returns)
	for i, l := range slices.Backward(m.order) {
		if !looped[l] {
			body.add(fmt.Sprintf("%s %s = %s;", l.counter.base, l.counter.name, e.thread(p, l, axes[i])))
		}
	}
	for _, l := range k.nest {
		if looped[l] {
			heads = append(heads, e.head(p, l, m))
			continue
		}
		guards = append(guards, fmt.Sprintf("%s %s %s", l.counter.name, l.comparison(), p.print(l.upper)))
	}
	e.locals(body, stmts, local, own)
	body.apart()
	if len(guards) > 0 {
		heads = append(heads, fmt.Sprintf("if (%s)", strings.Join(guards, " && ")))
	}
	for _, h := range heads {
		body.add(h + " {")
		body.level++
	}
	body.add(p.statement(k.body)...)
	for range heads {
		body.level--
		body.add("}")
	}
}

// mostBlocks is how many thread blocks a grid has at most in y and z.
const mostBlocks = 65535

// constantIterations is the number of iterations of a loop with constant bounds.
func (e *emitter) constantIterations(l *loop) (int64, bool) {
	a, ok := e.translation.constant(l.lower)
	b, also := e.translation.constant(l.upper)
	return max(a-b, b-a) + 1, ok && also
}

// head is the head of a loop in which a thread does each iteration of as many as there are
// threads along the loop's dimension, or all of a loop that has none.
func (e *emitter) head(p *printer, l *loop, m mapping) string {
	first, stride, op := strings.TrimSpace(p.print(l.lower)), "1", "+="
	if i := m.axis(l); i >= 0 {
		first, stride = e.thread(p, l, axes[i]), fmt.Sprintf("gridDim.%s * blockDim.%s", axes[i], axes[i])
	}
	switch {
	case l.step < -1:
		stride, op = fmt.Sprintf("%d * (int)(%s)", -l.step, stride), "-="
	case l.step == -1:
		op = "-="
	case l.step > 1:
		stride = fmt.Sprintf("%d * %s", l.step, stride)
	}
	next := l.counter.name + " " + op + " " + stride
	if m.axis(l) < 0 {
		next = map[bool]string{true: fmt.Sprintf("%s += %d", l.counter.name, l.step), false: fmt.Sprintf("%s -= %d", l.counter.name, -l.step)}[l.step > 0]
	}
	return fmt.Sprintf("for (%s %s = %s; %s %s %s; %s)", l.counter.base, l.counter.name, first,
		l.counter.name, l.comparison(), p.print(l.upper), next)
}

// strided writes the nest for a thread that does some iterations.
func (e *emitter) strided(body *lines, k *kernelStep, m mapping) {
	p := e.printer(nil)
	body.apart()
	for _, l := range k.nest {
		body.add(e.head(p, l, m) + " {")
		body.level++
	}
	body.add(p.statement(k.body)...)
	for range k.nest {
		body.level--
		body.add("}")
	}
}

// comparison is the operator that keeps a loop going.
func (l *loop) comparison() string {
	op := "<"
	if l.step < 0 {
		op = ">"
	}
	if l.inclusive {
		op += "="
	}
	return op
}

// thread is the value of a counter in a thread.
func (e *emitter) thread(p *printer, l *loop, axis string) string {
	number := fmt.Sprintf("blockIdx.%s * blockDim.%s + threadIdx.%s", axis, axis, axis)
	first := strings.TrimSpace(p.print(l.lower))
	wide := sizeOfInteger(l.counter.resolved) > 4
	if wide {
		number = "(" + l.counter.base + ")" + number
	}
	c, constant := e.translation.constant(l.lower)
	switch {
	case constant && c == 0 && l.step == 1:
		return number
	case constant && c > 0 && l.step == 1 && !wide:
		return first + " + " + number
	}
	if !wide {
		number = "(int)(" + number + ")"
	} else {
		number = "(" + number + ")"
	}
	switch {
	case l.step == 1:
	case l.step == -1:
		return enclosed(first) + " - " + number
	case l.step < 0:
		return fmt.Sprintf("%s - %d * %s", enclosed(first), -l.step, number)
	default:
		number = fmt.Sprintf("%d * %s", l.step, number)
	}
	if constant && c == 0 {
		return number
	}
	return enclosed(first) + " + " + number
}

// sizeOfInteger is the size of an integer type by name, in bytes.
func sizeOfInteger(name string) int {
	for _, w := range []string{"long", "size_t", "ptrdiff_t", "64", "intptr"} {
		if strings.Contains(name, w) {
			return 8
		}
	}
	return 4
}

// commentsBetween are the comments that stand between the heads of a nest's loops.
func (e *emitter) commentsBetween(nest []*loop) (out []string) {
	u := e.translation
	inner := nest[len(nest)-1].body
	nest[0].node.Walk(func(n *parser.Node) bool {
		if n == inner {
			return false
		}
		if n.Kind == parser.KindComment {
			out = append(out, dedent(u.spelled(n), "")...)
		}
		return true
	})
	return out
}
