// Package slice judges kernels by running both texts: exchanges through shared memory that are made in rounds.
package slice

import (
	"slices"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/validate/content"
	"github.com/smux-cuda/smux/validate/kit"
	"github.com/smux-cuda/smux/validate/linear"
	"github.com/smux-cuda/smux/validate/units"
)

// Slice makes an exchange through shared memory in rounds: by component, by window or by array. Statements are there
// several times, in parts, and values wait in registers, so that no erasure by tokens is left. Both texts are run
// instead, for all threads of a block in step, with what is not known as terms (term.go): what two runs compute in
// the same way of the same is the same term. Then
//
//	content   each thread stores the same terms at the same places in the same order, array by array;
//	moves     what the new text loads the original loads, too, in the same thread and where the same conditions are so,
//	          and no barrier is missing between a load and a store that it parted (order.go);
//	turns     between uses of one element of shared memory by two threads of the new text lies a barrier (race.go);
//	uniform   all threads meet each barrier, and loops with barriers go round as often as loops of the original;
//	copies    what is used of an array lies in it.
//
// A loop whose iterations can't be counted is run once with what it changes as atoms, and what it leaves is a term of
// what it begins with, of what an iteration makes of that, and of its condition (loop.go). Loops that were parted
// are the same by that as they were before: only what a value needs is in its term.
//
// Where the original reads what nobody wrote anything is right, so that such values are one term, "undefined".
type replay struct {
	c     *kit.Comparison // of which the new text is the one that is run
	k     *kit.Kernel
	st    *kit.KernelState
	g     *terms
	n     int // threads
	block [3]int
	same  func(string) bool // device functions that are the same in both texts

	members map[string][]member // the fields of types

	frame   *scope
	statics map[*ir.Var]*region
	globals map[string]*region
	chains  map[string]*region // by class of arrays: what a thread has stored
	epochs  map[string]*region // and what all had at the last barrier
	path    []*term            // conditions that are not known
	single  int                // branches of which the condition is not known
	dry     int                // nothing is noted: the run is repeated
	depth   int                // of loops that are not counted
	clock   int
	steps   int
	calls   int
	changes []map[cell]val // what cells held before, by the innermost branch or loop
	marked  map[string]int

	phase    int // barriers that were met
	segment  int // loops with barriers that were entered or left
	began    int // the phase in which the segment begins
	lengths  []int
	warps    []int // barriers of warps that were met
	loops    []*term
	accesses map[*region]*accesses
	head     map[*region]*accesses // those before the first barrier of a loop
	symbolic map[symbolicUse]int
	inside   ir.Range // the innermost loop that is not counted
	bounds   map[bounded][]bound
	before   map[bounded][]bound // those of a run before
	loads    []load
	events   []event
	from     map[*term]int // where a store stands
	old      *replay       // the original's, where this is the new text's
}

// scope is a call that is run.
type scope struct {
	fn     *ir.Func
	vars   map[*ir.Var]*region
	refs   map[*ir.Var][]lvalue // references, by thread
	gone   []bool               // threads that returned
	left   []bool               // threads that left the innermost loop
	next   []bool               // threads that left its iteration
	result []val
}

// stopped ends a run: something can't be followed, or is wrong.
type stopped struct{}

func (y *replay) stop(c kit.Condition, at int, format string, args ...any) {
	y.k.Doubt(c, y.c.New.File, at, format, args...)
	panic(stopped{})
}

// Judge judges a kernel by runs of both texts, and reports whether that was asked for: it is asked
// for, or some shared array has other extents or another type than the original's, or is gone.
func Judge(c *kit.Comparison, k *kit.Kernel, a, b *parser.Function, asked bool) bool {
	back := turned(c)
	runs := func() (*replay, *replay) {
		return replayOf(back, k, c.OldNames.Lower(c.Old.File, a)), replayOf(c, k, c.NewNames.Lower(c.New.File, b))
	}
	ya, yb := runs()
	if !asked && !otherArrays(ya.st.Reach, yb.st.Reach) {
		return false
	}
	was := *k
	k.Variant, k.Doubts, k.Shown = "slice", []kit.Doubt{}, []kit.Obligation{}
	defer func() {
		if was.Variant == "overlay" && len(k.Doubts) > 0 {
			k.Variant, k.Doubts = was.Variant, append(was.Doubts, k.Doubts...)
		}
		if v := recover(); v != nil {
			switch v.(type) {
			case stopped:
			case linear.TooMuch:
				k.Doubt(kit.Content, c.New.File, b.Start, "too much is computed to follow what threads exchange")
			default:
				panic(v)
			}
		}
	}()
	if !c.HeadFits(k, c.Head(c.Old, a), c.Head(c.New, b), b) {
		return true
	}
	shapes, known := content.ShapesOf(c, k.Name)
	if !known {
		yb.stop(kit.Content, b.Start, "what threads exchange can't be told without the shape of a block")
	}
	k.RunFor(shapes)
	for _, shape := range shapes {
		ya, yb = runs()
		yb.old, yb.g = ya, ya.g
		again := map[string]bool{}
		ya.same = func(name string) bool { return sameFunctions(c, back, name, again) }
		yb.same = ya.same
		ya.run(shape)
		if len(ya.bounds) > 0 { // once more, with what is known of subscripts then
			yc, _ := runs()
			yc.g, yc.same, yc.before = ya.g, ya.same, ya.bounds
			ya, yb.old = yc, yc
			ya.run(shape)
		}
		yb.run(shape)
		yb.fits()
	}
	k.Show(kit.Erasure, "both texts are run", k.Pos)
	k.Show(kit.Content, "run for all threads of a block: each thread stores what it stored")
	k.Show(kit.Moves, "what is loaded was loaded, in the same thread and with barriers between where they were")
	k.Show(kit.Turns, "a barrier lies between uses of one element by two threads")
	k.Show(kit.Uniform, "all threads meet each barrier")
	k.Show(kit.Copies, "what is used of an array lies in it")
	k.Show(kit.Launches, "launched as it was").Assumes = "launches that are not in view have blocks of such a shape, too"
	return true
}

// Functions reports whether all kernels that reach a device function that differs from the original's are shown by runs of
// both texts, in which it is run. Kernels that are the same but for it are run here.
func Functions(c *kit.Comparison, r *kit.Result, from *parser.Function, callers []*parser.Function) bool {
	if len(callers) == 0 || from.Quals&parser.QualHost != 0 || c.Escapes(from.Name) {
		return false
	}
	for _, fn := range callers {
		i := slices.IndexFunc(r.Kernels, func(k *kit.Kernel) bool { return k.Name == fn.Name })
		j := slices.IndexFunc(c.Old.File.Functions, func(a *parser.Function) bool { return a.Name == fn.Name && a.IsKernel() && a.Body != nil })
		if i < 0 || j < 0 || c.FileOf[fn] != c.New.File {
			return false
		}
		k := r.Kernels[i]
		if was := *k; k.Variant == kit.Same {
			k.State = &kit.KernelState{}
			if Judge(c, k, c.Old.File.Functions[j], fn, true); !k.Proved() {
				*k = was
			}
		}
		if k.Variant != "slice" || !k.Proved() {
			return false
		}
	}
	return true
}

// turned is the comparison with the two texts exchanged.
func turned(c *kit.Comparison) *kit.Comparison {
	out := &kit.Comparison{Old: c.New, New: c.Old, OldNames: c.NewNames, NewNames: c.OldNames, Sources: c.Sources, Devices: map[string][]*parser.Function{}, FileOf: map[*parser.Function]*parser.File{},
		Low: map[*parser.Function]*ir.Func{}, Device: map[*ir.Func]bool{}}
	for _, f := range c.OldNames.Prog.All() {
		for _, fn := range f.Functions {
			out.FileOf[fn] = f
			if fn.Body != nil && (fn.IsDevice() || fn.Quals == 0) {
				out.Devices[fn.Name] = append(out.Devices[fn.Name], fn)
			}
		}
	}
	return out
}

func replayOf(c *kit.Comparison, k *kit.Kernel, fn *ir.Func) *replay {
	y := &replay{c: c, k: k, st: &kit.KernelState{}, g: &terms{all: map[string]*term{}, numbers: map[content.Value]*term{}}, members: map[string][]member{}, statics: map[*ir.Var]*region{}, globals: map[string]*region{}, chains: map[string]*region{}, epochs: map[string]*region{},
		accesses: map[*region]*accesses{}, symbolic: map[symbolicUse]int{}, bounds: map[bounded][]bound{}, from: map[*term]int{}, lengths: []int{}, marked: map[string]int{}}
	c.ReachFrom(&kit.Kernel{State: y.st}, fn)
	return y
}

// otherArrays reports whether the functions of two texts share other arrays.
func otherArrays(as, bs []*ir.Func) bool {
	arrays := func(fns []*ir.Func) map[string]bool {
		out := map[string]bool{}
		for _, fn := range fns {
			for _, v := range fn.Vars {
				if v.Kind == ir.VarShared {
					out[v.Name+" "+v.Type.String()+units.Text(units.NewSource(fn.File).Between(v.Range.Start, v.Range.End))] = true
				}
			}
		}
		return out
	}
	a, b := arrays(as), arrays(bs)
	for name := range a {
		if !b[name] {
			return true
		}
	}
	return false
}

// sameFunctions reports whether the device functions of a name are the same in both texts, and those that they call.
func sameFunctions(c *kit.Comparison, old *kit.Comparison, name string, seen map[string]bool) bool {
	if same, known := seen[name]; known {
		return same
	}
	write := func(c *kit.Comparison) (out []units.Unit) {
		for _, fn := range c.Devices[name] {
			out = append(out, c.SourceOf(c.FileOf[fn]).Between(min(fn.Start, int(fn.Outer.Start)), int(fn.Outer.End))...)
		}
		return out
	}
	seen[name] = false // of one that calls itself
	equal := units.Same(write(old), write(c))
	for _, fn := range c.Devices[name] {
		kit.Walk(c.Lowered(fn).Body, func(e *ir.Expr) bool {
			equal = equal && (e.Op != ir.OpCall || len(c.Devices[e.Name])+len(old.Devices[e.Name]) == 0 || sameFunctions(c, old, e.Name, seen))
			return equal
		})
	}
	seen[name] = equal
	return equal
}

// run runs the kernel for all threads of a block.
func (y *replay) run(block [3]int) {
	y.block, y.n = block, block[0]*block[1]*block[2]
	y.warps = make([]int, y.n)
	fn := y.st.Reach[0]
	y.frame = y.newScope(fn)
	for _, p := range append(slices.Clone(fn.TParams), fn.Params...) {
		y.parameter(p)
	}
	y.stmt(fn.Body, y.all())
	y.lengths = append(y.lengths, y.phase-y.began)
}

func (y *replay) all() []int {
	out := make([]int, y.n)
	for t := range out {
		out[t] = t
	}
	return out
}

func (y *replay) newScope(fn *ir.Func) *scope {
	return &scope{fn: fn, vars: map[*ir.Var]*region{}, refs: map[*ir.Var][]lvalue{}, gone: make([]bool, y.n), left: make([]bool, y.n), next: make([]bool, y.n), result: make([]val, y.n)}
}

// parameter declares one of the kernel's: a number that all threads have, or the address of an array.
func (y *replay) parameter(p *ir.Var) {
	r := y.variable(p)
	for t := range y.n {
		switch {
		case p.Kind == ir.VarTemplateType:
			y.stop(kit.Erasure, p.Range.Start, "%s is not followed", p.Name)
		case p.Type.Ptr == 0 && !p.Type.Ref:
			for i, f := range r.fields {
				r.cells[t][i] = val{t: y.g.field(y.g.of("parameter "+p.Name, kit.PlainName(p.Type.Base)), f.name, f.typ, len(r.fields))}
			}
		case p.Type.Ptr == 1 && !p.Type.Ref || p.Type.Rows != nil:
			r.cells[t][0] = val{at: y.global(p), off: y.g.number(0)}
		default:
			y.stop(kit.Erasure, p.Range.Start, "%s is not followed", p.Name)
		}
	}
}
