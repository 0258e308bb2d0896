package acc

import (
	"fmt"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/parser"
)

// axes are the dimensions of a grid, the fastest first.
var axes = []string{"x", "y", "z"}

// shapes are the thread blocks of nests of one, two and three loops where nobody says more.
var shapes = [][]int{{256}, {32, 8}, {32, 4, 2}}

// wide writes the kernel of a nest of parallel loops: each iteration is a thread, or, where
// they are combined, each thread does some of them.
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
	for _, r := range k.reductions {
		local[r.v] = operations[r.op].neutral != ""
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
	body := &lines{level: 1}
	order := e.order(k)
	if len(k.reductions) > 0 {
		for _, r := range k.reductions {
			own[r.v] = true
			if n := operations[r.op].neutral; n != "" {
				body.add(fmt.Sprintf("%s %s = %s;", r.v.base, r.v.name, n))
			}
		}
		e.locals(body, stmts, local, own)
		e.strided(body, k, order)
		e.combine(body, text, k)
	} else {
		e.guarded(body, k, order, stmts, local, own)
	}
	text.body = body.b.String()
	text.comments = e.commentsBetween(nest)
	e.emit(text)
	e.launch(text, k, order)
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
func (e *emitter) guarded(body *lines, k *kernelStep, order []*loop, stmts []*parser.Node, local, own map[*variable]bool) {
	further := map[*loop]bool{}
	for i, l := range order {
		n, ok := e.constantIterations(l)
		further[l] = i > 0 && !(ok && n <= mostBlocks*int64(e.shape(k)[i])) || e.gangs(k) != ""
	}
	returns := k.nest[len(k.nest)-1]
	var guards, heads []string
	for _, l := range slices.Backward(order) {
		if further[l] {
			returns = nil
		}
	}
	p := e.printer(returns)
	for i := len(order) - 1; i >= 0; i-- {
		if l := order[i]; !further[l] {
			body.add(fmt.Sprintf("%s %s = %s;", l.counter.base, l.counter.name, e.thread(p, l, axes[i])))
		}
	}
	for _, l := range k.nest {
		if further[l] {
			heads = append(heads, e.head(p, l, axes[slices.Index(order, l)]))
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
// threads along an axis.
func (e *emitter) head(p *printer, l *loop, axis string) string {
	stride, op := fmt.Sprintf("gridDim.%s * blockDim.%s", axis, axis), "+="
	switch {
	case l.step < -1:
		stride, op = fmt.Sprintf("%d * (int)(%s)", -l.step, stride), "-="
	case l.step == -1:
		op = "-="
	case l.step > 1:
		stride = fmt.Sprintf("%d * %s", l.step, stride)
	}
	return fmt.Sprintf("for (%s %s = %s; %s %s %s; %s %s %s)", l.counter.base, l.counter.name, e.thread(p, l, axis),
		l.counter.name, l.comparison(), p.print(l.upper), l.counter.name, op, stride)
}

// strided writes the nest for a thread that does some iterations.
func (e *emitter) strided(body *lines, k *kernelStep, order []*loop) {
	p := e.printer(nil)
	body.apart()
	for _, l := range k.nest {
		body.add(e.head(p, l, axes[slices.Index(order, l)]) + " {")
		body.level++
	}
	body.add(p.statement(k.body)...)
	for range k.nest {
		body.level--
		body.add("}")
	}
}

// combine writes what a block does with the values of its threads.
func (e *emitter) combine(body *lines, text *kernelText, k *kernelStep) {
	body.apart()
	for _, r := range k.reductions {
		block, _ := e.helpersOf(r)
		body.add(fmt.Sprintf("%s = %s(%s);", r.v.name, block, r.v.name))
	}
	body.add("if (threadIdx.x == 0 && threadIdx.y == 0 && threadIdx.z == 0) {")
	body.level++
	body.add("unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);")
	for _, r := range k.reductions {
		body.add(fmt.Sprintf("%s_of_block[block] = %s;", r.v.name, r.v.name))
		text.params = append(text.params, parameter{fmt.Sprintf("%s *%s_of_block", r.v.base, r.v.name), e.deviceName(r.v)})
	}
	body.level--
	body.add("}")
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

// tile is the thread block that a tile clause describes, the innermost loop along x; nil where
// there is none, or where its sizes are not known or make no thread block.
func (e *emitter) tile(k *kernelStep) []int {
	if k.by == nil {
		return nil
	}
	c, ok := k.by.Clause("tile")
	if !ok || len(c.Args) != len(k.nest) {
		return nil
	}
	var shape []int
	threads := int64(1)
	for i := len(c.Args) - 1; i >= 0; i-- {
		n, ok := e.translation.value(c.Args[i].Text, k.by)
		if threads *= n; !ok || n <= 0 || threads > 1024 {
			return nil
		}
		shape = append(shape, int(n))
	}
	if threads%32 != 0 && len(k.reductions) > 0 {
		return nil // a reduction needs whole warps
	}
	return shape
}

// shape is the thread block of a nest: of one loop as large as its directives say.
func (e *emitter) shape(k *kernelStep) []int {
	shape := slices.Clone(shapes[len(k.nest)-1])
	if tile := e.tile(k); tile != nil {
		return tile
	}
	if len(k.nest) > 1 {
		return shape
	}
	threads := 0
	for _, p := range []*pragma{k.by, e.pragma} {
		if p == nil || threads > 0 {
			continue
		}
		for _, name := range []string{"num_workers", "worker", "vector_length", "vector"} {
			if c, ok := p.Clause(name); ok && len(c.Args) > 0 {
				if n, ok := e.translation.value(c.Args[0].Text, p); ok && n > 0 {
					threads = max(threads, 1) * int(min(n, 1024))
				}
			}
		}
	}
	if threads > 0 {
		shape[0] = min(threads, 1024)
		if len(k.reductions) > 0 { // of whole warps
			shape[0] = (shape[0] + 31) / 32 * 32
		}
	}
	return shape
}

// value is the value of a constant expression in a directive.
func (t *translation) value(text string, p *pragma) (int64, bool) {
	expanded, err := t.file.Macros.Expand(text, p.start)
	if err != nil {
		return 0, false
	}
	f, err := parser.ParseFragment(expanded, parser.FragmentExpression)
	if err != nil {
		return 0, false
	}
	u := unit{source: &source{tree: &parser.File{Src: f.Src}}}
	return u.constant(f.Nodes[0])
}

// gangs is the number of thread blocks that directives ask for a nest of one loop, in C; ""
// where they leave it open.
func (e *emitter) gangs(k *kernelStep) string {
	if len(k.nest) > 1 {
		return ""
	}
	for _, p := range []*pragma{k.by, e.pragma} {
		if p == nil {
			continue
		}
		for _, name := range []string{"num_gangs", "gang"} {
			if c, ok := p.Clause(name); ok && len(c.Args) == 1 && (c.Args[0].Key == "" || c.Args[0].Key == "num") {
				return c.Args[0].Text
			}
		}
	}
	return ""
}

// few is how many thread blocks a grid has in each dimension where they are combined.
var few = [][]int{{1024}, {64, 16}, {32, 8, 4}}

// launch writes the launch of a kernel of a nest.
func (e *emitter) launch(k *kernelText, nest *kernelStep, order []*loop) {
	shape := e.shape(nest)
	e.use("acc_blocks")
	var block, grid []string
	for i, l := range order {
		most := mostBlocks
		if len(nest.reductions) > 0 {
			most = few[len(order)-1][i]
		}
		block = append(block, fmt.Sprint(shape[i]))
		if gangs := e.gangs(nest); gangs != "" {
			grid = append(grid, fmt.Sprintf("acc_blocks(%s, 1)", gangs))
			continue
		}
		if i == 0 && len(nest.reductions) == 0 {
			grid = append(grid, fmt.Sprintf("acc_blocks(%s, %d)", e.iterations(l), shape[i]))
			continue
		}
		e.use("acc_blocks_up_to")
		grid = append(grid, fmt.Sprintf("acc_blocks_up_to(%d, %s, %d)", most, e.iterations(l), shape[i]))
	}
	if len(nest.reductions) > 0 {
		e.launchReduction(k, nest, grid, block)
		return
	}
	if len(order) == 1 {
		e.out.add(fmt.Sprintf("%s<<<%s, %s%s>>>(%s);", k.name, grid[0], block[0], e.stream(), k.arguments()))
	} else {
		e.out.add(fmt.Sprintf("%s<<<dim3(%s), dim3(%s)%s>>>(%s);", k.name, strings.Join(grid, ", "), strings.Join(block, ", "), e.stream(), k.arguments()))
	}
	e.out.add("ACC_CHECK(cudaGetLastError());")
}

// launchReduction writes the launch of a kernel whose thread blocks are combined.
func (e *emitter) launchReduction(k *kernelText, nest *kernelStep, grid, block []string) {
	e.out.add("{")
	e.out.level++
	e.out.add(fmt.Sprintf("dim3 grid(%s);", strings.Join(grid, ", ")), "unsigned blocks = grid.x * grid.y * grid.z;")
	for _, r := range nest.reductions {
		e.out.add(fmt.Sprintf("%s *%s;", r.v.base, e.deviceName(r.v)), fmt.Sprintf("ACC_CHECK(cudaMalloc(&%s, sizeof(%s) * blocks));", e.deviceName(r.v), r.v.base))
	}
	e.out.add(fmt.Sprintf("%s<<<grid, dim3(%s)%s>>>(%s);", k.name, strings.Join(block, ", "), e.stream(), k.arguments()), "ACC_CHECK(cudaGetLastError());")
	for _, r := range nest.reductions {
		_, total := e.helpersOf(r)
		e.out.add(fmt.Sprintf("%s = %s(%s, %s, blocks);", r.v.name, total, r.v.name, e.deviceName(r.v)))
	}
	e.out.level--
	e.out.add("}")
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
