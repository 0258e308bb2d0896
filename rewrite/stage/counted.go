package stage

import (
	"slices"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/evaluate"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/uniformity"
)

// countedLoop is a loop whose counter goes from a value to a bound in equal steps, which nothing
// leaves early and in which nothing else sets it:
//
//	for (int i = low; i < high; i++)     also i <= high, and i += 4, i += blockDim.x
//	for (int i = low; i >= high; i--)    also i > high
//
// The counter may be declared outside (for (i = low; …)) where it is used in such loops alone.
type countedLoop struct {
	stmt      *ir.Stmt
	v         *ir.Var
	low, high *ir.Expr // where it begins, and its bound: the other way round in size where it counts down
	inclusive bool     // i <= high, i >= high
	down      bool
	step      int64 // from one iteration to the next, 1 or more; 1 where it counts down
	outside   bool  // the counter is declared outside
	// first and last are the counter's least and greatest value where both are known; else last is less than first.
	first, last int64
	known       bool // low is a number
	rounds      bool // it goes in rounds of the grid: step and trips say nothing, see roundsOf
}

// plain reports whether a loop is "for (int i = low; i < high; i++)".
func (l *countedLoop) plain() bool {
	return !l.inclusive && !l.down && l.step == 1 && !l.outside && l.v.Type.Base == "int"
}

// countedLoopOf is a loop of that form, nil for any other.
func countedLoopOf(k *analysis.Kernel, s *ir.Stmt) *countedLoop {
	if s.Op != ir.StmtFor || s.Macro || s.Init == nil || s.Cond == nil || s.Post == nil || s.LeavesEarly() {
		return nil
	}
	l := &countedLoop{stmt: s, last: -1}
	if !l.begins(k) || !l.ends(k) {
		return nil
	}
	v := l.v
	natural := isUnsignedType(v.Type.Base)
	if v.Macro || v.AddrTaken || v.Static || v.Type.Ptr > 0 || v.Type.Ref || v.Type.Volatile || len(v.Dims) > 0 || !natural && !isSignedType(v.Type.Base) || isShort(v.Type.Base) {
		return nil
	}
	if l.down && natural {
		return nil // none is less than 0
	}
	var ok bool
	if l.first, ok = evaluate.ConstantAlike(k, k.Func, l.low); ok && natural && l.first < 0 {
		return nil
	}
	l.known = ok
	l.last = l.first - 1
	bound, okBound := evaluate.ConstantAlike(k, k.Func, l.high)
	if !ok || !okBound || !isSigned(l.high) && (l.first < 0 || bound < 0) || natural && bound < 0 {
		return l
	}
	if l.down {
		l.last, l.first = l.first, bound
		if !l.inclusive {
			l.first++
		}
		return l
	}
	if !l.inclusive {
		bound--
	}
	if bound >= l.first {
		l.last = bound - (bound-l.first)%l.step
	}
	return l
}

// begins reads what a loop begins with, and which variable counts.
func (l *countedLoop) begins(k *analysis.Kernel) bool {
	s := l.stmt
	switch {
	case s.Init.Op == ir.StmtDecl && len(s.Init.Vars) == 1:
		l.v = s.Init.Vars[0]
		l.low = l.v.Init
		return l.low != nil && len(l.v.Writes) == 1 && l.v.Writes[0] == s.Post
	case s.Init.Op == ir.StmtExpr && s.Init.Expr != nil && isAssignment(s.Init.Expr):
		l.v, l.low, l.outside = s.Init.Expr.Kids[0].Var, s.Init.Expr.Kids[1], true
		return l.v.Kind == ir.VarLocal && countsInLoops(k, l.v)
	}
	return false
}

func isAssignment(e *ir.Expr) bool {
	return e.Op == ir.OpAssign && e.Tok == "=" && !e.Macro && e.Kids[0].Op == ir.OpIdent && e.Kids[0].Var != nil
}

// countsInLoops reports whether a variable is used in for loops alone that give it its value, and
// is set by nothing but their heads.
func countsInLoops(k *analysis.Kernel, v *ir.Var) bool {
	heads := map[*ir.Expr]bool{}
	uses, inside := 0, 0
	var loop *ir.Stmt
	for s := range k.Func.Body.All() {
		s.Exprs(func(top *ir.Expr) {
			for e := range top.All() {
				if e.Op == ir.OpIdent && e.Var == v {
					uses++
				}
			}
		})
		if s.Op != ir.StmtFor || s.Init == nil || s.Init.Op != ir.StmtExpr || s.Init.Expr == nil || s.Post == nil || !isAssignment(s.Init.Expr) || s.Init.Expr.Kids[0].Var != v {
			continue
		}
		if loop != nil && s.Inside(loop) {
			inside = -1 << 20 // one in another
		}
		loop = s
		heads[s.Init.Expr], heads[s.Post] = true, true
		count := func(e *ir.Expr) bool {
			if e.Op == ir.OpIdent && e.Var == v {
				inside++
			}
			return true
		}
		s.WalkExprs(count)
	}
	return v.Init == nil && inside == uses && !slices.ContainsFunc(v.Writes, func(w *ir.Expr) bool { return !heads[w] })
}

// ends reads a loop's condition and its step.
func (l *countedLoop) ends(k *analysis.Kernel) bool {
	c, post := l.stmt.Cond, l.stmt.Post
	if c.Op != ir.OpBinary || c.Macro || c.Kids[0].Op != ir.OpIdent || c.Kids[0].Var != l.v || post.Macro {
		return false
	}
	switch c.Tok {
	case "<", "<=":
	case ">", ">=":
		l.down = true
	default:
		return false
	}
	l.inclusive, l.high = len(c.Tok) == 2, c.Kids[1]
	tok, step := "", int64(1)
	switch {
	case len(post.Kids) == 0 || post.Kids[0].Op != ir.OpIdent || post.Kids[0].Var != l.v:
	case post.Op == ir.OpIncDec:
		tok = post.Tok[:1]
	case post.Op == ir.OpAssign && (post.Tok == "+=" || post.Tok == "-="):
		n, ok := evaluate.ConstantAlike(k, k.Func, post.Kids[1])
		if !ok {
			return false
		}
		tok, step = post.Tok[:1], n
	}
	l.step = step
	return !l.down && tok == "+" && step > 0 || l.down && tok == "-" && step == 1
}

// trips returns the number of turns of a loop of known bounds, 0 for any other.
func (l *countedLoop) trips() int64 { return max(0, (l.last-l.first)/max(1, l.step)+1) }

// uncut says why a loop can't be parted into tiles, "" where it can: all threads run it alike, to a
// bound that stays, and what is left of it can be computed without an overflow.
func (f *indexForms) uncut(l *countedLoop) (why string) {
	bound, isNumber := f.constant(l.high)
	begin := f.of(l.low)
	switch {
	case l.step > mostStep:
		return "the loop counts by too much"
	case f.of(l.high).IsLost() && !f.stays(l.high):
		return "the loop's bound may change"
	case !f.isWhole(l.high, l.v.Type.Base):
		return "the loop's bound is wider than its counter"
	case begin.IsLost() || uniformity.Of(f.k, f.k.Func, l.low) == analysis.ThreadVarying:
		return "threads begin the loop differently"
	case !l.down && (!l.known || l.first < 0) && (l.v.Type.Base != "int" && !isUnsignedType(l.v.Type.Base) || f.isHidden("min")):
		return "the loop begins at no number"
	case l.down && !(isNumber && bound >= 0 && l.inclusive || isNumber && bound >= -1 && !l.inclusive):
		return "the loop counts down to no number"
	case !f.isWhole(l.low, l.v.Type.Base):
		return "the loop's first value is wider than its counter"
	}
	return ""
}

// stays reports whether an expression has one value for a block: it is computed, perhaps with a division
// by a number, of numbers and variables that nobody changes.
func (f *indexForms) stays(e *ir.Expr) bool {
	if _, ok := f.constant(e); ok {
		return true
	}
	switch {
	case e.Op == ir.OpUnary && (e.Tok == "-" || e.Tok == "+"):
		return f.stays(e.Kids[0])
	case e.Op == ir.OpBinary && (e.Tok == "/" || e.Tok == "%" || e.Tok == ">>"):
		n, ok := f.constant(e.Kids[1])
		return ok && n > 0 && f.stays(e.Kids[0])
	case e.Op == ir.OpBinary && (e.Tok == "+" || e.Tok == "-" || e.Tok == "*"):
		return f.stays(e.Kids[0]) && f.stays(e.Kids[1])
	case e.Op == ir.OpIdent:
		return !f.of(e).IsLost() && uniformity.Of(f.k, f.k.Func, e) <= analysis.BlockUniform && !f.counted[e.Var]
	}
	return false
}

// isWhole reports whether an expression is made of numbers and variables of integers alone that
// are no wider than a type, and no more unsigned than a counter that is not negative.
func (f *indexForms) isWhole(e *ir.Expr, base string) bool {
	wide := evaluate.SizeOf(f.k, f.k.Func, ir.Type{Base: base})
	return !e.Any(func(t *ir.Expr) bool {
		switch t.Op {
		case ir.OpInt:
			return t.Type.Base == "long" && wide < 8
		case ir.OpIdent:
			v := f.k.Variable(f.k.Func, t)
			return v == nil || v.Type.Ptr > 0 || v.Type.Ref || !isSignedType(v.Type.Base) && !isUnsignedType(v.Type.Base) || evaluate.SizeOf(f.k, f.k.Func, ir.Type{Base: v.Type.Base}) > wide
		}
		return t.Op != ir.OpUnary && t.Op != ir.OpBinary && !t.IsBuildChoice()
	})
}

// mostStep is by how much a loop counts at most that is cut, so that a tile's iterations are an int.
const mostStep = 1 << 16

// counts reports whether a variable is the counter of a loop around a statement.
func (f *indexForms) counts(v *ir.Var, s *ir.Stmt) bool {
	if !f.counted[v] && !f.isRound(v) {
		return false
	}
	for s = s.Parent; s != nil; s = s.Parent {
		if s.Op == ir.StmtFor && s.Init != nil && (slices.Contains(s.Init.Vars, v) || s.Init.Expr != nil && isAssignment(s.Init.Expr) && s.Init.Expr.Kids[0].Var == v) {
			return true
		}
	}
	return false
}
