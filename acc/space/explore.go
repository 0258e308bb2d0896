package space

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/acc"
	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/passes"
	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite"
)

// usualThreads is the number of threads in the blocks by which loops are compared.
const usualThreads = 256

// tie is the factor by which another mapping must be faster than the default, the launch included.
const (
	tie = 1.02
	// stagingPays is the factor by which a form of stage must be faster than the best that stages nothing.
	stagingPays = 1.05
	launch      = 2 // microseconds, about: what an empty kernel takes
)

// explorer looks for mappings of the kernels of one file.
type explorer struct {
	prog    *parser.Program
	file    *parser.File
	options acc.Options
	gpus    []*gpu.GPU
	found   map[string]*found // by kernel
	order   []string
}

// found holds the facts about a nest.
type found struct {
	acc.Nest
	points    []*point // in the order in which they were looked at: the default first
	uncounted string   // why nothing can be said, "" where something can
	registers map[string]int
}

// point is a mapping with what the model says of it on each GPU.
type point struct {
	acc.Mapping
	staged rewrite.Variant // what is staged in shared memory, and how; the zero value for nothing
	rows   []Row           // by GPU
	blocks int             // of the grid
}

// Want says which parts of a translation the model chooses; acc chooses the others by itself.
type Want struct {
	Mappings, Schemes bool
	// Report has schemes looked at to be reported, too.
	Report bool
}

// Explore translates a file with the mappings that the model expects to be the fastest on the
// GPUs, on the geometric mean, and reports what it has looked at. What is not wanted is
// only reported. What is to be staged of the kernels is returned by their names: Stage does it.
func Explore(prog *parser.Program, file *parser.File, options acc.Options, gpus []*gpu.GPU, want Want) (*acc.Result, map[string]rewrite.Variant, Report, error) {
	result, err := acc.Translate(prog, file, options)
	if err != nil {
		return nil, nil, Report{}, err
	}
	x := &explorer{prog: prog, file: file, options: options, gpus: gpus, found: map[string]*found{}}
	for _, n := range result.Nests {
		x.found[n.Kernel] = &found{Nest: n, registers: map[string]int{}}
		x.order = append(x.order, n.Kernel)
	}
	looks := []func() error{x.looking((*found).orders), x.looking((*found).sizes), x.looking(x.grids)}
	if want.Schemes || want.Report {
		looks = append(looks, x.stage)
	}
	for _, look := range looks {
		if err := look(); err != nil {
			return nil, nil, Report{}, err
		}
	}
	options.Mappings = map[string]acc.Mapping{}
	chosen, staged := map[string]*point{}, map[string]rewrite.Variant{}
	for _, f := range x.found {
		p := f.bestOf(want)
		if p == nil {
			continue
		}
		chosen[f.Kernel] = p
		if !p.Equal(f.points[0].Mapping) {
			options.Mappings[f.Kernel] = p.Mapping
		}
		if p.staged.Rewriter != "" {
			staged[f.Kernel] = p.staged
		}
	}
	if len(options.Mappings) > 0 {
		if result, err = acc.Translate(prog, file, options); err != nil {
			return nil, nil, Report{}, err
		}
	}
	return result, staged, x.report(chosen), nil
}

// orders are the default, and each choice of loops with blocks of about one size; not all loops get threads where sizes are known.
func (f *found) orders() []acc.Mapping {
	out := []acc.Mapping{f.Mappings[0]}
	by := map[string]int{key(f.Mappings[0]): 0}
	off := func(m acc.Mapping) float64 {
		return math.Abs(math.Log2(float64(m.Threads()) / usualThreads))
	}
	for _, m := range f.Mappings[1:] {
		i, ok := by[key(m)]
		if !ok && !f.Known && f.Gangs == 0 && len(m.Loops) < len(f.Loops) {
			continue
		}
		if !ok {
			by[key(m)] = len(out)
			out = append(out, m)
		} else if i > 0 && off(m) < off(out[i]) {
			out[i] = m
		}
	}
	return out
}

func key(m acc.Mapping) string { return fmt.Sprint(m.Loops) }

// sizes are all blocks for the loops of the best mapping so far, and for those of the default.
func (f *found) sizes() (out []acc.Mapping) {
	best := f.best()
	if best == nil {
		return nil
	}
	for _, m := range f.Mappings {
		seen := slices.ContainsFunc(f.points, func(p *point) bool { return p.Equal(m) })
		if !seen && (key(m) == key(best.Mapping) || key(m) == key(f.Mappings[0])) {
			out = append(out, m)
		}
	}
	return out
}

// mostCombined is the largest number of thread blocks that are combined: the model does not count that the host adds them up.
const mostCombined = 4096

// grids are the best mapping so far with once and twice as many thread blocks as a GPU holds, where blocks are combined.
func (x *explorer) grids(f *found) (out []acc.Mapping) {
	best := f.best()
	if best == nil || !f.Combined {
		return nil
	}
	for i, g := range x.gpus {
		for waves := range 2 {
			m := best.Mapping
			m.Blocks = (waves + 1) * best.rows[i].Blocks * g.SMs
			if m.Blocks > 0 && m.Blocks <= mostCombined && !slices.ContainsFunc(out, m.Equal) {
				out = append(out, m)
			}
		}
	}
	return out
}

// looking translates the file with mappings of each kernel, one of each at a time, and has the model time them.
func (x *explorer) looking(what func(*found) []acc.Mapping) func() error {
	one := func(at map[string]acc.Mapping) error {
		counted, err := x.counted(at)
		if err != nil {
			return err
		}
		for _, k := range counted.Kernels() {
			if m, ok := at[k.Name]; ok {
				x.found[k.Name].count(k, m, rewrite.Variant{}, x.gpus)
			}
		}
		return nil
	}
	return func() error {
		next := map[string][]acc.Mapping{}
		for name, f := range x.found {
			if f.uncounted == "" {
				next[name] = what(f)
			}
		}
		return inTurns(next, one)
	}
}

// inTurns does something with the first of each kernel's list, then with the second, until all lists are over.
func inTurns[T any](lists map[string][]T, do func(at map[string]T) error) error {
	for i := 0; ; i++ {
		at := map[string]T{}
		for kernel, list := range lists {
			if i < len(list) {
				at[kernel] = list[i]
			}
		}
		if len(at) == 0 {
			return nil
		}
		if err := do(at); err != nil {
			return err
		}
	}
}

// counted is the translation with some mappings, for a model to count.
func (x *explorer) counted(at map[string]acc.Mapping) (*analysis.Program, error) {
	options := x.options
	options.Count, options.Mappings, options.KernelFile = true, at, ""
	result, err := acc.Translate(x.prog, x.file, options)
	if err != nil {
		return nil, err
	}
	parsed, err := x.prog.WithTexts(map[string][]byte{x.file.Name: result.Text})
	if err != nil {
		return nil, err
	}
	return passes.NewProgram(parsed, [3]int{}), nil
}

// best is the point with the best mean, the default where none is much better; nil if nothing is known.
func (f *found) best() *point { return f.bestOf(Want{Mappings: true, Schemes: true}) }

// bestOf is best of what is wanted to be chosen; the default has the rest.
func (f *found) bestOf(want Want) *point {
	if f.uncounted != "" || len(f.points) == 0 {
		return nil
	}
	best, gained := f.points[0], tie
	if f.short() {
		return best
	}
	standard := best
	for _, staged := range []bool{false, true} {
		if staged {
			gained = max(1, best.over(standard)) * stagingPays
		}
		for _, p := range f.points[1:] {
			if (p.staged.Rewriter != "") != staged || staged && !want.Schemes || (!want.Mappings || f.uneven()) && !p.Equal(standard.Mapping) {
				continue
			}
			if gain := p.over(f.points[0]); gain > gained {
				best, gained = p, gain
			}
		}
	}
	return best
}

// short reports whether a kernel as it is takes no longer than its launch.
func (f *found) short() bool {
	return !slices.ContainsFunc(f.points[0].rows, func(r Row) bool { return r.Impossible != "" || r.Time > launch })
}

// fewBlocks is the number of thread blocks below which one can't stand for all, where iterations differ.
const fewBlocks = 8

// uneven reports whether iterations differ, and thread blocks are too few for the model to see how.
func (f *found) uneven() bool {
	return f.Uneven && slices.ContainsFunc(f.points, func(p *point) bool { return p.blocks < fewBlocks })
}

// loss is the least relative speed of a mapping on each of the GPUs, as for the choice of a rewrite.
const loss = 0.97

// over is the same as speed, but 0 where a point is slower on a GPU by more than is bearable.
func (p *point) over(o *point) float64 {
	for i := range p.rows {
		if a, b := p.rows[i], o.rows[i]; a.Impossible == "" && b.Impossible == "" && (launch+b.Time)/(launch+a.Time) < loss {
			return 0
		}
	}
	return p.speed(o)
}

// speed is relative to another point, on the geometric mean of the GPUs; 0 where one that runs that can't run this.
func (p *point) speed(o *point) float64 {
	sum, n := 0.0, 0
	for i, b := range o.rows {
		if b.Impossible != "" {
			continue
		}
		a := p.rows[i]
		if a.Impossible != "" {
			return 0
		}
		sum, n = sum+math.Log((launch+b.Time)/(launch+a.Time)), n+1
	}
	if n == 0 {
		return 0
	}
	return math.Exp(sum / float64(n))
}

// report lists the nests that were looked at, in the order of the text.
func (x *explorer) report(chosen map[string]*point) Report {
	r := Report{Schema: Schema, Kernels: []Kernel{}}
	for _, name := range x.order {
		f := x.found[name]
		k := Kernel{Name: name, Position: f.Pos, Loops: f.Loops, Trips: f.Trips, Known: f.Known, Assumptions: f.Assumed, GPUs: []GPU{}}
		p := chosen[name]
		switch best := f.best(); {
		case f.uncounted != "":
			k.Kept = f.uncounted
		case len(f.Mappings) == 1 && len(f.points) == 1:
			k.Kept = "the directives leave nothing open"
		case p != nil && p != f.points[0]:
		case f.short():
			k.Kept = fmt.Sprintf("it takes less than the %d us of a launch", launch)
		case f.uneven() && best == f.points[0]:
			k.Kept = "its iterations differ, and there are few thread blocks of them"
		case best == f.points[0]:
			k.Kept = fmt.Sprintf("nothing is expected to be more than %.0f %% faster", 100*(tie-1))
		default:
			form := strings.TrimSuffix(best.Shape()+", "+scheme(best.staged), ", ")
			k.Kept = fmt.Sprintf("with %s it would be %s, expected to be %.2f times as fast", best.flags(f.points[0]), form, best.over(f.points[0]))
		}
		for i, g := range x.gpus {
			out := GPU{Name: g.String(), Rows: []Row{}}
			for j, o := range f.points {
				row := o.rows[i]
				row.Default, row.Chosen = j == 0, o == p || p == nil && j == 0
				out.Rows = append(out.Rows, row)
			}
			sorted(out.Rows)
			k.GPUs = append(k.GPUs, out)
		}
		r.Kernels = append(r.Kernels, k)
	}
	return r
}

// flags are those with which a point would be chosen.
func (p *point) flags(standard *point) string {
	switch {
	case p.staged.Rewriter == "":
		return "--gpu"
	case p.Equal(standard.Mapping):
		return "--stage"
	}
	return "--gpu and --stage"
}

// scheme names what is staged, and how.
func scheme(w rewrite.Variant) string {
	if w.Rewriter == "" {
		return ""
	}
	return strings.TrimSpace("staged " + strings.TrimPrefix(w.String(), w.Rewriter))
}
