package acc

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/internal/lists"
)

// gangs is the number of thread blocks that directives ask for a nest of one loop, in C; "" where they leave it open.
func (e *emitter) gangs(k *kernelStep) string {
	for _, p := range []*pragma{k.by, e.pragma} {
		for _, name := range []string{"num_gangs", "gang"} {
			if p == nil || len(k.nest) > 1 {
				continue
			}
			if c, _ := p.Clause(name); len(c.Args) == 1 && (c.Args[0].Key == "" || c.Args[0].Key == "num") {
				return c.Args[0].Text
			}
		}
	}
	return ""
}

// few are the thread blocks of a grid where they are combined: of 256 threads each, enough for every GPU at the time of writing.
var few = [][]int{{1024}, {64, 16}, {32, 8, 4}}

// ends are the variables that a nest's bounds name and of which the device may have other values than the host.
func (e *emitter) ends(nest *kernelStep) (out []*variable) {
	for _, l := range nest.nest {
		for _, a := range l.bounds(e.translation.unit) {
			i := e.region.of(a.v)
			if i != nil && e.moved[a.v] && a.v.isScalar() && !slices.Contains(out, a.v) && (i.outer != nil || i.counted || e.isLocal(a.v) || e.translation.assigned(e.construct.stmt, a.v)) {
				out = append(out, a.v)
			}
		}
	}
	return out
}

func (e *emitter) launch(k *kernelText, nest *kernelStep, m mapping) {
	ends := e.ends(nest)
	if len(ends) > 0 {
		e.out.Open("")
		defer e.out.Shut()
	}
	for _, v := range ends {
		e.out.Add(fmt.Sprintf("%s %s; // as the device has it", v.base, v.name), copyText("&"+v.name, e.region.of(v).device, "sizeof("+v.name+")", toHost, ""))
	}
	block, grid := lists.Map(m.Block, strconv.Itoa), []string{}
	for i := range m.order {
		grid = append(grid, e.gridAlong(nest, m, i))
	}
	if len(nest.reductions) > 0 {
		e.launchReduction(k, nest, grid, block)
	} else {
		e.call(k, extents(grid), extents(block))
	}
}

// extents are numbers along the dimensions of a grid or of a thread block, in C.
func extents(n []string) string {
	if len(n) == 1 {
		return n[0]
	}
	return "dim3(" + strings.Join(n, ", ") + ")"
}

func (e *emitter) call(k *kernelText, grid, block string) {
	stream := ""
	if q := e.queueOf(e.pragma); q != "" {
		stream = ", 0, " + q
	}
	e.out.Add(fmt.Sprintf("%s<<<%s, %s%s>>>(%s);", k.name, grid, block, stream, strings.Join(lists.Map(k.params, func(p parameter) string { return p.given }), ", ")), "ACC_CHECK(cudaGetLastError());")
}

// gridAlong is the number of thread blocks along a dimension.
func (e *emitter) gridAlong(nest *kernelStep, m mapping, i int) string {
	l, limit, gangs, each := m.order[i], mostBlocks, e.gangs(nest), 1
	outer := e.governed(nest)
	if nest.phases == nil {
		each = m.Block[i]
	} else if gangs != "" && byWorkers(outer) { // of which each has a thread block
		if n, _ := e.sizeOf(outer, "worker", "num_workers"); n > 1 {
			gangs = fmt.Sprintf("%s * %d", enclosed(gangs), n)
		}
	}
	switch all := few[len(m.order)-1]; {
	case len(nest.reductions) > 0 && i == 0 && m.Blocks > 0:
		limit = max(1, m.Blocks/Mapping{Block: all[1:]}.Threads())
	case len(nest.reductions) > 0:
		limit = all[i]
	case i == 0:
		limit = math.MaxInt32
	}
	if e.options.Count {
		n, _ := e.assumed.iterations(l)
		n = min((n+int64(each)-1)/int64(each), int64(limit))
		if asked, ok := e.translation.value(gangs, e.pragma); ok && asked > 0 {
			n = asked
		}
		return fmt.Sprint(n)
	}
	e.use("acc_blocks")
	switch {
	case gangs != "":
		return fmt.Sprintf("acc_blocks(%s, 1)", gangs)
	case limit == math.MaxInt32:
		return fmt.Sprintf("acc_blocks(%s, %d)", e.iterations(l), each)
	}
	e.use("acc_blocks_up_to")
	return fmt.Sprintf("acc_blocks_up_to(%d, %s, %d)", limit, e.iterations(l), each)
}

// iterations is the number of iterations of a loop, in C; it may be negative for none.
func (e *emitter) iterations(l *loop) string {
	u := e.translation
	first, last := strings.TrimSpace(u.spelled(l.lower)), strings.TrimSpace(u.spelled(l.upper))
	step := l.step
	if step < 0 {
		first, last, step = last, first, -step
	}
	n := last
	if c, ok := parseConstant(first); !ok || c != 0 {
		if n = enclosed(last); u.number(l.lower) == ir.Uint || u.number(l.upper) == ir.Uint {
			n = "(long long)" + n // it may be below the other one
		}
		n += " - " + enclosed(first)
	}
	if l.inclusive {
		n += fmt.Sprintf(" + %d", step)
	} else if step > 1 {
		n += fmt.Sprintf(" + %d", step-1)
	}
	if step == 1 {
		return n
	}
	return fmt.Sprintf("(%s) / %d", n, step)
}
