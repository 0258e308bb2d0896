package analysis

import (
	"maps"
	"slices"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/model/hardware"
	"github.com/smux-cuda/smux/parser"
)

// Launch is one kernel launch in the program's files.
type Launch struct {
	File *parser.File
	View *parser.Launch

	lowered bool
	host    *ir.Func
	expr    *ir.Expr

	indirect bool     // the kernel is launched by another name
	by       *passing // by which host got the kernel, nil where it names it
}

// Instance is one form in which a kernel is launched, as far as it is known:
// block shape, template arguments, bytes of dynamic shared memory. Analyses
// that enumerate must hold for every instance.
type Instance struct {
	Shape        shape
	Launch       *Launch // nil for the shape given on the command line
	TArgs        []value // by template parameter, unknown where not constant
	DynamicBytes int     // 0 if none or not known
	// Told is set if Shape comes from the command line: no launch in view has it
	// for certain.
	Told bool
	// UsualGrid is the grid that a run had, or that a smux:bench comment names, zero if none is known. It serves
	// predictions where the text leaves the grid open, and no proof.
	UsualGrid [3]int64
	// Assumed says what of an instance that Counted returns is a guess, "" for nothing.
	Assumed string
	types   map[string]string // what template parameters are taken for then

	alike []*Launch // further launches that differ in nothing that is listed here
}

// InstancesOf returns the instances that a launch of the kernel counts to.
func (k *Kernel) InstancesOf(l *Launch) []*Instance {
	var out []*Instance
	for _, in := range k.Instances {
		if in.Launch == l || slices.Contains(in.alike, l) {
			out = append(out, in)
		}
	}
	return out
}

// BlockShape returns the block's extents, or ok false if they are not known.
func (in *Instance) BlockShape() (dims [3]int, ok bool) {
	return [3]int{in.Shape.x, in.Shape.y, in.Shape.z}, in.Shape.known()
}

// WhyNoShape reports why no launch in view tells the block shape of a kernel.
func (k *Kernel) WhyNoShape() string {
	if len(k.Launches) == 0 {
		return "no launch in view tells its block shape"
	}
	return "the block shapes of its launches are computed at run time"
}

// findLaunches matches launches to this kernel: by name, in a file that sees
// the definition.
func (k *Kernel) findLaunches() {
	if o := k.Prog.given[k.View]; o != nil {
		k.takeInstances(o)
		return
	}
	for _, l := range k.Prog.launches {
		if l.View.Kernel != k.Name || !k.visibleFrom(l.File) {
			continue
		}
		k.Launches = append(k.Launches, l)
		for _, in := range k.instances(l) {
			k.addInstance(in)
		}
	}
	k.findIndirect()
	k.forgetUnknown()
	defer k.hide()
	if len(k.Instances) == 0 {
		in := &Instance{Shape: k.Prog.block, Told: true}
		k.Instances = []*Instance{in}
	} else if k.Prog.block.known() {
		for _, in := range k.Instances {
			if !in.Shape.known() {
				in.Shape, in.Told = k.Prog.block, true
			}
		}
	}
}

// forgetUnknown forgets template arguments that not all launches tell: no assertion could name their values.
func (k *Kernel) forgetUnknown() {
	for i := range k.Func.TParams {
		if !slices.ContainsFunc(k.Instances, func(in *Instance) bool { return i >= len(in.TArgs) || !in.TArgs[i].uniform() }) {
			continue
		}
		for _, in := range k.Instances {
			if i < len(in.TArgs) {
				in.TArgs[i] = unknown
			}
		}
	}
}

// addInstance adds an instance, to another one if they do not differ.
func (k *Kernel) addInstance(in *Instance) {
	for _, o := range k.Instances {
		if o.same(in) && k.sameTypes(o, in) {
			if o.Launch != in.Launch {
				o.alike = append(o.alike, in.Launch)
			}
			return
		}
	}
	k.Instances = append(k.Instances, in)
}

func (k *Kernel) visibleFrom(f *parser.File) bool {
	// A forward declaration in the launching file ties the two together too.
	declared := func(c funcIn) bool { return c.fn.IsKernel() && c.fn.Body == nil }
	return f == k.File || slices.Contains(k.Prog.Parsed.Reach(f), k.File) || slices.ContainsFunc(k.Prog.unit(f).byName[k.Name], declared)
}

func (a *Instance) same(b *Instance) bool {
	return a.Shape == b.Shape && a.DynamicBytes == b.DynamicBytes && slices.EqualFunc(a.TArgs, b.TArgs, func(x, y value) bool { return x.known == y.known && x.s == y.s })
}

// sameTypes reports whether no template argument names one type in a and another
// in b. Two names of a type count as two: that costs a second look, no more.
func (k *Kernel) sameTypes(a, b *Instance) bool {
	for i := range a.TArgs {
		_, x, known := k.TemplateArgument(a, i)
		_, y, also := k.TemplateArgument(b, i)
		if known && also && x != y {
			return false
		}
	}
	return true
}

// instances returns the instances of the kernel that a launch launches: one for each instance
// of its host function.
func (k *Kernel) instances(l *Launch) []*Instance {
	e, host := l.Expr(k.Prog)
	if e == nil {
		return []*Instance{{Launch: l}}
	}
	if l.by != nil {
		return []*Instance{k.instance(l, e, host, nil)}
	}
	var out []*Instance
	for _, vals := range k.Prog.hostInstances(l, host) {
		out = append(out, k.instance(l, e, host, vals))
	}
	return out
}

func (k *Kernel) instance(l *Launch, e *ir.Expr, host *ir.Func, vals map[*ir.Var]value) *Instance {
	in := &Instance{Launch: l}
	f := k.Prog.passedFrame(k, host, l.by)
	maps.Copy(f.vals, vals)
	config := e.Kids[:len(l.View.Config)]
	if len(config) > 1 {
		from, block, at := f.passed(config[1], e, l.by)
		if d, ok := from.extents(block, at); ok && d[0]*d[1]*d[2] <= hardware.MaxThreadsPerBlock {
			in.Shape = shape{d[0], d[1], d[2]}
		}
	}
	if len(config) > 2 {
		if b := f.eval(config[2]); b.uniform() && b.s > 0 {
			in.DynamicBytes = int(b.s)
		}
	}
	for _, t := range e.TArgs {
		in.TArgs = append(in.TArgs, f.eval(t))
	}
	return in
}

// Expr returns the launch lowered in its host function: the configuration
// arguments, then the kernel's. It is nil where the launch is in no function.
func (l *Launch) Expr(p *Program) (*ir.Expr, *ir.Func) {
	if l.lowered {
		return l.expr, l.host
	}
	l.lowered = true
	if l.View.Function == nil || l.View.Function.Body == nil || l.View.Error != nil {
		return nil, nil
	}
	l.host = p.Lower(l.File, l.View.Function)
	l.expr = p.launchIn(l.host, l.View)
	return l.expr, l.host
}

// extents folds a dim3-valued expression, or an integer that converts to one.
func (f *frame) extents(e *ir.Expr, at *ir.Expr) ([3]int, bool) {
	out := [3]int{1, 1, 1}
	var parts []*ir.Expr
	switch {
	case e.Op == ir.OpIdent && e.Var != nil && e.Var.Type.Base == "dim3" || e.Op == ir.OpIdent && f.globalDim3(e) != nil:
		return f.variableExtents(e, at)
	case mergedCall(e) != nil:
		return f.mergedExtents(e, at)
	case e.Op == ir.OpCall && e.Name == "dim3":
		parts = e.Args()
	case e.Op == ir.OpCast && e.Type.Base == "dim3", e.Op == ir.OpInitList:
		parts = e.Kids
	default:
		parts = []*ir.Expr{e}
	}
	if len(parts) > 3 {
		return out, false
	}
	if len(parts) == 1 && parts[0] != e && parts[0].Op != ir.OpInt {
		if v := f.eval(parts[0]); !v.uniform() {
			return f.extents(parts[0], at)
		}
	}
	for i, x := range parts {
		v := f.eval(x)
		if !v.uniform() || v.s <= 0 || v.s > hardware.MaxThreadsPerBlock {
			return out, false
		}
		out[i] = int(v.s)
	}
	return out, true
}

func (f *frame) globalDim3(e *ir.Expr) *ir.Var {
	if v := f.ev.prog.globalIn(f.fn, e.Name); e.Var == nil && v != nil && v.Type.Base == "dim3" && v.Type.Const {
		return v
	}
	return nil
}

// variableExtents folds a dim3 variable: its initialiser, then assignments to
// single components that stand in the same list before the launch.
func (f *frame) variableExtents(e, at *ir.Expr) ([3]int, bool) {
	v := e.Var
	if v == nil {
		v = f.globalDim3(e)
	}
	out := [3]int{1, 1, 1}
	if v.AddrTaken || v.Static || v.Kind == ir.VarParam || len(v.Writes) > 1 || f.busy[v] {
		return out, false
	}
	f.busy[v] = true
	defer delete(f.busy, v)
	ok := true
	init := v.Init
	if len(v.Writes) == 1 {
		// dim3 block; block = dim3(…); set once before use, at the same level.
		w := v.Writes[0]
		if init != nil || w.Op != ir.OpAssign || w.Tok != "=" || !straight(v, w, at) {
			return out, false
		}
		init = w.Kids[1]
	}
	if init != nil {
		if out, ok = f.extents(init, at); !ok {
			return out, false
		}
	}
	f.fn.Body.WalkExprs(func(w *ir.Expr) bool {
		if w.Op != ir.OpAssign && w.Op != ir.OpIncDec {
			return true
		}
		t := w.Kids[0]
		if t.Op != ir.OpMember || t.Kids[0].Op != ir.OpIdent || t.Kids[0].Var != v {
			return true
		}
		d, known := map[string]int{"x": 0, "y": 1, "z": 2}[t.Name]
		if !known || w.Op != ir.OpAssign || w.Tok != "=" || !straight(v, w, at) {
			ok = false
			return true
		}
		x := f.eval(w.Kids[1])
		if !x.uniform() || x.s <= 0 || x.s > hardware.MaxThreadsPerBlock {
			ok = false
			return true
		}
		out[d] = int(x.s)
		return true
	})
	return out, ok
}

// straight reports whether an assignment stands in the list of statements in
// which v is declared, before the launch: it is then executed exactly once
// before it.
func straight(v *ir.Var, w, at *ir.Expr) bool {
	if v.Decl == nil || v.Decl.Parent == nil || w.Range.Start > at.Range.Start {
		return false
	}
	return slices.ContainsFunc(v.Decl.Parent.List, func(s *ir.Stmt) bool { return s.Op == ir.StmtExpr && s.Range.Contains(w.Range) })
}

// bindSetOnce gives the variables that an expression reads, and those that their initialisers
// read, the value that one statement sets them to in front of the launch:
//
//	int n; n = 16; dim3 block(n, n);
func (f *frame) bindSetOnce(e, at *ir.Expr, seen map[*ir.Var]bool) {
	e.Walk(func(n *ir.Expr) bool {
		v := n.Var
		if n.Op != ir.OpIdent || v == nil || seen[v] || v.Kind != ir.VarLocal || v.Static || v.AddrTaken || v.Type.Ptr > 0 || v.Type.Ref || len(v.Dims) > 0 || inBranchOfIf(v.Decl) {
			return true
		}
		seen[v] = true
		switch {
		case v.Init != nil:
			f.bindSetOnce(v.Init, at, seen)
		case len(v.Writes) == 1 && v.Type.Base != "dim3":
			w := v.Writes[0]
			if w.Op == ir.OpAssign && w.Tok == "=" && straight(v, w, at) {
				f.bindSetOnce(w.Kids[1], at, seen)
				if x := f.eval(w.Kids[1]); x.uniform() {
					f.bind(v, convert(x, v.Type.Base), nil)
				}
			}
		}
		return true
	})
}

// frame returns a frame for fn under this instance; template parameters of the
// kernel itself are bound to what the launch gives.
func (in *Instance) frame(k *Kernel, fn *ir.Func) *frame {
	ev := newEvaluator(k.Prog, in.Shape)
	ev.kernel = k
	f := ev.newFrame(fn)
	if fn == k.Func {
		for i, tp := range fn.TParams {
			if tp.Pack {
				break // which argument is whose is not known from here on
			}
			if i < len(in.TArgs) && tp.Kind == ir.VarTemplateValue {
				f.vals[tp] = convert(in.TArgs[i], tp.Type.Base)
			}
		}
		if len(k.Instances) > 1 {
			ev.extents = map[*Shared]extent{}
			for _, s := range k.Shared {
				if !s.Dynamic && s.Var.Decl != nil && slices.Contains(fn.Vars, s.Var) {
					ev.extents[s] = f.extentOfShared(s.Var)
				}
			}
		}
	}
	return f
}

// String describes the instance for reports: 16x16, or "unknown".
func (in *Instance) String() string {
	d, ok := in.BlockShape()
	if !ok {
		return "unknown"
	}
	return ShapeText(d)
}
