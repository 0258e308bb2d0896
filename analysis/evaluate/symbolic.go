package evaluate

import (
	"math"
	"slices"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/polynomial"
	"github.com/smux-cuda/smux/analysis/values"
	"github.com/smux-cuda/smux/model/hardware"
)

// Form is an integer expression as a polynomial in threadIdx, blockDim, counters
// of loops under way, and variables that keep one value.
//
// The value of the expression is congruent to the polynomial modulo 2^32: sums, differences, products and conversions
// between integers of at least 32 bits keep that, whatever wraps around. So two subscripts of equal polynomials name
// the same element as long as they are in bounds at all. exact means more: the value is the polynomial's, as a
// comparison needs.
type Form struct {
	polynomial.Polynomial
	Unsigned bool
	Exact    bool
	wide     bool // of 64 bits
}

// symbolKind says what a symbol of a form stands for.
type symbolKind uint8

const (
	SymbolFixed   symbolKind = iota // one value for the block while its scope lasts
	SymbolThread                    // a component of threadIdx
	SymbolCounter                   // the counter of a loop under way
	symbolShare                     // a quotient or remainder that differs from thread to thread
)

// symbolInfo holds what the evaluator knows of a symbol.
type symbolInfo struct {
	Kind symbolKind
	Dim  int     // SymbolThread
	V    *ir.Var // SymbolFixed, nil for a component of blockDim, gridDim or blockIdx
	// block is set if it is a component of blockIdx.
	block bool
	// Loop is a counter's loop, and in its body it is at least low and at most high, in threads that got there; lost
	// if unknown. wraps is set if the counter may have left its type and come back from below.
	Loop      *ir.Stmt
	low, high polynomial.Polynomial
	wraps     bool
	division  *Division // what a quotient or remainder is of, else nil
}

// largest is a number that 64 bits hold and that is compared with polynomials.
const largest = 1 << 39

var lostForm = Form{Polynomial: polynomial.Lost()}

// symbols are the symbols of one evaluator.
type symbols struct {
	Info map[*polynomial.Symbol]*symbolInfo
	vars map[*ir.Var]*polynomial.Symbol
	tid  [3]*polynomial.Symbol
	dim  [3]*polynomial.Symbol
	idx  [3]*polynomial.Symbol // blockIdx
	grid [3]*polynomial.Symbol // gridDim
}

func (ev *Evaluator) symbol(name string, low, high int64, info symbolInfo) *polynomial.Symbol {
	s := &polynomial.Symbol{Name: name, Min: low, Max: high, Order: len(ev.Symbols.Info)}
	if ev.Symbols.Info == nil {
		ev.Symbols.Info = map[*polynomial.Symbol]*symbolInfo{}
		ev.Symbols.vars = map[*ir.Var]*polynomial.Symbol{}
	}
	ev.Symbols.Info[s] = &info
	return s
}

// ExtentOf is the extent of the block in a dimension.
func (ev *Evaluator) ExtentOf(d int) polynomial.Polynomial {
	if ev.Shape.Known() {
		return polynomial.Number(int64(ev.Shape.Dims()[d]))
	}
	if ev.Symbols.dim[d] == nil {
		ev.Symbols.dim[d] = ev.symbol("blockDim."+"xyz"[d:d+1], 1, hardware.MaxThreadsPerBlock, symbolInfo{})
	}
	return polynomial.Of(ev.Symbols.dim[d])
}

// threadIndex is a component of threadIdx.
func (ev *Evaluator) threadIndex(d int) polynomial.Polynomial {
	if ev.Shape.Known() && ev.Shape.Dims()[d] == 1 {
		return polynomial.Number(0)
	}
	if ev.Symbols.tid[d] == nil {
		ev.Symbols.tid[d] = ev.symbol("threadIdx."+"xyz"[d:d+1], 0, hardware.MaxThreadsPerBlock-1, symbolInfo{Kind: SymbolThread, Dim: d})
	}
	return polynomial.Of(ev.Symbols.tid[d])
}

// gridSymbol stands for a component of blockIdx or gridDim.
func (ev *Evaluator) gridSymbol(name string, d int) *polynomial.Symbol {
	most := []int64{hardware.MaxGridDimX, hardware.MaxGridDimY, hardware.MaxGridDimZ}[d]
	s := &ev.Symbols.grid[d]
	low := int64(1)
	if name == "blockIdx" {
		s, low, most = &ev.Symbols.idx[d], 0, most-1
	}
	if *s == nil {
		*s = ev.symbol(name+"."+"xyz"[d:d+1], low, most, symbolInfo{block: name == "blockIdx"})
	}
	return *s
}

// Symbolic writes an expression as a form; ok is false where it isn't one.
func (f *Frame) Symbolic(e *ir.Expr) (Form, bool) {
	none := lostForm
	if e == nil {
		return none, false
	}
	if f.Ev.Spend(4); f.Ev.Spent() {
		return none, false
	}
	if x := f.Eval(e); x.Uniform() {
		return Form{Polynomial: polynomial.Number(x.S), Unsigned: x.Unsigned, Exact: true}, true
	}
	out := none
	switch e.Op {
	case ir.OpIdent:
		out = f.symbolicName(e)
	case ir.OpMember:
		out = f.symbolicBuiltin(e)
	case ir.OpUnary:
		a, ok := f.Symbolic(e.Kids[0])
		if e.Tok == "+" && ok {
			out = a
		} else if e.Tok == "-" && ok {
			out = f.Ev.combine("-", Form{Polynomial: polynomial.Number(0), Unsigned: a.Unsigned, Exact: true}, a)
		}
	case ir.OpBinary:
		divides := slices.Contains([]string{"/", "%", ">>", "&"}, e.Tok)
		if e.Tok != "+" && e.Tok != "-" && e.Tok != "*" && !divides {
			break
		}
		a, ok := f.Symbolic(e.Kids[0])
		if !ok {
			break
		}
		b, ok := f.Symbolic(e.Kids[1])
		switch {
		case ok && divides:
			out = f.symbolicDivision(e.Tok, a, b)
		case ok:
			out = f.Ev.combine(e.Tok, a, b)
		}
	case ir.OpCast:
		if e.Type.Ptr == 0 && !e.Type.Ref && len(e.Kids) == 1 {
			if a, ok := f.Symbolic(e.Kids[0]); ok {
				out = f.Ev.as(a, e.Type.Base)
			}
		}
	case ir.OpCall:
		switch args := e.Args(); {
		case len(args) == 1 && (e.Name == "int" || e.Name == "unsigned"):
			if a, ok := f.Symbolic(args[0]); ok {
				out = f.Ev.as(a, e.Name)
			}
		case len(args) == 2 && (e.Name == "__mul24" || e.Name == "__umul24") && len(f.Ev.Prog.Unit(f.Fn.File).ByName[e.Name]) == 0:
			out = f.product24(e.Name, args)
		}
	}
	return out, !out.IsLost()
}

// product24 is a product of the low 24 bits: that of the operands where they have no more.
func (f *Frame) product24(name string, args []*ir.Expr) Form {
	a, okA := f.Symbolic(args[0])
	b, okB := f.Symbolic(args[1])
	small := func(a Form) bool {
		most, ok := a.Magnitude()
		return a.Exact && ok && most < 1<<23 && a.NonNegative()
	}
	if !okA || !okB || !small(a) || !small(b) {
		return lostForm
	}
	a.Unsigned, b.Unsigned = name == "__umul24", name == "__umul24"
	return f.Ev.combine("*", a, b)
}

// combine computes a sum, difference or product. Signed arithmetic that leaves its type is undefined, so that a
// result is exact if the operands are. Unsigned arithmetic wraps around: what it gives is exact only where it can't.
func (ev *Evaluator) combine(tok string, a, b Form) Form {
	out := Form{Unsigned: a.Unsigned || b.Unsigned, wide: a.wide || b.wide}
	switch tok {
	case "+":
		out.Polynomial = a.Plus(b.Polynomial)
	case "-":
		out.Polynomial = a.Minus(b.Polynomial)
	case "*":
		out.Polynomial = a.Times(b.Polynomial)
	}
	out.Exact = a.Exact && b.Exact
	if out.Unsigned {
		most := int64(math.MaxUint32)
		if out.wide {
			most = largest
		}
		out.Exact = out.Exact && a.NonNegative() && b.NonNegative() && inRange(out.Polynomial, most)
	}
	return out
}

// below reports whether the polynomial's magnitude is at most n.
func (a Form) below(n int64) bool {
	most, ok := a.Magnitude()
	return ok && most <= n
}

// InRange reports whether p is at least 0 and at most n.
func inRange(p polynomial.Polynomial, n int64) bool {
	most, ok := p.Magnitude()
	return ok && most <= n && p.NonNegative()
}

// as is the form converted to an integer type; lost for a type below 32 bits.
func (ev *Evaluator) as(a Form, base string) Form {
	if base == "auto" {
		return a
	}
	t, ok := values.IntegerOf(base)
	if !ok || t.Bytes < 4 {
		return lostForm
	}
	switch {
	case t.Unsigned:
		a.Exact = a.Exact && a.NonNegative() && (!a.wide || t.Bytes == 8 || inRange(a.Polynomial, math.MaxUint32))
	case t.Bytes == 4 && (a.Unsigned || a.wide):
		a.Exact = a.Exact && (a.below(math.MaxInt32) || inRange(a.Polynomial, math.MaxInt32))
	case a.Unsigned && a.wide:
		a.Exact = a.Exact && (a.below(math.MaxInt64) || inRange(a.Polynomial, largest))
	}
	a.Unsigned, a.wide = t.Unsigned, t.Bytes == 8
	return a
}

// symbolicName is the form of a variable: what it was initialised with, where
// nothing else is ever assigned to it, or a symbol of its own.
func (f *Frame) symbolicName(e *ir.Expr) Form {
	none := lostForm
	v := e.Var
	if v == nil || f.busy[v] {
		return none
	}
	if s := f.moving[v]; s != nil {
		info := f.Ev.Symbols.Info[s]
		if f.decl != nil && !f.decl.Inside(info.Loop.Body) {
			return none // the counter had another value when this was declared
		}
		t, _ := values.IntegerOf(v.Type.Base)
		return Form{polynomial.Of(s), t.Unsigned, true, t.Bytes == 8}
	}
	if arg := f.Args[v]; arg != nil && len(v.Writes) == 0 && !v.AddrTaken && v.Type.Ptr == 0 && (!v.Type.Ref || v.Type.Const) {
		a, ok := f.Caller.Symbolic(arg)
		if !ok || analysis.IsTypeParam(f.Fn, v.Type.Base) {
			return none
		}
		return f.Ev.as(a, v.Type.Base)
	}
	if f.settled(v) && v.Kind == ir.VarLocal {
		if a := f.initialForm(v); !a.IsLost() && a.Exact {
			return a
		}
	}
	return f.fixedName(v)
}

// initialForm is the form of a variable's initialiser.
func (f *Frame) initialForm(v *ir.Var) Form {
	if a, ok := f.inits.forms[v]; ok {
		return a
	}
	out := lostForm
	f.Initialiser(v, func(init *ir.Expr) {
		if a, ok := f.Symbolic(init); ok {
			out = f.Ev.as(a, v.Type.Base)
		}
		if !f.Ev.Spent() {
			f.inits.keepForm(v, out)
		}
	})
	return out
}

// fixedName is the form of a variable of the kernel that has one value for all threads of the block and keeps it: a
// parameter, or a local that only its initialiser sets.
func (f *Frame) fixedName(v *ir.Var) Form {
	none := lostForm
	t, integer := values.IntegerOf(v.Type.Base)
	k := f.Ev.Kernel
	if !integer || t.Bytes < 4 || k == nil || v.Type.Volatile || v.Type.Ptr > 0 || v.Type.Ref || len(v.Dims) > 0 || v.AddrTaken || v.Static {
		return none
	}
	switch {
	case f.Fn != k.Func || f.Depth > 0 || len(v.Writes) > 0 || k.Uniformity[v] > analysis.BlockUniform && !f.Ev.anyLevel:
		return none
	case v.Kind == ir.VarParam, v.Kind == ir.VarTemplateValue:
	case v.Kind == ir.VarLocal && (v.Init != nil || len(v.Writes) > 0):
	default:
		return none
	}
	s := f.Ev.Symbols.vars[v]
	if s == nil {
		low, high := polynomial.None, polynomial.None
		switch {
		case isExtent(k, v):
			low = 1
		case t.Unsigned:
			low = 0
		}
		if t.Bytes == 4 && t.Unsigned {
			high = math.MaxUint32
		} else if t.Bytes == 4 {
			high = math.MaxInt32
		}
		s = f.Ev.symbol(v.Name, low, high, symbolInfo{V: v})
		f.Ev.Symbols.vars[v] = s
	}
	return Form{polynomial.Of(s), t.Unsigned, true, t.Bytes == 8}
}

// isExtent reports whether v is a dimension of an array that the kernel declares: arrays are not empty.
func isExtent(k *analysis.Kernel, v *ir.Var) bool {
	return slices.ContainsFunc(k.Shared, func(s *analysis.Shared) bool {
		return slices.Contains(k.Func.Vars, s.Var) && slices.ContainsFunc(s.Var.Dims, func(d *ir.Expr) bool { return d != nil && d.Op == ir.OpIdent && d.Var == v })
	})
}

// symbolicBuiltin is the form of a component of threadIdx or blockDim.
func (f *Frame) symbolicBuiltin(e *ir.Expr) Form {
	none := lostForm
	base := e.Kids[0]
	d := slices.Index([]string{"x", "y", "z"}, e.Name)
	if base.Op != ir.OpIdent || base.Var != nil || d < 0 || e.Arrow {
		return none
	}
	switch base.Name {
	case "threadIdx":
		return Form{f.Ev.threadIndex(d), true, true, false}
	case "blockDim":
		return Form{f.Ev.ExtentOf(d), true, true, false}
	case "blockIdx", "gridDim":
		return Form{polynomial.Of(f.Ev.gridSymbol(base.Name, d)), true, true, false}
	}
	return none
}
