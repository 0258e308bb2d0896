package analysis

import (
	"math"
	"slices"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/polynomial"
	"github.com/smux-cuda/smux/model/hardware"
)

// form is an integer expression as a polynomial in threadIdx, blockDim, counters
// of loops under way, and variables that keep one value.
//
// The value of the expression is congruent to the polynomial modulo 2^32: sums,
// differences, products and conversions between integers of at least 32 bits
// keep that, whatever wraps around. So two subscripts of equal polynomials name
// the same element as long as they are in bounds at all. exact means more: the
// value is the polynomial's, as a comparison needs.
type form struct {
	polynomial.Polynomial
	unsigned bool
	exact    bool
	wide     bool // of 64 bits
}

// symbolKind says what a symbol of a form stands for.
type symbolKind uint8

const (
	symbolFixed   symbolKind = iota // one value for the block while its scope lasts
	symbolThread                    // a component of threadIdx
	symbolCounter                   // the counter of a loop under way
	symbolShare                     // a quotient or remainder that differs from thread to thread
)

// symbolInfo holds what the evaluator knows of a symbol.
type symbolInfo struct {
	kind symbolKind
	dim  int     // symbolThread
	v    *ir.Var // symbolFixed, nil for a component of blockDim, gridDim or blockIdx
	// block is set if it is a component of blockIdx.
	block bool
	// loop is a counter's loop, and in its body it is at least low and at most
	// high, in threads that got there; lost if unknown. wraps is set
	// if the counter may have left its type and come back from below.
	loop      *ir.Stmt
	low, high polynomial.Polynomial
	wraps     bool
	division  *division // what a quotient or remainder is of, else nil
}

// largest is a number that 64 bits hold and that is compared with polynomials.
const largest = 1 << 39

var lostForm = form{Polynomial: polynomial.Lost()}

// symbols are the symbols of one evaluator.
type symbols struct {
	info map[*polynomial.Symbol]*symbolInfo
	vars map[*ir.Var]*polynomial.Symbol
	tid  [3]*polynomial.Symbol
	dim  [3]*polynomial.Symbol
	idx  [3]*polynomial.Symbol // blockIdx
	grid [3]*polynomial.Symbol // gridDim
}

func (ev *evaluator) symbol(name string, low, high int64, info symbolInfo) *polynomial.Symbol {
	s := &polynomial.Symbol{Name: name, Min: low, Max: high, Order: len(ev.symbols.info)}
	if ev.symbols.info == nil {
		ev.symbols.info = map[*polynomial.Symbol]*symbolInfo{}
		ev.symbols.vars = map[*ir.Var]*polynomial.Symbol{}
	}
	ev.symbols.info[s] = &info
	return s
}

// extentOf is the extent of the block in a dimension.
func (ev *evaluator) extentOf(d int) polynomial.Polynomial {
	if ev.shape.known() {
		return polynomial.Number(int64(ev.shape.dims()[d]))
	}
	if ev.symbols.dim[d] == nil {
		ev.symbols.dim[d] = ev.symbol("blockDim."+"xyz"[d:d+1], 1, hardware.MaxThreadsPerBlock, symbolInfo{})
	}
	return polynomial.Of(ev.symbols.dim[d])
}

// threadIndex is a component of threadIdx.
func (ev *evaluator) threadIndex(d int) polynomial.Polynomial {
	if ev.shape.known() && ev.shape.dims()[d] == 1 {
		return polynomial.Number(0)
	}
	if ev.symbols.tid[d] == nil {
		ev.symbols.tid[d] = ev.symbol("threadIdx."+"xyz"[d:d+1], 0, hardware.MaxThreadsPerBlock-1, symbolInfo{kind: symbolThread, dim: d})
	}
	return polynomial.Of(ev.symbols.tid[d])
}

// gridSymbol stands for a component of blockIdx or gridDim.
func (ev *evaluator) gridSymbol(name string, d int) *polynomial.Symbol {
	most := []int64{hardware.MaxGridDimX, hardware.MaxGridDimY, hardware.MaxGridDimZ}[d]
	s := &ev.symbols.grid[d]
	low := int64(1)
	if name == "blockIdx" {
		s, low, most = &ev.symbols.idx[d], 0, most-1
	}
	if *s == nil {
		*s = ev.symbol(name+"."+"xyz"[d:d+1], low, most, symbolInfo{block: name == "blockIdx"})
	}
	return *s
}

// symbolic writes an expression as a form; ok is false where it isn't one.
func (f *frame) symbolic(e *ir.Expr) (form, bool) {
	none := lostForm
	if e == nil {
		return none, false
	}
	if f.ev.spend(4); f.ev.spent() {
		return none, false
	}
	if x := f.eval(e); x.uniform() {
		return form{Polynomial: polynomial.Number(x.s), unsigned: x.unsigned, exact: true}, true
	}
	out := none
	switch e.Op {
	case ir.OpIdent:
		out = f.symbolicName(e)
	case ir.OpMember:
		out = f.symbolicBuiltin(e)
	case ir.OpUnary:
		a, ok := f.symbolic(e.Kids[0])
		if e.Tok == "+" && ok {
			out = a
		} else if e.Tok == "-" && ok {
			out = f.ev.combine("-", form{Polynomial: polynomial.Number(0), unsigned: a.unsigned, exact: true}, a)
		}
	case ir.OpBinary:
		divides := slices.Contains([]string{"/", "%", ">>", "&"}, e.Tok)
		if e.Tok != "+" && e.Tok != "-" && e.Tok != "*" && !divides {
			break
		}
		a, ok := f.symbolic(e.Kids[0])
		if !ok {
			break
		}
		b, ok := f.symbolic(e.Kids[1])
		switch {
		case ok && divides:
			out = f.symbolicDivision(e.Tok, a, b)
		case ok:
			out = f.ev.combine(e.Tok, a, b)
		}
	case ir.OpCast:
		if e.Type.Ptr == 0 && !e.Type.Ref && len(e.Kids) == 1 {
			if a, ok := f.symbolic(e.Kids[0]); ok {
				out = f.ev.as(a, e.Type.Base)
			}
		}
	case ir.OpCall:
		switch args := e.Args(); {
		case len(args) == 1 && (e.Name == "int" || e.Name == "unsigned"):
			if a, ok := f.symbolic(args[0]); ok {
				out = f.ev.as(a, e.Name)
			}
		case len(args) == 2 && (e.Name == "__mul24" || e.Name == "__umul24") && len(f.ev.prog.unit(f.fn.File).byName[e.Name]) == 0:
			out = f.product24(e.Name, args)
		}
	}
	return out, !out.IsLost()
}

// product24 is a product of the low 24 bits: that of the operands where they
// have no more.
func (f *frame) product24(name string, args []*ir.Expr) form {
	a, okA := f.symbolic(args[0])
	b, okB := f.symbolic(args[1])
	small := func(a form) bool {
		most, ok := a.Magnitude()
		return a.exact && ok && most < 1<<23 && a.NonNegative()
	}
	if !okA || !okB || !small(a) || !small(b) {
		return lostForm
	}
	a.unsigned, b.unsigned = name == "__umul24", name == "__umul24"
	return f.ev.combine("*", a, b)
}

// combine computes a sum, difference or product. Signed arithmetic that leaves
// its type is undefined, so that a result is exact if the operands are.
// Unsigned arithmetic wraps around: what it gives is exact only where it can't.
func (ev *evaluator) combine(tok string, a, b form) form {
	out := form{unsigned: a.unsigned || b.unsigned, wide: a.wide || b.wide}
	switch tok {
	case "+":
		out.Polynomial = a.Plus(b.Polynomial)
	case "-":
		out.Polynomial = a.Minus(b.Polynomial)
	case "*":
		out.Polynomial = a.Times(b.Polynomial)
	}
	out.exact = a.exact && b.exact
	if out.unsigned {
		most := int64(math.MaxUint32)
		if out.wide {
			most = largest
		}
		out.exact = out.exact && a.NonNegative() && b.NonNegative() && inRange(out.Polynomial, most)
	}
	return out
}

// below reports whether the polynomial's magnitude is at most n.
func (a form) below(n int64) bool {
	most, ok := a.Magnitude()
	return ok && most <= n
}

// inRange reports whether p is at least 0 and at most n.
func inRange(p polynomial.Polynomial, n int64) bool {
	most, ok := p.Magnitude()
	return ok && most <= n && p.NonNegative()
}

// as is the form converted to an integer type; lost for a type below 32 bits.
func (ev *evaluator) as(a form, base string) form {
	if base == "auto" {
		return a
	}
	t, ok := integerOf(base)
	if !ok || t.bytes < 4 {
		return lostForm
	}
	switch {
	case t.unsigned:
		a.exact = a.exact && a.NonNegative() && (!a.wide || t.bytes == 8 || inRange(a.Polynomial, math.MaxUint32))
	case t.bytes == 4 && (a.unsigned || a.wide):
		a.exact = a.exact && (a.below(math.MaxInt32) || inRange(a.Polynomial, math.MaxInt32))
	case a.unsigned && a.wide:
		a.exact = a.exact && (a.below(math.MaxInt64) || inRange(a.Polynomial, largest))
	}
	a.unsigned, a.wide = t.unsigned, t.bytes == 8
	return a
}

// symbolicName is the form of a variable: what it was initialised with, where
// nothing else is ever assigned to it, or a symbol of its own.
func (f *frame) symbolicName(e *ir.Expr) form {
	none := lostForm
	v := e.Var
	if v == nil || f.busy[v] {
		return none
	}
	if s := f.moving[v]; s != nil {
		info := f.ev.symbols.info[s]
		if f.decl != nil && !f.decl.Inside(info.loop.Body) {
			return none // the counter had another value when this was declared
		}
		t, _ := integerOf(v.Type.Base)
		return form{polynomial.Of(s), t.unsigned, true, t.bytes == 8}
	}
	if arg := f.args[v]; arg != nil && len(v.Writes) == 0 && !v.AddrTaken && v.Type.Ptr == 0 && (!v.Type.Ref || v.Type.Const) {
		a, ok := f.caller.symbolic(arg)
		if !ok || isTypeParam(f.fn, v.Type.Base) {
			return none
		}
		return f.ev.as(a, v.Type.Base)
	}
	if f.settled(v) && v.Kind == ir.VarLocal {
		if a := f.initialForm(v); !a.IsLost() && a.exact {
			return a
		}
	}
	return f.fixedName(v)
}

// initialForm is the form of a variable's initialiser.
func (f *frame) initialForm(v *ir.Var) form {
	if a, ok := f.inits.forms[v]; ok {
		return a
	}
	out := lostForm
	f.initialiser(v, func(init *ir.Expr) {
		if a, ok := f.symbolic(init); ok {
			out = f.ev.as(a, v.Type.Base)
		}
		if !f.ev.spent() {
			f.inits.keepForm(v, out)
		}
	})
	return out
}

// fixedName is the form of a variable of the kernel that has one value for all
// threads of the block and keeps it: a parameter, or a local that only its
// initialiser sets.
func (f *frame) fixedName(v *ir.Var) form {
	none := lostForm
	t, integer := integerOf(v.Type.Base)
	k := f.ev.kernel
	if !integer || t.bytes < 4 || k == nil || v.Type.Volatile || v.Type.Ptr > 0 || v.Type.Ref || len(v.Dims) > 0 || v.AddrTaken || v.Static {
		return none
	}
	switch {
	case f.fn != k.Func || f.depth > 0 || len(v.Writes) > 0 || k.uniformity[v] > BlockUniform && !f.ev.anyLevel:
		return none
	case v.Kind == ir.VarParam, v.Kind == ir.VarTemplateValue:
	case v.Kind == ir.VarLocal && (v.Init != nil || len(v.Writes) > 0):
	default:
		return none
	}
	s := f.ev.symbols.vars[v]
	if s == nil {
		low, high := polynomial.None, polynomial.None
		switch {
		case k.isExtent(v):
			low = 1
		case t.unsigned:
			low = 0
		}
		if t.bytes == 4 && t.unsigned {
			high = math.MaxUint32
		} else if t.bytes == 4 {
			high = math.MaxInt32
		}
		s = f.ev.symbol(v.Name, low, high, symbolInfo{v: v})
		f.ev.symbols.vars[v] = s
	}
	return form{polynomial.Of(s), t.unsigned, true, t.bytes == 8}
}

// isExtent reports whether v is a dimension of an array that the kernel declares:
// arrays are not empty.
func (k *Kernel) isExtent(v *ir.Var) bool {
	return slices.ContainsFunc(k.Shared, func(s *Shared) bool {
		return slices.Contains(k.Func.Vars, s.Var) && slices.ContainsFunc(s.Var.Dims, func(d *ir.Expr) bool { return d != nil && d.Op == ir.OpIdent && d.Var == v })
	})
}

// symbolicBuiltin is the form of a component of threadIdx or blockDim.
func (f *frame) symbolicBuiltin(e *ir.Expr) form {
	none := lostForm
	base := e.Kids[0]
	d := slices.Index([]string{"x", "y", "z"}, e.Name)
	if base.Op != ir.OpIdent || base.Var != nil || d < 0 || e.Arrow {
		return none
	}
	switch base.Name {
	case "threadIdx":
		return form{f.ev.threadIndex(d), true, true, false}
	case "blockDim":
		return form{f.ev.extentOf(d), true, true, false}
	case "blockIdx", "gridDim":
		return form{polynomial.Of(f.ev.gridSymbol(base.Name, d)), true, true, false}
	}
	return none
}
