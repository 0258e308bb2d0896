package analysis

import (
	"slices"

	"github.com/smux-cuda/smux/analysis/intrinsic"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/ir/effect"
)

// Uniformity says how far a value is the same: for all threads of the grid, for all
// threads of one block, or not at all. It doubles as that
// of control: a statement runs for the whole grid, for whole blocks, or
// for single threads.
type Uniformity uint8

// The uniformities, ordered: the join of two is the larger.
const (
	GridUniform Uniformity = iota
	BlockUniform
	ThreadVarying
)

// String returns the uniformity as reports spell it.
func (l Uniformity) String() string {
	return [...]string{"grid-uniform", "block-uniform", "thread-varying"}[l]
}

// returnLevels returns the uniformity of what the device functions return.
func (k *Kernel) returnLevels() map[*ir.Func]Uniformity {
	type key struct{}
	return Table[*ir.Func, Uniformity](&k.memo, key{})
}

// findLevels computes the uniformity of every variable in the functions that the
// kernel reaches: the join over its initialiser, all assignments, and the
// conditions that decide whether they run.
func (k *Kernel) findLevels() {
	k.uniformity = map[*ir.Var]Uniformity{}
	returned := k.returnLevels()
	for _, fn := range k.Functions {
		returned[fn] = GridUniform
	}
	k.findReused()
	type def struct {
		fn   *ir.Func
		v    *ir.Var
		loop *ir.Stmt // the value that v has in this loop, see reused; nil for v as a whole
		rhs  *ir.Expr
		at   *ir.Stmt
		call bool
		// under are the operands of &&, || and ?: that decide whether the
		// assignment runs.
		under []*ir.Expr
	}
	var defs []def
	for _, fn := range k.Functions {
		for _, v := range append(append([]*ir.Var{}, fn.Vars...), fn.Params...) {
			if v.AddrTaken || v.Static {
				k.uniformity[v] = ThreadVarying
			}
			if v.Init != nil {
				defs = append(defs, def{fn: fn, v: v, rhs: v.Init})
			}
		}
		fn.Body.Walk(func(s *ir.Stmt) bool {
			s.Exprs(func(top *ir.Expr) {
				conditionally(top, nil, func(e *ir.Expr, under []*ir.Expr) {
					switch e.Op {
					case ir.OpAssign, ir.OpIncDec:
						// A store through a pointer does not change the pointer.
						if r := e.Kids[0].Root(); r != nil && r.Var != nil && (e.Kids[0] == r || r.Var.Type.Ptr == 0 || len(r.Var.Dims) > 0) {
							defs = append(defs, def{fn: fn, v: r.Var, rhs: e, at: s, under: under})
						}
					case ir.OpCall:
						for _, callee := range k.Callees(fn, e) {
							for i, a := range e.Args() {
								if p := callee.Param(i); p != nil {
									defs = append(defs, def{fn: fn, v: p, rhs: a, call: true})
								}
							}
						}
					}
				})
			})
			return true
		})
	}
	for _, d := range defs {
		for _, loop := range k.reused()[d.v] {
			if d.at != nil && d.at.Inside(loop) {
				d.loop = loop
				defs = append(defs, d)
			}
		}
	}
	for changed := true; changed; slices.Reverse(defs) { // chains run either way
		changed = false
		for _, d := range defs {
			known := k.levelIn(d.v, d.loop)
			if known == ThreadVarying {
				continue
			}
			var l Uniformity
			switch {
			case d.rhs.Op == ir.OpAssign:
				l = k.Uniformity(d.fn, d.rhs.Kids[1])
				if t := d.rhs.Kids[0]; t.Op == ir.OpIndex {
					l = max(l, k.Uniformity(d.fn, t.Kids[1]))
				}
				if d.rhs.Tok != "=" {
					l = max(l, known)
				}
			case d.rhs.Op == ir.OpIncDec && !d.call:
				l = known
			default:
				l = k.Uniformity(d.fn, d.rhs)
			}
			switch {
			case d.loop != nil:
				l = max(l, k.controlUniformity(d.fn, d.at, d.loop))
			case d.at != nil:
				l = max(l, k.controlWithin(d.fn, d.at, d.v))
			}
			for _, c := range d.under {
				l = max(l, k.Uniformity(d.fn, c))
			}
			if l > known {
				k.setLevelIn(d.v, d.loop, l)
				changed = true
			}
		}
		for _, fn := range k.Functions {
			if l := k.returnLevel(fn); l > returned[fn] {
				returned[fn] = l
				changed = true
			}
		}
	}
}

// conditionally calls f for e and everything below it, with the operands of
// &&, || and ?: that decide whether it is evaluated.
func conditionally(e *ir.Expr, under []*ir.Expr, f func(*ir.Expr, []*ir.Expr)) {
	f(e, under)
	for i, kid := range e.Kids {
		inner := under
		if i > 0 && (e.Op == ir.OpCond || e.Op == ir.OpBinary && (e.Tok == "&&" || e.Tok == "||" || e.Tok == "and" || e.Tok == "or")) {
			inner = append(under[:len(under):len(under)], e.Kids[0])
		}
		conditionally(kid, inner, f)
	}
}

// Uniformity returns the uniformity of an expression's value.
func (k *Kernel) Uniformity(fn *ir.Func, e *ir.Expr) Uniformity {
	if e == nil {
		return GridUniform
	}
	switch e.Op {
	case ir.OpInt, ir.OpLiteral, ir.OpSizeof:
		return GridUniform
	case ir.OpIdent:
		return k.nameLevel(fn, e)
	case ir.OpMember:
		return k.memberLevel(fn, e)
	case ir.OpIndex, ir.OpDeref:
		return k.loadLevel(fn, e)
	case ir.OpAddr:
		return k.addressLevel(fn, e.Kids[0])
	case ir.OpCall:
		return k.callLevel(fn, e)
	case ir.OpAssign:
		if e.Tok == "=" {
			return k.Uniformity(fn, e.Kids[1])
		}
	}
	if effect.IsOpaque(e.Op) && e.Op != ir.OpMixed {
		return ThreadVarying
	}
	l := GridUniform
	for _, kid := range e.Kids {
		l = max(l, k.Uniformity(fn, kid))
	}
	if l > GridUniform && k.decided(fn, e) {
		return GridUniform
	}
	return l
}

func (k *Kernel) nameLevel(fn *ir.Func, e *ir.Expr) Uniformity {
	v := e.Var
	if v == nil {
		if builtin := intrinsic.VariableOf(e.Name); builtin != nil {
			return levelOf(builtin.Result, GridUniform)
		}
		if intrinsic.IsConstant(e.Name) {
			return GridUniform
		}
		v = k.Prog.globalIn(fn, e.Name)
		if v == nil {
			return BlockUniform // a variable out of sight: memory that anyone may write
		}
	}
	switch v.Kind {
	case ir.VarTemplateValue, ir.VarTemplateType, ir.VarConstant, ir.VarEnumerator:
		return GridUniform
	case ir.VarGlobal:
		if v.Type.Const {
			return GridUniform
		}
		return BlockUniform
	case ir.VarShared:
		return BlockUniform
	}
	return k.levelIn(v, k.reusedAt(e))
}

func (k *Kernel) memberLevel(fn *ir.Func, e *ir.Expr) Uniformity {
	base := e.Kids[0]
	if base.Op == ir.OpIdent && base.Var == nil && base.Name == "threadIdx" {
		d := map[string]int{"x": 0, "y": 1, "z": 2}[e.Name]
		if k.flat(d) {
			return GridUniform // that dimension of every block has one element
		}
		return ThreadVarying
	}
	if e.Arrow {
		return max(BlockUniform, k.Uniformity(fn, base))
	}
	return k.Uniformity(fn, base)
}

// flat reports whether the block has extent 1 in dimension d in every launch.
func (k *Kernel) flat(d int) bool {
	if len(k.Instances) == 0 {
		return false
	}
	return !slices.ContainsFunc(k.Instances, func(in *Instance) bool {
		return !in.Shape.known() || [3]int{in.Shape.x, in.Shape.y, in.Shape.z}[d] != 1
	})
}

// loadLevel returns the uniformity of what a load returns. A load from memory that may
// be written is at best block-uniform, even at one address for the whole grid:
// two blocks can read it at different times.
func (k *Kernel) loadLevel(fn *ir.Func, e *ir.Expr) Uniformity {
	addr := k.addressLevel(fn, e)
	if k.LoadsUnchanging(fn, e) {
		return addr
	}
	return max(addr, BlockUniform)
}

// LoadsUnchanging reports whether only the thread itself can change what an lvalue of fn names, while the kernel runs: it is
// an element of what a variable is declared as, and is not reached through a pointer or an object that such an element is.
func (k *Kernel) LoadsUnchanging(fn *ir.Func, e *ir.Expr) bool {
	r := e.Root()
	if r == nil || behindMember(e) {
		return false
	}
	v, t := k.variable(fn, r), k.TypeOf(fn, r)
	steps := t.Array
	if v != nil && v.Kind == ir.VarParam {
		steps = 1 + t.Rows
	}
	return k.Unchanging(fn, v) && e.Derefs() <= steps
}

// behindMember reports whether a pointer that is a member may lead to what is
// loaded: what a variable is declared as says nothing of memory behind that.
func behindMember(e *ir.Expr) bool {
	for follows := false; ; e = e.Kids[0] {
		switch {
		case e.Op == ir.OpMember && follows:
			return true
		case e.Op == ir.OpIndex, e.Op == ir.OpDeref, e.Op == ir.OpMember && e.Arrow:
			follows = true
		case e.Op != ir.OpMember && e.Op != ir.OpCast && e.Op != ir.OpBinary || len(e.Kids) == 0:
			return false
		}
	}
}

// Unchanging reports whether only the thread itself can change what is read
// through a variable of fn while the kernel runs.
func (k *Kernel) Unchanging(fn *ir.Func, v *ir.Var) bool {
	switch {
	case v == nil:
	case v.Type.Ptr == 0 && (v.Kind == ir.VarConstant || v.Kind == ir.VarGlobal && v.Type.Const):
		return true
	case v.Kind == ir.VarLocal && len(v.Dims) > 0 && v.Type.Ptr == 0:
		return true // an array in registers or local memory
	case v.Kind == ir.VarParam && v.Type.Ptr == 1 && v.Type.PtrConst && v.Type.Restrict && len(v.Writes) == 0 && fn == k.Func:
		return true // const __restrict__: read-only for the kernel's lifetime
	case v.Kind == ir.VarParam && v.Type.Rows != nil && v.Type.Rows.Const && v.Type.Restrict && len(v.Writes) == 0 && fn == k.Func:
		return true // the same of rows
	}
	return false
}

// addressLevel returns the uniformity of the address that an lvalue names.
func (k *Kernel) addressLevel(fn *ir.Func, e *ir.Expr) Uniformity {
	l := GridUniform
	for _, kid := range e.Kids {
		if kid.Op == ir.OpIndex || kid.Op == ir.OpMember && kid != e.Kids[len(e.Kids)-1] {
			l = max(l, k.addressLevel(fn, kid))
			continue
		}
		if kid.Op == ir.OpIdent && k.shared(fn, kid) != nil {
			continue
		}
		l = max(l, k.Uniformity(fn, kid))
	}
	if e.Op == ir.OpIdent && k.shared(fn, e) == nil {
		if v := k.variable(fn, e); v == nil || v.Kind == ir.VarLocal || v.Kind == ir.VarParam {
			l = max(l, k.nameLevel(fn, e))
		}
	}
	return l
}

func (k *Kernel) variable(fn *ir.Func, e *ir.Expr) *ir.Var {
	if e.Var != nil {
		return e.Var
	}
	return k.Prog.globalIn(fn, e.Name)
}

func (k *Kernel) callLevel(fn *ir.Func, e *ir.Expr) Uniformity {
	l := GridUniform
	for _, a := range e.Args() {
		l = max(l, k.Uniformity(fn, a))
	}
	if obj, ok := e.IsMemberCall(); ok {
		switch {
		case k.IsThreadBlock(fn, obj):
			if m := intrinsic.BlockMember(e.Name); m != nil {
				return levelOf(m.Result, l)
			}
		case k.isTile(fn, obj) && (e.Name == "size" || e.Name == "num_threads"):
			return GridUniform
		}
		return ThreadVarying
	}
	callees := k.Callees(fn, e)
	if len(callees) == 0 {
		return levelOf(e.Intrinsic().Result, l)
	}
	for _, c := range callees {
		r, reached := k.returnLevels()[c]
		if !reached {
			return ThreadVarying
		}
		l = max(l, r)
	}
	return l
}

// levelOf returns the uniformity of an intrinsic's result; arguments is that of its
// arguments.
func levelOf(r intrinsic.Result, arguments Uniformity) Uniformity {
	switch r {
	case intrinsic.PerGrid:
		return GridUniform
	case intrinsic.PerBlock:
		return BlockUniform
	case intrinsic.AsArguments:
		return arguments
	case intrinsic.AsMemory:
		return max(arguments, BlockUniform)
	}
	return ThreadVarying
}

// returnLevel returns the uniformity of what a device function returns: its return
// expressions and the control over them. Parameters carry the join over all
// calls, and returnLevels what has been found of the functions that it calls,
// itself among them where it is recursive.
func (k *Kernel) returnLevel(fn *ir.Func) Uniformity {
	l := GridUniform
	fn.Body.Walk(func(s *ir.Stmt) bool {
		if s.Op == ir.StmtReturn && l < ThreadVarying {
			l = max(l, k.Uniformity(fn, s.Expr), k.wayTo(fn, s, nil))
		}
		return l < ThreadVarying
	})
	return l
}
