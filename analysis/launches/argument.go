// Package launches finds the launches that reach a kernel, and the block shapes and arguments they use.
package launches

import (
	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/evaluate"
	"github.com/smux-cuda/smux/analysis/hostcode"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/values"
	"github.com/smux-cuda/smux/parser"
)

// MaxHostCalls bounds how far an argument is followed up through calls of host functions.
const MaxHostCalls = 4

// Argument folds what an instance passes for a parameter of the kernel, by its number: an expression of constants, of
// variables that are set once in front of the launch, and of parameters for which all calls in view pass one number.
// It is not ok where launches that the instance stands for differ in it, where a variable is set twice or by
// something out of sight (argv, a file), or where the launch is in no function.
//
// The number is good for estimates of time only. It is no proof of anything:
// callers out of sight may pass another one.
func Argument(k *analysis.Kernel, in *analysis.Instance, i int) (int64, bool) {
	if in.Launch == nil || i < 0 || i >= len(k.Func.Params) {
		return 0, false
	}
	first := launchPasses(k, in.Launch, i)
	if !first.Uniform() {
		return 0, false
	}
	for _, l := range in.Alike {
		if v := launchPasses(k, l, i); !v.Uniform() || v.S != first.S {
			return 0, false
		}
	}
	return first.S, true
}

// launchPasses returns what a launch passes for parameter i.
func launchPasses(k *analysis.Kernel, l *analysis.Launch, i int) values.Value {
	host := hostOf(k.Prog, l.File, l.View.Function)
	if host == nil || l.View.Error != nil {
		return values.Unknown
	}
	e := hostcode.LaunchIn(k.Prog, host, l.View)
	if e == nil || len(l.View.Config)+i >= len(e.Kids) {
		return values.Unknown
	}
	a := e.Kids[len(l.View.Config)+i]
	return values.Convert(hostValue(k.Prog, host, a, e, 0), k.Func.Params[i].Type.Base)
}

// hostOf returns a host function lowered with what flows into the numbers that it passes to kernels and to functions
// that lead to launches. That is kept apart from what Lower returns: it is needed for estimates only, and expanding
// the macros around it takes time that other analyses need not spend.
func hostOf(p *analysis.Program, f *parser.File, fn *parser.Function) *ir.Func {
	if fn == nil || fn.Body == nil {
		return nil
	}
	type key struct{ fn *parser.Function }
	return analysis.Once(&p.Memo, key{fn}, func() *ir.Func {
		l := ir.LowerFor(&p.Cache, f, fn, passedBy(p, f, fn))
		p.MarkReferences(l)
		return l
	})
}

// passedBy are the expressions of a host function that flow into those numbers.
func passedBy(p *analysis.Program, f *parser.File, fn *parser.Function) (also []*parser.Node) {
	for _, l := range f.Launches {
		if l.Function == fn {
			also = append(also, numbersIn(p, f, l.Kernel, l.Arguments())...)
		}
	}
	for name := range p.Launchers() {
		for _, c := range p.CallsOf(name).At {
			if c.Fn != fn {
				continue
			}
			also = append(also, c.Node.Child(parser.FieldFunction))
			if args := c.Node.Child(parser.FieldArguments); args != nil {
				also = append(also, numbersIn(p, f, name, hostcode.ArgumentNodes(args))...)
			}
		}
	}
	return also
}

// numbersIn are the arguments that may be numbers: those that go to no pointer of a function of that name.
func numbersIn(p *analysis.Program, f *parser.File, name string, args []*parser.Node) (out []*parser.Node) {
	pointer := pointersOf(p, f, name)
	for i, a := range args {
		if !pointer[i] {
			out = append(out, a)
		}
	}
	return out
}

// pointersOf are the numbers of parameters that are pointers in a function of that
// name: what flows into them hostOf leaves out.
func pointersOf(p *analysis.Program, f *parser.File, name string) map[int]bool {
	pointer := map[int]bool{}
	for _, c := range p.Unit(f).ByName[name] {
		for i := range c.Fn.Params {
			n := c.Fn.Params[i].Node
			if d := n.Child(parser.FieldDeclarator); d != nil && d.Kind == parser.KindPointerDeclarator {
				pointer[i] = true
			}
		}
	}
	return pointer
}

// hostValue folds an expression of a host function as it is when control comes to at.
func hostValue(p *analysis.Program, host *ir.Func, e, at *ir.Expr, depth int) values.Value {
	f := evaluate.NewEvaluator(p, analysis.Shape{}).NewFrame(host)
	bindHost(f, e, at, depth, map[*ir.Var]bool{})
	return f.Eval(e)
}

// bindHost gives the variables that an expression reads the one value that they can have at a place.
func bindHost(f *evaluate.Frame, e, at *ir.Expr, depth int, seen map[*ir.Var]bool) {
	for n := range e.All() {
		v := n.Var
		if n.Op != ir.OpIdent || v == nil || seen[v] || v.AddrTaken || v.Type.Ptr > 0 || v.Type.Ref || len(v.Dims) > 0 {
			continue
		}
		seen[v] = true
		switch {
		case v.Kind == ir.VarParam && len(v.Writes) == 0:
			if x := received(f.Ev.Prog, f.Fn, v, depth+1); x.Known {
				f.Bind(v, values.Convert(x, v.Type.Base), nil)
			}
		case v.Kind == ir.VarLocal && len(v.Writes) == 0 && v.Init != nil:
			bindHost(f, v.Init, at, depth, seen)
		case v.Kind == ir.VarLocal && len(v.Writes) == 1 && v.Init == nil && !v.Static:
			w := v.Writes[0]
			if w.Op == ir.OpAssign && w.Tok == "=" && hostcode.Straight(v, w, at) {
				bindHost(f, w.Kids[1], at, depth, seen)
				if x := f.Eval(w.Kids[1]); x.Known {
					f.Bind(v, values.Convert(x, v.Type.Base), nil)
				}
			}
		}
	}
}

// received is the number that all calls in view pass for a parameter.
func received(p *analysis.Program, fn *ir.Func, v *ir.Var, depth int) values.Value {
	i := 0
	for i < len(fn.Params) && fn.Params[i] != v {
		i++
	}
	calls := p.CallsOf(fn.View.Name)
	if depth > MaxHostCalls || calls.Unclear || len(calls.At) == 0 || i == len(fn.Params) || fn.View.Class != "" {
		return values.Unknown
	}
	out := values.Unknown
	for n, c := range calls.At {
		caller := hostOf(p, c.File, c.Fn)
		if caller == nil || c.Fn == fn.View {
			return values.Unknown
		}
		e := hostcode.CallIn(caller, fn.View.Name, c.Node)
		if e == nil || i >= len(e.Args()) {
			return values.Unknown
		}
		x := hostValue(p, caller, e.Args()[i], e, depth)
		if !x.Uniform() || n > 0 && x.S != out.S {
			return values.Unknown
		}
		out = x
	}
	return out
}
