package evaluate

import (
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/hostcode"
	"github.com/smux-cuda/smux/analysis/intrinsic"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/polynomial"
	"github.com/smux-cuda/smux/analysis/values"
	"github.com/smux-cuda/smux/model/hardware"
	"github.com/smux-cuda/smux/parser"
)

// Evaluator computes integer expressions for all threads of a block at once.
// It spends a budget: past it everything is unknown, which is always sound.
type Evaluator struct {
	Prog   *analysis.Program
	Shape  analysis.Shape
	N      int // threads, or 1 stand-in where the shape is unknown
	tid    [3]values.Value
	Budget int
	Total  *int // what all enumerations of the kernel may still take; nil where this is none
	// Kernel is the kernel under analysis: it knows what names a shared variable.
	Kernel *analysis.Kernel
	// extents are the sizes of shared arrays where instances differ in them.
	extents map[*analysis.Shared]extent
	Symbols symbols
	// anyLevel: variables that differ from thread to thread have symbols, too.
	anyLevel bool
}

// MaxEvaluation bounds the steps of an evaluator: a sixth of MaxSteps.
const MaxEvaluation = 2 << 20

// NewEvaluator returns an evaluator for blocks of a shape, which may be unknown.
func NewEvaluator(p *analysis.Program, s analysis.Shape) *Evaluator {
	ev := &Evaluator{Prog: p, Shape: s, N: 1, Budget: MaxEvaluation}
	if !s.Known() {
		return ev
	}
	ev.N = s.Threads()
	ev.tid = threadNumbers(p, s)
	return ev
}

// threadNumbers are the components of threadIdx of all threads of a block.
func threadNumbers(p *analysis.Program, s analysis.Shape) (tid [3]values.Value) {
	type key struct{ s analysis.Shape }
	return analysis.Once(&p.Memo, key{s}, func() [3]values.Value {
		for d := range 3 {
			tid[d] = values.Value{Known: true, Unsigned: true}
			if s.Dims()[d] > 1 {
				tid[d].V = ThreadIndices(s.Dims(), d)
			}
		}
		return tid
	})
}

// ThreadIndices returns a component of threadIdx, x for d = 0, for each thread of a block
// of that shape, in the order of their linear numbers.
func ThreadIndices(shape [3]int, d int) []int64 {
	stride := 1
	for _, extent := range shape[:d] {
		stride *= extent
	}
	out := make([]int64, shape[0]*shape[1]*shape[2])
	for i := range out {
		out[i] = int64(i / stride % shape[d])
	}
	return out
}

// Frame is one activation of a function under evaluation: what its parameters,
// template parameters and the counters of loops being enumerated stand for.
type Frame struct {
	Ev     *Evaluator
	Fn     *ir.Func
	Vals   map[*ir.Var]values.Value
	refs   map[*ir.Var]Ref
	Depth  int
	Caller *Frame
	// loops tells which loop binds a counter in vals: in the initialiser of a
	// declaration outside of that loop the counter had another value.
	loops map[*ir.Var]*ir.Stmt
	// fixed caches locals whose initialiser reads no loop counter, inits all others
	// while counters stay what they are; counted counts the reads of counters.
	fixed   map[*ir.Var]values.Value
	inits   initialisers
	counted int
	busy    map[*ir.Var]bool // initialisers under evaluation, against cycles
	decl    *ir.Stmt         // the declaration whose initialiser is under evaluation

	Args   map[*ir.Var]*ir.Expr           // what the call passes for parameters
	moving map[*ir.Var]*polynomial.Symbol // counters of loops under way that are not enumerated
}

// NewFrame returns a frame in which expressions of a function are evaluated.
func (ev *Evaluator) NewFrame(fn *ir.Func) *Frame {
	return &Frame{Ev: ev, Fn: fn, Vals: map[*ir.Var]values.Value{}, loops: map[*ir.Var]*ir.Stmt{}, fixed: map[*ir.Var]values.Value{}, refs: map[*ir.Var]Ref{}, busy: map[*ir.Var]bool{},
		Args: map[*ir.Var]*ir.Expr{}, moving: map[*ir.Var]*polynomial.Symbol{}}
}

// Spend takes steps off what the evaluator may take.
func (ev *Evaluator) Spend(steps int) {
	if ev.Kernel != nil {
		ev.Kernel.Work += steps
	}
	ev.Budget = max(ev.Budget-steps, -1)
	if ev.Total != nil {
		ev.Kernel.Budget.Spent = ev.Kernel.Budget.Spent || ev.Budget < 0
		*ev.Total = max(*ev.Total-steps, -1)
	}
}

// Spent reports whether all steps are used up.
func (ev *Evaluator) Spent() bool { return ev.Budget < 0 || ev.Total != nil && *ev.Total < 0 }

// Eval computes e for all threads.
func (f *Frame) Eval(e *ir.Expr) values.Value {
	if e == nil {
		return values.Unknown
	}
	if f.Ev.Spend(1 + f.Ev.N/8); f.Ev.Spent() {
		return values.Unknown
	}
	switch e.Op {
	case ir.OpInt:
		return values.Value{Known: true, Unsigned: e.Tok == "u", S: e.Int}
	case ir.OpIdent:
		return f.variable(e)
	case ir.OpMember:
		if part := dimPart(f, e); part != nil {
			return f.Eval(part)
		}
		return f.builtin(e)
	case ir.OpUnary:
		return f.unary(e)
	case ir.OpBinary:
		a := f.Eval(e.Kids[0])
		if a.Uniform() && a.S == 0 && e.Tok == "&&" {
			return values.Scalar(0)
		}
		if a.Uniform() && a.S != 0 && e.Tok == "||" {
			return values.Scalar(1)
		}
		return values.Binary(e.Tok, a, f.Eval(e.Kids[1]))
	case ir.OpCond:
		return f.conditional(e)
	case ir.OpComma:
		return f.Eval(e.Kids[1])
	case ir.OpCast:
		if e.Type.Ptr > 0 || e.Type.Ref || len(e.Kids) != 1 {
			return values.Unknown
		}
		return values.Convert(f.Eval(e.Kids[0]), e.Type.Base)
	case ir.OpInitList:
		if len(e.Kids) == 1 {
			return f.Eval(e.Kids[0])
		}
	case ir.OpSizeof:
		return f.sizeof(e)
	case ir.OpCall:
		return f.callValue(e)
	}
	return values.Unknown
}

func (f *Frame) unary(e *ir.Expr) values.Value {
	a := f.Eval(e.Kids[0])
	if !a.Known {
		return values.Unknown
	}
	switch e.Tok {
	case "+":
		return a
	case "-":
		return values.Binary("-", values.Value{Known: true, Unsigned: a.Unsigned}, a)
	case "!", "not":
		return values.Binary("==", a, values.Scalar(0))
	case "~":
		if !a.Unsigned {
			return values.Binary("-", values.Scalar(-1), a)
		}
	}
	return values.Unknown
}

// variable evaluates a name: a bound parameter or loop counter, a constant, or
// a local that is set once, by its initialiser.
func (f *Frame) variable(e *ir.Expr) values.Value {
	v := e.Var
	if v == nil {
		if e.Qual != "" {
			return values.Unknown // of a class or namespace: which one is not looked up
		}
		v = f.Ev.Prog.GlobalIn(f.Fn, e.Name)
		if v == nil {
			if e.Name == "warpSize" {
				return values.Scalar(hardware.WarpSize)
			}
			return values.Unknown
		}
	}
	if x, ok := f.fixed[v]; ok {
		return x
	}
	if x, ok := f.Vals[v]; ok {
		f.counted++
		if loop := f.loops[v]; loop != nil && f.decl != nil && !f.decl.Inside(loop.Body) {
			return values.Unknown // the counter had another value when this was declared
		}
		return x
	}
	if v.Kind != ir.VarEnumerator && !f.settled(v) {
		return values.Unknown
	}
	if x, ok := f.inits.values[v]; ok {
		if x.counted {
			f.counted++
		}
		return x.Value
	}
	x := values.Unknown
	f.Initialiser(v, func(init *ir.Expr) {
		before := f.counted
		x = values.Convert(f.Eval(init), v.Type.Base)
		switch {
		case x.Known && f.counted == before:
			f.fixed[v] = x
		case !f.Ev.Spent():
			f.inits.keep(v, initialValue{x, f.counted != before})
		}
	})
	return x
}

// settled reports whether v keeps the value of its initialiser for ever.
func (f *Frame) settled(v *ir.Var) bool {
	if v.Init == nil || len(v.Dims) > 0 || v.Type.Ptr > 0 || v.Type.Ref || v.Type.Volatile {
		return false
	}
	switch v.Kind {
	case ir.VarLocal:
		// One branch of an #if has no scope of its own: another one may have the name, too.
		return len(v.Writes) == 0 && !v.AddrTaken && !v.Static && !hostcode.InBranchOfIf(v.Decl)
	case ir.VarGlobal:
		return v.Type.Const
	}
	return false
}

func (f *Frame) builtin(e *ir.Expr) values.Value {
	base := e.Kids[0]
	if base.Op != ir.OpIdent || base.Var != nil {
		return values.Unknown
	}
	d := strings.Index("xyz", e.Name)
	if d < 0 || len(e.Name) != 1 || !f.Ev.Shape.Known() {
		return values.Unknown
	}
	switch base.Name {
	case "threadIdx":
		return f.Ev.tid[d]
	case "blockDim":
		return values.Value{Known: true, Unsigned: true, S: int64(f.Ev.Shape.Dims()[d])}
	}
	return values.Unknown
}

func (f *Frame) conditional(e *ir.Expr) values.Value {
	c := f.Eval(e.Kids[0])
	if !c.Known {
		return values.Unknown
	}
	a, b := f.Eval(e.Kids[1]), f.Eval(e.Kids[2])
	if c.V == nil {
		// The type of the result is that of both arms together.
		if !a.Known || !b.Known {
			return values.Unknown
		}
		out := a
		if c.S == 0 {
			out = b
		}
		out.Unsigned = a.Unsigned || b.Unsigned
		return out.InRange()
	}
	if !a.Known || !b.Known || a.Unsigned != b.Unsigned && (values.HasNegative(a) || values.HasNegative(b)) {
		return values.Unknown
	}
	out := values.Value{Known: true, Unsigned: a.Unsigned || b.Unsigned, V: make([]int64, len(c.V))}
	for i := range out.V {
		if c.V[i] != 0 {
			out.V[i] = a.At(i)
		} else {
			out.V[i] = b.At(i)
		}
	}
	return out
}

func (f *Frame) sizeof(e *ir.Expr) values.Value {
	t := e.Type
	if len(e.Kids) == 1 {
		if e.Kids[0].Op != ir.OpIdent {
			return values.Unknown
		}
		// sizeof(T) with T a plain name is read as an expression.
		if v := e.Kids[0].Var; v != nil && v.Kind != ir.VarTemplateType {
			if len(v.Dims) > 0 {
				return values.Unknown
			}
			t = v.Type
		} else {
			t = ir.Type{Base: e.Kids[0].Name}
		}
	}
	if n := f.Ev.Prog.SizeOf(f.Fn, t); n > 0 {
		return values.Value{Known: true, Unsigned: true, S: int64(n)}
	}
	return values.Unknown
}

// callValue evaluates min, max and calls of functions whose body is a single return statement.
func (f *Frame) callValue(e *ir.Expr) values.Value {
	args := e.Args()
	known := e.Intrinsic()
	for _, c := range f.Ev.Prog.Unit(f.Fn.File).ByName[e.Name] {
		if c.Fn.Class == "" || c.Fn.Body != nil {
			known = intrinsic.Of("") // a function in view, not the one of that name that CUDA has
		}
	}
	switch r := known; {
	case r.Op != "" && len(args) == 2 && (r.Type == intrinsic.Arguments || r.Type == intrinsic.Int):
		return values.Binary(r.Op, f.Eval(args[0]), f.Eval(args[1]))
	case known.Kind == intrinsic.Cast && (e.Name == "int" || e.Name == "unsigned") && len(args) == 1:
		return values.Convert(f.Eval(args[0]), e.Name)
	}
	if e.Object() != nil {
		return values.Unknown
	}
	callee := f.Ev.Prog.ResolveCall(f.Fn.File, e)
	if callee == nil || f.Depth > 6 || len(callee.Body.List) != 1 || callee.Body.List[0].Op != ir.StmtReturn {
		return values.Unknown
	}
	g := f.Enter(callee, e)
	return values.Convert(g.Eval(callee.Body.List[0].Expr), ReturnType(callee))
}

// ReturnType returns the declared return type of a function that returns a value, "" where it is not a plain type.
func ReturnType(fn *ir.Func) string {
	v := fn.View
	if v.Node == nil || v.Declared == nil || v.Declared.Parent != v.Node {
		return ""
	}
	t := v.Node.Child(parser.FieldType)
	if t == nil {
		return ""
	}
	if strings.Contains(fn.File.Text(v.Declared), "->") {
		return "" // a trailing return type
	}
	return strings.Join(strings.Fields(fn.File.Text(t)), " ")
}

// Enter makes the frame of a call: parameters bound to the arguments, template
// parameters to explicit template arguments.
func (f *Frame) Enter(callee *ir.Func, call *ir.Expr) *Frame {
	g := f.Ev.NewFrame(callee)
	g.Depth, g.Caller = f.Depth+1, f
	for i, tp := range callee.TParams {
		if tp.Pack {
			break // which argument is whose is not known from here on
		}
		if i < len(call.TArgs) && tp.Kind == ir.VarTemplateValue && !tp.Pack {
			g.Vals[tp] = values.Convert(f.Eval(call.TArgs[i]), tp.Type.Base)
		}
	}
	args := call.Args()
	for i, p := range callee.Params {
		if i >= len(args) {
			break
		}
		g.Args[p] = args[i]
		if r, ok := f.Resolve(args[i]); ok {
			g.refs[p] = r
			continue
		}
		if p.Type.Ptr > 0 || p.Type.Ref && !p.Type.Const || len(p.Writes) > 0 || p.AddrTaken {
			continue
		}
		x := f.Eval(args[i])
		switch {
		case p.Type.Base == "auto" || analysis.IsTypeParam(callee, p.Type.Base) && len(call.TArgs) == 0:
			g.Vals[p] = x
		case analysis.IsTypeParam(callee, p.Type.Base): // an explicit type may be narrower
		default:
			g.Vals[p] = values.Convert(x, p.Type.Base)
		}
	}
	return g
}
