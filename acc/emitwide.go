package acc

import (
	"fmt"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/acc/layout"
	"github.com/smux-cuda/smux/internal/lists"
	"github.com/smux-cuda/smux/parser"
)

// axes are the dimensions of a grid, the fastest first.
var axes = []string{"x", "y", "z"}

func (e *emitter) wide(k *kernelStep) {
	u := e.translation
	nest := k.nest
	from, _ := u.rangeOf(nest[0].node)
	text := &kernelText{name: e.kernelName(e.pragma, from)}
	e.assumed = u.assume(k)
	m := e.mapped(k, text.name)
	text.threads = m.Threads()
	stmts := []*parser.Node{nest[0].node}
	local := map[*variable]bool{}
	for _, v := range u.variablesIn(nest[0].node) {
		if e.private[v] || v.isScalar() && !e.moved[v] && u.assigned(nest[0].node, v) {
			local[v] = true
		}
	}
	e.reducing = map[*variable]bool{}
	for _, r := range k.reductions {
		refuseIf(e.options.Atomic && r.v.isNarrow(), u.at(e.pragma.Pos), CodeUnsupported, fmt.Sprintf("a reduction of type %s by atomic operations", r.v.base), "reduce an int, or leave --reduction atomic out")
		local[r.v] = operations[r.op].neutral != "" || r.elements > 0
		e.reducing[r.v] = true
		e.hosted[r.v] = e.isLocal(r.v) && !e.moved[r.v]
	}
	text.params = e.parameters(stmts, local)
	own := map[*variable]bool{} // declared by hand
	all := slices.Concat(nest, k.lanes)
	for _, l := range all {
		beside := func(a access) bool { // a mention beside the loops that count by it
			counts := func(o *loop) bool { return o.counter == l.counter && within(a.node, o.node) }
			return a.v == l.counter && !slices.ContainsFunc(all, counts)
		}
		own[l.counter] = k.phases == nil || !slices.ContainsFunc(u.accessesOf(k.body), beside)
	}
	text.title = e.titleOf(k, m)
	body := &layout.Lines{Level: 1}
	for _, r := range k.reductions {
		own[r.v] = true
		e.begins(body, text, r)
	}
	switch {
	case k.phases != nil:
		for _, v := range k.shared {
			if local[v] {
				own[v] = true
				body.Add("__shared__ " + v.declaration() + ";")
			}
		}
		e.locals(body, stmts, local, own)
		e.inBlocks(body, k, m)
	default:
		e.guarded(body, k, m, stmts, local, own)
	}
	if len(k.reductions) > 0 {
		e.combine(body, text, k)
	}
	text.body = body.String()
	for n := range nest[0].node.All() {
		if n.Kind == parser.KindComment && !within(n, k.body) { // between the heads of the loops
			text.comments = append(text.comments, layout.Dedent(u.spelled(n), "")...)
		}
	}
	e.emit(text)
	e.launch(text, k, m)
}

// titleOf says how the threads of a kernel share its iterations.
func (e *emitter) titleOf(k *kernelStep, m mapping) string {
	counters := func(loops []*loop) string {
		var out []string
		for _, l := range loops {
			out = lists.Add(out, l.counter.name)
		}
		return strings.Join(out, ", ")
	}
	alone := lists.Filter(k.nest, func(l *loop) bool { return m.axis(l) < 0 })
	title, threads := "each thread does one iteration of ", "its threads"
	switch {
	case k.phases != nil && (len(k.reductions) > 0 || e.gangs(k) != ""):
		title, threads = "thread blocks share the iterations of ", "their threads"
	case k.phases != nil:
		title = "each thread block does one iteration of "
	case len(k.reductions) > 0 || e.gangs(k) != "":
		title = "threads share the iterations of "
	}
	title += counters(k.nest)
	switch {
	case k.phases != nil:
		title += ", and " + threads + " share those of " + counters(k.lanes)
	case len(alone) > 0:
		title += ", and runs through " + counters(alone) + " alone"
	}
	return title
}

// locals declares variables that each thread has for itself, in the order in which statements mention them.
func (e *emitter) locals(body *layout.Lines, stmts []*parser.Node, local, but map[*variable]bool) {
	done := map[*variable]bool{}
	for _, s := range stmts {
		for _, v := range e.translation.variablesIn(s) {
			if !local[v] || but[v] || done[v] {
				continue
			}
			done[v] = true
			if n := e.lengths[v]; n > 0 {
				body.Add(fmt.Sprintf("%s %s[%d];", v.base, v.name, n))
			} else {
				body.Add(v.declaration() + ";")
			}
		}
	}
}

// guarded writes the body of a nest for a thread that does one iteration, or some: grids have few thread blocks in y and z.
func (e *emitter) guarded(body *layout.Lines, k *kernelStep, m mapping, stmts []*parser.Node, local, own map[*variable]bool) {
	looped := map[*loop]bool{} // a loop is left of it in each thread
	returns := k.nest[len(k.nest)-1]
	for _, l := range k.nest {
		i := m.axis(l)
		n, ok := e.constantIterations(l)
		looped[l] = i < 0 || i > 0 && !(ok && n <= mostBlocks*int64(m.Block[i])) || e.gangs(k) != "" || len(k.reductions) > 0
		if looped[l] {
			returns = nil
		}
	}
	var guards, heads []string
	p := e.printer(returns)
	for i, l := range slices.Backward(m.order) {
		if !looped[l] {
			number, _ := numbers(axes[i])
			body.Add(fmt.Sprintf("%s %s = %s;", l.counter.base, l.counter.name, e.first(p, l, number)))
		}
	}
	for _, l := range k.nest {
		if looped[l] {
			number, all := "", ""
			if i := m.axis(l); i >= 0 {
				number, all = numbers(axes[i])
			}
			heads = append(heads, e.head(p, l, number, all))
			continue
		}
		guards = append(guards, fmt.Sprintf("%s %s %s", l.counter.name, l.comparison(), p.print(l.upper)))
	}
	e.locals(body, stmts, local, own)
	body.Apart()
	if len(guards) > 0 {
		heads = append(heads, fmt.Sprintf("if (%s)", strings.Join(guards, " && ")))
	}
	for _, h := range heads {
		body.Open(h)
	}
	body.Add(p.statement(k.body)...)
	for range heads {
		body.Shut()
	}
}

// mostBlocks is the largest number of thread blocks of a grid in y and z.
const mostBlocks = 65535

// constantIterations is the number of iterations of a loop with constant bounds.
func (e *emitter) constantIterations(l *loop) (int64, bool) {
	a, ok := e.translation.constant(l.lower)
	b, also := e.translation.constant(l.upper)
	return max(a-b, b-a) + 1, ok && also
}

// head is the head of a loop of which a thread, or block, of some number of all does its part; all of it where number is "".
func (e *emitter) head(p *printer, l *loop, number, all string) string {
	first, by, op := e.first(p, l, number), max(l.step, -l.step), "+="
	if l.step < 0 {
		op = "-="
	}
	switch {
	case number == "":
		first, all = strings.TrimSpace(p.print(l.lower)), fmt.Sprint(by)
	case l.step < -1:
		all = fmt.Sprintf("%d * (int)(%s)", by, all)
	case l.step > 1:
		all = fmt.Sprintf("%d * %s", by, all)
	}
	return fmt.Sprintf("for (%s %s = %s; %[2]s %[4]s %[5]s; %[2]s %[6]s %[7]s)", l.counter.base, l.counter.name, first, l.comparison(), p.print(l.upper), op, all)
}

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

// numbers are the number of a thread along an axis, and how many there are.
func numbers(axis string) (number, all string) {
	return fmt.Sprintf("blockIdx.%s * blockDim.%s + threadIdx.%s", axis, axis, axis), fmt.Sprintf("gridDim.%s * blockDim.%s", axis, axis)
}

// first is the value that a counter has first in a thread of some number.
func (e *emitter) first(p *printer, l *loop, number string) string {
	first := strings.TrimSpace(p.print(l.lower))
	wide := l.counter.isIntegerOf(8)
	if wide {
		number = "(" + l.counter.base + ")" + number
	}
	c, constant := e.translation.constant(l.lower)
	switch {
	case constant && c == 0 && l.step == 1:
		return number
	case constant && c > 0 && l.step == 1 && !wide:
		return first + " + " + number
	case wide:
		number = "(" + number + ")"
	default:
		number = "(int)(" + number + ")"
	}
	if by := max(l.step, -l.step); by > 1 {
		number = fmt.Sprintf("%d * %s", by, number)
	}
	switch {
	case l.step < 0:
		return enclosed(first) + " - " + number
	case constant && c == 0:
		return number
	}
	return enclosed(first) + " + " + number
}
