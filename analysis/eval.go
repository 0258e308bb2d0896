package analysis

import (
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis/intrinsic"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/polynomial"
	"github.com/smux-cuda/smux/model/hardware"
	"github.com/smux-cuda/smux/parser"
)

// shape is the block shape of one launch; x == 0 means unknown.
type shape struct{ x, y, z int }

func (s shape) known() bool  { return s.x > 0 }
func (s shape) threads() int { return s.x * s.y * s.z }

// evaluator computes integer expressions for all threads of a block at once.
// It spends a budget: past it everything is unknown, which is always sound.
type evaluator struct {
	prog   *Program
	shape  shape
	n      int // threads, or 1 stand-in where the shape is unknown
	tid    [3]value
	budget int
	total  *int // what all enumerations of the kernel may still take; nil where this is none
	// kernel is the kernel under analysis: it knows what names a shared variable.
	kernel *Kernel
	// extents are the sizes of shared arrays where instances differ in them.
	extents map[*Shared]extent
	symbols symbols
	// anyLevel: variables that differ from thread to thread have symbols, too.
	anyLevel bool
}

// maxEvaluation bounds the steps of an evaluator: a sixth of maxSteps.
const maxEvaluation = 2 << 20

func newEvaluator(p *Program, s shape) *evaluator {
	ev := &evaluator{prog: p, shape: s, n: 1, budget: maxEvaluation}
	if !s.known() {
		return ev
	}
	ev.n = s.threads()
	ev.tid = p.threadNumbers(s)
	return ev
}

// threadNumbers are the components of threadIdx of all threads of a block.
func (p *Program) threadNumbers(s shape) (tid [3]value) {
	type key struct{ s shape }
	return Once(&p.Memo, key{s}, func() [3]value {
		for d := range 3 {
			tid[d] = value{known: true, unsigned: true}
			if s.dims()[d] > 1 {
				tid[d].v = ThreadIndices(s.dims(), d)
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

// frame is one activation of a function under evaluation: what its parameters,
// template parameters and the counters of loops being enumerated stand for.
type frame struct {
	ev     *evaluator
	fn     *ir.Func
	vals   map[*ir.Var]value
	refs   map[*ir.Var]ref
	depth  int
	caller *frame
	// loops tells which loop binds a counter in vals: in the initialiser of a
	// declaration outside of that loop the counter had another value.
	loops map[*ir.Var]*ir.Stmt
	// fixed caches locals whose initialiser reads no loop counter, inits all others
	// while counters stay what they are; counted counts the reads of counters.
	fixed   map[*ir.Var]value
	inits   initialisers
	counted int
	busy    map[*ir.Var]bool // initialisers under evaluation, against cycles
	decl    *ir.Stmt         // the declaration whose initialiser is under evaluation

	args   map[*ir.Var]*ir.Expr           // what the call passes for parameters
	moving map[*ir.Var]*polynomial.Symbol // counters of loops under way that are not enumerated
}

func (ev *evaluator) newFrame(fn *ir.Func) *frame {
	return &frame{ev: ev, fn: fn, vals: map[*ir.Var]value{}, loops: map[*ir.Var]*ir.Stmt{}, fixed: map[*ir.Var]value{}, refs: map[*ir.Var]ref{}, busy: map[*ir.Var]bool{},
		args: map[*ir.Var]*ir.Expr{}, moving: map[*ir.Var]*polynomial.Symbol{}}
}

// spend takes steps off what the evaluator may take.
func (ev *evaluator) spend(steps int) {
	if ev.kernel != nil {
		ev.kernel.Work += steps
	}
	ev.budget = max(ev.budget-steps, -1)
	if ev.total != nil {
		ev.kernel.spent = ev.kernel.spent || ev.budget < 0
		*ev.total = max(*ev.total-steps, -1)
	}
}

// spent reports whether all steps are used up.
func (ev *evaluator) spent() bool { return ev.budget < 0 || ev.total != nil && *ev.total < 0 }

// eval computes e for all threads.
func (f *frame) eval(e *ir.Expr) value {
	if e == nil {
		return unknown
	}
	if f.ev.spend(1 + f.ev.n/8); f.ev.spent() {
		return unknown
	}
	switch e.Op {
	case ir.OpInt:
		return value{known: true, unsigned: e.Tok == "u", s: e.Int}
	case ir.OpIdent:
		return f.variable(e)
	case ir.OpMember:
		if part := dimPart(f, e); part != nil {
			return f.eval(part)
		}
		return f.builtin(e)
	case ir.OpUnary:
		return f.unary(e)
	case ir.OpBinary:
		a := f.eval(e.Kids[0])
		if a.uniform() && a.s == 0 && e.Tok == "&&" {
			return scalar(0)
		}
		if a.uniform() && a.s != 0 && e.Tok == "||" {
			return scalar(1)
		}
		return binary(e.Tok, a, f.eval(e.Kids[1]))
	case ir.OpCond:
		return f.conditional(e)
	case ir.OpComma:
		return f.eval(e.Kids[1])
	case ir.OpCast:
		if e.Type.Ptr > 0 || e.Type.Ref || len(e.Kids) != 1 {
			return unknown
		}
		return convert(f.eval(e.Kids[0]), e.Type.Base)
	case ir.OpInitList:
		if len(e.Kids) == 1 {
			return f.eval(e.Kids[0])
		}
	case ir.OpSizeof:
		return f.sizeof(e)
	case ir.OpCall:
		return f.callValue(e)
	}
	return unknown
}

func (f *frame) unary(e *ir.Expr) value {
	a := f.eval(e.Kids[0])
	if !a.known {
		return unknown
	}
	switch e.Tok {
	case "+":
		return a
	case "-":
		return binary("-", value{known: true, unsigned: a.unsigned}, a)
	case "!", "not":
		return binary("==", a, scalar(0))
	case "~":
		if !a.unsigned {
			return binary("-", scalar(-1), a)
		}
	}
	return unknown
}

// variable evaluates a name: a bound parameter or loop counter, a constant, or
// a local that is set once, by its initialiser.
func (f *frame) variable(e *ir.Expr) value {
	v := e.Var
	if v == nil {
		if e.Qual != "" {
			return unknown // of a class or namespace: which one is not looked up
		}
		v = f.ev.prog.globalIn(f.fn, e.Name)
		if v == nil {
			if e.Name == "warpSize" {
				return scalar(hardware.WarpSize)
			}
			return unknown
		}
	}
	if x, ok := f.fixed[v]; ok {
		return x
	}
	if x, ok := f.vals[v]; ok {
		f.counted++
		if loop := f.loops[v]; loop != nil && f.decl != nil && !f.decl.Inside(loop.Body) {
			return unknown // the counter had another value when this was declared
		}
		return x
	}
	if v.Kind != ir.VarEnumerator && !f.settled(v) {
		return unknown
	}
	if x, ok := f.inits.values[v]; ok {
		if x.counted {
			f.counted++
		}
		return x.value
	}
	x := unknown
	f.initialiser(v, func(init *ir.Expr) {
		before := f.counted
		x = convert(f.eval(init), v.Type.Base)
		switch {
		case x.known && f.counted == before:
			f.fixed[v] = x
		case !f.ev.spent():
			f.inits.keep(v, initialValue{x, f.counted != before})
		}
	})
	return x
}

// settled reports whether v keeps the value of its initialiser for ever.
func (f *frame) settled(v *ir.Var) bool {
	if v.Init == nil || len(v.Dims) > 0 || v.Type.Ptr > 0 || v.Type.Ref || v.Type.Volatile {
		return false
	}
	switch v.Kind {
	case ir.VarLocal:
		// One branch of an #if has no scope of its own: another one may have the name, too.
		return len(v.Writes) == 0 && !v.AddrTaken && !v.Static && !inBranchOfIf(v.Decl)
	case ir.VarGlobal:
		return v.Type.Const
	}
	return false
}

// inBranchOfIf reports whether a declaration stands in a branch of an #if.
func inBranchOfIf(decl *ir.Stmt) bool {
	return decl != nil && decl.Parent != nil && decl.Parent.NoScope && !decl.Parent.Macro
}

func (f *frame) builtin(e *ir.Expr) value {
	base := e.Kids[0]
	if base.Op != ir.OpIdent || base.Var != nil {
		return unknown
	}
	d := strings.Index("xyz", e.Name)
	if d < 0 || len(e.Name) != 1 || !f.ev.shape.known() {
		return unknown
	}
	switch base.Name {
	case "threadIdx":
		return f.ev.tid[d]
	case "blockDim":
		return value{known: true, unsigned: true, s: int64(f.ev.shape.dims()[d])}
	}
	return unknown
}

func (f *frame) conditional(e *ir.Expr) value {
	c := f.eval(e.Kids[0])
	if !c.known {
		return unknown
	}
	a, b := f.eval(e.Kids[1]), f.eval(e.Kids[2])
	if c.v == nil {
		// The type of the result is that of both arms together.
		if !a.known || !b.known {
			return unknown
		}
		out := a
		if c.s == 0 {
			out = b
		}
		out.unsigned = a.unsigned || b.unsigned
		return out.inRange()
	}
	if !a.known || !b.known || a.unsigned != b.unsigned && (hasNegative(a) || hasNegative(b)) {
		return unknown
	}
	out := value{known: true, unsigned: a.unsigned || b.unsigned, v: make([]int64, len(c.v))}
	for i := range out.v {
		if c.v[i] != 0 {
			out.v[i] = a.at(i)
		} else {
			out.v[i] = b.at(i)
		}
	}
	return out
}

func (f *frame) sizeof(e *ir.Expr) value {
	t := e.Type
	if len(e.Kids) == 1 {
		if e.Kids[0].Op != ir.OpIdent {
			return unknown
		}
		// sizeof(T) with T a plain name is read as an expression.
		if v := e.Kids[0].Var; v != nil && v.Kind != ir.VarTemplateType {
			if len(v.Dims) > 0 {
				return unknown
			}
			t = v.Type
		} else {
			t = ir.Type{Base: e.Kids[0].Name}
		}
	}
	if n := f.ev.prog.sizeOf(f.fn, t); n > 0 {
		return value{known: true, unsigned: true, s: int64(n)}
	}
	return unknown
}

// callValue evaluates min, max and calls of functions whose body is a single
// return statement.
func (f *frame) callValue(e *ir.Expr) value {
	args := e.Args()
	known := e.Intrinsic()
	for _, c := range f.ev.prog.unit(f.fn.File).byName[e.Name] {
		if c.fn.Class == "" || c.fn.Body != nil {
			known = intrinsic.Of("") // a function in view, not the one of that name that CUDA has
		}
	}
	switch r := known; {
	case r.Op != "" && len(args) == 2 && (r.Type == intrinsic.Arguments || r.Type == intrinsic.Int):
		return binary(r.Op, f.eval(args[0]), f.eval(args[1]))
	case known.Kind == intrinsic.Cast && (e.Name == "int" || e.Name == "unsigned") && len(args) == 1:
		return convert(f.eval(args[0]), e.Name)
	}
	if _, member := e.IsMemberCall(); member {
		return unknown
	}
	callee := f.ev.prog.resolveCall(f.fn.File, e)
	if callee == nil || f.depth > 6 || len(callee.Body.List) != 1 || callee.Body.List[0].Op != ir.StmtReturn {
		return unknown
	}
	g := f.enter(callee, e)
	return convert(g.eval(callee.Body.List[0].Expr), returnType(callee))
}

// ReturnType is the declared return type of a function that returns a value, "" where it is not a
// plain type.
func (k *Kernel) ReturnType(fn *ir.Func) string { return returnType(fn) }

// returnType is the declared return type of a function that returns a value,
// "" where it is not a plain type.
func returnType(fn *ir.Func) string {
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

// enter makes the frame of a call: parameters bound to the arguments, template
// parameters to explicit template arguments.
func (f *frame) enter(callee *ir.Func, call *ir.Expr) *frame {
	g := f.ev.newFrame(callee)
	g.depth, g.caller = f.depth+1, f
	for i, tp := range callee.TParams {
		if tp.Pack {
			break // which argument is whose is not known from here on
		}
		if i < len(call.TArgs) && tp.Kind == ir.VarTemplateValue && !tp.Pack {
			g.vals[tp] = convert(f.eval(call.TArgs[i]), tp.Type.Base)
		}
	}
	args := call.Args()
	for i, p := range callee.Params {
		if i >= len(args) {
			break
		}
		g.args[p] = args[i]
		if r, ok := f.resolve(args[i]); ok {
			g.refs[p] = r
			continue
		}
		if p.Type.Ptr > 0 || p.Type.Ref && !p.Type.Const || len(p.Writes) > 0 || p.AddrTaken {
			continue
		}
		x := f.eval(args[i])
		switch {
		case p.Type.Base == "auto" || isTypeParam(callee, p.Type.Base) && len(call.TArgs) == 0:
			g.vals[p] = x
		case isTypeParam(callee, p.Type.Base): // an explicit type may be narrower
		default:
			g.vals[p] = convert(x, p.Type.Base)
		}
	}
	return g
}

func isTypeParam(fn *ir.Func, name string) bool {
	return slices.ContainsFunc(fn.TParams, func(tp *ir.Var) bool { return tp.Name == name && tp.Kind == ir.VarTemplateType })
}
