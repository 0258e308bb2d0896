package effect

import (
	"slices"

	"github.com/smux-cuda/smux/analysis/intrinsic"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/parser"
)

// walker finds the effects of what stands in one function.
type walker struct {
	*Scope
	fn    *ir.Func
	alone bool // operands aside
}

// table says what each operation of the IR does, its operands included. An operation that it leaves out
// may do anything: OpUnknown, OpLambda, OpAsm, OpNew, OpMixed, OpLaunch.
var table [ir.OpLaunch + 1]func(w walker, e *ir.Expr) Effect

func init() { // not a literal: the rules call each other through the table
	table = [...]func(w walker, e *ir.Expr) Effect{
		ir.OpIdent:    walker.read,
		ir.OpInt:      walker.nothing,
		ir.OpLiteral:  walker.nothing,
		ir.OpSizeof:   walker.nothing, // its operand is not evaluated
		ir.OpUnary:    walker.operands,
		ir.OpBinary:   walker.operands,
		ir.OpCond:     walker.operands,
		ir.OpComma:    walker.operands,
		ir.OpInitList: walker.operands,
		ir.OpCast:     walker.cast,
		ir.OpDeref:    walker.read,
		ir.OpIndex:    walker.read,
		ir.OpMember:   walker.read,
		ir.OpAddr:     walker.address,
		ir.OpIncDec:   walker.assign,
		ir.OpAssign:   walker.assign,
		ir.OpCall:     walker.call,
		ir.OpLaunch:   nil,
	}
}

// IsOpaque reports whether the table leaves an operation out.
func IsOpaque(op ir.Op) bool { return int(op) >= len(table) || table[op] == nil }

// Expr is the effect of evaluating an expression of a function.
func (s *Scope) Expr(fn *ir.Func, e *ir.Expr) Effect { return walker{s, fn, false}.expr(e) }

// Step returns the effects that an operation has by itself, without those of its operands.
func (s *Scope) Step(fn *ir.Func, e *ir.Expr) Effect {
	w := walker{s, fn, true}
	if IsOpaque(e.Op) {
		return w.opaque(e)
	}
	return table[e.Op](w, e)
}

// Place is the effect of finding the object that an lvalue names, without an access to it.
func (s *Scope) Place(fn *ir.Func, e *ir.Expr) Effect {
	_, out := walker{s, fn, false}.place(e)
	return out
}

// Stmt is the effect of running a statement of a function.
func (s *Scope) Stmt(fn *ir.Func, st *ir.Stmt) Effect { return walker{s, fn, false}.stmt(st) }

func (w walker) expr(e *ir.Expr) Effect {
	if e == nil || w.alone {
		return Effect{}
	}
	if IsOpaque(e.Op) {
		return w.opaque(e)
	}
	return table[e.Op](w, e)
}

// opaque is the effect of an operation that the table leaves out.
func (w walker) opaque(e *ir.Expr) Effect {
	if e.Op == ir.OpUnknown || int(e.Op) >= len(table) {
		return everything
	}
	return anything.and(w.given(e.Kids))
}

// given is the effect of giving operands to who may read and write them.
func (w walker) given(operands []*ir.Expr) (out Effect) {
	for _, k := range operands {
		out = out.and(w.expr(k)).and(w.write(k))
	}
	return out
}

func (w walker) nothing(*ir.Expr) Effect { return Effect{} }

func (w walker) operands(e *ir.Expr) (out Effect) {
	for _, k := range e.Kids {
		out = out.and(w.expr(k))
	}
	return out
}

func (w walker) cast(e *ir.Expr) Effect {
	out := w.operands(e)
	if e.Type.Volatile && e.Type.Ptr == 0 {
		out.Flags |= Volatile
	}
	return out
}

// where says where an object lives.
type where uint8

const (
	elsewhere where = iota // anywhere
	own                    // a variable of the thread's own
	ofThis                 // a part of the object that a member function is called on
	argument               // what a parameter refers to: place.i
	constant               // what nobody writes
	temporary              // an object that only the expression can see
)

type place struct {
	where
	v *ir.Var // the variable that it is in, nil if unknown
	i int     // which argument
}

// place is the object that an expression names, with the effect of finding it.
func (w walker) place(e *ir.Expr) (place, Effect) {
	switch e.Op {
	case ir.OpIdent:
		return w.named(e)
	case ir.OpMember:
		if len(e.Kids) == 0 {
			return place{}, anything
		}
		if e.Arrow {
			if isThis(e.Kids[0]) {
				return place{where: ofThis}, Effect{}
			}
			return place{}, w.expr(e.Kids[0])
		}
		p, out := w.place(e.Kids[0])
		if t := w.TypeOf(w.fn, e.Kids[0]); t.Kind == Object && t.Levels == 0 {
			if m, _, _ := t.Class.member(e.Name); m == nil || m.Type.Ref {
				return place{}, out
			}
		}
		return p, out
	case ir.OpIndex:
		of, at := w.indexed(w.fn, e)
		if w.TypeOf(w.fn, of).Array > 0 {
			p, out := w.place(of)
			return p, out.and(w.expr(at))
		}
		return place{}, w.operands(e)
	case ir.OpDeref:
		if isThis(e.Kids[0]) {
			return place{where: ofThis}, Effect{}
		}
		if w.TypeOf(w.fn, e.Kids[0]).Array > 0 {
			return w.place(e.Kids[0])
		}
		return place{}, w.operands(e)
	case ir.OpAssign, ir.OpIncDec:
		p, _ := w.place(e.Kids[0])
		return p, w.expr(e)
	case ir.OpInt, ir.OpLiteral, ir.OpBinary, ir.OpUnary:
		return place{where: constant}, w.expr(e)
	case ir.OpInitList:
		return place{where: temporary}, w.expr(e)
	case ir.OpCall:
		if w.returnsValue(e) {
			return place{where: temporary}, w.expr(e)
		}
	}
	return place{}, w.expr(e)
}

// returnsValue reports whether a call returns a temporary: no reference.
func (w walker) returnsValue(e *ir.Expr) bool {
	list, known := w.called(w.fn, e)
	return known && !slices.ContainsFunc(list, func(d ir.Definition) bool {
		typ := d.Fn.Node.Child(parser.FieldType)
		if d.Fn.Name == d.Fn.Class {
			return false
		}
		return d.Fn.Declared == nil || typ == nil || typ.End > d.Fn.Declared.Start || slices.Contains(d.File.Src[typ.End:d.Fn.Declared.Start], '&')
	}) || e.Intrinsic().Pure()
}

func isThis(e *ir.Expr) bool { return e.Op == ir.OpIdent && e.Name == "this" && e.Var == nil }

func (w walker) named(e *ir.Expr) (place, Effect) {
	v, of := w.variable(w.fn, e)
	switch {
	case isThis(e), v == nil && (intrinsic.VariableOf(e.Name) != nil || intrinsic.IsConstant(e.Name)):
		return place{where: constant}, Effect{}
	case v == nil:
		return place{}, anything
	case of != nil:
		if v.Type.Ref || v.Static {
			return place{}, Effect{}
		}
		return place{where: ofThis}, Effect{}
	}
	switch v.Kind {
	case ir.VarTemplateValue, ir.VarTemplateType, ir.VarEnumerator, ir.VarConstant:
		return place{where: constant}, Effect{}
	case ir.VarGlobal:
		if v.Type.Const && !v.Type.Volatile {
			return place{where: constant}, Effect{}
		}
		return place{v: v}, Effect{}
	case ir.VarLocal, ir.VarParam:
		if v.Static && !v.Type.Const || v.Extern {
			return place{v: v}, Effect{}
		}
		if !v.Type.Ref {
			return place{where: own, v: v}, Effect{}
		}
		if i := slices.Index(w.fn.Params, v); i >= 0 && i < 64 {
			return place{where: argument, i: i}, Effect{}
		}
		if v.Init != nil && v.Kind == ir.VarLocal && !v.Init.Any(func(t *ir.Expr) bool { return t.Var == v }) {
			p, _ := w.place(v.Init)
			return p, Effect{}
		}
	case ir.VarShared:
		if !v.Type.Ref {
			return place{v: v}, Effect{}
		}
	}
	return place{}, Effect{}
}

// read is the effect of the value of an lvalue. That of an array is its address.
func (w walker) read(e *ir.Expr) Effect {
	p, out := w.place(e)
	t := w.TypeOf(w.fn, e)
	if t.Array > 0 {
		return out
	}
	if t.Volatile && t.Levels == 0 {
		out.Flags |= Volatile
	}
	switch p.where {
	case own:
		out.Reads = union(out.Reads, []*ir.Var{p.v})
	case elsewhere:
		out.Flags |= ReadsMemory
	case ofThis, argument:
		out.Flags |= ReadsGiven
	}
	if e.Op != ir.OpIdent && (p.where == elsewhere || e.Op != ir.OpMember) {
		out.Flags |= Traps // out of bounds
	}
	return out
}

func (w walker) address(e *ir.Expr) Effect {
	_, out := w.place(e.Kids[0])
	return out
}

func (w walker) assign(e *ir.Expr) Effect {
	out := w.write(e.Kids[0])
	if e.Op == ir.OpIncDec || e.Tok != "=" {
		out = out.and(w.read(e.Kids[0]))
	}
	for _, k := range e.Kids[1:] {
		out = out.and(w.expr(k))
	}
	return out
}

// write is the effect of changing an lvalue.
func (w walker) write(e *ir.Expr) Effect {
	p, out := w.place(e)
	if w.TypeOf(w.fn, e).Volatile {
		out.Flags |= Volatile
	}
	switch p.where {
	case own:
		out.Writes = union(out.Writes, []*ir.Var{p.v})
	case ofThis:
		out.writesThis = true
	case argument:
		out.params |= 1 << p.i
	case elsewhere, constant: // nobody should write what is constant
		out.Flags |= WritesMemory | Traps
		if p.v != nil {
			out.Writes = union(out.Writes, []*ir.Var{p.v})
		}
	}
	return out
}

// call is the effect of a call: of its arguments, and of what it runs.
func (w walker) call(e *ir.Expr) Effect {
	out := Effect{}
	obj, member := e.IsMemberCall()
	if member {
		p, found := w.place(obj)
		out = found
		switch p.where {
		case own:
			out.Reads = union(out.Reads, []*ir.Var{p.v})
		case elsewhere:
			out.Flags |= ReadsMemory | Traps
		case ofThis, argument:
			out.Flags |= ReadsGiven
		}
	} else if len(e.Kids) > 0 && e.Kids[0].Op != ir.OpIdent {
		return anything.and(w.given(e.Kids))
	}
	list, known := w.called(w.fn, e)
	if len(list) == 0 && !known {
		if member && w.TypeOf(w.fn, obj).Kind == Library && asked[e.Name] {
			return out
		}
		if !member && makesNumber(w.Scope, w.fn, e) {
			for _, a := range e.Args() {
				out = out.and(w.expr(a))
			}
			return out
		}
		if e.Implicit || w.IsObject(w.fn, e.Kids[0]) {
			return anything.and(out).and(w.given(e.Args()))
		}
		if r := e.Intrinsic(); r.ByValue() {
			for _, a := range e.Args() {
				out = out.and(w.expr(a))
			}
			return out.and(ofIntrinsic(r))
		} else if r.Known() {
			return out.and(w.given(e.Args())).and(ofIntrinsic(r))
		}
		if member {
			out = out.and(w.write(obj))
		}
		return anything.and(out).and(w.given(e.Args()))
	}
	sum := w.runs(list, known)
	for i, a := range e.Args() {
		out = out.and(w.expr(a))
		if sum.params>>min(i, 63)&1 != 0 || !sum.IsKnown() && refers(list, i) {
			out = out.and(w.write(a))
		}
	}
	if (sum.writesThis || !sum.IsKnown()) && member {
		out = out.and(w.write(obj))
	}
	if !member && w.isOwnCall(list) {
		out.Flags |= ReadsGiven
	} else {
		sum.writesThis = false
	}
	sum.params = 0
	return out.and(sum)
}

// makesNumber: a call makes a number, or one of CUDA's vectors, of such ones, under any name for the type: (real)(a + b).
func makesNumber(s *Scope, fn *ir.Func, call *ir.Expr) bool {
	if call.Implicit || call.Qual != "" || len(call.Kids) == 0 || call.Kids[0].Op != ir.OpIdent || call.Kids[0].Var != nil || s.names.functions[call.Name] {
		return false
	}
	computes := func(t Type) bool { return t.Levels == 0 && (t.Kind == Number || t.Kind == Vector) }
	made := s.named(fn, call.Name)
	return computes(made) && !isPrefixed(made.Base) && !slices.ContainsFunc(call.Args(), func(a *ir.Expr) bool { return !computes(s.TypeOf(fn, a)) })
}

// refers reports whether one of some functions may take an argument by reference.
func refers(list []ir.Definition, i int) bool {
	return slices.ContainsFunc(list, func(d ir.Definition) bool {
		return i >= len(d.Fn.Params) || d.Fn.Params[i].Node == nil || slices.Contains([]byte(d.File.Text(d.Fn.Params[i].Node)), '&') || len(d.Fn.Template) > 0
	})
}

// isOwnCall reports whether a call without an object may be of a member of the object at hand.
func (w walker) isOwnCall(list []ir.Definition) bool {
	return slices.ContainsFunc(list, func(d ir.Definition) bool { return d.Fn.Class != "" && d.Fn.Name != d.Fn.Class && !d.Fn.Friend })
}

// asked are the member functions of libraries that only tell something of their object, groups of threads among them.
var asked = map[string]bool{
	"size": true, "length": true, "empty": true, "thread_rank": true, "num_threads": true, "thread_index": true, "group_index": true,
	"group_dim": true, "dim_threads": true, "meta_group_rank": true, "meta_group_size": true,
}

// ofIntrinsic is the effect of a function of CUDA, its arguments aside.
func ofIntrinsic(r *intrinsic.Row) Effect {
	out := Effect{}
	if r.Memory.Reads != intrinsic.None && !r.Memory.ReadOnly {
		out.Flags |= ReadsMemory | Traps
	}
	if r.Memory.Reads != intrinsic.None {
		out.Flags |= Traps
	}
	if r.Memory.Writes != intrinsic.None {
		out.Flags |= WritesMemory | Traps
	}
	if r.Memory.Orders || r.Waits != intrinsic.Nobody && r.Waits != 0 {
		out.Flags |= Waits
	}
	if r.Memory.Fresh {
		out.Flags |= Volatile
	}
	switch r.Kind {
	case intrinsic.Value, intrinsic.Cast, intrinsic.Load, intrinsic.Store, intrinsic.Texture, intrinsic.Surface:
	case intrinsic.Lanes:
		out.Flags |= Varies
	case intrinsic.Barrier, intrinsic.Vote, intrinsic.Exchange, intrinsic.Fence, intrinsic.Matrix:
		out.Flags |= Waits
	case intrinsic.Atomic:
		out.Flags |= Volatile
	case intrinsic.Timer, intrinsic.Random:
		out.Flags |= Varies | Volatile
	default: // whatever is left has an effect of its own kind
		return anything
	}
	return out
}

// stmt is the effect of a statement.
func (w walker) stmt(s *ir.Stmt) (out Effect) {
	if s == nil {
		return out
	}
	for t := range s.All() {
		switch t.Op {
		case ir.StmtCompound, ir.StmtDecl, ir.StmtExpr, ir.StmtIf, ir.StmtSwitch, ir.StmtCase, ir.StmtEmpty:
		case ir.StmtFor, ir.StmtWhile, ir.StmtDo:
			out.Flags |= Diverges
		case ir.StmtReturn:
			out.Flags |= Leaves
		case ir.StmtBreak, ir.StmtContinue:
			if target := t.JumpTarget(); target == nil || !target.Inside(s) {
				out.Flags |= Leaves
			}
		default:
			out = out.and(everything)
		}
		for _, v := range t.Vars {
			out = out.and(w.declared(v))
		}
		t.Exprs(func(e *ir.Expr) { out = out.and(w.expr(e)) })
	}
	return out
}

// declared is the effect of making and ending a variable, its initialiser aside.
func (w walker) declared(v *ir.Var) Effect {
	out := Effect{}
	if v.Kind == ir.VarLocal {
		out.Writes = []*ir.Var{v}
	}
	if v.Type.Ref {
		return Effect{}
	}
	return out.and(w.Making(w.fn, v))
}

// Making is the effect of making and ending a variable, beyond the variable and its initialiser.
func (s *Scope) Making(fn *ir.Func, v *ir.Var) Effect {
	t := s.declared(fn, v)
	if v.Type.Ref || t.Copied && v.Init != nil {
		return Effect{}
	}
	return s.making(t)
}

// making is the effect of constructors and destructors of a type, beyond their object.
func (s *Scope) making(t Type) Effect {
	if t.Levels > t.Array || t.Kind != Object && t.Kind != Foreign {
		return Effect{}
	}
	if t.Kind == Foreign || !t.Class.isPlain() {
		return anything
	}
	return Effect{}
}
