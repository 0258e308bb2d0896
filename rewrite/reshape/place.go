package reshape

import (
	"slices"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/rewrite/kit"
)

// form says what a value has of the block's shape. Two forms make one that has less of it, and what is left
// in the end must have nothing:
//
//	blockIdx * blockDim + threadIdx                             the thread's number along an axis
//	gridDim * blockDim                                          the extent of the launch along it
//	(y * gridDim + blockIdx) * blockDim + threadIdx             both, of rows one after the other
//
// smux::reshape takes extents below 2^31 alone: numbers and extents are the same in whatever integers of 32 bits and
// more they are computed.
type form uint8

const (
	unknown  form = iota
	free          // the same for all shapes
	inBlock       // threadIdx
	block         // blockIdx
	blockLen      // blockDim
	gridLen       // gridDim
	first         // blockIdx * blockDim, the block's first thread
	rows          // what is free * gridDim, and sums of it
	inRows        // rows + blockIdx
)

// value is the form of an expression's value.
type value struct {
	form
	axis string // of the block, "" if free
	// moved says that something free was added to inBlock or first.
	moved bool
	is    ir.Number
}

// places finds where a function asks for more than its thread's number.
type places struct {
	*proof
	fn    *ir.Func
	named []string // the axes along which the shape changes
	inits map[*ir.Expr]*ir.Var
	known map[*ir.Var]value

	refused bool
}

func placesOf(p *proof, fn *ir.Func, named []string) *places {
	c := &places{proof: p, fn: fn, named: named, inits: map[*ir.Expr]*ir.Var{}, known: map[*ir.Var]value{}}
	for _, v := range fn.Vars {
		if v.Init != nil {
			c.inits[v.Init] = v
		}
	}
	return c
}

// statement refuses, in a statement, uses of built-ins that are no part of something free.
func (c *places) statement(s *ir.Stmt) {
	for t := range s.All() {
		t.Exprs(func(e *ir.Expr) {
			v := c.inits[e]
			c.visit(e, v != nil && c.variable(v).form > free)
		})
	}
}

// visit is statement for an expression; held says that it is a part of something free, or what a variable of a known form begins with.
func (c *places) visit(e *ir.Expr, held bool) {
	name := builtin(e)
	switch {
	case name != "" && (c.fn.View.Class != "" || c.Kernel.GlobalVar(c.fn, name) != nil):
		c.refuse(e, name+" may be another variable here")
	case name != "" && !held && c.of(e).form != free:
		c.refuse(e, name+"."+e.Name+" is used for more than the thread's number in the grid")
	case e.Op == ir.OpIdent && e.Var == nil && isBuiltin(e.Name):
		c.refuse(e, e.Name+" is used as a whole")
	case e.Op == ir.OpIdent && e.Var != nil && !held && c.variable(e.Var).form > free:
		c.refuse(e, e.Name+" is used for more than the thread's number in the grid")
	case e.Lambda != nil:
		c.statement(e.Lambda)
	}
	if name != "" {
		return
	}
	held = c.computes(e) && (held || c.of(e).form == free)
	for _, kid := range slices.Concat(e.Kids, e.TArgs) {
		c.visit(kid, held)
	}
}

// refuse says the first such place of a function.
func (c *places) refuse(e *ir.Expr, why string) {
	if !c.refused {
		c.refused = true
		c.Refuse(c.fn.File, e.Range.Start, kit.CodeIndex, "%s", why)
	}
}

// computes reports whether the form of e follows from those of its operands.
func (c *places) computes(e *ir.Expr) bool {
	return e.Op == ir.OpBinary && (e.Tok == "+" || e.Tok == "*" || e.Tok == "-") || e.Op == ir.OpCast && len(e.Kids) == 1 || c.mul24(e)
}

// mul24 reports whether e multiplies numbers of 24 bits: those of blocks and threads are, in launches that smux::reshape changes.
func (c *places) mul24(e *ir.Expr) bool {
	return e.Intrinsic().Op == "*" && len(e.Args()) == 2 && len(c.Kernel.Callees(c.fn, e)) == 0
}

// builtin is the name of the built-in variable of which e is an extent, "" for none.
func builtin(e *ir.Expr) string {
	if e.Op == ir.OpMember && !e.Arrow && e.Kids[0].Op == ir.OpIdent && e.Kids[0].Var == nil && e.Kids[0].Qual == "" && isBuiltin(e.Kids[0].Name) {
		return e.Kids[0].Name
	}
	return ""
}

func isBuiltin(name string) bool { return forms[name] != unknown }

var forms = map[string]form{"threadIdx": inBlock, "blockIdx": block, "blockDim": blockLen, "gridDim": gridLen}

// number is the type of an expression's value, of addresses one of 64 bits; zero for what is no number.
func (c *places) number(e *ir.Expr) ir.Number {
	t := c.Kernel.TypeOf(c.fn, e)
	if t.Levels > 0 {
		return ir.Number{Bytes: 8, Unsigned: true}
	}
	n, _ := ir.NumberOf(t.Base)
	return n
}

// of returns the form of an expression's value. What doesn't compute is free as far as this goes: visit looks at its operands.
func (c *places) of(e *ir.Expr) value {
	name := builtin(e)
	switch {
	case name != "" && slices.Contains(c.named, e.Name):
		return value{form: forms[name], axis: e.Name, is: ir.Uint}
	case e.Op == ir.OpIdent && e.Var != nil:
		return c.variable(e.Var)
	case !c.computes(e):
		return value{form: free, is: c.number(e)}
	case e.Op == ir.OpCast:
		return c.of(e.Kids[0]).as(c.number(e))
	}
	operands, is := e.Kids, ir.Number{}
	if e.Op == ir.OpCall {
		if operands, is = e.Args(), ir.Int; e.Name == "__umul24" {
			is = ir.Uint
		}
	}
	a, b := c.of(operands[0]), c.of(operands[1])
	if e.Op == ir.OpBinary && a.is.Bytes > 0 && b.is.Bytes > 0 {
		is = ir.Usual(a.is, b.is)
	}
	a, b = a.as(is), b.as(is)
	switch {
	case e.Op == ir.OpCall && (a.wraps() || b.wraps()):
		return value{is: is}
	case e.Op == ir.OpCall || e.Tok == "*":
		return times(a, b, is)
	case e.Tok == "+":
		return plus(a, b, is)
	case a.form == free && b.form == free:
		return value{form: free, is: is}
	}
	return value{is: is}
}

// variable returns the form of a variable's value: of one that keeps what it begins with.
func (c *places) variable(v *ir.Var) value {
	if known, ok := c.known[v]; ok {
		return known
	}
	c.known[v] = value{form: free}
	out := value{form: free, is: c.number(&ir.Expr{Op: ir.OpIdent, Name: v.Name, Var: v})}
	if v.Kind == ir.VarLocal && v.Init != nil && !v.Static && !v.Type.Ref && !v.AddrTaken && len(v.Writes) == 0 && len(v.Dims) == 0 {
		if of := c.of(v.Init).as(out.is); of.form > free {
			out = of
		}
	}
	c.known[v] = out
	return out
}

// as converts a value to a type.
func (v value) as(to ir.Number) value {
	if v.form > free && (to.Float || to.Bytes < ir.Int.Bytes || to.Bytes > v.is.Bytes && v.wraps()) {
		v.form = unknown
	}
	v.is = to
	return v
}

// wraps reports whether a value may not fit into 32 bits: more of them would show that.
func (v value) wraps() bool { return v.moved || v.form == rows || v.form == inRows }

// times multiplies. What may wrap around does so in unsigned numbers alone: an overflow of others has no meaning.
func times(a, b value, is ir.Number) value {
	if a.form > b.form {
		a, b = b, a
	}
	out := value{form: unknown, is: is}
	alike := a.axis == b.axis
	switch {
	case a.form == free && b.form == free, a.form == blockLen && b.form == gridLen && alike:
		out.form = free
	case a.form == block && b.form == blockLen && alike:
		out.form, out.axis = first, a.axis
	case !is.Unsigned:
	case a.form == free && b.form == gridLen:
		out.form, out.axis = rows, b.axis
	case a.form == blockLen && b.form == rows && alike:
		out.form = free
	case a.form == blockLen && b.form == inRows && alike:
		out.form, out.axis, out.moved = first, a.axis, true
	}
	return out
}

// plus adds.
func plus(a, b value, is ir.Number) value {
	if a.form > b.form {
		a, b = b, a
	}
	out := value{form: unknown, is: is}
	alike := a.axis == b.axis
	switch {
	case a.form == free && b.form == free, a.form == inBlock && b.form == first && alike && (is.Unsigned || !a.moved && !b.moved):
		out.form = free
	case !is.Unsigned:
	case a.form == free && (b.form == inBlock || b.form == first):
		out.form, out.axis, out.moved = b.form, b.axis, true
	case a.form == block && b.form == rows && alike:
		out.form, out.axis = inRows, a.axis
	case a.form == rows && b.form == rows && alike:
		out.form, out.axis = rows, a.axis
	}
	return out
}
