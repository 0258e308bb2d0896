package acc

import (
	"fmt"
	"strings"

	"github.com/smux-cuda/smux/parser"
)

// axes are the dimensions of a grid, the fastest first.
var axes = []string{"x", "y", "z"}

// shapes are the thread blocks of nests of one, two and three loops where nobody says more.
var shapes = [][]int{{256}, {32, 8}, {32, 4, 2}}

// wide writes the kernel of a nest of parallel loops: each iteration is a thread.
func (e *emitter) wide(k *kernelStep) error {
	u := e.translation
	nest := k.nest
	from, _ := u.original(int(nest[0].node.Start), int(nest[0].node.End))
	text := &kernelText{name: e.kernelName(e.pragma, from)}
	stmts := []*parser.Node{nest[0].node}
	local := map[*variable]bool{}
	for _, v := range u.variablesIn(nest[0].node) {
		if e.private[v] || v.isScalar() && !e.moved[v] && u.assigned(nest[0].node, v) {
			local[v] = true
		}
	}
	params, err := e.parameters(stmts, local)
	if err != nil {
		return err
	}
	text.params = params
	counters := map[*variable]bool{}
	var names []string
	for _, l := range nest {
		counters[l.counter] = true
		names = append(names, l.counter.name)
	}
	text.title = fmt.Sprintf("each thread does one iteration of %s", strings.Join(names, ", "))
	body := &lines{level: 1}
	p := e.printer()
	order := e.order(k)
	var guards []string
	for i := len(order) - 1; i >= 0; i-- {
		l := order[i]
		body.add(fmt.Sprintf("%s %s = %s;", l.counter.base, l.counter.name, e.thread(p, l, axes[i])))
	}
	for _, l := range nest {
		guards = append(guards, fmt.Sprintf("%s %s %s", l.counter.name, l.comparison(), p.print(l.upper)))
	}
	for _, v := range e.localsOf(stmts, local) {
		if !counters[v] {
			body.add(v.declaration() + ";")
		}
	}
	body.add("")
	body.add(fmt.Sprintf("if (%s) {", strings.Join(guards, " && ")))
	body.level++
	body.add(p.statement(k.body)...)
	body.level--
	body.add("}")
	text.body = body.b.String()
	text.comments = e.commentsBetween(nest)
	e.emit(text)
	e.launch(text, order)
	return nil
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

// order are the loops of a nest by the dimension that their iterations get, x first: the loop
// whose counter neighbouring elements belong to is first.
func (e *emitter) order(k *kernelStep) (out []*loop) {
	for i := len(k.nest) - 1; i >= 0; i-- {
		out = append(out, k.nest[i])
	}
	score := make([]int, len(out))
	f := newForms(e.translation.unit, k.nest[0])
	for _, a := range e.translation.accessesOf(k.body) {
		if len(a.subs) == 0 || a.subs[len(a.subs)-1] == nil {
			continue
		}
		p := f.of(a.subs[len(a.subs)-1], 0)
		for i, l := range out {
			coef, _, ok := p.Linear(f.symbol(l.counter, 0))
			if c, constant := coef.Constant(); ok && constant && (c == 1 || c == -1) {
				score[i]++
			}
		}
	}
	best := 0
	for i := range out {
		if score[i] > score[best] {
			best = i
		}
	}
	out[0], out[best] = out[best], out[0]
	return out
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

// iterations is the number of iterations of a loop, in C; it may be negative for none.
func (e *emitter) iterations(l *loop) string {
	u := e.translation
	first, last := strings.TrimSpace(u.spelled(l.lower)), strings.TrimSpace(u.spelled(l.upper))
	step := l.step
	if step < 0 {
		first, last, step = last, first, -step
	}
	n := enclosed(last)
	if c, ok := parseConstant(first); !ok || c != 0 {
		n += " - " + enclosed(first)
	} else {
		n = last
	}
	more := int64(0)
	if l.inclusive {
		more = 1
	}
	if step == 1 {
		if more == 1 {
			n += " + 1"
		}
		return n
	}
	return fmt.Sprintf("(%s + %d) / %d", n, more+step-1, step)
}

// launch writes the launch of a kernel of a nest.
func (e *emitter) launch(k *kernelText, order []*loop) {
	shape := shapes[len(order)-1]
	e.use("acc_blocks")
	var block, grid []string
	for i, l := range order {
		block = append(block, fmt.Sprint(shape[i]))
		grid = append(grid, fmt.Sprintf("acc_blocks(%s, %d)", e.iterations(l), shape[i]))
	}
	if len(order) == 1 {
		e.out.add(fmt.Sprintf("%s<<<%s, %s>>>(%s);", k.name, grid[0], block[0], k.arguments()))
	} else {
		e.out.add(fmt.Sprintf("%s<<<dim3(%s), dim3(%s)>>>(%s);", k.name, strings.Join(grid, ", "), strings.Join(block, ", "), k.arguments()))
	}
	e.out.add("ACC_CHECK(cudaGetLastError());")
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
