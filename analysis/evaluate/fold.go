package evaluate

import (
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/hostcode"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/parser"
)

// Constant folds an integer expression of fn to the one number that it has for all threads of an instance: from
// literals, constants, template arguments, the block's extents, and variables that never change.
func Constant(k *analysis.Kernel, in *analysis.Instance, fn *ir.Func, e *ir.Expr) (int64, bool) {
	v := Folding(k, in, fn).Eval(e)
	return v.S, v.Uniform()
}

// foldings are the frames in which expressions of one instance are folded; they
// keep what they have found of initialisers.
type foldings struct {
	in     *analysis.Instance
	frames map[*ir.Func]*Frame
}

type foldingsKey struct{}

func foldingsOf(k *analysis.Kernel) *foldings {
	return analysis.Once(&k.Memo, foldingsKey{}, func() *foldings { return &foldings{} })
}

// Folding is a frame of fn with all steps left.
func Folding(k *analysis.Kernel, in *analysis.Instance, fn *ir.Func) *Frame {
	folds := foldingsOf(k)
	if folds.in != in || folds.frames == nil {
		*folds = foldings{in, map[*ir.Func]*Frame{}}
	}
	f := folds.frames[fn]
	if f == nil {
		f = FrameUnder(in, k, fn)
		folds.frames[fn] = f
	}
	f.Ev.Budget = MaxEvaluation
	return f
}

// PerThread folds an integer expression of fn for each thread of a block, in the order of the linear thread number.
// The slice has one element where the number is the same for all.
func PerThread(k *analysis.Kernel, in *analysis.Instance, fn *ir.Func, e *ir.Expr) ([]int64, bool) {
	v := Folding(k, in, fn).Eval(e)
	switch {
	case !v.Known:
		return nil, false
	case v.V == nil:
		return []int64{v.S}, true
	}
	return v.V, true
}

// DimParts returns the expressions that a dim3 is made of, at most three.
func (f *Frame) DimParts(e *ir.Expr) ([]*ir.Expr, bool) {
	var parts []*ir.Expr
	switch {
	case e.Op == ir.OpIdent && e.Var != nil && e.Var.Held().Base == "dim3" || e.Op == ir.OpIdent && e.Var != nil && e.Var.Type.IsAuto() && isDim3(e.Var.Init):
		v := e.Var
		if v.Init == nil || len(v.Writes) > 0 || v.AddrTaken || v.Kind != ir.VarLocal || PartsWritten(f.Fn, v) > 0 {
			return nil, false
		}
		if v.Init.Op == ir.OpInitList {
			parts = v.Init.Kids
			break
		}
		if v.Init.Op == ir.OpIdent && v.Init.Var == v {
			return nil, false
		}
		if inner, ok := f.DimParts(v.Init); ok {
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
func dimPart(f *Frame, e *ir.Expr) *ir.Expr {
	i := strings.Index("xyz", e.Name)
	of := e.Kids[0]
	if e.Arrow || len(e.Name) != 1 || i < 0 || of.Op != ir.OpIdent || of.Var == nil {
		return nil
	}
	parts, ok := f.DimParts(of)
	for ok && len(parts) == 1 { // a copy of another dim3
		inner, is := f.DimParts(parts[0])
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

// PartsWritten counts what assigns to members of v, or to what is in them.
func PartsWritten(fn *ir.Func, v *ir.Var) (n int) {
	for w := range fn.Body.AllExprs() {
		if (w.Op == ir.OpAssign || w.Op == ir.OpIncDec) && w.Kids[0].Op == ir.OpMember {
			if r := w.Kids[0].Root(); r != nil && r.Var == v {
				n++
			}
		}
	}
	return n
}

// TemplateArgument returns the number that an instance has for a template
// parameter, by its place, or the text of the type.
func TemplateArgument(k *analysis.Kernel, in *analysis.Instance, i int) (n int64, typ string, ok bool) {
	if i < len(in.TArgs) && in.TArgs[i].Uniform() {
		return in.TArgs[i].S, "", true
	}
	if in.Launch == nil || i < len(k.Func.TParams) && k.Prog.Cache.HidesType(k.Func.TParams[i].Name) {
		return 0, "", false
	}
	e, _ := hostcode.Expr(in.Launch, k.Prog)
	if e == nil {
		return 0, "", false
	}
	if i < len(e.TArgs) {
		t := e.TArgs[i]
		return 0, t.Name, t.Op == ir.OpIdent && t.Var == nil && t.Name != ""
	}
	return deducedType(k, in.Launch, i)
}

// deducedType returns the type that a launch makes of a type parameter that it doesn't name: what a pointer leads to that it passes
// for one to the parameter.
func deducedType(k *analysis.Kernel, l *analysis.Launch, i int) (n int64, typ string, ok bool) {
	fn := l.View.Function
	if i >= len(k.Func.TParams) || k.Func.TParams[i].Kind != ir.VarTemplateType || fn == nil || fn.Body == nil {
		return 0, "", false
	}
	type key struct{ fn *parser.Function }
	host := analysis.Once(&k.Prog.Memo, key{fn}, func() *ir.Func {
		var passed []*parser.Node
		for _, l := range l.File.Launches {
			if l.Function == fn {
				passed = append(passed, l.Arguments()...)
			}
		}
		return ir.LowerFor(&k.Prog.Cache, l.File, fn, passed)
	})
	for j, p := range k.Func.Params {
		if args := l.View.Arguments(); p.Type.Base == k.Func.TParams[i].Name && p.Type.Ptr > 0 && j < len(args) {
			name := l.File.Text(args[j])
			vars := slices.DeleteFunc(slices.Concat(host.Params, host.Vars), func(v *ir.Var) bool { return v.Name != name })
			if len(vars) != 1 || vars[0].Type.IsAuto() || vars[0].Type.Ref || analysis.IsTypeParam(host, vars[0].Type.Base) || vars[0].Type.Ptr+len(vars[0].Dims) != p.Type.Ptr {
				continue
			}
			return 0, vars[0].Type.Base, true
		}
	}
	return 0, "", false
}

// SharedVar returns the shared variable that a name of fn stands for, or nil.
func SharedVar(k *analysis.Kernel, fn *ir.Func, e *ir.Expr) *analysis.Shared {
	if e.Op == ir.OpCall {
		if v := k.Prog.SharedClass(fn, e); v != nil {
			return k.SharedOf[v]
		}
		return nil
	}
	return k.NamedShared(fn, e)
}

// SizeOf returns the size of a type in bytes, 0 if unknown.
func SizeOf(k *analysis.Kernel, fn *ir.Func, t ir.Type) int { return k.Prog.SizeOf(fn, t) }

// Operators returns the functions in view that overload a binary operator.
func Operators(k *analysis.Kernel, fn *ir.Func, tok string) []*ir.Func {
	var out []*ir.Func
	for _, c := range k.Prog.Unit(fn.File).ByName["operator"+tok] {
		if c.Fn.Body == nil || c.Fn.Quals&parser.QualDevice == 0 {
			continue
		}
		out = append(out, k.Prog.Lower(c.File, c.Fn))
	}
	return out
}
