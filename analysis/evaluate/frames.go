package evaluate

import (
	"slices"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/hostcode"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/values"
	"github.com/smux-cuda/smux/model/hardware"
)

// OnStack reports whether the frame, or one that called it, is of a function.
func (f *Frame) OnStack(fn *ir.Func) bool {
	for ; f != nil; f = f.Caller {
		if f.Fn == fn {
			return true
		}
	}
	return false
}

// FrameFor returns a frame in which constants can be folded for fn, under the first instance of the kernel.
func FrameFor(k *analysis.Kernel, fn *ir.Func) *Frame {
	if len(k.Instances) > 0 {
		return FrameUnder(k.Instances[0], k, fn)
	}
	ev := NewEvaluator(k.Prog, analysis.Shape{})
	ev.Kernel = k
	return ev.NewFrame(fn)
}

// SameTypes reports whether no template argument names one type in a and another
// in b. Two names of a type count as two: that costs a second look, no more.
func SameTypes(k *analysis.Kernel, a, b *analysis.Instance) bool {
	for i := range a.TArgs {
		_, x, known := TemplateArgument(k, a, i)
		_, y, also := TemplateArgument(k, b, i)
		if known && also && x != y {
			return false
		}
	}
	return true
}

// Extents folds a dim3-valued expression, or an integer that converts to one.
func (f *Frame) Extents(e *ir.Expr, at *ir.Expr) ([3]int, bool) {
	out := [3]int{1, 1, 1}
	var parts []*ir.Expr
	switch {
	case e.Op == ir.OpIdent && e.Var != nil && e.Var.Type.Base == "dim3" || e.Op == ir.OpIdent && f.globalDim3(e) != nil:
		return f.variableExtents(e, at)
	case MergedCall(e) != nil:
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
		if v := f.Eval(parts[0]); !v.Uniform() {
			return f.Extents(parts[0], at)
		}
	}
	for i, x := range parts {
		v := f.Eval(x)
		if !v.Uniform() || v.S <= 0 || v.S > hardware.MaxThreadsPerBlock {
			return out, false
		}
		out[i] = int(v.S)
	}
	return out, true
}

func (f *Frame) globalDim3(e *ir.Expr) *ir.Var {
	if v := f.Ev.Prog.GlobalIn(f.Fn, e.Name); e.Var == nil && v != nil && v.Type.Base == "dim3" && v.Type.Const {
		return v
	}
	return nil
}

// variableExtents folds a dim3 variable: its initialiser, then assignments to
// single components that stand in the same list before the launch.
func (f *Frame) variableExtents(e, at *ir.Expr) ([3]int, bool) {
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
		if init != nil || w.Op != ir.OpAssign || w.Tok != "=" || !hostcode.Straight(v, w, at) {
			return out, false
		}
		init = w.Kids[1]
	}
	if init != nil {
		if out, ok = f.Extents(init, at); !ok {
			return out, false
		}
	}
	for w := range f.Fn.Body.AllExprs() {
		if w.Op != ir.OpAssign && w.Op != ir.OpIncDec {
			continue
		}
		t := w.Kids[0]
		if t.Op != ir.OpMember || t.Kids[0].Op != ir.OpIdent || t.Kids[0].Var != v {
			continue
		}
		d, known := map[string]int{"x": 0, "y": 1, "z": 2}[t.Name]
		if !known || w.Op != ir.OpAssign || w.Tok != "=" || !hostcode.Straight(v, w, at) {
			ok = false
			continue
		}
		x := f.Eval(w.Kids[1])
		if !x.Uniform() || x.S <= 0 || x.S > hardware.MaxThreadsPerBlock {
			ok = false
			continue
		}
		out[d] = int(x.S)
	}
	return out, ok
}

// BindSetOnce gives the variables that an expression reads, and those that their initialisers
// read, the value that one statement sets them to in front of the launch:
//
//	int n; n = 16; dim3 block(n, n);
func (f *Frame) BindSetOnce(e, at *ir.Expr, seen map[*ir.Var]bool) {
	for n := range e.All() {
		v := n.Var
		if n.Op != ir.OpIdent || v == nil || seen[v] || v.Kind != ir.VarLocal || v.Static || v.AddrTaken || v.Type.Ptr > 0 || v.Type.Ref || len(v.Dims) > 0 || hostcode.InBranchOfIf(v.Decl) {
			continue
		}
		seen[v] = true
		switch {
		case v.Init != nil:
			f.BindSetOnce(v.Init, at, seen)
		case len(v.Writes) == 1 && v.Type.Base != "dim3":
			w := v.Writes[0]
			if w.Op == ir.OpAssign && w.Tok == "=" && hostcode.Straight(v, w, at) {
				f.BindSetOnce(w.Kids[1], at, seen)
				if x := f.Eval(w.Kids[1]); x.Uniform() {
					f.Bind(v, values.Convert(x, v.Type.Base), nil)
				}
			}
		}
	}
}

// FrameUnder returns a frame for fn under this instance; template parameters of the
// kernel itself are bound to what the launch gives.
func FrameUnder(in *analysis.Instance, k *analysis.Kernel, fn *ir.Func) *Frame {
	ev := NewEvaluator(k.Prog, in.Shape)
	ev.Kernel = k
	f := ev.NewFrame(fn)
	if fn == k.Func {
		for i, tp := range fn.TParams {
			if tp.Pack {
				break // which argument is whose is not known from here on
			}
			if i < len(in.TArgs) && tp.Kind == ir.VarTemplateValue {
				f.Vals[tp] = values.Convert(in.TArgs[i], tp.Type.Base)
			}
		}
		if len(k.Instances) > 1 {
			ev.extents = map[*analysis.Shared]extent{}
			for _, s := range k.Shared {
				if !s.Dynamic && s.Var.Decl != nil && slices.Contains(fn.Vars, s.Var) {
					ev.extents[s] = f.extentOfShared(s.Var)
				}
			}
		}
	}
	return f
}
