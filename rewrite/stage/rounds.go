package stage

import (
	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/evaluate"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/polynomial"
	"github.com/smux-cuda/smux/analysis/uniformity"
)

// A loop in which a thread block does its own iterations and those of the thread blocks that the
// grid would have if it were larger, in rounds:
//
//	for (int i0 = blockIdx.y * blockDim.y; i0 < n; i0 += gridDim.y * blockDim.y)
//
// A round is a thread block of such a larger grid. So i0 is written with the number of that block,
// which is not negative, and i0 + threadIdx.y is a thread's number in that grid: of two rounds, and of
// two thread blocks, what is true of one is true of the other for the same number.

// roundsOf is a loop in rounds along a dimension, nil for any other.
func (f *indexForms) roundsOf(s *ir.Stmt) *countedLoop {
	l, low, high, step := upward(s)
	if l == nil || l.LeavesEarly() {
		return nil
	}
	d, first, ok := f.alongGrid(f.of(low))
	if !ok || !f.isGrid(step, d) || !f.isSameForBlock(high) || !f.ordered(l.Init.Vars[0], high, first) {
		return nil
	}
	return &countedLoop{stmt: s, v: l.Init.Vars[0], low: low, high: high, inclusive: len(s.Cond.Tok) == 2, last: -1, rounds: true}
}

// upward reads "for (T v = low; v < high; v += step)", also <=, in which nothing else sets v.
func upward(s *ir.Stmt) (l *ir.Stmt, low, high, step *ir.Expr) {
	if s.Op != ir.StmtFor || s.Macro || s.Init == nil || s.Init.Op != ir.StmtDecl || len(s.Init.Vars) != 1 || s.Cond == nil || s.Post == nil {
		return nil, nil, nil, nil
	}
	v, c, post := s.Init.Vars[0], s.Cond, s.Post
	isV := func(e *ir.Expr) bool { return e.Op == ir.OpIdent && e.Var == v && !e.Macro }
	switch {
	case v.Macro || v.AddrTaken || v.Static || v.Init == nil || v.Init.Macro || len(v.Dims) > 0 || v.Type.Ptr > 0 || v.Type.Ref || v.Type.Volatile || v.Type.Const:
	case len(v.Writes) != 1 || v.Writes[0] != post || post.Op != ir.OpAssign || post.Tok != "+=" || post.Macro || !isV(post.Kids[0]):
	case c.Op != ir.OpBinary || c.Tok != "<" && c.Tok != "<=" || c.Macro || !isV(c.Kids[0]):
	default:
		return s, v.Init, c.Kids[1], post.Kids[1]
	}
	return nil, nil, nil, nil
}

// alongGrid takes apart the number of a thread block's first thread along a dimension of the grid, and
// what is added that is the same for the grid.
func (f *indexForms) alongGrid(p polynomial.Polynomial) (dim int, first polynomial.Polynomial, ok bool) {
	for d := range f.threads {
		name := "blockIdx." + "xyz"[d:d+1]
		many, rest, linear := p.Linear(f.symbol(name, name, 0))
		if !linear || !many.Equal(polynomial.Number(int64(f.shape[d]))) {
			continue
		}
		other := func(s *polynomial.Symbol) bool {
			v := f.vars[s]
			return v == nil && f.builds[s] == nil || v != nil && v.Kind == ir.VarLocal
		}
		return d, rest, !rest.Has(other)
	}
	return 0, first, false
}

// isGrid reports whether an expression is how many threads the grid has along a dimension.
func (f *indexForms) isGrid(e *ir.Expr, d int) bool {
	name := "gridDim." + "xyz"[d:d+1]
	return f.of(e).Equal(polynomial.Of(f.symbol(name, name, 1)).Times(polynomial.Number(int64(f.shape[d]))))
}

// isSameForBlock reports whether a bound has one value for all threads of a block, which stays.
func (f *indexForms) isSameForBlock(e *ir.Expr) bool {
	p := f.of(e)
	return uniformity.Of(f.k, f.k.Func, e) <= analysis.BlockUniform && (!p.IsLost() && !f.moves(p) || f.stays(e))
}

// ordered reports whether a counter that is below a bound is so for all smaller ones: both compare as
// the numbers that they are.
func (f *indexForms) ordered(v *ir.Var, high *ir.Expr, first polynomial.Polynomial) bool {
	if evaluate.SizeOf(f.k, f.k.Func, ir.Type{Base: v.Type.Base}) != 4 {
		return false
	}
	return isSignedType(v.Type.Base) && isSigned(high) || isUnsignedType(v.Type.Base) && isNatural(first) || isSignedType(v.Type.Base) && isNatural(first)
}

// round is the symbol of the number of the thread block that a round of a loop stands for.
func (f *indexForms) round(l *countedLoop) {
	d, first, _ := f.alongGrid(f.of(l.low))
	name := "blockIdx." + "xyz"[d:d+1]
	s := f.symbol(l.v, name+" of "+l.v.Name, 0)
	f.rounds[l.v] = first.Plus(polynomial.Of(s).Times(polynomial.Number(int64(f.shape[d]))))
	if f.roundOf[d] != nil { // of two loops neither is the grid for all
		s = f.symbol(noRound(d), "none", 0)
	}
	f.roundOf[d] = s
}

// isRound reports whether a variable counts a loop in rounds.
func (f *indexForms) isRound(v *ir.Var) bool {
	_, is := f.rounds[v]
	return is
}

// noRound is the key of a symbol that no form has: that of the thread block's number along a dimension
// where several loops go in rounds.
type noRound int
