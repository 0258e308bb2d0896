package cost

import (
	"math"
	"strconv"
	"strings"

	"github.com/smux-cuda/smux/analysis/evaluate"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/model/hardware"
	"github.com/smux-cuda/smux/model/workload"
)

// eval computes an expression and counts what it costs.
func (f *frame) eval(e *ir.Expr) value {
	x := f.x
	if e == nil {
		return value{}
	}
	x.budget--
	if x.early[e] && x.moves() && x.slot != x.ahead {
		var v value
		x.counting(x.ahead, func() { v = f.eval(e) })
		return v
	}
	switch e.Op {
	case ir.OpInt:
		t := intType
		if e.Int > 1<<32-1 {
			t = longType
		}
		return constant(e.Int, t)
	case ir.OpLiteral:
		return f.literal(e)
	case ir.OpIdent:
		return f.ident(e)
	case ir.OpMember, ir.OpIndex, ir.OpDeref:
		if v, ok := f.builtin(e); ok {
			return v
		}
		return f.read(f.lvalue(e))
	case ir.OpAddr:
		l := f.lvalue(e.Kids[0])
		if l.to.obj == nil {
			return value{typ: l.typ.pointer(), known: true, exact: true, obj: &object{space: inRegisters, v: l.cell.v, home: f.homeOf(l)}}
		}
		l.dims = nil
		return l.address()
	case ir.OpUnary:
		return f.unary(e)
	case ir.OpBinary:
		return f.binary(e)
	case ir.OpIncDec:
		return f.step(e)
	case ir.OpAssign:
		return f.assign(e)
	case ir.OpCond:
		return f.choose(e)
	case ir.OpComma:
		f.eval(e.Kids[0])
		return f.eval(e.Kids[1])
	case ir.OpCall:
		return f.call(e)
	case ir.OpCast:
		return f.cast(e)
	case ir.OpSizeof:
		return f.sizeof(e)
	case ir.OpInitList:
		out := value{typ: floatType}
		for _, k := range e.Kids {
			out = f.eval(k)
		}
		return out
	case ir.OpAsm:
		for _, k := range e.Kids {
			x.needs(f.eval(k))
		}
		x.issue(float64(max(1, strings.Count(e.Name, ";"))))
		return x.unknown(intType)
	case ir.OpNew:
		x.callsOut = x.callsOut || x.mute == 0
	case ir.OpLambda, ir.OpLaunch:
		return x.unknown(intType)
	}
	out := x.unknown(intType)
	for _, k := range e.Kids {
		v := f.eval(k)
		x.needs(v)
		out.typ = usual(out.typ, v.typ)
		out = out.after(v)
		x.issue(1)
	}
	return out
}

func (f *frame) literal(e *ir.Expr) value {
	t := doubleType
	switch text := e.Name; {
	case strings.HasPrefix(text, `"`), strings.HasPrefix(text, "'"):
		t = intType
	case strings.HasSuffix(text, "f"), strings.HasSuffix(text, "F"):
		t = floatType
	}
	return value{typ: t, id: f.x.free(operation{op: "literal " + e.Name}), literal: true, power: powerOfTwo(e.Name)}
}

// powerOfTwo reports whether a floating-point literal is 2, 0.5 or the like: to
// divide by it is to multiply with its exact inverse.
func powerOfTwo(text string) bool {
	x, err := strconv.ParseFloat(strings.TrimRight(text, "fFlL"), 64)
	if err != nil || x == 0 {
		return false
	}
	m, _ := math.Frexp(x)
	return m == 0.5 || m == -0.5
}

func (f *frame) ident(e *ir.Expr) value {
	if e.Var == nil && e.Name == "warpSize" {
		return constant(hardware.WarpSize, intType)
	}
	l, ok := f.variable(e)
	if !ok {
		if e.Var == nil {
			return value{typ: intType, id: f.x.free(operation{op: "name " + e.Name})} // a macro of the toolkit, as a rule
		}
		return f.x.unknown(intType)
	}
	return f.read(l)
}

// builtin evaluates threadIdx.x and its kin.
func (f *frame) builtin(e *ir.Expr) (value, bool) {
	if e.Op == ir.OpMember && e.Name == "num_elements" {
		return f.elements(e)
	}
	if e.Op != ir.OpMember || e.Kids[0].Op != ir.OpIdent || e.Kids[0].Var != nil {
		return value{}, false
	}
	d := strings.Index("xyz", e.Name)
	if d < 0 || len(e.Name) != 1 {
		return value{}, false
	}
	name := e.Kids[0].Name
	x := f.x
	v := value{typ: intType, known: !x.compiling, exact: !x.compiling}
	switch name {
	case "threadIdx":
		v.v = x.threadIndex(d)
	case "blockDim":
		v.s = int64(x.shape[d])
	case "blockIdx":
		v.s, v.next[d] = x.block[d], 1
	case "gridDim":
		v.s = x.grid[d]
		if v.s == 0 {
			v.s, v.exact = assumedSize, false
		}
	default:
		return value{}, false
	}
	if x.compiling {
		v.numbers(value{})
	}
	cost := 0.0
	if name == "threadIdx" || name == "blockIdx" {
		cost = 1 // read from a special register, once
	}
	v.id = x.once(operation{op: name, a: d}, workload.Work{Issue: cost})
	if cost == 0 {
		x.folded(v.id)
	} else {
		x.made(v.id, 1)
	}
	return v, true
}

// threadIndex is threadIdx of each thread in one dimension.
func (x *walk) threadIndex(d int) *lanes {
	if x.shape[d] == 1 {
		return nil
	}
	if x.ids[d] == nil {
		x.ids[d] = newLanes(evaluate.ThreadIndices(x.shape, d))
	}
	return x.ids[d]
}
