package ir

import "strings"

// known is an answer that may be lacking.
type known uint8

const (
	maybe known = iota
	no
	yes
)

// pointerOperand is the operand of a sum that is an address: the first, where neither or both may
// be one, but for numbers alone.
func (e *Expr) pointerOperand() *Expr {
	first, second := e.Kids[0].address(), e.Kids[1].address()
	if first == yes || first == maybe && second != yes && e.Kids[0].Root() != nil {
		return e.Kids[0]
	}
	return e.Kids[1]
}

// address reports whether the value of an expression is an address.
func (e *Expr) address() known {
	levels, exact := e.Levels(Levels{})
	switch {
	case levels > 0:
		return yes
	case exact:
		return no
	}
	return maybe
}

// Levels says how often values can be dereferenced or subscripted, of what a function alone does
// not tell. Each may be nil: of numbers it is known then, of all else it is not.
type Levels struct {
	Var    func(e *Expr) *Var                // what a name is of
	Named  func(v *Var) (n int, exact bool)  // the type that the declaration of v names
	Member func(e *Expr) (n int, exact bool) // a member
	Call   func(e *Expr) (n int, exact bool) // what a call returns
}

// Levels returns the number of times that a value can be dereferenced or subscripted; where that is not exact it is at
// least as often.
func (e *Expr) Levels(of Levels) (n int, exact bool) {
	if of.Var == nil {
		of.Var = func(e *Expr) *Var { return e.Var }
	}
	if of.Named == nil {
		of.Named = func(v *Var) (int, bool) { return 0, IsNumber(v.Type.Base) }
	}
	if of.Member == nil {
		of.Member = func(e *Expr) (int, bool) { return 0, e.isBuiltinIndex() }
	}
	if of.Call == nil {
		of.Call = func(*Expr) (int, bool) { return 0, false }
	}
	return of.expr(e, maxDeduced)
}

// maxDeduced bounds the deduced types, and operands, that are followed.
const maxDeduced = 64

func (of Levels) expr(e *Expr, left int) (n int, exact bool) {
	if left == 0 {
		return 0, false
	}
	switch e.Op {
	case OpInt, OpUnary, OpSizeof:
		return 0, true
	case OpLiteral:
		return 0, !strings.HasSuffix(e.Name, `"`)
	case OpIdent:
		return of.variable(of.Var(e), left-1)
	case OpIndex, OpDeref:
		n, exact = of.expr(e.Kids[0], left-1)
		return max(0, n-1), exact
	case OpAddr:
		n, exact = of.expr(e.Kids[0], left-1)
		return n + 1, exact
	case OpIncDec, OpAssign:
		return of.expr(e.Kids[0], left-1)
	case OpComma:
		return of.expr(e.Kids[1], left-1)
	case OpCast:
		if len(e.Kids) != 1 || e.Type.IsAuto() {
			return 0, false
		}
		return of.declared(&Var{Type: e.Type})
	case OpMember:
		return of.Member(e)
	case OpCall:
		return of.Call(e)
	case OpCond:
		return of.either(e.Kids[1], e.Kids[2], left)
	case OpBinary:
		switch e.Tok {
		case "+":
			return of.either(e.Kids[0], e.Kids[1], left)
		case "-":
			a, exactA := of.expr(e.Kids[0], left-1)
			b, exactB := of.expr(e.Kids[1], left-1)
			if b > 0 {
				return 0, true // a distance
			}
			return a, exactA && exactB
		}
		return 0, true
	}
	return 0, false
}

// either is the levels of the operands of which one has them.
func (of Levels) either(a, b *Expr, left int) (int, bool) {
	x, exactX := of.expr(a, left-1)
	y, exactY := of.expr(b, left-1)
	return max(x, y), exactX && exactY
}

func (of Levels) variable(v *Var, left int) (int, bool) {
	switch {
	case v == nil:
		return 0, false
	case v.Type.Deduced() && v.Init != nil && v.Type.Ptr == 0 && len(v.Dims) == 0:
		init := v.Init
		if init.Op == OpInitList && len(init.Kids) == 1 && !v.Type.Ref {
			init = init.Kids[0]
		}
		return of.expr(init, left)
	}
	return of.declared(v)
}

// declared is the levels that a declaration says.
func (of Levels) declared(v *Var) (int, bool) {
	n, exact := of.Named(v)
	return n + v.Type.Ptr + len(v.Dims), exact && !v.Type.Function
}

// isBuiltinIndex reports whether e is a member of threadIdx and the like.
func (e *Expr) isBuiltinIndex() bool {
	base := e.Kids[0]
	if base.Op != OpIdent || base.Var != nil {
		return false
	}
	switch base.Name {
	case "threadIdx", "blockIdx", "blockDim", "gridDim":
		return true
	}
	return false
}
