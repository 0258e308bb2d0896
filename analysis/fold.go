package analysis

import (
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/parser"
)

// Constant folds an integer expression of fn to the one number that it has for
// all threads of an instance: from literals, constants, template arguments,
// the block's extents, and variables that never change.
func (k *Kernel) Constant(in *Instance, fn *ir.Func, e *ir.Expr) (int64, bool) {
	v := k.folding(in, fn).eval(e)
	return v.s, v.uniform()
}

// foldings are the frames in which expressions of one instance are folded; they
// keep what they have found of initialisers.
type foldings struct {
	in     *Instance
	frames map[*ir.Func]*frame
}

type foldingsKey struct{}

func (k *Kernel) foldings() *foldings {
	return Once(&k.memo, foldingsKey{}, func() *foldings { return &foldings{} })
}

// folding is a frame of fn with all steps left.
func (k *Kernel) folding(in *Instance, fn *ir.Func) *frame {
	folds := k.foldings()
	if folds.in != in || folds.frames == nil {
		*folds = foldings{in, map[*ir.Func]*frame{}}
	}
	f := folds.frames[fn]
	if f == nil {
		f = in.frame(k, fn)
		folds.frames[fn] = f
	}
	f.ev.budget = maxEvaluation
	return f
}

// PerThread folds an integer expression of fn for each thread of a block, in
// the order of the linear thread number. The slice has one element where the
// number is the same for all.
func (k *Kernel) PerThread(in *Instance, fn *ir.Func, e *ir.Expr) ([]int64, bool) {
	v := k.folding(in, fn).eval(e)
	switch {
	case !v.known:
		return nil, false
	case v.v == nil:
		return []int64{v.s}, true
	}
	return v.v, true
}

// Trips returns how often each thread runs the body of a for loop of fn, in the
// order of the linear thread number; one element where all do so alike. It is
// ok where the loop's counters and condition fold, and no thread leaves early.
func (k *Kernel) Trips(in *Instance, fn *ir.Func, loop *ir.Stmt) (trips []int64, ok bool) {
	x := k.execution(in.frame(k, fn))
	if loop.Op != ir.StmtFor || loop.LeavesEarly() {
		return nil, false
	}
	cs := x.counters(loop)
	if cs == nil {
		return nil, false
	}
	defer x.begin(loop, cs)()
	trips = []int64{0}
	done := []bool{false}
	for n := 0; n <= maxIterations; n++ {
		cond := x.eval(loop.Cond)
		if !cond.known || x.ev.spent() {
			return nil, false
		}
		for len(trips) < len(cond.v) {
			trips, done = append(trips, trips[0]), append(done, done[0])
		}
		more := false
		for i := range trips {
			done[i] = done[i] || cond.at(i) == 0
			if !done[i] {
				trips[i]++
				more = true
			}
		}
		if !more {
			return trips, true
		}
		x.advanceCounters(loop, cs)
	}
	return nil, false
}

// Grid returns the extents of the grid that an instance is launched with, ok
// false where they are not constant.
func (k *Kernel) Grid(in *Instance) (dims [3]int64, ok bool) {
	dims = [3]int64{1, 1, 1}
	e, f := k.hostFrame(in)
	if e == nil || len(in.Launch.View.Config) == 0 {
		return dims, false
	}
	f, config, _ := f.passed(e.Kids[0], e, in.Launch.by)
	if v := f.eval(config); v.uniform() && v.s > 0 {
		dims[0] = v.s
		return dims, true
	}
	parts, ok := f.dimParts(config)
	if !ok {
		return dims, false
	}
	for i, p := range parts {
		v := f.eval(p)
		if !v.uniform() || v.s <= 0 {
			return dims, false
		}
		dims[i] = v.s
	}
	return dims, true
}

// dimParts returns the expressions that a dim3 is made of, at most three.
func (f *frame) dimParts(e *ir.Expr) ([]*ir.Expr, bool) {
	var parts []*ir.Expr
	switch {
	case e.Op == ir.OpIdent && e.Var != nil && e.Var.Held().Base == "dim3" || e.Op == ir.OpIdent && e.Var != nil && e.Var.Type.IsAuto() && isDim3(e.Var.Init):
		v := e.Var
		if v.Init == nil || len(v.Writes) > 0 || v.AddrTaken || v.Kind != ir.VarLocal || partsWritten(f.fn, v) > 0 {
			return nil, false
		}
		if v.Init.Op == ir.OpInitList {
			parts = v.Init.Kids
			break
		}
		if v.Init.Op == ir.OpIdent && v.Init.Var == v {
			return nil, false
		}
		if inner, ok := f.dimParts(v.Init); ok {
			return inner, true
		}
		parts = []*ir.Expr{v.Init}
	case e.Op == ir.OpCall && e.Name == "dim3":
		parts = e.Args()
	case e.Op == ir.OpCast && e.Type.Base == "dim3", e.Op == ir.OpInitList:
		parts = e.Kids
	default:
		return nil, false
	}
	return parts, len(parts) > 0 && len(parts) <= 3
}

func isDim3(e *ir.Expr) bool {
	return e != nil && (e.Op == ir.OpCall && e.Name == "dim3" || e.Op == ir.OpCast && e.Type.Base == "dim3")
}

// unitExtent is the extent of a dim3 that nobody gives it.
var unitExtent = &ir.Expr{Op: ir.OpInt, Int: 1}

// dimPart returns what member x, y or z of a dim3 is made of, nil where that is not known.
func dimPart(f *frame, e *ir.Expr) *ir.Expr {
	i := strings.Index("xyz", e.Name)
	of := e.Kids[0]
	if e.Arrow || len(e.Name) != 1 || i < 0 || of.Op != ir.OpIdent || of.Var == nil {
		return nil
	}
	parts, ok := f.dimParts(of)
	for ok && len(parts) == 1 { // a copy of another dim3
		inner, is := f.dimParts(parts[0])
		if !is {
			break
		}
		parts = inner
	}
	switch {
	case !ok:
		return nil
	case i < len(parts):
		return parts[i]
	}
	return unitExtent
}

// partsWritten counts what assigns to members of v, or to what is in them.
func partsWritten(fn *ir.Func, v *ir.Var) (n int) {
	fn.Body.WalkExprs(func(w *ir.Expr) bool {
		if (w.Op == ir.OpAssign || w.Op == ir.OpIncDec) && w.Kids[0].Op == ir.OpMember {
			if r := w.Kids[0].Root(); r != nil && r.Var == v {
				n++
			}
		}
		return true
	})
	return n
}

// GridRank returns how many dimensions the grid of an instance is written with:
// 1 where it is a number, or not known.
func (k *Kernel) GridRank(in *Instance) int {
	e, f := k.hostFrame(in)
	if e == nil || len(in.Launch.View.Config) == 0 {
		return 1
	}
	f, grid, _ := f.passed(e.Kids[0], e, in.Launch.by)
	parts, ok := f.dimParts(grid)
	if !ok {
		return 1
	}
	rank := 1
	for i, p := range parts {
		if v := f.eval(p); !v.uniform() || v.s != 1 {
			rank = i + 1
		}
	}
	return rank
}

// TemplateArgument returns the number that an instance has for a template
// parameter, by its place, or the text of the type.
func (k *Kernel) TemplateArgument(in *Instance, i int) (n int64, typ string, ok bool) {
	if i < len(in.TArgs) && in.TArgs[i].uniform() {
		return in.TArgs[i].s, "", true
	}
	if in.Launch == nil || i < len(k.Func.TParams) && k.Prog.cache.HidesType(k.Func.TParams[i].Name) {
		return 0, "", false
	}
	e, _ := in.Launch.Expr(k.Prog)
	if e == nil {
		return 0, "", false
	}
	if i < len(e.TArgs) {
		t := e.TArgs[i]
		return 0, t.Name, t.Op == ir.OpIdent && t.Var == nil && t.Name != ""
	}
	return k.deducedType(in.Launch, i)
}

// deducedType returns the type that a launch makes of a type parameter that it doesn't name: what a pointer leads to that it passes
// for one to the parameter.
func (k *Kernel) deducedType(l *Launch, i int) (n int64, typ string, ok bool) {
	fn := l.View.Function
	if i >= len(k.Func.TParams) || k.Func.TParams[i].Kind != ir.VarTemplateType || fn == nil || fn.Body == nil {
		return 0, "", false
	}
	type key struct{ fn *parser.Function }
	host := Once(&k.Prog.Memo, key{fn}, func() *ir.Func {
		var passed []*parser.Node
		for _, l := range l.File.Launches {
			if l.Function == fn {
				passed = append(passed, l.Arguments()...)
			}
		}
		return ir.LowerFor(&k.Prog.cache, l.File, fn, passed)
	})
	for j, p := range k.Func.Params {
		if args := l.View.Arguments(); p.Type.Base == k.Func.TParams[i].Name && p.Type.Ptr > 0 && j < len(args) {
			name := l.File.Text(args[j])
			vars := slices.DeleteFunc(slices.Concat(host.Params, host.Vars), func(v *ir.Var) bool { return v.Name != name })
			if len(vars) != 1 || vars[0].Type.IsAuto() || vars[0].Type.Ref || isTypeParam(host, vars[0].Type.Base) || vars[0].Type.Ptr+len(vars[0].Dims) != p.Type.Ptr {
				continue
			}
			return 0, vars[0].Type.Base, true
		}
	}
	return 0, "", false
}

// hostFrame returns the launch of an instance with a frame for its host
// function, in which what the configuration depends on is known as far as that
// function tells; nil where there is none in view. Callers are not asked, as they
// are for an Argument: a small main with three thread blocks says little of the
// grids that a launch is meant for.
func (k *Kernel) hostFrame(in *Instance) (*ir.Expr, *frame) {
	if in.Launch == nil || in.Launch.View.Error != nil {
		return nil, nil
	}
	if in.Launch.indirect {
		return in.Launch.expr, k.Prog.passedFrame(k, in.Launch.host, in.Launch.by)
	}
	host := k.Prog.hostOf(in.Launch.File, in.Launch.View.Function)
	if host == nil {
		return nil, nil
	}
	e := k.Prog.launchIn(host, in.Launch.View)
	if e == nil {
		return nil, nil
	}
	ev := newEvaluator(k.Prog, shape{})
	ev.kernel = k
	f := ev.newFrame(host)
	if len(in.Launch.View.Config) > 0 {
		f.bindHost(e.Kids[0], e, maxHostCalls, map[*ir.Var]bool{})
	}
	return e, f
}

// SharedBytes returns the shared bytes of a thread block under an instance,
// static and dynamic; exact is false where some of them are not known. Elements
// may be structs, or of a type that the launch gives (Facts.SizeOf).
func (k *Kernel) SharedBytes(in *Instance) (bytes int, exact bool) {
	exact = true
	for _, s := range k.Shared {
		b, known := k.SharedBytesOf(in, s)
		if !s.Dynamic {
			bytes += b
		}
		exact = exact && known
	}
	// All extern arrays are the same bytes, and a thread block has what its launch
	// asks for even where the kernel declares none.
	return bytes + in.DynamicBytes, exact
}

// SharedBytesOf returns the bytes that one shared variable takes under an
// instance; exact is false, and bytes a lower bound, if they are not known.
func (k *Kernel) SharedBytesOf(in *Instance, s *Shared) (bytes int, exact bool) {
	switch {
	case s.Dynamic:
		return in.DynamicBytes, in.DynamicBytes > 0
	case s.perInstance:
		return max(0, s.Bytes), s.Bytes >= 0
	}
	x := k.folding(in, k.Func).ev.extent(s)
	if s.Var.Type.Record != nil && len(s.Var.Dims) == 0 {
		l := x.record
		if l == nil || l.unit == 0 {
			l = k.folding(in, k.Func).layoutOf(s.Var.Type.Record, func(t ir.Type) (size, align int) {
				return k.Facts(in).sizeAndAlignment(k.Func, t)
			})
		}
		if l == nil || l.unit == 0 {
			return 0, false
		}
		return l.unit * l.units, true
	}
	elem := s.Elem
	if elem == 0 {
		elem = k.Facts(in).SizeOf(k.Func, s.Var.Type)
	}
	if x.count < 0 || elem == 0 {
		return 0, false
	}
	return x.count * elem, true
}

// SharedVar returns the shared variable that a name of fn stands for, or nil.
func (k *Kernel) SharedVar(fn *ir.Func, e *ir.Expr) *Shared {
	if e.Op == ir.OpCall {
		if v := k.Prog.sharedClass(fn, e); v != nil {
			return k.sharedOf[v]
		}
		return nil
	}
	return k.shared(fn, e)
}

// SizeOf returns the size of a type in bytes, 0 if unknown.
func (k *Kernel) SizeOf(fn *ir.Func, t ir.Type) int { return k.Prog.sizeOf(fn, t) }

// Operators returns the functions in view that overload a binary operator.
func (k *Kernel) Operators(fn *ir.Func, tok string) []*ir.Func {
	var out []*ir.Func
	for _, c := range k.Prog.unit(fn.File).byName["operator"+tok] {
		if c.fn.Body == nil || c.fn.Quals&parser.QualDevice == 0 {
			continue
		}
		out = append(out, k.Prog.Lower(c.file, c.fn))
	}
	return out
}
