package uniformity

import (
	"slices"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/barriers"
	"github.com/smux-cuda/smux/analysis/evaluate"
	"github.com/smux-cuda/smux/analysis/intrinsic"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/ir/effect"
)

// returnLevels returns the uniformity of what the device functions return.
func returnLevels(k *analysis.Kernel) map[*ir.Func]analysis.Uniformity {
	type key struct{}
	return analysis.Table[*ir.Func, analysis.Uniformity](&k.Memo, key{})
}

// FindLevels computes the uniformity of every variable in the functions that the kernel reaches: the join over its
// initialiser, all assignments, and the conditions that decide whether they run.
func FindLevels(k *analysis.Kernel) {
	k.Uniformity = map[*ir.Var]analysis.Uniformity{}
	returned := returnLevels(k)
	for _, fn := range k.Functions {
		returned[fn] = analysis.GridUniform
	}
	findReused(k)
	type def struct {
		fn   *ir.Func
		v    *ir.Var
		loop *ir.Stmt // the value that v has in this loop, see reused; nil for v as a whole
		rhs  *ir.Expr
		at   *ir.Stmt
		call bool
		// under are the operands of &&, || and ?: that decide whether the assignment runs.
		under []*ir.Expr
	}
	var defs []def
	for _, fn := range k.Functions {
		for _, v := range append(append([]*ir.Var{}, fn.Vars...), fn.Params...) {
			if v.AddrTaken || v.Static {
				k.Uniformity[v] = analysis.ThreadVarying
			}
			if v.Init != nil {
				defs = append(defs, def{fn: fn, v: v, rhs: v.Init})
			}
		}
		for s := range fn.Body.All() {
			s.Exprs(func(top *ir.Expr) {
				Conditionally(top, nil, func(e *ir.Expr, under []*ir.Expr) {
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
		}
	}
	for _, d := range defs {
		for _, loop := range reused(k)[d.v] {
			if d.at != nil && d.at.Inside(loop) {
				d.loop = loop
				defs = append(defs, d)
			}
		}
	}
	for changed := true; changed; slices.Reverse(defs) { // chains run either way
		changed = false
		for _, d := range defs {
			known := levelIn(k, d.v, d.loop)
			if known == analysis.ThreadVarying {
				continue
			}
			var l analysis.Uniformity
			switch {
			case d.rhs.Op == ir.OpAssign:
				l = Of(k, d.fn, d.rhs.Kids[1])
				if t := d.rhs.Kids[0]; t.Op == ir.OpIndex {
					l = max(l, Of(k, d.fn, t.Kids[1]))
				}
				if d.rhs.Tok != "=" {
					l = max(l, known)
				}
			case d.rhs.Op == ir.OpIncDec && !d.call:
				l = known
			default:
				l = Of(k, d.fn, d.rhs)
			}
			switch {
			case d.loop != nil:
				l = max(l, ControlUniformity(k, d.fn, d.at, d.loop))
			case d.at != nil:
				l = max(l, controlWithin(k, d.fn, d.at, d.v))
			}
			for _, c := range d.under {
				l = max(l, Of(k, d.fn, c))
			}
			if l > known {
				setLevelIn(k, d.v, d.loop, l)
				changed = true
			}
		}
		for _, fn := range k.Functions {
			if l := returnLevel(k, fn); l > returned[fn] {
				returned[fn] = l
				changed = true
			}
		}
	}
}

// Conditionally calls f for e and everything below it, with the operands of
// &&, || and ?: that decide whether it is evaluated.
func Conditionally(e *ir.Expr, under []*ir.Expr, f func(*ir.Expr, []*ir.Expr)) {
	f(e, under)
	for i, kid := range e.Kids {
		inner := under
		if i > 0 && (e.Op == ir.OpCond || e.Op == ir.OpBinary && (e.Tok == "&&" || e.Tok == "||" || e.Tok == "and" || e.Tok == "or")) {
			inner = append(under[:len(under):len(under)], e.Kids[0])
		}
		Conditionally(kid, inner, f)
	}
}

// Of returns the uniformity of an expression's value.
func Of(k *analysis.Kernel, fn *ir.Func, e *ir.Expr) analysis.Uniformity {
	if e == nil {
		return analysis.GridUniform
	}
	switch e.Op {
	case ir.OpInt, ir.OpLiteral, ir.OpSizeof:
		return analysis.GridUniform
	case ir.OpIdent:
		return nameLevel(k, fn, e)
	case ir.OpMember:
		return memberLevel(k, fn, e)
	case ir.OpIndex, ir.OpDeref:
		return loadLevel(k, fn, e)
	case ir.OpAddr:
		return addressLevel(k, fn, e.Kids[0])
	case ir.OpCall:
		return callLevel(k, fn, e)
	case ir.OpAssign:
		if e.Tok == "=" {
			return Of(k, fn, e.Kids[1])
		}
	}
	if effect.IsOpaque(e.Op) && e.Op != ir.OpMixed {
		return analysis.ThreadVarying
	}
	l := analysis.GridUniform
	for _, kid := range e.Kids {
		l = max(l, Of(k, fn, kid))
	}
	if l > analysis.GridUniform && evaluate.Decided(k, fn, e) {
		return analysis.GridUniform
	}
	return l
}

func nameLevel(k *analysis.Kernel, fn *ir.Func, e *ir.Expr) analysis.Uniformity {
	v := e.Var
	if v == nil {
		if builtin := intrinsic.VariableOf(e.Name); builtin != nil {
			return levelOf(builtin.Result, analysis.GridUniform)
		}
		if intrinsic.IsConstant(e.Name) {
			return analysis.GridUniform
		}
		v = k.Prog.GlobalIn(fn, e.Name)
		if v == nil {
			return analysis.BlockUniform // a variable out of sight: memory that anyone may write
		}
	}
	switch v.Kind {
	case ir.VarTemplateValue, ir.VarTemplateType, ir.VarConstant, ir.VarEnumerator:
		return analysis.GridUniform
	case ir.VarGlobal:
		if v.Type.Const {
			return analysis.GridUniform
		}
		return analysis.BlockUniform
	case ir.VarShared:
		return analysis.BlockUniform
	}
	return levelIn(k, v, reusedAt(k, e))
}

func memberLevel(k *analysis.Kernel, fn *ir.Func, e *ir.Expr) analysis.Uniformity {
	base := e.Kids[0]
	if base.Op == ir.OpIdent && base.Var == nil && base.Name == "threadIdx" {
		d := map[string]int{"x": 0, "y": 1, "z": 2}[e.Name]
		if flat(k, d) {
			return analysis.GridUniform // that dimension of every block has one element
		}
		return analysis.ThreadVarying
	}
	if e.Arrow {
		return max(analysis.BlockUniform, Of(k, fn, base))
	}
	return Of(k, fn, base)
}

// flat reports whether the block has extent 1 in dimension d in every launch.
func flat(k *analysis.Kernel, d int) bool {
	if len(k.Instances) == 0 {
		return false
	}
	return !slices.ContainsFunc(k.Instances, func(in *analysis.Instance) bool {
		return !in.Shape.Known() || [3]int{in.Shape.X, in.Shape.Y, in.Shape.Z}[d] != 1
	})
}

// loadLevel returns the uniformity of what a load returns. A load from memory that may be written is at best
// block-uniform, even at one address for the whole grid: two blocks can read it at different times.
func loadLevel(k *analysis.Kernel, fn *ir.Func, e *ir.Expr) analysis.Uniformity {
	addr := addressLevel(k, fn, e)
	if LoadsUnchanging(k, fn, e) {
		return addr
	}
	return max(addr, analysis.BlockUniform)
}

// LoadsUnchanging reports whether only the thread itself can change what an lvalue of fn names, while the kernel runs: it is
// an element of what a variable is declared as, and is not reached through a pointer or an object that such an element is.
func LoadsUnchanging(k *analysis.Kernel, fn *ir.Func, e *ir.Expr) bool {
	r := e.Root()
	if r == nil || behindMember(e) {
		return false
	}
	v, t := k.Variable(fn, r), k.TypeOf(fn, r)
	steps := t.Array
	if v != nil && v.Kind == ir.VarParam {
		steps = 1 + t.Rows
	}
	return Unchanging(k, fn, v) && e.Derefs() <= steps
}

// behindMember reports whether a pointer that is a member may lead to what is
// loaded: its declaration says nothing of the memory that a member points to.
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
func Unchanging(k *analysis.Kernel, fn *ir.Func, v *ir.Var) bool {
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
func addressLevel(k *analysis.Kernel, fn *ir.Func, e *ir.Expr) analysis.Uniformity {
	l := analysis.GridUniform
	for _, kid := range e.Kids {
		if kid.Op == ir.OpIndex || kid.Op == ir.OpMember && kid != e.Kids[len(e.Kids)-1] {
			l = max(l, addressLevel(k, fn, kid))
			continue
		}
		if kid.Op == ir.OpIdent && k.NamedShared(fn, kid) != nil {
			continue
		}
		l = max(l, Of(k, fn, kid))
	}
	if e.Op == ir.OpIdent && k.NamedShared(fn, e) == nil {
		if v := k.Variable(fn, e); v == nil || v.Kind == ir.VarLocal || v.Kind == ir.VarParam {
			l = max(l, nameLevel(k, fn, e))
		}
	}
	return l
}

func callLevel(k *analysis.Kernel, fn *ir.Func, e *ir.Expr) analysis.Uniformity {
	l := analysis.GridUniform
	for _, a := range e.Args() {
		l = max(l, Of(k, fn, a))
	}
	if obj := e.Object(); obj != nil {
		switch {
		case barriers.IsThreadBlock(k, fn, obj):
			if m := intrinsic.BlockMember(e.Name); m != nil {
				return levelOf(m.Result, l)
			}
		case barriers.IsTile(k, fn, obj) && (e.Name == "size" || e.Name == "num_threads"):
			return analysis.GridUniform
		}
		return analysis.ThreadVarying
	}
	callees := k.Callees(fn, e)
	if len(callees) == 0 {
		return levelOf(e.Intrinsic().Result, l)
	}
	for _, c := range callees {
		r, reached := returnLevels(k)[c]
		if !reached {
			return analysis.ThreadVarying
		}
		l = max(l, r)
	}
	return l
}

// levelOf returns the uniformity of an intrinsic's result; arguments is that of its arguments.
func levelOf(r intrinsic.Result, arguments analysis.Uniformity) analysis.Uniformity {
	switch r {
	case intrinsic.PerGrid:
		return analysis.GridUniform
	case intrinsic.PerBlock:
		return analysis.BlockUniform
	case intrinsic.AsArguments:
		return arguments
	case intrinsic.AsMemory:
		return max(arguments, analysis.BlockUniform)
	}
	return analysis.ThreadVarying
}

// returnLevel returns the uniformity of what a device function returns: its return expressions and the control over
// them. Parameters carry the join over all calls, and returnLevels what has been found of the functions that it
// calls, itself among them where it is recursive.
func returnLevel(k *analysis.Kernel, fn *ir.Func) analysis.Uniformity {
	l := analysis.GridUniform
	fn.Body.Walk(func(s *ir.Stmt) bool {
		if s.Op == ir.StmtReturn && l < analysis.ThreadVarying {
			l = max(l, Of(k, fn, s.Expr), WayTo(k, fn, s, nil))
		}
		return l < analysis.ThreadVarying
	})
	return l
}
