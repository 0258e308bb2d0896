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
	levels, exact := e.levels(maxDeduced)
	switch {
	case levels > 0:
		return yes
	case exact:
		return no
	}
	return maybe
}

// maxDeduced is how many deduced types, and operands, are followed.
const maxDeduced = 64

// levels is how often a value can be dereferenced or subscripted; where that is not exact it is
// at least as often. It is exact for numbers.
func (e *Expr) levels(left int) (n int, exact bool) {
	if left == 0 {
		return 0, false
	}
	switch e.Op {
	case OpInt, OpUnary, OpSizeof:
		return 0, true
	case OpLiteral:
		return 0, !strings.HasSuffix(e.Name, `"`)
	case OpIdent:
		if e.Var == nil {
			return 0, false
		}
		return e.Var.levels(left - 1)
	case OpIndex, OpDeref:
		n, exact = e.Kids[0].levels(left - 1)
		return max(0, n-1), exact
	case OpAddr:
		n, exact = e.Kids[0].levels(left - 1)
		return n + 1, exact
	case OpIncDec, OpAssign:
		return e.Kids[0].levels(left - 1)
	case OpComma:
		return e.Kids[1].levels(left - 1)
	case OpCast:
		if len(e.Kids) != 1 || e.Type.IsAuto() {
			return 0, false
		}
		return e.Type.levels()
	case OpMember:
		return 0, e.isBuiltinIndex()
	case OpCond:
		return either(e.Kids[1], e.Kids[2], left)
	case OpBinary:
		switch e.Tok {
		case "+":
			return either(e.Kids[0], e.Kids[1], left)
		case "-":
			a, exactA := e.Kids[0].levels(left - 1)
			b, exactB := e.Kids[1].levels(left - 1)
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
func either(a, b *Expr, left int) (int, bool) {
	x, exactX := a.levels(left - 1)
	y, exactY := b.levels(left - 1)
	return max(x, y), exactX && exactY
}

func (v *Var) levels(left int) (int, bool) {
	n, exact := v.Type.levels()
	n += len(v.Dims)
	switch {
	case v.Type.Function:
		return n, false
	case v.Type.IsAuto() && v.Init != nil && v.Type.Ptr == 0 && len(v.Dims) == 0:
		return v.Init.levels(left)
	}
	return n, exact
}

// levels is those that a type says. The name of a type may stand for a pointer.
func (t Type) levels() (int, bool) { return t.Ptr, isNumber(t.Base) && !t.Function }

// isNumber reports whether a type is one of the language's numbers.
func isNumber(base string) bool {
	if base == "" {
		return false
	}
	for _, word := range strings.Fields(base) {
		switch word {
		case "char", "short", "int", "long", "unsigned", "signed", "float", "double", "bool", "size_t", "uint", "uchar", "ushort",
			"int8_t", "uint8_t", "int16_t", "uint16_t", "int32_t", "uint32_t", "int64_t", "uint64_t", "half", "__half", "const", "volatile":
		default:
			return false
		}
	}
	return true
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
