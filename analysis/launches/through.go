package launches

import (
	"slices"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/evaluate"
	"github.com/smux-cuda/smux/analysis/hostcode"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/values"
	"github.com/smux-cuda/smux/parser"
)

// AsksOfKernel are the functions of the runtime that take a kernel's address and launch nothing. What they answer
// (registers, a block size that fits well, how many blocks fit) differs from GPU to GPU and from compiler to compiler
// anyway: a program has to be right whatever it is.
var AsksOfKernel = map[string]bool{
	"cudaFuncSetCacheConfig": true, "cudaFuncSetSharedMemConfig": true, "cudaFuncSetAttribute": true, "cudaFuncGetAttributes": true,
	"cudaOccupancyMaxPotentialBlockSize": true, "cudaOccupancyMaxPotentialBlockSizeWithFlags": true, "cudaOccupancyMaxPotentialBlockSizeVariableSMem": true,
	"cudaOccupancyMaxActiveBlocksPerMultiprocessor": true, "cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags": true,
}

// followed returns the mentions that lead to the kernel's indirect launches, and to no other.
func followed(k *analysis.Kernel) map[*parser.Node]bool {
	type key struct{}
	return analysis.Table[*parser.Node, bool](&k.Memo, key{})
}

// Follows reports whether the launches that a mention of the kernel leads to, if any, are all among its instances.
func Follows(k *analysis.Kernel, n *parser.Node) bool { return followed(k)[n] }

// IsLaunched reports whether a launch of the kernel is in view, by whatever name.
func IsLaunched(k *analysis.Kernel) bool { return len(k.Launches)+len(k.Indirect) > 0 }

// findIndirect follows what host code does with the kernel beside launching it. Of the template arguments of a kernel
// that is launched by its own name, too, its launches tell: others are not looked for.
func findIndirect(k *analysis.Kernel) {
	if len(k.Launches) > 0 && len(k.Func.TParams) > 0 {
		return
	}
	for _, u := range k.Prog.KernelUses(k.Name) {
		if !VisibleFrom(k, u.File) {
			continue
		}
		for _, n := range u.Mentions {
			fn := u.Within(n)
			if fn == nil || n.Kind == parser.KindStringContent || fn.Quals&(parser.QualGlobal|parser.QualDevice) != 0 {
				continue
			}
			w := &following{prog: k.Prog}
			if w.use(u.File, fn, n, nil) {
				followed(k)[n] = true
				k.Indirect = append(k.Indirect, w.found...)
			}
		}
	}
	for _, l := range k.Indirect {
		for _, in := range Instances(k, l) {
			addInstance(k, in)
		}
	}
}

// following finds what is launched by another name.
type following struct {
	prog  *analysis.Program
	found []*analysis.Launch
	steps int
}

// use looks at one use of the kernel in a host function, by whatever name, and reports whether all that it leads to
// was found.
func (w *following) use(f *parser.File, fn *parser.Function, n *parser.Node, by *analysis.Passing) bool {
	if w.steps++; w.steps > 100 || fn.Error != nil {
		return false
	}
	up := n
	for again := true; again; {
		p := up.Parent
		switch p.Kind {
		case parser.KindTemplateFunction, parser.KindQualifiedIdentifier:
			again = up.Field == parser.FieldName
		case parser.KindPointerExpression, parser.KindParenthesizedExpression:
		case parser.KindCastExpression:
			again = up.Field == parser.FieldValue
		case parser.KindConditionalExpression:
			again = up.Field != parser.FieldCondition
		case parser.KindTypeDescriptor: // a template argument
		default:
			again = false
		}
		if again {
			up = p
		}
	}
	p, i := up.Parent, 0
	for c := p.FirstNamed(); c != nil && c != up; c = c.NextNamed() {
		if i++; c.Kind == parser.KindParameterPackExpansion {
			return false
		}
	}
	switch p.Kind {
	case parser.KindArgumentList:
		return p.Parent.Kind == parser.KindCallExpression && w.passed(f, fn, p.Parent, i, false, by)
	case parser.KindTemplateArgumentList:
		call := p.Parent.Parent
		return p.Parent.Kind == parser.KindTemplateFunction && call.Kind == parser.KindCallExpression && w.passed(f, fn, call, i, true, by)
	case parser.KindBinaryExpression:
		op := p.Child(parser.FieldOperator)
		return op != nil && (f.Text(op) == "==" || f.Text(op) == "!=")
	case parser.KindInitDeclarator:
		return up.Field == parser.FieldValue && w.variable(f, fn, p.Child(parser.FieldDeclarator), by)
	case parser.KindAssignmentExpression:
		return up.Field == parser.FieldRight && p.Child(parser.FieldLeft).Kind == parser.KindIdentifier && w.variable(f, fn, p.Child(parser.FieldLeft), by)
	}
	return false
}

// variable looks at all uses of a variable of a function that holds the kernel.
func (w *following) variable(f *parser.File, fn *parser.Function, declarator *parser.Node, by *analysis.Passing) bool {
	var name string
	for d := declarator; d != nil && name == ""; d = d.FirstNamed() {
		if d.Kind == parser.KindIdentifier {
			name = f.Text(d)
		}
	}
	var of *ir.Var
	for _, v := range w.prog.WholeHost(f, fn).Vars {
		if v.Name == name && of != nil {
			return false
		} else if v.Name == name {
			of = v
		}
	}
	return of != nil && !of.Static && !of.Extern && len(of.Dims) == 0 && w.name(f, fn, fn.Body, name, by)
}

// name looks at all uses of a name for the kernel in a part of a function.
func (w *following) name(f *parser.File, fn *parser.Function, in *parser.Node, name string, by *analysis.Passing) bool {
	if slices.ContainsFunc(w.prog.MacroWords(f)[name], func(m *parser.Macro) bool { return !slices.Contains(m.Params, name) }) {
		return false
	}
	host, ok := w.prog.WholeHost(f, fn), true
	in.Walk(func(n *parser.Node) bool {
		if n.Kind != parser.KindIdentifier && n.Kind != parser.KindTypeIdentifier || f.Text(n) != name {
			return ok
		}
		declared := n.Field == parser.FieldDeclarator && n.Parent.Kind != parser.KindArgumentList || n.Parent.Kind == parser.KindPointerDeclarator
		if declared || n.Field == parser.FieldLeft && n.Parent.Kind == parser.KindAssignmentExpression {
			return ok
		}
		at := slices.IndexFunc(f.Launches, func(l *parser.Launch) bool {
			return l.Callee != nil && l.Callee.Start <= n.Start && n.End <= l.Callee.End
		})
		if at < 0 {
			ok = ok && w.use(f, fn, n, by)
			return ok
		}
		view := f.Launches[at]
		e := hostcode.LaunchIn(w.prog, host, view)
		if e == nil || view.Error != nil || view.Call == parser.CallCooperative || view.TemplateArgs != nil || len(view.Config) < 2 {
			ok = false
			return false
		}
		w.found = append(w.found, &analysis.Launch{File: f, View: view, Lowered: true, Host: host, Expr: e, Indirect: true, By: by})
		return ok
	})
	return ok
}

// passed looks at what a call does with the kernel, which is its i-th argument or, of a template, template argument.
func (w *following) passed(f *parser.File, fn *parser.Function, call *parser.Node, i int, template bool, by *analysis.Passing) bool {
	callee := call.Child(parser.FieldFunction)
	if callee != nil && callee.Kind == parser.KindTemplateFunction {
		callee = callee.Child(parser.FieldName)
	}
	if callee == nil || callee.Kind != parser.KindIdentifier {
		return false
	}
	name, host := f.Text(callee), w.prog.WholeHost(f, fn)
	if AsksOfKernel[name] {
		return true
	}
	e := hostcode.CallIn(host, name, call)
	if _, macro := f.Macros.Lookup(name, int(call.Start)); macro || e == nil || e.Macro {
		return false
	}
	if v := e.Kids[0].Var; v != nil {
		return !template && w.toLambda(f, fn, v, i, &analysis.Passing{Caller: host, Call: e, Callee: host, Params: nil, Outer: by})
	}
	var to analysis.FuncIn
	for _, c := range w.prog.Unit(f).ByName[name] {
		if c.Fn.Body == nil {
			continue
		}
		if to.Fn != nil || c.Fn.Class != "" || c.Fn.Quals&(parser.QualGlobal|parser.QualDevice) != 0 {
			return false
		}
		to = c
	}
	if to.Fn == nil {
		return false
	}
	into := w.prog.WholeHost(to.File, to.Fn)
	params := into.Params
	if template {
		params = into.TParams
	}
	if slices.ContainsFunc(params[:min(i+1, len(params))], func(v *ir.Var) bool { return v.Pack }) {
		return false
	}
	return i < len(params) && w.parameter(to.File, to.Fn, to.Fn.Body, params[i], &analysis.Passing{Caller: host, Call: e, Callee: into, Params: into.Params, Outer: by})
}

// toLambda looks at what a lambda does with the kernel, which it is called with.
func (w *following) toLambda(f *parser.File, fn *parser.Function, v *ir.Var, i int, by *analysis.Passing) (ok bool) {
	if v.Init == nil || v.Init.Op != ir.OpLambda || len(v.Init.Params) != len(by.Call.Args()) {
		return false
	}
	by.Params = v.Init.Params
	for n := range fn.Body.All() {
		if n.Kind == parser.KindLambdaExpression && int(n.Start) == v.Init.Range.Start && int(n.End) == v.Init.Range.End {
			ok = w.parameter(f, fn, n.Child(parser.FieldBody), by.Params[i], by)
		}
	}
	return ok
}

// parameter looks at all uses of a parameter that the kernel is passed for.
func (w *following) parameter(f *parser.File, fn *parser.Function, body *parser.Node, v *ir.Var, by *analysis.Passing) bool {
	if body == nil || v.Name == "" {
		return false
	}
	hidden := slices.ContainsFunc(w.prog.WholeHost(f, fn).Vars, func(o *ir.Var) bool {
		return o != v && o.Name == v.Name && int(body.Start) <= o.Range.Start && o.Range.Start < int(body.End)
	})
	return !hidden && w.name(f, fn, body, v.Name, by)
}

// passedFrame is a frame for the function that got a kernel, with the numbers that were passed with it.
func passedFrame(p *analysis.Program, k *analysis.Kernel, fn *ir.Func, by *analysis.Passing) *evaluate.Frame {
	ev := evaluate.NewEvaluator(p, analysis.Shape{})
	ev.Kernel = k
	f := ev.NewFrame(fn)
	for ; by != nil && by.Callee == fn; by = by.Outer {
		from := passedFrame(p, k, by.Caller, by.Outer)
		give := func(v *ir.Var, e *ir.Expr) {
			if v.AddrTaken || len(v.Writes) > 0 || v.Pack || v.Type.Ptr > 0 || v.Type.Base == "dim3" {
				return
			}
			from.BindSetOnce(e, by.Call, map[*ir.Var]bool{})
			if x := from.Eval(e); x.Uniform() {
				f.Vals[v] = values.Convert(x, v.Type.Base)
			}
		}
		for i, a := range by.Call.Args() {
			if i < len(by.Params) {
				give(by.Params[i], a)
			}
		}
		for i, a := range by.Call.TArgs {
			if by.Caller != fn && i < len(fn.TParams) && fn.TParams[i].Kind == ir.VarTemplateValue {
				give(fn.TParams[i], a)
			}
		}
		if by.Caller != fn {
			break
		}
	}
	return f
}

// passed follows a parameter of a function that got a kernel to what was passed for it, and returns that with where it
// stands; any other expression as it is.
func passed(f *evaluate.Frame, e, at *ir.Expr, by *analysis.Passing) (*evaluate.Frame, *ir.Expr, *ir.Expr) {
	f.BindSetOnce(e, at, map[*ir.Var]bool{})
	if by == nil || e.Op != ir.OpIdent || e.Var == nil || e.Var.AddrTaken || len(e.Var.Writes) > 0 || e.Var.Pack || evaluate.PartsWritten(f.Fn, e.Var) > 0 {
		return f, e, at
	}
	i := slices.Index(by.Params, e.Var)
	if i < 0 || i >= len(by.Call.Args()) {
		return f, e, at
	}
	return passed(passedFrame(f.Ev.Prog, f.Ev.Kernel, by.Caller, by.Outer), by.Call.Args()[i], by.Call, by.Outer)
}
