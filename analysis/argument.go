package analysis

import (
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/parser"
)

// maxHostCalls bounds how far an argument is followed up through calls of host
// functions.
const maxHostCalls = 4

// Argument folds what an instance passes for a parameter of the kernel, by its
// number: an expression of constants, of variables that are set once in front of
// the launch, and of parameters for which all calls in view pass one number. It
// is not ok where launches that the instance stands for differ in it, where a
// variable is set twice or by something out of sight (argv, a file), or where
// the launch is in no function.
//
// The number is good for estimates of time only. It is no proof of anything:
// callers out of sight may pass another one.
func (k *Kernel) Argument(in *Instance, i int) (int64, bool) {
	if in.Launch == nil || i < 0 || i >= len(k.Func.Params) {
		return 0, false
	}
	first := k.launchPasses(in.Launch, i)
	if !first.uniform() {
		return 0, false
	}
	for _, l := range in.alike {
		if v := k.launchPasses(l, i); !v.uniform() || v.s != first.s {
			return 0, false
		}
	}
	return first.s, true
}

// launchPasses returns what a launch passes for parameter i.
func (k *Kernel) launchPasses(l *Launch, i int) value {
	host := k.Prog.hostOf(l.File, l.View.Function)
	if host == nil || l.View.Error != nil {
		return unknown
	}
	e := k.Prog.launchIn(host, l.View)
	if e == nil || len(l.View.Config)+i >= len(e.Kids) {
		return unknown
	}
	a := e.Kids[len(l.View.Config)+i]
	return convert(k.Prog.hostValue(host, a, e, 0), k.Func.Params[i].Type.Base)
}

// launchIn finds a launch in its host function, in the bodies of lambdas, too.
func (p *Program) launchIn(host *ir.Func, view *parser.Launch) *ir.Expr {
	type key struct{ host *ir.Func }
	return Once(&p.Memo, key{host}, func() map[*parser.Launch]*ir.Expr {
		found := map[*parser.Launch]*ir.Expr{}
		var look func(e *ir.Expr) bool
		look = func(e *ir.Expr) bool {
			switch {
			case e.Op == ir.OpLaunch && found[e.Launch] == nil:
				found[e.Launch] = withSettings(host, e)
			case e.Op == ir.OpLambda && e.Lambda != nil:
				e.Lambda.WalkExprs(look)
			}
			return true
		}
		host.Body.WalkExprs(look)
		return found
	})[view]
}

// hostOf returns a host function lowered with what flows into the numbers that
// it passes to kernels and to functions that lead to launches. That is kept apart
// from what Lower returns: it is needed for estimates only, and expanding the
// macros around it takes time that other analyses need not spend.
func (p *Program) hostOf(f *parser.File, fn *parser.Function) *ir.Func {
	if fn == nil || fn.Body == nil {
		return nil
	}
	type key struct{ fn *parser.Function }
	return Once(&p.Memo, key{fn}, func() *ir.Func {
		l := ir.LowerFor(&p.cache, f, fn, p.passedBy(f, fn))
		p.markReferences(l)
		return l
	})
}

// passedBy are the expressions of a host function that flow into those numbers.
func (p *Program) passedBy(f *parser.File, fn *parser.Function) (also []*parser.Node) {
	for _, l := range f.Launches {
		if l.Function == fn {
			also = append(also, p.numbersIn(f, l.Kernel, l.Arguments())...)
		}
	}
	for name := range p.launchers() {
		for _, c := range p.callsOf(name).at {
			if c.fn != fn {
				continue
			}
			also = append(also, c.node.Child(parser.FieldFunction))
			if args := c.node.Child(parser.FieldArguments); args != nil {
				also = append(also, p.numbersIn(f, name, argumentNodes(args))...)
			}
		}
	}
	return also
}

// numbersIn are the arguments that may be numbers: those that go to no pointer
// of a function of that name.
func (p *Program) numbersIn(f *parser.File, name string, args []*parser.Node) (out []*parser.Node) {
	pointer := p.pointersOf(f, name)
	for i, a := range args {
		if !pointer[i] {
			out = append(out, a)
		}
	}
	return out
}

// pointersOf are the numbers of parameters that are pointers in a function of that
// name: what flows into them hostOf leaves out.
func (p *Program) pointersOf(f *parser.File, name string) map[int]bool {
	pointer := map[int]bool{}
	for _, c := range p.unit(f).byName[name] {
		for i := range c.fn.Params {
			n := c.fn.Params[i].Node
			if d := n.Child(parser.FieldDeclarator); d != nil && d.Kind == parser.KindPointerDeclarator {
				pointer[i] = true
			}
		}
	}
	return pointer
}

// hostValue folds an expression of a host function as it is when control comes
// to at.
func (p *Program) hostValue(host *ir.Func, e, at *ir.Expr, depth int) value {
	f := newEvaluator(p, shape{}).newFrame(host)
	f.bindHost(e, at, depth, map[*ir.Var]bool{})
	return f.eval(e)
}

// bindHost gives the variables that an expression reads the one value that they
// can have at a place.
func (f *frame) bindHost(e, at *ir.Expr, depth int, seen map[*ir.Var]bool) {
	e.Walk(func(n *ir.Expr) bool {
		v := n.Var
		if n.Op != ir.OpIdent || v == nil || seen[v] || v.AddrTaken || v.Type.Ptr > 0 || v.Type.Ref || len(v.Dims) > 0 {
			return true
		}
		seen[v] = true
		switch {
		case v.Kind == ir.VarParam && len(v.Writes) == 0:
			if x := f.ev.prog.received(f.fn, v, depth+1); x.known {
				f.bind(v, convert(x, v.Type.Base), nil)
			}
		case v.Kind == ir.VarLocal && len(v.Writes) == 0 && v.Init != nil:
			f.bindHost(v.Init, at, depth, seen)
		case v.Kind == ir.VarLocal && len(v.Writes) == 1 && v.Init == nil && !v.Static:
			w := v.Writes[0]
			if w.Op == ir.OpAssign && w.Tok == "=" && straight(v, w, at) {
				f.bindHost(w.Kids[1], at, depth, seen)
				if x := f.eval(w.Kids[1]); x.known {
					f.bind(v, convert(x, v.Type.Base), nil)
				}
			}
		}
		return true
	})
}

// received is the number that all calls in view pass for a parameter.
func (p *Program) received(fn *ir.Func, v *ir.Var, depth int) value {
	i := 0
	for i < len(fn.Params) && fn.Params[i] != v {
		i++
	}
	calls := p.callsOf(fn.View.Name)
	if depth > maxHostCalls || calls.unclear || len(calls.at) == 0 || i == len(fn.Params) || fn.View.Class != "" {
		return unknown
	}
	out := unknown
	for n, c := range calls.at {
		caller := p.hostOf(c.file, c.fn)
		if caller == nil || c.fn == fn.View {
			return unknown
		}
		e := callIn(caller, fn.View.Name, c.node)
		if e == nil || i >= len(e.Args()) {
			return unknown
		}
		x := p.hostValue(caller, e.Args()[i], e, depth)
		if !x.uniform() || n > 0 && x.s != out.s {
			return unknown
		}
		out = x
	}
	return out
}

func callIn(caller *ir.Func, name string, node *parser.Node) (found *ir.Expr) {
	caller.Body.WalkExprs(func(e *ir.Expr) bool {
		if e.Op == ir.OpCall && e.Name == name && e.Range.Start <= int(node.Start) && int(node.End) <= e.Range.End {
			found = e
		}
		return true
	})
	return found
}
