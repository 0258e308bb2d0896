package evaluate

import (
	"math"
	"slices"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/pointers"
	"github.com/smux-cuda/smux/analysis/values"
	"github.com/smux-cuda/smux/model/hardware"
)

// ValueRange bounds the values of an integer expression, both ends included. What is not
// known is bounded by the least and the largest int64.
type ValueRange struct{ Min, Max int64 }

// anyValue is the range of an unknown expression.
var anyValue = ValueRange{math.MinInt64, math.MaxInt64}

// Within reports whether all values lie in [0, n).
func (r ValueRange) Within(n int64) bool { return r.Min >= 0 && r.Max < n }

func (r ValueRange) inside(o ValueRange) bool { return r.Min >= o.Min && r.Max <= o.Max }

func (r ValueRange) union(o ValueRange) ValueRange {
	return ValueRange{min(r.Min, o.Min), max(r.Max, o.Max)}
}

// rangeOfType returns the values that a type of that name holds; known is false for types that are no
// integers by name.
func rangeOfType(base string) (r ValueRange, t values.IntegerType, known bool) {
	t, known = values.IntegerOf(base)
	switch {
	case !known:
		return anyValue, t, false
	case base == "char":
		return ValueRange{math.MinInt8, math.MaxUint8}, t, true // as the host's compiler has it
	case base == "bool":
		return ValueRange{0, 1}, t, true
	case t.Bytes >= 8 && t.Unsigned:
		return ValueRange{0, math.MaxInt64}, t, true
	case t.Bytes >= 8:
		return anyValue, t, true
	case t.Unsigned:
		return ValueRange{0, 1<<(8*t.Bytes) - 1}, t, true
	}
	return ValueRange{-1 << (8*t.Bytes - 1), 1<<(8*t.Bytes-1) - 1}, t, true
}

// typedRange is a range with the type that the expression has after promotion. huge is
// set where values beyond the largest int64 may stand after Max.
type typedRange struct {
	ValueRange
	values.IntegerType
	known bool // else it may be no integer at all
}

func (r typedRange) huge() bool { return r.Bytes >= 8 && r.Unsigned && r.Max == math.MaxInt64 }

// RangeOf returns bounds of an integer expression of fn, as its type, masks, remainders, shifts and literals in it
// prove them for whatever data it reads. known holds bounds of variables that conditions around the expression prove.
func RangeOf(k *analysis.Kernel, fn *ir.Func, e *ir.Expr, known map[*ir.Var]ValueRange) ValueRange {
	r := valueRange(k, fn, e, known, 0)
	if !r.known || r.huge() {
		return ValueRange{min(r.Min, 0), math.MaxInt64}
	}
	return r.ValueRange
}

// maxRangeDepth is through how many operands and initialisers a range is followed.
const maxRangeDepth = 40

func valueRange(k *analysis.Kernel, fn *ir.Func, e *ir.Expr, known map[*ir.Var]ValueRange, level int) typedRange {
	nothing := typedRange{ValueRange: anyValue}
	if e == nil || level > maxRangeDepth {
		return nothing
	}
	of := func(e *ir.Expr) typedRange { return valueRange(k, fn, e, known, level+1) }
	switch e.Op {
	case ir.OpInt:
		t := values.IntegerType{Bytes: 4, Unsigned: e.Tok == "u"}
		switch {
		case e.Type.Base == "long":
			t.Bytes = 8
		case e.Int > math.MaxInt32 && !t.Unsigned || e.Int > math.MaxUint32:
			return nothing // of which type depends on how it is written
		}
		return typedRange{ValueRange{e.Int, e.Int}, t, true}
	case ir.OpIdent:
		return rangeOfName(k, fn, e, known, level)
	case ir.OpIndex:
		if r := e.Root(); r != nil {
			if v := k.Variable(fn, r); v != nil && v.Type.Ptr+len(v.Dims) == pointers.Depth(e) {
				return ofType(v.Type.Base)
			}
		}
	case ir.OpDeref:
		if r := e.Kids[0]; r.Op == ir.OpIdent && r.Var != nil && r.Var.Type.Ptr == 1 && len(r.Var.Dims) == 0 {
			return ofType(r.Var.Type.Base)
		}
	case ir.OpMember:
		return rangeOfMember(k, fn, e)
	case ir.OpCast:
		if len(e.Kids) != 1 || e.Type.Ptr > 0 {
			return nothing
		}
		to := ofType(e.Type.Base)
		if from := of(e.Kids[0]); to.known && from.known && from.inside(to.ValueRange) && !from.huge() {
			to.ValueRange = from.ValueRange
		}
		return to
	case ir.OpCond:
		return both(of(e.Kids[1]), of(e.Kids[2]), ValueRange.union)
	case ir.OpIncDec:
		return of(e.Kids[0]).whole()
	case ir.OpComma:
		return of(e.Kids[len(e.Kids)-1])
	case ir.OpUnary:
		a := of(e.Kids[0])
		switch {
		case e.Tok == "+":
			return a
		case e.Tok == "-" && a.known && !a.Unsigned && a.Min > math.MinInt32:
			return typedRange{ValueRange{-a.Max, -a.Min}, a.IntegerType, true}.fitted()
		case e.Tok == "!":
			return typedRange{ValueRange{0, 1}, values.IntegerType{Bytes: 4, Unsigned: false}, true}
		}
		return a.whole()
	case ir.OpBinary:
		return binaryRange(e.Tok, of(e.Kids[0]), of(e.Kids[1]))
	case ir.OpCall:
		args := e.Args()
		if e.Calls("__ldg") && len(args) == 1 && args[0].Op == ir.OpAddr {
			return of(args[0].Kids[0])
		}
		if len(args) != 2 || !e.Calls("min") && !e.Calls("max") || e.Qual != "" || len(k.Callees(fn, e)) > 0 {
			return nothing
		}
		return both(of(args[0]), of(args[1]), func(a, b ValueRange) ValueRange {
			if e.Name == "min" {
				return ValueRange{min(a.Min, b.Min), min(a.Max, b.Max)}
			}
			return ValueRange{max(a.Min, b.Min), max(a.Max, b.Max)}
		})
	}
	return nothing
}

// ofType is any value of a type, which integer promotion has made an int where it is smaller.
func ofType(base string) typedRange {
	r, t, known := rangeOfType(base)
	if t.Bytes < 4 {
		t = values.IntegerType{Bytes: 4, Unsigned: false}
	}
	return typedRange{r, t, known}
}

// whole is any value of the expression's type.
func (r typedRange) whole() typedRange {
	switch {
	case !r.known:
		return typedRange{ValueRange: anyValue}
	case r.Bytes >= 8 && r.Unsigned:
		r.ValueRange = ValueRange{0, math.MaxInt64}
	case r.Bytes >= 8:
		r.ValueRange = anyValue
	case r.Unsigned:
		r.ValueRange = ValueRange{0, math.MaxUint32}
	default:
		r.ValueRange = ValueRange{math.MinInt32, math.MaxInt32}
	}
	return r
}

// fitted is the range where the type holds it, else any value of the type: it wraps around.
func (r typedRange) fitted() typedRange {
	if all := r.whole(); !r.inside(all.ValueRange) {
		return all
	}
	return r
}

// common is the type in which two operands are computed with.
func common(a, b values.IntegerType) values.IntegerType {
	switch {
	case a.Bytes != b.Bytes && a.Bytes > b.Bytes:
		return a
	case a.Bytes != b.Bytes:
		return b
	}
	return values.IntegerType{Bytes: a.Bytes, Unsigned: a.Unsigned || b.Unsigned}
}

// both combines the ranges of two operands once they have one type.
func both(a, b typedRange, f func(a, b ValueRange) ValueRange) typedRange {
	if !a.known || !b.known {
		return typedRange{ValueRange: anyValue}
	}
	t := common(a.IntegerType, b.IntegerType)
	for _, r := range []*typedRange{&a, &b} {
		if r.huge() {
			return typedRange{IntegerType: t, known: true}.whole()
		}
		r.IntegerType = t
		*r = r.fitted()
	}
	return typedRange{f(a.ValueRange, b.ValueRange), t, true}
}

// mostOperand bounds what is added and multiplied, so that int64 holds it.
const mostOperand = 1 << 31

func binaryRange(tok string, a, b typedRange) typedRange {
	small := func(r ValueRange) bool { return r.Min >= -mostOperand && r.Max <= 2*mostOperand }
	whole := both(a, b, func(ValueRange, ValueRange) ValueRange { return anyValue }).whole()
	bitwise := func() (most int64, ok bool) { // of values that are not negative
		switch {
		case !a.known || !b.known:
			return 0, false
		case tok == "&" && b.Min >= 0 && !b.huge() && (a.Min < 0 || a.huge() || b.Max <= a.Max):
			return b.Max, true
		case tok == "&" && a.Min >= 0 && !a.huge():
			return a.Max, true
		case (tok == "|" || tok == "^") && a.Min >= 0 && b.Min >= 0 && !a.huge() && !b.huge():
			most = 1
			for most <= max(a.Max, b.Max) {
				most *= 2
			}
			return most - 1, true
		}
		return 0, false
	}
	switch tok {
	case "&", "|", "^":
		if most, ok := bitwise(); ok && most < math.MaxInt64/4 {
			whole.ValueRange = ValueRange{0, most}
		}
		return whole
	case "%":
		if whole.known && b.Min == b.Max && b.Min > 0 {
			n := b.Min
			switch {
			case a.Min >= 0:
				whole.ValueRange = ValueRange{0, n - 1}
				if !a.huge() {
					whole.Max = min(n-1, a.Max)
				}
			case whole.Unsigned:
				whole.ValueRange = ValueRange{0, n - 1}
			default:
				whole.ValueRange = ValueRange{1 - n, n - 1}
			}
		}
		return whole
	case "/":
		if whole.known && b.Min == b.Max && b.Min > 0 && a.Min >= 0 && !a.huge() {
			whole.ValueRange = ValueRange{a.Min / b.Min, a.Max / b.Min}
		}
		return whole
	case ">>":
		if !a.known || !b.known || b.Min != b.Max || b.Min < 0 || b.Min >= 8*int64(a.Bytes) {
			return a.whole()
		}
		if n := b.Min; a.huge() && n > 0 {
			a.ValueRange = ValueRange{0, math.MaxInt64 >> (n - 1)}
		} else {
			a.ValueRange = ValueRange{a.Min >> n, a.Max >> n}
		}
		return a
	case "<<":
		if !a.known || !b.known || b.Min != b.Max || b.Min < 0 || b.Min > 31 || a.Min < 0 || !small(a.ValueRange) {
			return a.whole()
		}
		a.ValueRange = ValueRange{a.Min << b.Min, a.Max << b.Min}
		return a.fitted()
	case "<", "<=", ">", ">=", "==", "!=", "&&", "||":
		return typedRange{ValueRange{0, 1}, values.IntegerType{Bytes: 4, Unsigned: false}, true}
	case "+", "-", "*":
		return both(a, b, func(x, y ValueRange) ValueRange {
			if !small(x) || !small(y) {
				return anyValue
			}
			switch tok {
			case "+":
				return ValueRange{x.Min + y.Min, x.Max + y.Max}
			case "-":
				return ValueRange{x.Min - y.Max, x.Max - y.Min}
			}
			corners := []int64{x.Min * y.Min, x.Min * y.Max, x.Max * y.Min, x.Max * y.Max}
			return ValueRange{slices.Min(corners), slices.Max(corners)}
		}).fitted()
	}
	return whole
}

// rangeOfName is the range of a variable: of its initialiser where it keeps it, else of its type.
func rangeOfName(k *analysis.Kernel, fn *ir.Func, e *ir.Expr, known map[*ir.Var]ValueRange, level int) typedRange {
	v := k.Variable(fn, e)
	if v == nil || v.Type.Ptr > 0 || len(v.Dims) > 0 || v.Type.Function {
		return typedRange{ValueRange: anyValue}
	}
	if n, ok := ConstantAlike(k, fn, e); ok {
		r := ofType(v.Type.Base)
		if r.known && r.Min <= n && n <= r.Max {
			r.ValueRange = ValueRange{n, n}
		}
		return r
	}
	var init typedRange
	stays := v.Kind == ir.VarLocal && v.Init != nil && len(v.Writes) == 0 && !v.AddrTaken && !v.Static && !v.Extern && !v.Type.Ref && !v.Type.Volatile ||
		v.Init != nil && (v.Kind == ir.VarEnumerator || v.Kind == ir.VarGlobal && v.Type.Const)
	if stays {
		init = valueRange(k, fn, v.Init, known, level+1)
	}
	out := ofType(v.Type.Base)
	switch {
	case v.Type.Deduced() && init.known:
		out = init
	case init.known && out.known && init.inside(out.ValueRange) && !init.huge():
		out.ValueRange = init.ValueRange
	}
	if more, has := known[v]; has && out.known {
		out.Min, out.Max = max(out.Min, more.Min), min(out.Max, more.Max)
	}
	return out
}

// ConstantAlike is the number that an expression is in all instances of the kernel.
func ConstantAlike(k *analysis.Kernel, fn *ir.Func, e *ir.Expr) (n int64, ok bool) {
	for i, in := range k.Instances {
		c, is := Constant(k, in, fn, e)
		if !is || i > 0 && c != n {
			return 0, false
		}
		n, ok = c, true
	}
	return n, ok
}

// byteVectors are CUDA's vectors of unsigned bytes, whose members are such.
var byteVectors = []string{"uchar1", "uchar2", "uchar3", "uchar4"}

func rangeOfMember(k *analysis.Kernel, fn *ir.Func, e *ir.Expr) typedRange {
	nothing := typedRange{ValueRange: anyValue}
	b := e.Kids[0]
	if b.Op == ir.OpIdent && b.Var == nil && !e.Arrow {
		switch b.Name {
		case "threadIdx", "blockIdx":
			most := int64(math.MaxInt32)
			if b.Name == "threadIdx" {
				most = hardware.MaxThreadsPerBlock - 1
			}
			return typedRange{ValueRange{0, most}, values.IntegerType{Bytes: 4, Unsigned: true}, true}
		case "blockDim", "gridDim":
			return typedRange{ValueRange{1, math.MaxInt32}, values.IntegerType{Bytes: 4, Unsigned: true}, true}
		}
	}
	r := b.Root()
	if r == nil || len(e.Name) != 1 {
		return nothing
	}
	v := k.Variable(fn, r)
	if v == nil || !slices.Contains(byteVectors, v.Type.Base) || b.Op != ir.OpIdent && b.Op != ir.OpIndex {
		return nothing
	}
	return ofType("unsigned char")
}
